/**
 * The FFT's twiddle table T[b] = e^{−iπρ(b)/2}, ρ the binary van der Corput map (bit b_i of b weighs
 * 2^{−1−i}), interleaved (re, im). Nested: a prefix serves every smaller size.
 * |T̂ − T| ≤ 1.73u < 2u, u = 2⁻⁵³: the worst of all 2²⁰ entries that the longest transform reads, against 113-bit values.
 */
import { vcosPi as cosPi, vsinPi as sinPi } from '../../assembly/trig.js';

let table = new Float64Array(0);

/** At least `count` (a power of two) entries; made on first use, kept, and doubled when outgrown. */
export function twiddles(count: number): Float64Array {
  let have = table.length / 2;
  if (have >= count) return table;
  const grown = new Float64Array(2 * count);
  grown.set(table);
  if (have === 0) {
    grown[0] = 1;
    grown[1] = -0;
    have = 1;
  }
  // Entry b + have has the turn of entry b plus 1/(4·have).
  for (let size = have; size < count; size *= 2) {
    let rho = 0;
    for (let b = 0; b < size; b++) {
      const quarterTurns = rho / 2 + 0.25 / size;
      grown[2 * (b + size)] = cosPi(quarterTurns);
      grown[2 * (b + size) + 1] = -sinPi(quarterTurns);
      rho = nextVanDerCorput(rho);
    }
  }
  table = grown;
  return table;
}

/** ρ(b + 1) from ρ(b), exact: adds ½ and carries towards smaller weights. */
function nextVanDerCorput(rho: number): number {
  let weight = 0.5;
  while (rho >= weight) {
    rho -= weight;
    weight /= 2;
  }
  return rho + weight;
}
