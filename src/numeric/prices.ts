/**
 * Prices of work in units of the meter, about a nanosecond of the usual machine each (WebAssembly engine). Nothing but how much is asked for hangs on them:
 * both engines are charged alike, by the shapes of what goes in. How they were found stands in docs/effort.md.
 */
export const PRICES = {
  /** A scalar function called by itself, with the arithmetic around it; the same of a quantile, a profile or its inverse. */
  scalar: 60,
  heavyScalar: 350,
  /** A call of the kernel. */
  call: 300,
  /** An element of an element-wise function; of a distribution function, a profile or its inverse. */
  element: 6,
  profile: 33,
  inverse: 130,
  /** A point of a transform, by the logarithm of its length. */
  transform: 0.6,
  /** A point of a cumulant function on a grid, of a tilt, of a scan. */
  logMgf: 3,
  tilt: 10,
  scan: 11,
  /** A loss at a frequency, and an output off the axis at one. */
  characteristic: 1.7,
  path: 1.7,
  /** A node at an x. */
  uniform: 3.6,
  /** An output at a tilt, and at a frequency. */
  cumulant: 9.6,
  modulus: 3.6,
  /** An output of a mesh. */
  mesh: 50,
  /** A half cell that a loss distribution is cut into, a normal part of an interval, and a point of a grid moved about. */
  cell: 180,
  part: 10,
  moved: 5,
  /** A term of a sum over nodes, or of a power of a series, each with its majorant. */
  series: 3,
};

/** The allowance of a question at effort 1: at most about five seconds. A private search over a run takes some three. */
export const ALLOWANCE = 3.5e9;
