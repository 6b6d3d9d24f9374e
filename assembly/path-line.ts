/** Decaying and turning exponentials on a line of frequencies: mirror of src/reference/path-line.ts, where order and error bounds are stated. */
import { INVERSE_PI } from '../src/kernel/constants';
import { requireBlock } from './checks';
import { vexp } from './elementary';
import { add, all, at, mul, neg, sub } from './lanes';
import { sinCosPi } from './trig';

// @ts-expect-error: decorator
@inline const BLOCK: usize = 32;
/** Bytes of the powers of one node's factor: real parts, then imaginary parts. */
// @ts-expect-error: decorator
@inline const TABLE: usize = 512;
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
 * Adds the sums over a path of m nodes at the frequencies (first + k)·dTau, k < room, to `re` and `im`, and the bounds of each 32 to `wrong`.
 * The path has six rows of `stride`, m or m + 1, which is even; room is a multiple of 32.
 */
export function pathSums(
  path: usize,
  stride: usize,
  m: usize,
  dTau: f64,
  first: f64,
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
  for (let start: usize = 0; start < m; start += BLOCK) {
    const count = m - start < BLOCK ? m - start : BLOCK;
    const nodes = path + (start << 3);
    for (let j: usize = 0; j < count; j += 2) {
      const node = nodes + (j << 3);
      const size = vexp(neg(mul(all(dTau), v128.load(node + row))));
      sinCosPi(mul(mul(all(dTau), v128.load(node)), all(INVERSE_PI)), TURN);
      const x = mul(size, v128.load(TURN, 16));
      const y = mul(size, v128.load(TURN));
      const table = POWERS + j * TABLE;
      fillPowers(f64x2.extract_lane(x, 0), f64x2.extract_lane(y, 0), table);
      fillPowers(f64x2.extract_lane(x, 1), f64x2.extract_lane(y, 1), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      const tau = (first + <f64>k) * dTau;
      const active = choose(nodes, row, count, tau, floor);
      if (active == 0) continue;
      const last = (first + <f64>(k + BLOCK)) * dTau;
      const bound = wrong + (k >> 2);
      store<f64>(bound, load<f64>(bound) + anchors(nodes, row, active, tau, last));
      for (let b: usize = 0; b < BLOCK << 3; b += 64)
        addEight(b, active, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/**
 * Adds the sums over a path of n nodes, an even number, to 32 places of `re` and `im` for each of m panels at `from`: frequency k of a panel is its beginning and the k-th
 * of `size` offsets, a multiple of 8 up to 32, of which none is above `span`. The bound of each panel is added to `wrong`.
 */
export function panelSums(
  path: usize,
  n: usize,
  offsets: usize,
  size: usize,
  span: f64,
  from: usize,
  m: usize,
  floor: f64,
  re: usize,
  im: usize,
  wrong: usize,
): void {
  requireBlock(path, 6 * n);
  requireBlock(offsets, size);
  requireBlock(from, m);
  requireBlock(re, m * BLOCK);
  requireBlock(im, m * BLOCK);
  requireBlock(wrong, m);
  const row = n << 3;
  const last = offsets + (size << 3);
  for (let start: usize = 0; start < n; start += BLOCK) {
    const count = n - start < BLOCK ? n - start : BLOCK;
    const nodes = path + (start << 3);
    for (let j: usize = 0; j < count; j++) {
      const node = nodes + (j << 3);
      const fall = all(load<f64>(node + row));
      const turn = all(load<f64>(node) * INVERSE_PI);
      for (let o = offsets, table = POWERS + j * TABLE; o < last; o += 16, table += 16) {
        const offset = v128.load(o);
        const size = vexp(neg(mul(fall, offset)));
        sinCosPi(mul(turn, offset), TURN);
        v128.store(table, mul(size, v128.load(TURN, 16)));
        v128.store(table, mul(size, v128.load(TURN)), 256);
      }
    }
    for (let k: usize = 0; k < m; k++) {
      const tau = load<f64>(from + (k << 3));
      const active = choose(nodes, row, count, tau, floor);
      if (active == 0) continue;
      const bound = wrong + (k << 3);
      store<f64>(bound, load<f64>(bound) + anchors(nodes, row, active, tau, tau + span));
      for (let b: usize = 0; b < size << 3; b += 64)
        addEight(b, active, re + (k << 8) + b, im + (k << 8) + b);
    }
  }
}

/** E^b for b < BLOCK to `table`, of E = x + iy. */
function fillPowers(x: f64, y: f64, table: usize): void {
  v128.store(table, f64x2(1, x));
  v128.store(table, f64x2(0, y), 256);
  for (let size: usize = 16; size < BLOCK << 3; size <<= 1) {
    const re = x * x - y * y;
    y = x * y + y * x;
    x = re;
    const X = all(x);
    const Y = all(y);
    for (let b: usize = 0; b < size; b += 16) {
      const c = v128.load(table + b);
      const s = v128.load(table + b, 256);
      v128.store(table + size + b, sub(mul(X, c), mul(Y, s)));
      v128.store(table + size + b, add(mul(X, s), mul(Y, c)), 256);
    }
  }
}

/** Lists the nodes whose height at tau is above the floor; returns how many there are. */
function choose(nodes: usize, row: usize, count: usize, tau: f64, floor: f64): usize {
  let active: usize = 0;
  for (let j: usize = 0; j < count; j++) {
    const node = nodes + (j << 3);
    const height = load<f64>(node + 2 * row) - tau * load<f64>(node + row);
    store<u32>(TABLES + (active << 2), <u32>(POWERS + j * TABLE));
    store<u32>(PLACES + (active << 2), <u32>(j << 3));
    store<f64>(HEIGHTS + (active << 3), height);
    active += <usize>!(height <= floor);
  }
  return active;
}

/** The values of the listed nodes at tau; returns the bound of their errors up to `last`. */
function anchors(nodes: usize, row: usize, active: usize, tau: f64, last: f64): f64 {
  // the odd one out is paired with a height and a phase of 0
  store<f64>(HEIGHTS + (active << 3), 0);
  store<f64>(PHASES + (active << 3), 0);
  for (let i: usize = 0; i < active; i++) {
    const node = nodes + load<u32>(PLACES + (i << 2));
    store<f64>(PHASES + (i << 3), (load<f64>(node + 3 * row) + tau * load<f64>(node)) * INVERSE_PI);
  }
  let wrong: f64 = 0;
  for (let i: usize = 0; i < active << 3; i += 16) {
    const size = vexp(v128.load(HEIGHTS + i));
    sinCosPi(v128.load(PHASES + i), TURN);
    v128.store(VALUE_RE + i, mul(size, v128.load(TURN, 16)));
    v128.store(VALUE_IM + i, mul(size, v128.load(TURN)));
    v128.store(HEIGHTS + i, size);
  }
  for (let i: usize = 0; i < active; i++) {
    const node = nodes + load<u32>(PLACES + (i << 2));
    wrong += load<f64>(HEIGHTS + (i << 3)) * (load<f64>(node + 4 * row) + last * load<f64>(node + 5 * row));
  }
  return wrong;
}

/** The sums over the listed nodes at the eight frequencies from byte `b` of their block on, added to re and im. */
function addEight(b: usize, active: usize, re: usize, im: usize): void {
  let re0 = all(0);
  let re1 = all(0);
  let re2 = all(0);
  let re3 = all(0);
  let im0 = all(0);
  let im1 = all(0);
  let im2 = all(0);
  let im3 = all(0);
  for (let i: usize = 0; i < active; i++) {
    const table = <usize>load<u32>(TABLES + (i << 2)) + b;
    const x = at(VALUE_RE + (i << 3));
    const y = at(VALUE_IM + (i << 3));
    let c = v128.load(table);
    let s = v128.load(table, 256);
    re0 = add(re0, sub(mul(x, c), mul(y, s)));
    im0 = add(im0, add(mul(x, s), mul(y, c)));
    c = v128.load(table, 16);
    s = v128.load(table, 272);
    re1 = add(re1, sub(mul(x, c), mul(y, s)));
    im1 = add(im1, add(mul(x, s), mul(y, c)));
    c = v128.load(table, 32);
    s = v128.load(table, 288);
    re2 = add(re2, sub(mul(x, c), mul(y, s)));
    im2 = add(im2, add(mul(x, s), mul(y, c)));
    c = v128.load(table, 48);
    s = v128.load(table, 304);
    re3 = add(re3, sub(mul(x, c), mul(y, s)));
    im3 = add(im3, add(mul(x, s), mul(y, c)));
  }
  v128.store(re, add(v128.load(re), re0));
  v128.store(re, add(v128.load(re, 16), re1), 16);
  v128.store(re, add(v128.load(re, 32), re2), 32);
  v128.store(re, add(v128.load(re, 48), re3), 48);
  v128.store(im, add(v128.load(im), im0));
  v128.store(im, add(v128.load(im, 16), im1), 16);
  v128.store(im, add(v128.load(im, 32), im2), 32);
  v128.store(im, add(v128.load(im, 48), im3), 48);
}
