import { type Bracket, bracket, exactly } from '../bracket.js';
import type { Kernel } from '../kernel.js';
import { padLogProbability } from '../law/closed-form.js';
import type { ErrorBudget } from '../report-types.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import type { ChoosyRun } from '../run/fallback-run.js';
import { exp, expm1, log, log1p } from '../scalar.js';
import { type Answer, Contour } from './contour.js';
import {
  type CountedSpectrum,
  logDeltaNear,
  logFprNear,
  RealAxis,
  type Saddle,
  saddleFor,
  saddleReaching,
} from './contour-plan.js';
import type { Functional } from './line-table.js';
import { exchanged } from './spectral-law.js';

/** Lines kept for later queries. */
const MAX_LINES = 64;
const TIGHTEST = 1e-14;

/** The lines of a run in one orientation of the pair, for losses x ≥ 0. */
class Lines {
  readonly axis: RealAxis;
  private readonly lines: Contour[] = [];
  /** Saddles (as ε) and levels that were too dear. */
  private readonly refused: { epsilon: number; scale: number; level: number }[] = [];

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
  ) {
    this.axis = new RealAxis(laws);
  }

  /** Any of the three answers at x, aiming at a bracket of width `width`. */
  answer(functional: Functional, x: number, width: number): Answer | undefined {
    const level = Math.max(TIGHTEST, Math.min(1e-4, width / 16));
    return this.lineFor(x, level)?.answer(functional, x);
  }

  private lineFor(x: number, level: number): Contour | undefined {
    const index = this.lines.findIndex((line) => line.level <= level && line.serves(x));
    if (index >= 0) {
      const [line] = this.lines.splice(index, 1);
      this.lines.unshift(line);
      return line;
    }
    if (this.refused.some((no) => no.level >= level && Math.abs(no.epsilon - x) < no.scale)) return undefined;
    const saddle = saddleFor(this.axis, x);
    if (saddle === undefined) return undefined;
    // a decade tighter than asked, so that neighbouring widths share the line
    const finest = 10 ** Math.floor(Math.log10(level));
    const line = Contour.through(this.kernel, this.laws, this.axis, saddle, finest);
    if (line === undefined || !line.serves(x)) {
      this.refused.push({ epsilon: x, scale: 0.5 * saddle.scale, level });
      if (this.refused.length > 256) this.refused.shift();
      return line;
    }
    this.lines.unshift(line);
    if (this.lines.length > MAX_LINES) this.lines.pop();
    return line;
  }
}

export interface SpectralOptions {
  /** Width of the bracket of log δ aimed at when a query names none. */
  readonly width: number;
  readonly direction: DirectedRun['direction'];
  /** log of the Q-mass at loss +∞, and of the P-mass at −∞. */
  readonly logInfinity: number;
}

/**
 * Composition by contour integrals of M(z) = ∏ M_j(z)^{T_j}: relative accuracy at any depth, at a cost that does
 * not depend on the number of steps. What cannot be certified to the width asked comes back wide.
 */
export class SpectralRun implements ChoosyRun {
  readonly method = 'spectral';
  readonly direction: DirectedRun['direction'];
  readonly logInfinity: Bracket;
  private readonly forward: Lines;
  private readonly backward: Lines;

  constructor(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    private readonly options: SpectralOptions,
  ) {
    this.direction = options.direction;
    this.logInfinity = exactly(options.logInfinity);
    this.forward = new Lines(kernel, laws);
    this.backward = new Lines(
      kernel,
      laws.map(({ law, count }) => ({ law: exchanged(law), count })),
    );
  }

  logDelta(epsilon: number, width = this.options.width): Bracket {
    if (epsilon === Infinity) return this.logInfinity;
    if (epsilon >= 0) {
      const { lower, upper } = this.forward.answer('delta', epsilon, width) ?? { lower: -Infinity, upper: 0 };
      return bracket(Math.min(0, lower), Math.min(0, upper));
    }
    // δ(ε) = 1 − e^ε (1 − δ′(−ε)), δ′ of the exchanged pair
    const there = this.backward.answer('delta', -epsilon, width) ?? { lower: -Infinity, upper: 0 };
    const mirrored = (logDelta: number): number => log1p(exp(epsilon) * expm1(Math.min(0, logDelta)));
    const lower = padLogProbability(mirrored(there.lower)).lower;
    const upper = padLogProbability(Math.min(0, mirrored(there.upper))).upper;
    return bracket(Math.min(lower, upper), upper);
  }

  test(omega: number, width = this.options.width): CertifiedTest {
    return this.testWithin(omega, width).test;
  }

  sharpTest(omega: number, width = this.options.width): CertifiedTest | undefined {
    const { test, doubt } = this.testWithin(omega, width);
    return doubt <= width ? test : undefined;
  }

  private testWithin(omega: number, width: number): { test: CertifiedTest; doubt: number } {
    // P(L > ω) = 1 − P(−L ≥ −ω), and the exchanged pair has P and Q change places
    const lines = omega >= 0 ? this.forward : this.backward;
    const fpr = lines.answer('falsePositive', Math.abs(omega), width);
    const tpr = lines.answer('power', Math.abs(omega), width);
    if (fpr === undefined || tpr === undefined) return { test: { logFpr: 0, logTpr: 0 }, doubt: Infinity };
    const doubt = Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower);
    if (omega >= 0)
      return { test: { logFpr: Math.min(0, fpr.upper), logTpr: Math.min(0, tpr.lower) }, doubt };
    const complement = (logP: number): number => (logP >= 0 ? -Infinity : log(-expm1(logP)));
    return {
      test: {
        logFpr: padLogProbability(complement(tpr.lower)).upper,
        logTpr: padLogProbability(complement(fpr.upper)).lower,
      },
      doubt,
    };
  }

  guessEpsilon(logDelta: number): number {
    return this.guess(logDelta, logDeltaNear);
  }

  guessOmega(logFpr: number): number {
    return this.guess(logFpr, logFprNear);
  }

  private guess(target: number, logValue: (saddle: Saddle) => number): number {
    const saddle = saddleReaching(this.forward.axis, target, logValue);
    return saddle === undefined ? 1 : Math.max(0, saddle.epsilon);
  }

  /** Whether the bracket at δ's near e^{logDelta} is within `width`: what the choice of a method asks. */
  reaches(logDelta: number, width: number): boolean {
    const { lower, upper } = this.logDelta(this.guessEpsilon(logDelta), width);
    return upper - lower <= width;
  }

  explain(epsilon: number, width = this.options.width): ErrorBudget | undefined {
    const lines = epsilon >= 0 ? this.forward : this.backward;
    return lines.answer('delta', Math.abs(epsilon), width)?.budget;
  }
}
