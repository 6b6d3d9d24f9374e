/**
 * One Poisson-subsampled step of sampling rate r with its losses on a lattice: measures whose privacy profiles δ(ε) lie above and below its own.
 * src/law/lattice/cell-law.ts calls it.
 *
 * The lattice points are step·(first + i), i = 0, 1, …; step is the spacing. Half cell k holds the outputs with losses from step·(first + k/2) to
 * step·(first + (k+1)/2). The step is given by the masses of half cells, between edges of its unsampled loss. Edges are rounded losses, so the masses
 * are exact for nearby losses. `slack` bounds, in units of probability, the rounding error of a δ built from them.
 */
import { U } from '../../src/kernel/constants.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { requireBlock } from '../lane/lanes.js';
import { expm1Of, expOf, logOf } from '../functions/scalar.js';

/** Bound of the relative error of an interval mass (at most 1e-15) and of the arithmetic done on it. */
const MASS_SLACK: f64 = 4e-15;
/** Masses below this have lost relative accuracy to underflow. */
const SMALLEST: f64 = 1e-295;

/**
 * The step being discretised: its half cells, e^x − 1 at the lattice points x, and the number of these points. Rows of `row` bytes over half cells:
 * P-mass of the unsampled step; Q-mass times the rate; errors of both; and the error of the edges.
 */
let cells: usize = 0;
let row: usize = 0;
let rises: usize = 0;
let points: usize = 0;
let rate: f64 = 0;
let step: f64 = 0;
let first: f64 = 0;
let isAdding: bool = false;
/** Relative error of masses in addition to MASS_SLACK, for atoms; −1 for densities. */
let relative: f64 = -1;

/**
 * Sums over neighbouring half cells: P-masses of the unsampled step (`base`), Q-masses times the rate (`moved`), their errors, and errors of edges
 * (`cut`).
 */
let base: f64 = 0;
let moved: f64 = 0;
let baseError: f64 = 0;
let movedError: f64 = 0;
let cut: f64 = 0;
/**
 * Results of `group` for a set of half cells with P-mass p and Q-mass q, at a lattice point x. `mass` is q, and `surplus` q − pe^x = E_Q[1 − e^{x−L}]
 * over the set, L the loss. The surplus is computed without the part that Q and P have in common, so its error is proportional to the rate. `slack`
 * bounds this error; `beyond` is its part from errors of masses and edges.
 */
let mass: f64 = 0;
let surplus: f64 = 0;
let slack: f64 = 0;
let beyond: f64 = 0;
/** False where underflow leaves no valid lower bound. */
let isSound: bool = false;

function at(array: usize, i: i32): f64 {
  return loadF64(array + ((<usize>i) << 3));
}
function put(array: usize, i: i32, x: f64): void {
  storeF64(array + ((<usize>i) << 3), x);
}
function clear(array: usize, n: i32): void {
  for (let i: i32 = 0; i < n; i++) put(array, i, 0);
}

/**
 * Fills the half cells from masses p and q between edges that ascend in the unsampled loss. Rows: P-mass of the unsampled step; Q-mass times the
 * rate; errors of both; and a bound of the mass that rounded edges assign to the wrong half cell. Under 'add' losses are in reverse order.
 * @param wrong, wrongBase Absolute errors of q and of p.
 */
