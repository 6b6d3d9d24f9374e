/** Both directions of a truncated run: Poisson-subsampled Gaussian steps in phases, and an unsampled Gaussian. */
import { loadF64 } from '../memory.js';
import { logOf } from '../scalar.js';
import { Gaussian } from './gaussian.js';
import { Composed, Exchanged } from './law.js';
import { SampledGaussian } from './sampled-gaussian.js';
import { SampledStep } from './sampled-step.js';
import { cutFor, sampledWindow } from './window.js';

const LN10: f64 = 2.302585092994046;
/** Sampling rate below which large losses are rare: for plans. */
const OFTEN: f64 = 0.05;
/** log of the fraction of 10^level·δ that truncation may take. */
export const TAKEN: f64 = -4;
/** Integrals over outputs are more accurate than the truncation by e^{−SPARE}. */
export const SPARE: f64 = 6;

/** Addresses of a run's numbers: μ, rate and number of steps of each phase; and μ² of the unsampled Gaussian. */
export class Phases {
  constructor(
    readonly at: usize,
    readonly many: usize,
    readonly square: f64,
  ) {}

  /** Total number of sampled steps. */
  steps(): f64 {
    let sum: f64 = 0;
    for (let at = this.at; at < this.at + 24 * this.many; at += 24) sum += loadF64(at, 16);
    return sum;
  }

  /** Whether the numbers are valid: 0 < μ, 0 < rate < 1, 1 ≤ steps, 0 ≤ square, all finite. `square` is μ² of the unsampled Gaussian. */
  isRun(): bool {
    if (!(this.many > 0 && this.square >= 0 && this.square < Infinity)) return false;
    for (let at = this.at; at < this.at + 24 * this.many; at += 24) {
      const mu = loadF64(at);
      const q = loadF64(at, 8);
      const count = loadF64(at, 16);
      if (!(mu > 0 && mu < Infinity && q > 0 && q < 1 && count >= 1 && count < Infinity)) return false;
    }
    return true;
  }
}

export class Directions {
  readonly removing: Composed = new Composed();
  readonly adding: Composed = new Composed();

  /**
   * Truncates the steps such that δ = e^{logDelta} changes by less than 10^level of itself.
   * @param width Width of the windows' smooth edges.
   */
  constructor(phases: Phases, logDelta: f64, level: f64, width: f64) {
    const end = phases.at + 24 * phases.many;
    const share = LN10 * level + TAKEN;
    const logCount = logOf(1 + phases.steps());
    const logMass = logDelta + share - logCount;
    for (let at = phases.at; at < end; at += 24) {
      const mu = loadF64(at);
      const q = loadF64(at, 8);
      const count = loadF64(at, 16);
      // few steps at rates of OFTEN or more are cut further out: else |φ|^count may never fall below e^{share}
      const few = Math.sqrt(-logDelta) + Math.sqrt(-share / count);
      const cut = cutFor(mu, q, q < OFTEN ? logMass : Math.min(logMass, -few * few));
      const window = sampledWindow(mu, q, cut, width, -Infinity);
      const law = new SampledGaussian(new SampledStep(mu, q, window), SPARE - share + logCount, count);
      this.removing.append(law);
      this.removing.lose(window.logLostP, window.logLostQ, count);
      this.removing.steepest = Math.min(this.removing.steepest, law.steepest);
      this.adding.append(new Exchanged(law));
      this.adding.lose(window.logLostQ, window.logLostP, count);
    }
    if (phases.square > 0) {
      this.removing.append(new Gaussian(phases.square));
      this.adding.append(new Gaussian(phases.square));
    }
  }
}
