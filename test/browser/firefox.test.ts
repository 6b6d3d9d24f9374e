import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account } from '../../src/index.js';
import { answerTo } from '../../src/page/compute.js';
import type { Question } from '../../src/page/messages.js';
import type { Setting } from '../../src/page/setting.js';
import { upperText } from '../../src/text/rounded.js';
import { gdp } from '../cli/harness.js';
import { runOf, wasm } from '../helpers/runs.js';
import { Firefox, firefoxPath } from './marionette.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.skipIf(firefoxPath === undefined)('the page in Firefox', () => {
  let firefox: Firefox;
  beforeAll(async () => {
    firefox = await Firefox.start();
  });
  afterAll(() => firefox?.end());

  const until = async (condition: string): Promise<void> => {
    while (!(await firefox.ask(`Boolean(${condition})`))) await new Promise((done) => setTimeout(done, 50));
  };
  const settled = () =>
    until('page.gdpPage && page.gdpPage.settled && page.gdpPage.answer.others && !page.gdpPage.answer.made');
  const open = async (fragment = ''): Promise<void> => {
    await firefox.send('WebDriver:Navigate', { url: 'about:blank' });
    await firefox.send('WebDriver:Navigate', { url: `file://${root}dist/page.html${fragment}` });
    await settled();
  };
  const text = (selector: string) => firefox.ask<string>(`document.querySelector('${selector}').textContent`);
  /** ε of the library for the settings that the page shows. */
  const expected = async (): Promise<string> => {
    const setting: Setting = JSON.parse(await firefox.ask('JSON.stringify(page.gdpPage.answer.setting)'));
    const question: Question = { id: 1, since: 0, task: 'fine', setting, alpha: 1e-3 };
    const parts = [...answerTo(wasm, question)].flatMap((part) =>
      part?.kind === 'answer' ? [part.answer] : [],
    );
    return upperText(Object.assign({}, ...parts).epsilon.upper);
  };

  it('answers the example by WebAssembly, as the library does', async () => {
    await open();
    const { upper } = runOf([[9.4, 0.32768, 2000]]).epsilon(1e-5);
    expect(await text('h1')).toBe(`(${upperText(upper)}, 10−5)-differentially private`);
    expect(await text('.under')).toContain('μ ≤ 1.567 for error rates down to 10−10.');
    expect(await text('.status')).toBe('Proven');
    expect(await text('footer')).toMatch(/WebAssembly, no network/);
  });

  it('answers for a slider that is dragged, and for one moved by keys', async () => {
    await open();
    const slider = await firefox.find('input[type=range]');
    const before = await text('h1');
    const origin = { 'element-6066-11e4-a52e-4f735466cecf': slider };
    const moves = [0, 20, 40, 60].map((x) => ({ type: 'pointerMove', duration: 50, origin, x, y: 0 }));
    const actions = [
      moves[0],
      { type: 'pointerDown', button: 0 },
      ...moves.slice(1),
      { type: 'pointerUp', button: 0 },
    ];
    await firefox.send('WebDriver:PerformActions', { actions: [{ type: 'pointer', id: 'mouse', actions }] });
    await until(`document.querySelector('h1').textContent !== ${JSON.stringify(before)}`);
    await settled();
    expect(await text('h1')).toContain(`(${await expected()}, `);
    await firefox.send('WebDriver:ElementSendKeys', { id: slider, text: '\uE014\uE014' });
    await settled();
    expect(await text('h1')).toContain(`(${await expected()}, `);
  });

  it('reads a file, and says why it does not', async () => {
    await open();
    const file = await firefox.find('#file');
    await firefox.send('WebDriver:ElementSendKeys', {
      id: file,
      text: `${root}examples/finetune-two-phase.json`,
    });
    await until("document.querySelector('.over').textContent.includes('finetune-two-phase.json')");
    await settled();
    const { stdout } = await gdp(['epsilon', 'examples/finetune-two-phase.json', '--json']);
    expect(await text('h1')).toContain(`(${upperText(JSON.parse(stdout).epsilon.upper)}, `);
    await firefox.send('WebDriver:ElementSendKeys', { id: file, text: `${root}README.md` });
    await until("document.body.textContent.includes('README.md was not read.')");
    expect(await text('h1')).toContain(`(${upperText(JSON.parse(stdout).epsilon.upper)}, `);
  });

  it('solves for the noise of a target', async () => {
    await open('#v=1&u=sigma&t=3');
    await until("document.querySelector('h1').textContent.startsWith('(3.00,')");
    await settled();
    const { noiseMultiplier } = await firefox.ask<{ noiseMultiplier: number }>(
      '({ noiseMultiplier: page.gdpPage.state.sigma })',
    );
    const run = account(wasm, runOf([[noiseMultiplier, 0.32768, 2000]]).settings.mechanism, {
      adjacency: 'add-remove',
    });
    expect(run.epsilon(1e-5).upper).toBeLessThanOrEqual(3);
    expect(run.epsilon(1e-5).upper).toBeGreaterThan(2.98);
  });
});
