/**
 * Sums of decaying and turning exponentials on an even grid of frequencies. assembly/path-line.ts performs the same operations in the same order.
 */
import { INVERSE_PI } from '../kernel/constants.js';
import {
  checkOffsets,
  type KernelTable,
  lineOf,
  PATH_BLOCK,
  PATH_ROWS,
  type PanelSums,
  pathLength,
  rowLength,
} from '../kernel/kernel-table.js';
import { exp } from './elementary.js';
import { cosPi, sinPi } from './trig.js';

/** The method of the seam, where its error bound is stated. */
export function pathLine(
  path: Float64Array,
  dTau: number,
  n: number,
  first: number,
  floor: number,
): { re: Float64Array; im: Float64Array; wrong: Float64Array } {
  const m = pathLength(path);
  const room = PATH_BLOCK * Math.ceil(n / PATH_BLOCK);
  const re = new Float64Array(room);
  const im = new Float64Array(room);
  const wrong = new Float64Array(room / PATH_BLOCK);
  const powers = new Float64Array(2 * PATH_BLOCK * PATH_BLOCK);
  for (let start = 0; start < m; start += PATH_BLOCK) {
    const end = Math.min(m, start + PATH_BLOCK);
    for (let j = start; j < end; j++) {
      const size = exp(-(dTau * path[m + j]));
      const turn = dTau * path[j] * INVERSE_PI;
      fillPowers(size * cosPi(turn), size * sinPi(turn), powers, 2 * PATH_BLOCK * (j - start));
    }
    for (let k = 0; k < room; k += PATH_BLOCK) {
      const tau = (first + k) * dTau;
      wrong[k / PATH_BLOCK] += addBlock(
        { path, m, start, end, powers, floor },
        tau,
        (first + k + PATH_BLOCK) * dTau,
        re.subarray(k, k + PATH_BLOCK),
        im.subarray(k, k + PATH_BLOCK),
      );
    }
  }
  return lineOf(re, im, wrong, n);
}

/** The method of the seam, where its error bound is stated. */
export function pathPanels(
  path: KernelTable,
  offsets: Float64Array,
  from: Float64Array,
  floor: number,
): PanelSums {
  const { values } = path;
  const m = rowLength('path', path, PATH_ROWS, 2);
  const span = checkOffsets(offsets);
  const re = new Float64Array(PATH_BLOCK * from.length);
  const im = new Float64Array(PATH_BLOCK * from.length);
  const wrong = new Float64Array(from.length);
  const powers = new Float64Array(2 * PATH_BLOCK * PATH_BLOCK);
  for (let start = 0; start < m; start += PATH_BLOCK) {
    const end = Math.min(m, start + PATH_BLOCK);
    for (let j = start; j < end; j++) {
      const fall = values[m + j];
      const turn = values[j] * INVERSE_PI;
      const at = 2 * PATH_BLOCK * (j - start);
      for (let b = 0; b < offsets.length; b++) {
        const size = exp(-(fall * offsets[b]));
        powers[at + b] = size * cosPi(turn * offsets[b]);
        powers[at + PATH_BLOCK + b] = size * sinPi(turn * offsets[b]);
      }
    }
    for (let k = 0; k < from.length; k++)
      wrong[k] += addBlock(
        { path: values, m, start, end, powers, floor },
        from[k],
        from[k] + span,
        re.subarray(PATH_BLOCK * k, PATH_BLOCK * (k + 1)),
        im.subarray(PATH_BLOCK * k, PATH_BLOCK * (k + 1)),
      );
  }
  return { re, im, wrong };
}

/** E^b, b = 0 … 31, of E = re + i·im: real parts from `at` on, then imaginary parts. E^{2^i + b} = E^{2^i}·E^b. */
function fillPowers(re: number, im: number, powers: Float64Array, at: number): void {
  const turned = at + PATH_BLOCK;
  powers[at] = 1;
  powers[turned] = 0;
  let [x, y] = [re, im];
  for (let half = 1; half < PATH_BLOCK; half *= 2) {
    for (let b = 0; b < half; b++) {
      powers[at + half + b] = x * powers[at + b] - y * powers[turned + b];
      powers[turned + half + b] = x * powers[turned + b] + y * powers[at + b];
    }
    [x, y] = [x * x - y * y, x * y + y * x];
  }
}

/** The nodes start … end − 1 of a path, and the powers of their factors from one frequency to the next. */
interface Nodes {
  readonly path: Float64Array;
  readonly m: number;
  readonly start: number;
  readonly end: number;
  readonly powers: Float64Array;
  readonly floor: number;
}

const partRe = new Float64Array(PATH_BLOCK);
const partIm = new Float64Array(PATH_BLOCK);

/** Adds the nodes' terms at the frequencies from tau on; returns the bound of their errors up to `last`. */
function addBlock(nodes: Nodes, tau: number, last: number, re: Float64Array, im: Float64Array): number {
  const { path, m, start, end, powers, floor } = nodes;
  partRe.fill(0);
  partIm.fill(0);
  let wrong = 0;
  for (let j = start; j < end; j++) {
    const height = path[2 * m + j] - tau * path[m + j];
    if (height <= floor) continue;
    const size = exp(height);
    const phase = (path[3 * m + j] + tau * path[j]) * INVERSE_PI;
    const x = size * cosPi(phase);
    const y = size * sinPi(phase);
    wrong += size * (path[4 * m + j] + last * path[5 * m + j]);
    const at = 2 * PATH_BLOCK * (j - start);
    for (let b = 0; b < PATH_BLOCK; b++) {
      const c = powers[at + b];
      const s = powers[at + PATH_BLOCK + b];
      partRe[b] += x * c - y * s;
      partIm[b] += x * s + y * c;
    }
  }
  for (let b = 0; b < PATH_BLOCK; b++) {
    re[b] += partRe[b];
    im[b] += partIm[b];
  }
  return wrong;
}
