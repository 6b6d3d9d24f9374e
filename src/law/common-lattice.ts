import { greatest, least } from '../numeric/extremes.js';

/**
 * The largest number of which all the lattices given are whole multiples, up to rounding; undefined if there is
 * none worth using (below a millionth of the finest).
 */
export function commonLattice(lattices: readonly number[]): number | undefined {
  if (lattices.length === 0) return undefined;
  const largest = greatest(lattices);
  const finest = least(lattices);
  let unit = largest;
  for (const lattice of lattices) {
    let a = unit;
    let b = lattice;
    // Euclid's algorithm; remainders within rounding of a whole multiple count as none
    while (b > 1e-10 * largest && b > 1e-6 * finest) {
      const rest = Math.abs(a - b * Math.round(a / b));
      a = b;
      b = rest;
    }
    unit = a;
  }
  if (unit < 1e-6 * finest) return undefined;
  unit = largest / Math.round(largest / unit);
  const whole = lattices.every((x) => Math.abs(x / unit - Math.round(x / unit)) < 1e-12 * (1 + x / unit));
  return whole ? unit : undefined;
}
