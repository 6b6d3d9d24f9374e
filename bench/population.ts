// npm run bench -- --population: what users feel, over random runs in place of kind examples: the percentiles of ε, μ and a report of
// runs drawn by a seed, with the share of the time that is spent inside the kernel. The two engines' answers must be the same bits.
//   --count N          runs of each class (default 300)
//   --compare old.json fails where a percentile came back by more than a third
//   --page             also writes docs/latency.md
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import {
  account,
  calibrate,
  compose,
  dpSgd,
  type Engine,
  measure,
  StreamingAccountant,
  VERSION,
} from '../src/index.js';
import type { Measurement } from '../src/measure/measurement.js';
import type { Bracket } from '../src/numeric/bracket.js';
import { report } from '../src/report/index.js';
import { noiseUnknown } from './unknowns.js';
import { SEED, seeded } from './workloads.js';

interface Setting {
  readonly noiseMultiplier: number;
  readonly samplingRate: number;
  readonly steps: number;
}

/** Steps of the classes: runs as they are, the few steps that rare large losses rule, and schedules, of so many phases all the same. */
const CLASSES = { real: [100, 1e5], few: [1, 100], schedules: [1, 1] } as const;
type Class = keyof typeof CLASSES;

const JOBS = {
  epsilon: (engine: Engine, setting: Setting, tolerance: number): Bracket[] => [
    runOf(engine, setting, tolerance).epsilon(1e-5),
  ],
  mu: (engine: Engine, setting: Setting, tolerance: number): Bracket[] =>
    muIn(measure(runOf(engine, setting, tolerance), { alphaMin: 1e-10 })),
  report: (engine: Engine, setting: Setting, tolerance: number): Bracket[] => {
    const { epsilonAtDelta, ...found } = report(runOf(engine, setting, tolerance));
    return [...muIn(found), ...epsilonAtDelta.map(({ epsilon }) => epsilon)];
  },
  calibrate: (engine: Engine, { samplingRate, steps }: Setting, tolerance: number): Bracket[] => {
    const unknown = noiseUnknown({ samplingRate, steps });
    const options = { adjacency: 'add-remove', tolerance } as const;
    const found = calibrate(engine, unknown, { epsilon: 2, delta: 1e-5 }, options);
    return found.reached ? Object.values(found.achieved) : [];
  },
  '300 phases': (engine: Engine, setting: Setting, tolerance: number): Bracket[] => [
    phasesOf(engine, setting, tolerance, 300),
  ],
  '10000 phases': (engine: Engine, setting: Setting, tolerance: number): Bracket[] => [
    phasesOf(engine, setting, tolerance, 10_000),
  ],
  stream: (engine: Engine, { noiseMultiplier, samplingRate }: Setting): Bracket[] => {
    const stream = StreamingAccountant.start(engine, { adjacency: 'add-remove' });
    for (let i = 0; i < UNLIKE; i++)
      stream.add(dpSgd({ noiseMultiplier: noiseMultiplier * (1 + i / UNLIKE), samplingRate, steps: 100 }));
    return [stream.epsilon(1e-5)];
  },
} as const;
type Job = keyof typeof JOBS;

/** μ, where its window holds any α: of a run so loud that f is below the smallest rate at every one nothing is asked, and only bounds are told. */
function muIn({ mu, epsilonHead }: Pick<Measurement, 'mu' | 'epsilonHead'>): Bracket[] {
  return epsilonHead > 0 ? [mu] : [];
}

/** Steps of a stream that are all different. */
const UNLIKE = 8;

/** The rows: a full report once, at the precision asked by default. */
const SINGLE: readonly [Job, number][] = [
  ['epsilon', 1e-2],
  ['epsilon', 1e-3],
  ['epsilon', 1e-6],
  ['mu', 1e-3],
  ['mu', 1e-6],
  ['report', 1e-6],
];
const ASKED: Readonly<Record<Class, readonly [Job, number][]>> = {
  real: [...SINGLE, ['calibrate', 1e-6]],
  few: SINGLE,
  schedules: [
    ['300 phases', 1e-6],
    ['10000 phases', 1e-6],
    ['stream', 1e-6],
  ],
};
/** A schedule is drawn for every one of so many runs: each takes long. */
const SCHEDULES = 6;
const PERCENTILES = [0.5, 0.9, 0.99, 1] as const;
/** A percentile worse by more than this has come back. */
const TOLERATED = 4 / 3;

interface Row {
  readonly class: Class;
  readonly job: Job;
  readonly tolerance: number;
  /** CPU milliseconds of a fresh account and its answer with WebAssembly: p50, p90, p99, largest. */
  readonly wasm: readonly number[];
  /** How many times as long the reference engine takes: median over the runs, and of all of them together. */
  readonly reference: { readonly median: number; readonly together: number };
  /** Share of the time of all runs that is spent inside the kernel. */
  readonly inside: number;
  /** Largest relative width of an answer. */
  readonly widest: number;
}

interface Population {
  readonly seed: number;
  readonly count: number;
  readonly version: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly load: number };
  readonly node: string;
  readonly rows: readonly Row[];
}

