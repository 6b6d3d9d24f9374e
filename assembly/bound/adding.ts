/** log δ of adding a record to a run of sampled Gaussian steps, from above and without sums (docs/proofs/contour.md 16, 17). */
import { Phases } from '../law/directions.js';
import { loadF64, storeF64 } from '../memory.js';
import { spend, take } from '../room.js';
import { expm1Of, log1pOf, logOf } from '../scalar.js';
import { logChernoff, logInverseMoment } from './chernoff.js';

/** Tilts that are tried: the first, the factor between two, how many at least and at most, and how far beyond 1/rate they reach. */
const FIRST: f64 = 0.5;
const APART: f64 = 1.3;
const LEAST_TILTS: f64 = 72;
const MOST_TILTS: f64 = 160;
const BEYOND: f64 = 1000;
/** ε's at which a chord from 0 may end. */
const CHORDS: f64 = 32;

export class AddingBound {
  /** Ensures: no loss is larger. */
  readonly largest: f64;
  /** Tilts, log M there with Chernoff's factor, and what both are rounded by. */
  private table: usize;
  private tilts: usize;
  /** Where a chord of δ over e^ε begins, as log δ(0), and ends, and what it falls by between, over δ(0). */
  private atZero: f64 = Infinity;
  private end: f64 = 0;
  private fall: f64 = 0;

  constructor(phases: Phases) {
    const end = phases.at + 24 * phases.many;
    let largest: f64 = phases.square > 0 ? Infinity : 0;
    let rate: f64 = 1;
    for (let at = phases.at; at < end; at += 24) {
      largest -= loadF64(at, 16) * log1pOf(-loadF64(at, 8));
      rate = Math.min(rate, loadF64(at, 8));
    }
    this.largest = largest * (1 + 1e-12);
    const tilts = Math.ceil((logOf(BEYOND / FIRST) - logOf(rate)) / logOf(APART));
    this.tilts = <usize>Math.max(LEAST_TILTS, Math.min(MOST_TILTS, tilts));
    this.table = take(3 * this.tilts);
    spend(<f64>this.tilts * (60 + 160 * <f64>phases.many));
    let s = FIRST;
    for (let row = this.table; row < this.table + 24 * this.tilts; row += 24, s *= APART) {
      let value = 0.5 * phases.square * s * (1 + s) * (1 + 1e-14);
      for (let at = phases.at; at < end && value < Infinity; at += 24)
        value += loadF64(at, 16) * logInverseMoment(loadF64(at), loadF64(at, 8), s);
      storeF64(row, s);
      // 1 + s may be rounded, but less than what `at` adds
      storeF64(row, value + logChernoff(1 + s), 8);
      storeF64(row, 1e-13 * (8 + value), 16);
    }
  }

  /** Ensures: no less than log δ(x), x ≥ 0. */
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

  /** Lets chords begin at log δ(0), which is no more than this: the steepest of those that end at some ε's up to one. */
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
