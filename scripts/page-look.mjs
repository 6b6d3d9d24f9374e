// npm run page:look: the page as people meet it, for looking at and for measuring; the long tests run the first.
//   (nothing)      six states at three widths, light and dark, as pictures in build/page-look/, held against test/browser/baselines/
//   --renew        the same, as the new baselines: to be looked at, every one
//   --only STATE   one of the states alone: example, compare, solving, shuffled, refused, menu
//   --throttle N   milliseconds to the first claim, the processor of the main thread N times slower, five times
//   --soak S       S seconds of random drags: answers, milliseconds to an answer, the heap before and after
import './lib/setup.mjs';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, relative } from 'node:path';
import { chromium } from 'playwright-core';
import { ensureBuilt, root } from './lib/setup.mjs';

const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;
const renews = process.argv.includes('--renew');
const DRAWN = join(root, 'build/page-look');
const BASELINES = join(root, 'test/browser/baselines');
/** A baseline has one pixel, the mean colour, for each block of so many pixels on a side. */
const BLOCK = 16;
/** A mean may be this far off, of 255: other smoothing of letters is not seen. */
const OFF = 20;
/** A share of a picture below this is a number that moved, not the page. */
const LEAST_CHANGE = 0.01;
const say = (line) => process.stdout.write(`${line}\n`);
const SETTLED = 'globalThis.gdpPage?.settled && gdpPage.answer.others && !gdpPage.answer.made';

ensureBuilt();
const url = `file://${join(root, 'dist/page.html')}`;
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'],
});
try {
  const [slower, seconds] = [argument('--throttle'), argument('--soak')];
  if (slower !== undefined) await throttled(slower);
  else if (seconds !== undefined) await soak(seconds);
  else await pictures();
} finally {
  await browser.close();
}

/** Polls from here: the page's policy forbids the page to evaluate what it is sent. */
async function until(page, condition) {
  while (!(await page.evaluate(`Boolean(${condition})`))) await page.waitForTimeout(20);
}

/** Until nothing has moved for a while: a solved setting is answered again. */
async function atRest(page) {
  for (let before = '', same = 0; same < 4; ) {
    await page.waitForTimeout(150);
    const now = await page.evaluate(
      `${SETTLED} ? document.documentElement.scrollHeight + document.body.textContent : ''`,
    );
    same = now !== '' && now === before ? same + 1 : 0;
    before = now;
  }
}

async function pictures() {
  const states = {
    example: { fragment: '' },
    compare: { fragment: '#v=1&s=6&x=log&y=alpha&c=s%3D9.4&c=s%3D12' },
    solving: { fragment: '#v=1&u=sigma&t=3' },
    shuffled: { fragment: '#v=1&l=shuffled&a=zeroout&k=3&y=fit' },
    refused: {
      fragment: '',
      after: (page) =>
        page.setInputFiles('#file', {
          name: 'cut.json',
          mimeType: '',
          buffer: Buffer.from('{"history": [[1, 0.1'),
        }),
    },
    menu: { fragment: '', after: (page) => page.click('.menu-place > .primary') },
  };
  for (const folder of [DRAWN, BASELINES]) mkdirSync(folder, { recursive: true });
  const changed = [];
  let made = 0;
  for (const [name, { fragment, after }] of Object.entries(states)) {
    if (only !== undefined && name !== only) continue;
    for (const width of [390, 768, 1280]) {
      for (const colorScheme of ['light', 'dark']) {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        await page.goto(url + fragment);
        await until(page, SETTLED);
        await after?.(page);
        await atRest(page);
        const file = `${name}-${width}-${colorScheme}.png`;
        const picture = await page.screenshot({ path: join(DRAWN, file), fullPage: true });
        await page.close();
        made += 1;
        const share = await changeOf(file, picture);
        if (share > LEAST_CHANGE) changed.push(`${file}: ${(100 * share).toFixed(1)} % of it differs`);
      }
    }
  }
  for (const line of changed) say(line);
  const where = `${made} pictures in ${relative(root, DRAWN)}/`;
  say(renews ? `${where}, and as new baselines` : `${where}: ${changed.length} differ from their baselines`);
  if (changed.length > 0) process.exitCode = 1;
}

