import { subsampledLoss } from '../../../law/subsampling.js';
import { INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { expm1 } from '../../../numeric/scalar.js';
import type { SampledStep } from './off-axis.js';
import type { OutputWindow } from './output-window.js';

/** The nodes that matter to φu^c W. */
export function windowRange(
  { mu, q }: SampledStep,
  c: number,
  depth: number,
  reach: number,
  { from, to, width, end = Infinity }: OutputWindow,
): readonly [number, number] {
  // at steep tilts the range is long, and its end near
  const widest = Math.min(Math.max(mu, c * mu, from) + reach, end);
  const tilt = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q);
  let last = to + reach * width;
  while (last < widest && tilt(last) - tilt(to) - (last - to) ** 2 / (2 * width * width) > -depth)
    last += width;
  return [Math.max(-reach, from - reach * width), Math.min(last, widest)];
}

/** Bound on Σ beyond the nodes, of a function that falls like e^{−slope·|x|} from its values at both ends. */
export function cutTails(ends: number, h: number, slope: number): number {
  return (h * INVERSE_SQRT_2PI * ends * 1.001) / -expm1(-slope * h);
}

/** The largest number of three bits up to h. */
export function threeBitsBelow(h: number): number {
  let scale = 1;
  while (h * scale < 4) scale *= 2;
  while (h * scale >= 8) scale /= 2;
  return Math.floor(h * scale) / scale;
}
