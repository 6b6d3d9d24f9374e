import type { Decay } from './step-laws.js';

/** The bound of log|φ| on one stretch of frequencies. */
export function within(decay: Decay, from: number, to: number): number {
  return decay.bounds(Float64Array.of(from, to))[0]!;
}
