import type { Kernel } from '../../kernel/kernel.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { Lazy } from '../../numeric/lru-cache.js';
import { exp, expm1, log } from '../../numeric/scalar.js';
import { latticeAtoms } from '../lattice-atoms.js';
import type { Discretisation, LatticeMeasure, LossLaw, LossNodes } from '../loss-law.js';
import { atomsOf, type PairBase } from '../pair.js';
import { subsampledBracket, subsampledLoss, subsampledRun } from '../subsampling.js';
import {
  addSums,
  copySums,
  type Direction,
  emptyGroup,
  emptySums,
  HalfCells,
  MASS_SLACK,
  SMALLEST,
} from './half-cells.js';

/** One step of `inner` on a Poisson sample of rate `rate` ∈ (0, 1], in one direction. */
export function cellLaw(inner: PairBase, rate: number, direction: Direction): LossLaw {
  // outputs that only P₀ gives have the loss log(1 − rate) when sampled
  const onlyBase = rate < 1 && (atomsOf(inner)?.minusInfinity ?? 0) > 0;
  const range = (step: number, logTail: number): [number, number] => {
    const [low, high] = inner.range(logTail);
    const a = subsampledLoss(onlyBase ? -Infinity : Math.max(low, inner.smallest), rate);
    const b = subsampledLoss(Math.min(high, inner.largest), rate);
    const [from, to] = direction === 'remove' ? [a, b] : [-b, -a];
    const first = Math.floor(from / step) - 1;
    return [first, Math.max(first + 1, Math.ceil(to / step) + 1)];
  };
  const largest = (): Bracket => {
    if (direction === 'remove') return subsampledBracket(inner.largest, rate);
    const { lower, upper } = subsampledBracket(onlyBase ? -Infinity : inner.smallest, rate);
    return bracket(-upper, -lower);
  };
  const nodes = new Lazy(() => nodesOf(inner, rate, direction));
  const single = subsampledRun(inner, rate, direction);
  return {
    direction: rate === 1 && !inner.asymmetric ? 'both' : direction,
    single,
    gdpMu: inner.gdpMu,
    // losses may be off by more than a rounding, which the ends of the pair cannot tell of both sides
    get largest(): Bracket {
      return single.largestLoss ?? largest();
    },
    ...(inner.lattice !== undefined && rate === 1 ? { lattice: inner.lattice } : {}),
    cells: (step, logTail) => {
      const [first, last] = range(step, logTail);
      return last - first;
    },
    discretise: (kernel: Kernel, step: number, logTail: number) => {
      const atoms = atomsOf(inner);
      if (inner.lattice !== undefined && atoms && rate === 1) {
        const exact = latticeAtoms(atoms, step);
        if (exact !== undefined) return exact;
      }
      const [first, last] = range(step, logTail);
      return latticeMeasures(new HalfCells(kernel, { inner, rate, direction }, { step, first, last }));
    },
    nodes: () => nodes.value,
  };
}

function nodesOf(inner: PairBase, rate: number, direction: Direction): LossNodes {
  const { loss: plain, logWeight: base } = inner.nodes();
  const n = plain.length;
  const loss = new Float64Array(n);
  const logWeight = new Float64Array(n);
  const logTail = new Float64Array(n);
  let fromBelow = 0;
  for (let i = 0; i < n; i++) {
    const y = subsampledLoss(plain[i], rate);
    loss[i] = direction === 'remove' ? y : -y;
    logWeight[i] = direction === 'remove' ? base[i] + y : base[i];
    // the smaller of P₀ below (losses ascend) and Q₀ above
    fromBelow += exp(base[i]);
    logTail[i] = log(Math.max(fromBelow, 1e-320));
  }
  let fromAbove = 0;
  for (let i = n - 1; i >= 0; i--) {
    fromAbove += exp(base[i] + plain[i]);
    logTail[i] = Math.min(logTail[i], log(Math.max(fromAbove, 1e-320)));
  }
  return { loss, logWeight, logTail };
}

