import type { Kernel } from '../kernel/kernel.js';
import type { Bracket, Brackets } from '../numeric/bracket.js';

/** Brackets of log δ at many ε. */
type Together = (epsilon: Float64Array, kernel: Kernel) => Brackets;
/** What answers one ε. It carries what answers many, so that whatever puts another one in its place has no other's answers. */
interface LogDelta {
  (epsilon: number, width?: number): Bracket;
  together?: Together | undefined;
}

/** `one`, with what answers many ε through the kernel, bit for bit the same. */
export function withTogether(one: LogDelta, all: Together | undefined): LogDelta {
  one.together = all;
  return one;
}

/** What answers many ε in place of `one`, where there is such a thing. */
export function togetherOf(one: LogDelta): Together | undefined {
  return one.together;
}

/** Brackets of log δ at many ε: together where that is known, else one by one, with the same bits. `width` is told to what is asked one by one. */
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

/** n brackets, made one by one. */
export function bracketsOf(n: number, at: (i: number) => Bracket): Brackets {
  const lower = new Float64Array(n);
  const upper = new Float64Array(n);
  for (let i = 0; i < n; i++) ({ lower: lower[i], upper: upper[i] } = at(i));
  return { lower, upper };
}
