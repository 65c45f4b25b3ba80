/*
 * The style of the HTML page: system fonts, readable on a phone, in the dark and on paper. Nothing is loaded.
 */

/** The whole style sheet. */
export const STYLE = `
:root { color-scheme: light dark; --bad: #b3261e; --good: #1b6e3c; --warn: #8a5a00; --line: #8886; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --good: #7fd6a0; --warn: #ffcc66; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.15rem; margin: 0; font-weight: 600; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.verdict { border: 2px solid; border-radius: .5rem; padding: 1rem; margin-bottom: 1rem; }
.verdict strong { font-size: 1.8rem; display: block; }
.BLOCK, .fail, .not-testable, .not-run { color: var(--bad); }
.PASS, .pass { color: var(--good); }
.PASS_WITH_EXCEPTIONS { color: var(--warn); }
.verdict ul { margin: .5rem 0 0; padding-left: 1.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; }
dt { opacity: .75; } dd { margin: 0; }
article { border-left: 4px solid var(--bad); padding: .2rem 0 .2rem .8rem; margin: 1rem 0; break-inside: avoid; }
article h3 { font-size: 1rem; margin: 0; }
article p { margin: .2rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
td.status { white-space: nowrap; font-weight: 600; }
code, pre { font: .85em/1.4 ui-monospace, monospace; }
pre { white-space: pre-wrap; border: 1px solid var(--line); border-radius: .3rem; padding: .4rem; margin: .3rem 0; }
.small { font-size: .8rem; opacity: .8; }
figure { margin: 1rem 0; break-inside: avoid; }
svg { width: 100%; height: auto; display: block; }
svg .axis, svg .tick { stroke: currentColor; stroke-width: 1; }
svg .label { fill: currentColor; font-size: 11px; text-anchor: middle; }
.mark.progress, .mark.notification { fill: #2667c9; } .mark.result { fill: #1b8a4b; } .mark.comment { fill: #999; }
.key { font-size: .8rem; padding-left: .9em; position: relative; margin-left: .6em; }
.key::before { content: ""; position: absolute; left: 0; top: .35em; width: .65em; height: .65em; border-radius: 50%; background: #2667c9; }
.key.result::before { background: #1b8a4b; border-radius: 0; } .key.comment::before { background: #999; }
@media (max-width: 40rem) {
  svg .label { font-size: 21px; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
  thead { display: none; } tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td { display: block; border: 0; padding: .05rem 0; }
}
@media print { body { max-width: none; font-size: 11pt; } details[open] summary { display: none; } a { color: inherit; } }
`;
