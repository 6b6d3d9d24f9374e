import type { Kernel } from '../../../kernel/kernel.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR } from '../../../numeric/rounding.js';
import { exp, log } from '../../../numeric/scalar.js';
import { gaussianSpectrum } from '../step/gaussian-spectrum.js';
import type { Answer } from './contour.js';
import type { CountedSpectrum } from './contour-plan.js';
import { COARSE, errorOf, type LineSource, Lines, type TestAnswer } from './lines.js';

/**
 * Answers for runs whose |φ| does not decay (losses with atoms), through the run composed with one more
 * mechanism that is η-GDP. On every vertical line M gains the factor e^{η²z(z−1)/2}, which decays like e^{−η²τ²/2}.
 *
 * The loss W of the noise is N(η²/2, η²) under Q and N(−η²/2, η²) under P, independent of L. Let the tester alone draw N ∼ N(0, η²).
 * Let it reject when L + N > t. That test has FPR P(L + W > t − η²/2) and power Q(L + W > t + η²/2). Both are rates of the composed pair. Hence
 *   δ(ε) ≤ δ_g(ε), as composing can only leak more;   δ(ε) ≥ TPR(t) − e^ε FPR(t) of that test at t = ε,
 * either way of second order in η.
 */
class SmoothedLines {
  private readonly lines: Lines;
  /** Half the distance between the thresholds of the two rates. */
  private readonly offset: number;

  constructor(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    private readonly eta: number,
    usual: number,
  ) {
    this.lines = new Lines(kernel, [...laws, { law: gaussianSpectrum(eta), count: 1 }], usual);
    this.offset = (eta * eta) / 2;
  }

  /**
   * log δ(x) of the run. Composed with a Gaussian release of μ = η it leaks no less, so δ of the composition is the upper end. The lower end is
   * TPR − e^x·FPR of a test by the noisy loss, which is a randomised test of the run. Ensures: it lies in the bracket.
   */
  delta(x: number, width: number): Answer | undefined {
    const here = this.lines.delta(x, width);
    const test = this.test(x, width);
    if (here === undefined || test === undefined) return undefined;
    const share = exp(Math.min(1, x + test.falsePositive.upper - test.power.lower));
    const gain =
      share < 1
        ? test.power.lower + log(1 - share) - FUNCTION_ERROR * (1 + x) - FEW_ROUNDINGS / (1 - share)
        : -Infinity;
    const lower = Math.min(here.upper, gain);
    return {
      lower,
      upper: here.upper,
      budget: { ...here.budget, smoothing: Math.max(0, here.upper - lower) },
    };
  }

  test(x: number, width: number): TestAnswer | undefined {
    const rates = this.lines.test(x, width, this.offset);
    return rates && { ...rates, windowError: rates.windowError + (this.eta / rates.scale) ** 2 };
  }
}

/**
 * Standard deviations of the smoothing Gaussian that are tried, in units of η, for tolerances from some width on. A larger one needs fewer nodes.
 * Unless a wide bracket suffices, the first that may have four times as many nodes is used. Only speed and width depend on them.
 */
const GHOSTS = [
  { least: 0.1, shares: [8] },
  { least: 0.01, shares: [2] },
  { least: 0, shares: [0.25, 1] },
] as const;

const widthOf = ({ lower, upper }: Answer): number => upper - lower;

/**
 * Shares of the usual noise for an answer that is wider than asked for. The first is taken that is expected to make it as narrow as SPARE of that.
 * Only speed and width depend on them.
 */
const [FINER, SPARE] = [[1, 0.5, 0.25, 0.125, 0.0625, 0.03125], 0.95] as const;

/** Contours of the run itself where |φ| decays, however inaccurate; and of the run with smoothing noise elsewhere. */
export class SmoothableLines implements LineSource {
  private readonly plain: Lines;
  /** Contours of the run plus smoothing noise, in order of its size, the smallest first. */
  private readonly smoothed: readonly SmoothedLines[];
  /** Those of less noise, the most of it first, each with its share of the usual noise. */
  private readonly finer: readonly { readonly share: number; readonly lines: SmoothedLines }[];

  constructor(kernel: Kernel, laws: readonly CountedSpectrum[], eta: number, usual: number) {
    this.plain = new Lines(kernel, laws, usual);
    const { shares } = GHOSTS.find(({ least }) => usual >= least) ?? GHOSTS[2];
    const linesOf = (share: number): SmoothedLines => new SmoothedLines(kernel, laws, share * eta, usual);
    this.smoothed = shares.map(linesOf);
    this.finer = FINER.filter((share) => share < shares[0]).map((share) => ({
      share: share / shares[0],
      lines: linesOf(share),
    }));
  }

  delta(x: number, width: number): Answer | undefined {
    return (
      this.plain.delta(x, width) ??
      this.plain.delta(x, width, COARSE) ??
      this.first((lines) => lines.delta(x, width), width, widthOf)
    );
  }

  test(x: number, width: number): TestAnswer | undefined {
    return (
      this.plain.test(x, width) ??
      this.plain.test(x, width, 0, COARSE) ??
      this.first((lines) => lines.test(x, width), width, errorOf)
    );
  }

  bound(x: number, width: number, floor?: number): number {
    return this.plain.bound(x, width, floor);
  }

  guess(functional: 'delta' | 'falsePositive', target: number, width: number): number | undefined {
    return this.plain.guess(functional, target, width);
  }

  /** The answer of the first smoothed contours that have one; of as little noise as needed and possible if that is wider than asked for. */
  private first<T>(
    ask: (lines: SmoothedLines) => T | undefined,
    width: number,
    sizeOf: (answer: T) => number,
  ): T | undefined {
    for (const lines of this.smoothed) {
      const answer = ask(lines);
      if (answer === undefined) continue;
      const most = Math.sqrt((SPARE * width) / sizeOf(answer));
      if (most >= 1) return answer;
      const from = this.finer.findIndex(({ share }) => share <= most);
      for (let i = from < 0 ? this.finer.length - 1 : from; i >= 0; i--) {
        const finer = ask(this.finer[i].lines);
        if (finer !== undefined) return finer;
      }
      return answer;
    }
    return undefined;
  }
}
