/** Sums of decaying and turning exponentials on an even grid of frequencies. */
import { INVERSE_PI, U } from '../src/kernel/constants.js';
import { vexp } from './elementary.js';
import { sinCosPi } from './trig.js';
import { add, all, lane0, lane1, LANES, mul, neg, requireBlock, sub, WIDTH } from './lanes.js';
import { load, loadF64, loadU32, memory, splat, store, storeF64, storeU32 } from './memory.js';

/* @inline */ const BLOCK: usize = 32;
/** Bytes of the powers of one node's factor: real parts, then imaginary parts. */
/* @inline */ const TABLE: usize = 512;
const POWERS: usize = memory.data(16384, 16);
const TURN: usize = memory.data(32, 16);
/** Of the nodes that count at a frequency: the address of their powers, then place in the path, size and value, padded to pairs. */
const TABLES: usize = memory.data(128, 16);
const PLACES: usize = memory.data(128, 16);
const HEIGHTS: usize = memory.data(272, 16);
const PHASES: usize = memory.data(272, 16);
const VALUE_RE: usize = memory.data(272, 16);
const VALUE_IM: usize = memory.data(272, 16);

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
      fillPowers(lane0(x), lane0(y), table);
      if (LANES === 2) fillPowers(lane1(x), lane1(y), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      const tau = <f64>k * dTau;
      const active = choose(nodes, row, count, tau, floor);
      if (active === 0) continue;
      const last = <f64>(k + BLOCK) * dTau;
      const bound = wrong + (k >> 2);
      storeF64(bound, loadF64(bound) + anchors(nodes, row, active, tau, last, adding));
      for (let b: usize = 0; b < BLOCK << 3; b += 4 * WIDTH)
        addFour(b, active, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/** E^b for b < BLOCK to `table`, of E = x + iy. */
function fillPowers(x: f64, y: f64, table: usize): void {
  storeF64(table, 1);
  storeF64(table, x, 8);
  storeF64(table, 0, 256);
  storeF64(table, y, 264);
  for (let size: usize = 16; size < BLOCK << 3; size <<= 1) {
    const re = x * x - y * y;
    y = x * y + y * x;
    x = re;
    const X = all(x);
    const Y = all(y);
    for (let b: usize = 0; b < size; b += WIDTH) {
      const c = load(table + b);
      const s = load(table + b, 256);
      store(table + size + b, sub(mul(X, c), mul(Y, s)));
      store(table + size + b, add(mul(X, s), mul(Y, c)), 256);
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
    store(VALUE_RE + i, mul(size, load(TURN, 16)));
    store(VALUE_IM + i, mul(size, load(TURN)));
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

/** The sums over the listed nodes at the four vectors of frequencies from byte `b` of their block on, added to re and im. */
function addFour(b: usize, active: usize, re: usize, im: usize): void {
  let re0 = all(0);
  let re1 = all(0);
  let re2 = all(0);
  let re3 = all(0);
  let im0 = all(0);
  let im1 = all(0);
  let im2 = all(0);
  let im3 = all(0);
  for (let i: usize = 0; i < active; i++) {
    const table = loadU32(TABLES + (i << 2)) + b;
    const x = splat(VALUE_RE + (i << 3));
    const y = splat(VALUE_IM + (i << 3));
    let c = load(table);
    let s = load(table, 256);
    re0 = add(re0, sub(mul(x, c), mul(y, s)));
    im0 = add(im0, add(mul(x, s), mul(y, c)));
    c = load(table, WIDTH);
    s = load(table, 256 + WIDTH);
    re1 = add(re1, sub(mul(x, c), mul(y, s)));
    im1 = add(im1, add(mul(x, s), mul(y, c)));
    c = load(table, 2 * WIDTH);
    s = load(table, 256 + 2 * WIDTH);
    re2 = add(re2, sub(mul(x, c), mul(y, s)));
    im2 = add(im2, add(mul(x, s), mul(y, c)));
    c = load(table, 3 * WIDTH);
    s = load(table, 256 + 3 * WIDTH);
    re3 = add(re3, sub(mul(x, c), mul(y, s)));
    im3 = add(im3, add(mul(x, s), mul(y, c)));
  }
  store(re, add(load(re), re0));
  store(re, add(load(re, WIDTH), re1), WIDTH);
  store(re, add(load(re, 2 * WIDTH), re2), 2 * WIDTH);
  store(re, add(load(re, 3 * WIDTH), re3), 3 * WIDTH);
  store(im, add(load(im), im0));
  store(im, add(load(im, WIDTH), im1), WIDTH);
  store(im, add(load(im, 2 * WIDTH), im2), 2 * WIDTH);
  store(im, add(load(im, 3 * WIDTH), im3), 3 * WIDTH);
}
