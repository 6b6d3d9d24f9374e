import { commonLattice } from '../../law/lattice-atoms.js';
import type { CountedLaw, LossNodes } from '../../law/loss-law.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { TO_12_DIGITS } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import { crossing, firstBetween } from '../../numeric/solve.js';

/** The tilts are θ = 2^{k/8} for whole numbers k, called rungs, from LOWEST_RUNG to HIGHEST_RUNG. Only speed and width depend on them. */
const RUNGS_PER_OCTAVE = 8;
const LOWEST_RUNG = -24 * RUNGS_PER_OCTAVE;
const HIGHEST_RUNG = 30 * RUNGS_PER_OCTAVE;
/** Single losses are truncated at tails whose log mass is a multiple of this, so that at most 43 truncations are cached. */
const TAIL_STEP = 16;
/** A tilt serves ε up to about this many standard deviations from the mean of the tilted composed loss. Only speed and width depend on it. */
const SPACING = 3;
/**
 * At the lowest tilt, for ε up to NEAR standard deviations above the mean loss, the lattice is coarser. This holds for runs of SEVERAL steps or more
 * and widths below FINE. Only speed and width depend on them.
 */
const NEAR = 0.25;
const SEVERAL = 16;
const FINE = 1e-4;
/**
 * Natural logarithms of accuracies: SPARE is given up so that many ε share a tilt, and FFT_DIGITS is that of an FFT. Only speed and width depend on
 * them.
 */
const SPARE = 3;
const FFT_DIGITS = 22;

/** The smallest log mass of a tail at which losses are truncated. */
export const DEEPEST_TAIL = -672;

/** A tilt θ at which a run is composed, and the truncation of single losses; it serves an interval of ε. */
export interface Link {
  readonly index: number;
  readonly theta: number;
  /** log of the tail mass beyond which single losses are moved to ±∞. */
  readonly logTail: number;
  /** Approximate mean and standard deviation of the composed loss under the tilt, and `logMgf`, log M(θ). */
  readonly mean: number;
  readonly deviation: number;
  readonly logMgf: number;
  /** Whether θ is the smallest tilt used with this truncation. */
  readonly lowest: boolean;
}

/** The points that represent the law of a step, and how often it is executed. */
interface CountedNodes extends LossNodes {
  readonly count: number;
}

/** The largest composed loss, and the index k of the smallest useful tilt 2^{k/8}. Single losses are truncated. */
interface Ends {
  readonly top: number;
  readonly lowest: number;
}

interface Cumulants {
  readonly logMgf: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Heuristic: chooses tilt, spacing and truncation of a composition on a lattice, from approximate cumulants of the run under exponential tilting.
 * It enters no bound.
 *
 * Few tilts cover all ε: their composed laws lie a few standard deviations apart. For each, the tails of single losses are truncated where they do
 * not matter for the δ it serves. (Without that a tilt would see only the rarest, largest losses of runs with small q and σ.)
 */
export class Plan {
  /** The largest composed loss and the lowest rung, cached by `logTail`; links, cached by rung and `logTail`. A rung k is the tilt 2^{k/8}. */
  private readonly ends = new LruCache<number, Ends>(Infinity);
  private readonly links = new LruCache<number, Link>(Infinity);
  /** The points that represent the law of each distinct step. */
  private readonly nodes: readonly CountedNodes[];
  readonly steps: number;
  /** The spacing of a lattice that holds all finite losses, if there is one. */
  readonly lattice: number | undefined;

  /** @param margin −log of the relative error of δ that truncated tails may cause. */
  constructor(
    laws: readonly CountedLaw[],
    private readonly margin: number,
  ) {
    this.nodes = laws.map(({ law, count }) => ({ ...law.nodes(), count }));
    this.steps = laws.reduce((sum, { count }) => sum + count, 0);
    const lattices = laws.flatMap(({ law }) => law.lattice ?? []);
    this.lattice = lattices.length === laws.length ? commonLattice(lattices) : undefined;
  }

