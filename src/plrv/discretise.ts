import type { Kernel } from '../kernel.js';
import type { Phase } from '../mechanism/phases.js';
import { exp, expm1, log, normalCdf, normalQuantileLog } from '../scalar.js';
import type { LatticeMeasure } from './lattice-measure.js';
import { lowerConvexHull } from './slope-hull.js';
import { plainLoss, subsampledLoss } from './subsampling.js';

export type Direction = 'remove' | 'add';

/** Relative slack on every computed mass, far above the interval masses' measured error (≤ 1e-14). */
const MASS_SLACK = 2e-13;

/** Masses below this have lost relative accuracy to underflow. */
const SMALLEST = 1e-295;

/**
 * One step of a Poisson-subsampled Gaussian cut into half cells of the lattice: cell k holds the losses
 * between step·(first + k/2) and step·(first + (k+1)/2).
 */
interface HalfCells {
  readonly step: number;
  readonly first: number;
  /** Q- and P-mass of each half cell (an even number of them). */
  readonly q: Float64Array;
  readonly p: Float64Array;
  readonly qBelow: number;
  readonly qAbove: number;
  readonly lossRounding: number;
}

/** Lattice indices that hold all losses up to a normal tail of e^{logTail} on either side. */
export function lossRange(phase: Phase, direction: Direction, step: number, logTail: number): [number, number] {
  const { sigma, rate } = phase;
  const z = -normalQuantileLog(logTail);
  const plainAt = (o: number) => (2 * o - 1) / (2 * sigma * sigma);
  const low = subsampledLoss(plainAt(-z * sigma), rate);
  const high = subsampledLoss(plainAt(1 + z * sigma), rate);
  const [a, b] = direction === 'remove' ? [low, high] : [-high, -low];
  return [Math.floor(a / step) - 1, Math.ceil(b / step) + 1];
}

function halfCells(kernel: Kernel, phase: Phase, direction: Direction, step: number, logTail: number): HalfCells {
  const { sigma, rate } = phase;
  const [first, last] = lossRange(phase, direction, step, logTail);
  const cells = 2 * (last - first);
  const sign = direction === 'remove' ? 1 : -1;
  // edges ascending in o: for 'add' the losses run backwards
  const base = new Float64Array(cells + 1);
  const moved = new Float64Array(cells + 1);
  let largest = 1 / (sigma * sigma);
  for (let k = 0; k <= cells; k++) {
    const half = sign > 0 ? 2 * first + k : 2 * last - k;
    const s = plainLoss(sign * half * (step / 2), rate);
    if (s > largest) largest = s;
    base[k] = s * sigma + 0.5 / sigma;
    moved[k] = base[k] - 1 / sigma;
  }
  const lossRounding = 2e-15 * (3 + largest + 1 / (sigma * sigma));
  const n0 = kernel.normalIntervals(base);
  const n1 = kernel.normalIntervals(moved, moved.subarray(0, cells));
  const mix = new Float64Array(cells);
  for (let k = 0; k < cells; k++) mix[k] = (1 - rate) * n0[k] + rate * n1[k];
  const lowEnd = base[0];
  const highEnd = base[cells];
  const mixTail = (upper: boolean): number => {
    const [a, b] = upper ? [-highEnd, 1 / sigma - highEnd] : [lowEnd, lowEnd - 1 / sigma];
    return (1 - rate) * normalCdf(a) + rate * normalCdf(b);
  };
  if (direction === 'remove') {
    return { step, first, q: mix, p: n0, qBelow: mixTail(false), qAbove: mixTail(true), lossRounding };
  }
  n0.reverse();
  mix.reverse();
  return { step, first, q: n0, p: mix, qBelow: normalCdf(-highEnd), qAbove: normalCdf(lowEnd), lossRounding };
}

/**
 * The pessimistic lattice measure: each cell's Q-mass is split between its two ends so that its P-mass
 * is kept too. In the variable e^ε its δ curve joins the exact one at the lattice points by chords
 * ("connect the dots", Doroshenko et al. 2022), so it lies above it everywhere and is O(step²) close.
 */
