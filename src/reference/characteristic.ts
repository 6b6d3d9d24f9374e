/**
 * The characteristic sum of a weighted set of losses on an even grid of frequencies; assembly/characteristic.ts
 * performs the same operations in the same order, so both engines agree bit for bit. u = 2⁻⁵³.
 */
import { checkWeights } from '../kernel/arguments.js';
import { CHARACTERISTIC_BLOCK as BLOCK, INVERSE_2PI } from '../kernel/constants.js';
import { cosPi, sinPi } from './trig.js';

/**
 * re[k] + i·im[k] = Σ_j w_j (e^{iτ_k y_j} − 1), τ_k = (first + k)·dTau, k = 0 … n − 1, w_j ≥ 0.
 *
 * With E(x) = e^{ix} − 1 = −2 sin²(x/2) + 2i sin(x/2) cos(x/2): an anchor E(a) every 32 frequencies and a table of E(b) for
 * the steps in between, joined by E(a + b) = E(a) + E(b)(1 + E(a)), and the table by doubling in the same way. Small values
 * stay relatively exact and no error accumulates along the line. Error of each entry: at most
 *   u·Σ w_j (48|x_j| + (36 + m/32)·min(2, |x_j|)),  x_j = τ_k·y_j, m losses:
 * angles and sines 12u|x|; a doubling adds at most 6u of the smaller angle and 1.5u of the sum, 4.5u|x| (|1 + E| = 1), five of them
 * 22.5u|x|; then the products of the last join, and the sum, 32 by 32.
 */
export function characteristicLine(
  loss: Float64Array,
  weight: Float64Array,
  dTau: number,
  n: number,
  first = 0,
): { re: Float64Array; im: Float64Array } {
  checkWeights(loss, weight);
  const room = BLOCK * Math.ceil(n / BLOCK);
  const re = new Float64Array(room);
  const im = new Float64Array(room);
  const partRe = new Float64Array(room);
  const partIm = new Float64Array(room);
  const stepRe = new Float64Array(BLOCK);
  const stepIm = new Float64Array(BLOCK);
  for (let start = 0; start < loss.length; start += BLOCK) {
    partRe.fill(0);
    partIm.fill(0);
    for (let j = start; j < Math.min(start + BLOCK, loss.length); j++) {
      // half the angle from one frequency to the next, in units of π
      const unit = dTau * (loss[j] * INVERSE_2PI);
      fillSteps(unit, stepRe, stepIm);
      const w = weight[j];
      for (let k = 0; k < room; k += BLOCK) {
        const angle = (first + k) * unit;
        const sin = sinPi(angle);
        const twice = 2 * sin;
        const anchor = w * -(twice * sin);
        const turned = w * (twice * cosPi(angle));
        const whole = w + anchor;
        for (let b = 0; b < BLOCK; b++) {
          partRe[k + b] += anchor + (stepRe[b] * whole - stepIm[b] * turned);
          partIm[k + b] += turned + (stepRe[b] * turned + stepIm[b] * whole);
        }
      }
    }
    for (let k = 0; k < room; k++) {
      re[k] += partRe[k];
      im[k] += partIm[k];
    }
  }
  return { re: re.slice(0, n), im: im.slice(0, n) };
}

/** E(b·2π·unit) for b = 0 … 31: those of 2^i … 2^{i+1} − 1 from those below. */
function fillSteps(unit: number, stepRe: Float64Array, stepIm: Float64Array): void {
  const sin = sinPi(unit);
  const twice = 2 * sin;
  stepRe[0] = 0;
  stepIm[0] = 0;
  stepRe[1] = -(twice * sin);
  stepIm[1] = twice * cosPi(unit);
  for (let half = 1; 2 * half < BLOCK; half *= 2) {
    let whole = 1 + stepRe[half];
    const anchor = stepRe[half] + (stepRe[half] * whole - stepIm[half] * stepIm[half]);
    const turned = stepIm[half] + (stepRe[half] * stepIm[half] + stepIm[half] * whole);
    whole = 1 + anchor;
    for (let b = 0; b < 2 * half; b++) {
      stepRe[2 * half + b] = anchor + (stepRe[b] * whole - stepIm[b] * turned);
      stepIm[2 * half + b] = turned + (stepRe[b] * turned + stepIm[b] * whole);
    }
  }
}
