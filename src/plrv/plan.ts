import { commonLattice } from '../law/common-lattice.js';
import type { CountedLaw } from '../law/loss-law.js';
import { exp, log } from '../scalar.js';

const LN2 = 0.6931471805599453;
/** Tilts are θ = 2^{rung/8}. */
const RUNGS_PER_OCTAVE = 8;
const LOWEST_RUNG = -24 * RUNGS_PER_OCTAVE;
const HIGHEST_RUNG = 30 * RUNGS_PER_OCTAVE;
/** Neighbouring links lie this many standard deviations of the composed law apart. */
const SPACING = 3;
/** Digits given up for a smaller window, as a natural logarithm. */
const SPARE = 3;

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
}

interface Cumulants {
  readonly logMgf: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Where to compute. Nothing here is certified and nothing here enters a bracket: approximate cumulants
 * of the run under exponential tilts decide which tilt, mesh and window are worth composing.
 *
 * The ε axis is served by a chain of tilts whose composed laws lie a few standard deviations apart, each
 * with the tails of single losses cut where they stop to matter for the δ it serves. (Without the cut, a
 * tilt would see nothing but the rarest, largest losses of runs with low q and small σ.)
 */
export class Plan {
  private readonly chain: Link[] = [];
  private readonly steps: number;
  /** The last link's rung. */
  private rung = 0;
  private ended = false;
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
      const { loss, logWeight, logTail: depth } = law.nodes;
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
      logMgf += count * (top + log(s0));
      mean += (count * s1) / s0;
      variance += count * Math.max(0, s2 / s0 - (s1 / s0) ** 2);
    }
    return { logMgf, mean, variance: Math.max(variance, 1e-300) };
  }

  /** Where the tails of single losses may be cut for δ's of e^{logDelta} and above. */
  logTailFor(logDelta: number): number {
    const wanted = Math.min(0, logDelta) - log(this.steps) - this.margin - 4;
    return Math.max(DEEPEST_TAIL, 16 * Math.floor(wanted / 16));
  }

  private linkAt(index: number, rung: number, logTail: number): Link {
    const theta = exp((LN2 * rung) / RUNGS_PER_OCTAVE);
    const { logMgf, mean, variance } = this.cumulants(theta, logTail);
    return { index, theta, logTail, mean, deviation: Math.sqrt(variance), logMgf };
  }

  /** The next link of the chain, or undefined at the end of the ladder. */
  private extend(): Link | undefined {
    const last = this.chain[this.chain.length - 1];
    if (last === undefined) {
      // the smallest tilt worth having: a quarter of a standard deviation's inverse, less where rare large losses
      // would take over
      const logTail = this.logTailFor(-4);
      const { mean, variance } = this.cumulants(0, logTail);
      const deviation = Math.sqrt(variance);
      const wanted = (log(0.25 / deviation) / LN2) * RUNGS_PER_OCTAVE;
      this.rung = Math.max(LOWEST_RUNG, Math.min(HIGHEST_RUNG, Math.floor(wanted)));
      let first = this.linkAt(0, this.rung, logTail);
      while (first.mean - mean > deviation && this.rung > LOWEST_RUNG) {
        this.rung -= 2;
        first = this.linkAt(0, this.rung, logTail);
      }
      this.chain.push(first);
      return first;
    }
    if (this.ended) return undefined;
    // δ at the far end of what the next link will serve
    const deepest = logDeltaNear(last, last.mean + 1.5 * SPACING * last.deviation);
    const logTail = Math.min(last.logTail, this.logTailFor(deepest));
    const far = ({ mean }: Link): boolean => mean - last.mean >= SPACING * last.deviation;
    let link = last;
    let leap = 1;
    const start = this.rung;
    let near = start;
    // with more of the tail, rare large losses may have taken over already
    while (logTail < last.logTail && near > LOWEST_RUNG && far(this.linkAt(0, near, logTail))) near -= 2;
    for (;;) {
      const rung = near + leap;
      link = this.linkAt(this.chain.length, rung, logTail);
      if (far(link)) {
        if (leap === 1) {
          this.rung = rung;
          break;
        }
        // rare large losses may have taken over between the rungs left out
        leap = Math.ceil(leap / 4);
        continue;
      }
      near = rung;
      const progress = (link.mean - last.mean) / (SPACING * last.deviation);
      leap = progress < 0.1 ? Math.min(RUNGS_PER_OCTAVE, leap * 2) : 1;
      // where four octaves of tilt hardly move the law, it has piled up at its largest losses
      this.ended = rung >= HIGHEST_RUNG || rung - start > 4 * RUNGS_PER_OCTAVE || this.chain.length >= 512;
      if (this.ended) return undefined;
    }
    this.chain.push(link);
    return link;
  }

  /**
   * The link that serves ε: the one with the least log M(θ) − θε, under which δ(ε) loses the fewest digits, but one
   * whose composed law is much narrower as long as it loses few more than the next, for a far smaller window.
   */
  linkFor(epsilon: number): Link {
    let link = this.chain[0] ?? (this.extend() as Link);
    for (let k = 1; ; k++) {
      const next: Link | undefined = this.chain[k] ?? this.extend();
      const served = this.deepened(link, epsilon);
      const exponent = served.logMgf - served.theta * epsilon;
      if (next === undefined) return this.trimmed(served, exponent);
      const narrow = next.deviation > 1.5 * link.deviation;
      if (exponent - next.logMgf + next.theta * epsilon <= (narrow ? SPARE : 0))
        return this.trimmed(served, exponent);
      link = next;
    }
  }

  /** A link whose tails are cut too early for δ(ε) cannot tell: the same with more of them. */
  private deepened(link: Link, epsilon: number): Link {
    const logTail = this.logTailFor(link.logMgf - link.theta * epsilon);
    if (link.logTail <= logTail) return link;
    const { logMgf, mean, variance } = this.cumulants(link.theta, logTail);
    return { ...link, logTail, logMgf, mean, deviation: Math.sqrt(variance) };
  }

  /** A link that serves ε's far apart has tails for the deepest of them: less will do for a δ near e^{exponent}. */
  private trimmed(link: Link, exponent: number): Link {
    const enough = 32 * Math.floor(this.logTailFor(exponent - 8) / 32);
    return enough > link.logTail ? { ...link, logTail: enough } : link;
  }

  /** Rough length of the window that a composition at this link needs, in units of loss. */
  spanOf(link: Link): number {
    const { theta, logTail, logMgf, mean, deviation } = link;
    let span = 0;
    for (const side of [1, -1]) {
      let best = Infinity;
      // rare large losses are met with a small tilt
      for (let c = 8; c >= 1 / 256; c /= 2) {
        const s = (side * c) / deviation;
        const cumulant = this.cumulants(theta + s, logTail).logMgf - logMgf - s * mean;
        best = Math.min(best, ((cumulant + 41.5) * deviation) / c);
      }
      span += best;
    }
    return span;
  }

  /** Approximate ε ≥ 0 with log δ(ε) = logDelta. */
  guessEpsilon(logDelta: number): number {
    return this.invert(logDelta, logDeltaNear);
  }

  /** Approximate ω ≥ 0 with log Pr_P[L > ω] = logFpr. */
  guessOmega(logFpr: number): number {
    return this.invert(logFpr, logFprNear);
  }

  private invert(target: number, value: (link: Link, x: number) => number): number {
    let low = 0;
    let high = 1;
    while (high < 1e12 && value(this.linkFor(high), high) > target) {
      low = high;
      high *= 2;
    }
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      if (value(this.linkFor(middle), middle) > target) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  /**
   * Largest step at which the bracket of log δ is expected to be `width` wide all over a link: the two
   * discretisations spread each loss by step²/6 and −step²/12 of variance, which moves log M by T θ(θ+1)/2
   * times as much. Never coarser than an eighth of the composed deviation. A power of two, or where all losses
   * lie on one lattice a power of two times that: at the lattice itself nothing is spread, so it is never finer.
   */
  stepFor(link: Link, width: number): number {
    const theta = link.theta + SPACING / link.deviation;
    const wanted = Math.min(Math.sqrt((8 * width) / (this.steps * theta * (theta + 1))), link.deviation / 8);
    let step = this.lattice ?? 2 ** 20;
    if (this.lattice !== undefined) while (2 * step <= wanted) step *= 2;
    else while (step > wanted && step > 2 ** -60) step /= 2;
    return step;
  }
}

/** Distance from the mean of a link in deviations; below the first link's mean all that is asked is nearly certain. */
function distance({ index, mean, deviation }: Link, x: number): number {
  return index === 0 ? Math.max(0, x - mean) / deviation : (x - mean) / deviation;
}

/** log δ(x) by the normal approximation of the tilted law, x near its mean; capped at 0. */
function logDeltaNear(link: Link, x: number): number {
  const { theta, mean, deviation, logMgf } = link;
  const local = Math.max(theta, theta + (x - mean) / (deviation * deviation));
  const away = distance(link, x);
  const spread = log(1 + deviation * local) + log(1 + local);
  return Math.min(-1e-9 * x, logMgf - theta * x - 0.5 * away * away - spread);
}

/** log Pr_P[L > x], likewise. */
function logFprNear(link: Link, x: number): number {
  const { theta, deviation, logMgf } = link;
  const away = distance(link, x);
  return Math.min(-1e-9 * x, logMgf - (1 + theta) * x - 0.5 * away * away - log(1 + deviation * (1 + theta)));
}