function cutInto(p: usize, q: usize, wrong: usize, wrongBase: usize, edges: usize): void {
  const count = 2 * (<i32>points - 1);
  const from = isAdding ? -2 * (first + <f64>points - 1) : 2 * first;
  for (let k: i32 = 0; k < count; k++) {
    const to = isAdding ? count - 1 - k : k;
    const a = at(p, k + 1);
    const b = at(q, k + 1) * rate;
    put(cells, to, a);
    put(cells + row, to, b);
    put(cells + 2 * row, to, at(wrongBase, k + 1));
    put(cells + 3 * row, to, at(wrong, k + 1) * rate);
    let cost: f64 = 0;
    if (b !== 0) {
      // the error of an edge at loss x: mass that is assigned to the wrong half cell
      const share = Math.min(1, b / (b + a * (1 - rate)));
      const near = Math.min(Math.abs(at(edges, k + 1)), Math.abs(at(edges, k + 2)));
      const x = (from + <f64>k) * (step / 2);
      cost = 16 * U * (share * (2 + near) + Math.abs(x)) * (b + a * share);
    }
    put(cells + 4 * row, to, cost);
  }
  for (let i: i32 = 0; i < <i32>points; i++) put(rises, i, expm1Of(step * (first + <f64>i)));
}

/**
 * Sums masses and error bounds of the at most two half cells i … j − 1; MASS_SLACK includes the rounding. Then sets Q-mass, surplus q − pe^x and its
 * error bound at a lattice point x (`group`).
 */
function seeFrom(point: i32, i: i32, j: i32): void {
  base = moved = baseError = movedError = cut = 0;
  for (let k = i; k < j; k++) {
    base += at(cells, k);
    moved += at(cells + row, k);
    baseError += at(cells + 2 * row, k);
    movedError += at(cells + 3 * row, k);
    cut += at(cells + 4 * row, k);
  }
  group(point);
}

/**
 * Sets the Q-mass q of the summed half cells, and their surplus q − pe^x = E_Q[1 − e^{x−L}] at a lattice point x. L is the loss. Ensures: the surplus
 * has an error of no more than `slack`.
 */
function group(point: i32): void {
  const rise = at(rises, point);
  const a = base;
  const b = moved;
  if (relative >= 0 && a === 0 && b === 0) {
    baseError = movedError = cut = mass = surplus = slack = beyond = 0;
    isSound = true;
    return;
  }
  let own: f64 = 0;
  let other: f64 = 0;
  let size: f64 = 0;
  let wrong: f64 = 0;
  if (!isAdding) {
    // q = (1−r)a + b, p = a
    mass = (1 - rate) * a + b;
    own = b;
    if (a >= SMALLEST)
      other = rise < 1e300 ? a * (rise + rate) : expOf(step * (first + <f64>point) + logOf(a));
    size = b + (a < SMALLEST ? 0 : a * Math.min(Math.abs(rise) + rate, 1e308));
    wrong = movedError + baseError * Math.min(Math.abs(rise + rate), 1e308);
    isSound = a >= SMALLEST;
  } else {
    // q = a, p = (1−r)a + b
    mass = a;
    // q − (1−r)a e^x without cancellation: e^x may be as large as 1/(1−r)
    own = a * (rate - (1 - rate) * rise);
    other = b * (rise + 1);
    size = a * (rate + (1 - rate) * Math.abs(rise)) + other;
    wrong = baseError * Math.abs(rate - (1 - rate) * rise) + movedError * (rise + 1);
    isSound = a >= SMALLEST && rise < 1e300;
  }
  surplus = own - other;
  // absolute error of masses that underflowed
  const lost: f64 = a < SMALLEST || b < SMALLEST ? SMALLEST * (1 + Math.max(0, rise)) : 0;
  beyond = wrong + cut;
  slack = MASS_SLACK * size + beyond + lost;
  if (slack < Infinity) return;
  surplus = mass;
  slack = mass;
  beyond = 0;
  isSound = false;
}

/**
 * The pessimistic lattice measure: each cell's Q-mass is split between its two ends so that its P-mass
 * is kept too. In the variable e^ε its δ curve joins the exact one at the lattice points by chords
 * ("connect the dots", Doroshenko et al. 2022), so it lies above it everywhere and is O(step²) close.
 *
 * Ensures: its δ curve is nowhere below that of the cells.
 */
