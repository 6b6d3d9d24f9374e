// Time and width of epsilon over random balls-and-bins settings: t 1 … 10⁶, σ .05 … 100, E 1 … 10⁵, all log-uniform, δ 1e-12 … 1e-3.
// node scripts/bench-allocation.mjs [settings, 200]
import { account, ballsAndBins, type Engine, repeat } from '../src/index.js';
import { seeded } from './workloads.js';

/** A run is new each time; the least time of this many, unless one is as long as `LONG_MS`. */
const REPEATS = 3;
const LONG_MS = 1000;

interface Setting {
  readonly noiseMultiplier: number;
  readonly bins: number;
  readonly epochs: number;
  readonly delta: number;
}

function settings(count: number): Setting[] {
  const random = seeded(1);
  const between = (from: number, to: number): number => from * (to / from) ** random();
  return Array.from({ length: count }, () => {
    const bins = Math.round(between(1, 1e6));
    const noiseMultiplier = between(0.05, 100);
    const epochs = Math.round(between(1, 1e5));
    return { noiseMultiplier, bins, epochs, delta: 10 ** (-3 - 9 * random()) };
  });
}

function quantiles(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.5, 0.9, 1]
    .map((p) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]?.toPrecision(3) ?? '-')
    .join(' | ');
}

/** A table of milliseconds: all settings, and those whose epsilon is good to 1e-6. */
export function allocationTable(engine: Engine, count: number): string {
  const measured = settings(count).map(({ noiseMultiplier, bins, epochs, delta }) => {
    const mechanism = repeat(ballsAndBins({ noiseMultiplier, bins }), epochs);
    let [ms, width] = [Infinity, 0];
    for (let i = 0; i < REPEATS && !(i > 0 && ms > LONG_MS); i++) {
      const before = performance.now();
      const { lower, upper } = account(engine, mechanism, { adjacency: 'add-remove' }).epsilon(delta);
      ms = Math.min(ms, performance.now() - before);
      width = upper > 0 ? (upper - lower) / upper : 0;
    }
    return { ms, width };
  });
  const sharp = measured.filter(({ width }) => width <= 1e-6);
  const row = (name: string, of: readonly { ms: number }[]): string =>
    `| ${name} | ${of.length} | ${quantiles(of.map(({ ms }) => ms))} |`;
  return ['| epsilon | settings | p50 ms | p90 ms | max ms |', '|---|---|---|---|---|']
    .concat(row('all', measured), row('good to 1e-6', sharp))
    .join('\n');
}
