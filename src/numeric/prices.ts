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
  /** A value of a B-spline from two of one box less. */
  spline: 2,
};

/** The allowance of a question at effort 1: about two seconds. A private search over a run takes up to 1.4e9. How it was chosen stands in docs/effort.md. */
export const ALLOWANCE = 2e9;

/** The longest FFT of a grid, in points: about 100 bytes each. */
export const LONGEST_GRID: number = 2 ** 22;
