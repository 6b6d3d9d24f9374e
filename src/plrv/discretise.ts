import type { Kernel } from '../kernel.js';
import type { Phase } from '../mechanism/phases.js';
import { expm1 } from '../scalar.js';
import { type Direction, emptyGroup, HalfCells, MASS_SLACK, SMALLEST } from './half-cells.js';
import type { LatticeMeasure } from './lattice-measure.js';
import { lowerConvexHull } from './slope-hull.js';

/**
 * The pessimistic lattice measure: each cell's Q-mass is split between its two ends so that its P-mass
 * is kept too. In the variable e^ε its δ curve joins the exact one at the lattice points by chords
 * ("connect the dots", Doroshenko et al. 2022), so it lies above it everywhere and is O(step²) close.
 */
function pessimistic(cells: HalfCells): LatticeMeasure {
  const { step, first } = cells;
  const n = cells.count / 2;
  const mass = new Float64Array(n + 1);
  const gap = -expm1(-step);
  const cell = emptyGroup();
  for (let i = 0; i < n; i++) {
    cells.seenFrom(i, 2 * i, 2 * i + 2, cell);
    // q − p e^x = E_Q[1 − e^{x−L}]: the Q-mass due at the cell's upper end, times 1 − e^{−step}
    const up = Math.min(cell.mass, Math.max(0, (cell.surplus + cell.slack) / gap));
    mass[i] += cell.mass - up;
    mass[i + 1] += up;
  }
  mass[0] += cells.below;
  for (let i = 0; i <= n; i++) mass[i] *= 1 + MASS_SLACK;
  return { step, first, mass, infinity: cells.above * (1 + MASS_SLACK) + SMALLEST };
}

/**
 * The optimistic lattice measure: under the exact δ curve, as a function of e^ε, lies the polygon of its
 * tangents at the mid-points of the lattice; their corners fall O(step²) beside the lattice points, so
 * each lattice point takes the lower of its two neighbouring tangents. Where that is not convex (only
 * where the loss density changes many-fold from cell to cell) the lower convex hull is taken.
 */
function optimistic(cells: HalfCells): LatticeMeasure {
  const { step, first } = cells;
  const { mass: q, surplus, slack, last } = centredBins(cells);
  const growth = expm1(step);
  // jump[i]: the polygon's change of slope at point i; lift: its slope after point i against tangent i
  const jump = new Float64Array(q.length);
  let before = 0;
  for (let i = 0; i <= last; i++) {
    // how far tangent i lies above tangent i−1 at point i, and tangent i+1 below tangent i at point i+1
    const above = i < last ? Math.max(-surplus[i], 0) + slack[i] : 0;
    const nextBelow = i < last ? Math.max(surplus[i + 1], 0) + slack[i + 1] : 0;
    const lift = (above - nextBelow) / growth;
    jump[i] = q[i] - surplus[i] + lift - before * (1 + growth);
    before = lift;
  }
  const mass = lowerConvexHull(jump, step);
  for (let i = 0; i < mass.length; i++) mass[i] *= 1 - MASS_SLACK;
  return { step, first, mass, infinity: 0 };
}

interface Bins {
  readonly mass: Float64Array;
  readonly surplus: Float64Array;
  readonly slack: Float64Array;
  /** The topmost bin that is not empty. */
  readonly last: number;
}

/**
 * Bins centred on the lattice points. The topmost bin's likelihood ratio must not be below its lattice
 * point, or the polygon could not come down to 0 there: bins are merged downwards from the top until
 * it is not. Bins lost to underflow are given up, which lowers the curve.
 */
function centredBins(cells: HalfCells): Bins {
  const n = cells.count / 2;
  const mass = new Float64Array(n + 1);
  const surplus = new Float64Array(n + 1);
  const slack = new Float64Array(n + 1);
  const bin = emptyGroup();
  let last = -1;
  let base = 0;
  let moved = 0;
  let cut = 0;
  for (let i = n; i >= 0; i--) {
    cells.seenFrom(i, Math.max(0, 2 * i - 1), Math.min(2 * n, 2 * i + 1), bin);
    if (last < 0) {
      cells.group(i, bin.base + base, bin.moved + moved, bin.cut + cut, bin);
      if (!bin.sound || bin.surplus < bin.slack) {
        ({ base, moved, cut } = bin);
        continue;
      }
      last = i;
    }
    if (!bin.sound) continue;
    mass[i] = bin.mass;
    surplus[i] = bin.surplus;
    slack[i] = bin.slack;
  }
  return { mass, surplus, slack, last };
}

/** The pair of lattice measures whose δ curves enclose the step's own. */
export function discretise(
  kernel: Kernel,
  phase: Phase,
  direction: Direction,
  step: number,
  logTail: number,
): { upper: LatticeMeasure; lower: LatticeMeasure } {
  const cells = HalfCells.of(kernel, phase, direction, step, logTail);
  return { upper: pessimistic(cells), lower: optimistic(cells) };
}