/** The share of blocks in which a picture differs from its baseline; with --renew it is the baseline. */
async function changeOf(file, picture) {
  const path = join(BASELINES, file);
  const page = await browser.newPage();
  const sources = [picture, ...(existsSync(path) && !renews ? [readFileSync(path)] : [])];
  const [small, kept] = await page.evaluate(reduced, {
    sources: sources.map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`),
    block: BLOCK,
  });
  await page.close();
  if (renews) writeFileSync(path, Buffer.from(small.png, 'base64'));
  if (renews) return 0;
  if (
    kept === undefined ||
    kept.width !== small.width ||
    Math.abs(kept.height - small.height) > 0.01 * small.height + 1
  )
    return 1;
  const blocks = Math.min(kept.pixels.length, small.pixels.length) / 4;
  let different = 0;
  for (let i = 0; i < blocks; i++)
    if ([0, 1, 2].some((k) => Math.abs(small.pixels[4 * i + k] - kept.pixels[4 * i + k]) > OFF))
      different += 1;
  return different / blocks;
}

/** Runs in the browser: the first picture, with a pixel for each block; the second is one already. */
async function reduced({ sources, block }) {
  return Promise.all(
    sources.map(async (src, i) => {
      const image = Object.assign(new Image(), { src });
      await image.decode();
      const scale = i === 0 ? block : 1;
      const [width, height] = [Math.floor(image.width / scale), Math.floor(image.height / scale)];
      const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width * scale, height * scale, 0, 0, width, height);
      const png = context.canvas.toDataURL().split(',')[1];
      return { width, height, png, pixels: [...context.getImageData(0, 0, width, height).data] };
    }),
  );
}

async function throttled(rate) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
    const start = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    while (!(await page.evaluate("document.querySelector('h1')?.textContent.startsWith('(')")))
      await page.waitForTimeout(5);
    times.push(Math.round(performance.now() - start));
    await page.close();
  }
  say(`first claim at ${rate}x: ${times.sort((a, b) => a - b).join(', ')} ms`);
}

/**
 * Drags, with a move every frame. Counted is what the reader waits for, from a question to the frame with its answer, and what a busy
 * machine leaves as it is: how long the page's processor worked.
 */
async function soak(seconds) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(url);
  await until(page, SETTLED);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  };
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  const [before, started] = [await heap(), await busy()];
  const fields = await page.$$('[data-field] input[type=range]');
  let random = 1;
  const next = () => {
    random = (random * 48271) % 2147483647;
    return random / 2147483647;
  };
  let moves = 0;
  await page.evaluate('gdpPage.latencies.length = 0');
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const field = fields[Math.floor(next() * fields.length)];
    const box = await field.boundingBox();
    if (box === null) continue;
    const at = () => 0.05 + 0.9 * next();
    let from = at();
    await page.mouse.move(box.x + box.width * from, box.y + box.height / 2);
    await page.mouse.down();
    for (let stroke = 0; stroke < 3; stroke++) {
      const to = at();
      for (let i = 1; i <= 20; i++) {
        await page.mouse.move(box.x + box.width * (from + ((to - from) * i) / 20), box.y + box.height / 2);
        await page.waitForTimeout(16);
        moves += 1;
      }
      from = to;
    }
    await page.mouse.up();
  }
  const main = (await busy()) - started;
  const latencies = await page.evaluate('gdpPage.latencies');
  await until(page, SETTLED);
  const after = await heap();
  latencies.sort((a, b) => a - b);
  const quantile = (p) => Math.round(latencies[Math.floor(p * (latencies.length - 1))]);
  say(
    `${seconds} s, ${moves} moves: ${latencies.length} answers, ${quantile(0.5)} / ${quantile(0.95)} / ${quantile(1)} ms (median / p95 / most) from question to drawn answer, ` +
      `machine load ${loadavg()[0].toFixed(1)}; ${(main / moves).toFixed(1)} ms of the page's processor a move; ` +
      `heap ${before.toFixed(1)} to ${after.toFixed(1)} MB; ${troubles.length} errors`,
  );
  if (troubles.length > 0 || after > before + 5) process.exitCode = 1;
}
