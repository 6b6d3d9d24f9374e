/** The twiddle table of the FFT; src/reference/twiddles.ts states what it holds, bit for bit the same. */
import { vcosPi, vsinPi } from './trig';

/** Writes T[b] = e^{−iπρ(b)/2}, b < count (a power of two ≥ 2), as (re, im). */
export function fillTwiddles(table: usize, count: usize): void {
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
}
