/** The twiddle table of the FFT; src/reference/twiddles.ts states what it holds, bit for bit the same. */
import { requireBlock } from './checks.js';
import { rootsOf } from './fft-passes.js';
import { vcosPi, vsinPi } from './trig.js';

/**
 * Writes T[b] = e^{−iπρ(b)/2}, b < count (a power of two ≥ 2), as (re, im), and below it, 48 bytes each, what
 * `rootsOf` says for b < count/8.
 */
export function fillTwiddles(table: usize, count: usize): void {
  requireBlock(table, count << 1);
  const scale: f64 = 0.5 / <f64>count;
  let reversed: usize = 0;
  const end = table + (count << 4);
  for (let p = table; p < end; p += 32) {
    const turns = <f64>reversed * scale;
    const x = f64x2(turns, turns + 0.25);
    const re = vcosPi(x);
    const im = f64x2.neg(vsinPi(x));
    v128.store(p, v128.shuffle<f64>(re, im, 0, 2));
    v128.store(p, v128.shuffle<f64>(re, im, 1, 3), 16);
    // ρ(b + 2): adds ¼ (bit count/4 of the reversed number) and carries towards smaller weights.
    let bit = count >> 2;
    while (reversed & bit) {
      reversed ^= bit;
      bit >>= 1;
    }
    reversed |= bit;
  }
  for (let b: usize = 0; b < count >> 3; b++) {
    const rr = load<f64>(table + (b << 4));
    const ri = load<f64>(table + (b << 4), 8);
    const half = table + ((b >> 1) << 4);
    const tr = load<f64>(half);
    const ti = load<f64>(half, 8);
    const odd = (b & 1) != 0;
    const sr = odd ? ti : tr;
    const si = odd ? -tr : ti;
    const roots = rootsOf(b, table);
    store<f64>(roots, rr);
    store<f64>(roots, ri, 8);
    store<f64>(roots, sr, 16);
    store<f64>(roots, si, 24);
    store<f64>(roots, rr * sr - ri * si, 32);
    store<f64>(roots, rr * si + ri * sr, 40);
  }
}
