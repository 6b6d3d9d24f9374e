import { commonLattice } from '../../law/lattice-atoms.js';
import type { CountedLaw } from '../../law/loss-law.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { exp, log } from '../../numeric/scalar.js';
import { crossing, firstBetween } from '../../numeric/solve.js';

/** Tilts are θ = 2^{rung/8}. */
const RUNGS_PER_OCTAVE = 8;
const LOWEST_RUNG = -24 * RUNGS_PER_OCTAVE;
const HIGHEST_RUNG = 30 * RUNGS_PER_OCTAVE;
/** Tails are cut at multiples of this: at most 43 cuts, so what is kept for each is little. */
const TAIL_STEP = 16;
/** Neighbouring links lie this many standard deviations of the composed law apart. */
const SPACING = 3;
/** The distance up to the mean of the lowest link, which is the widest. It holds from so many steps on, as few are far from normal, and where so narrow a bracket is asked for. */
const NEAR = 0.25;
const SEVERAL = 16;
const FINE = 1e-4;
/** Digits given up to share a tilt, as a natural logarithm; for a smaller window, what is left of those of an FFT. */
const SPARE = 3;
const FFT_DIGITS = 22;

/** Losses whose links are held. */
const MOST_SERVED = 64;

/** Normal tails are not followed beyond e^{this}. */
export const DEEPEST_TAIL = -672;

/** One tilt at which a run is worth composing, and the part of the ε axis it serves. */
export interface Link {
  readonly index: number;
  readonly theta: number;
  /** log of the normal tail beyond which single losses are given up to ∞. */
  readonly logTail: number;
  /** Approximate mean and standard deviation of the composed loss under the tilt. */
  readonly mean: number;
  readonly deviation: number;
  readonly logMgf: number;
  /** No smaller tilt is used with these tails. */
  readonly lowest: boolean;
}

interface Cumulants {
  readonly logMgf: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Where to compute. Nothing here is certified and nothing here enters a bracket. Approximate cumulants
 * of the run under exponential tilts decide which tilt, mesh and window are worth composing.
 *
 * The ε axis is served by a chain of tilts whose composed laws lie a few standard deviations apart. Each has the tails of single
 * losses truncated where they cease to matter for the δ it serves. (Otherwise a
 * tilt would see nothing but the rarest, largest losses of runs with low q and small σ.)
 */
export class Plan {
  /** By what is left of the tails: the largest loss of the composition and the lowest rung; by that and the rung, links. */
  private readonly tops = new LruCache<number, number>(Infinity);
  private readonly lowestRungs = new LruCache<number, number>(Infinity);
  private readonly links = new LruCache<number, Link>(Infinity);
  /** By ε: δ and tests often share one. */
  private readonly served = new LruCache<number, Link>(MOST_SERVED);
  readonly steps: number;
  /** Of all finite losses, if there is one. */
  readonly lattice: number | undefined;

