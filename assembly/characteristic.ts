/**
 * The characteristic sum of a weighted set of losses on an even grid of frequencies. u = 2⁻⁵³.
 *
 * With E(x) = e^{ix} − 1 = −2 sin²(x/2) + 2i sin(x/2) cos(x/2): an anchor E(a) every 32 frequencies and a table of E(b) for
 * the steps in between, joined by E(a + b) = E(a) + E(b)(1 + E(a)), and the table by doubling in the same way. Small values
 * stay relatively exact and no error accumulates along the line. Error of each entry: at most
 *   u·Σ w_j (48|x_j| + (36 + m/32)·min(2, |x_j|)),  x_j = τ_k·y_j, m losses:
 * angles and sines 12u|x|; a doubling adds at most 6u of the smaller angle and 1.5u of the sum, 4.5u|x| (|1 + E| = 1), five of them
 * 22.5u|x|; then the products of the last join, and the sum, 32 by 32.
 */
import { INVERSE_2PI } from '../src/kernel/constants.js';
import { vcosPi, vsinPi } from './trig.js';
import { addExcess, ANCHOR, BLOCK, fillPowers, IMAGINARY, POWERS, REAL, TABLE } from './turning.js';
import { add, all, lane0, lane1, LANES, mul, neg, requireBlock, WIDTH } from './lanes.js';
import { load, loadF64, memory, store, storeF64 } from './memory.js';

/** Half turns a frequency and weights of a block of losses, padded to pairs. */
const UNIT: usize = memory.data(256, 16);
const WEIGHT: usize = memory.data(256, 16);

/**
 * Adds Σ_j w_j (e^{ik·dTau·y_j} − 1), k < room, over m losses to `re` and `im` (zero at the start; room a
 * multiple of 32). Sums over a block of losses stay in registers, four vectors of frequencies at a time.
 */
export function characteristicLine(
  loss: usize,
  weight: usize,
  m: usize,
  dTau: f64,
  re: usize,
  im: usize,
  room: usize,
): void {
  requireBlock(loss, m);
  requireBlock(weight, m);
  requireBlock(re, room);
  requireBlock(im, room);
  for (let start: usize = 0; start < m; start += BLOCK) {
    const count = m - start < BLOCK ? m - start : BLOCK;
    for (let j: usize = 0; j < count; j++) {
      storeF64(UNIT + (j << 3), dTau * (loadF64(loss + ((start + j) << 3)) * INVERSE_2PI));
      storeF64(WEIGHT + (j << 3), loadF64(weight + ((start + j) << 3)));
    }
    for (let j: usize = 0; j < count; j += LANES) {
      const unit = load(UNIT + (j << 3));
      const sin = vsinPi(unit);
      const twice = mul(all(2), sin);
      const re1 = neg(mul(twice, sin));
      const im1 = mul(twice, vcosPi(unit));
      const table = POWERS + j * TABLE;
      fillPowers(true, lane0(re1), lane0(im1), table);
      if (LANES === 2) fillPowers(true, lane1(re1), lane1(im1), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      anchorLosses(<f64>k, count << 3);
      for (let b: usize = 0; b < BLOCK << 3; b += 4 * WIDTH)
        addExcess(b, count << 3, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/** The anchors of `size` bytes of losses at frequency k. */
function anchorLosses(k: f64, size: usize): void {
  for (let j: usize = 0; j < size; j += WIDTH) {
    const w = load(WEIGHT + j);
    const angle = mul(all(k), load(UNIT + j));
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    const anchor = mul(w, neg(mul(twice, sin)));
    store(ANCHOR + j, anchor);
    store(IMAGINARY + j, mul(w, mul(twice, vcosPi(angle))));
    store(REAL + j, add(w, anchor));
  }
}
