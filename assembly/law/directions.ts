/** Both directions of a truncated run: steps in phases, and an unsampled Gaussian. */
import { EPOCHS, EXPONENTIAL, MIXTURE } from '../../src/kernel/constants.js';
import { loadF64 } from '../lane/memory.js';
import { logOf } from '../functions/scalar.js';
import { Allocation } from './allocation.js';
import { Bins } from './bins.js';
import { Gaussian } from './gaussian.js';
import { CutPowers, GaussianAndRest } from './gaussian-and-rest.js';
import { Composed, Exchanged, Law } from './law.js';
import { Sides } from './mixture-step.js';
import { PhaseStep } from './phase-step.js';
import { StepLaw } from './step-law.js';
import { wholeLaw } from './whole-law.js';

const LN10: f64 = 2.302585092994046;
/** Sampling rate below which large losses are rare: for plans. */
const OFTEN: f64 = 0.05;
/** The widest edge of a window, and numbers of widths that are tried, halving: narrower windows allow larger tilts. Epochs have none: see `Directions`. */
export const WIDEST: f64 = 0.5;
const WIDTHS = 5;
const WIDTHS_OF_EPOCHS = 2;
/** log of the fraction of 10^level·δ that truncation may take. */
export const TAKEN: f64 = -4;
/** Integrals over outputs are more accurate than the truncation by e^{−SPARE}. */
export const SPARE: f64 = 6;

/**
 * Addresses of a run's numbers: μ, rate and number of steps of each phase; and μ² of the unsampled Gaussian. A phase of other steps than sampled
 * Gaussians has its kind for μ, 0 or less. Instead of a rate stands where its own numbers begin, counted in numbers from the first phase.
 */
export class Phases {
  /** Whether all phases are sampled Gaussians: closed forms are theirs alone. */
  readonly areSampled: bool;
  /** Whether the outputs of all phases are truncated by windows: bands are theirs alone. */
  readonly areBanded: bool;
  /** Whether both directions are the same. */
  readonly areSymmetric: bool;
  readonly haveBins: bool;
  /** Number of widths of windows that are tried: narrower ones change nothing where no outputs are truncated. */
  readonly widths: i32;

  constructor(
    readonly at: usize,
    readonly many: usize,
    readonly square: f64,
  ) {
    let others: usize = 0;
    let wholes: usize = 0;
    let symmetric: usize = 0;
    let bins: usize = 0;
    for (let i: usize = 0; i < many; i++) {
      const kind = loadF64(at + 24 * i);
      if (kind > 0) continue;
      others++;
      if (kind < 0) wholes++;
      if (kind === EPOCHS) bins++;
      if (this.isSymmetric(at + 24 * i)) symmetric++;
    }
    this.areSampled = others === 0;
    this.areBanded = wholes === 0;
    this.areSymmetric = symmetric === many;
    this.haveBins = bins > 0;
    this.widths = wholes < many ? WIDTHS : bins > 0 ? WIDTHS_OF_EPOCHS : 1;
  }

  /** Where the own numbers of a phase of another kind are. */
  private ownOf(phase: usize): usize {
    return this.at + ((<usize>loadF64(phase, 8)) << 3);
  }
  private isSymmetric(phase: usize): bool {
    const kind = loadF64(phase);
    if (kind === MIXTURE) return new Sides(this.ownOf(phase)).isSymmetric();
    // unsampled Laplace noise
    return kind === EXPONENTIAL && loadF64(this.ownOf(phase)) === 1;
  }

  /** One step of the k-th phase, with how many there are. */
  stepOf(k: usize): PhaseStep {
    const at = this.at + 24 * k;
    return new PhaseStep(loadF64(at), loadF64(at, 8), this.ownOf(at), loadF64(at, 16));
  }

  /** Total number of sampled steps. */
  steps(): f64 {
    let sum: f64 = 0;
    for (let at = this.at; at < this.at + 24 * this.many; at += 24) sum += loadF64(at, 16);
    return sum;
  }

  /**
   * Whether the numbers are valid: 0 < μ, 0 < rate < 1, 1 ≤ steps, 0 ≤ square, all finite. `square` is μ² of the unsampled Gaussian. The own
   * numbers of other kinds are not looked at.
   */
  isRun(): bool {
    if (!(this.many > 0 && this.square >= 0 && this.square < Infinity)) return false;
    for (let at = this.at; at < this.at + 24 * this.many; at += 24) {
      const mu = loadF64(at);
      const q = loadF64(at, 8);
      const count = loadF64(at, 16);
      const isPlace = mu <= 0 && q >= 3 * <f64>this.many;
      if (!(isPlace || (mu > 0 && mu < Infinity && q > 0 && q < 1))) return false;
      if (!(count >= 1 && count < Infinity)) return false;
    }
    return true;
  }
}

export class Directions {
  readonly removing: Composed = new Composed();
  readonly adding: Composed = new Composed();

  /**
   * Truncates the steps such that δ = e^{logDelta} changes by less than 10^level of itself.
   * @param width Width of the windows' smooth edges. Epochs are a Gaussian and a rest if it is the widest, else whole.
   */
  constructor(phases: Phases, logDelta: f64, level: f64, width: f64) {
    const share = LN10 * level + TAKEN;
    const logCount = logOf(1 + phases.steps());
    const logMass = logDelta + share - logCount;
    for (let k: usize = 0; k < phases.many; k++) {
      const step = phases.stepOf(k);
      const count = step.count;
      const depth = SPARE - share + logCount;
      if (step.mu === EPOCHS) {
        this.appendEpochs(step.own, count, width < WIDEST ? -Infinity : logMass);
        continue;
      }
      if (step.mu < 0) {
        this.append(wholeLaw(step.mu, step.own, depth, count));
        continue;
      }
      // few steps at rates of OFTEN or more are cut further out: else |φ|^count may never fall below e^{share}
      const few = Math.sqrt(-logDelta) + Math.sqrt(-share / count);
      const deepest = Math.min(logMass, -few * few);
      const cut = step.cutFor(step.isRare(OFTEN) ? logMass : deepest, width);
      this.append(step.law(step.window(cut, width, -Infinity), depth, count));
    }
    if (phases.square > 0) {
      this.removing.append(new Gaussian(phases.square));
      this.adding.append(new Gaussian(phases.square));
    }
  }

  /** Adds epochs to both directions: a Gaussian and a rest, if so little is lost then, or whole. P and Q change places. */
  private appendEpochs(at: usize, count: f64, logMass: f64): void {
    const bins = new Bins(at);
    const powers = new CutPowers(at);
    if (!powers.lose(logMass)) {
      this.appendBoth(new Allocation(bins, count));
      return;
    }
    this.appendBoth(new GaussianAndRest(bins, powers, count));
    this.removing.loseUpTo(logOf(powers.lost), count);
    this.adding.loseUpTo(logOf(powers.lost), count);
  }
  private appendBoth(law: Law): void {
    this.removing.append(law);
    this.adding.append(new Exchanged(law));
  }

  /** Adds the steps of a phase to both directions. */
  private append(law: StepLaw): void {
    const window = law.window;
    this.appendBoth(law);
    this.removing.steepest = Math.min(this.removing.steepest, law.steepest);
    if (window.isWhole) return;
    this.removing.lose(window.logLostP, window.logLostQ, law.count);
    this.adding.lose(window.logLostQ, window.logLostP, law.count);
  }
}
