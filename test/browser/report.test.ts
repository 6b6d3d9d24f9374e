import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account, compose, dpSgd, type Mechanism, randomizedResponse } from '../../src/index.js';
import { parseMechanism } from '../../src/mechanism/parse.js';
import { alternatives, report, reportFigures, reportHtml } from '../../src/report/index.js';
import { gdp } from '../cli/harness.js';
import { wasm } from '../helpers/runs.js';
import { executablePath, launch, pictured, required } from './chromium.js';

const folder = fileURLToPath(new URL('../../build/report-pages/', import.meta.url));

const RUNS: readonly [name: string, mechanism: Mechanism][] = [
  ['cifar10', parseMechanism({ kind: 'dp-sgd', noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 })],
  ['randomised-response', randomizedResponse({ epsilon: 1 })],
];

/** Runs in the page: what is wrong with its layout. */
const FAULTS = `(() => {
  const faults = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) faults.push('the page is wider than the window');
  for (const element of document.querySelectorAll('main *')) {
    const { left, right } = element.getBoundingClientRect();
    if (right > page.clientWidth + 1 || left < -1) faults.push(element.tagName + ' sticks out: ' + element.textContent.slice(0, 40));
  }
  const figures = [...document.querySelectorAll('figure svg')];
  if (figures.length !== 4) faults.push(figures.length + ' figures');
  for (const svg of figures) {
    const { width, height } = svg.getBoundingClientRect();
    if (width < 250 || height < 180) faults.push('a figure of ' + width + ' x ' + height);
    const drawn = [...svg.querySelectorAll('path.line:not(.guess)')];
    if (!drawn.some((path) => path.getBBox().width > 50)) faults.push('a figure without a line');
    const texts = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
    const outer = svg.getBoundingClientRect();
    for (const [i, [words, a]] of texts.entries()) {
      if (a.left < outer.left - 1 || a.right > outer.right + 1 || a.top < outer.top - 1 || a.bottom > outer.bottom + 1) faults.push('cut off: ' + words);
      if (a.height < 8) faults.push('too small to read: ' + words + ', ' + a.height);
      for (const [others, b] of texts.slice(i + 1)) {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > 3) faults.push('overlapping: ' + words + ' / ' + others);
      }
    }
  }
  const blocks = [...document.querySelectorAll('h1, h2, p, dt, dd, th, td, caption, figcaption, footer')].filter((e) => getComputedStyle(e.closest('thead') ?? e).position !== 'absolute');
  const boxes = blocks.map((e) => [e.textContent.slice(0, 30), e.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
  for (const [i, [words, a]] of boxes.entries()) {
    for (const [others, b] of boxes.slice(i + 1)) {
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 1 && y > 1) faults.push('overlapping: ' + words + ' / ' + others);
    }
  }
  return faults;
})()`;

