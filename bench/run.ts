// npm run bench: the WebAssembly engine against the reference engine, every kernel method and the whole
// job. Results are compared before anything is timed; a disagreement ends the run.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import FFT from 'fft.js';
import { Bench } from 'tinybench';
import { intersects } from '../src/bracket.js';
import { account, type Engine, loadEngine, parseOpacusState, report, VERSION } from '../src/index.js';
import { difference, SEED, seeded, type Workload, workloads } from './workloads.js';

const SIZE = 2 ** 16;
const MILLISECONDS = Number(process.env['GDP_BENCH_MS'] ?? 300);
const RUNS = ['cifar10-wrn40', 'finetune-two-phase'] as const;

interface Row {
  readonly name: string;
  readonly size: number | null;
  /** Median milliseconds of one call. */
  readonly milliseconds: Readonly<Record<string, number>>;
  /** Reference over WebAssembly: how many times faster the kernel is. */
  readonly ratio: number;
}

async function main(): Promise<void> {
  const wasm = await loadEngine({ kernel: 'wasm' });
  const reference = await loadEngine({ kernel: 'reference' });
  const rows: Row[] = [];
  for (const workload of workloads(SIZE)) rows.push(await benchKernel(workload, wasm, reference));
  rows.push(await benchFftJs(wasm, reference));
  for (const run of RUNS) rows.push(await benchReport(run, wasm, reference));
  for (const method of ['spectral', 'grid'] as const) rows.push(await benchMethod(method, wasm, reference));

  for (const line of table(rows)) process.stdout.write(`${line}\n`);
  const target = new URL('../bench/results.json', import.meta.url);
  writeFileSync(target, `${JSON.stringify({ ...provenance(), rows }, null, 2)}\n`);
  process.stdout.write('\nwritten to bench/results.json\n');
}

async function benchKernel(workload: Workload, wasm: Engine, reference: Engine): Promise<Row> {
  // Results may share `out`: keep a copy of the first.
  const first = workload.call(wasm.kernel).slice();
  const gap = difference(first, workload.call(reference.kernel));
  if (!(gap <= workload.allowed)) throw new Error(`${workload.name}: the engines differ by ${gap}`);
  const times = await time({
    wasm: () => workload.call(wasm.kernel),
    reference: () => workload.call(reference.kernel),
  });
  return row(workload.name, workload.size, times);
}

async function benchFftJs(wasm: Engine, reference: Engine): Promise<Row> {
  const random = seeded(SEED);
  const signal = Float64Array.from({ length: SIZE }, () => random() - 0.5);
  const theirs = new FFT(SIZE);
  const out = theirs.createComplexArray();
  theirs.realTransform(out, signal);
  const gap = difference(wasm.kernel.realFft(signal), Float64Array.from(out.slice(0, SIZE + 2)));
  if (!(gap <= 1e-12)) throw new Error(`fft.js differs by ${gap}`);
  const times = await time({
    wasm: () => wasm.kernel.realFft(signal),
    reference: () => reference.kernel.realFft(signal),
    'fft.js': () => theirs.realTransform(out, signal),
  });
  return row('realFft, beside fft.js', SIZE, times);
}

async function benchReport(name: string, wasm: Engine, reference: Engine): Promise<Row> {
  const mechanism = parseOpacusState(
    readFileSync(new URL(`../examples/${name}.json`, import.meta.url), 'utf8'),
  );
  const job = (engine: Engine) => report(account(engine, mechanism, { adjacency: 'add-remove' }));
  const [ours, theirs] = [job(wasm), job(reference)];
  const agree =
    intersects(ours.mu, theirs.mu) &&
    ours.epsilonAtDelta.every(({ epsilon }, i) => intersects(epsilon, theirs.epsilonAtDelta[i]!.epsilon));
  if (!agree) throw new Error(`${name}: the engines' reports disagree`);
  const times = await time({ wasm: () => job(wasm), reference: () => job(reference) });
  return row(`report ${name}`, null, times);
}

/** One method from nothing to ε(1e-5) of the first run, certified to a relative 1e-6. */
async function benchMethod(method: 'spectral' | 'grid', wasm: Engine, reference: Engine): Promise<Row> {
  const tolerance = 1e-6;
  const mechanism = parseOpacusState(
    readFileSync(new URL(`../examples/${RUNS[0]}.json`, import.meta.url), 'utf8'),
  );
  const job = (engine: Engine) =>
    account(engine, mechanism, { adjacency: 'add-remove', method, tolerance }).epsilon(1e-5);
  const [ours, theirs] = [job(wasm), job(reference)];
  for (const { lower, upper } of [ours, theirs]) {
    if (!(upper - lower <= tolerance * upper))
      throw new Error(`${method}: ε is not certified to ${tolerance}`);
  }
  if (!intersects(ours, theirs)) throw new Error(`${method}: the engines disagree`);
  return row(
    `epsilon to 1e-6, ${method}`,
    null,
    await time({ wasm: () => job(wasm), reference: () => job(reference) }),
  );
}

/** Median milliseconds of each function. */
async function time(functions: Readonly<Record<string, () => unknown>>): Promise<Record<string, number>> {
  const bench = new Bench({
    time: MILLISECONDS,
    iterations: 3,
    warmupTime: 50,
    warmupIterations: 1,
    throws: true,
  });
  for (const [name, call] of Object.entries(functions)) bench.add(name, () => void call());
  await bench.run();
  return Object.fromEntries(
    bench.tasks.map(({ name, result }) => {
      if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`);
      return [name, result.latency.p50];
    }),
  );
}

function row(name: string, size: number | null, milliseconds: Record<string, number>): Row {
  return { name, size, milliseconds, ratio: milliseconds['reference']! / milliseconds['wasm']! };
}

function table(rows: readonly Row[]): string[] {
  const cells = (...columns: string[]) =>
    columns.map((text, i) => (i === 0 ? text.padEnd(32) : text.padStart(12))).join('');
  const ms = (x: number | undefined) => (x === undefined ? '' : x.toPrecision(4));
  return [
    cells('median ms', 'numbers', 'wasm', 'reference', 'ratio', 'fft.js'),
    ...rows.map(({ name, size, milliseconds: { wasm, reference, 'fft.js': other }, ratio }) =>
      cells(name, size === null ? '' : String(size), ms(wasm), ms(reference), ratio.toFixed(2), ms(other)),
    ),
  ];
}

function provenance(): object {
  const { arch, platform, versions } = process;
  const cores = cpus();
  return {
    seed: SEED,
    milliseconds: MILLISECONDS,
    version: VERSION,
    machine: { cpu: cores[0]?.model ?? 'unknown', cores: cores.length, arch, platform },
    versions: { node: versions.node, v8: versions.v8 },
  };
}

await main();
