/** Both directions of a run of Poisson-subsampled Gaussian steps in phases, with a Gaussian that is not sampled, truncated. */
import { loadF64 } from '../memory.js';
import { logOf } from '../scalar.js';
import { Gaussian } from './gaussian.js';
import { Composed, Exchanged } from './law.js';
import { SampledGaussian } from './sampled-gaussian.js';
import { SampledStep } from './sampled-step.js';
import { cutFor, Window } from './window.js';

const LN10: f64 = 2.302585092994046;
/** Steps of smaller rates lose much rarely: for plans. */
const OFTEN: f64 = 0.05;
/** What a truncation may take of δ beside the level, and digits of integrals beyond it, as logarithms. */
export const TAKEN: f64 = -4;
export const SPARE: f64 = 6;

/** Where the numbers of a run stand: μ, rate and number of steps of each phase, and μ² of the Gaussian that is not sampled. */
export class Phases {
  constructor(
    readonly at: usize,
    readonly many: usize,
    readonly square: f64,
  ) {}

  /** How many steps are sampled. */
  steps(): f64 {
    let sum: f64 = 0;
    for (let at = this.at; at < this.at + 24 * this.many; at += 24) sum += loadF64(at, 16);
    return sum;
  }

  /** Whether a question can be asked of them: 0 < μ, 0 < rate < 1, 1 ≤ steps, 0 ≤ square, and all finite. */
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

  /** Truncated so that δ = e^{logDelta} loses nothing at a level. @param width Of the windows. */
  constructor(phases: Phases, logDelta: f64, level: f64, width: f64) {
    const end = phases.at + 24 * phases.many;
    const share = LN10 * level + TAKEN;
    const logCount = logOf(1 + phases.steps());
    const logMass = logDelta + share - logCount;
    for (let at = phases.at; at < end; at += 24) {
      const mu = loadF64(at);
      const q = loadF64(at, 8);
      const count = loadF64(at, 16);
      // lines of few steps end where the density at the cut, to their number, is no more than the share
      const few = Math.sqrt(-logDelta) + Math.sqrt(-share / count);
      const cut = cutFor(mu, q, q < OFTEN ? logMass : Math.min(logMass, -few * few));
      const window = new Window(mu, q, cut, width, -Infinity);
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
