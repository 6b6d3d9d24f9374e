// npm run bench: every kernel method against the reference engine, some against what else there is, whole jobs,
// and how costs grow. Results are compared before anything is timed; a disagreement ends the run.
// Its options stand in scripts/bench.mjs.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { type Engine, loadEngine, VERSION } from '../src/index.js';
import { comparison } from './compare.js';
import { type Contest, contestsOf } from './contests.js';
import { costs, tellMemory } from './costs.js';
import { JOBS, requireAgreement } from './jobs.js';
import { writePage } from './page.js';
import { population } from './population.js';
import { type Results, type Row, readResults, rivalTable, shareTable, tables } from './results.js';
import { shares } from './shares.js';
import { firstAnswers, startUp } from './start-up.js';
import { once, timings } from './timing.js';
import { difference, SEED, workloads } from './workloads.js';

const SIZE = 2 ** 16;
const MILLISECONDS = Number(process.env['GDP_BENCH_MS'] ?? 300);
/** Times a whole job is done by each engine, in turns; a long one is not repeated. */
const JOB_ROUNDS = 3;
const LONG_MS = 3000;

async function main(): Promise<void> {
  const older = argumentAfter('--compare');
  const old = older === undefined ? undefined : readResults(older);
  const wasm = await loadEngine({ kernel: 'wasm' });
  const reference = await loadEngine({ kernel: 'reference' });
  const say = (what: string) =>
    void process.stderr.write(`${(performance.now() / 1000).toFixed(0)} s: ${what} …\n`);
  const root = new URL('../../..', import.meta.url);
  say('start-up');
  const start = startUp(root);
  const answers = await firstAnswers(wasm);
  say('kernel methods');
  const kernels = await kernelRows(wasm, reference);
  say('contests');
  const { rivals, absent } = await rivalRows(wasm);
  say('whole jobs');
  const jobs = JOBS.map(({ name, run }) => jobRow(name, run, wasm, reference));
  say('shares of the kernel');
  const inside = shares(wasm);
  say('costs');
  const growth = await costs(wasm, root);
  const results: Results = {
    ...provenance(),
    startUp: start,
    firstAnswers: answers,
    kernels,
    rivals,
    absent,
    jobs,
    shares: inside,
    costs: growth,
  };

  process.stdout.write(tables(results));
  const target = new URL('bench/results.json', root);
  writeFileSync(target, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write('\nwritten to bench/results.json\n');
  if (process.argv.includes('--page')) await writePage(results, new URL('docs/', root));
  if (old !== undefined) process.stdout.write(comparison(old, results));
}

async function kernelRows(wasm: Engine, reference: Engine): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, size, allowed, call } of workloads(SIZE)) {
    // Results may share `out`: keep a copy of the first.
    const first = call(wasm.kernel).slice();
    const gap = difference(first, call(reference.kernel));
    if (!(gap <= allowed)) throw new Error(`${name}: the engines differ by ${gap}`);
    const functions = { wasm: () => call(wasm.kernel), reference: () => call(reference.kernel) };
    rows.push(rowOf(name, size, await timings(functions, MILLISECONDS)));
  }
  return rows;
}

async function rivalRows(wasm: Engine): Promise<Pick<Results, 'rivals' | 'absent'>> {
  const { contests, absent } = contestsOf(wasm.kernel);
  const rivals: Row[] = [];
  for (const contest of contests) rivals.push(await rivalRow(contest, wasm));
  return { rivals, absent };
}

async function rivalRow(
  { name, size, rival, goal, ours, theirs }: Contest,
  { kernel }: Engine,
): Promise<Row> {
  const own = { wasm: () => ours(kernel) };
  let times: Row['times'];
  if (typeof theirs === 'function') times = await timings({ ...own, rival: theirs }, MILLISECONDS);
  else times = { ...(await timings(own, MILLISECONDS)), rival: theirs.measure(MILLISECONDS) };
  const ratio = times['rival']!.least / times['wasm']!.least;
  return { name, size, rival, ...(goal !== undefined && { goal }), times, ratio };
}

function jobRow(name: string, run: (typeof JOBS)[number]['run'], wasm: Engine, reference: Engine): Row {
  const least = { wasm: Infinity, reference: Infinity };
  for (let round = 0; round < JOB_ROUNDS && (round === 0 || least.wasm < LONG_MS); round++) {
    const ours = once(() => run(wasm));
    const theirs = once(() => run(reference));
    requireAgreement(name, ours.result, theirs.result);
    least.wasm = Math.min(least.wasm, ours.milliseconds);
    least.reference = Math.min(least.reference, theirs.milliseconds);
  }
  const timing = (x: number) => ({ least: x, median: x });
  return rowOf(name, null, { wasm: timing(least.wasm), reference: timing(least.reference) });
}

function rowOf(name: string, size: number | null, times: Row['times']): Row {
  return { name, size, times, ratio: times['reference']!.least / times['wasm']!.least };
}

function provenance(): Pick<Results, 'seed' | 'milliseconds' | 'version' | 'machine' | 'versions'> {
  const { arch, platform, versions } = process;
  const cores = cpus();
  return {
    seed: SEED,
    milliseconds: MILLISECONDS,
    version: VERSION,
    machine: {
      cpu: cores[0]?.model ?? 'unknown',
      cores: cores.length,
      arch,
      platform,
      load: loadavg()[1] ?? 0,
    },
    versions: { node: versions.node, v8: versions.v8 },
  };
}

/** What follows an option. */
function argumentAfter(option: string): string | undefined {
  const at = process.argv.indexOf(option);
  return at < 0 ? undefined : (process.argv[at + 1] ?? '');
}

const memory = argumentAfter('--memory');
const stored = argumentAfter('--page-of');
if (process.argv.includes('--population')) {
  await population(
    await loadEngine({ kernel: 'wasm' }),
    await loadEngine({ kernel: 'reference' }),
    argumentAfter,
  );
} else if (process.argv.includes('--rivals')) {
  process.stdout.write(rivalTable(await rivalRows(await loadEngine({ kernel: 'wasm' }))));
} else if (process.argv.includes('--shares')) {
  process.stdout.write(shareTable(shares(await loadEngine({ kernel: 'wasm' }))));
} else if (memory !== undefined) await tellMemory(Number(memory));
else if (stored !== undefined) {
  await writePage(readResults(stored), new URL('../../../docs/', import.meta.url));
} else await main();