function pessimistic(cells: HalfCells): LatticeMeasure {
  const { step, first, q, p } = cells;
  const n = q.length / 2;
  const mass = new Float64Array(n + 1);
  const gap = -expm1(-step);
  const pad = 2 * cells.lossRounding + MASS_SLACK * step + 1e-15;
  for (let i = 0; i < n; i++) {
    const qi = q[2 * i] + q[2 * i + 1];
    if (qi === 0) continue;
    // q − p e^x = E_Q[1 − e^{x−L}] over the cell, the Q-mass due at its upper end times (1 − e^{−step})
    const pi = p[2 * i] + p[2 * i + 1];
    const px = pi < SMALLEST ? 0 : scaled(pi, step * (first + i));
    const up = Math.min(qi, Math.max(0, (qi - px + pad * qi) / gap));
    mass[i] += qi - up;
    mass[i + 1] += up;
  }
  mass[0] += cells.qBelow;
  for (let i = 0; i <= n; i++) mass[i] *= 1 + MASS_SLACK;
  return { step, first, mass, infinity: cells.qAbove * (1 + MASS_SLACK) + SMALLEST, lossRounding: cells.lossRounding };
}

/**
 * The optimistic lattice measure: under the exact δ curve, as a function of e^ε, lies the polygon of its
 * tangents at the mid-points of the lattice; their corners fall O(step²) beside the lattice points, so
 * each lattice point takes the lower of its two neighbouring tangents. Where that is not convex (only
 * where the loss density changes many-fold from cell to cell) the lower convex hull is taken.
 */
function optimistic(cells: HalfCells): LatticeMeasure {
  const { step, first } = cells;
  const growth = expm1(step);
  const pad = 2 * cells.lossRounding + MASS_SLACK * step + 1e-15;
  const { q, px } = centredBins(cells, pad);
  const n = q.length;
  // jump[i]: the polygon's change of slope at point i; lift: its slope after point i against tangent i
  const jump = new Float64Array(n);
  let before = 0;
  let last = n - 1;
  while (last > 0 && q[last] === 0) last--;
  for (let i = 0; i <= last; i++) {
    // how far tangent i lies above tangent i−1 at point i (the last bin was made so that it does not)
    const above = i < last ? Math.max(px[i] - q[i], 0) + pad * q[i] : 0;
    const nextBelow = i < last ? Math.max(q[i + 1] - px[i + 1], 0) + pad * q[i + 1] : 0;
    const lift = (above - nextBelow) / growth;
    jump[i] = px[i] + lift - before * (1 + growth);
    before = lift;
  }
  const mass = lowerConvexHull(jump, step);
  for (let i = 0; i < n; i++) mass[i] *= 1 - MASS_SLACK;
  return { step, first, mass, infinity: 0, lossRounding: cells.lossRounding };
}

/**
 * Q-mass and P-mass·e^x of the bins centred on the lattice points. The topmost bin's likelihood ratio
 * must not be below its lattice point, or the polygon could not come down to 0 there: bins are merged
 * downwards from the top until it is not. Bins whose P-mass has underflowed are given up.
 */
function centredBins(cells: HalfCells, pad: number): { q: Float64Array; px: Float64Array } {
  const { step, first } = cells;
  const n = cells.q.length / 2;
  const q = new Float64Array(n + 1);
  const px = new Float64Array(n + 1);
  let carriedQ = 0;
  let carriedP = 0;
  let open = true;
  for (let i = n; i >= 0; i--) {
    let pi = (i > 0 ? cells.p[2 * i - 1] : 0) + (i < n ? cells.p[2 * i] : 0);
    let qi = (i > 0 ? cells.q[2 * i - 1] : 0) + (i < n ? cells.q[2 * i] : 0);
    if (pi < SMALLEST || qi < SMALLEST) continue;
    if (open) {
      pi += carriedP;
      qi += carriedQ;
      if (scaled(pi, step * (first + i)) > qi * (1 - pad)) {
        carriedP = pi;
        carriedQ = qi;
        continue;
      }
      open = false;
    }
    q[i] = qi;
    px[i] = scaled(pi, step * (first + i));
  }
  return { q, px };
}

/** p·e^x, without e^x overflowing where p has underflowed. */
function scaled(p: number, x: number): number {
  if (p === 0) return 0;
  return x < 700 ? p * exp(x) : exp(x + log(p));
}

/** The pair of lattice measures whose δ curves enclose the step's own. */
export function discretise(
  kernel: Kernel,
  phase: Phase,
  direction: Direction,
  step: number,
  logTail: number,
): { upper: LatticeMeasure; lower: LatticeMeasure } {
  const cells = halfCells(kernel, phase, direction, step, logTail);
  return { upper: pessimistic(cells), lower: optimistic(cells) };
}
