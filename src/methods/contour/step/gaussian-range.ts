import { INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { LONG_SUM } from '../../../numeric/rounding.js';
import { expm1 } from '../../../numeric/scalar.js';

/** Bound of the sum beyond the nodes of a function that decays like e^{−slope·|x|} from its values at both ends. */
export function cutTails(ends: number, h: number, slope: number): number {
  return (h * INVERSE_SQRT_2PI * ends * 1.001) / -expm1(-slope * h);
}

/** The largest number of three binary digits up to h. */
export function threeBitsBelow(h: number): number {
  let scale = 1;
  while (h * scale < 4) scale *= 2;
  while (h * scale >= 8) scale /= 2;
  return Math.floor(h * scale) / scale;
}

/** cos x on [0, 1.5], rounded down: 1 − x²/2 + x⁴/24 − x⁶/720 + x⁸/40320 − x¹⁰/3628800 is below it. */
export function cosine(x: number): number {
  const z = x * x;
  return (1 - z * (1 / 2 - z * (1 / 24 - z * (1 / 720 - z * (1 / 40320 - z / 3628800))))) * (1 - LONG_SUM);
}
