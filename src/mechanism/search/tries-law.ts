import { wrongValue } from '../../errors.js';
import { type Bracket, bracket, exactly } from '../../numeric/bracket.js';
import { down, FEW_ROUNDINGS, LONG_SUM, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import { crossing } from '../../numeric/solve.js';
import type { DirectedRun } from '../../run/directed-run.js';
import type { Tries } from '../tries.js';

/** The number K of tries by its probability generating function φ(s) = E s^K. */
export interface TriesLaw {
  /** Upper bound of E K = φ′(1). */
  readonly mean: number;
  /** log P[K ≥ 1]. */
  readonly logSome: Bracket;
  /** The largest number K of tries; ∞ where it has no bound. */
  readonly most: number;
  /** Upper bound of log φ′(1 − x)/φ′(1 − g) for 0 ≤ x ≤ g ≤ 1: it decreases in x and increases in g. */
  cost(x: number, g: number): number;
  /** Lower bound of what `cost` bounds from above. */
  costBelow(x: number, g: number): number;
  /**
   * Upper bound, for α > 1, of log of φ′(1 − x)^α φ′(1 − g)^{1 − α}. x is in [0, 1], and g ≤ slope·x + start is at most 1. Selection multiplies a
   * moment of a try by it (docs/proofs/select.md, 9). ∞ where none is known.
   */
  logTilted(order: number, line: MassLine): number;
  /** Whether `cost` is monotone along every line g(x), as where φ′ is a power of a linear function, or an exponential. */
  readonly monotone: boolean;
  /**
   * φ(1 − x) − φ(1 − x − y), 0 ≤ x, y. It is the probability that the mass above the best try lies in [x, x + y]. Relative error at most `relative`,
   * plus an absolute 1e-300.
   */
  drop(x: number, y: number): number;
  readonly relative: number;
}

/** Factors that round up, and down, by the error of a few elementary functions; and the relative error of `drop`. */
const UP = 1 + 1e-13;
const DOWN = 1 - 1e-13;
const RELATIVE = 4e-12;
/** Upper bound of the rounding error of a logarithm, per unit of its terms. */
const SLACK = 1e-13;
/** Upper bound of the error of a cost of a table: of two sums of up to 1001 positive terms and a logarithm. */
const OF_TABLE = 1e-11;

/** The law of a number of tries: φ and φ′ in closed form for each family, with bounds that are rounded outward. */
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

/** Bracket of the log of a probability. Ensures: holds the logarithm, capped at 0, if its error is at most half of `ROUNDINGS` of itself and 1. */
function around(value: number): Bracket {
  const slack = ROUNDINGS * (1 + Math.abs(value));
  return bracket(value - slack, Math.min(0, value + slack));
}

/**
 * φ′(s) ∝ (1 − (1 − γ)s)^{−η−1}, by the odds r = (1 − γ)/γ. At s = 1 − x it is ∝ (1 + rx)^{−η−1}. With t = ry/(1 + rx): drop(x, y) = (1 + rx)^{−η} (1
 * − (1 + t)^{−η})/(1 − (1 + r)^{−η}).
 *
 * The derivative of its logarithm by r is at most 3(|η| + 1), and at most (|η| + 4)/r. So the error of r is part of `relative`.
 */
function negativeBinomial(eta: number, { r, least, mean }: Odds): TriesLaw {
  /** (1 − (1 + t)^{−η})/η. */
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

/** Largest odds, for the least γ. */
const MOST_ODDS = 1e12;

/** Upper and lower bound of r, at most 4e-14 (1 + r)/(1 + η) apart, and upper bound of E K. */
interface Odds {
  readonly r: number;
  readonly least: number;
  readonly mean: number;
}

/** Solves for the odds by the mean. Ensures: the odds of the exact γ lie between `least` and `r`; `mean` is no smaller than E K. */
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
  // effect of rounding the mean on r: d log mean/d log r ≥ (1 + η) r/(2 + 2r) for η ≤ 0, else more
  const off = (2 * ROUNDINGS * (1 + high)) / Math.min(1, 1 + eta);
  return { r: high + off, least: Math.max(0, high - off), mean: mean! };
}

/** E K = ηr/(1 − (1 + r)^{−η}), or its limit for η = 0. */
function meanOf(eta: number, r: number): number {
  if (r === 0) return 1;
  const l = log1p(r);
  return Math.abs(eta * l) < 1e-300 ? r / l : (eta * r) / -expm1(-eta * l);
}

/** φ(s) = (1 − p(1 − s))^n. */
function binomial(n: number, p: number): TriesLaw {
  return {
    mean: n * p * UP,
    logSome: p === 1 ? exactly(0) : around(log(-expm1(n * log1p(-p)))),
    most: n,
    cost: (x, g) => {
      if (n === 1) return 0;
      const rest = 1 - p * g - FEW_ROUNDINGS;
      // a fixed number of tries hides nothing: in one world all may be better than any in the other
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

/** The law of a table of probabilities: φ′(1 − x) = Σ k p_k (1 − x)^{k−1}, a sum of positive terms. */
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

/** The first cell is [0, SMALLEST]: no distinguished rate is smaller. It is divided at PART of it. Only tightness depends on both. */
const SMALLEST = 1e-300;
const DEEPER = 1e-3;
/** Number of cells at most, and the relative distance from an attained value at which bisection ends. Only tightness and speed depend on them. */
const MOST_CELLS = 1000;
const CLOSE = 1e-8;
/** Below this, cells are bounded at their ends only. */
const CLOSE_AT_ENDS = 1e-4;

/**
 * Upper bound of c = sup_x log φ′(1 − x)/φ′(1 − g(x)), which selection adds to ε (docs/proofs/select.md, 2 and 3). g(x) is the largest mass in the
 * other world of a set of mass x in this world. On a cell g lies below any line e^ω x + δ(ω). Along a line the cost is monotone, so it is bounded at
 * the cell's ends. The cell with the largest bound is bisected until the bound is close to a value at a point. So no gap is left between points.
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

/** Rounding of a value of a line, as a factor. */
const LINE = 1 + FEW_ROUNDINGS;

/** The line slope·x + start. */
export interface MassLine {
  readonly slope: number;
  readonly start: number;
}

/** Lines e^ω x + δ′(ω) above g. Any ω is valid on any cell; the best is that of the test whose mass lies within the cell. */
export class Lines {
  private readonly known: MassLine[] = [];

  constructor(
    private readonly run: DirectedRun,
    private readonly width: number,
  ) {
    this.add(0);
  }

  /** Adds the supporting line of the try's trade-off function at about this false positive rate. */
  near(mass: number): void {
    this.add(mass < 1 ? this.run.guessOmega(log(mass)) : 0);
  }

  /**
   * The least of the lines at a mass.
   *
   * Ensures: no smaller than g(mass).
   */
  least(mass: number): number {
    let least = 1;
    for (const { slope, start } of this.known) least = Math.min(least, (slope * mass + start) * LINE);
    return least;
  }

  private add(omega: number): void {
    const slope = up(exp(omega), ROUNDINGS);
    // so steep a line exceeds 1 at once
    if (!(slope < Infinity)) return;
    this.known.push({ slope, start: up(exp(this.run.logDelta(omega, this.width).upper), ROUNDINGS) });
  }

  /**
   * An upper bound of the cost on [x, y], by the last line and by the lowest line in the middle.
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
 * Bound along one line, capped at 1. Beyond the cap the cost decreases; a point a little before it bounds what follows.
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
