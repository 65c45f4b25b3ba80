import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { htmlPage } from '../../src/acceptance/html/page.js';
import type { AcceptanceRecord } from '../../src/acceptance/record/record.js';
import { canRunChromium, CHROMIUM } from '../support/machine-programs.js';
import { judgeBed } from './judge-bed.js';

const directory = mkdtempSync(join(tmpdir(), 'acceptance-test-'));
let browser: Browser;
let blocked: AcceptanceRecord;
let passed: AcceptanceRecord;

beforeAll(async () => {
  [{ record: passed }, { record: blocked }] = await Promise.all([
    judgeBed({ proxy: 'embedded' }),
    judgeBed({ proxy: 'embedded', fault: 'keeps-first-of-repeated' }),
  ]);
  if (!canRunChromium) return;
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}, 60_000);

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Opens the page of a record from disk; every request but the one for the page itself is noted and refused. */
async function open(
  record: AcceptanceRecord,
  width: number,
): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const path = join(directory, `${record.verdict.name}-${width}.html`);
  writeFileSync(path, htmlPage(record, true));
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  const own = pathToFileURL(path).href;
  await page.route('**', (route) => {
    if (route.request().url() === own) return route.continue();
    requests.push(route.request().url());
    return route.abort();
  });
  await page.goto(own);
  return { page, requests, complaints };
}

(canRunChromium ? describe : describe.skip)('the page', () => {
  test.each([360, 1200])('loads nothing, complains about nothing and fits %i px', async (width) => {
    const { page, requests, complaints } = await open(blocked, width);
    expect([requests, complaints]).toEqual([[], []]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    // For people to look at; outside the repository.
    const picture = await page.screenshot({
      fullPage: true,
      path: join(tmpdir(), `acceptance-page-${width}.png`),
    });
    expect(picture.length).toBeGreaterThan(10_000);
  });

  test('says the verdict first, and why', async () => {
    const { page } = await open(blocked, 800);
    const first = await page.locator('body > *').first().innerText();
    expect(first).toContain('BLOCK');
    expect(first).toContain('A tool ran although headers and body disagree.');
  });

  test('says of each failed check what was expected, what came and what it means', async () => {
    const { page } = await open(blocked, 800);
    const failed = page.locator('article');
    expect(await failed.count()).toBe(1);
    const words = await failed.innerText();
    expect(words).toContain('version.repeated-header');
    expect(words).toMatch(/Expected: HTTP 400 · JSON-RPC −32020, same id · nothing runs/);
    expect(words).toMatch(/Came: .*HTTP 200 · ran 1×.*The tool ran\./);
    expect(words).toMatch(/What it means: One hop reads the first value/);
  });

  test('plots one mark per event at the time it came', async () => {
    const { page } = await open(passed, 800);
    const arrivals = passed.checks.find(({ id }) => id === 'stream.progress')?.measured.arrivals ?? [];
    const figure = page.locator('figure', { hasText: 'stream.progress' });
    expect(await figure.locator('.mark').count()).toBe(arrivals.length);
    const places = await figure
      .locator('circle')
      .evaluateAll((marks) => marks.map((mark) => Number(mark.getAttribute('cx'))));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(places.length);
  });

  test('prints, and a passing run shows no failure', async () => {
    const { page } = await open(passed, 800);
    await page.emulateMedia({ media: 'print' });
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    expect(await page.locator('article').count()).toBe(0);
    expect(await page.locator('table').last().locator('tbody tr').count()).toBe(passed.checks.length);
  });

  test('escapes what comes from outside', () => {
    const page = htmlPage({ ...passed, environment: '<script>alert(1)</script>"\'&' }, true);
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  });
});
