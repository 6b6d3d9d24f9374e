import type { Kernel } from '../kernel.js';
import type { Phase } from '../mechanism/phases.js';
import { exp, log } from '../scalar.js';
import { type Direction, discretise, lossRange } from './discretise.js';
import type { CountedMeasure } from './tilted-table.js';

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

/**
 * Where to compute: approximate cumulants of a run on a coarse lattice. Nothing here is certified and
 * nothing here enters a bracket; it only decides which tilt, mesh and window are worth composing.
 */
export class Plan {
  private readonly measures: CountedMeasure[];
  private readonly known = new Map<number, Cumulants>();

  constructor(
    private readonly kernel: Kernel,
    readonly phases: readonly Phase[],
    readonly direction: Direction,
  ) {
    this.measures = phases.map((phase) => {
      const [low, high] = lossRange(phase, direction, 2 ** -40, -700);
      const points = Math.min(16384, Math.max(2048, 400000 / phases.length));
      const step = ((high - low) * 2 ** -40) / points;
      return { measure: discretise(kernel, phase, direction, step, -700).upper, count: phase.count };
    });
  }

  cumulants(rung: number): Cumulants {
    let found = this.known.get(rung);
    if (found === undefined) {
      const theta = tiltOf(rung);
      let logMgf = 0;
      let mean = 0;
      let variance = 0;
      for (const { measure, count } of this.measures) {
        const { mass, first, step } = measure;
        const k = this.kernel.logMgf(mass, first, step, theta);
        const p = this.kernel.tilt(mass, first, step, theta, k);
        let m = 0;
        for (let i = 0; i < p.length; i++) m += p[i] * i;
        let v = 0;
        for (let i = 0; i < p.length; i++) v += p[i] * (i - m) * (i - m);
        logMgf += count * k;
        mean += count * step * (first + m);
        variance += count * step * step * v;
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

  /** Saddle-point approximation of log δ at `epsilonOf(rung)`. */
  private logDeltaAt(rung: number): number {
    const { theta, logMgf, variance } = this.cumulants(rung);
    const spread = variance + 1 / (theta * theta) + 1 / ((1 + theta) * (1 + theta));
    const approximate =
      logMgf - theta * this.epsilonOf(rung) - log(theta * (1 + theta)) - HALF_LOG_2PI - 0.5 * log(spread);
    return Math.min(approximate, 0);
  }

  /** Approximate ε with log δ(ε) = logDelta. */
  guessEpsilon(logDelta: number): number {
    let low = LOWEST_RUNG;
    let high = HIGHEST_RUNG;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.logDeltaAt(middle) > logDelta) low = middle;
      else high = middle;
    }
    const a = this.logDeltaAt(low);
    const b = this.logDeltaAt(high);
    const w = a > b ? Math.min(1, Math.max(0, (a - logDelta) / (a - b))) : 1;
    return this.epsilonOf(low) * (1 - w) + this.epsilonOf(high) * w;
  }

  /**
   * Largest step (a power of two) at which the bracket of log δ is expected to be `width` wide: the two
   * discretisations spread each loss by step²/6 and −step²/12 of variance, which moves log M by
   * T θ(θ+1)/2 times as much.
   */
  stepFor(rung: number, width: number): number {
    const { theta } = this.cumulants(rung);
    let steps = 0;
    for (const phase of this.phases) steps += phase.count;
    const wanted = Math.sqrt((8 * width) / (steps * theta * (theta + 1)));
    let step = 2;
    while (step > wanted) step /= 2;
    return step;
  }
}
