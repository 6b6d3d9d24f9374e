/**
 * Upper bound of log δ under addition of a record, for a run of Poisson-subsampled Gaussian steps. Chernoff bounds by closed-form inverse moments,
 * and chords of δ, give it without quadrature (docs/proofs/contour.md 16, 17).
 */
import { Phases } from '../law/directions.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { spend, take } from '../lane/room.js';
import { expm1Of, log1pOf, logOf } from '../functions/scalar.js';
import { logChernoff, logInverseMoment } from '../law/chernoff.js';

/** The smallest tilt s of the Chernoff bounds; tilts are s·APART^k. */
const FIRST: f64 = 0.5;
/** Ratio of neighbouring tilts. */
const APART: f64 = 1.3;
/** Least and largest number of tilts in the table. */
const LEAST_TILTS: f64 = 72;
const MOST_TILTS: f64 = 160;
/** The largest tilt s is about BEYOND/(smallest sampling rate). */
const BEYOND: f64 = 1000;
/** Number of ε at which a chord of δ from ε = 0 may end. */
const CHORDS: f64 = 32;

/** The upper bound for one run. */
export class AddingBound {
  /**
   * The largest loss under addition, −Σ steps·log(1 − rate), rounded up; ∞ with a Gaussian beside the steps, or with steps of other kinds. Ensures:
   * no loss exceeds it.
   */
  readonly largest: f64;
  /** A row for each tilt s: s, log of M(1 + s) times Chernoff's factor, and a bound of the rounding error of that log. */
  private table: usize;
  private tilts: usize;
  /**
   * The steepest chord found of δ, as a function of e^ε, from ε = 0. Here are log δ(0), the ε of the chord's other end, and its relative fall (δ(0) −
   * δ(end))/δ(0).
   */
  private atZero: f64 = Infinity;
  private end: f64 = 0;
  private fall: f64 = 0;

  /**
   * Tables upper bounds of log M(1 + s) under addition, with Chernoff's factor, at tilts s = FIRST·APART^k. log M(1 + s) is Σ log E[u^{−s}] over
   * steps, u a step's likelihood ratio. The term of the unsampled Gaussian is exact; `logInverseMoment` bounds those of sampled steps (contour.md
   * 16).
   */
  constructor(phases: Phases) {
    const end = phases.at + 24 * phases.many;
    let largest: f64 = phases.square > 0 ? Infinity : 0;
    let rate: f64 = 1;
    if (!phases.areSampled) largest = Infinity;
    for (let at = phases.at; at < end && largest < Infinity; at += 24) {
      largest -= loadF64(at, 16) * log1pOf(-loadF64(at, 8));
      rate = Math.min(rate, loadF64(at, 8));
    }
    this.largest = largest * (1 + 1e-12);
    const tilts = Math.ceil((logOf(BEYOND / FIRST) - logOf(rate)) / logOf(APART));
    // there is no closed-form bound of the inverse moments of mixtures
    this.tilts = phases.areSampled ? <usize>Math.max(LEAST_TILTS, Math.min(MOST_TILTS, tilts)) : 0;
    this.table = take(3 * this.tilts);
    spend(<f64>this.tilts * (60 + 160 * <f64>phases.many));
    let s = FIRST;
    for (let row = this.table; row < this.table + 24 * this.tilts; row += 24, s *= APART) {
      let value = 0.5 * phases.square * s * (1 + s) * (1 + 1e-14);
      for (let at = phases.at; at < end && value < Infinity; at += 24)
        value += loadF64(at, 16) * logInverseMoment(loadF64(at), loadF64(at, 8), s);
      storeF64(row, s);
      // 1 + s may be rounded; the rounding error that `at` adds covers that
      storeF64(row, value + logChernoff(1 + s), 8);
      storeF64(row, 1e-13 * (8 + value), 16);
    }
  }

  /**
   * The least Chernoff bound of the table; for x below the chord's end also that chord, as δ is convex in e^x. Ensures: no less than log δ(x), x ≥ 0.
   */
  at(x: f64): f64 {
    if (x >= this.largest) return -Infinity;
    spend(3 * <f64>this.tilts);
    let least: f64 = 0;
    for (let row = this.table; row < this.table + 24 * this.tilts; row += 24) {
      const drift = loadF64(row) * x;
      least = Math.min(least, loadF64(row, 8) - drift + loadF64(row, 16) + 1e-13 * drift);
    }
    if (!(x < this.end)) return least;
    const share = (this.fall * expm1Of(x)) / expm1Of(this.end);
    return Math.min(least, this.atZero + log1pOf(-share * (1 - 1e-14)) + 1e-14);
  }

  /**
   * Sets the chord of δ, as a function of e^x, that begins at the upper bound `atZero` of log δ(0). It is the steepest of CHORDS chords that end at
   * an ε up to `last` (contour.md 17). Ensures: the chord is an upper bound of δ, as its fall is rounded down.
   */
  beginAt(atZero: f64, last: f64): void {
    const most = Math.min(last, this.largest);
    let steepest: f64 = 0;
    this.end = 0;
    let end: f64 = 0;
    for (let k: f64 = 1; k <= CHORDS; k++) {
      const x = (most * k) / CHORDS;
      const fall = -expm1Of(Math.min(0, this.at(x) - atZero + 1e-14 * (1 + Math.abs(atZero))));
      const slope = fall / expm1Of(x);
      if (!(slope > steepest)) continue;
      steepest = slope;
      end = x;
      this.fall = fall * (1 - 1e-14);
    }
    this.atZero = atZero;
    this.end = end;
  }
}
