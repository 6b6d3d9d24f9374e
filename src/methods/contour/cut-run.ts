import type { Kernel } from '../../kernel/kernel.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { logSum } from '../../numeric/log-arithmetic.js';
import { exp, expm1, log } from '../../numeric/scalar.js';
import type { CertifiedTest } from '../../run/directed-run.js';
import type { ErrorBudget } from '../../run/method.js';
import type { ChoosyRun, Judged } from '../first-within.js';
import { SpectralRun } from './contour-run.js';
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
): CutRun | undefined {
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
  return new CutRun(new SpectralRun(kernel, laws, { width, direction, logInfinity }), lost);
}

/**
 * A run whose laws lack some outputs. They are seen, so δ is that of the others and at most their mass more; a test that never rejects where ω ≥ 0, and
 * always where ω < 0, on what is lacking has the rates that the others give.
 */
class CutRun implements ChoosyRun {
  readonly method = 'spectral';
  readonly direction: ChoosyRun['direction'];
  readonly logInfinity: Bracket;

  /** @param inner The run of the laws without the outputs; its laws' masses count as one. @param lost Their mass under either measure, at most. */
  constructor(
    private readonly inner: SpectralRun,
    private readonly lost: number,
  ) {
    this.direction = inner.direction;
    this.logInfinity = inner.logInfinity;
  }

  private get logLost(): number {
    return log(this.lost) + 1e-12;
  }

  logDelta(epsilon: number, width?: number): Bracket {
    const { lower, upper } = this.inner.logDelta(epsilon, width);
    return bracket(lower, Math.min(0, logSum(upper, this.logLost) + 1e-15));
  }

  test(omega: number, width?: number): CertifiedTest {
    return this.inner.test(omega, width);
  }

  testWithin(omega: number, width = 0): Judged {
    const { test, sharp } = this.inner.testWithin(omega, width);
    const rates =
      omega >= 0 ? [exp(test.logFpr), exp(test.logTpr)] : [-expm1(test.logFpr), -expm1(test.logTpr)];
    return { test, sharp: sharp && this.lost <= width * Math.min(...rates) };
  }

  guessEpsilon(logDelta: number): number {
    return this.inner.guessEpsilon(logDelta);
  }

  guessOmega(logFpr: number): number {
    return this.inner.guessOmega(logFpr);
  }

  explain(epsilon: number, width?: number): ErrorBudget | undefined {
    return this.inner.explain(epsilon, width);
  }
}