describe.skipIf(executablePath === undefined && !required)('the HTML report in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it('of a plain run, and of one of two phases, is two pages of paper', async () => {
    const page = await browser.newPage();
    for (const file of ['cifar10-wrn40', 'finetune-two-phase']) {
      const path = `${folder}printed-${file}.html`;
      expect((await gdp(['report', `examples/${file}.json`, '--out', path])).code).toBe(0);
      await page.goto(`file://${path}`);
      // the command sets it in the page's own type, which is embedded: every system prints the same lines
      expect(
        await page.evaluate(
          `document.fonts.load('1rem Inter', 'aμ').then((faces) => faces.map(({ status }) => status))`,
        ),
        file,
      ).toEqual(['loaded', 'loaded']);
      for (const format of ['A4', 'Letter']) {
        const pdf = (await page.pdf({ format })).toString('latin1');
        expect(pdf.match(/\/Type\s*\/Page\b/g), `${file}, ${format}`).toHaveLength(2);
      }
    }
    await page.close();
  });

  it.each(RUNS)(
    'of %s is whole on a phone, on a desk and on paper, in light and dark',
    async (name, mechanism) => {
      const run = account(wasm, mechanism, { adjacency: 'add-remove' });
      const made = report(run, {
        title:
          'Privacy report of a run with a rather long name, as file names sometimes are: 2026-11-21_final_v2.json',
        alternatives: alternatives(wasm, run),
        details: { unit: 'one photograph', contact: `https://example.org/${'x'.repeat(120)}` },
      });
      const path = `${folder}${name}.html`;
      writeFileSync(path, reportHtml(made, { figures: reportFigures(run, made) }));
      for (const [width, colorScheme] of [
        [390, 'light'],
        [390, 'dark'],
        [1280, 'light'],
        [1280, 'dark'],
      ] as const) {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        page.setDefaultTimeout(0);
        const troubles: string[] = [];
        page.on('pageerror', (error) => troubles.push(error.message));
        page.on('console', (message) => troubles.push(message.text()));
        page.on('request', (request) => {
          if (!request.url().startsWith('file:')) troubles.push(`request of ${request.url()}`);
        });
        await page.goto(`file://${path}`);
        expect(await page.title()).toBe(made.title);
        expect(await page.evaluate(FAULTS)).toEqual([]);
        expect(troubles).toEqual([]);
        await pictured(page, `${folder}${name}-${width}-${colorScheme}.png`);
        if (width === 1280 && colorScheme === 'dark') {
          // on paper the lines have their light colours, whatever the screen has
          const line = `getComputedStyle(document.querySelector('svg path.line:not(.guess)')).stroke`;
          expect(await page.evaluate(line)).toBe('rgb(120, 174, 252)');
          await page.emulateMedia({ media: 'print' });
          expect(await page.evaluate(line)).toBe('rgb(26, 95, 180)');
          // browsers print no backgrounds but those that are said to count: dots are such
          const dots = `[...document.querySelectorAll('.way i')].map((dot) => getComputedStyle(dot).printColorAdjust)`;
          expect(new Set((await page.evaluate(dots)) as string[])).toEqual(new Set(['exact']));
          await pictured(page, `${folder}${name}-print.png`);
        }
        await page.close();
      }
    },
  );

  it('prints a plain run of one or two phases on two sheets, A4 or Letter', async () => {
    const phase = (noiseMultiplier: number, samplingRate: number, steps: number) =>
      dpSgd({ noiseMultiplier, samplingRate, steps });
    for (const phases of [[phase(9.4, 0.32768, 2000)], [phase(9.4, 0.32768, 1000), phase(7, 0.2, 500)]]) {
      const run = account(wasm, compose(phases), { adjacency: 'add-remove' });
      const made = report(run, {
        title: 'Privacy report: state.json',
        alternatives: alternatives(wasm, run),
      });
      const page = await browser.newPage();
      await page.setContent(reportHtml(made, { figures: reportFigures(run, made) }));
      for (const format of ['A4', 'Letter']) {
        const sheets = (await page.pdf({ format })).toString('latin1').match(/\/Type\s*\/Page\b/g);
        expect(sheets).toHaveLength(2);
      }
      await page.close();
    }
  });

  it('the check above sees a page that is not whole', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
    await page.setContent(
      `<main><p style="margin:0;height:20px">one</p><p style="margin:-15px 0 0;width:900px">two</p>
       <figure><svg width="300" height="200"><text x="5" y="50">over</text><text x="10" y="50">lap</text>
       <text x="290" y="90">cut off</text></svg></figure></main>`,
    );
    const faults = ((await page.evaluate(FAULTS)) as string[]).join('; ');
    for (const fault of [
      'wider',
      'P sticks out',
      '1 figures',
      'without a line',
      'overlapping: over',
      'cut off: cut',
      'overlapping: one / two',
    ]) {
      expect(faults).toContain(fault);
    }
    await page.close();
  });
});