/** Runs the population; `argumentAfter` gives what follows an option. */
export async function population(
  wasm: Engine,
  reference: Engine,
  argumentAfter: (option: string) => string | undefined,
): Promise<void> {
  const count = Number(argumentAfter('--count') ?? 300);
  if (!(Number.isInteger(count) && count > 0))
    throw new RangeError(`--count must be a whole number; got ${count}`);
  const compared = argumentAfter('--compare');
  const old = compared === undefined ? undefined : (JSON.parse(readFileSync(compared, 'utf8')) as Population);
  const rows: Row[] = [];
  for (const kind of ['real', 'few', 'schedules'] as const) {
    const settings = drawn(kind, kind === 'schedules' ? Math.ceil(count / SCHEDULES) : count);
    for (const [job, tolerance] of ASKED[kind]) {
      process.stderr.write(
        `${(performance.now() / 1000).toFixed(0)} s: ${job} of ${kind} runs, ${tolerance} …\n`,
      );
      const row = rowOf(kind, job, tolerance, settings, { wasm, reference });
      process.stdout.write(`${lineOf(row)}\n`);
      rows.push(row);
    }
  }
  const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, load: loadavg()[1] ?? 0 };
  const found: Population = {
    seed: SEED,
    count,
    version: VERSION,
    machine,
    node: process.versions.node,
    rows,
  };
  const root = new URL('../../..', import.meta.url);
  writeFileSync(new URL('bench/population.json', root), `${JSON.stringify(found, null, 2)}\n`);
  if (process.argv.includes('--page')) writeFileSync(new URL('docs/latency.md', root), pageOf(found));
  if (old !== undefined) compare(old, found);
}

function drawn(kind: Class, count: number): Setting[] {
  const random = seeded(SEED);
  const [least, most] = CLASSES[kind];
  const between = (low: number, high: number): number => low * (high / low) ** random();
  return Array.from({ length: count }, () => ({
    noiseMultiplier: Number(between(0.4, 10).toPrecision(3)),
    samplingRate: Number(between(1e-4, 0.2).toPrecision(3)),
    steps: Math.max(1, Math.round(between(least, most))),
  }));
}

function runOf(engine: Engine, setting: Setting, tolerance: number): ReturnType<typeof account> {
  return account(engine, dpSgd(setting), { adjacency: 'add-remove', tolerance });
}

/** ε(1e-5) of a schedule, a step each: noise up from half of a setting's, the rate from a tenth, both to what the setting says. */
function phasesOf(engine: Engine, setting: Setting, tolerance: number, count: number): Bracket {
  const phases = Array.from({ length: count }, (_, i) =>
    dpSgd({
      noiseMultiplier: setting.noiseMultiplier * (0.5 + (0.5 * i) / count),
      samplingRate: setting.samplingRate * (0.1 + (0.9 * i) / count),
      steps: 1,
    }),
  );
  return account(engine, compose(phases), { adjacency: 'add-remove', tolerance }).epsilon(1e-5);
}

function rowOf(
  kind: Class,
  job: Job,
  tolerance: number,
  settings: readonly Setting[],
  { wasm, reference }: { wasm: Engine; reference: Engine },
): Row {
  const ours: number[] = [];
  const theirs: number[] = [];
  let [inside, all, widest] = [0, 0, 0];
  for (const setting of settings) {
    const a = timed(() => JOBS[job](wasm, setting, tolerance));
    const b = timed(() => JOBS[job](reference, setting, tolerance));
    for (const [i, { lower, upper }] of a.result.entries()) {
      const other = b.result[i];
      if (!(lower === other?.lower && upper === other.upper))
        throw new Error(`${JSON.stringify(setting)}: the engines differ in ${job}`);
      if (upper < Infinity && upper > 0) widest = Math.max(widest, (upper - lower) / upper);
    }
    ours.push(a.milliseconds);
    theirs.push(b.milliseconds);
    const watch = watched(wasm);
    all += timed(() => JOBS[job](watch.engine, setting, tolerance)).milliseconds;
    inside += watch.spent();
  }
  const ratios = theirs.map((x, i) => x / (ours[i] ?? 1));
  const sum = (values: readonly number[]): number => values.reduce((x, y) => x + y, 0);
  return {
    class: kind,
    job,
    tolerance,
    wasm: PERCENTILES.map((share) => percentile(ours, share)),
    reference: { median: percentile(ratios, 0.5), together: sum(theirs) / sum(ours) },
    inside: inside / all,
    widest,
  };
}

function timed<T>(job: () => T): { milliseconds: number; result: T } {
  const before = process.cpuUsage();
  const result = job();
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1e3, result };
}