function pessimistic(below: f64, out: usize): void {
  const n = <i32>points - 1;
  const gap = -expm1Of(-step);
  clear(out, n + 1);
  for (let i: i32 = 0; i < n; i++) {
    seeFrom(i, 2 * i, 2 * i + 2);
    // q − p e^x = E_Q[1 − e^{x−L}]: the Q-mass due at the cell's upper end, times 1 − e^{−step}
    const up = Math.min(mass + beyond / gap, Math.max(0, (surplus + slack) / gap));
    put(out, i, at(out, i) + Math.max(0, mass - up));
    put(out, i + 1, at(out, i + 1) + up);
  }
  put(out, 0, at(out, 0) + below);
  const scale = 1 + (MASS_SLACK + Math.max(0, relative));
  for (let i: i32 = 0; i <= n; i++) put(out, i, at(out, i) * scale);
}

/** Rows of merged half cells ("bins"), a row of `wide` bytes each: Q-mass, surplus and slack; and the index of the topmost bin that is not empty. */
let bins: usize = 0;
let wide: usize = 0;
let last: i32 = -1;

/**
 * Upper bound of the amount by which the line of a bin's upper edge exceeds that of its lower edge, at the bin's lattice point; at least 0. The line
 * of an edge is Q(above) − e^ε P(above), from the masses of the outputs above the edge.
 * @param over The bin's surplus.
 */
function excess(over: f64, error: f64): f64 {
  return Math.max(-over, 0) + error;
}

/**
 * Fills one bin per lattice point i: half cells 2i + offset and 2i + offset + 1. From the top down, bins are merged until the polygon of `optimistic`
 * stays at or above 0 at every lattice point, as a δ does. Bins lost to underflow are left out, which lowers the curve. Ensures: the lines of the
 * bins' edges, lowered by their slack, are nowhere above the δ of the half cells.
 */
function binned(offset: i32): void {
  const n = <i32>points - 1;
  const gap = -expm1Of(-step);
  clear(bins, 3 * ((<i32>wide) >> 3));
  last = n + 1;
  // of all bins above lattice point i, with masses p and q: the height of their line, q − pe^x, and pe^x
  let height: f64 = 0;
  let tail: f64 = 0;
  let mergedBase: f64 = 0;
  let mergedMoved: f64 = 0;
  let mergedBaseError: f64 = 0;
  let mergedMovedError: f64 = 0;
  let mergedCut: f64 = 0;
  for (let i = n; i >= 0; i--) {
    const from = 2 * i + offset;
    seeFrom(i, from < 0 ? 0 : from, from + 2 < 2 * n ? from + 2 : 2 * n);
    const ownBase = base;
    const ownMoved = moved;
    const ownBaseError = baseError;
    const ownMovedError = movedError;
    const ownCut = cut;
    if (last <= n && height - excess(surplus, slack) < 0 && isSound) {
      for (let k = i; k <= n; k++) put(bins, k, 0);
      last = n + 1;
    }
    if (last > n) {
      base += mergedBase;
      moved += mergedMoved;
      baseError += mergedBaseError;
      movedError += mergedMovedError;
      cut += mergedCut;
      group(i);
      if (isSound && surplus >= slack) {
        last = i;
        height = tail = 0;
      }
    }
    mergedBase += ownBase;
    mergedMoved += ownMoved;
    mergedBaseError += ownBaseError;
    mergedMovedError += ownMovedError;
    mergedCut += ownCut;
    if (last <= n && isSound) {
      put(bins, i, mass);
      put(bins + wide, i, surplus);
      put(bins + 2 * wide, i, slack);
      const px = mass - surplus;
      height += surplus + (tail + px) * gap;
      tail = (tail + px) * (1 - gap);
    } else {
      height += tail * gap;
      tail *= 1 - gap;
    }
  }
  if (last > n) last = -1;
}

/** Distance of the polygon below the line of bin i's lower edge, at the lattice point i. At the last bin's lattice point the polygon is 0. */
function under(i: i32): f64 {
  const own = at(bins + wide, i);
  return i === last ? own : excess(-own, at(bins + 2 * wide, i));
}