  /**
   * Heuristic: log M(θ), mean and variance of the tilted loss, M(θ) = E_Q[e^{θL}]. Sums over a few points that represent each law, without those
   * whose tail mass is below e^{logTail}. They enter no bound.
   */
  private cumulants(theta: number, logTail: number): Cumulants {
    let logMgf = 0;
    let mean = 0;
    let variance = 0;
    for (const { loss, logWeight, logTail: depth, count } of this.nodes) {
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
      // a law none of whose points remain is skipped
      if (s0 === 0) continue;
      logMgf += count * (top + log(s0));
      mean += (count * s1) / s0;
      variance += count * Math.max(0, s2 / s0 - (s1 / s0) ** 2);
    }
    return { logMgf, mean, variance: Math.max(variance, 1e-300) };
  }

  /**
   * Heuristic: the log of the tail mass at which single losses may be truncated for δ of e^{logDelta} and more. It is log δ − log(steps) − margin −
   * 4, rounded down to a multiple of TAIL_STEP.
   */
  logTailFor(logDelta: number): number {
    const wanted = Math.min(0, logDelta) - log(this.steps) - this.margin - 4;
    return Math.max(DEEPEST_TAIL, TAIL_STEP * Math.floor(wanted / TAIL_STEP));
  }

  /** Heuristic: the tilt 2^{rung/8} with approximate cumulants of the run, losses truncated at `logTail`; cached. It enters no bound. */
  private linkAt(rung: number, logTail: number): Link {
    // a whole number identifies both, as `logTail` is a multiple of 16 above −1024
    return this.links.of(rung * 1024 - logTail, () => {
      const theta = exp((Math.LN2 * rung) / RUNGS_PER_OCTAVE);
      const { logMgf, mean, variance } = this.cumulants(theta, logTail);
      return { index: rung, theta, logTail, mean, deviation: Math.sqrt(variance), logMgf, lowest: false };
    });
  }

  /** Heuristic: the largest composed loss and the lowest rung, single losses truncated at `logTail`; cached. They enter no bound. */
  private endsAt(logTail: number): Ends {
    return this.ends.of(logTail, () => ({ top: this.topOf(logTail), lowest: this.lowestOf(logTail) }));
  }

  /**
   * Heuristic: the rung k of the smallest useful tilt 2^{k/8}, about a quarter of 1/(standard deviation of the composed loss). It is smaller where
   * the tilted mean would exceed the mean by more than one standard deviation, as rare large losses dominate.
   */
  private lowestOf(logTail: number): number {
    const { mean, variance } = this.cumulants(0, this.logTailFor(-4));
    const deviation = Math.sqrt(variance);
    const wanted = Math.floor((log(0.25 / deviation) / Math.LN2) * RUNGS_PER_OCTAVE);
    let rung = Math.max(LOWEST_RUNG, Math.min(HIGHEST_RUNG, wanted));
    while (this.linkAt(rung, logTail).mean - mean > deviation && rung > LOWEST_RUNG) rung -= 2;
    return rung;
  }

