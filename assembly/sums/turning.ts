/**
 * Fourier sums Σ w e^{iky} over terms with weight w and angle y a step, at blocks of 32 neighbouring frequencies k. E = e^{iy} is the rotation of a
 * term from one frequency to the next. A table has its powers E^b, b < 32; they are multiplied with the term at the block's first frequency, the
 * anchor. For `excess`, terms are e^{iky} − 1, and the table has E^b − 1. u = 2⁻⁵³.
 */
import { CHARACTERISTIC_BLOCK, INVERSE_2PI, INVERSE_PI, U } from '../../src/kernel/constants.js';
import { vexp } from '../functions/elementary.js';
import { sinCosPi, vcosPi, vsinPi } from '../functions/trig.js';
import { add, all, lane0, lane1, LANES, mul, neg, requireBlock, sub, WIDTH } from '../lane/lanes.js';
import { load, loadF64, loadU32, splat, store, storeF64, storeU32 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** Frequencies per anchor, and terms per partial sum. */
/* @inline */ const BLOCK: usize = <usize>CHARACTERISTIC_BLOCK;
/** Bytes of a term's table: the real parts of its powers, then the imaginary parts. */
/* @inline */ const TABLE: usize = 512;
// Rows of the working memory of a block of terms: their tables; then, of terms at the anchor frequency, the real part of w(e^{iky} − 1), the real
// part of we^{iky}, and the imaginary part. Then the addresses of the tables of selected terms.
/* @inline */ const POWERS: usize = 0;
/* @inline */ const ANCHOR: usize = 16384;
/* @inline */ const REAL: usize = ANCHOR + 256;
/* @inline */ const IMAGINARY: usize = REAL + 272;
/* @inline */ const TABLES: usize = IMAGINARY + 272;
/** dTau·y/2π, and weights, of a block of losses y, padded to whole vectors; dTau is the spacing of frequencies. */
/* @inline */ const UNIT: usize = TABLES + 128;
/* @inline */ const WEIGHT: usize = UNIT + 256;
/**
 * Of the nodes selected at a frequency: byte offset in their block; log modulus, then modulus; phase over π. They are padded to whole vectors. Then
 * sine and cosine of an angle.
 */
/* @inline */ const PLACES: usize = TABLES + 128;
/* @inline */ const HEIGHTS: usize = PLACES + 128;
/* @inline */ const PHASES: usize = HEIGHTS + 272;
/* @inline */ const TURN: usize = PHASES + 272;
/** Bytes of the working memory. */
/* @inline */ const ROWS: usize = TURN + 32;

/**
 * Fills the table with the powers E^b, b < 32, of E = re + i·im, by doubling. For `excess` with E^b − 1, E = 1 + re + i·im. Errors: see
 * `characteristicLine`.
 */
function fillPowers(excess: bool, re: f64, im: f64, table: usize): void {
  storeF64(table, excess ? 0 : 1);
  storeF64(table, re, 8);
  storeF64(table, 0, 256);
  storeF64(table, im, 264);
  for (let size: usize = 16; size < BLOCK << 3; size <<= 1) {
    const whole = excess ? 1 + re : re;
    const squareRe = re * whole - im * im;
    const squareIm = re * im + im * whole;
    re = excess ? re + squareRe : squareRe;
    im = excess ? im + squareIm : squareIm;
    const A = all(re);
    const T = all(im);
    const W = all(excess ? 1 + re : re);
    for (let b: usize = 0; b < size; b += WIDTH) {
      const c = load(table + b);
      const s = load(table + b, 256);
      store(table + size + b, turnedRe(excess, A, c, s, W, T));
      store(table + size + b, turnedIm(excess, c, s, W, T), 256);
    }
  }
}

/**
 * Real part of one term at a vector of frequencies, that of (anchor)·(table entry). For `excess` it is that of E(a + b) = E(a) + E(b)(1 + E(a)), E(x)
 * = e^{ix} − 1.
 */
/* @inline */ function turnedRe(excess: bool, anchor: v128, c: v128, s: v128, x: v128, y: v128): v128 {
  return excess ? add(anchor, sub(mul(c, x), mul(s, y))) : sub(mul(c, x), mul(s, y));
}
/* @inline */ function turnedIm(excess: bool, c: v128, s: v128, x: v128, y: v128): v128 {
  return excess ? add(y, add(mul(c, y), mul(s, x))) : add(mul(c, y), mul(s, x));
}

/**
 * Adds the sums over `size` bytes of terms, at the four vectors of frequencies from byte `b` of their block on, to re and im. One rounding an
 * operation.
 */
/* @inline */ function addFour(excess: bool, rows: usize, b: usize, size: usize, re: usize, im: usize): void {
  let re0 = all(0);
  let re1 = all(0);
  let re2 = all(0);
  let re3 = all(0);
  let im0 = all(0);
  let im1 = all(0);
  let im2 = all(0);
  let im3 = all(0);
  for (let j: usize = 0; j < size; j += 8) {
    const table = b + (excess ? rows + POWERS + (j << 6) : loadU32(rows + TABLES + (j >> 1)));
    const x = splat(rows + REAL + j);
    const y = splat(rows + IMAGINARY + j);
    const anchor = excess ? splat(rows + ANCHOR + j) : x;
    let c = load(table);
    let s = load(table, 256);
    re0 = add(re0, turnedRe(excess, anchor, c, s, x, y));
    im0 = add(im0, turnedIm(excess, c, s, x, y));
    c = load(table, WIDTH);
    s = load(table, 256 + WIDTH);
    re1 = add(re1, turnedRe(excess, anchor, c, s, x, y));
    im1 = add(im1, turnedIm(excess, c, s, x, y));
    c = load(table, 2 * WIDTH);
    s = load(table, 256 + 2 * WIDTH);
    re2 = add(re2, turnedRe(excess, anchor, c, s, x, y));
    im2 = add(im2, turnedIm(excess, c, s, x, y));
    c = load(table, 3 * WIDTH);
    s = load(table, 256 + 3 * WIDTH);
    re3 = add(re3, turnedRe(excess, anchor, c, s, x, y));
    im3 = add(im3, turnedIm(excess, c, s, x, y));
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

/** `addFour` for terms e^{iky} − 1. */
function addExcess(rows: usize, b: usize, size: usize, re: usize, im: usize): void {
  addFour(true, rows, b, size, re, im);
}

/** `addFour` for a selection of terms, with table addresses. */
function addChosen(rows: usize, b: usize, size: usize, re: usize, im: usize): void {
  addFour(false, rows, b, size, re, im);
}

/**
 * Adds Σ_j w_j (e^{ik·dTau·y_j} − 1), k < room, over m losses to `re` and `im` (zero at the start; room a multiple of 32). Sums over a block of
 * losses stay in registers, four vectors of frequencies at a time.
 *
 * E(x) = e^{ix} − 1 = −2 sin²(x/2) + 2i sin(x/2) cos(x/2). There is an anchor E(a) every 32 frequencies, and a table of E(b) for the steps in
 * between. They are joined by E(a + b) = E(a) + E(b)(1 + E(a)); the table is made by doubling in this way too. Below, u = 2⁻⁵³. Small values stay
 * relatively exact and no error accumulates along the line. Error of each entry: at most u·Σ w_j (48|x_j| + (36 + m/32)·min(2, |x_j|)), x_j =
 * τ_k·y_j, m losses. Angles and sines have 12u|x|. A doubling adds at most 6u of the smaller angle and 1.5u of the sum, 4.5u|x| (|1 + E| = 1); five
 * of them 22.5u|x|. The rest is the products of the last join, and the sum, 32 by 32.
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
  const rows = borrow(ROWS);
  for (let start: usize = 0; start < m; start += BLOCK) {
    const count = m - start < BLOCK ? m - start : BLOCK;
    for (let j: usize = 0; j < count; j++) {
      storeF64(rows + UNIT + (j << 3), dTau * (loadF64(loss + ((start + j) << 3)) * INVERSE_2PI));
      storeF64(rows + WEIGHT + (j << 3), loadF64(weight + ((start + j) << 3)));
    }
    for (let j: usize = 0; j < count; j += LANES) {
      const unit = load(rows + UNIT + (j << 3));
      const sin = vsinPi(unit);
      const twice = mul(all(2), sin);
      const re1 = neg(mul(twice, sin));
      const im1 = mul(twice, vcosPi(unit));
      const table = rows + POWERS + j * TABLE;
      fillPowers(true, lane0(re1), lane0(im1), table);
      if (LANES === 2) fillPowers(true, lane1(re1), lane1(im1), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      anchorLosses(rows, <f64>k, count << 3);
      for (let b: usize = 0; b < BLOCK << 3; b += 4 * WIDTH)
        addExcess(rows, b, count << 3, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
  giveBack(rows);
}

/** Anchors w(e^{iky} − 1) of `size` bytes of losses y at the frequency k, in units of dTau. Relative error of angles and sines: 12·2⁻⁵³. */
function anchorLosses(rows: usize, k: f64, size: usize): void {
  for (let j: usize = 0; j < size; j += WIDTH) {
    const w = load(rows + WEIGHT + j);
    const angle = mul(all(k), load(rows + UNIT + j));
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    const anchor = mul(w, neg(mul(twice, sin)));
    store(rows + ANCHOR + j, anchor);
    store(rows + IMAGINARY + j, mul(w, mul(twice, vcosPi(angle))));
    store(rows + REAL + j, add(w, anchor));
  }
}

/**
 * Adds Σ e^{s − τα + i(θ + τy)} over the m nodes of a path to two rows at `out`, τ = k·dTau. They are real and imaginary parts, of `room` numbers, a
 * multiple of 32. The path has six rows of m numbers, rounded up to even: y, α, s, θ, relative error, relative error per unit of τ (`pathTerms`).
 * Terms of log modulus at most `floor` are left out; the caller bounds them. Adds the error bound of each 32 sums to `wrong`.
 */
export function pathLine(
  path: usize,
  m: usize,
  dTau: f64,
  floor: f64,
  out: usize,
  wrong: usize,
  room: usize,
): void {
  const row = (m + (m & 1)) << 3;
  requireBlock(path, 6 * (row >> 3));
  requireBlock(out, 2 * room);
  requireBlock(wrong, room >> 5);
  const im = out + (room << 3);
  const rows = borrow(ROWS);
  const adding = U * (216 + <f64>m / 32);
  for (let start: usize = 0; start < m; start += BLOCK) {
    const count = m - start < BLOCK ? m - start : BLOCK;
    const nodes = path + (start << 3);
    for (let j: usize = 0; j < count; j += LANES) {
      const node = nodes + (j << 3);
      const size = vexp(neg(mul(all(dTau), load(node + row))));
      sinCosPi(mul(mul(all(dTau), load(node)), all(INVERSE_PI)), rows + TURN);
      const x = mul(size, load(rows + TURN, 16));
      const y = mul(size, load(rows + TURN));
      const table = rows + POWERS + j * TABLE;
      fillPowers(false, lane0(x), lane0(y), table);
      if (LANES === 2) fillPowers(false, lane1(x), lane1(y), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      const tau = <f64>k * dTau;
      const active = choose(rows, nodes, row, count, tau, floor);
      if (active === 0) continue;
      const last = <f64>(k + BLOCK) * dTau;
      const bound = wrong + (k >> 2);
      storeF64(bound, loadF64(bound) + anchors(rows, nodes, row, active, tau, last, adding));
      for (let b: usize = 0; b < BLOCK << 3; b += 4 * WIDTH)
        addChosen(rows, b, active << 3, out + (k << 3) + b, im + (k << 3) + b);
    }
  }
  giveBack(rows);
}

/**
 * Selects the nodes whose log modulus s − τα at tau is above the floor, with their table addresses; returns their number. Exact, but for roundings of
 * the moduli.
 */
function choose(rows: usize, nodes: usize, row: usize, count: usize, tau: f64, floor: f64): usize {
  let active: usize = 0;
  for (let j: usize = 0; j < count; j++) {
    const node = nodes + (j << 3);
    const height = loadF64(node + 2 * row) - tau * loadF64(node + row);
    storeU32(rows + TABLES + (active << 2), rows + POWERS + j * TABLE);
    storeU32(rows + PLACES + (active << 2), j << 3);
    storeF64(rows + HEIGHTS + (active << 3), height);
    active += height <= floor ? 0 : 1;
  }
  return active;
}

/**
 * Computes the selected nodes' terms e^{s − τα + i(θ + τy)} at the frequency τ = tau. Returns the bound of their errors for frequencies up to `last`,
 * with the rounding error of the sum.
 */
function anchors(
  rows: usize,
  nodes: usize,
  row: usize,
  active: usize,
  tau: f64,
  last: f64,
  adding: f64,
): f64 {
  // padding to a whole vector: log modulus 0 and phase 0, whose term 1 enters no sum
  storeF64(rows + HEIGHTS + (active << 3), 0);
  storeF64(rows + PHASES + (active << 3), 0);
  for (let i: usize = 0; i < active; i++) {
    const node = nodes + loadU32(rows + PLACES + (i << 2));
    storeF64(rows + PHASES + (i << 3), (loadF64(node + 3 * row) + tau * loadF64(node)) * INVERSE_PI);
  }
  let wrong: f64 = 0;
  for (let i: usize = 0; i < active << 3; i += WIDTH) {
    const size = vexp(load(rows + HEIGHTS + i));
    sinCosPi(load(rows + PHASES + i), rows + TURN);
    store(rows + REAL + i, mul(size, load(rows + TURN, 16)));
    store(rows + IMAGINARY + i, mul(size, load(rows + TURN)));
    store(rows + HEIGHTS + i, size);
  }
  for (let i: usize = 0; i < active; i++) {
    const node = nodes + loadU32(rows + PLACES + (i << 2));
    const size = loadF64(node + 2 * row);
    const turn = loadF64(node + 3 * row);
    const rounding = adding + U * ((size < 0 ? -size : size) + 3 * (turn < 0 ? -turn : turn));
    const fixed = loadF64(node + 4 * row) + rounding;
    wrong += loadF64(rows + HEIGHTS + (i << 3)) * (fixed + last * loadF64(node + 5 * row));
  }
  return wrong;
}
