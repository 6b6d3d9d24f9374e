import type { Kernel } from '../../kernel/kernel.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { logSum } from '../../numeric/log-arithmetic.js';
import { exp, expm1, log } from '../../numeric/scalar.js';
import type { Judged } from '../first-within.js';
import { type SpectralOptions, SpectralRun } from './contour-run.js';
import type { CountedSpectrum } from './line/contour-plan.js';
import type { SpectralLaw } from './step/spectral-law.js';
import { pairSpectra, type SeenStep, spectraOf } from './step/spectrum-of.js';

/** What cuts may take from a run, in the order tried. */
export const CUTS = [1e-27, 1e-17, 1e-44] as const;

/** A run with balls-and-bins epochs by contours of laws without their rarest outputs, of mass `most` in all; undefined where they have none. */
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
      const cut = step.cut(most / epochs);
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
 * A run whose laws lack some outputs. They are seen, so δ is that of the others and at most their mass more.
 * On these outputs a test may never reject where ω ≥ 0, and always where ω < 0. It has the rates that the others give.
 */
class RunWithoutRareOutputs extends SpectralRun {
  /** @param laws Of the run without the outputs; their masses count as one. @param lost The outputs' mass under either measure, at most. */
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
    return bracket(lower, Math.min(0, logSum(upper, log(this.lost) + 1e-12) + 1e-15));
  }

  override testWithin(omega: number, width = 0): Judged {
    const { test, sharp } = super.testWithin(omega, width);
    const rates =
      omega >= 0 ? [exp(test.logFpr), exp(test.logTpr)] : [-expm1(test.logFpr), -expm1(test.logTpr)];
    return { test, sharp: sharp && this.lost <= width * Math.min(...rates) };
  }
}
