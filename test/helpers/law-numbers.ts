import { ATOMS, EXPONENTIAL } from '../../src/kernel/constants.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import type { WindowedStep } from '../../src/kernel/laws.js';
import { allocationStep } from '../../src/methods/contour/step/allocation-law.js';

const STEPS = [
  { mu: 1.3, rate: 0.01 },
  { mu: 0.2, rate: 1e-6 },
  { mu: 4, rate: 1 - 1e-9 },
  { mu: 8, rate: 0.3 },
];
const shapeOf = (rate: number): Float64Array => Float64Array.of(rate, 1.2, 0.4 * Math.exp(-0.6), 0.5);
const LISTED = Float64Array.of(3, 4e-14, 1e-16, -30, -Infinity, -0.7, 0.1, 0.9, 0.3, 0.5, 0.2);
const OTHERS = [
  { mu: EXPONENTIAL, rate: 0, own: shapeOf(1) },
  { mu: EXPONENTIAL, rate: 0, own: shapeOf(0.03) },
  { mu: ATOMS, rate: 0, own: LISTED },
];
/** Epochs of balls and bins: full ones, which are a Gaussian and a rest too, and a partial one. */
const BINS = [
  { mu: 0.8, bins: 20, visited: 20 },
  { mu: 1.4, bins: 3, visited: 3 },
  { mu: 1, bins: 100, visited: 7 },
];
const WINDOWS = [
  { cut: Infinity, width: Infinity },
  { cut: 6, width: 0.5 },
  { cut: 9, width: 0.12 },
];

/** What the kernel says of laws of steps under windows and tilts of all kinds, on lines of n nodes. */
export function lawNumbers(kernel: Kernel, n: number): Float64Array[] {
  const found: Float64Array[] = [];
  for (const step of [...STEPS, ...OTHERS])
    for (const [i, window] of (step.mu > 0 ? WINDOWS : WINDOWS.slice(0, 1)).entries()) {
      const law: WindowedStep = { ...step, ...window, depth: 20 + 8 * i };
      const tilts = Float64Array.of(0, 0.5, 1, 3.7, -2, -40);
      for (const bounded of [0, 1] as const)
        found.push(kernel.lawCumulants(law, tilts, bounded, 1e12).numbers);
      for (const c of [1.7, -3]) {
        const unit = 0.02 / (Math.abs(step.mu * step.rate) + 1e-4);
        const taus = Float64Array.from({ length: 9 }, (_, k) => unit * n * 1.3 ** k);
        const { numbers } = kernel.lawLine(law, 40, { c, dTau: unit, n }, 1e12);
        // nothing is said where that would cost too much
        found.push(Number.isNaN(numbers[0]) ? new Float64Array(1) : numbers);
        found.push(kernel.lawDecay(law, c, taus, -1e9, 1e12).numbers);
        found.push(kernel.lawFar(law, c, taus, 1e12).numbers);
      }
    }
  for (const epochs of BINS) {
    const step = allocationStep(epochs);
    for (const cut of [0.4, Infinity]) {
      // there are no moments of the rest of partial epochs
      if (cut < Infinity && step.own?.[6] === 0) continue;
      const law: WindowedStep = { ...step, cut, width: Infinity, depth: 0 };
      const tilts = Float64Array.of(0, 0.5, 1, 3.7, 6.2, 40, -2, -40);
      found.push(kernel.lawCumulants(law, tilts, 1, 1e12).numbers);
      for (const c of [1.7, -3]) {
        const { numbers } = kernel.lawLine(law, 3, { c, dTau: 0.3, n: Math.min(n, 64) }, 1e12);
        found.push(Number.isNaN(numbers[0]) ? new Float64Array(1) : numbers);
      }
    }
  }
  return found;
}
