import { commonLattice } from '../../law/lattice-atoms.js';
import type { CountedLaw } from '../../law/loss-law.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { TO_12_DIGITS } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import { crossing, firstBetween } from '../../numeric/solve.js';

/** Tilts are θ = 2^{rung/8}: eight per octave. */
const RUNGS_PER_OCTAVE = 8;
const LOWEST_RUNG = -24 * RUNGS_PER_OCTAVE;
const HIGHEST_RUNG = 30 * RUNGS_PER_OCTAVE;
/** Tails are truncated at multiples of this log mass: at most 43 truncations are cached. */
const TAIL_STEP = 16;
/** Neighbouring links lie this many standard deviations of the composed loss apart. */
const SPACING = 3;
/** On the lowest link, up to NEAR standard deviations above the mean, the lattice is coarser: from SEVERAL steps on, for widths below FINE. */
const NEAR = 0.25;
const SEVERAL = 16;
const FINE = 1e-4;
/** Digits given up to share a tilt, as a natural logarithm; for a smaller window, what remains of the FFT's digits. */
const SPARE = 3;
const FFT_DIGITS = 22;

/** Number of losses whose links are cached. */
const MOST_SERVED = 64;

/** Normal tails are truncated at this log mass at the latest. */
export const DEEPEST_TAIL = -672;

/** One tilt at which a run is composed, and the interval of ε it serves. */
export interface Link {
  readonly index: number;
  readonly theta: number;
  /** log of the normal tail beyond which single losses are moved to ∞. */
  readonly logTail: number;
  /** Approximate mean and standard deviation of the composed loss under the tilt. */
  readonly mean: number;
  readonly deviation: number;
  readonly logMgf: number;
  /** Whether the link's tilt is the smallest one used with its depth of tails. */
  readonly lowest: boolean;
}

interface Cumulants {
  readonly logMgf: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Chooses tilt, lattice and window. Nothing here is certified and no bracket depends on it: it uses approximate cumulants of the run under
 * exponential tilting.
 *
 * The ε axis is covered by a chain of tilts whose composed laws lie a few standard deviations apart. For each, the tails of single losses are
 * truncated where they do not matter for the δ it serves. (Otherwise tilting would see nothing but the rarest, largest losses of runs with low q and
 * small σ.)
 */
export class Plan {
  /** Cached by truncation of the tails: the largest loss of the composition and the lowest rung; links by that and the rung. */
  private readonly tops = new LruCache<number, number>(Infinity);
  private readonly lowestRungs = new LruCache<number, number>(Infinity);
  private readonly links = new LruCache<number, Link>(Infinity);
  /** Links cached by ε, as δ and tests often ask for the same one. */
  private readonly served = new LruCache<number, Link>(MOST_SERVED);
  readonly steps: number;
  /** Lattice of all finite losses, if there is one. */
  readonly lattice: number | undefined;

  /** @param margin −log of the relative error that truncated tails may cause. */
  constructor(
    private readonly laws: readonly CountedLaw[],
    private readonly margin: number,
  ) {
    this.steps = laws.reduce((sum, { count }) => sum + count, 0);
    const lattices = laws.flatMap(({ law }) => law.lattice ?? []);
    this.lattice = lattices.length === laws.length ? commonLattice(lattices) : undefined;
  }

  /** Heuristic: approximate log M(θ), mean and variance of the tilted loss, from a few nodes of each law, tails beyond e^{logTail} left out. */
  private cumulants(theta: number, logTail: number): Cumulants {
    let logMgf = 0;
    let mean = 0;
    let variance = 0;
    for (const { law, count } of this.laws) {
      const { loss, logWeight, logTail: depth } = law.nodes();
      let top = -Infinity;
      for (let i = 0; i < loss.length; i++) {
        if (depth[i] >= logTail) top = Math.max(top, logWeight[i] + theta * loss[i]);
      }
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      for (let i = 0; i < loss.length; i++) {
        const exponent = logWeight[i] + theta * loss[i] - top;
        if (depth[i] < logTail || exponent < -60) continue;
        const w = exp(exponent);
        s0 += w;
        s1 += w * loss[i];
        s2 += w * loss[i] * loss[i];
      }
      // nodes too far apart to meet any mass are skipped
      if (s0 === 0) continue;
      logMgf += count * (top + log(s0));
      mean += (count * s1) / s0;
      variance += count * Math.max(0, s2 / s0 - (s1 / s0) ** 2);
    }
    return { logMgf, mean, variance: Math.max(variance, 1e-300) };
  }

