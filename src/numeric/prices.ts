/**
 * Prices of work outside of the kernel's calls (`kernel/kernel.ts`), in units of the meter, about a nanosecond of an ordinary machine each
 * (WebAssembly engine). Only the amount of work depends on them: both engines are charged alike, by the sizes of inputs. docs/effort.md says how they
 * were measured.
 */
export const PRICES = {
  /** A call of a scalar function, with the arithmetic around it. */
  scalar: 60,
  /** A call of a normal quantile, a Gaussian's δ or its inverse. */
  heavyScalar: 350,
  /** The mass of an interval of half the lattice spacing, or a loss of a product of lists of losses. */
  cell: 180,
  /** An atom of a list that is read once. */
  part: 10,
  /** A number that is moved or added. */
  moved: 5,
  /** A value of a B-spline from two of one lower order. */
  spline: 2,
};

/**
 * The allowance of a question at effort 1: about two seconds. A private search over a run takes up to 1.4e9 units. docs/effort.md says how it was chosen.
 */
export const ALLOWANCE = 2e9;

/** The longest FFT of a grid, in points: about 100 bytes each. */
export const LONGEST_GRID: number = 2 ** 22;
