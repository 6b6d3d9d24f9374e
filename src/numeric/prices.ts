/**
 * Prices of work outside of the kernel's calls (`kernel/kernel.ts`), in units of the meter, about a nanosecond of an ordinary machine each
 * (WebAssembly engine). Only the amount of work depends on them: both engines are charged alike, by the sizes of inputs. docs/effort.md says how they
 * were measured.
 */
export const PRICES = {
  /** A call of a scalar function, with the arithmetic around it; the same for a quantile, a profile or its inverse. */
  scalar: 60,
  heavyScalar: 350,
  /** A half cell of a discretised loss, the normal part of an interval, and a point of a grid. */
  cell: 180,
  part: 10,
  moved: 5,
  /** A value of a B-spline from two of one lower order. */
  spline: 2,
};

/**
 * The allowance of a question at effort 1: about two seconds. A private search over a run takes up to 1.4e9. docs/effort.md says how it was chosen.
 */
export const ALLOWANCE = 2e9;

/** The longest FFT of a grid, in points: about 100 bytes each. */
export const LONGEST_GRID: number = 2 ** 22;