/**
 * The pessimistic lattice measure: each cell's Q-mass is split between its two ends so that its P-mass
 * is kept too. In the variable e^ε its δ curve joins the exact one at the lattice points by chords
 * ("connect the dots", Doroshenko et al. 2022), so it lies above it everywhere and is O(step²) close.
 *
 * Ensures: its δ curve is nowhere below that of the cells.
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
    const up = Math.min(cell.mass + cell.beyond / gap, Math.max(0, (cell.surplus + cell.slack) / gap));
    mass[i] += Math.max(0, cell.mass - up);
    mass[i + 1] += up;
  }
  mass[0] += cells.below;
  const slack = MASS_SLACK + (cells.relative ?? 0);
  for (let i = 0; i <= n; i++) mass[i] *= 1 + slack;
  const lost = cells.relative !== undefined && cells.above === 0 ? 0 : SMALLEST;
  return { step, first, mass, infinity: cells.above * (1 + slack) + lost };
}

/**
 * The optimistic lattice measure. The outputs are merged into one bin per lattice point. A bin edge has the line Q(above) −
 * e^ε P(above). As a function of e^ε it supports the exact δ from below. A polygon with corners at the lattice points stays
 * under it if each takes the lower of its two neighbouring lines. The lower convex hull is taken where that is not convex. That
 * happens only where the loss density changes many-fold from cell to cell.
 *
 * Bins centred on the lattice points put the lines' own corners O(step²) beside the lattice points.
 * That is best on a mesh that resolves the losses. On a coarser one, bins that begin at their lattice
 * point can be better: the one whose curve encloses more is taken.
 *
 * Ensures: its δ curve is nowhere above that of the cells.
 */
function optimistic(cells: HalfCells): LatticeMeasure {
  const centred = polygon(cells, binned(cells, -1));
  if (cells.step < cells.rate / 2) return centred;
  const begun = polygon(cells, binned(cells, 0));
  return areaUnder(begun) > areaUnder(centred) ? begun : centred;
}

/** ∫ δ dε over ε ≥ 0. */
function areaUnder({ mass, first, step }: LatticeMeasure): number {
  let area = 0;
  for (let i = Math.max(0, -first); i < mass.length; i++) {
    const x = step * (first + i);
    area += mass[i] * (x + expm1(-x));
  }
  return area;
}

/**
 * The measure whose δ curve is the lower convex hull of the bins' polygon.
 *
 * Ensures: its δ curve is nowhere above the lines of the bins, nor above the exact one.
 */
function polygon(cells: HalfCells, bins: Bins): LatticeMeasure {
  const { mass: q, surplus, slack, last } = bins;
  const mass = new Float64Array(q.length);
  // how far the polygon lies under the line that includes bin i; at its last corner it is 0, not less
  const under = (i: number): number => (i === last ? surplus[i] : excess(-surplus[i], slack[i]));
  if (last >= 0) {
    const growth = expm1(cells.step);
    // jump: the polygon's change of slope at each point; lift: its slope after the point against the line there
    const jump = new Float64Array(last + 1);
    const drop = new Float64Array(last + 1);
    let tail = 0;
    for (let i = last; i >= 0; i--) {
      const lift = i < last ? excess(surplus[i], slack[i]) - under(i + 1) : 0;
      const lifted = i > 0 ? excess(surplus[i - 1], slack[i - 1]) - under(i) : 0;
      const px = q[i] - surplus[i];
      jump[i] = px + (lift - lifted * (1 + growth)) / growth;
      drop[i] = growth * tail - lift;
      tail = (tail + px) / (1 + growth);
    }
    mass.set(lowerConvexHull(jump, drop, tail * (1 + growth), cells.step));
  }
  let total = 0;
  for (let i = 0; i < mass.length; i++) total += mass[i];
  const rounding = MASS_SLACK + (cells.relative ?? 0);
  // the finite losses have no more than what is not at +∞
  const scale = (1 - rounding) / Math.max(1, total / Math.max(1 - cells.certain, 1e-300));
  for (let i = 0; i < mass.length; i++) mass[i] *= scale;
  return { step: cells.step, first: cells.first, mass, infinity: cells.certain * (1 - rounding) };
}

/**
 * How far the line above a bin lies over the line below it at the bin's lattice point, on the safe side.
 *
 * Ensures: no smaller than that height.
 */
function excess(surplus: number, slack: number): number {
  return Math.max(-surplus, 0) + slack;
}

interface Bins {
  readonly mass: Float64Array;
  readonly surplus: Float64Array;
  readonly slack: Float64Array;
  /** The topmost bin that is not empty. */
  readonly last: number;
}

