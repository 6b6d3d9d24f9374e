import { existsSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { probe } from './probe.js';
import { serveProject } from './server.js';

const executablePath =
  process.env['CHROMIUM'] ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const required = process.env['GDP_REQUIRE_BROWSER'] === '1';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const state = readFileSync(new URL('../../examples/cifar10-wrn40.json', import.meta.url), 'utf8');
const library = () => import(new URL('../../dist/index.js', import.meta.url).href);

if (executablePath === undefined && !required) {
  const bar = '!'.repeat(78);
  console.warn(
    `${bar}\n!! The browser was NOT tested: no Chromium at /usr/bin/chromium or in $CHROMIUM.\n${bar}`,
  );
}

describe('in a browser', () => {
  it.skipIf(executablePath === undefined && !required)(
    'computes the same bits as in Node, with both engines',
    async () => {
      if (executablePath === undefined) throw new Error('GDP_REQUIRE_BROWSER=1, but there is no Chromium');
      const { url, server } = await serveProject();
      const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS });
      try {
        const page = await browser.newPage();
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(error.message));
        await page.goto(url);
        // As text: the test runner rewrites import() in functions.
        const inPage = (await page.evaluate(`(async () => {
          const { probe } = await import('/test/browser/probe.js');
          return probe(await import('/dist/index.js'), ${JSON.stringify(state)});
        })()`)) as Record<string, string>;
        expect(errors).toEqual([]);
        expect(inPage).toEqual(await probe(await library(), state));
        expect(inPage['auto engine']).toBe('wasm');
      } finally {
        await browser.close();
        server.close();
      }
    },
  );
});

it('has a library bundle that reaches no Node module', () => {
  const seen = new Set<string>();
  const visit = (url: URL) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const text = readFileSync(url, 'utf8');
    expect(text).not.toMatch(/\bfrom ?['"]node:|\bimport\(? ?['"]node:|\brequire\(/);
    for (const [, path] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g))
      visit(new URL(path!, url));
  };
  visit(new URL('../../dist/index.js', import.meta.url));
  expect(seen.size).toBeGreaterThan(0);
});
