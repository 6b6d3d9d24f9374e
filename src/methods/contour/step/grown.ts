import { free } from '../../../numeric/meter.js';

/** Paths whose outputs are kept, of some 30 kB each as a rule: those of the bounds of |φ|, and of lines. Speed and memory hang on it. */
export const KEPT_PATHS = 32;
/** A path that is asked for more grows by this many outputs beyond it. */
export const MARGIN = 1;

const NONE = new Float64Array(0);

/** Rows of numbers, one for each node. */
export type Rows = readonly Float64Array[];

/** Nodes that grow at both ends: those made stay as they are. */
export class Grown {
  private first = 0;
  private rows: Rows = [];

  /** @param make The rows of nodes at outputs x. */
  constructor(
    private readonly h: number,
    private readonly make: (x: Float64Array) => Rows,
  ) {}

  /** Some rows of the nodes first … last, made if need be. */
  through(some: readonly number[], first: number, last: number, margin: number): Rows {
    const known = this.rows.length > 0 ? this.rows[0].length : 0;
    const end = this.first + known;
    if (known === 0) [this.rows, this.first] = [this.between(first, last + 1), first];
    else if (first < this.first || last >= end) {
      const low = Math.min(this.first, first - margin);
      const [before, behind] = [
        this.between(low, this.first),
        this.between(end, Math.max(end, last + margin + 1)),
      ];
      this.rows = this.rows.map((row, i) => {
        const wider = new Float64Array(before[i].length + known + behind[i].length);
        wider.set(before[i]);
        wider.set(row, before[i].length);
        wider.set(behind[i], before[i].length + known);
        return wider;
      });
      this.first = low;
    }
    const from = first - this.first;
    return some.map((i) => this.rows[i].subarray(from, from + last - first + 1));
  }

  private between(from: number, to: number): Rows {
    if (to <= from) return this.rows.map(() => NONE);
    const x = new Float64Array(to - from);
    for (let j = 0; j < x.length; j++) x[j] = this.h * (from + j);
    // the sums over them cost more
    return free(() => this.make(x));
  }
}