/** The line of the upper edge of bin i: its height above the polygon at lattice point i, less that at i + 1; 0 for the last bin. */
function lift(i: i32): f64 {
  return i < last ? excess(at(bins + wide, i), at(bins + 2 * wide, i)) - under(i + 1) : 0;
}

/**
 * The measure whose δ(ε), as a function of e^ε, is the lower convex hull of the bins' polygon (`optimistic`). Ensures: this δ is nowhere above the
 * bins' lines or the exact δ.
 * @param certain Q-mass that is certainly at the loss +∞.
 * @param work Four rows of room.
 */
function polygon(certain: f64, work: usize, out: usize): void {
  const n = <i32>points;
  clear(out, n);
  if (last >= 0) {
    const growth = expm1Of(step);
    // `jump` is the change of the polygon's slope at corner i, times e^x, x the lattice point. `drop` is the fall of the polygon from corner i to i +
    // 1. It is the fall of the line of bin i's upper edge, less `lift`.
    const jump = work;
    const drop = work + wide;
    let tail: f64 = 0;
    for (let i = last; i >= 0; i--) {
      const rising = lift(i);
      const lifted: f64 = i > 0 ? excess(at(bins + wide, i - 1), at(bins + 2 * wide, i - 1)) - under(i) : 0;
      const px = at(bins, i) - at(bins + wide, i);
      put(jump, i, px + (rising - lifted * (1 + growth)) / growth);
      put(drop, i, growth * tail - rising);
      tail = (tail + px) / (1 + growth);
    }
    lowerConvexHull(work, tail * (1 + growth), out);
  }
  let total: f64 = 0;
  for (let i: i32 = 0; i < n; i++) total += at(out, i);
  // the masses of finite losses sum to at most 1 − certain
  const rounding = MASS_SLACK + Math.max(0, relative);
  const scale = (1 - rounding) / Math.max(1, total / Math.max(1 - certain, 1e-300));
  for (let i: i32 = 0; i < n; i++) put(out, i, at(out, i) * scale);
}

/**
 * Lower convex hull of a polygon g with corners at e^{step·i}, i = 0 … last, which is 0 from its last corner on. To `out` (all 0) go the masses of
 * the lattice measure whose δ curve it is. Masses have a few roundings, for which `polygon` lowers them.
 *
 * @param work Four rows. The first is the change of slope at each corner, times e^{step·i}: the masses, if the polygon is convex already. They are
 * used as they are wherever no segment was merged, since they carry more digits than the drops do. The second is g(corner i) − g(corner i+1), of any
 * sign; 0 for the last. The others are room.
 * @param before g(0) − g(corner 0): the drop from e^ε = 0 to the first corner.
 *
 * The hull's slopes are the isotonic regression of the polygon's (pool adjacent violators). A segment of k cells from corner i drops at the mean rate
 * D/(e^{step·k} − 1), in units of e^{−step·i}; no exponential of a loss is ever formed.
 */
function lowerConvexHull(work: usize, before: f64, out: usize): void {
  const jump = work;
  const drop = work + wide;
  // a stack of merged segments: first corner (−1: from e^ε = 0) and total drop
  const start = work + 2 * wide;
  const total = work + 3 * wide;
  let top: i32 = 0;
  put(start, 0, -1);
  put(total, 0, before);
  for (let i: i32 = 0; i <= last; i++) {
    top++;
    put(start, top, <f64>i);
    put(total, top, i === last ? 0 : at(drop, i));
    while (top > 0) {
      const here = <i32>at(start, top);
      const below = <i32>at(start, top - 1);
      const single = here === i && below === i - 1;
      // rate of fall of the segment below, in units of e^{−step·here}, less that of the segment on top
      const lower = at(total, top - 1) / (below < 0 ? 1 : -expm1Of(step * <f64>(below - here)));
      const upper = i === last && here === i ? 0 : at(total, top) / expm1Of(step * <f64>(i + 1 - here));
      const corner = single && below >= 0 ? at(jump, here) : lower - upper;
      if (corner >= 0) {
        put(out, here, corner);
        break;
      }
      put(out, here, 0);
      // rounding left the last corner non-convex: the measure without mass is a lower bound too
      if (i === last) {
        clear(out, last + 1);
        return;
      }
      top--;
      put(total, top, at(total, top) + at(total, top + 1));
    }
  }
}

