import type { ComposedRun } from '../account/composed-run.js';
import { requireFields, requireNumber, requireOneOf, requireOptions, wrongType } from '../errors.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';

/** How many tries there are: a secret draw, independent of the data. */
export type Tries =
  | {
      /** On 1, 2, …: the geometric distribution for eta = 1, the logarithmic one for eta = 0 (Papernot, Steinke 2022). */
      readonly kind: 'negative-binomial';
      /** > −1, at most 100. */
      readonly eta: number;
      /** In (0, 1]; 1 is a single try. */
      readonly gamma: number;
    }
  /** On 0, 1, …; with no try nothing is published. */
  | { readonly kind: 'poisson'; readonly mean: number };

export interface Selection {
  /** Upper bounds of the cost c of the selection in each direction of the run, in the order of its directions. */
  readonly costs: readonly number[];
  /** Expected number of tries, from above. */
  readonly mean: number;
  /** ε(δ) of the published result, for the worst score. */
  epsilon(delta: number): Bracket;
}

/**
 * The best of a random number of independent runs, published with its output (Liu, Talwar 2019; proof in docs/select.md):
 *   δ_A(ε + c) ≤ E[K] δ(ε) for ε ≥ −c,  c = sup_x log φ′(1 − x)/φ′(1 − g(x)),
 * φ the generating function of the number K of tries and g(x) the largest mass in one world of a set of mass x in the other.
 * The lower end is that of a score that is constant: δ_A ≥ P[K ≥ 1] δ.
 *
 * Each try draws its candidate independently and does not see the scores of others; neither K nor other scores are published.
 *
 * @param run One try.
 * @throws TypeError | RangeError naming what is wrong with the tries.
 */
export function selectBest(run: ComposedRun, options: { tries: Tries }): Selection {
  requireOptions('selectBest', options, ['tries']);
  const family = familyOf(options?.tries);
  const { directions } = run;
  const costs = directions.map((_, i) => costOf(family, directions[directions.length - 1 - i]));
  return {
    costs,
    mean: family.mean,
    epsilon: (delta) => {
      const logDelta = log(requireNumber('delta', delta, 'a number in (0, 1]', (x) => x > 0 && x <= 1));
      if (family.single) return run.epsilon(delta);
      const { tolerance } = run.settings;
      const ends = directions.map((direction, i) => {
        const above = epsilonOf(direction, (logDelta - log(family.mean)) * (1 + 1e-15), tolerance).upper;
        const below = epsilonOf(direction, Math.min(0, logDelta - family.logSome), tolerance).lower;
        return [below, delta === 1 ? 0 : above + costs[i]] as const;
      });
      return bracket(
        Math.max(...ends.map(([lower]) => lower)),
        Math.max(...ends.map(([, upper]) => upper * (1 + 1e-15))),
      );
    },
  };
}

interface Family {
  /** E K, from above. */
  readonly mean: number;
  /** log P[K ≥ 1], from below. */
  readonly logSome: number;
  readonly single: boolean;
  /** log φ′(1 − x)/φ′(1 − g), from above. */
  cost(x: number, g: number): number;
}

const UP = 1 + 1e-13;

function familyOf(value: unknown): Family {
  if (typeof value !== 'object' || value === null) throw wrongType('tries', 'an object with a "kind"', value);
  const tries = value as Tries;
  const kind = requireOneOf('tries.kind', tries.kind, ['negative-binomial', 'poisson'] as const);
  if (tries.kind === 'poisson') {
    requireFields('tries', tries, ['kind', 'mean'], `"${kind}" has`);
    const mean = requireNumber('tries.mean', tries.mean, 'a number in (0, 1e9]', (x) => x > 0 && x <= 1e9);
    return {
      mean,
      logSome: log(-expm1(-mean)) - 1e-15 * (1 + 1 / mean),
      single: false,
      cost: (x, g) => Math.max(0, mean * (g - x)) * UP,
    };
  }
  requireFields('tries', tries, ['kind', 'eta', 'gamma'], `"${kind}" has`);
  const eta = requireNumber('tries.eta', tries.eta, 'a number in (-1, 100]', (x) => x > -1 && x <= 100);
  const gamma = requireNumber(
    'tries.gamma',
    tries.gamma,
    'a number in [1e-12, 1]',
    (x) => x >= 1e-12 && x <= 1,
  );
  const { single, mean } = { single: gamma === 1, mean: meanOf(eta, gamma) };
  const rest = 1 - gamma;
  return {
    mean,
    logSome: 0,
    single,
    // the excess over the exact logarithm is of the order of the rounding of its argument
    cost: (x, g) => (eta + 1) * log1p(((rest * Math.max(0, g - x)) / (gamma + rest * x)) * UP) * UP,
  };
}

/** η(1 − γ)/(γ(1 − γ^η)), from above; its limit for η = 0. */
function meanOf(eta: number, gamma: number): number {
  if (gamma === 1) return 1;
  const l = log(gamma);
  const share = Math.abs(eta * l) < 1e-300 ? -l : -expm1(eta * l) / eta;
  return ((1 - gamma) / (gamma * share)) * UP;
}

const SMALLEST = 1e-300;
const MOST_CELLS = 1000;
const CLOSE = 1e-9;

/**
 * The supremum over x, from above. On a cell g lies below any line e^ω x + δ(ω), and along a line the cost is monotone (the
 * logarithm of a ratio of linear functions, or linear), so it is bounded at the cell's ends. The cell with the largest
 * bound is halved until that is close to a value at a point: nothing is left between the points of a mesh.
 */
function costOf(family: Family, opposite: DirectedRun): number {
  if (family.single) return 0;
  const cells: { x: number; y: number; bound: number }[] = [];
  for (let y = SMALLEST, x = 0; x < 1; ) {
    cells.push({ x, y, bound: cellBound(family, opposite, x, y) });
    x = y;
    y = y < 0.5 ? Math.min(y * 1e3, 0.5) : 1;
  }
  let seen = 0;
  for (let made = 0; ; made++) {
    const at = cells.reduce((best, { bound }, i) => (bound > cells[best].bound ? i : best), 0);
    const { x, y, bound } = cells[at];
    const middle = x > 0 && y / x > 4 ? Math.sqrt(x) * Math.sqrt(y) : x + (y - x) / 2;
    if (made >= MOST_CELLS || x === 0 || !(middle > x && middle < y)) return bound;
    seen = Math.max(seen, cellBound(family, opposite, middle, middle));
    if (bound - seen <= CLOSE * bound) return bound;
    cells[at] = { x, y: middle, bound: Math.min(bound, cellBound(family, opposite, x, middle)) };
    cells.push({ x: middle, y, bound: Math.min(bound, cellBound(family, opposite, middle, y)) });
  }
}

/** An upper bound of the cost on [x, y]; any ω will do, and the test whose mass lies within names a good one. */
function cellBound(family: Family, run: DirectedRun, x: number, y: number): number {
  const omega = y < 1 ? run.guessOmega(log(x > 0 ? Math.sqrt(x) * Math.sqrt(y) : y)) : 0;
  let least = family.cost(x, 1);
  for (const w of [omega, 0]) {
    if (!Number.isFinite(w)) continue;
    const [slope, start] = [exp(w) * (1 + 1e-14), exp(run.logDelta(w, 1e-12).upper) * (1 + 1e-14)];
    least = Math.min(least, Math.max(family.cost(x, slope * x + start), family.cost(y, slope * y + start)));
  }
  return least;
}
