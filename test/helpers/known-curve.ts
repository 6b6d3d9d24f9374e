/** Symmetric curves that are known by formulas, and what is known of them badly. */

import { Phases } from '../../assembly/law/directions.js';
import { Curve } from '../../assembly/question/curve.js';
import { deltaGdp, log, normalCdf, normalQuantileLog } from '../../src/numeric/scalar.js';

/** δ, and both rates of the test of L > ε. */
interface Part {
  readonly delta: (epsilon: number) => number;
  readonly fpr: (epsilon: number) => number;
  readonly tpr: (epsilon: number) => number;
}

export const gaussian = (mu: number): Part => ({
  delta: (epsilon) => deltaGdp(mu, epsilon),
  fpr: (epsilon) => normalCdf(-epsilon / mu - mu / 2),
  tpr: (epsilon) => normalCdf(mu / 2 - epsilon / mu),
});

/** Of the scale 1/most. */
export const laplace = (most: number): Part => ({
  delta: (epsilon) => Math.max(0, -Math.expm1((epsilon - most) / 2)),
  fpr: (epsilon) => (epsilon < most ? Math.exp((-epsilon - most) / 2) / 2 : 0),
  tpr: (epsilon) => (epsilon < most ? 1 - Math.exp((epsilon - most) / 2) / 2 : 0),
});

/** One of several, and it is told which. */
export class Mixed {
  constructor(
    readonly parts: readonly Part[],
    readonly shares: readonly number[],
  ) {}
  private sum(of: (part: Part) => number): number {
    return this.parts.reduce((sum, part, i) => sum + this.shares[i]! * of(part), 0);
  }
  delta(epsilon: number): number {
    return this.sum((part) => part.delta(epsilon));
  }
  fpr(epsilon: number): number {
    return this.sum((part) => part.fpr(epsilon));
  }
  /** 1 − f(α) at an α below the false positive rate of the test at 0, or on the way from there to the fixed point of f. */
  power(alpha: number): number {
    const head = this.fpr(0) > alpha ? this.headAt(alpha) : 0;
    return this.delta(head) + Math.exp(head) * alpha;
  }
  /** What a Gaussian needs to lie below f where its slope is −e^ε. */
  muAt(epsilon: number): number {
    const tpr = this.sum((part) => part.tpr(epsilon));
    return normalQuantileLog(log(tpr)) - normalQuantileLog(log(this.fpr(epsilon)));
  }
  /** Where the false positive rate is α. */
  headAt(alpha: number): number {
    let [low, high] = [0, 100];
    for (let i = 0; i < 100; i++) {
      const middle = (low + high) / 2;
      if (this.fpr(middle) > alpha) low = middle;
      else high = middle;
    }
    return low;
  }
  mu(alpha: number): number {
    const head = this.headAt(alpha);
    return Math.max(...Array.from({ length: 1001 }, (_, i) => this.muAt((head * i) / 1000)));
  }
  /** From below: at so many slopes. */
  regret(mu: number): number {
    const gaps = Array.from({ length: 601 }, (_, i) => {
      const epsilon = i / 100;
      return (deltaGdp(mu, epsilon) - this.delta(epsilon)) / (1 + Math.exp(epsilon));
    });
    return Math.max(0, ...gaps);
  }
}

/** How badly δ is known, to which side it is off, and how far off the guess of the false positive rate is, as a logarithm. */
export interface Known {
  readonly width: number;
  readonly side: number;
  readonly miss: number;
}

export class KnownCurve extends Curve {
  constructor(
    private readonly mixed: Mixed,
    private readonly known: Known,
  ) {
    super(new Phases(0, 0, 0));
  }
  override at(x: number): boolean {
    const { width, side, miss } = this.known;
    const exact = log(this.mixed.delta(x));
    this.lower = exact - width * (1 + side) - 1e-14 * Math.abs(exact);
    this.upper = exact + width * (1 - side) + 1e-14 * Math.abs(exact);
    this.logFpr = log(this.mixed.fpr(x)) + miss * Math.min(1, x);
    return true;
  }
}

export const CURVES = [
  ['Gaussians, the larger at the edge', new Mixed([gaussian(0.5), gaussian(1.2)], [0.7, 0.3])],
  ['Gaussians, the larger rare', new Mixed([gaussian(0.2), gaussian(2.5)], [0.98, 0.02])],
  ['Laplace noise, and Gaussian rarely', new Mixed([laplace(1.5), gaussian(0.3)], [0.9, 0.1])],
] as const;
