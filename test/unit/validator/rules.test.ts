/** Every rule is proved both ways, and the catalogue itself keeps its promises. */

import { describe, expect, it } from '@jest/globals';
import { RULE_IDS, RULES } from '../../../src/validator/catalogue.js';
import type { Finding } from '../../../src/validator/finding.js';
import { renderFinding } from '../../../src/validator/render-finding.js';
import { TranscriptJudge } from '../../../src/validator/transcript.js';
import type { Lines } from '../../support/validator-vector.js';
import { VECTORS } from '../../support/validator-vectors.js';
import { run, type Script } from '../../support/validator-world.js';

function outcomes(conversation: Script | Lines): (Finding | undefined)[] {
  if (!('lines' in conversation)) return run(conversation);
  const judge = new TranscriptJudge(undefined);
  return conversation.lines.map(
    (line) =>
      // A JavaScript string cannot hold bytes that are not UTF-8; the reader of lines tells those apart.
      (line.startsWith('\ufffd') ? judge.unreadable('json.invalid_utf8') : judge.line(line)).found,
  );
}

describe.each(RULE_IDS.map((id) => [id, VECTORS[id]] as const))('%s', (id, vector) => {
  it('has a neighbour that passes', () => {
    expect(outcomes(vector.pass).filter((found) => found !== undefined)).toEqual([]);
  });

  it('fires on the last step of its counter-example, and nothing before', () => {
    const found = outcomes(vector.fail);
    expect(found.slice(0, -1).filter((one) => one !== undefined)).toEqual([]);
    expect(found.at(-1)).toMatchObject({ rule: id });
  });

  it('renders a whole sentence without placeholders left', () => {
    const sentence = renderFinding(outcomes(vector.fail).at(-1) as Finding);
    expect(sentence).toMatch(/[.)]$/);
    expect(sentence).not.toMatch(/\{\w+\}/);
  });
});

describe('the catalogue', () => {
  it('has a row with level, section and one-sentence reason for each id', () => {
    for (const id of RULE_IDS) {
      const { level, section, reason } = RULES[id];
      expect([id, level]).toEqual([id, expect.stringMatching(/^(MUST|SHOULD|schema|hardening)$/)]);
      expect([id, section === 'profile hardening']).toEqual([id, level === 'hardening']);
      expect([id, reason]).toEqual([id, expect.stringMatching(/^[A-Za-z1-9_/].*\.$/)]);
    }
  });

  it('has ids of the form family.name', () => {
    for (const id of RULE_IDS) expect(id).toMatch(/^[a-z]+\.[a-z0-9_]+$/);
  });

  it('has the ids that fixtures of others may name, unchanged', () => {
    expect([...RULE_IDS].toSorted()).toMatchSnapshot();
  });

  it('has vectors for its rules and for nothing else', () => {
    expect(Object.keys(VECTORS).toSorted()).toEqual([...RULE_IDS].toSorted());
    expect(RULE_IDS).toContain('resources.prefix_is_not_child');
  });
});
