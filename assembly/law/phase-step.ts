/** One step of a phase before truncation: a Poisson-subsampled Gaussian, or two mixtures of Gaussians; and how it is truncated. */
import { countCumulant } from '../lane/room.js';
import { expm1Of, log1pOf } from '../functions/scalar.js';
import { Mixture } from './mixture.js';
import { MixtureStep, Sides } from './mixture-step.js';
import { QuadratureLaw } from './quadrature-law.js';
import { SampledGaussian } from './sampled-gaussian.js';
import { SampledStep } from './sampled-step.js';
import { cutFor, lossAt, sampledWindow, Window } from './window.js';

/** `outputOf` seeks outputs in ±FURTHEST, with HALVINGS steps of bisection. */
const FURTHEST: f64 = 64;
const HALVINGS = 40;
/** Heuristic: the sampling rate below which large losses count as rare. */
const OFTEN: f64 = 0.05;

export class PhaseStep {
  /** The largest shift of a component, μ for a sampled Gaussian. */
  readonly widest: f64;
  private sides: Sides | null = null;

  /**
   * @param mu, q μ and sampling rate of a sampled Gaussian; μ is 0 for mixtures.
   * @param own Address of the parameters of a step that is no sampled Gaussian.
   * @param count Number of steps of the phase.
   */
  constructor(
    readonly mu: f64,
    readonly q: f64,
    readonly own: usize,
    readonly count: f64 = 1,
  ) {
    countCumulant();
    let widest = mu;
    if (mu === 0) {
      const both = new Sides(own);
      this.sides = both;
      widest = Math.max(both.right(), both.left());
    }
    this.widest = widest;
  }

  /** Probability of large losses under Q: the sampling rate, or that of Q's shifted components. */
  fraction(): f64 {
    const sides = this.sides;
    return sides === null ? this.q : sides.fraction();
  }

  /** The loss at an output. */
  lossAt(x: f64): f64 {
    const sides = this.sides;
    return sides === null ? lossAt(this.mu, this.q, x) : sides.lossAt(x);
  }

  /** Heuristic: the output at which the loss is y ≥ 0, by the inverse of log(1 − q + qe^{μx − μ²/2}); for mixtures by bisection. */
  outputOf(y: f64): f64 {
    if (this.sides === null) return log1pOf(expm1Of(y) / this.q) / this.mu + this.mu / 2;
    let low: f64 = -FURTHEST;
    let high = FURTHEST;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = 0.5 * (low + high);
      if (this.lossAt(middle) < y) low = middle;
      else high = middle;
    }
    return high;
  }

  /**
   * Heuristic: the `cut` of a window (see `Window`) of this width that removes a Q-mass of at most e^{logMass}. For sampled Gaussians it does not
   * depend on the width.
   */
  cutFor(logMass: f64, width: f64): f64 {
    const sides = this.sides;
    return sides === null ? cutFor(this.mu, this.q, logMass) : sides.edgeFor(logMass, width);
  }

  /** The `cut` of the window whose upper edge is at an output. */
  cutAt(x: f64, width: f64): f64 {
    return this.sides === null ? x / Math.sqrt(1 + width * width) : x;
  }

  /** A window for the step. With a lower edge `from` above −∞ the masses it removes are bounded by 1 only. */
  window(cut: f64, width: f64, from: f64): Window {
    const sides = this.sides;
    return sides === null ? sampledWindow(this.mu, this.q, cut, width, from) : sides.window(cut, width, from);
  }

  /** The law of `count` steps under a window. */
  law(window: Window, depth: f64, count: f64): QuadratureLaw {
    const sides = this.sides;
    if (sides !== null) return new Mixture(new MixtureStep(sides, window), depth, count);
    return new SampledGaussian(new SampledStep(this.mu, this.q, window), depth, count);
  }
}

/** Windows for steps, each of which removes about a given Q-mass. */
export class Truncation {
  /** log of the Q-mass to be removed where large losses are not rare. */
  often: f64;
  /**
   * @param rare log of the Q-mass to be removed where large losses are rare.
   * @param width Width of the windows' smooth edges; ∞ for windows that keep all outputs.
   */
  constructor(
    private rare: f64,
    private width: f64,
  ) {
    countCumulant();
    this.often = rare;
  }

  /** The window of a step. Where its edge lies is heuristic. Ensures: it removes no more than the masses that it states. */
  windowOf(step: PhaseStep): Window {
    const logMass = step.fraction() < OFTEN ? this.rare : this.often;
    const cut = this.width < Infinity ? step.cutFor(logMass, this.width) : Infinity;
    return step.window(cut, this.width, -Infinity);
  }
}
