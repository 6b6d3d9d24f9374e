import { floats } from '../../../kernel/floats.js';
import { U } from '../../../numeric/constants.js';
import { atan2, log } from '../../../numeric/scalar.js';
import type { PathSums } from '../step/path-sums.js';
import type { LogPhiLine } from '../step/spectral-law.js';

/** Whole powers up to this are products. */
const MOST_FACTORS = 4;

/** log of ∏ φ_k^{T_k} on a line: products of φ_k where powers are small whole numbers, which leave the phase known up to full turns, and sums of logarithms elsewhere. */
export class LineProduct {
  private readonly re: Float64Array;
  private readonly im: Float64Array;
  private readonly modulus: Float64Array;
  private readonly phase: Float64Array;
  private readonly error: Float64Array;
  private readonly quadrature: Float64Array;
  private readonly bounded: Uint8Array;
  private factors = 0;

  constructor(private readonly n: number) {
    [this.re, this.im, this.modulus, this.phase, this.error, this.quadrature] = [0, 1, 2, 3, 4, 5].map(() =>
      floats(n),
    );
    this.re.fill(1);
    this.bounded = new Uint8Array(n);
  }

  /** By (1 + re + i·im)^count, |errors| ≤ `wrong` (rounding) and `missing` (the rest). */
  multiply({ re, im, wrong, missing }: PathSums, count: number): void {
    const whole = count === Math.floor(count) && count <= MOST_FACTORS ? count : 0;
    this.factors += whole;
    for (let k = 0; k < this.n; k++) {
      const [x, y] = [1 + re[k], im[k]];
      const modulus = Math.sqrt(x * x + y * y);
      const doubt = (1.34 * (wrong[k] + missing)) / modulus;
      if (!(doubt < 0.33 && count * doubt < 0.4)) {
        this.modulus[k] += count * Math.min(0, log(modulus + wrong[k] + missing + 8 * U) + 4 * U);
        this.bounded[k] = 1;
        continue;
      }
      this.quadrature[k] += (1.34 * count * missing) / modulus;
      this.error[k] += (1.34 * count * wrong[k]) / modulus;
      for (let i = 0; i < whole; i++) {
        const real = this.re[k] * x - this.im[k] * y;
        this.im[k] = this.re[k] * y + this.im[k] * x;
        this.re[k] = real;
      }
      if (whole === 0) {
        const turn = count * atan2(y, x);
        this.modulus[k] += count * log(modulus);
        this.phase[k] += turn;
        this.error[k] +=
          8 * U * (count + Math.abs(turn) + Math.abs(this.modulus[k]) + Math.abs(this.phase[k]));
      }
      if (whole > 0 && Math.abs(this.re[k]) + Math.abs(this.im[k]) < 1e-100) this.take(k);
    }
  }

  /** Takes the product so far into the logarithm. */
  private take(k: number): void {
    const [x, y] = [this.re[k], this.im[k]];
    const turn = atan2(y, x);
    this.modulus[k] += log(Math.sqrt(x * x + y * y));
    this.phase[k] += turn;
    this.error[k] += 8 * U * (1 + Math.abs(this.modulus[k]) + Math.abs(this.phase[k]));
    [this.re[k], this.im[k]] = [1, 0];
  }

  line(): LogPhiLine {
    const { n, modulus, phase, error, quadrature, factors } = this;
    for (let k = 0; k < n; k++) {
      this.take(k);
      error[k] += 4 * U * factors;
      if (this.bounded[k] === 0) continue;
      // of some factors no more is known than a bound
      modulus[k] = Math.min(0, modulus[k] + error[k] + quadrature[k]);
      error[k] = Infinity;
    }
    return { logModulus: modulus, phase, error, quadrature };
  }
}
