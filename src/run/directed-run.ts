import type { Bracket } from '../numeric/bracket.js';
import type { ErrorBudget, Method } from './method.js';

/**
 * One direction of a composed run: the pair (P, Q) of output laws on two neighbouring data sets. L = log(dQ/dP) is the privacy
 * loss random variable. δ(ε) = E_Q[(1 − e^{ε−L})⁺] is the hockey-stick divergence. For subsampled mechanisms 'remove' is (P, Q) =
 * (base, mixture) and 'add' the exchanged pair; 'both' where they coincide.
 *
 * Every method (closed form, grid, …) is one implementation of this interface. Profile, trade-off curve, μ and regret are
 * computed from `logDelta` and `test` alone, whatever the method. Upper bounds of δ give supporting lines below the trade-off
 * curve. Certified tests give points above it.
 */
export interface DirectedRun {
  readonly direction: 'remove' | 'add' | 'both';
  readonly method: Method;
  /** Set if all finite losses are whole multiples of this number, and brackets of width 1e-11 cost no more than wide ones. */
  readonly lattice?: number | undefined;
  /**
   * Set if distinct steps were too many to be composed one by one. They are composed in this many groups, each bounded by its
   * worst and its best step.
   */
  readonly groups?: number | undefined;
  /** Bracket of log δ(∞): the mass of outputs that identify the record beyond doubt. −∞ for Gaussian noise. */
  readonly logInfinity: Bracket;
  /** δ(∞) itself, where it is this double exactly. */
  readonly infinity?: number | undefined;
  /** Bracket of the essential supremum of the finite losses, where it is known: below it δ(ε) > δ(∞), above it δ(ε) = δ(∞). */
  readonly largestLoss?: Bracket | undefined;
  /**
   * Bracket of log δ(ε), any real ε; `lower` may be −∞, `upper` ≤ 0. `width` is the width of the
   * bracket to aim at; a method that cannot reach it returns the best it has, and so may one whose `upper` is not
   * above `floor`.
   *
   * Ensures: log δ(ε) lies in the bracket.
   */
  logDelta(epsilon: number, width?: number, floor?: number): Bracket;
  /**
   * A test certified to exist, near the one that rejects when L > ω.
   *
   * Ensures: its false positive rate is at most e^{logFpr}, its true positive rate at least e^{logTpr}. If log δ(ω) is not above
   * `floor`, it may be any test with such bounds.
   */
  test(omega: number, width?: number, floor?: number): CertifiedTest;
  /** A cheap, uncertified guess of the ε with δ(ε) = e^{logDelta}. Only speed and width depend on it. */
  guessEpsilon(logDelta: number): number;
  /** A cheap, uncertified guess of the ω whose test has the false positive rate e^{logFpr}. Only speed and width depend on it. */
  guessOmega(logFpr: number): number;
  /** A cheap upper bound of log δ(ε), ε ≥ 0, by a formula, available before a method is built. */
  ceiling?(epsilon: number): number;
  /** Set where the trade-off curve is this polygon. */
  readonly vertices?: Vertices | undefined;
  /** The method of the answer at ε, if answers come from several methods: `method` is the one asked first. */
  methodAt?(epsilon: number, width?: number): Method;
  /** Error bounds by cause of the bracket of δ(ε), where the method keeps them. */
  explain?(epsilon: number, width?: number): ErrorBudget | undefined;
}

export interface CertifiedTest {
  readonly logFpr: number;
  readonly logTpr: number;
}

/** Vertices of the curve of a pair with finitely many losses: α ascends from 0, β falls to 0 at the last. */
export interface Vertices {
  readonly alpha: Float64Array;
  readonly beta: Float64Array;
  /** 1 − α and 1 − β, where they are known more accurately than by subtraction. */
  readonly rest?: { readonly alpha: Float64Array; readonly beta: Float64Array };
  /** Relative error of the rates; 0 where they are exact. */
  readonly relative: number;
}
