import erfc from '@stdlib/math-base-special-erfc';
import erfcinv from '@stdlib/math-base-special-erfcinv';
import erfcx from '@stdlib/math-base-special-erfcx';
import quantile from '@stdlib/stats-base-dists-normal-quantile';
import type { Kernel } from '../src/kernel/kernel.js';
import { agree, type Contest } from './contests.js';

const COUNT = 100_000;

/** Every rival has a loop of its own, written out: V8 compiles a loop over a passed function for all of them at once. */
export function functionContests(
  kernel: Kernel,
  between: (low: number, high: number, n: number) => Float64Array,
): Contest[] {
  const out = new Float64Array(COUNT);
  const result = new Float64Array(COUNT);
  const within = (low: number, high: number) => between(low, high, COUNT);
  const exponential = (low: number, high: number) => kernel.exp(within(low, high));
  const small = within(-30, 30);
  const positive = within(1e-3, 1e3);
  const axis = within(0, 10);
  const line = within(-3, 27);
  const shortLine = within(-5, 20);
  const centre = within(0.1, 0.9);
  const unit = within(0, 1);
  const tail = exponential(-35, -3);
  const both = within(0, 2);
  const deep = exponential(-60, -3);
  const epsilon = within(0, 8);

  const contests: (Contest & { readonly theirs: () => Float64Array; readonly allowed?: number })[] = [
    {
      name: 'exp, [-30, 30]',
      size: COUNT,
      rival: 'Math.exp in a loop',
      goal: 4,
      allowed: 1e-15,
      ours: (k) => k.exp(small, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = Math.exp(small[i]!);
        return result;
      },
    },
    {
      // the goal of both is in units of Math.exp, so nothing is there to agree with
      name: 'log, [0.001, 1000]',
      size: COUNT,
      rival: 'Math.exp in a loop, [-30, 30]',
      goal: 4,
      ours: (k) => k.log(positive, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = Math.exp(small[i]!);
        return result;
      },
    },
    {
      name: 'log, [0.001, 1000]',
      size: COUNT,
      rival: 'Math.log in a loop',
      allowed: 1e-15,
      ours: (k) => k.log(positive, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = Math.log(positive[i]!);
        return result;
      },
    },
    {
      name: 'erfc, [0, 10]',
      size: COUNT,
      rival: '@stdlib erfc',
      goal: 15,
      allowed: 1e-14,
      ours: (k) => k.erfc(axis, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = erfc(axis[i]!);
        return result;
      },
    },
    {
      name: 'erfc, [-3, 27]',
      size: COUNT,
      rival: '@stdlib erfc',
      goal: 15,
      allowed: 1e-14,
      ours: (k) => k.erfc(line, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = erfc(line[i]!);
        return result;
      },
    },
    {
      name: 'erfcx, [0, 10]',
      size: COUNT,
      rival: '@stdlib erfcx',
      goal: 10,
      allowed: 1e-13,
      ours: (k) => k.erfcx(axis, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = erfcx(axis[i]!);
        return result;
      },
    },
    {
      name: 'erfcx, [-5, 20]',
      size: COUNT,
      rival: '@stdlib erfcx',
      goal: 10,
      allowed: 1e-12,
      ours: (k) => k.erfcx(shortLine, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = erfcx(shortLine[i]!);
        return result;
      },
    },
    {
      name: 'logErfc, [-5, 20]',
      size: COUNT,
      rival: '@stdlib erfcx, its logarithm less x²',
      goal: 10,
      allowed: 1e-13,
      ours: (k) => k.logErfc(shortLine, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) {
          const x = shortLine[i]!;
          result[i] = Math.log(erfcx(x)) - x * x;
        }
        return result;
      },
    },
    {
      name: 'normalQuantile, centre [0.1, 0.9]',
      size: COUNT,
      rival: '@stdlib normal quantile',
      goal: 6,
      allowed: 1e-14,
      ours: (k) => k.normalQuantile(centre, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = quantile(centre[i]!, 0, 1);
        return result;
      },
    },
    {
      name: 'normalQuantile, [0, 1]',
      size: COUNT,
      rival: '@stdlib normal quantile',
      goal: 6,
      allowed: 1e-11,
      ours: (k) => k.normalQuantile(unit, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = quantile(unit[i]!, 0, 1);
        return result;
      },
    },
    {
      // below 1e-16 the rival loses all digits, then answers −∞
      name: 'normalQuantile, tails e^[-35, -3]',
      size: COUNT,
      rival: '@stdlib normal quantile',
      goal: 4,
      allowed: 1e-1,
      ours: (k) => k.normalQuantile(tail, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = quantile(tail[i]!, 0, 1);
        return result;
      },
    },
    {
      name: 'inverfc, [0, 2]',
      size: COUNT,
      rival: '@stdlib erfcinv',
      goal: 6,
      allowed: 1e-12,
      ours: (k) => k.inverfc(both, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = erfcinv(both[i]!);
        return result;
      },
    },
    {
      name: 'inverfc, tails e^[-60, -3]',
      size: COUNT,
      rival: '@stdlib erfcinv',
      goal: 4,
      allowed: 1e-12,
      ours: (k) => k.inverfc(deep, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = erfcinv(deep[i]!);
        return result;
      },
    },
    {
      name: 'deltaGdp, mu = 1, eps in [0, 8]',
      size: COUNT,
      rival: 'Phi(a) - e^eps Phi(b) by @stdlib erfc',
      goal: 5,
      allowed: 1e-12,
      ours: (k) => k.deltaGdp(1, epsilon, out),
      theirs: () => {
        for (let i = 0; i < COUNT; i++) result[i] = naiveDelta(epsilon[i]!);
        return result;
      },
    },
  ];
  for (const { name, ours, theirs, allowed } of contests) {
    if (allowed !== undefined) agree(name, ours(kernel) as Float64Array, theirs() as Float64Array, allowed);
  }
  return contests;
}

/** δ₁(ε) as textbooks write it; it cancels for small μ and overflows for large ε. */
function naiveDelta(epsilon: number): number {
  const upper = 0.5 * erfc((epsilon - 0.5) * Math.SQRT1_2);
  return upper - Math.exp(epsilon) * 0.5 * erfc((epsilon + 0.5) * Math.SQRT1_2);
}
