/**
 * Sums over the nodes of a contour. assembly/contour-sums.ts performs the same operations in the same order, two lanes at a time: even
 * and odd nodes are summed apart, and joined at the end. u = 2⁻⁵³.
 */
import { INVERSE_PI } from '../kernel/constants.js';
import {
  CONTOUR_ROWS,
  FUNCTIONALS,
  type KernelTable,
  rowLength,
  sumsOutput,
  UNIFORM_ROWS,
} from '../kernel/kernel-table.js';
import { cosPi, sinPi } from './trig.js';

/** Nodes whose sum is taken before it joins the total; rotations start from fresh angles with each. */
const BLOCK = 32;

/** The method of the seam, where its error bound is stated. */
export function contourSums(nodes: KernelTable, xs: Float64Array, out?: Float64Array): Float64Array {
  const n = rowLength('nodes', nodes, CONTOUR_ROWS, 2);
  const sums = sumsOutput(FUNCTIONALS * xs.length, out);
  for (let i = 0; i < xs.length; i++) {
    sums.fill(0, FUNCTIONALS * i, FUNCTIONALS * (i + 1));
    for (const lane of [0, 1]) addApart(nodes.values, n, xs[i], lane, sums, FUNCTIONALS * i);
  }
  return sums;
}

function addApart(t: Float64Array, n: number, x: number, lane: number, out: Float64Array, at: number): void {
  let [sum0, sum1, sum2] = [0, 0, 0];
  for (let from = 0; from < n; from += BLOCK) {
    let [a0, a1, a2] = [0, 0, 0];
    const to = Math.min(n, from + BLOCK);
    for (let k = from + lane; k < to; k += 2) {
      const turn = t[k] * x;
      const c = cosPi(turn);
      const s = sinPi(turn);
      a0 += t[n + k] * c + t[2 * n + k] * s;
      a1 += t[3 * n + k] * c + t[4 * n + k] * s;
      a2 += t[5 * n + k] * c + t[6 * n + k] * s;
    }
    sum0 += a0;
    sum1 += a1;
    sum2 += a2;
  }
  out[at] += sum0;
  out[at + 1] += sum1;
  out[at + 2] += sum2;
}

/**
 * The method of the seam. Two chains of rotations by 4·dTau·x a lane, seven rotations from fresh angles at most.
 *
 * Error: an angle of k·dTau·x is off by 4u of itself, rotated or not; a cosine and sine by 2.2u, a rotation rounds by √5·u (Brent, Percival and
 * Zimmermann, Math. Comp. 76 (2007) 1469–1481) and takes over the step's 2.2u: 34u in all. Then 3u for a term, and as many u as additions.
 */
export function contourSumsUniform(
  dTau: number,
  weights: KernelTable,
  xs: Float64Array,
  out?: Float64Array,
): Float64Array {
  const n = rowLength('weights', weights, UNIFORM_ROWS, 4);
  const sums = sumsOutput(FUNCTIONALS * xs.length, out);
  for (let i = 0; i < xs.length; i++) {
    const turn = dTau * xs[i] * INVERSE_PI;
    sums.fill(0, FUNCTIONALS * i, FUNCTIONALS * (i + 1));
    for (const lane of [0, 1]) addTurning(weights.values, n, turn, lane, sums, FUNCTIONALS * i);
  }
  return sums;
}

function addTurning(
  w: Float64Array,
  n: number,
  turn: number,
  lane: number,
  out: Float64Array,
  at: number,
): void {
  const stepC = cosPi(4 * turn);
  const stepS = sinPi(4 * turn);
  let [sum0, sum1, sum2] = [0, 0, 0];
  for (let from = 0; from < n; from += BLOCK) {
    let ca = cosPi((from + lane) * turn);
    let sa = sinPi((from + lane) * turn);
    let cb = cosPi((from + 2 + lane) * turn);
    let sb = sinPi((from + 2 + lane) * turn);
    let [a0, a1, a2] = [0, 0, 0];
    const to = Math.min(n, from + BLOCK);
    for (let k = from + lane; k < to; k += 4) {
      a0 += w[k] * ca + w[n + k] * sa;
      a1 += w[2 * n + k] * ca + w[3 * n + k] * sa;
      a2 += w[4 * n + k] * ca + w[5 * n + k] * sa;
      a0 += w[k + 2] * cb + w[n + k + 2] * sb;
      a1 += w[2 * n + k + 2] * cb + w[3 * n + k + 2] * sb;
      a2 += w[4 * n + k + 2] * cb + w[5 * n + k + 2] * sb;
      const nextA = ca * stepC - sa * stepS;
      sa = ca * stepS + sa * stepC;
      ca = nextA;
      const nextB = cb * stepC - sb * stepS;
      sb = cb * stepS + sb * stepC;
      cb = nextB;
    }
    sum0 += a0;
    sum1 += a1;
    sum2 += a2;
  }
  out[at] += sum0;
  out[at + 1] += sum1;
  out[at + 2] += sum2;
}
