import { Lazy, LruCache } from '../../numeric/lru-cache.js';
import { charge } from '../../numeric/meter.js';
import { ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import type { DirectedRun } from '../../run/directed-run.js';
import { Lines, type TriesLaw } from './tries-law.js';

/**
 * Number of cells of the mass of better results, end of the first one, and masses for which lines are made. Only tightness and speed depend on them.
 */
const [CELLS, FIRST, MASSES] = [2000, 1e-12, 64];
/** Number of curves that are mixed, and the fraction of the mean at which the search for weights ends. Only tightness and speed depend on them. */
const [CURVES, FINEST] = [5, 1 / 64];
/** Width of the brackets of log δ of one try. */
const WIDTH = 1e-4;
/** The largest cost used to choose ε's. */
const LARGEST_COST = 20;
/** Upper bound of the relative rounding error of a sum over cells, and of its terms relative to the mean. */
const SLACK = 1e-11;
/** Number of answers cached. */
const HELD = 64;

/** Cells of the mass x of better results: lengths, and upper bounds of φ′(1 − x) and log φ′(1 − x)/φ′(1 − g(x)) in each. */
interface Cells {
  readonly length: Float64Array;
  readonly weight: Float64Array;
  readonly cost: Float64Array;
}

/**
 * Upper bounds of δ of the published best of several tries. They sum over the mass of better results, by curves δ of one try (docs/proofs/select.md,
 * 10).
 */
export class PublishedCells {
  private readonly cells = new Lazy(() => this.cellsOf());
  private readonly known = new LruCache<number, number>(HELD);

  /** @param opposite The direction opposite to that of `run`. */
  constructor(
    private readonly tries: TriesLaw,
    private readonly run: DirectedRun,
    private readonly opposite: DirectedRun,
  ) {}

  /**
   * Upper bound of log δ(ε), ε ≥ 0.
   *
   * Ensures: no smaller than log δ(ε) of the published result.
   */
  logDelta(epsilon: number): number {
    return this.known.of(epsilon, () => Math.min(0, log(up(this.delta(epsilon), ROUNDINGS))));
  }

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

/** The bound ∫u + Σκ_jδ(ε_j), for weights κ of the curves. */
class MixedBound {
  /** The largest contribution of each cell if the likelihood ratio of one try is 0 or e^{−ε_j}, and the terms of each curve. */
  private readonly rows: readonly Float64Array[];
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

/** Minimises a convex function of weights ≥ 0 approximately, by moving mass from one weight to another, or dropping it. */
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