/**
 * One bin per lattice point i: half cells 2i + offset and 2i + offset + 1. From the top down, bins are
 * merged until the polygon stays at or above 0 at every lattice point, as a δ curve must. Bins lost to
 * underflow are given up, which lowers the curve.
 */
function binned(cells: HalfCells, offset: -1 | 0): Bins {
  const n = cells.count / 2;
  const mass = new Float64Array(n + 1);
  const surplus = new Float64Array(n + 1);
  const slack = new Float64Array(n + 1);
  const bin = emptyGroup();
  const gap = -expm1(-cells.step);
  let last = n + 1;
  // the bins above point i: their height over 0 at point i (the line there), and their P-mass·e^x
  let height = 0;
  let tail = 0;
  const [own, merged] = [emptySums(), emptySums()];
  for (let i = n; i >= 0; i--) {
    const from = Math.max(0, 2 * i + offset);
    cells.seenFrom(i, from, Math.min(cells.count, 2 * i + offset + 2), bin);
    copySums(own, bin);
    if (last <= n && height - excess(bin.surplus, bin.slack) < 0 && bin.sound) {
      mass.fill(0, i);
      last = n + 1;
    }
    if (last > n) {
      addSums(bin, merged);
      cells.group(i, bin);
      if (bin.sound && bin.surplus >= bin.slack) {
        last = i;
        height = 0;
        tail = 0;
      }
    }
    addSums(merged, own);
    if (last <= n && bin.sound) {
      mass[i] = bin.mass;
      surplus[i] = bin.surplus;
      slack[i] = bin.slack;
      const px = bin.mass - bin.surplus;
      height += bin.surplus + (tail + px) * gap;
      tail = (tail + px) * (1 - gap);
    } else {
      height += tail * gap;
      tail *= 1 - gap;
    }
  }
  return { mass, surplus, slack, last: last > n ? -1 : last };
}

/**
 * Lower convex hull of a polygon g with corners at e^{step·i}, i = 0 … n−1, which is 0 from its last corner on. Returned are the
 * masses of the lattice measure whose δ curve it is.
 *
 * @param jump Change of slope at each corner, times e^{step·i}: the masses, if the polygon is convex already.
 *   Used as they are wherever no segment was merged, since they carry more digits than the drops do.
 * @param drop g(corner i) − g(corner i+1), of any sign; 0 for the last.
 * @param before g(0) − g(corner 0): the drop from e^ε = 0 to the first corner.
 *
 * The hull's slopes are the isotonic regression of the polygon's (pool adjacent violators). A segment of
 * k cells from corner i drops at the mean rate D/(e^{step·k} − 1), in units of e^{−step·i}; no exponential of a
 * loss is ever formed.
 */
function lowerConvexHull(jump: Float64Array, drop: Float64Array, before: number, step: number): Float64Array {
  const n = jump.length;
  const mass = new Float64Array(n);
  // a stack of merged segments: first corner (−1: from e^ε = 0) and total drop
  const start = new Int32Array(n + 1);
  const total = new Float64Array(n + 1);
  let top = 0;
  start[0] = -1;
  total[0] = before;
  for (let i = 0; i < n; i++) {
    top++;
    start[top] = i;
    total[top] = i === n - 1 ? 0 : drop[i];
    while (top > 0) {
      const at = start[top];
      const below = start[top - 1];
      const single = at === i && below === i - 1;
      // rate of the segment below in units of e^{−step·at}, less that of the segment on top
      const lower = total[top - 1] / (below < 0 ? 1 : -expm1(step * (below - at)));
      const upper = i === n - 1 && at === i ? 0 : total[top] / expm1(step * (i + 1 - at));
      const corner = single && below >= 0 ? jump[at] : lower - upper;
      if (corner >= 0) {
        mass[at] = corner;
        break;
      }
      mass[at] = 0;
      // rounding at a vanishing top: nothing is a lower bound too
      if (i === n - 1) return new Float64Array(n);
      top--;
      total[top] += total[top + 1];
    }
  }
  return mass;
}

/** The pair of lattice measures whose δ curves enclose that of the cells. */
function latticeMeasures(cells: HalfCells): Discretisation {
  return { upper: pessimistic(cells), lower: optimistic(cells), displacement: 0 };
}