/** The engine with a clock on its kernel; calls that a method makes of others count once. */
function watched({ kernel }: Engine): { engine: Engine; spent: () => number } {
  let [depth, spent] = [0, 0];
  const clocked = Object.fromEntries(
    Object.entries(kernel).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value];
      const call = (...args: unknown[]): unknown => {
        if (depth > 0) return Reflect.apply(value, kernel, args);
        depth++;
        const start = performance.now();
        try {
          return Reflect.apply(value, kernel, args);
        } finally {
          spent += performance.now() - start;
          depth--;
        }
      };
      return [name, call];
    }),
  );
  return { engine: { kernel: clocked as unknown as Engine['kernel'] }, spent: () => spent };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function cellsOf({ class: kind, job, tolerance, wasm, reference, inside, widest }: Row): string[] {
  return [
    kind,
    job,
    tolerance.toExponential(),
    ...wasm.map((x) => x.toPrecision(3)),
    reference.median.toFixed(2),
    reference.together.toFixed(2),
    `${(100 * inside).toFixed(0)} %`,
    widest.toExponential(1),
  ];
}

function lineOf(row: Row): string {
  return cellsOf(row)
    .map((cell) => cell.padStart(9))
    .join('');
}

/** Values above a percentile for it to say more than the largest does. */
const ABOVE = 4;

/** A percentile that the sample supports, else a dash. */
function supported(value: number, share: number, count: number): string {
  return share === 1 || count * (1 - share) >= ABOVE ? value.toPrecision(3) : '–';
}

function waitOf({ class: kind, job, tolerance, wasm, reference, widest }: Row, count: number): string[] {
  const runs = kind === 'schedules' ? Math.ceil(count / SCHEDULES) : count;
  return [
    kind,
    job,
    tolerance.toExponential(),
    String(runs),
    ...wasm.map((x, i) => supported(x, PERCENTILES[i] ?? 1, runs)),
    reference.median.toFixed(2),
    widest.toExponential(1),
  ];
}

function pageOf({ seed, count, version, machine, node, rows }: Population): string {
  const columns = ['runs', 'job', 'tolerance', 'sample', 'p50', 'p90', 'p99', 'max', 'reference', 'widest'];
  const waits = rows.map((row) => waitOf(row, count));
  const shown = columns.map((_, i) => waits.some((cells) => cells[i] !== '–'));
  const kept = (cells: readonly string[]): string => `| ${cells.filter((_, i) => shown[i]).join(' | ')} |`;
  return `# How long users wait

\`npm run bench -- --all\` writes this page, from gdp-kernel ${version} and Node ${node}. The machine was an ${machine.cpu} with
${machine.cores} processor threads. During the run, ${machine.load.toFixed(1)} processes wanted them; above ${machine.cores}, the figures are those of a busy machine.

The runs are random, with seed ${seed}. Noise multipliers go from .4 to 10 and rates from 1e-4 to .2. Steps go from 100 to 1e5 (real) or from 1 to 100
(few). Each is spread evenly over its logarithm.

${meaning(rows)} Both may be asked for in a training loop, or while a slider moves.

Times are CPU milliseconds for a new account and its answer, with WebAssembly. Half of the runs take at most p50, nine in ten at most p90. A percentile
that the sample is too small for is a dash. \`reference\` is how many times as long the JavaScript engine takes, the median over the runs. \`widest\` is
the largest relative width of an answer. Both engines give the same bits, or the bench ends with an error.

${[columns, columns.map(() => '---'), ...waits].map(kept).join('\n')}

- epsilon: at δ = 1e-5. mu: for error rates from 1e-10. report: all that \`gdp report\` computes about a run.
- calibrate: the noise multiplier for (2, 1e-5).
- 300 and 10000 phases: ε(1e-5) of a schedule of different steps, with noise and rate rising to those of a run.
- stream: ${UNLIKE} different steps, 100 times each, and one answer.

\`npm run bench -- --population --compare old.json\` fails if a percentile is worse by more than a third than in an older \`bench/population.json\`.
`;
}

/** The usual wait of a real run, in words. */
function meaning(rows: readonly Row[]): string {
  const waits = (job: Job): string => {
    const row = rows.find((each) => each.class === 'real' && each.job === job && each.tolerance === 1e-6);
    return PERCENTILES.slice(0, 2)
      .map((_, i) => `${row?.wasm[i]?.toPrecision(2)} ms`)
      .join(' and nine in ten after ');
  };
  return `Half of the real runs have their ε after ${waits('epsilon')}, half a whole report after ${waits('report')}.`;
}

function compare(old: Population, now: Population): void {
  const worse: string[] = [];
  for (const row of now.rows) {
    const was = old.rows.find(
      (one) => one.class === row.class && one.job === row.job && one.tolerance === row.tolerance,
    );
    for (const [i, share] of PERCENTILES.entries()) {
      const [before, after] = [was?.wasm[i] ?? Infinity, row.wasm[i] ?? Infinity];
      if (after > TOLERATED * before)
        worse.push(
          `${row.job} of ${row.class} runs at ${row.tolerance}, p${100 * share}: ${before} -> ${after} ms`,
        );
    }
  }
  for (const line of worse) process.stdout.write(`! ${line}\n`);
  process.stdout.write(
    worse.length === 0 ? 'no percentile came back\n' : `${worse.length} percentiles came back\n`,
  );
  if (worse.length > 0) process.exitCode = 1;
}
