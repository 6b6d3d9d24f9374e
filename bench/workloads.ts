import type { Kernel } from '../src/kernel/kernel.js';
import type { RunQuestions, SampledRun } from '../src/kernel/questions.js';

/** A common run of DP-SGD. */
const RUN: SampledRun = { phases: [{ mu: 1, rate: 0.01, count: 1000 }], square: 0 };

/** log δ of that run for removing a record, by a contour that is laid anew. */
export function sideDelta({ questions }: Kernel): Float64Array {
  const { lower, upper } = questions!.sideDelta(RUN, 0, 1, 1e-6, -Infinity, Infinity);
  return Float64Array.of(lower, upper);
}

/**
 * One seeded call of every Kernel method, for the bench and for the comparison of Node with a
 * browser. Each works on its own copy of inputs made once from the seed.
 */
export interface Workload {
  readonly name: keyof Kernel | keyof RunQuestions;
  /** Numbers the method works on. */
  readonly size: number;
  /**
   * How far two engines may differ: 0 is bit for bit; else the largest difference over the largest
   * magnitude of the result.
   */
  readonly allowed: number;
  readonly call: (kernel: Kernel) => Float64Array;
}

export const SEED = 20260801;

/** Uniform doubles in [0, 1) from a 32-bit state (mulberry32), the same everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param size a power of two, at least 16 */
export function workloads(size: number, seed: number = SEED): Workload[] {
  const random = seeded(seed);
  const between = (low: number, high: number, n = size) =>
    Float64Array.from({ length: n }, () => low + (high - low) * random());
  const out = new Float64Array(size);

  const element = (name: keyof Kernel, call: (kernel: Kernel) => Float64Array): Workload => ({
    name,
    size,
    allowed: 0,
    call,
  });
  const unary = (name: UnaryName, x: Float64Array) => element(name, (kernel) => kernel[name](x, out));

  const epsilon = between(0, 20);
  const mu = between(0.01, 5);
  const logDelta = between(-200, -1);
  const edges = between(-12, 12, size + 1).sort();
  const pmf = between(0, 1);
  const total = pmf.reduce((sum, x) => sum + x, 0);
  for (let i = 0; i < size; i++) pmf[i] = pmf[i]! / total;
  const signal = between(-1, 1);
  const short = between(0, 1, size / 4);
  const spectrum = between(-1, 1, size + 2);
  spectrum[1] = 0;
  spectrum[size + 1] = 0;
  const packed = new Float64Array(size + 2);
  const step = 1 / 1024;
  const both = new Float64Array(2 * size);
  const sums = { delta: both.subarray(0, size), tail: both.subarray(size) };

  return [
    unary('exp', between(-700, 700)),
    unary('log', between(1e-300, 1e3)),
    unary('expm1', between(-2, 2)),
    unary('log1p', between(-0.9, 2)),
    unary('sinPi', between(-64, 64)),
    unary('cosPi', between(-64, 64)),
    unary('erfc', between(-3, 27)),
    unary('erfcx', between(-5, 50)),
    unary('logErfc', between(-3, 1000)),
    unary('inverfc', between(0, 2)),
    unary('normalCdf', between(-38, 8)),
    unary('logNormalCdf', between(-1000, 8)),
    unary('normalQuantile', between(0, 1)),
    unary('normalQuantileUpper', between(0, 1)),
    unary('normalQuantileLog', between(-1000, -1e-3)),
    element('normalIntervals', (kernel) => kernel.normalIntervals(edges, out)),
    element('deltaGdp', (kernel) => kernel.deltaGdp(mu, epsilon, out)),
    element('logDeltaGdp', (kernel) => kernel.logDeltaGdp(mu, epsilon, out)),
    element('oneMinusDeltaGdp', (kernel) => kernel.oneMinusDeltaGdp(mu, epsilon, out)),
    element('muGdpLog', (kernel) => kernel.muGdpLog(epsilon, logDelta, out)),
    element('tilt', (kernel) => kernel.tilt(pmf, -size / 2, step, 0.75, -3, out)),
    { name: 'sideDelta', size: 1, allowed: 0, call: sideDelta },
    { name: 'realFft', size, allowed: 1e-13, call: (kernel) => kernel.realFft(signal, packed) },
    { name: 'inverseRealFft', size, allowed: 1e-13, call: (kernel) => kernel.inverseRealFft(spectrum, out) },
    { name: 'convolve', size, allowed: 1e-13, call: (kernel) => kernel.convolve(signal, short) },
    {
      name: 'composeCyclic',
      size,
      allowed: 1e-10,
      call: (kernel) => kernel.composeCyclic([{ pmf, count: 2000 }]).composed,
    },
    {
      name: 'logMgf',
      size,
      allowed: 1e-12,
      call: (kernel) => Float64Array.of(kernel.logMgf(pmf, -size / 2, step, 0.75)),
    },
    {
      name: 'suffixScan',
      size,
      allowed: 1e-12,
      call: (kernel) => {
        kernel.suffixScan(pmf, 0.75, step, sums);
        return both;
      },
    },
  ];
}

type UnaryName = {
  [K in keyof Kernel]: Kernel[K] extends (x: Float64Array, out?: Float64Array) => Float64Array
    ? Kernel extends Record<K, (x: Float64Array) => Float64Array>
      ? K
      : never
    : never;
}[keyof Kernel];

/** Largest difference of two results over the largest magnitude; 0 only if they are the same bits. */
export function difference(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) return Infinity;
  let difference = 0;
  let magnitude = 0;
  for (let i = 0; i < a.length; i++) {
    if (Object.is(a[i], b[i])) continue;
    const gap = Math.abs(a[i]! - b[i]!);
    difference = Number.isFinite(gap) ? Math.max(difference, gap, Number.MIN_VALUE) : Infinity;
  }
  for (const x of a) magnitude = Math.max(magnitude, Math.abs(x));
  return difference === 0 ? 0 : Math.max(difference / magnitude, Number.MIN_VALUE);
}
