/**
 * Sums of exponentials over the outputs of a step. assembly/mesh-sums.ts performs the same operations in the same order, two lanes at a time:
 * even and odd places are summed apart, and joined at the end.
 */
import {
  EXCESS_0,
  EXCESS_1,
  EXCESS_2,
  EXCESS_3,
  EXCESS_4,
  EXCESS_5,
  EXCESS_6,
  EXCESS_7,
  EXCESS_8,
  EXCESS_9,
  EXCESS_10,
  EXCESS_11,
  EXCESS_12,
  EXCESS_13,
  EXCESS_14,
  EXCESS_15,
  EXCESS_NEAR,
  INVERSE_PI,
} from '../kernel/constants.js';
import {
  CUMULANT_ROWS,
  CUMULANT_SUMS,
  checkRange,
  type KernelTable,
  MODULUS_ROWS,
  PATH_ROWS,
  POINT_SUMS,
  pointCount,
  rowLength,
  sumsOutput,
} from '../kernel/kernel-table.js';
import { exp } from './elementary.js';
import { cosPi, sinPi } from './trig.js';

/** Terms whose sum is taken before it joins the total. */
const BLOCK = 32;
/** e^t − 1 − t, |t| < `EXCESS_NEAR`, by Estrin's scheme. */
function exponentialExcess(t: number): number {
  const t2 = t * t;
  const t4 = t2 * t2;
  const low =
    EXCESS_0 +
    t * EXCESS_1 +
    t2 * (EXCESS_2 + t * EXCESS_3) +
    t4 * (EXCESS_4 + t * EXCESS_5 + t2 * (EXCESS_6 + t * EXCESS_7));
  const high =
    EXCESS_8 +
    t * EXCESS_9 +
    t2 * (EXCESS_10 + t * EXCESS_11) +
    t4 * (EXCESS_12 + t * EXCESS_13 + t2 * (EXCESS_14 + t * EXCESS_15));
  return t2 * (low + t4 * t4 * high);
}

/** The method of the seam, where its error bound is stated. */
export function cumulantSums(
  mesh: KernelTable,
  from: number,
  to: number,
  tilts: Float64Array,
  out?: Float64Array,
): Float64Array {
  const stride = rowLength('mesh', mesh, CUMULANT_ROWS, 2);
  checkRange(from, to, stride);
  const sums = sumsOutput(CUMULANT_SUMS * tilts.length, out);
  for (let i = 0; i < tilts.length; i++) {
    const at = CUMULANT_SUMS * i;
    sums.fill(0, at, at + CUMULANT_SUMS);
    for (const lane of [0, 1])
      addTilted(mesh.values, stride, from, to, lane, tilts[i], sums.subarray(at, at + CUMULANT_SUMS));
  }
  return sums;
}

function addTilted(
  mesh: Float64Array,
  stride: number,
  from: number,
  to: number,
  lane: number,
  c: number,
  out: Float64Array,
): void {
  const [loss, bend, rough, blur] = [stride, 2 * stride, 3 * stride, 4 * stride];
  let [sum0, sum1, sum2, sum3, sum4, sum5] = [0, 0, 0, 0, 0, 0];
  for (let start = from; start < to; start += BLOCK) {
    let [mass, first, second, rise, size, shift] = [0, 0, 0, 0, 0, 0];
    const end = Math.min(to, start + BLOCK);
    for (let j = start + lane; j < end; j += 2) {
      const p = mesh[j];
      const y = mesh[loss + j];
      const t = c * y;
      const e = exp(t);
      const f = p * e;
      const fy = f * y;
      mass += f;
      first += fy;
      second += fy * y;
      const g = t < EXCESS_NEAR && t > -EXCESS_NEAR ? exponentialExcess(t) : e - 1 - t;
      const straight = c * mesh[bend + j];
      rise += p * (g + straight);
      size += p * mesh[rough + j] * (g + Math.abs(straight));
      shift += f * mesh[blur + j];
    }
    sum0 += mass;
    sum1 += first;
    sum2 += second;
    sum3 += rise;
    sum4 += size;
    sum5 += shift;
  }
  out[0] += sum0;
  out[1] += sum1;
  out[2] += sum2;
  out[3] += sum3;
  out[4] += sum4;
  out[5] += sum5;
}

/** The method of the seam, where its error bound is stated. */
export function modulusSums(
  moduli: KernelTable,
  taus: Float64Array,
  floor: number,
  out?: Float64Array,
): Float64Array {
  const n = rowLength('moduli', moduli, MODULUS_ROWS, 2);
  const sums = sumsOutput(taus.length, out);
  for (let i = 0; i < taus.length; i++) {
    sums[i] = 0;
    for (const lane of [0, 1]) sums[i] += moduliOf(moduli.values, n, taus[i], floor, lane);
  }
  return sums;
}

function moduliOf(t: Float64Array, n: number, tau: number, floor: number, lane: number): number {
  let total = 0;
  for (let from = 0; from < n; from += BLOCK) {
    let sum = 0;
    const to = Math.min(n, from + BLOCK);
    for (let j = from + lane; j < to; j += 2) {
      const height = t[j] - tau * t[n + j];
      if (!(height <= floor)) sum += exp(height);
    }
    total += sum;
  }
  return total;
}

/** The method of the seam, where its error bound is stated. */
export function pathPoints(
  path: KernelTable,
  points: Float64Array,
  floor: number,
  out?: Float64Array,
): Float64Array {
  const n = rowLength('path', path, PATH_ROWS, 2);
  const m = pointCount(points);
  const sums = sumsOutput(POINT_SUMS * m, out);
  const part = new Float64Array(POINT_SUMS);
  for (let k = 0; k < m; k++) {
    const point = [points[k], points[m + k], points[2 * m + k], points[3 * m + k]] as const;
    for (let i = 0; i < POINT_SUMS; i++) sums[POINT_SUMS * k + i] = 0;
    for (const lane of [0, 1]) {
      addPath(path.values, n, point, floor, lane, part);
      for (let i = 0; i < POINT_SUMS; i++) sums[POINT_SUMS * k + i] += part[i];
    }
  }
  return sums;
}

/** The three sums over the places of one lane, to `out`. */
function addPath(
  t: Float64Array,
  n: number,
  [c, tau, unit, base]: readonly [number, number, number, number],
  floor: number,
  lane: number,
  out: Float64Array,
): void {
  const slide = Math.abs(c) + tau;
  out.fill(0);
  for (let from = 0; from < n; from += BLOCK) {
    let [re, im, wrong] = [0, 0, 0];
    const to = Math.min(n, from + BLOCK);
    for (let j = from + lane; j < to; j += 2) {
      const height = t[2 * n + j] + c * t[j] - tau * t[n + j] - unit;
      if (height <= floor) continue;
      const size = exp(height);
      const turn = (t[3 * n + j] + c * t[n + j] + tau * t[j]) * INVERSE_PI;
      re += size * cosPi(turn);
      im += size * sinPi(turn);
      wrong += size * (base + t[4 * n + j] + slide * t[5 * n + j]);
    }
    out[0] += re;
    out[1] += im;
    out[2] += wrong;
  }
}