  /** @param margin −log of the relative error that cut tails may cause. */
  constructor(
    private readonly laws: readonly CountedLaw[],
    private readonly margin: number,
  ) {
    this.steps = laws.reduce((sum, { count }) => sum + count, 0);
    const lattices = laws.flatMap(({ law }) => law.lattice ?? []);
    this.lattice = lattices.length === laws.length ? commonLattice(lattices) : undefined;
  }

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
      // nodes too far apart to meet any of its mass say nothing
      if (s0 === 0) continue;
      logMgf += count * (top + log(s0));
      mean += (count * s1) / s0;
      variance += count * Math.max(0, s2 / s0 - (s1 / s0) ** 2);
    }
    return { logMgf, mean, variance: Math.max(variance, 1e-300) };
  }

  /** Where the tails of single losses may be cut for δ's of e^{logDelta} and above. */
  logTailFor(logDelta: number): number {
    const wanted = Math.min(0, logDelta) - log(this.steps) - this.margin - 4;
    return Math.max(DEEPEST_TAIL, TAIL_STEP * Math.floor(wanted / TAIL_STEP));
  }

  private linkAt(rung: number, logTail: number): Link {
    // tails are cut at whole numbers
    return this.links.of(rung * 1024 - logTail, () => {
      const theta = exp((Math.LN2 * rung) / RUNGS_PER_OCTAVE);
      const { logMgf, mean, variance } = this.cumulants(theta, logTail);
      return { index: rung, theta, logTail, mean, deviation: Math.sqrt(variance), logMgf, lowest: false };
    });
  }

  /** The smallest tilt worth having: a quarter of a standard deviation's inverse, less where rare large losses would take over. */
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

  /** Where log M(θ) − θε is least, M with the tails of single losses cut: the mean of the tilted law passes ε there. */
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

  /** Largest loss of the composition with the tails of single losses cut. */
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
   * The link that serves ε. It is near the one under which δ(ε) loses the fewest digits. The tails of single losses are truncated where they do not matter for that δ.
   * Tilts are rounded to a few, a standard deviation or two of the composed law apart.
   * So neighbouring ε's share them. A much narrower law is taken where it loses few digits more.
   */
  linkFor(epsilon: number): Link {
    return this.served.of(epsilon, () => this.chosen(epsilon));
  }

  private chosen(epsilon: number): Link {
    let logTail = this.logTailFor(-4);
    let best = this.saddle(epsilon, logTail);
    // less of the tails makes δ look smaller, which asks for more of them
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
    // digits that the FFT has and the width does not need
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
    // of losses near x e^{−x} as much
    return this.invert(logFpr, (link, x) => logDeltaNear(link, x) - x);
  }

  private invert(target: number, value: (link: Link, x: number) => number): number {
    const search = { guess: 1, ceiling: 1e12, relative: 1e-9, absolute: 1e-12 };
    const { low, high } = crossing((x) => value(this.linkFor(x), x) - target, search);
    return low > -Infinity ? Math.min(high, search.ceiling) : 0;
  }

  /**
   * Largest step at which the bracket of log δ is expected to be `width` wide all over a link, or its part where x is. The two
   * discretisations spread each loss by step²/6 and −step²/12 of variance. That moves log M by T θ(θ+1)/2
   * times as much. Never coarser than an eighth of the composed deviation. A power of two; or, where all losses
   * lie on one lattice, a power of two times that. At the lattice itself nothing is spread, so it is never finer.
   */
  stepFor(link: Link, x: number, width: number): number {
    const { mean, deviation, lowest } = link;
    const near = lowest && width < FINE && this.steps >= SEVERAL && x - mean <= NEAR * deviation;
    const theta = link.theta + (near ? NEAR : SPACING) / deviation;
    return this.meshFor(Math.min(Math.sqrt((8 * width) / (this.steps * theta * (theta + 1))), deviation / 8));
  }

  /** The largest mesh step up to the one wanted. */
  meshFor(wanted: number): number {
    let step = this.lattice ?? 2 ** -60;
    while (2 * step <= wanted) step *= 2;
    return step;
  }
}

/** log M(θ) − θε: log δ(ε) but for what the tilted law makes of it. */
function exponent({ logMgf, theta }: Link, epsilon: number): number {
  return logMgf - theta * epsilon;
}

/** log δ(x) by the normal approximation of the tilted law, x near its mean; capped at 0. */
function logDeltaNear({ theta, mean, deviation, logMgf, lowest }: Link, x: number): number {
  const local = Math.max(theta, theta + (x - mean) / (deviation * deviation));
  // below the lowest link's mean all that is asked is nearly certain
  const away = (lowest ? Math.max(0, x - mean) : x - mean) / deviation;
  const spread = log(1 + deviation * local) + log(1 + local);
  return Math.min(-1e-9 * x, logMgf - theta * x - 0.5 * away * away - spread);
}