/** ∫ δ(ε) dε over ε ≥ 0 of a measure. Heuristic: it compares two measures. */
function areaUnder(measure: usize): f64 {
  let area: f64 = 0;
  for (let i: i32 = first < 0 ? <i32>-first : 0; i < <i32>points; i++) {
    const x = step * (first + <f64>i);
    area += at(measure, i) * (x + expm1Of(-x));
  }
  return area;
}

/**
 * The optimistic lattice measure. The outputs are merged into one bin per lattice point. A bin edge has the line Q(above) − e^ε P(above). As a
 * function of e^ε it supports the exact δ from below. A polygon with corners at the lattice points stays under δ if each corner is on the lower of
 * its two neighbouring lines. Where it is not convex its lower convex hull is taken. That happens only where the loss density changes many-fold from
 * cell to cell.
 *
 * With bins centred on the lattice points, neighbouring lines intersect within O(step²) of the lattice points. That is best on a mesh that resolves
 * the losses. On a coarser one, bins that begin at their lattice point can be better: the one whose curve encloses more is taken.
 *
 * Ensures: its δ curve is nowhere above that of the half cells.
 */
function optimistic(certain: f64, work: usize, out: usize): void {
  binned(-1);
  polygon(certain, work, out);
  if (step < rate / 2) return;
  binned(0);
  const begun = work + 4 * wide;
  polygon(certain, work, begun);
  if (areaUnder(begun) > areaUnder(out)) for (let i: i32 = 0; i < <i32>points; i++) put(out, i, at(begun, i));
}

/**
 * Writes the masses of two lattice measures at the n points step·(first + i) to `upper` and `lower`; step is the spacing of the lattice. The privacy
 * profile of `upper` lies above that of a Poisson-subsampled step, that of `lower` below (`pessimistic`, `optimistic`).
 * @param masses Four rows of 2n numbers: P- and Q-masses of the unsampled step between edges, and absolute errors of the Q- and of the P-masses. The
 * first and last of a row lie beyond all edges.
 * @param edges 2n + 1 edges of the unsampled loss; the first and the last are infinite.
 * @param settings Seven numbers. They are the spacing, first, and the sampling rate; 1 if P and Q are exchanged after sampling, else 0. Then the
 * relative error of the masses of atoms in addition to MASS_SLACK, or −1 for densities. Then the Q-mass below the first cell, and the Q-mass
 * certainly at the loss +∞.
 * @param work Room for 10 n + 9(n + 2 + (n & 1)) numbers.
 */
export function latticeMeasures(
  masses: usize,
  edges: usize,
  n: usize,
  settings: usize,
  work: usize,
  upper: usize,
  lower: usize,
): void {
  requireBlock(masses, 8 * n);
  requireBlock(edges, 2 * n + 1);
  requireBlock(upper, n);
  requireBlock(lower, n);
  points = n;
  step = loadF64(settings);
  first = loadF64(settings, 8);
  rate = loadF64(settings, 16);
  isAdding = loadF64(settings, 24) > 0;
  relative = loadF64(settings, 32);
  row = n << 4;
  wide = (n + 2 + (n & 1)) << 3;
  cells = work;
  rises = cells + 5 * row;
  bins = rises + wide;
  cutInto(masses, masses + row, masses + 2 * row, masses + 3 * row, edges);
  pessimistic(loadF64(settings, 40), upper);
  optimistic(loadF64(settings, 48), bins + 3 * wide, lower);
}
