import type { Kernel } from '../../kernel/kernel.js';
import type { LatticeWindow } from '../../kernel/masses.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { charge } from '../../numeric/meter.js';
import { PRICES } from '../../numeric/prices.js';
import { exp, log } from '../../numeric/scalar.js';
import { RELATIVE } from '../atomic-pair.js';
import { latticeAtoms } from '../lattice-atoms.js';
import type { Discretisation, LossLaw, LossNodes } from '../loss-law.js';
import { atomsOf, type PairBase } from '../pair.js';
import { plainLosses, subsampledBracket, subsampledLoss, subsampledRun } from '../subsampling.js';

type Direction = 'remove' | 'add';

/**
 * The law of one step of `inner` = (P₀, Q₀) on a Poisson sample of rate q = `rate`. For 'remove' it is P₀ against (1−q)P₀ + qQ₀, exchanged for 'add'.
 * A loss s of `inner` becomes log(1 − q + q e^s), or minus that for 'add'; lattice measures are those of `latticeAtoms` or `latticeMeasures`.
 *
 * Ensures: its lattice measures enclose the step's δ curve; they allow for errors of masses and for rounding of losses.
 */
export function cellLaw(inner: PairBase, rate: number, direction: Direction): LossLaw {
  // outputs that only P₀ gives have the loss log(1 − rate) on a sample
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
  const single = subsampledRun(inner, rate, direction);
  return {
    direction: rate === 1 && !inner.asymmetric ? 'both' : direction,
    single,
    gdpMu: inner.gdpMu,
    // the run's bracket includes stated errors of the largest loss; `inner.largest` is an upper bound alone
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
      return latticeMeasures(kernel, inner, rate, direction, { step, first, last });
    },
    nodes: () => nodesOf(inner, rate, direction),
  };
}

/** Heuristic: the nodes of `inner` as losses of the sampled step, with log Q-weights and log tails. They only choose grids and enter no bound. */
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
    // the tail at a node: the smaller of the P₀-mass up to it and the Q₀-mass from it on
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

/** Bound of the relative error of an interval mass, at most 1e-15, and of the arithmetic on it; the kernel has the same constant. */
const MASS_SLACK = 4e-15;
/** Upper bound of masses beyond the lattice that have underflowed. */
const SMALLEST = 1e-295;

/**
 * Two lattice measures from the masses of the step's losses between multiples of step/2, by the kernel (assembly/sums/lattice-cells.ts). `upper` splits
 * masses between lattice points, so that its δ curve is made of chords in e^ε of the exact one. The δ curve of `lower` is a polygon below the exact one.
 * Ensures: their δ curves lie above and below that of the step, errors of masses included.
 */
function latticeMeasures(
  kernel: Kernel,
  inner: PairBase,
  rate: number,
  direction: Direction,
  window: LatticeWindow,
): Discretisation {
  const { step, first, last } = window;
  const count = 2 * (last - first);
  charge(PRICES.cell * count);
  const atoms = atomsOf(inner);
  const adds = direction === 'add';
  // edges as losses of `inner`, ascending, with ±∞ at the ends; in direction 'add' they belong to lattice points in descending order
  const from = adds ? -2 * last : 2 * first;
  const x = new Float64Array(count + 1);
  for (let k = 0; k <= count; k++) x[k] = (from + k) * (step / 2);
  const edges = new Float64Array(count + 3);
  edges.set(plainLosses(kernel, x, kernel.expm1(x), rate), 1);
  edges[0] = -Infinity;
  edges[count + 2] = Infinity;
  const masses = inner.intervals(kernel, edges);
  const { p, q } = masses;
  const end = count + 1;
  const below = adds ? p[end] : (1 - rate) * p[0] + rate * q[0];
  const above = adds ? p[0] : (1 - rate) * p[end] + rate * (q[end] + inner.infinity);
  const certain = adds ? (rate === 1 ? (atoms?.minusInfinity ?? 0) : 0) : rate * inner.infinity;
  const relative = atoms && (atoms.relative ?? RELATIVE);
  const made = kernel.latticeMeasures({ masses, edges, rate, adds, relative, below, certain }, window);
  const slack = MASS_SLACK + (relative ?? 0);
  const lost = relative !== undefined && above === 0 ? 0 : SMALLEST;
  return {
    upper: { step, first, mass: made.upper, infinity: above * (1 + slack) + lost },
    lower: { step, first, mass: made.lower, infinity: certain * (1 - slack) },
    displacement: 0,
  };
}
