/**
 * Neumaier's compensated sum: its error hardly grows with the number of terms. Each partial sum of n terms of one sign has a relative error of at
 * most 2u + n²u².
 */
export class CompensatedSum {
  /** Sum of the rounding errors of `sum`. */
  private rest = 0;

  constructor(private sum = 0) {}

  add(x: number): void {
    const next = this.sum + x;
    this.rest += Math.abs(this.sum) >= Math.abs(x) ? this.sum - next + x : x - next + this.sum;
    this.sum = next;
  }

  get value(): number {
    return this.sum + this.rest;
  }
}
