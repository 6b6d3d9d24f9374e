import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account, dpSgd } from '../../src/index.js';
import { answerTo } from '../../src/page/compute.js';
import type { PageAnswer, Question } from '../../src/page/messages.js';
import { EXAMPLE, settingOf } from '../../src/page/state.js';
import type { Store } from '../../src/page/store.js';
import { upperText } from '../../src/text/rounded.js';
import { gdp } from '../cli/harness.js';
import { wasm } from '../helpers/runs.js';
import { executablePath, launch, pictured, required } from './chromium.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = `${root}dist/page.html`;
const folder = `${root}build/page-shots/`;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the page puts there for this test. */
declare const gdpPage: Store;

it('is one file within its budget, with a policy that allows no network', () => {
  const html = readFileSync(built, 'utf8');
  expect(gzipSync(html, { level: 9 }).length).toBeLessThanOrEqual(412_000);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  expect(policy).toMatch(
    /^default-src 'none'; script-src(?: 'sha256-[\w+/=]+'){2} 'wasm-unsafe-eval' blob:;/,
  );
  expect(policy).not.toMatch(/https?:|connect-src|\*|'unsafe-eval'/);
  expect(html.replace(/<!--[\s\S]*?-->/g, '').match(/<(?:link|iframe|img)\b|\bsrc="/g)).toBeNull();
});

it('holds the answer of its example as the library gives it, in words before any script', () => {
  const html = readFileSync(built, 'utf8');
  const made: PageAnswer = JSON.parse(/id="example">([^<]*)</.exec(html)?.[1] ?? '');
  const question: Question = {
    id: 1,
    since: 0,
    task: 'fine',
    setting: settingOf(EXAMPLE),
    alpha: EXAMPLE.alpha,
  };
  const parts = [...answerTo(wasm, question)].flatMap((part) =>
    part?.kind === 'answer' ? [part.answer] : [],
  );
  const exact: PageAnswer = Object.assign({}, ...parts);
  expect({ ...made, lines: exact.lines, near: exact.near }).toEqual(exact);
  // what is drawn until the page's own answer is there has four digits, rounded up: half a pixel of a curve
  for (const [short, long] of [
    [made.near, exact.near],
    [made.lines.epsilon, exact.lines.epsilon],
    [made.lines.delta, exact.lines.delta],
  ]) {
    expect(short!.length).toBe(long!.length);
    long!.forEach((value, i) => {
      expect(short![i]).toBeGreaterThanOrEqual(value);
      expect(short![i]).toBeLessThanOrEqual(value + 2e-3 * Math.abs(value));
    });
  }
  const words = /<h1[\s\S]*?<\/section>/.exec(html)?.[0].replace(/<[^>]*>/g, '');
  expect(words).toBe(
    `(${upperText(made.epsilon.upper)}, 10−5)-differentially privatefor adding or removing one record, Poisson-sampled ` +
      `batches; μ ≤ ${upperText(made.measured!.mu.upper, 4)} for error rates down to 10−10.` +
      'Holds for exact noise: floating-point noise is not covered.',
  );
  expect(html).toContain('Proven when this page was made');
});

describe.skipIf(executablePath === undefined && !required)('the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    browser = await launch();
  });
  afterAll(() => browser?.close());

  interface Opened {
    readonly page: Page;
    readonly troubles: string[];
  }

  async function open(
    fragment = '',
    { width = 1280, path = built }: { width?: number; path?: string } = {},
  ): Promise<Opened> {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      acceptDownloads: true,
    });
    page.setDefaultTimeout(120_000);
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => troubles.push(message.text()));
    page.on('request', (request) => {
      if (!/^(?:file|blob|data):/.test(request.url())) troubles.push(`request of ${request.url()}`);
    });
    await page.goto(`file://${path}${fragment}`);
    await settled(page);
    return { page, troubles };
  }

  /** Polls from here: the page's policy forbids the page itself to evaluate what it is sent. */
  async function until(page: Page, condition: string): Promise<void> {
    while (!(await page.evaluate(`Boolean(${condition})`))) await page.waitForTimeout(20);
  }

  /** Waits until the answer of the shown settings is whole. */
  async function settled(page: Page): Promise<void> {
    await until(page, 'globalThis.gdpPage?.settled && gdpPage.answer.others && !gdpPage.answer.made');
    await drawn(page);
  }

  /** Waits for the frame that shows what was done last: the page draws once a frame. */
  async function drawn(page: Page): Promise<void> {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }

  /** Presses a key and waits until what it does is drawn. */
  async function press(page: Page, key: string): Promise<void> {
    await page.keyboard.press(key);
    await drawn(page);
  }

  const claim = (page: Page) => page.textContent('h1');

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(AXE);
    const found = await page.evaluate(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 120))))`,
    );
    return found as string[];
  }

  it('opens on the example, answers as the library does and is accessible, keys alone', async () => {
    const { page, troubles } = await open();
    const run = account(wasm, dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), {
      adjacency: 'add-remove',
    });
    expect(await claim(page)).toBe(`(${upperText(run.epsilon(1e-5).upper)}, 10−5)-differentially private`);
    expect(await page.textContent('.under')).toContain('μ ≤ 1.567 for error rates down to 10−10.');
    expect(await page.textContent('.status')).toBe('Proven');
    expect(await violations(page)).toEqual([]);
    // sigma by arrows, one undo a gesture, reading by arrows
    await page.focus('input[type=range]');
    await press(page, 'ArrowRight');
    await settled(page);
    expect(await page.textContent('.over')).toContain('Your settings');
    await press(page, 'Control+z');
    await settled(page);
    expect(await claim(page)).toBe('(7.43, 10−5)-differentially private');
    // what is refused stays as typed under its fault, until it is mended, be it by the value that stood before
    const sigma = (): Promise<unknown> =>
      page.evaluate(
        `[sigma.value, sigma.getAttribute('aria-invalid')]`.replaceAll(
          'sigma.',
          `document.querySelector('#sigma').`,
        ),
      );
    for (const [typed, invalid] of [
      ['abc', 'true'],
      ['9.4', 'false'],
    ] as const) {
      await page.fill('#sigma', typed);
      await page.press('#sigma', 'Enter');
      expect(await sigma()).toEqual([typed, invalid]);
    }
    await page.focus('[data-handle=alpha]');
    await press(page, 'Shift+ArrowRight');
    expect(await page.textContent('.tradeoff .reading')).toContain('1 in 100 false alarms');
    expect(await page.evaluate('document.activeElement.dataset.handle')).toBe('alpha');
    await press(page, 'b');
    expect(await page.textContent('.ends')).toMatch(/^ε in \[7\.42437\d+, 7\.42437\d+\]/);
    await press(page, 'e');
    // the menu takes the focus once it is drawn
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("role") === "menuitem"'), {
        timeout: 10_000,
      })
      .toBeTruthy();
    expect(await violations(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('answers while it is dragged: every claim is of the settings it was asked for', async () => {
    const { page, troubles } = await open();
    await page.evaluate(`(() => {
      globalThis.seen = [];
      const look = () => {
        const { answer } = gdpPage;
        seen.push([document.querySelector('h1').textContent, answer.setting.sigma, answer.setting.delta, answer.epsilon.upper]);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })()`);
    const slider = await page.locator('[data-field=sigma] input[type=range]').boundingBox();
    const { x, y, width, height } = slider!;
    await page.mouse.move(x + width * 0.67, y + height / 2);
    await page.mouse.down();
    // as long as it takes on a busy machine to answer a few times
    const answers = () => page.evaluate('new Set(seen.map((each) => each[1])).size') as Promise<number>;
    for (let i = 0; i < 30 || (i < 600 && (await answers()) < 6); i++) {
      await page.mouse.move(x + width * (0.67 + 0.2 * Math.sin(i / 5)), y + height / 2);
      await page.waitForTimeout(16);
    }
    await page.mouse.up();
    await settled(page);
    const seen = (await page.evaluate('seen')) as [string, number, number, number][];
    const distinct = new Map(seen.map((each) => [each[1], each]));
    expect(distinct.size).toBeGreaterThan(4);
    const some = [...distinct.values()].filter((_, i) => i % Math.ceil(distinct.size / 5) === 0);
    for (const [, sigma, delta, upper] of some) {
      const run = account(wasm, dpSgd({ noiseMultiplier: sigma, samplingRate: 0.32768, steps: 2000 }), {
        adjacency: 'add-remove',
      });
      expect(upper).toBeGreaterThanOrEqual(run.epsilon(delta).lower);
      expect(upper).toBeLessThan(run.epsilon(delta).upper * 1.001);
    }
    // the words are those of an answer that was there, a frame late at most
    const texts = new Set(seen.map(([, , , upper]) => `(${upperText(upper)}, 10−5)-differentially private`));
    for (const [text] of seen) expect(texts.has(text) || text.startsWith('(7.43')).toBe(true);
    expect(await page.evaluate('gdpPage.canUndo')).toBe(true);
    await press(page, 'Control+z');
    await settled(page);
    expect(await claim(page)).toBe('(7.43, 10−5)-differentially private');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('solves for a field, by word and by dragging the diamond, and keeps to compare', async () => {
    const { page, troubles } = await open();
    await page.hover('[data-field=sigma]');
    await page.click('[data-field=sigma] .solve');
    await page.fill('#aim', '3');
    await press(page, 'Enter');
    await until(page, 'gdpPage.state.sigma > 20');
    await settled(page);
    expect(await page.textContent('[data-field=sigma] .solve')).toBe('Solved');
    // not solved before it is: told in the task in which another target is set, before any answer can come
    expect(await page.evaluate('gdpPage.set({ target: 2.9 }), [gdpPage.solving, gdpPage.settled]')).toEqual([
      true,
      false,
    ]);
    await until(page, '!gdpPage.solving');
    await page.evaluate('gdpPage.set({ target: 3 })');
    await until(page, '!gdpPage.solving');
    await settled(page);
    expect(await claim(page)).toBe('(3.00, 10−5)-differentially private');
    expect(await violations(page)).toEqual([]);
    await pictured(page, `${folder}solving-1280-light.png`);
    const diamond = await page.locator('[data-handle=target]').boundingBox();
    await page.mouse.move(diamond!.x + diamond!.width / 2, diamond!.y + diamond!.height / 2);
    await page.mouse.down();
    await page.mouse.move(diamond!.x + diamond!.width / 2 + 40, diamond!.y + 20, { steps: 6 });
    await page.mouse.up();
    await until(page, 'gdpPage.state.sigma < 20');
    await settled(page);
    const { target, epsilon } = (await page.evaluate(
      '({ target: gdpPage.state.target, epsilon: gdpPage.answer.epsilon.upper })',
    )) as { target: number; epsilon: number };
    expect(target).toBeGreaterThan(3);
    expect(epsilon).toBeLessThanOrEqual(target);
    expect(epsilon).toBeGreaterThan(target * 0.99);
    await press(page, 'Escape');
    expect(await page.locator('.target .typed').count()).toBe(0);
    await press(page, 'k');
    await page.fill('#sigma', '6');
    await press(page, 'Enter');
    await settled(page);
    expect(await page.textContent('.compare tbody tr:first-child th')).toContain('σ 6');
    expect(await page.locator('.chart:not([aria-hidden]) .line.c1').count()).toBe(2);
    const fragment = (await page.evaluate('location.hash')) as string;
    const again = await open(fragment);
    expect(await claim(again.page)).toBe(await claim(page));
    await again.page.close();
    await page.evaluate('document.activeElement.blur()');
    await press(page, '1');
    await settled(page);
    expect((await page.inputValue('#sigma')).length).toBeGreaterThan(1);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('reads what runs leave, says why it does not, and exports what can be read back', async () => {
    const { page, troubles } = await open();
    for (const name of ['mnist-tutorial', 'cifar10-wrn40', 'finetune-two-phase']) {
      await page.setInputFiles('#file', `${root}examples/${name}.json`);
      await until(page, `gdpPage.state.file === '${name}.json'`);
      await settled(page);
      const { stdout } = await gdp(['epsilon', `examples/${name}.json`, '--json']);
      const { epsilon } = JSON.parse(stdout);
      expect(await claim(page)).toBe(`(${upperText(epsilon.upper)}, 10−5)-differentially private`);
    }
    expect(await page.locator('.phases tbody tr').count()).toBe(2);
    // a mechanism of a kind that nothing else on the page makes
    await page.setInputFiles('#file', {
      name: 'rr.json',
      mimeType: '',
      buffer: Buffer.from('{"kind": "randomized-response", "epsilon": 1}'),
    });
    await until(page, `gdpPage.state.file === 'rr.json'`);
    await settled(page);
    expect(await claim(page)).toBe('(1.00, 10−5)-differentially private');
    const before = await claim(page);
    await page.setInputFiles('#file', {
      name: 'c\u202eut.json',
      mimeType: '',
      buffer: Buffer.from('{"history": [[1, 0.1'),
    });
    await page.waitForSelector('.chip.bad');
    expect(await page.textContent('.chip.bad')).toMatch(
      /^c\\u202eut\.json was not read\..*Nothing changed\.$/,
    );
    expect(await claim(page)).toBe(before);
    expect(await violations(page)).toEqual([]);
    await page.setInputFiles('#file', `${root}examples/cifar10-wrn40.json`);
    await until(page, `gdpPage.state.file === 'cifar10-wrn40.json'`);
    await settled(page);
    const saved: Record<string, string> = {};
    for (const [kind, ending] of [
      ['JSON, full brackets', 'json'],
      ['HTML', 'html'],
      ['Markdown', 'md'],
      ['YAML', 'yaml'],
      ['JSON, verifiable', 'certificate.json'],
      ['SVG', 'svg'],
      ['PNG, 2×', 'png'],
    ] as const) {
      await page.click('.menu-place > .primary');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`.menu button:has(small:text-is("${kind}"))`),
      ]);
      expect(download.suggestedFilename()).toBe(`gdp-7.43-1e-5.${ending}`);
      saved[ending] = readFileSync(await download.path(), ending === 'png' ? 'latin1' : 'utf8');
    }
    expect(JSON.parse(saved['json']!).epsilon.upper).toBeLessThan(7.43);
    expect(saved['html']).toContain('(7.43, 10<sup>−5<');
    expect(saved['md']).toContain('7.4');
    expect(saved['yaml']).toMatch(/epsilon: 7\.42437/);
    expect(saved['svg']).toMatch(/^<svg /);
    expect(saved['png']!.slice(1, 4)).toBe('PNG');
    const { stdout: verdict } = await gdp(['verify', '-'], saved['certificate.json']!);
    expect(verdict).toContain('confirmed');
    await page.setInputFiles('#file', {
      name: 'back.json',
      mimeType: '',
      buffer: Buffer.from(saved['json']!),
    });
    await until(page, `gdpPage.state.file === 'back.json'`);
    await settled(page);
    expect(await claim(page)).toBe('(7.43, 10−5)-differentially private');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('is whole from a phone to a wall, in light and dark', async () => {
    for (const [name, fragment, widths] of [
      ['compare', '#v=1&s=6&x=log&y=alpha&c=s%3D9.4&c=s%3D12', [320, 768, 1280, 2560]],
      ['shuffled', '#v=1&l=shuffled&a=zeroout&k=3&y=fit', [390]],
    ] as const) {
      const { page, troubles } = await open(fragment, { width: widths[0] });
      await until(page, 'gdpPage.kept.every(({ answer }) => answer?.others !== undefined)');
      for (const [i, width] of widths.entries()) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: i % 2 === 1 ? 'dark' : 'light' });
        await drawn(page);
        expect(await page.evaluate(FAULTS), `${name} at ${width}`).toEqual([]);
        if (width !== 2560) expect(await violations(page), `${name} at ${width}`).toEqual([]);
        expect(troubles).toEqual([]);
        await pictured(page, `${folder}${name}-${width}.png`);
      }
      await page.close();
    }
  });

  it('answers where WebAssembly, or a worker, is forbidden', async () => {
    const html = readFileSync(built, 'utf8');
    for (const [name, stricter, said] of [
      ['no-wasm', html.replace(" 'wasm-unsafe-eval'", ''), 'slower reference engine'],
      ['no-worker', html.replace('worker-src blob:', "worker-src 'none'"), 'WebAssembly, no network'],
    ] as const) {
      expect(stricter).not.toBe(html);
      const path = `${folder}${name}.html`;
      writeFileSync(path, stricter);
      const { page } = await open('', { path });
      expect(await claim(page)).toBe('(7.43, 10−5)-differentially private');
      expect(await page.textContent('.foot')).toContain(said);
      await page.close();
    }
  });
});

/** Runs in the page: what is wrong with its layout. */
const FAULTS = `(() => {
  const faults = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) faults.push('the page is wider than the window: ' + page.scrollWidth);
  for (const element of document.querySelectorAll('main *')) {
    if (element.closest('.unseen') || element.closest('.chart')) continue;
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (right > page.clientWidth + 1 || left < -1)) faults.push(element.tagName + '.' + element.className + ' sticks out');
  }
  for (const number of document.querySelectorAll('.num')) {
    if (number.getClientRects().length > 1 || number.scrollWidth > number.clientWidth + 1 && number.clientWidth > 0) faults.push('a broken number: ' + number.textContent);
  }
  for (const svg of document.querySelectorAll('.plot svg')) {
    if (/NaN|Infinity|undefined/.test(svg.outerHTML)) faults.push('a drawing of no numbers');
    if (svg.querySelectorAll('path.line').length < 1) faults.push('a drawing without a line');
  }
  return faults;
})()`;
