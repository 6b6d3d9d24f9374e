import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { executablePath, launch, required } from './chromium.js';
import { probe } from './probe.js';
import { serveProject } from './server.js';

const state = readFileSync(new URL('../../examples/cifar10-wrn40.json', import.meta.url), 'utf8');
const built = (entry: string) => import(new URL(`../../dist/${entry}.js`, import.meta.url).href);

if (executablePath === undefined && !required) {
  const bar = '!'.repeat(78);
  console.warn(
    `${bar}\n!! The browser was NOT tested: no Chromium at /usr/bin/chromium or in $CHROMIUM.\n${bar}`,
  );
}

describe('in a browser', () => {
  const present = executablePath !== undefined || required;

  it.skipIf(!present)('computes the same bits as in Node, with both engines', async () => {
    const inPage = (await inBrowser(`
      const { probe } = await import('/test/browser/probe.js');
      const { parseOpacusState } = await import('/dist/read.js');
      return probe(await import('/dist/index.js'), parseOpacusState(${JSON.stringify(state)}));`)) as Record<
      string,
      string
    >;
    expect(inPage).toEqual(await probe(await built('index'), (await built('read')).parseOpacusState(state)));
    expect(inPage['auto engine']).toBe('wasm');
    for (const [what, seen] of Object.entries(inPage))
      if (/^wasm (?!engine)/.test(what)) expect(seen, what).toBe(inPage[what.replace('wasm', 'reference')]);
  });

  it.skipIf(!present)('sweeps over Web Workers to the rows of Node', async () => {
    const over = { noiseMultiplier: [0.9, 1.1, 3], samplingRate: [0.1, 1], steps: [1, 7] };
    const grid = { over, adjacency: 'add-remove', epsilon: [1], maxGridLength: 2 ** 14, tolerance: 1e-3 };
    const { answered, left } = (await inBrowser(`
      const { parseSweepGrid, sweep, webWorkerPool } = await import('/dist/sweep.js');
      const createWorker = () => new Worker('/dist/sweep-web-worker.js', { type: 'module' });
      const pool = webWorkerPool({ createWorker, workers: 3 });
      const answered = [];
      for await (const rows of sweep(pool, parseSweepGrid(${JSON.stringify(grid)}))) answered.push(...rows);
      await pool.close();
      const left = await pool.run({}, []).catch((error) => error.message);
      return { answered, left };`)) as { answered: unknown[]; left: string };
    const { loadEngineSync } = await built('sync');
    const { inlinePool, parseSweepGrid, sweep } = await built('sweep');
    const rows: unknown[] = [];
    for await (const some of sweep(inlinePool(loadEngineSync()), parseSweepGrid(grid))) rows.push(...some);
    expect(rows).toHaveLength(12);
    expect(answered).toEqual(rows);
    expect(left).toBe('the pool is closed');
  });
});

/** What the body of an async function, given as text, returns in a page of this project. */
async function inBrowser(body: string): Promise<unknown> {
  const browser = await launch();
  const { url, server } = await serveProject();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(url);
    // As text: the test runner rewrites import() in functions.
    const result = await page.evaluate(`(async () => {${body}})()`);
    expect(errors).toEqual([]);
    return result;
  } finally {
    await browser.close();
    server.close();
  }
}

it.each(['index', 'compare', 'convert', 'lint', 'plot', 'read', 'report', 'sweep', 'sweep-web-worker'])(
  'has a bundle %s that reaches no Node module',
  (entry) => {
    const seen = new Set<string>();
    const visit = (url: URL) => {
      if (seen.has(url.href)) return;
      seen.add(url.href);
      const text = readFileSync(url, 'utf8');
      expect(text).not.toMatch(/\bfrom ?['"]node:|\bimport\(? ?['"]node:|\brequire\(/);
      for (const [, path] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g))
        visit(new URL(path!, url));
    };
    visit(new URL(`../../dist/${entry}.js`, import.meta.url));
    expect(seen.size).toBeGreaterThan(0);
  },
);
