/** Sums of decaying and turning exponentials on an even grid of frequencies. */
import { INVERSE_PI, U } from '../src/kernel/constants.js';
import { vexp } from './elementary.js';
import { sinCosPi } from './trig.js';
import { addChosen, BLOCK, fillPowers, IMAGINARY, POWERS, REAL, TABLE, TABLES } from './turning.js';
import { all, lane0, lane1, LANES, mul, neg, requireBlock, WIDTH } from './lanes.js';
import { load, loadF64, loadU32, memory, store, storeF64, storeU32 } from './memory.js';

const TURN: usize = memory.data(32, 16);
/** Of the nodes that count at a frequency: place in the path, size and phase, padded to pairs. */
const PLACES: usize = memory.data(128, 16);
const HEIGHTS: usize = memory.data(272, 16);
const PHASES: usize = memory.data(272, 16);

/**
 * Adds the sums over a path of m nodes at the frequencies k·dTau, k < room, to `re` and `im`, and the bounds of each 32 to `wrong`.
 * The path has six rows of `stride`, m or m + 1, which is even; room is a multiple of 32.
 */
export function pathLine(
  path: usize,
  stride: usize,
  m: usize,
  dTau: f64,
  floor: f64,
  re: usize,
  im: usize,
  wrong: usize,
  room: usize,
): void {
  requireBlock(path, 6 * stride);
  requireBlock(re, room);
  requireBlock(im, room);
  requireBlock(wrong, room >> 5);
  const row = stride << 3;
  const adding = U * (216 + <f64>m / 32);
  for (let start: usize = 0; start < m; start += BLOCK) {
    const count = m - start < BLOCK ? m - start : BLOCK;
    const nodes = path + (start << 3);
    for (let j: usize = 0; j < count; j += LANES) {
      const node = nodes + (j << 3);
      const size = vexp(neg(mul(all(dTau), load(node + row))));
      sinCosPi(mul(mul(all(dTau), load(node)), all(INVERSE_PI)), TURN);
      const x = mul(size, load(TURN, 16));
      const y = mul(size, load(TURN));
      const table = POWERS + j * TABLE;
      fillPowers(false, lane0(x), lane0(y), table);
      if (LANES === 2) fillPowers(false, lane1(x), lane1(y), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      const tau = <f64>k * dTau;
      const active = choose(nodes, row, count, tau, floor);
      if (active === 0) continue;
      const last = <f64>(k + BLOCK) * dTau;
      const bound = wrong + (k >> 2);
      storeF64(bound, loadF64(bound) + anchors(nodes, row, active, tau, last, adding));
      for (let b: usize = 0; b < BLOCK << 3; b += 4 * WIDTH)
        addChosen(b, active << 3, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/** Lists the nodes whose height at tau is above the floor; returns how many there are. */
function choose(nodes: usize, row: usize, count: usize, tau: f64, floor: f64): usize {
  let active: usize = 0;
  for (let j: usize = 0; j < count; j++) {
    const node = nodes + (j << 3);
    const height = loadF64(node + 2 * row) - tau * loadF64(node + row);
    storeU32(TABLES + (active << 2), POWERS + j * TABLE);
    storeU32(PLACES + (active << 2), j << 3);
    storeF64(HEIGHTS + (active << 3), height);
    active += height <= floor ? 0 : 1;
  }
  return active;
}

/** The values of the listed nodes at tau; returns the bound of their errors up to `last`, with what adding them up loses. */
function anchors(nodes: usize, row: usize, active: usize, tau: f64, last: f64, adding: f64): f64 {
  // the odd one out is paired with a height and a phase of 0
  storeF64(HEIGHTS + (active << 3), 0);
  storeF64(PHASES + (active << 3), 0);
  for (let i: usize = 0; i < active; i++) {
    const node = nodes + loadU32(PLACES + (i << 2));
    storeF64(PHASES + (i << 3), (loadF64(node + 3 * row) + tau * loadF64(node)) * INVERSE_PI);
  }
  let wrong: f64 = 0;
  for (let i: usize = 0; i < active << 3; i += WIDTH) {
    const size = vexp(load(HEIGHTS + i));
    sinCosPi(load(PHASES + i), TURN);
    store(REAL + i, mul(size, load(TURN, 16)));
    store(IMAGINARY + i, mul(size, load(TURN)));
    store(HEIGHTS + i, size);
  }
  for (let i: usize = 0; i < active; i++) {
    const node = nodes + loadU32(PLACES + (i << 2));
    const size = loadF64(node + 2 * row);
    const turn = loadF64(node + 3 * row);
    const rounding = adding + U * ((size < 0 ? -size : size) + 3 * (turn < 0 ? -turn : turn));
    const fixed = loadF64(node + 4 * row) + rounding;
    wrong += loadF64(HEIGHTS + (i << 3)) * (fixed + last * loadF64(node + 5 * row));
  }
  return wrong;
}
