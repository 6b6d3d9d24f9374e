/**
 * Prices of work beside the kernel's calls (`kernel/kernel.ts`) in units of the meter, about a nanosecond of the usual machine each (WebAssembly engine). Nothing but how much is asked for hangs on them:
 * both engines are charged alike, by the shapes of what goes in. How they were found stands in docs/effort.md.
 */
export const PRICES = {
  /** A scalar function called by itself, with the arithmetic around it; the same of a quantile, a profile or its inverse. */
  scalar: 60,
  heavyScalar: 350,
  /** A half cell that a loss distribution is cut into, a normal part of an interval, and a point of a grid moved about. */
  cell: 180,
  part: 10,
  moved: 5,
  /** A term of a sum over nodes, or of a power of a series, each with its majorant. */
  series: 3,
};

/** The allowance of a question at effort 1: at most about five seconds. A private search over a run takes some three. */
export const ALLOWANCE = 3.5e9;
