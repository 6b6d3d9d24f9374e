import type { Decay } from '../../src/methods/contour/step/spectral-law.js';
import { reference } from './runs.js';

/** The bound of log|φ| on one stretch of frequencies. */
export function within(decay: Decay, from: number, to: number): number {
  return decay.bounds(reference.kernel, Float64Array.of(from, to), -Infinity)[0]!;
}
