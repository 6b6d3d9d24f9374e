import { wrongValue } from '../../errors.js';
import { type Bracket, bracket, exactly } from '../../numeric/bracket.js';
import { down, FEW_ROUNDINGS, LONG_SUM, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import { crossing } from '../../numeric/solve.js';
import type { DirectedRun } from '../../run/directed-run.js';
import type { Tries } from '../tries.js';

/** The distribution of the number K of tries, by its probability generating function φ(s) = E s^K. */
export interface TriesLaw {
  /** Upper bound of E K = φ′(1). */
  readonly mean: number;
  /** log P[K ≥ 1]. */
  readonly logSome: Bracket;
  /** The largest possible number of tries; ∞ where it has no bound. */
  readonly most: number;
  /** Upper bound of log φ′(1 − x)/φ′(1 − g) for 0 ≤ x ≤ g ≤ 1, φ(s) = E s^K. It decreases in x and increases in g. */
  cost(x: number, g: number): number;
  /** Lower bound of log φ′(1 − x)/φ′(1 − g) for 0 ≤ x ≤ g ≤ 1, φ(s) = E s^K. */
  costBelow(x: number, g: number): number;
  /**
   * Upper bound of log φ′(1 − x)^α φ′(1 − g)^{1 − α} for α > 1 and every x in [0, 1]. Here φ(s) = E s^K; α is `order`, and g is min(1, slope·x + start). The moment of
   * order α of a try times this bounds that of the published result (docs/proofs/select.md, 9). ∞ where no bound is known.
   */
  logTilted(order: number, line: MassLine): number;
  /** Whether `cost(x, g(x))` is monotone in x for every linear g, as where φ′ is a power of a linear function, or an exponential. */
  readonly monotone: boolean;
  /**
   * φ(1 − x) − φ(1 − x − y) for x, y ≥ 0, φ(s) = E s^K. This is the probability that the best try is in a set of probability y that ranks next to better outputs of
   * probability x. Its relative error is at most `relative`, plus an absolute 1e-300.
   */
  drop(x: number, y: number): number;
  /** Bound of the relative error of `drop`. */
  readonly relative: number;
}

/** Factors that round up and down by more than the error of a few elementary functions. */
const UP = 1 + 1e-13;
const DOWN = 1 - 1e-13;
/** Bound of the relative error of `drop` for a distribution in closed form. */
const RELATIVE = 4e-12;
/** Upper bound of the rounding error of a logarithm, relative to the size of its terms. */
const SLACK = 1e-13;
/** Upper bound of the error of a cost of a table of probabilities: of two sums of up to 1001 positive terms, and a logarithm. */
const OF_TABLE = 1e-11;

/** The distribution of a number of tries: φ and φ′ in closed form for each family (docs/proofs/select.md, 3), with bounds rounded outward. */
export function triesLaw(tries: Tries): TriesLaw {
  switch (tries.kind) {
    case 'negative-binomial':
      return negativeBinomial(tries.eta, oddsOf(tries));
    case 'poisson': {
      const { mean } = tries;
      return {
        mean,
        logSome: around(log(-expm1(-mean))),
        most: Infinity,
        cost: (x, g) => mean * Math.max(0, g - x) * UP,
        logTilted: (order, { slope, start }) => {
          const above = order - 1;
          const cut = above - (order * Math.max(0, 1 - start)) / slope;
          return log(mean) + mean * Math.max(above * Math.min(1, start), cut) + SLACK * (1 + mean * order);
        },
        costBelow: (x, g) => mean * Math.max(0, g - x) * DOWN,
        monotone: true,
        drop: (x, y) => exp(-mean * x) * -expm1(-mean * y),
        relative: RELATIVE,
      };
    }
    case 'binomial':
      return binomial(tries.trials, tries.probability);
    case 'fixed':
      return binomial(tries.count, 1);
    case 'table':
      return tabulatedTries(tries.probabilities);
  }
}

/** A bracket of the log of a probability around its computed value. Ensures: the exact logarithm lies in it, if the error of `value` is at most 5e-15·(1 + |value|). */
function around(value: number): Bracket {
  const slack = ROUNDINGS * (1 + Math.abs(value));
  return bracket(value - slack, Math.min(0, value + slack));
}

/**
 * The truncated negative binomial distribution: φ′(1 − x) ∝ (1 + rx)^{−η−1} with r = (1 − γ)/γ. With t = ry/(1 + rx), drop(x, y) = (1 + rx)^{−η}(1 −
 * (1 + t)^{−η})/(1 − (1 + r)^{−η}).
 *
 * d log drop/d log r is at most 3(|η| + 1)·r and at most |η| + 4, so `relative` includes the error of r.
 */
function negativeBinomial(eta: number, { r, least, mean }: Odds): TriesLaw {
  /** (1 − (1 + t)^{−η})/η, η the shape of the distribution. */
  const share = (t: number): number => {
    const l = log1p(t);
    return Math.abs(eta * l) < 1e-300 ? l : -expm1(-eta * l) / eta;
  };
  return {
    mean,
    logSome: exactly(0),
    most: r === 0 ? 1 : Infinity,
    cost: (x, g) => (eta + 1) * log1p(((r * Math.max(0, g - x)) / (1 + r * x)) * UP) * UP,
    logTilted: (order, { slope, start }) => {
      const [above, base] = [order - 1, 1 + r * start];
      const [steep, size] = [above * slope > order * base, 1 + order * (log(slope + order) + log(base))];
      const value = steep
        ? order * log(slope / order) + above * log(above) - log(slope - base)
        : above * log(base);
      return log(mean) + (eta + 1) * (value + SLACK * size);
    },
    costBelow: (x, g) => (eta + 1) * log1p(((least * Math.max(0, g - x)) / (1 + least * x)) * DOWN) * DOWN,
    monotone: true,
    drop: (x, y) => (r === 0 ? y : (exp(-eta * log1p(r * x)) * share((r * y) / (1 + r * x))) / share(r)),
    relative: (RELATIVE * (4 + Math.abs(eta))) / Math.min(1, 1 + eta),
  };
}

/** Largest r = (1 − γ)/γ, that of the least γ. */
const MOST_ODDS = 1e12;

/** Bounds of r = (1 − γ)/γ: `r` from above and `least` from below. `mean` is an upper bound of E K. */
interface Odds {
  readonly r: number;
  readonly least: number;
  readonly mean: number;
}

/**
 * The odds r = (1 − γ)/γ of a negative binomial distribution, which is stated by γ or by its mean. Ensures: the odds of the exact γ lie between
 * `least` and `r`; `mean` is no smaller than E K.
 */
function oddsOf(tries: Extract<Tries, { kind: 'negative-binomial' }>): Odds {
  const { eta, gamma, mean } = tries;
  if (gamma !== undefined) {
    const odds = (1 - gamma) / gamma;
    const r = up(odds, FEW_ROUNDINGS);
    return { r, least: down(odds, FEW_ROUNDINGS), mean: r === 0 ? 1 : meanOf(eta, r) * UP };
  }
  if (mean === 1) return { r: 0, least: 0, mean };
  const { high } = crossing((r) => mean! - meanOf(eta, r), {
    guess: mean! - 1,
    reach: mean! - 1,
    ceiling: MOST_ODDS,
    relative: FEW_ROUNDINGS,
  });
  if (!(high < Infinity))
    throw wrongValue('runs.mean', `less: with eta ${eta} gamma would be below 1e-12`, mean);
  // what rounding of the mean changes in r. For η ≤ 0, d log mean/d log r is at least (1 + η)·r/(2 + 2r); for η > 0 it is larger
  const off = (2 * ROUNDINGS * (1 + high)) / Math.min(1, 1 + eta);
  return { r: high + off, least: Math.max(0, high - off), mean: mean! };
}

/** E K = ηr/(1 − (1 + r)^{−η}), or its limit for η = 0. */
function meanOf(eta: number, r: number): number {
  if (r === 0) return 1;
  const l = log1p(r);
  return Math.abs(eta * l) < 1e-300 ? r / l : (eta * r) / -expm1(-eta * l);
}

/** The binomial distribution of n trials of probability p: φ(s) = (1 − p(1 − s))^n. Bounds are rounded outward. */
function binomial(n: number, p: number): TriesLaw {
  return {
    mean: n * p * UP,
    logSome: p === 1 ? exactly(0) : around(log(-expm1(n * log1p(-p)))),
    most: n,
    cost: (x, g) => {
      if (n === 1) return 0;
      const rest = 1 - p * g - FEW_ROUNDINGS;
      // for p = 1 and g = 1 the bound is ∞: a fixed number of tries hides nothing
      return rest > 0 ? (n - 1) * log1p(((p * Math.max(0, g - x)) / rest) * UP) * UP : Infinity;
    },
    costBelow: (x, g) =>
      (n - 1) * log1p(((p * Math.max(0, g - x)) / (1 - p * g + FEW_ROUNDINGS)) * DOWN) * DOWN,
    logTilted: (order, { slope, start }) => {
      if (n === 1) return log(p) + SLACK;
      const above = order - 1;
      const [first, last] = [-log1p(-p * Math.min(1, start)), -log1p(-p)];
      const cut = order * log1p((-p * Math.max(0, 1 - start)) / slope) + above * last;
      const value = Math.max(above * first, cut);
      return log(n * p) + (n - 1) * (value + SLACK * (1 + order * (1 + last)));
    },
    monotone: true,
    drop: (x, y) => {
      const rest = 1 - p * x;
      return exp(n * log1p(-p * x)) * -expm1(n * log1p(-Math.min(1, (p * y) / rest)));
    },
    relative: RELATIVE,
  };
}

/** The distribution of a table of probabilities p_k: φ′(1 − x) = Σ k p_k (1 − x)^{k−1}, a sum of positive terms. Rounding errors of a cost are at most OF_TABLE. */
function tabulatedTries(probabilities: readonly number[]): TriesLaw {
  const sum = probabilities.reduce((a, b) => a + b, 0);
  const weighed = probabilities.flatMap((p, k) => (p > 0 && k > 0 ? [[k, p / sum] as const] : []));
  const most = Math.max(...weighed.map(([k]) => k));
  const slope = (x: number): number => {
    const l = log1p(-x);
    return weighed.reduce((total, [k, p]) => total + k * p * (k === 1 ? 1 : exp((k - 1) * l)), 0);
  };
  const ratio = (x: number, g: number): number => {
    const [above, below] = [slope(x), slope(Math.min(1, g))];
    return below > 0 ? log(above / below) : Infinity;
  };
  const none = probabilities[0] / sum;
  return {
    mean: weighed.reduce((total, [k, p]) => total + k * p, 0) * UP * UP,
    logSome: none === 0 ? exactly(0) : around(log1p(-none)),
    most,
    cost: (x, g) => Math.max(0, ratio(x, g) + OF_TABLE),
    costBelow: (x, g) => Math.max(0, ratio(x, g) - OF_TABLE),
    logTilted: () => Infinity,
    monotone: false,
    drop: (x, y) => {
      const [l, share] = [log1p(-x), log1p(-Math.min(1, y / (1 - x)))];
      return weighed.reduce((total, [k, p]) => total + p * exp(k * l) * -expm1(k * share), 0);
    },
    relative: 2 * RELATIVE,
  };
}

/** In `selectionCost` a cell [0, y] of probabilities is not divided if y is at most this. Only tightness depends on it. */
const SMALLEST = 1e-300;
/** In `selectionCost` a cell [0, y] of probabilities is divided at this multiple of y. Only tightness and speed depend on it. */
const DEEPER = 1e-3;
/** Largest number of bisections of `selectionCost`. Only tightness and speed depend on it. */
const MOST_CELLS = 1000;
/** Relative distance between the bound of `selectionCost` and a bound at one x at which bisection ends. Only tightness and speed depend on it. */
const CLOSE = 1e-8;
/** The value of CLOSE for a number of tries with a table of probabilities. Costs are not monotone along lines there, and bounds of cells converge slowly. */
const CLOSE_AT_ENDS = 1e-4;

/**
 * Upper bound of c = sup_x log φ′(1 − x)/φ′(1 − g(x)), which a private search adds to ε (docs/proofs/select.md, 1 to 3). φ is the generating function of the
 * number of tries. g(x) is the largest probability under P of a set with probability x under Q. On a cell of x, g lies below any line e^ω x + δ′(ω), δ′ that of
 * the opposite direction. Such a line bounds the cost in the cell (`boundOnLine`). The cell with the largest bound is bisected until that bound is close to a
 * bound at one x.
 *
 * Ensures: no smaller than c.
 *
 * @param opposite The direction opposite to the one whose δ is bounded.
 * @param width Width of the brackets of its log δ to aim at.
 */
export function selectionCost(tries: TriesLaw, opposite: DirectedRun, width: number): number {
  if (tries.most === 1) return 0;
  const cells: { x: number; y: number; bound: number }[] = [];
  const lines = new Lines(opposite, width);
  const bounded = (x: number, y: number): number => {
    lines.near(x > 0 ? Math.sqrt(x) * Math.sqrt(y) : y);
    return lines.bound(tries, [x, y]);
  };
  for (const [x, y] of [
    [0, 0.5],
    [0.5, 1],
  ])
    cells.push({ x, y, bound: bounded(x, y) });
  const close = tries.monotone ? CLOSE : CLOSE_AT_ENDS;
  let seen = 0;
  for (let made = 0; ; made++) {
    const at = cells.reduce((best, { bound }, i) => (bound > cells[best].bound ? i : best), 0);
    const { x, y, bound } = cells[at];
    const middle = x === 0 ? y * DEEPER : y / x > 4 ? Math.sqrt(x) * Math.sqrt(y) : x + (y - x) / 2;
    if (bound - seen <= close * bound || made >= MOST_CELLS || y <= SMALLEST || !(middle > x && middle < y))
      return bound;
    seen = Math.max(seen, bounded(middle, middle));
    cells[at] = { x, y: middle, bound: Math.min(bound, bounded(x, middle)) };
    cells.push({ x: middle, y, bound: Math.min(bound, bounded(middle, y)) });
  }
}

/** Factor that rounds the value of a line slope·x + start up. */
const LINE = 1 + FEW_ROUNDINGS;

/** The line slope·x + start, an upper bound of g(x), the largest probability under P of a set with probability x under Q. */
export interface MassLine {
  readonly slope: number;
  readonly start: number;
}

/**
 * Lines e^ω x + δ′(ω) above g(x), the largest probability under P of a set with probability x under Q; δ′ is that of `run`. Each is valid for every x.
 * It is tightest at the x of the test that rejects at losses above ω.
 */
export class Lines {
  private readonly known: MassLine[] = [];

  constructor(
    private readonly run: DirectedRun,
    private readonly width: number,
  ) {
    this.add(0);
  }

  /** Adds the line that supports the trade-off function of one try near this false positive rate. */
  near(mass: number): void {
    this.add(mass < 1 ? this.run.guessOmega(log(mass)) : 0);
  }

  /** The least value of the lines at x = `mass`, rounded up. Ensures: no smaller than g(mass), the function that the lines bound. */
  least(mass: number): number {
    let least = 1;
    for (const { slope, start } of this.known) least = Math.min(least, (slope * mass + start) * LINE);
    return least;
  }

  /** Adds the line e^ω x + δ′(ω), δ′ that of `run`, with slope and start rounded up. */
  private add(omega: number): void {
    const slope = up(exp(omega), ROUNDINGS);
    // an infinite slope gives no bound
    if (!(slope < Infinity)) return;
    this.known.push({ slope, start: up(exp(this.run.logDelta(omega, this.width).upper), ROUNDINGS) });
  }

  /**
   * An upper bound of the cost log φ′(1 − m)/φ′(1 − g(m)) for m in [x, y], φ the generating function of `tries`. It is the least of
   * four bounds: with 1, the first line, the last line, or the line lowest at √(xy) in place of g.
   *
   * Ensures: no smaller than the cost at any mass of [x, y].
   */
  bound(tries: TriesLaw, [x, y]: [number, number]): number {
    const middle = Math.sqrt(x) * Math.sqrt(y);
    const at = (line: MassLine): number => line.slope * middle + line.start;
    const lowest = this.known.reduce((best, line) => (at(line) < at(best) ? line : best));
    const last = this.known[this.known.length - 1];
    return [lowest, last, this.known[0]].reduce(
      (least, { slope, start }) =>
        Math.min(
          least,
          boundOnLine(tries, [x, y], (mass) => Math.min(1, slope * mass + start)),
        ),
      tries.cost(x, 1),
    );
  }
}

/**
 * An upper bound of the cost log φ′(1 − m)/φ′(1 − g(m)) for m in [x, y]. In place of g stands `line`, which is capped at 1. If costs are monotone along
 * lines, the cost is largest at x, at y, or where the line reaches 1, as it decreases beyond. The cost of a point just before, with g = 1, bounds that. If
 * costs are not monotone, the bound is the cost with φ′(1 − m) at m = x and the line at m = y.
 *
 * Ensures: no smaller than the cost at any mass of [x, y], where g is below the line.
 */
function boundOnLine(tries: TriesLaw, [x, y]: [number, number], line: (at: number) => number): number {
  if (!tries.monotone) return tries.cost(x, line(y));
  if (line(y) < 1) return Math.max(tries.cost(x, line(x)), tries.cost(y, line(y)));
  let [below, cut] = [x, y];
  for (let i = 0; i < 60 && line(below) < 1; i++) {
    const middle = below + (cut - below) / 2;
    if (line(middle) < 1) below = middle;
    else cut = middle;
    if (cut - below <= LONG_SUM * cut) break;
  }
  return Math.max(tries.cost(x, line(x)), tries.cost(below, 1));
}
