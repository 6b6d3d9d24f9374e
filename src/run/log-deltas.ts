import type { Kernel } from '../kernel/kernel.js';
import type { Bracket, Brackets } from '../numeric/bracket.js';

/** Brackets of log δ at many ε. */
type Together = (epsilon: Float64Array, kernel: Kernel) => Brackets;
/** A function for one ε that has the function for many ε as a property, so that whoever replaces the first replaces both. */
interface LogDelta {
  (epsilon: number, width?: number): Bracket;
  together?: Together | undefined;
}

/** `one`, with a function for many ε through the kernel, with the same bits. */
export function withTogether(one: LogDelta, all: Together | undefined): LogDelta {
  one.together = all;
  return one;
}

/** The function for many ε that `withTogether` attached to `one`, if any. */
export function togetherOf(one: LogDelta): Together | undefined {
  return one.together;
}

/**
 * Brackets of log δ at many ε, in one call if possible, else one by one, with the same bits. `width` applies to questions asked one by one.
 *
 * Ensures: each bracket holds log δ at its ε.
 */
export function logDeltas(
  source: { logDelta(epsilon: number, width?: number): Bracket },
  epsilon: Float64Array,
  kernel: Kernel | undefined,
  width?: number,
): Brackets {
  const all = kernel && togetherOf(source.logDelta);
  if (kernel !== undefined && all !== undefined) return all(epsilon, kernel);
  return bracketsOf(epsilon.length, (i) => source.logDelta(epsilon[i], width));
}

/** n brackets, computed one by one. */
export function bracketsOf(n: number, at: (i: number) => Bracket): Brackets {
  const lower = new Float64Array(n);
  const upper = new Float64Array(n);
  for (let i = 0; i < n; i++) ({ lower: lower[i], upper: upper[i] } = at(i));
  return { lower, upper };
}
