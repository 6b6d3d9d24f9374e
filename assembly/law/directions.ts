/** Both directions of a truncated run, removing and adding a record. A run has phases of identical steps, and an unsampled Gaussian. */
import { BLEND, EPOCHS, EXPONENTIAL, LN10, MIXTURE } from '../../src/kernel/constants.js';
import { loadF64 } from '../lane/memory.js';
import { logOf } from '../functions/scalar.js';
import { Allocation } from './allocation.js';
import { Bins } from './bins.js';
import { areMirrored, Blend } from './blend.js';
import { Gaussian } from './gaussian.js';
import { CutPowers, GaussianAndRest } from './gaussian-and-rest.js';
import { Composed, Exchanged, Law } from './law.js';
import { Sides } from './mixture-step.js';
import { PhaseStep, Truncation } from './phase-step.js';
import { StepLaw } from './step-law.js';
import { wholeLaw } from './whole-law.js';

/** The widest smooth edge of a window. Each width that is tried is half of the last, as narrower edges allow larger tilts. */
export const WIDEST: f64 = 0.5;
/** Number of widths that are tried. */
const WIDTHS = 5;
/** As WIDTHS, for runs in which balls-and-bins epochs alone are truncated. Windows do not truncate these (`Directions`): the widest width splits them. */
const WIDTHS_OF_EPOCHS = 2;
/** log of the fraction of the tolerated error 10^level·δ that truncation may have. */
export const TAKEN: f64 = -4;
/** Below this log of the mass that truncation may remove, nothing is truncated. Only speed and the tightness of brackets depend on it. */
const DEEPEST: f64 = -25000;
/** Integrals over outputs are more accurate than the truncation by a factor e^{−SPARE}. */
export const SPARE: f64 = 6;

/**
 * The phases of a run in memory: μ, sampling rate and number of steps of each, and μ² of the unsampled Gaussian (`square`). A phase that is no
 * sampled Gaussian has its kind, 0 or less, in place of μ. In place of the rate it has the index of its parameters, counted in numbers from the first
 * phase.
 */
export class Phases {
  /** Whether all phases are sampled Gaussians; closed forms exist for these only. */
  readonly areSampled: bool;
  /** Whether the outputs of all phases are truncated by one window each, as bands of the largest loss (`Band`) require. */
  readonly areBanded: bool;
  /** Whether each phase is its own mirror image, so that both directions have the same privacy profile. */
  readonly areSymmetric: bool;
  readonly haveBins: bool;
  /** Number of widths of windows that are tried: 2 where epochs alone are truncated, 1 where nothing is. */
  readonly widths: i32;

  /**
   * @param at Address of the numbers of `many` phases.
   * @param square μ² of the unsampled Gaussian.
   */
  constructor(
    readonly at: usize,
    readonly many: usize,
    readonly square: f64,
  ) {
    let others: usize = 0;
    let wholes: usize = 0;
    let blends: usize = 0;
    let symmetric: usize = 0;
    let bins: usize = 0;
    for (let i: usize = 0; i < many; i++) {
      const kind = loadF64(at + 24 * i);
      if (kind > 0) continue;
      others++;
      if (kind === BLEND) blends++;
      else if (kind < 0) wholes++;
      if (kind === EPOCHS) bins++;
      if (this.isSymmetric(at + 24 * i)) symmetric++;
    }
    this.areSampled = others === 0;
    this.areBanded = wholes + blends === 0;
    this.areSymmetric = symmetric === many;
    this.haveBins = bins > 0;
    this.widths = wholes < many ? WIDTHS : bins > 0 ? WIDTHS_OF_EPOCHS : 1;
  }

  /** Address of the parameters of a phase that is no sampled Gaussian. */
  private ownOf(phase: usize): usize {
    return this.at + ((<usize>loadF64(phase, 8)) << 3);
  }
  private isSymmetric(phase: usize): bool {
    const kind = loadF64(phase);
    if (kind === MIXTURE) return new Sides(this.ownOf(phase)).isSymmetric();
    if (kind === BLEND) return areMirrored(this.ownOf(phase));
    // sampling rate 1
    return kind === EXPONENTIAL && loadF64(this.ownOf(phase)) === 1;
  }

  /** One step of the k-th phase, with the number of its steps. */
  stepOf(k: usize): PhaseStep {
    const at = this.at + 24 * k;
    return new PhaseStep(loadF64(at), loadF64(at, 8), this.ownOf(at), loadF64(at, 16));
  }

  /** Total number of steps of all phases. */
  steps(): f64 {
    let sum: f64 = 0;
    for (let at = this.at; at < this.at + 24 * this.many; at += 24) sum += loadF64(at, 16);
    return sum;
  }

