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
import { CHARACTERISTIC_BLOCK, INVERSE_2PI } from '../src/kernel/constants.js';
import { vcosPi, vsinPi } from './trig.js';
import { add, all, lane0, lane1, LANES, mul, neg, requireBlock, sub, WIDTH } from './lanes.js';
import { load, loadF64, memory, splat, store, storeF64 } from './memory.js';

/* @inline */ const BLOCK: usize = <usize>CHARACTERISTIC_BLOCK;
/** Bytes of E(b), b < BLOCK, of one loss: real parts, then imaginary parts. */
/* @inline */ const TABLE: usize = 512;
/** The tables of a block of losses. */
const STEPS: usize = memory.data(16384, 16);
/** Half turns a frequency and weights of a block of losses, padded to pairs; then of each, at the anchor, w·Re E, w·Im E and w(1 + Re E). */
const UNIT: usize = memory.data(256, 16);
const WEIGHT: usize = memory.data(256, 16);
const ANCHOR: usize = memory.data(256, 16);
const TURNED: usize = memory.data(256, 16);
const WHOLE: usize = memory.data(256, 16);

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
      const table = STEPS + j * TABLE;
      fillSteps(lane0(re1), lane0(im1), table);
      if (LANES === 2) fillSteps(lane1(re1), lane1(im1), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      anchorLosses(<f64>k, count << 3);
      for (let b: usize = 0; b < BLOCK << 3; b += 4 * WIDTH)
        addFour(STEPS + b, count << 3, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/** E(b) for b < BLOCK to `table`, from re1 + i·im1 = E(1). */
function fillSteps(re1: f64, im1: f64, table: usize): void {
  storeF64(table, 0);
  storeF64(table, re1, 8);
  storeF64(table, 0, 256);
  storeF64(table, im1, 264);
  let re = re1;
  let im = im1;
  for (let size: usize = 16; size < BLOCK << 3; size <<= 1) {
    let whole = 1 + re;
    const anchor = re + (re * whole - im * im);
    const turned = im + (re * im + im * whole);
    whole = 1 + anchor;
    const A = all(anchor);
    const T = all(turned);
    const W = all(whole);
    for (let b: usize = 0; b < size; b += WIDTH) {
      const stepRe = load(table + b);
      const stepIm = load(table + b, 256);
      store(table + size + b, add(A, sub(mul(stepRe, W), mul(stepIm, T))));
      store(table + size + b, add(T, add(mul(stepRe, T), mul(stepIm, W))), 256);
    }
    re = anchor;
    im = turned;
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
    store(TURNED + j, mul(w, mul(twice, vcosPi(angle))));
    store(WHOLE + j, add(w, anchor));
  }
}

/** The sums over `size` bytes of losses at the four vectors of frequencies whose E(b) begin at `table`, added to re and im. */
function addFour(table: usize, size: usize, re: usize, im: usize): void {
  let re0 = all(0);
  let re1 = all(0);
  let re2 = all(0);
  let re3 = all(0);
  let im0 = all(0);
  let im1 = all(0);
  let im2 = all(0);
  let im3 = all(0);
  for (let j: usize = 0; j < size; j += 8, table += TABLE) {
    const anchor = splat(ANCHOR + j);
    const turned = splat(TURNED + j);
    const whole = splat(WHOLE + j);
    let stepRe = load(table);
    let stepIm = load(table, 256);
    re0 = add(re0, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im0 = add(im0, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
    stepRe = load(table, WIDTH);
    stepIm = load(table, 256 + WIDTH);
    re1 = add(re1, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im1 = add(im1, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
    stepRe = load(table, 2 * WIDTH);
    stepIm = load(table, 256 + 2 * WIDTH);
    re2 = add(re2, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im2 = add(im2, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
    stepRe = load(table, 3 * WIDTH);
    stepIm = load(table, 256 + 3 * WIDTH);
    re3 = add(re3, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im3 = add(im3, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
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