  /** Where the tails of single losses may be truncated for δ of e^{logDelta} and above. */
  logTailFor(logDelta: number): number {
    const wanted = Math.min(0, logDelta) - log(this.steps) - this.margin - 4;
    return Math.max(DEEPEST_TAIL, TAIL_STEP * Math.floor(wanted / TAIL_STEP));
  }

  private linkAt(rung: number, logTail: number): Link {
    // an integer key: tails are whole numbers
    return this.links.of(rung * 1024 - logTail, () => {
      const theta = exp((Math.LN2 * rung) / RUNGS_PER_OCTAVE);
      const { logMgf, mean, variance } = this.cumulants(theta, logTail);
      return { index: rung, theta, logTail, mean, deviation: Math.sqrt(variance), logMgf, lowest: false };
    });
  }

  /** The smallest useful tilt: a quarter of the inverse standard deviation, less where rare large losses would dominate. */
  private lowest(logTail: number): number {
    return this.lowestRungs.of(logTail, () => this.lowestFor(logTail));
  }

  private lowestFor(logTail: number): number {
    const { mean, variance } = this.cumulants(0, this.logTailFor(-4));
    const deviation = Math.sqrt(variance);
    const wanted = Math.floor((log(0.25 / deviation) / Math.LN2) * RUNGS_PER_OCTAVE);
    let rung = Math.max(LOWEST_RUNG, Math.min(HIGHEST_RUNG, wanted));
    while (this.linkAt(rung, logTail).mean - mean > deviation && rung > LOWEST_RUNG) rung -= 2;
    return rung;
  }

  /** Heuristic: the tilt θ of the least log M(θ) − θε on a grid; there the tilted loss has mean ε. Tails of single losses are truncated. */
  private saddle(epsilon: number, logTail: number): Link {
    const top = this.tops.of(logTail, () => this.topOf(logTail));
    const beyond = ({ mean, deviation }: Link): boolean =>
      mean >= epsilon || !(top - mean > SPACING * deviation);
    let low = this.lowest(logTail);
    if (beyond(this.linkAt(low, logTail))) return this.linkAt(low, logTail);
    let high = low;
    for (let leap = RUNGS_PER_OCTAVE; ; leap *= 2) {
      high = Math.min(HIGHEST_RUNG, low + leap);
      if (high === HIGHEST_RUNG || beyond(this.linkAt(high, logTail))) break;
      low = high;
    }
    const first = firstBetween(low, high, (rung) => beyond(this.linkAt(rung, logTail)));
    const [a, b] = [this.linkAt(first - 1, logTail), this.linkAt(first, logTail)];
    return exponent(a, epsilon) <= exponent(b, epsilon) ? a : b;
  }

  /** Heuristic: the largest loss of the composition with truncated tails of single losses. */
  private topOf(logTail: number): number {
    let top = 0;
    for (const { law, count } of this.laws) {
      const { loss, logTail: depth } = law.nodes();
      let largest = -Infinity;
      for (let i = 0; i < loss.length; i++) if (depth[i] >= logTail) largest = Math.max(largest, loss[i]);
      top += count * largest;
    }
    return top;
  }

  /**
   * The link that serves ε: near the tilt under which δ(ε) loses the fewest digits. Tails of single losses are truncated where they do not matter for
   * that δ. Tilts are rounded to few values, a standard deviation or two of the composed loss apart, so that neighbouring ε share them. A much
   * narrower law is preferred if it loses few digits more.
   */
  linkFor(epsilon: number): Link {
    return this.served.of(epsilon, () => this.chosen(epsilon));
  }

