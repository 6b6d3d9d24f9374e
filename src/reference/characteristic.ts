/**
 * The characteristic sum of a weighted set of losses on an even grid of frequencies; assembly/characteristic.ts
 * performs the same operations in the same order, so both engines agree bit for bit. u = 2⁻⁵³.
 */
import { cosPi, sinPi } from './trig.js';

/** Frequencies that share one anchor, and losses summed before they join the total. */
export const BLOCK = 32;
const FINE = 8;
const INVERSE_TWO_PI = 0.15915494309189535;

/**
 * re[k] + i·im[k] = Σ_j w_j (e^{i k·dTau·y_j} − 1), k = 0 … n − 1, w_j ≥ 0.
 *
 * With E(x) = e^{ix} − 1 = −2 sin²(x/2) + 2i sin(x/2) cos(x/2), an anchor E(a) every 32 frequencies and a table
 * of E(b) for the steps in between, made in the same way from anchors every 8, E(a + b) = E(a) + E(b)(1 + E(a)): small
 * values stay relatively exact and no error accumulates along the line. Error of each entry: at most
 *   u·Σ w_j (48|x_j| + (36 + m/32)·min(2, |x_j|)),  x_j = k·dTau·y_j, m losses
 * (angles and sines 11u|a|, times 1 + |E(b)| ≤ 3, plus as much for E(b), and the products; then the sum, 32 by 32).
 */
export function characteristicLine(
  loss: Float64Array,
  weight: Float64Array,
  dTau: number,
  n: number,
): { re: Float64Array; im: Float64Array } {
  if (weight.length !== loss.length)
    throw new RangeError(`"weight" must hold ${loss.length} values like "loss"; got ${weight.length}`);
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
      const unit = dTau * (loss[j] * INVERSE_TWO_PI);
      fillSteps(unit, stepRe, stepIm);
      const w = weight[j];
      for (let k = 0; k < room; k += BLOCK) {
        const sin = sinPi(k * unit);
        const twice = 2 * sin;
        const anchor = w * -(twice * sin);
        const turned = w * (twice * cosPi(k * unit));
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

/** E(b·2π·unit) for b = 0 … 31, from those of 0 … 7 and of 8, 16, 24. */
function fillSteps(unit: number, stepRe: Float64Array, stepIm: Float64Array): void {
  for (let b = 0; b < FINE; b++) {
    const sin = sinPi(b * unit);
    const twice = 2 * sin;
    stepRe[b] = -(twice * sin);
    stepIm[b] = twice * cosPi(b * unit);
  }
  for (let k = FINE; k < BLOCK; k += FINE) {
    const sin = sinPi(k * unit);
    const twice = 2 * sin;
    const anchor = -(twice * sin);
    const turned = twice * cosPi(k * unit);
    const whole = 1 + anchor;
    for (let b = 0; b < FINE; b++) {
      stepRe[k + b] = anchor + (stepRe[b] * whole - stepIm[b] * turned);
      stepIm[k + b] = turned + (stepRe[b] * turned + stepIm[b] * whole);
    }
  }
}
