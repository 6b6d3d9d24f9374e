/**
 * The FFT's twiddle table T[b] = e^{−iπρ(b)/2}, ρ the binary van der Corput map (bit b_i of b weighs
 * 2^{−1−i}), interleaved (re, im). Nested: a prefix serves every smaller size.
 * |T̂ − T| ≤ 1.73u < 2u, u = 2⁻⁵³: the worst of all 2²⁰ entries that the longest transform reads, against 113-bit values.
 */
import { rootsOf } from './fft-passes.js';
import { vcosPi, vsinPi } from '../functions/trig.js';
import { evens, neg, odds, pair, requireBlock, WIDTH } from '../lane/lanes.js';
import { loadF64, store, storeF64 } from '../lane/memory.js';

/**
 * Writes T[b] = e^{−iπρ(b)/2}, b < count (a power of two ≥ 2), as (re, im), with errors below 2·2⁻⁵³. Below the table it writes, 48 bytes each, the
 * roots that `rootsOf` describes, b < count/8.
 */
export function fillTwiddles(table: usize, count: usize): void {
  requireBlock(table, count << 1);
  const scale: f64 = 0.5 / <f64>count;
  let reversed: usize = 0;
  const end = table + (count << 4);
  for (let p = table; p < end; p += 32) {
    const turns = <f64>reversed * scale;
    fillPair(p, turns);
    // ρ(b + 2) from ρ(b): adds ¼, and carries towards smaller weights
    let bit = count >> 2;
    while (reversed & bit) {
      reversed ^= bit;
      bit >>= 1;
    }
    reversed |= bit;
  }
  for (let b: usize = 0; b < count >> 3; b++) {
    const rr = loadF64(table + (b << 4));
    const ri = loadF64(table + (b << 4), 8);
    const half = table + ((b >> 1) << 4);
    const tr = loadF64(half);
    const ti = loadF64(half, 8);
    const odd = (b & 1) !== 0;
    const sr = odd ? ti : tr;
    const si = odd ? -tr : ti;
    const roots = rootsOf(b, table);
    storeF64(roots, rr);
    storeF64(roots, ri, 8);
    storeF64(roots, sr, 16);
    storeF64(roots, si, 24);
    storeF64(roots, rr * sr - ri * si, 32);
    storeF64(roots, rr * si + ri * sr, 40);
  }
}

/** (cos, −sin) of π·turns, and then of a quarter turn more, with the errors of `vcosPi` and `vsinPi`. */
/* @inline */ function fillPair(p: usize, turns: f64): void {
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    const x = pair(turns + 0.25 * <f64>(lane >> 3), turns + 0.25);
    const re = vcosPi(x);
    const im = neg(vsinPi(x));
    store(p + 2 * lane, evens(re, im));
    store(p + 2 * lane + WIDTH, odds(re, im));
  }
}
