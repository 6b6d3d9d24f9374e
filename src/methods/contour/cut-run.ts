import type { Kernel } from '../../kernel/kernel.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { logSum } from '../../numeric/log-arithmetic.js';
import { FEW_ROUNDINGS, LONG_SUM } from '../../numeric/rounding.js';
import { exp, expm1, log } from '../../numeric/scalar.js';
import type { Judged } from '../first-within.js';
import { type SpectralOptions, SpectralRun } from './contour-run.js';
import type { CountedSpectrum } from './line/contour-plan.js';
import type { SpectralLaw } from './step/spectral-law.js';
import { pairSpectra, type SeenStep, spectraOf } from './step/spectrum-of.js';

/** Probabilities that truncation may take from a run, in the order tried. */
export const CUTS = [1e-27, 1e-17, 1e-44] as const;

/**
 * A run with balls-and-bins epochs, truncated by outputs of total mass `most`; undefined where its laws have no such truncation.
 *
 * Ensures: δ of the run lies in its brackets, the mass cut included.
 */
export function cutRun(
  kernel: Kernel,
  steps: readonly SeenStep[],
  direction: 'remove' | 'add',
  most: number,
  width: number,
): RunWithoutRareOutputs | undefined {
  const epochs = steps.reduce((n, { cut, count }) => n + (cut === undefined ? 0 : count), 0);
  const pairs: SpectralLaw[] = [];
  let lost = 0;
  for (const step of steps) {
    if (step.cut === undefined) {
      const known = pairSpectra(kernel, [step]);
      if (known === undefined) return undefined;
      pairs.push(known[0]);
    } else {
      const cut = step.cut(kernel, most / epochs);
      if (cut === undefined) return undefined;
      pairs.push(cut.law);
      lost += step.count * cut.lost;
    }
  }
  const { laws, logInfinity } = spectraOf(steps, pairs, direction);
  if (logInfinity.upper > -Infinity) return undefined;
  return new RunWithoutRareOutputs(kernel, laws, { width, direction, logInfinity }, lost);
}

/**
 * A run whose laws are truncated. The test sees whether an output was cut. So δ is that of the truncated laws, plus at most the mass cut. On cut
 * outputs a test rejects where ω < 0 and accepts where ω ≥ 0. So its rates are those of the other outputs.
 */
class RunWithoutRareOutputs extends SpectralRun {
  /**
   * @param laws The truncated laws, whose masses count as one.
   * @param lost Upper bound of the mass cut under either measure.
   */
  constructor(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    options: SpectralOptions,
    private readonly lost: number,
  ) {
    super(kernel, laws, options);
  }

  override logDelta(epsilon: number, width?: number): Bracket {
    const { lower, upper } = super.logDelta(epsilon, width);
    return bracket(lower, Math.min(0, logSum(upper, log(this.lost) + LONG_SUM) + FEW_ROUNDINGS));
  }

  override testWithin(omega: number, width = 0): Judged {
    const { test, sharp } = super.testWithin(omega, width);
    const rates =
      omega >= 0 ? [exp(test.logFpr), exp(test.logTpr)] : [-expm1(test.logFpr), -expm1(test.logTpr)];
    return { test, sharp: sharp && this.lost <= width * Math.min(...rates) };
  }
}
