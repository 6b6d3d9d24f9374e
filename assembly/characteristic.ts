/** Characteristic sums: mirror of src/reference/characteristic.ts, where method and error bound are stated. */
import { add, all, at, mul, neg, sub } from './lanes';
import { vcosPi, vsinPi } from './trig';

// @ts-ignore: decorator
@inline const BLOCK: usize = 32;
// @ts-ignore: decorator
@inline const FINE: usize = 8;
// @ts-ignore: decorator
@inline const INVERSE_TWO_PI: f64 = 0.15915494309189535;
/** Bytes of E(b), b < BLOCK, of one loss: real parts, then imaginary parts. */
// @ts-ignore: decorator
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
 * Adds Σ_j w_j (e^{i k·dTau·y_j} − 1), k < room, over m losses to `re` and `im` (zero at the start; room a
 * multiple of 32). Sums over a block of losses stay in registers, eight frequencies at a time.
 */
export function characteristicSums(
  loss: usize, weight: usize, m: usize, dTau: f64, re: usize, im: usize, room: usize,
): void {
  for (let start: usize = 0; start < m; start += BLOCK) {
    const count = m - start < BLOCK ? m - start : BLOCK;
    for (let j: usize = 0; j < count; j++) {
      const unit = dTau * (load<f64>(loss + ((start + j) << 3)) * INVERSE_TWO_PI);
      store<f64>(UNIT + (j << 3), unit);
      store<f64>(WEIGHT + (j << 3), load<f64>(weight + ((start + j) << 3)));
      fillSteps(all(unit), STEPS + j * TABLE);
    }
    for (let k: usize = 0; k < room; k += BLOCK) {
      anchorLosses(<f64>k, count << 3);
      for (let b: usize = 0; b < BLOCK << 3; b += 64) addEight(STEPS + b, count << 3, re + (k << 3) + b, im + (k << 3) + b);
    }
  }
}

/** E(b) for b < BLOCK to `table`. */
function fillSteps(unit: v128, table: usize): void {
  let index = f64x2(0.0, 1.0);
  for (let b: usize = 0; b < FINE << 3; b += 16) {
    const angle = mul(index, unit);
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    v128.store(table + b, neg(mul(twice, sin)));
    v128.store(table + b, mul(twice, vcosPi(angle)), 256);
    index = add(index, all(2));
  }
  for (let k: usize = FINE; k < BLOCK; k += FINE) {
    const angle = mul(all(<f64>k), unit);
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    const anchor = neg(mul(twice, sin));
    const turned = mul(twice, vcosPi(angle));
    const whole = add(all(1), anchor);
    const out = table + (k << 3);
    for (let b: usize = 0; b < FINE << 3; b += 16) {
      const stepRe = v128.load(table + b);
      const stepIm = v128.load(table + b, 256);
      v128.store(out + b, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
      v128.store(out + b, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))), 256);
    }
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
