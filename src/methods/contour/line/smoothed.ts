import type { Kernel } from '../../../kernel/kernel.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR } from '../../../numeric/rounding.js';
import { exp, log } from '../../../numeric/scalar.js';
import { gaussianSpectrum } from '../step/gaussian-spectrum.js';
import type { Answer } from './contour.js';
import type { CountedSpectrum } from './contour-plan.js';
import { COARSE, errorOf, type LineSource, Lines, type TestAnswer } from './lines.js';

/**
 * Answers for runs whose |φ(τ)| = |M(c + iτ)|/M(c) does not decay, as losses have atoms. The run is composed with one more mechanism that is η-GDP.
 * On every vertical line the moment generating function M gains the factor e^{η²z(z−1)/2}, whose modulus decays like e^{−η²τ²/2}.
 *
 * The loss W of that mechanism is N(η²/2, η²) under Q and N(−η²/2, η²) under P, independent of the run's loss L. A test of the run alone may draw N ∼
 * N(0, η²) and reject when L + N > t. Its FPR is P(L + W > t − η²/2), its power Q(L + W > t + η²/2). Both are rates of the composed pair. Hence
 *   δ(ε) ≤ δ_g(ε), that of the composed pair, as composing can only leak more;
 *   δ(ε) ≥ TPR(t) − e^ε FPR(t) of that test at t = ε.
 * Both differ from δ(ε) by O(η²).
 */
class SmoothedLines {
  private readonly lines: Lines;
  /** η²/2, η the standard deviation of the smoothing noise. The FPR is taken at the threshold t − η²/2, the power at t + η²/2. */
  private readonly offset: number;

  /** Adds a mechanism that is η-GDP, log M(z) = η²z(z − 1)/2, to the run's laws. `delta` bounds what that changes. */
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
   * log δ(x) of the run. The upper end is log δ of the run composed with an η-GDP mechanism. The lower end is log(TPR − e^x·FPR) of the test that
   * rejects when the loss plus N(0, η²) exceeds x. Ensures: it lies in the bracket.
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
 * Standard deviations of the smoothing Gaussian, in units of the `eta` given, that are tried in order if the usual width is at least `least`. A
 * larger one needs fewer nodes and gives a wider bracket. Only speed and width depend on them.
 */
const NOISE_SIZES = [
  { least: 0.1, shares: [8] },
  { least: 0.01, shares: [2] },
  { least: 0, shares: [0.25, 1] },
] as const;

const widthOf = ({ lower, upper }: Answer): number => upper - lower;

/**
 * Standard deviations of the smoothing noise, in units of the `eta` given, that are tried where an answer is too wide. The width is about quadratic
 * in them. So the largest one is taken that is expected to make the bracket at most SPARE of the wanted width. Only speed and width depend on them.
 */
const [FINER, SPARE] = [[1, 0.5, 0.25, 0.125, 0.0625, 0.03125], 0.95] as const;

/**
 * Answers by contours of the run itself where |φ(τ)| = |M(c + iτ)|/M(c) decays, at a coarser accuracy if need be; else by contours of the run with
 * smoothing noise.
 */
export class SmoothableLines implements LineSource {
  private readonly plain: Lines;
  /** Contours of the run with smoothing noise, the smallest noise first. */
  private readonly smoothed: readonly SmoothedLines[];
  /** Contours with less noise than the first of `smoothed`, the largest noise first; `share` is their noise over that of the first. */
  private readonly finer: readonly { readonly share: number; readonly lines: SmoothedLines }[];

  /** Heuristic: chooses the sizes of smoothing noise that are tried, by the width `usual` that is usually asked for. */
  constructor(kernel: Kernel, laws: readonly CountedSpectrum[], eta: number, usual: number) {
    this.plain = new Lines(kernel, laws, usual);
    const { shares } = NOISE_SIZES.find(({ least }) => usual >= least) ?? NOISE_SIZES[2];
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

  /**
   * The answer of the first contours with smoothing noise that have one. If it is wider than asked for, contours with less noise are asked. The
   * first asked have the largest noise that is expected to suffice. Heuristic: each answer is certified, whichever is returned.
   */
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
