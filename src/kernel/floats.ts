/**
 * Length of a slab, a buffer whose pieces are handed out as arrays, and of the longest array that is such a piece. A slab is freed with the last of
 * its arrays. Only speed and memory depend on them.
 */
const SLAB = 2 ** 14;
const MOST = 2 ** 13;
/** V8 keeps arrays this short inside their objects, so that they are cheap. Only speed depends on it. */
const SHORT = 8;

let slab = new ArrayBuffer(0);
/** Bytes of the slab that have been handed out. */
let taken = 0;

/** An array of `n` zeros, in memory that many results share. An array with a buffer of its own costs more to make than most sums do. */
export function floats(n: number): Float64Array {
  if (n <= SHORT || n > MOST) return new Float64Array(n);
  if (taken + 8 * n > slab.byteLength) {
    slab = new ArrayBuffer(8 * SLAB);
    taken = 0;
  }
  const piece = new Float64Array(slab, taken, n);
  taken += 8 * n;
  return piece;
}

/** One array that holds rows of equal length, one after the other. */
export function joined(rows: readonly Float64Array[]): Float64Array {
  const all = floats(rows.length * rows[0].length);
  for (const [i, row] of rows.entries()) all.set(row, i * row.length);
  return all;
}

/** Views of the `count` rows of equal length that one array holds. */
export function rowsOf(all: Float64Array, count: number): Float64Array[] {
  const n = all.length / count;
  return Array.from({ length: count }, (_, i) => all.subarray(i * n, (i + 1) * n));
}
