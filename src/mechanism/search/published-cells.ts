import { Lazy } from '../../numeric/lru-cache.js';
import { charge } from '../../numeric/meter.js';
import { ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import type { DirectedRun } from '../../run/directed-run.js';
import { Lines, type TriesLaw } from './tries-law.js';

/**
 * CELLS: number of cells of x, the probability that a try is better than the published one. FIRST: end of the first cell. MASSES: number of false
 * positive rates near which lines above g (`Lines`) are made. Only tightness and speed depend on them.
 */
const [CELLS, FIRST, MASSES] = [2000, 1e-12, 64];
/**
 * For the bound of `MixedBound`. CURVES: number of privacy parameters ε_j at which δ of one try is used. FINEST: the search for the weights κ_j of these
 * δ(ε_j) ends at steps of this fraction of the mean number of tries. Only tightness and speed depend on them.
 */
const [CURVES, FINEST] = [5, 1 / 64];
/** Width of the brackets of log δ of one try that are asked for. */
const WIDTH = 1e-4;
/** Cells with a larger `cost` are ignored when the privacy parameters ε_j of `MixedBound` are chosen. Only tightness depends on it. */
const LARGEST_COST = 20;
/** Upper bound of the relative rounding error of a sum over cells, and of that of its terms relative to the mean number of tries. */
const SLACK = 1e-11;

/**
 * Cells of x, the probability that a try is better than the published one. For each cell its `length`, an upper bound `weight` of φ′(1 − x), and an
 * upper bound `cost` of log φ′(1 − x)/φ′(1 − g(x)). φ is the generating function of the number of tries. g(x) is the largest probability under the
 * other data set of any outputs with probability x.
 */
interface Cells {
  readonly length: Float64Array;
  readonly weight: Float64Array;
  readonly cost: Float64Array;
}

/**
 * Upper bounds of δ(ε) of the published best of several tries (docs/proofs/select.md, 10). Each is an integral plus a weighted sum of δ of one try at
 * several ε. The integral is over x, the probability of results better than the published one. Cells and sums are rounded up.
 */
export class PublishedCells {
  private readonly cells = new Lazy(() => this.cellsOf());

  /** @param opposite The direction opposite to that of `run`. */
  constructor(
    private readonly tries: TriesLaw,
    private readonly run: DirectedRun,
    private readonly opposite: DirectedRun,
  ) {}

  /** Upper bound of log δ(ε), ε ≥ 0, of the published result. Ensures: no smaller than log δ(ε) of the published result. */
  logDelta(epsilon: number): number {
    return Math.min(0, log(up(this.delta(epsilon), ROUNDINGS)));
  }

  /** The cells: the first is [0, FIRST], later ends grow geometrically up to 1. Bounds of φ′(1 − x) and of the cost in each are rounded up. */
  private cellsOf(): Cells {
    const { tries, opposite } = this;
    const lines = new Lines(opposite, WIDTH);
    const step = log(FIRST) / CELLS;
    for (let k = 1; k < MASSES; k++) lines.near(exp((log(FIRST) * k) / MASSES));
    const [length, weight, cost] = Array.from({ length: 3 }, () => new Float64Array(CELLS));
    charge(4 * CELLS * MASSES);
    for (let i = 0, from = 0; i < CELLS; i++) {
      const to = i + 1 < CELLS ? exp(step * (CELLS - 1 - i)) : 1;
      length[i] = to - from;
      weight[i] = up(tries.mean * exp(-tries.costBelow(0, from)), ROUNDINGS);
      cost[i] = up(tries.cost(from, Math.min(1, lines.least(to))), ROUNDINGS);
      from = to;
    }
    return { length, weight, cost };
  }

  /**
   * An upper bound of δ(ε): the bound of `MixedBound` at the best weights κ found, plus its rounding error. Any weights κ ≥ 0 and any ε_j give a valid
   * bound. Here ε_j runs from ε down to ε minus the largest cost, denser near ε.
   */
  private delta(epsilon: number): number {
    const { tries, run } = this;
    const { cost } = this.cells.value;
    const most = cost.reduce((a, b) => (b < LARGEST_COST ? Math.max(a, b) : a), 0);
    const epsilons = Array.from({ length: CURVES }, (_, j) => epsilon - most * (j / (CURVES - 1)) ** 2);
    const delta = epsilons.map((at) => Math.min(1, up(exp(run.logDelta(at, WIDTH).upper), ROUNDINGS)));
    const bound = new MixedBound(this.cells.value, epsilon, epsilons, delta);
    const found = descended((kappa) => bound.at(kappa), tries.mean);
    return found * (1 + SLACK) + SLACK * tries.mean;
  }
}

/**
 * The bound ∫u(x)dx + Σκ_jδ(ε_j) of δ(ε), for any weights κ_j ≥ 0 and any ε_j (docs/proofs/select.md, 10); δ(ε_j) is that of one try. Let a = φ′(1 − x)
 * and b = e^ε φ′(1 − g(x)), as in `Cells`. Then u(x) is the largest (a − zb)⁺ − Σκ_j(1 − e^{ε_j}z)⁺, or 0 if that is negative. The likelihood ratio z
 * takes the values 0 and e^{−ε_j}.
 */
class MixedBound {
  /** Row k: (a − zb)⁺ in each cell at the k-th likelihood ratio z. Here a = φ′(1 − x) and b = e^ε φ′(1 − g(x)). */
  private readonly rows: readonly Float64Array[];
  /** Row k: (1 − e^{ε_j}z)⁺ for each j, at the k-th likelihood ratio z. */
  private readonly curves: readonly (readonly number[])[];

  constructor(
    private readonly cells: Cells,
    epsilon: number,
    epsilons: readonly number[],
    private readonly delta: readonly number[],
  ) {
    const { weight, cost } = cells;
    const shifts = [Infinity, ...epsilons];
    this.rows = shifts.map((shift) =>
      weight.map((w, i) => w * Math.max(0, 1 - exp(Math.min(700, epsilon - cost[i] - shift)))),
    );
    this.curves = shifts.map((shift) =>
      epsilons.map((at) => Math.max(0, 1 - exp(Math.min(700, at - shift)))),
    );
  }

  /** The bound at the weights κ, with the integral as a sum over cells. `MixedBound` states the formula; the caller adds rounding errors. */
  at(kappa: readonly number[]): number {
    const { rows, curves, delta, cells } = this;
    const { length } = cells;
    charge(2 * rows.length * length.length);
    const taken = curves.map((of) => of.reduce((sum, each, j) => sum + kappa[j] * each, 0));
    let sum = 0;
    for (let i = 0; i < length.length; i++) {
      let most = 0;
      for (let k = 0; k < rows.length; k++) most = Math.max(most, rows[k][i] - taken[k]);
      sum += length[i] * most;
    }
    return kappa.reduce((all, each, j) => all + each * delta[j], sum);
  }
}

/** An approximate minimum of a convex function of weights ≥ 0: weight is moved from one to another, added or dropped. Heuristic: any value of the function is a valid bound. */
function descended(value: (kappa: readonly number[]) => number, mean: number): number {
  let kappa: readonly number[] = Array.from({ length: CURVES }, (_, j) => (j + 1 < CURVES ? 0 : mean));
  let best = value(kappa);
  for (let step = mean / 2; step > FINEST * mean; ) {
    let moved = false;
    for (let to = 0; to < CURVES; to++) {
      for (let from = -1; from < CURVES; from++) {
        for (const side of from < 0 ? [1, -1] : [1]) {
          const tried = kappa.map((each, j) => each + (j === to ? side * step : j === from ? -step : 0));
          if (from === to || tried.some((each) => each < 0)) continue;
          const found = value(tried);
          if (found < best) [best, kappa, moved] = [found, tried, true];
        }
      }
    }
    if (!moved) step /= 2;
  }
  return best;
}