  /**
   * Heuristic: the link whose tilt θ minimises log M(θ) − θε over the tilts 2^{k/8}; its tilted loss has a mean near ε. It is found by doubling leaps
   * and bisection.
   */
  private saddle(epsilon: number, logTail: number): Link {
    const { top, lowest } = this.endsAt(logTail);
    const beyond = ({ mean, deviation }: Link): boolean =>
      mean >= epsilon || !(top - mean > SPACING * deviation);
    let low = lowest;
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

  /** Heuristic: the largest loss of the composition, with single losses truncated. */
  private topOf(logTail: number): number {
    let top = 0;
    for (const { loss, logTail: depth, count } of this.nodes) {
      let largest = -Infinity;
      for (let i = 0; i < loss.length; i++) if (depth[i] >= logTail) largest = Math.max(largest, loss[i]);
      top += count * largest;
    }
    return top;
  }

  /**
   * Heuristic: tilt and truncation for δ(ε). It starts at the tilt that minimises log M(θ) − θε, and truncates tails that do not matter for this δ.
   * The tilt is then rounded to few values, so that many ε share it. A much narrower tilted law is preferred while the FFT has digits to spare.
   */
  linkFor(epsilon: number): Link {
    let logTail = this.logTailFor(-4);
    let best = this.saddle(epsilon, logTail);
    // truncation makes the approximate δ smaller, which in turn needs deeper tails: iterate
    for (let i = 0; i < 6; i++) {
      const wanted = this.logTailFor(exponent(best, epsilon) - 4);
      if (wanted === logTail) break;
      logTail = i < 3 ? wanted : Math.min(logTail, wanted);
      best = this.saddle(epsilon, logTail);
    }
    const least = exponent(best, epsilon);
    const first = this.endsAt(logTail).lowest;
    let link = best;
    let block = 4 * RUNGS_PER_OCTAVE;
    for (; block >= 1; block /= 2) {
      link = this.linkAt(first + block * Math.round((best.index - first) / block), logTail);
      if (exponent(link, epsilon) - least <= SPARE) break;
    }
    // accuracy of the FFT, in natural logarithms, beyond what the width needs
    const spare = Math.max(SPARE, FFT_DIGITS - this.margin);
    for (let rung = link.index; rung > first; ) {
      rung = Math.max(first, rung - Math.max(1, block));
      const narrow = this.linkAt(rung, logTail);
      if (exponent(narrow, epsilon) - least > spare) break;
      if (1.5 * narrow.deviation < link.deviation) link = narrow;
    }
    return { ...link, lowest: link.index === first };
  }

  /** Heuristic: approximate ε ≥ 0 with log δ(ε) = logDelta. */
  guessEpsilon(logDelta: number): number {
    return this.invert(logDelta, logDeltaNear);
  }

  /** Heuristic: approximate ω ≥ 0 with log Pr_P[L > ω] = logFpr. */
  guessOmega(logFpr: number): number {
    // near the loss x, P has about e^{−x} times the density of Q
    return this.invert(logFpr, (link, x) => logDeltaNear(link, x) - x);
  }

  private invert(target: number, value: (link: Link, x: number) => number): number {
    const search = { guess: 1, ceiling: 1e12, relative: 1e-9, absolute: TO_12_DIGITS };
    const { low, high } = crossing((x) => value(this.linkFor(x), x) - target, search);
    return low > -Infinity ? Math.min(high, search.ceiling) : 0;
  }

  /**
   * Heuristic: the largest spacing h at which the bracket of log δ should be `width` wide, for all ε of a link or near x. The two discretisations
   * add h²/6 and −h²/12 to the variance of each loss. That changes log M by T·θ(θ + 1)/2 times as much, T the number of steps. h is at most an
   * eighth of the composed standard deviation. It is a power of two, times the lattice of the losses if there is one. On that lattice the
   * discretisation is exact, so h is never finer.
   */
  stepFor(link: Link, x: number, width: number): number {
    const { mean, deviation, lowest } = link;
    const near = lowest && width < FINE && this.steps >= SEVERAL && x - mean <= NEAR * deviation;
    const theta = link.theta + (near ? NEAR : SPACING) / deviation;
    return this.meshFor(Math.min(Math.sqrt((8 * width) / (this.steps * theta * (theta + 1))), deviation / 8));
  }

  /** The largest power of two, times the lattice of the losses if there is one, that is at most `wanted`. */
  meshFor(wanted: number): number {
    let step = this.lattice ?? 2 ** -60;
    while (2 * step <= wanted) step *= 2;
    return step;
  }
}

/** log M(θ) − θε, which is log δ(ε) up to a factor that the tilted law decides. */
function exponent({ logMgf, theta }: Link, epsilon: number): number {
  return logMgf - theta * epsilon;
}

/**
 * Heuristic: log of M(θ)e^{−θx}·e^{−a²/2}/((1 + σs)(1 + s)), which approximates δ(x) by a normal tilted loss. σ is its standard deviation, a the
 * distance of x from its mean in σ, s = θ + a/σ the tilt for x. It enters no bound.
 */
function logDeltaNear({ theta, mean, deviation, logMgf, lowest }: Link, x: number): number {
  const local = Math.max(theta, theta + (x - mean) / (deviation * deviation));
  // at the lowest tilt and below the mean, δ is near 1
  const away = (lowest ? Math.max(0, x - mean) : x - mean) / deviation;
  const spread = log(1 + deviation * local) + log(1 + local);
  return Math.min(-1e-9 * x, logMgf - theta * x - 0.5 * away * away - spread);
}
