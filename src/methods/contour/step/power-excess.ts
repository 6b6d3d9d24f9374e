import { U } from '../../../numeric/constants.js';
import { expm1 } from '../../../numeric/scalar.js';

/** Terms of the Taylor series at most: 0.3^60 is far below u. */
const LONGEST = 60;
const RECIPROCAL = Float64Array.from({ length: LONGEST + 1 }, (_, k) => 1 / k);
/** The series ends at a term below this fraction of its sum. */
const NEGLIGIBLE = 1e-18;

/** (1 + v)^c − 1 − cv without cancellation, for y = log(1 + v), and its rounding error given v and y. */
export function powerExcess(c: number, v: number, y: number): { value: number; error: number } {
  const scale = Math.max(1, Math.abs(c));
  if (Math.abs(v) * scale < 0.3) {
    let term = 0.5 * c * (c - 1) * v * v;
    let sum = term;
    for (let k = 2; k < LONGEST && Math.abs(term) > NEGLIGIBLE * Math.abs(sum); k++) {
      term *= (c - k) * RECIPROCAL[k + 1] * v;
      sum += term;
    }
    return { value: sum, error: 40 * U * Math.abs(sum) };
  }
  const t = c * y;
  const power = expm1(t);
  return { value: power - c * v, error: U * (5 * Math.abs(power) + 3 * Math.abs(c * v) + 2 * Math.abs(t)) };
}
