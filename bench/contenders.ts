import FFT from 'fft.js';
import type { Kernel } from '../src/kernel.js';
import { normalCdf } from '../src/scalar.js';
import { difference, SEED, seeded } from './workloads.js';

/** A kernel method beside what a JavaScript programmer would write or install instead. */
export interface Contest {
  readonly name: string;
  readonly size: number;
  /** What it is compared with, and how many times faster it is to be. */
  readonly rival: string;
  readonly goal: number;
  readonly ours: (kernel: Kernel) => unknown;
  readonly theirs: () => unknown;
}

/** Elements of the element-wise contests. */
const COUNT = 100_000;

/** @throws Error if a rival's result is another. */
export function contests(kernel: Kernel): Contest[] {
  const random = seeded(SEED);
  const between = (low: number, high: number, n = COUNT) =>
    Float64Array.from({ length: n }, () => low + (high - low) * random());
  const out = new Float64Array(COUNT);
  const small = between(-30, 30);
  const positive = between(1e-3, 1e3);
  const epsilon = between(0, 8);
  const loop = (x: Float64Array, f: (x: number) => number) => {
    const result = new Float64Array(x.length);
    for (let i = 0; i < x.length; i++) result[i] = f(x[i]!);
    return result;
  };
  agree('exp', kernel.exp(small), loop(small, Math.exp), 1e-15);
  agree('deltaGdp', kernel.deltaGdp(1, epsilon), loop(epsilon, naiveDelta), 1e-12);
  return [
    {
      name: 'exp',
      size: COUNT,
      rival: 'Math.exp in a loop',
      goal: 4,
      ours: (k) => k.exp(small, out),
      theirs: () => loop(small, Math.exp),
    },
    {
      name: 'log',
      size: COUNT,
      rival: 'Math.log in a loop',
      goal: 4,
      ours: (k) => k.log(positive, out),
      theirs: () => loop(positive, Math.log),
    },
    {
      name: 'deltaGdp, mu = 1',
      size: COUNT,
      rival: 'Phi(a) - e^eps Phi(b) in JavaScript',
      goal: 5,
      ours: (k) => k.deltaGdp(1, epsilon, out),
      theirs: () => loop(epsilon, naiveDelta),
    },
    ...[2 ** 12, 2 ** 16, 2 ** 20].flatMap((n) => fftContests(kernel, n, between(0, 1, n))),
  ];
}

/** δ₁(ε) as textbooks write it; it cancels for small μ and overflows for large ε. */
function naiveDelta(epsilon: number): number {
  return normalCdf(0.5 - epsilon) - Math.exp(epsilon) * normalCdf(-0.5 - epsilon);
}

function fftContests(kernel: Kernel, n: number, signal: Float64Array): Contest[] {
  const total = signal.reduce((sum, x) => sum + x, 0);
  const pmf = signal.map((x) => x / total);
  const fft = new FFT(n);
  const spectrum = fft.createComplexArray();
  const back = fft.createComplexArray();
  const roundTrip = () => {
    fft.realTransform(spectrum, pmf);
    fft.completeSpectrum(spectrum);
    fft.inverseTransform(back, spectrum);
    return Float64Array.from({ length: n }, (_, i) => back[2 * i]!);
  };
  const compose = (count: number) => {
    fft.realTransform(spectrum, pmf);
    for (let k = 0; k <= n; k += 2) {
      const [re, im] = [spectrum[k]!, spectrum[k + 1]!];
      const size = Math.hypot(re, im) ** count;
      const angle = Math.atan2(im, re) * count;
      spectrum[k] = size * Math.cos(angle);
      spectrum[k + 1] = size * Math.sin(angle);
    }
    fft.completeSpectrum(spectrum);
    fft.inverseTransform(back, spectrum);
    return Float64Array.from({ length: n }, (_, i) => back[2 * i]!);
  };
  agree('round trip', kernel.inverseRealFft(kernel.realFft(pmf)), roundTrip(), 1e-12);
  agree('composition', kernel.composeCyclic([{ pmf, count: 2000 }]).composed, compose(2000), 1e-8);
  return [
    {
      name: `real FFT round trip, 2^${Math.round(Math.log2(n))}`,
      size: n,
      rival: 'fft.js',
      goal: 4.5,
      ours: (k) => k.inverseRealFft(k.realFft(pmf)),
      theirs: roundTrip,
    },
    {
      name: `2000-fold composition, 2^${Math.round(Math.log2(n))}`,
      size: n,
      rival: 'fft.js, powers in polar form',
      goal: 5,
      ours: (k) => k.composeCyclic([{ pmf, count: 2000 }]),
      theirs: () => compose(2000),
    },
  ];
}

function agree(what: string, ours: Float64Array, theirs: Float64Array, allowed: number): void {
  const gap = difference(ours, theirs);
  if (!(gap <= allowed)) throw new Error(`${what}: the rival differs by ${gap}`);
}
