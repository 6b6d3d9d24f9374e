/** Neumaier's sum: its error does not grow with the number of terms, and each partial sum of n terms of one sign is right to 2u + n²u². */
export class CompensatedSum {
  /** What rounding took of `sum`. */
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