  /**
   * Whether the numbers are valid: 0 < μ, 0 < rate < 1, 1 ≤ steps, 0 ≤ square, all finite. Of other kinds the index of the parameters is checked, not
   * the parameters. The comparisons are exact.
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

/** The composed laws of both directions, truncated. */
export class Directions {
  readonly removing: Composed = new Composed();
  readonly adding: Composed = new Composed();

  /**
   * Heuristic: truncates the steps such that δ = e^{logDelta} changes by less than about 10^level of itself. The masses that this removes are bounded
   * and stored in the laws.
   * @param width Width of the windows' smooth edges. At the widest, epochs are split into a Gaussian and a rest (`GaussianAndRest`) where that is
   * possible. Otherwise they are not truncated.
   */
  constructor(phases: Phases, logDelta: f64, level: f64, width: f64) {
    const share = LN10 * level + TAKEN;
    const logCount = logOf(1 + phases.steps());
    const logMass = logDelta + share - logCount;
    const truncation = new Truncation(logMass, logMass < DEEPEST ? Infinity : width);
    for (let k: usize = 0; k < phases.many; k++) {
      const step = phases.stepOf(k);
      const count = step.count;
      const depth = SPARE - share + logCount;
      if (step.mu === EPOCHS) {
        this.appendEpochs(step.own, count, width < WIDEST ? -Infinity : logMass);
        continue;
      }
      if (step.mu < 0 && step.mu !== BLEND) {
        this.append(wholeLaw(step.mu, step.own, depth, count));
        continue;
      }
      // few steps with frequent large losses (see `Truncation`) are truncated further out, so that |φ|^count falls below the tolerated error e^{share}.
      const few = Math.sqrt(-logDelta) + Math.sqrt(-share / count);
      truncation.often = Math.min(logMass, -few * few);
      if (step.mu === BLEND) this.appendBlend(new Blend(step.own, truncation, depth, count));
      else this.append(step.law(truncation.windowOf(step), depth, count));
    }
    if (phases.square > 0) {
      this.removing.append(new Gaussian(phases.square));
      this.adding.append(new Gaussian(phases.square));
    }
  }

  /**
   * Adds epochs to both directions. If truncation of the rest by at most e^{logMass} is possible, they are a Gaussian and a rest (`GaussianAndRest`),
   * else whole (`Allocation`). The bound of the lost mass holds for P and for Q.
   */
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
  /** The law for removing a record, and with P and Q exchanged for adding one. */
  private appendBoth(law: Law): void {
    this.removing.append(law);
    this.adding.append(new Exchanged(law));
  }

  /** Adds the steps of a phase to both directions, and the masses that their window removes. */
  private append(law: StepLaw): void {
    const window = law.window;
    this.appendBoth(law);
    this.removing.steepest = Math.min(this.removing.steepest, law.steepest);
    if (window.isWhole) {
      this.removing.leaveOut(window.logLostP, window.logLostQ, law.count);
      this.adding.leaveOut(window.logLostQ, window.logLostP, law.count);
    } else this.lose(window.logLostP, window.logLostQ, law.count);
  }
  /** `append` for steps of several branches, each of which may have a window. */
  private appendBlend(law: Blend): void {
    this.appendBoth(law);
    this.removing.steepest = Math.min(this.removing.steepest, law.steepest);
    if (law.logLostQ > -Infinity) this.lose(law.logLostP, law.logLostQ, law.count);
  }
  /** Adds upper bounds of the logs of the P- and Q-masses that truncation removes from each of `count` steps to both directions (`Composed.lose`). */
  private lose(logLostP: f64, logLostQ: f64, count: f64): void {
    this.removing.lose(logLostP, logLostQ, count);
    this.adding.lose(logLostQ, logLostP, count);
  }
}

/**
 * The composition of all phases without truncation, in the direction of removing a record.
 * @param depth −log of the relative accuracy of integrals over outputs.
 */
export function untruncated(phases: Phases, depth: f64): Composed {
  const run = new Composed();
  const all = new Truncation(0, Infinity);
  for (let k: usize = 0; k < phases.many; k++) {
    const step = phases.stepOf(k);
    if (step.mu === EPOCHS) run.append(new Allocation(new Bins(step.own), step.count));
    else if (step.mu === BLEND) run.append(new Blend(step.own, all, depth, step.count));
    else if (step.mu < 0) run.append(wholeLaw(step.mu, step.own, depth, step.count));
    else run.append(step.law(all.windowOf(step), depth, step.count));
  }
  return run;
}
