/** Characteristic sums: mirror of src/reference/characteristic.ts, where method and error bound are stated. */
import { add, all, mul, neg, sub } from './lanes';
import { vcosPi, vsinPi } from './trig';

// @ts-ignore: decorator
@inline const BLOCK: usize = 32;
// @ts-ignore: decorator
@inline const FINE: usize = 8;
// @ts-ignore: decorator
@inline const INVERSE_TWO_PI: f64 = 0.15915494309189535;
/** Room for E(b), b < BLOCK: real parts, then imaginary parts. */
const STEPS: usize = memory.data(512, 16);

/**
 * Adds Σ_j w_j (e^{i k·dTau·y_j} − 1), k < room, over m losses to `re` and `im` (zero at the start; room a
 * multiple of 32). `part` is working memory for 2·room numbers.
 */
export function characteristicSums(
  loss: usize, weight: usize, m: usize, dTau: f64, re: usize, im: usize, room: usize, part: usize,
): void {
  const bytes = room << 3;
  const partIm = part + bytes;
  for (let start: usize = 0; start < m; start += BLOCK) {
    memory.fill(part, 0, bytes << 1);
    const end = start + BLOCK < m ? start + BLOCK : m;
    for (let j = start; j < end; j++) {
      const unit = all(dTau * (load<f64>(loss + (j << 3)) * INVERSE_TWO_PI));
      fillSteps(unit);
      addLoss(unit, load<f64>(weight + (j << 3)), part, partIm, room);
    }
    for (let k: usize = 0; k < bytes; k += 16) {
      v128.store(re + k, add(v128.load(re + k), v128.load(part + k)));
      v128.store(im + k, add(v128.load(im + k), v128.load(partIm + k)));
    }
  }
}

function fillSteps(unit: v128): void {
  let index = f64x2(0.0, 1.0);
  for (let b: usize = 0; b < FINE << 3; b += 16) {
    const angle = mul(index, unit);
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    v128.store(STEPS + b, neg(mul(twice, sin)));
    v128.store(STEPS + b, mul(twice, vcosPi(angle)), 256);
    index = add(index, all(2));
  }
  for (let k: usize = FINE; k < BLOCK; k += FINE) {
    const angle = mul(all(<f64>k), unit);
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    const anchor = neg(mul(twice, sin));
    const turned = mul(twice, vcosPi(angle));
    const whole = add(all(1), anchor);
    const out = STEPS + (k << 3);
    for (let b: usize = 0; b < FINE << 3; b += 16) {
      const stepRe = v128.load(STEPS + b);
      const stepIm = v128.load(STEPS + b, 256);
      v128.store(out + b, add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned))));
      v128.store(out + b, add(turned, add(mul(stepRe, turned), mul(stepIm, whole))), 256);
    }
  }
}

function addLoss(unit: v128, weight: f64, partRe: usize, partIm: usize, room: usize): void {
  const w = all(weight);
  for (let k: usize = 0; k < room; k += BLOCK) {
    const angle = mul(all(<f64>k), unit);
    const sin = vsinPi(angle);
    const twice = mul(all(2), sin);
    const anchor = mul(w, neg(mul(twice, sin)));
    const turned = mul(w, mul(twice, vcosPi(angle)));
    const whole = add(w, anchor);
    const outRe = partRe + (k << 3);
    const outIm = partIm + (k << 3);
    for (let b: usize = 0; b < BLOCK << 3; b += 16) {
      const stepRe = v128.load(STEPS + b);
      const stepIm = v128.load(STEPS + b, 256);
      const dr = add(anchor, sub(mul(stepRe, whole), mul(stepIm, turned)));
      const di = add(turned, add(mul(stepRe, turned), mul(stepIm, whole)));
      v128.store(outRe + b, add(v128.load(outRe + b), dr));
      v128.store(outIm + b, add(v128.load(outIm + b), di));
    }
  }
}
