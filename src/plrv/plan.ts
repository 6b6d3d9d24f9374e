import type { Phase } from '../mechanism/phases.js';
import { exp, log } from '../scalar.js';
import type { Direction } from './discretise.js';
import { subsampledLoss } from './subsampling.js';

/** Tilts form a ladder θ = 2^{rung/8}, so that neighbouring queries share tables. */
export const RUNGS_PER_OCTAVE = 8;
const LOWEST_RUNG = -20 * RUNGS_PER_OCTAVE;
const HIGHEST_RUNG = 24 * RUNGS_PER_OCTAVE;
const LN2 = 0.6931471805599453;
const HALF_LOG_2PI = 0.9189385332046727;

export function tiltOf(rung: number): number {
  return exp((LN2 * rung) / RUNGS_PER_OCTAVE);
}

/** Approximate cumulants of the whole run under a tilt. */
interface Cumulants {
  readonly theta: number;
  readonly logMgf: number;
  readonly mean: number;
  readonly variance: number;
}

/** The loss law of one phase on equally spaced outputs: losses and log weights. */
interface Nodes {
  readonly loss: Float64Array;
  readonly logWeight: Float64Array;
  readonly count: number;
}

/** Outputs from −40 to 40 σ around the two means, ten a σ: the trapezoidal rule is then exact to double precision. */
function nodesOf(phase: Phase, direction: Direction): Nodes {
  const { sigma, rate, count } = phase;
  const h = sigma / 10;
  const n = Math.min(20000, 800 + Math.ceil(1 / h));
  const loss = new Float64Array(n);
  const logWeight = new Float64Array(n);
  const low = -40 * sigma;
  const stride = (1 + 80 * sigma) / n;
  for (let i = 0; i < n; i++) {
    const o = low + stride * i;
    const y = subsampledLoss((2 * o - 1) / (2 * sigma * sigma), rate);
    const base = (-0.5 * o * o) / (sigma * sigma) - HALF_LOG_2PI + log(stride / sigma);
    loss[i] = direction === 'remove' ? y : -y;
    logWeight[i] = direction === 'remove' ? base + y : base;
  }
  return { loss, logWeight, count };
}

/**
 * Where to compute: approximate cumulants of a run. Nothing here is certified and nothing here enters
 * a bracket; it only decides which tilt, mesh and window are worth composing.
 */
export class Plan {
  private readonly nodes: Nodes[];
  private readonly known = new Map<number, Cumulants>();

  constructor(
    readonly phases: readonly Phase[],
    direction: Direction,
  ) {
    this.nodes = phases.map((phase) => nodesOf(phase, direction));
  }

  cumulants(rung: number): Cumulants {
    let found = this.known.get(rung);
    if (found === undefined) {
      const theta = tiltOf(rung);
      let logMgf = 0;
      let mean = 0;
      let variance = 0;
      for (const { loss, logWeight, count } of this.nodes) {
        let top = -Infinity;
        for (let i = 0; i < loss.length; i++) top = Math.max(top, logWeight[i] + theta * loss[i]);
        let s0 = 0;
        let s1 = 0;
        let s2 = 0;
        for (let i = 0; i < loss.length; i++) {
          const w = exp(logWeight[i] + theta * loss[i] - top);
          s0 += w;
          s1 += w * loss[i];
          s2 += w * loss[i] * loss[i];
        }
        logMgf += count * (top + log(s0));
        mean += (count * s1) / s0;
        variance += count * Math.max(0, s2 / s0 - (s1 / s0) ** 2);
      }
      found = { theta, logMgf, mean, variance };
      this.known.set(rung, found);
    }
    return found;
  }

  /** The ε whose saddle point is this rung's tilt: T K'(θ) − 1/θ − 1/(1+θ). */
  epsilonOf(rung: number): number {
    const { theta, mean } = this.cumulants(rung);
    return mean - 1 / theta - 1 / (1 + theta);
  }

  /** The rung whose saddle is nearest to ε. */
  rungFor(epsilon: number): number {
    let low = LOWEST_RUNG;
    let high = HIGHEST_RUNG;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.epsilonOf(middle) < epsilon) low = middle;
      else high = middle;
    }
    return high;
  }

  /** Saddle-point approximations at `epsilonOf(rung)`: log δ, and log Pr_P[L > ε]. */
  private logDeltaAt(rung: number): number {
    const { theta, logMgf, variance } = this.cumulants(rung);
    const spread = variance + 1 / (theta * theta) + 1 / ((1 + theta) * (1 + theta));
    return Math.min(
      0,
      logMgf - theta * this.epsilonOf(rung) - log(theta * (1 + theta)) - HALF_LOG_2PI - 0.5 * log(spread),
    );
  }

  private logFprAt(rung: number): number {
    return this.logDeltaAt(rung) + log(this.cumulants(rung).theta) - this.epsilonOf(rung);
  }

  /** Approximate ε with log δ(ε) = logDelta. */
  guessEpsilon(logDelta: number): number {
    return this.invert((rung) => this.logDeltaAt(rung), logDelta);
  }

  /** Approximate ω with log Pr_P[L > ω] = logFpr. */
  guessOmega(logFpr: number): number {
    return this.invert((rung) => this.logFprAt(rung), logFpr);
  }

  /** The ε at which a function decreasing along the ladder takes a value. */
  private invert(value: (rung: number) => number, target: number): number {
    let low = LOWEST_RUNG;
    let high = HIGHEST_RUNG;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (value(middle) > target) low = middle;
      else high = middle;
    }
    const a = value(low);
    const b = value(high);
    const w = a > b ? Math.min(1, Math.max(0, (a - target) / (a - b))) : 1;
    return this.epsilonOf(low) * (1 - w) + this.epsilonOf(high) * w;
  }

  /**
   * Largest step (a power of two) at which the bracket of log δ is expected to be `width` wide: the two
   * discretisations spread each loss by step²/6 and −step²/12 of variance, which moves log M by
   * T θ(θ+1)/2 times as much. Never coarser than an eighth of the composed law's standard deviation.
   */
  stepFor(rung: number, width: number): number {
    const { theta, variance } = this.cumulants(rung);
    let steps = 0;
    for (const phase of this.phases) steps += phase.count;
    const wanted = Math.min(Math.sqrt((8 * width) / (steps * theta * (theta + 1))), Math.sqrt(variance) / 8);
    let step = 2 ** 10;
    while (step > wanted && step > 2 ** -50) step /= 2;
    return step;
  }

  /** Rough number of lattice points per unit of step that a composition at this rung spans. */
  spanOf(rung: number): number {
    return 20 * Math.sqrt(this.cumulants(rung).variance);
  }
}
