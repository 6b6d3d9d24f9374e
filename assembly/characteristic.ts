/** Characteristic sums: mirror of src/reference/characteristic.ts, where method and error bound are stated. */
import { CHARACTERISTIC_BLOCK, INVERSE_2PI } from '../src/kernel/constants';
import { requireBlock } from './checks';
import { add, all, at, mul, neg, sub } from './lanes';
import { vcosPi, vsinPi } from './trig';

// @ts-expect-error: decorator
@inline const BLOCK: usize = <usize>CHARACTERISTIC_BLOCK;
/** Bytes of E(b), b < BLOCK, of one loss: real parts, then imaginary parts. */
// @ts-expect-error: decorator
@inline const TABLE: usize = 512;
/** The tables of a block of losses. */
const STEPS: usize = memory.data(16384, 16);
/** Half turns a frequency and weights of a block of losses, padded to pairs; then of each, at the anchor, w·Re E, w·Im E and w(1 + Re E). */
const UNIT: usize = memory.data(256, 16);
const WEIGHT: usize = memory.data(256, 16);
const ANCHOR: usize = memory.data(256, 16);
const TURNED: usize = memory.data(256, 16);
const WHOLE: usize = memory.data(256, 16);

/**
 * Adds Σ_j w_j (e^{i(first + k)·dTau·y_j} − 1), k < room, over m losses to `re` and `im` (zero at the start; room a
 * multiple of 32). Sums over a block of losses stay in registers, eight frequencies at a time.
 */
export function characteristicSums(
  loss: usize,
  weight: usize,
  m: usize,
  dTau: f64,
  first: f64,
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
      store<f64>(UNIT + (j << 3), dTau * (load<f64>(loss + ((start + j) << 3)) * INVERSE_2PI));
      store<f64>(WEIGHT + (j << 3), load<f64>(weight + ((start + j) << 3)));
    }
    for (let j: usize = 0; j < count; j += 2) {
      const unit = v128.load(UNIT + (j << 3));
      const sin = vsinPi(unit);
      const twice = mul(all(2), sin);
      const re1 = neg(mul(twice, sin));
      const im1 = mul(twice, vcosPi(unit));
      const table = STEPS + j * TABLE;
      fillSteps(f64x2.extract_lane(re1, 0), f64x2.extract_lane(im1, 0), table);
      fillSteps(f64x2.extract_lane(re1, 1), f64x2.extract_lane(im1, 1), table + TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      anchorLosses(first + <f64>k, count << 3);
      for (let b: usize = 0; b < BLOCK << 3; b += 64)
        addEight(STEPS + b, count << 3, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/** E(b) for b < BLOCK to `table`, from re1 + i·im1 = E(1). */
function fillSteps(re1: f64, im1: f64, table: usize): void {
  v128.store(table, f64x2(0, re1));
  v128.store(table, f64x2(0, im1), 256);
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
    for (let b: usize = 0; b < size; b += 16) {
      const stepRe = v128.load(table + b);
      const stepIm = v128.load(table + b, 256);
      v128.store(table + size + b, add(A, sub(mul(stepRe, W), mul(stepIm, T))));
      v128.store(table + size + b, add(T, add(mul(stepRe, T), mul(stepIm, W))), 256);
    }
    re = anchor;
    im = turned;
  }
}

/** The anchors of `size` bytes of losses at frequency k. */
function anchorLosses(k: f64, size: usize): void {
  for (let j: usize = 0; j < size; j += 16) {
    const w = v128.load(WEIGHT + j);
    const angle = mul(all(k), v128.load(UNIT + j));
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    const anchor = mul(w, neg(mul(twice, sin)));
    v128.store(ANCHOR + j, anchor);
    v128.store(TURNED + j, mul(w, mul(twice, vcosPi(angle))));
    v128.store(WHOLE + j, add(w, anchor));
  }
}

/** The sums over `size` bytes of losses at the eight frequencies whose E(b) begin at `table`, added to re and im. */
function addEight(table: usize, size: usize, re: usize, im: usize): void {
  let re0 = all(0);
  let re1 = all(0);
  let re2 = all(0);
  let re3 = all(0);
  let im0 = all(0);
  let im1 = all(0);
  let im2 = all(0);
  let im3 = all(0);
  for (let j: usize = 0; j < size; j += 8, table += TABLE) {
    const anchor = at(ANCHOR + j);
    const turned = at(TURNED + j);
    const whole = at(WHOLE + j);
    let stepRe = v128.load(table);
    let stepIm = v128.load(table, 256);
    re0 = add(re0, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im0 = add(im0, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
    stepRe = v128.load(table, 16);
    stepIm = v128.load(table, 272);
    re1 = add(re1, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im1 = add(im1, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
    stepRe = v128.load(table, 32);
    stepIm = v128.load(table, 288);
    re2 = add(re2, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im2 = add(im2, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
    stepRe = v128.load(table, 48);
    stepIm = v128.load(table, 304);
    re3 = add(re3, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
    im3 = add(im3, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))));
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
