/** Brackets of δ of a run at ascending ε from 0 on, stored as rows. */
import { Curve } from './curve.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { take } from '../lane/room.js';

export const MOST_POINTS: usize = 1536;
const ROW: usize = MOST_POINTS << 3;
/**
 * Rows: ε; both ends of log δ; a number about the point (OWN), and one about the interval up to the next point (NEXT). Callers compute the last two.
 * NaN where unknown.
 */
export const AT: usize = 0;
export const LOWER: usize = 1;
export const UPPER: usize = 2;
export const OWN: usize = 3;
export const NEXT: usize = 4;
const ROWS: usize = 5;

/** Points (ε and a bracket of log δ) of the privacy profile of one run. */
export class Points {
  n: usize = 0;
  private rows: usize;

  constructor(readonly curve: Curve) {
    this.rows = take(ROWS * MOST_POINTS);
  }

  get(row: usize, i: usize): f64 {
    return loadF64(this.rows + row * ROW + (i << 3));
  }
  set(row: usize, i: usize, value: f64): void {
    storeF64(this.rows + row * ROW + (i << 3), value);
  }

  /** Removes all points. */
  clear(): void {
    this.n = 0;
  }

  /** Sets the rows OWN and NEXT to NaN. */
  forget(): void {
    for (let i: usize = 0; i < this.n; i++) {
      this.set(OWN, i, NaN);
      this.set(NEXT, i, NaN);
    }
  }

  /**
   * Inserts a point as the i-th: an ε x between its neighbours, and the bracket of log δ(x). Returns whether there is one, and there was room.
   * Ensures: log δ(x) lies in the bracket stored.
   */
  insert(i: usize, x: f64): bool {
    if (this.n >= MOST_POINTS || !this.curve.at(x)) return false;
    for (let row: usize = 0; row < ROWS; row++)
      for (let k = this.n; k > i; k--) this.set(row, k, this.get(row, k - 1));
    this.n++;
    this.set(AT, i, x);
    this.set(LOWER, i, this.curve.lower);
    this.set(UPPER, i, this.curve.upper);
    this.set(OWN, i, NaN);
    this.set(NEXT, i, NaN);
    if (i > 0) this.set(NEXT, i - 1, NaN);
    return true;
  }

  /**
   * Inserts points that divide the interval from the i-th to the next ε into equal parts. False where one cannot be inserted, or the interval is too
   * short.
   */
  part(i: usize, parts: f64): bool {
    const from = this.get(AT, i);
    const gap = (this.get(AT, i + 1) - from) / parts;
    if (!(gap > 4e-15 * (1 + from))) return false;
    for (let k = parts - 1; k > 0; k--) if (!this.insert(i + 1, from + k * gap)) return false;
    return true;
  }
}