  /**
   * Heuristic: tilt and depth of tails for δ(ε). It is the saddle point on a grid, or a lower tilt with a narrower window while the FFT's digits
   * suffice.
   */
  private chosen(epsilon: number): Link {
    let logTail = this.logTailFor(-4);
    let best = this.saddle(epsilon, logTail);
    // truncating more makes δ look smaller, which in turn needs deeper tails
    for (let i = 0; i < 6; i++) {
      const wanted = this.logTailFor(exponent(best, epsilon) - 4);
      if (wanted === logTail) break;
      logTail = i < 3 ? wanted : Math.min(logTail, wanted);
      best = this.saddle(epsilon, logTail);
    }
    const least = exponent(best, epsilon);
    const first = this.lowest(logTail);
    let link = best;
    let block = 4 * RUNGS_PER_OCTAVE;
    for (; block >= 1; block /= 2) {
      link = this.linkAt(first + block * Math.round((best.index - first) / block), logTail);
      if (exponent(link, epsilon) - least <= SPARE) break;
    }
    // digits that the FFT has beyond what the width needs
    const spare = Math.max(SPARE, FFT_DIGITS - this.margin);
    for (let rung = link.index; rung > first; ) {
      rung = Math.max(first, rung - Math.max(1, block));
      const narrow = this.linkAt(rung, logTail);
      if (exponent(narrow, epsilon) - least > spare) break;
      if (1.5 * narrow.deviation < link.deviation) link = narrow;
    }
    return { ...link, lowest: link.index === first };
  }

  /** Approximate ε ≥ 0 with log δ(ε) = logDelta. */
  guessEpsilon(logDelta: number): number {
    return this.invert(logDelta, logDeltaNear);
  }

  /** Approximate ω ≥ 0 with log Pr_P[L > ω] = logFpr. */
  guessOmega(logFpr: number): number {
    // near x, Pr_P is about e^{−x} times Pr_Q
    return this.invert(logFpr, (link, x) => logDeltaNear(link, x) - x);
  }

  private invert(target: number, value: (link: Link, x: number) => number): number {
    const search = { guess: 1, ceiling: 1e12, relative: 1e-9, absolute: TO_12_DIGITS };
    const { low, high } = crossing((x) => value(this.linkFor(x), x) - target, search);
    return low > -Infinity ? Math.min(high, search.ceiling) : 0;
  }

  /**
   * The largest spacing at which the bracket of log δ is expected to be `width` wide at all ε of a link, or near x. The two discretisations add
   * variances step²/6 and −step²/12 to each loss. That changes log M by T θ(θ+1)/2 times as much. The spacing is at most an eighth of the composed
   * standard deviation. It is a power of two, times the lattice of the losses if there is one; on that lattice nothing is spread, so it is never
   * finer.
   */
  stepFor(link: Link, x: number, width: number): number {
    const { mean, deviation, lowest } = link;
    const near = lowest && width < FINE && this.steps >= SEVERAL && x - mean <= NEAR * deviation;
    const theta = link.theta + (near ? NEAR : SPACING) / deviation;
    return this.meshFor(Math.min(Math.sqrt((8 * width) / (this.steps * theta * (theta + 1))), deviation / 8));
  }

  /** The largest spacing of a lattice up to the one wanted. */
  meshFor(wanted: number): number {
    let step = this.lattice ?? 2 ** -60;
    while (2 * step <= wanted) step *= 2;
    return step;
  }
}

/** log M(θ) − θε, which is log δ(ε) up to the factor of the tilted law. */
function exponent({ logMgf, theta }: Link, epsilon: number): number {
  return logMgf - theta * epsilon;
}

/** log δ(x) by the normal approximation of the tilted law, x near its mean; capped at 0. */
function logDeltaNear({ theta, mean, deviation, logMgf, lowest }: Link, x: number): number {
  const local = Math.max(theta, theta + (x - mean) / (deviation * deviation));
  // below the mean of the lowest link δ is near 1
  const away = (lowest ? Math.max(0, x - mean) : x - mean) / deviation;
  const spread = log(1 + deviation * local) + log(1 + local);
  return Math.min(-1e-9 * x, logMgf - theta * x - 0.5 * away * away - spread);
}
