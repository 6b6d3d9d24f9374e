import { U } from '../numeric/constants.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { charge } from '../numeric/meter.js';
import { FEW_ROUNDINGS, MANY_ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log1p } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { atomicPair } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair } from './pair.js';

/** Upper bound of the relative rounding error of a sum over cells. Correctness depends on it. */
const OF_CELLS = 1e-11;

/** Number of cells of the squared norm. Only width depends on it. */
const CELLS = 4096;
/** Cells end where the density is e^{−DEPTH} of that at the mode. Only width depends on it. */
const DEPTH = 100;
/** Number of ε at which δ is listed. Only width depends on it. */
const POINTS = 400;

/** Cache of the last eight `ScaleCells`, as one account asks for the same cells several times. */
const made = new LruCache<string, ScaleCells>(8);

/** `ScaleCells` of N(0, ρ²I) against N(0, I), cached; `excess` = ρ − 1. */
export function scaleCells(dimensions: number, excess: number): ScaleCells {
  return made.of(`${dimensions}/${excess}`, () => new ScaleCells(dimensions, excess));
}

/**
 * The pair of two noise scales: P = N(0, ρ²I) against Q = N(0, I), `excess` = ρ − 1 > 0 (docs/proofs/sampling.md, 12). Half the
 * squared norm, x, is a sufficient statistic: x ~ Gamma(k) under Q and ρ² times that under P, k half the dimensions. The loss is
 * L = k log ρ² − x(1 − ρ⁻²). The log density of u = (x − k)/√k is concave under both, so chords and tangents bound the masses of cells of u.
 */
class ScaleCells {
  /** The privacy loss L at u = 0, where the squared norm is the number of dimensions. */
  private readonly lossAtMode: number;
  /** The derivative dL/du of the privacy loss, which is constant and negative. */
  private readonly slope: number;
  /** Bound of the rounding error of a loss. */
  private readonly lossError: number;
  /** √k, k half the number of dimensions. */
  private readonly root: number;
  /** Left end of the first cell of u. */
  private readonly from: number;
  /** Width of a cell of u. */
  private readonly width: number;
  /** Lower and upper bounds of the Q-mass of each cell. */
  private readonly low: Float64Array;
  private readonly high: Float64Array;
  /** Upper bounds of Q-mass and P-mass beyond the first and the last cell. */
  private readonly beyond: { readonly q: number; readonly p: number };
  /** Upper bounds of δ at listed ε, in both directions. */
  readonly profile: Lazy<readonly { readonly epsilon: number; readonly delta: number }[]> = new Lazy(() =>
    this.profileOf(),
  );

  /**
   * Bounds of the Q-masses of the cells of u. Let g be the log density, w a cell's width, a and b its ends, m its middle. The mass is at least
   * w(e^{g(b)} − e^{g(a)})/(g(b) − g(a)) and at most w e^{g(m)} sinh(s)/s, s = g′(m)w/2, as g is concave. Both are divided by bounds of the total. Ensures: `low` is no more and `high` no less than each mass, and `beyond` no less than the masses outside.
   */
  constructor(dimensions: number, excess: number) {
    charge(40 * CELLS);
    const k = dimensions / 2;
    this.root = Math.sqrt(k);
    // ρ² − 1, and 1 − ρ⁻²
    const more = excess * (2 + excess);
    const less = more / (1 + more);
    this.lossAtMode = k * (more < 1e-3 ? gapOf(more) : log1p(more) - less);
    this.slope = -this.root * less;
    this.lossError = 4 * U * (k * more + this.root * less * 20) + FEW_ROUNDINGS * Math.abs(this.lossAtMode);
    const g = (u: number): number => this.logDensity(u);
    this.from = edgeOf(g, 0, -this.root);
    // P lies to the right of Q, by about √k(ρ² − 1)
    const mode = this.root * more;
    const underP = (u: number): number => g(u) - this.slope * (u - mode) - g(mode);
    const to = edgeOf(underP, mode, mode + 1);
    this.width = (to - this.from) / CELLS;
    this.low = new Float64Array(CELLS);
    this.high = new Float64Array(CELLS);
    let [least, most] = [0, 0];
    for (let i = 0; i < CELLS; i++) {
      const [a, b] = [this.edge(i), this.edge(i + 1)];
      const [ga, gb, slope] = [g(a), g(b), this.slopeOf((a + b) / 2)];
      const rounding = MANY_ROUNDINGS + 8 * U * this.root * (Math.abs(a) + Math.abs(b) + 1);
      const x = gb - ga;
      this.low[i] = exp(ga) * (x === 0 ? 1 : expm1(x) / x) * this.width * (1 - rounding);
      const half = (slope * this.width) / 2;
      this.high[i] = exp(g((a + b) / 2)) * sinhc(half) * this.width * (1 + rounding);
      least += this.low[i];
      most += this.high[i];
    }
    const tail = (u: number): number => exp(g(u) + 1) / Math.abs(this.slopeOf(u));
    most += tail(this.from) + tail(to);
    for (let i = 0; i < CELLS; i++) {
      this.low[i] *= (1 - CELLS * U) / most;
      this.high[i] *= (1 + CELLS * U) / least;
    }
    const tailP = (u: number): number =>
      exp(g(u) + 1 - this.lossAt(u)) / Math.abs(this.slopeOf(u) - this.slope);
    this.beyond = {
      q: (2 * (tail(this.from) + tail(to))) / least,
      p: (2 * (tailP(this.from) + tailP(to))) / least,
    };
  }

  /** Log of the density of u = (x − k)/√k under Q, x ~ Gamma(k), up to a constant. It is k(log(1 + w) − w) − log(1 + w), w = u/√k. */
  private logDensity(u: number): number {
    const w = u / this.root;
    if (w <= -1) return -Infinity;
    const k = this.root * this.root;
    return k * (Math.abs(w) < 1e-3 ? logLessOf(w) : log1p(w) - w) - log1p(w);
  }

  /** Derivative with respect to u of `logDensity`: (−u − 1/√k)/(1 + u/√k), k half the number of dimensions. */
  private slopeOf(u: number): number {
    return (-u - 1 / this.root) / (1 + u / this.root);
  }

  /** The privacy loss L at u, which is linear in u. */
  private lossAt(u: number): number {
    return this.lossAtMode + this.slope * u;
  }

  /** The left end of cell i of u. */
  private edge(i: number): number {
    return this.from + i * this.width;
  }

  /**
   * Bound of the distance between the mean of the loss L in cell i and L at its middle, under Q and P. It is |dL/du|·s·width²/12, s a bound of the slopes
   * of the log densities under Q and P in the cell.
   *
   * Ensures: no smaller than that distance plus the rounding error of a loss.
   */
  private offset(i: number): number {
    const steepest = Math.max(Math.abs(this.slopeOf(this.edge(i))), Math.abs(this.slopeOf(this.edge(i + 1))));
    const slope = Math.abs(this.slope);
    return (slope * (steepest + slope) * this.width * this.width) / 12 + this.lossError;
  }

  /**
   * An upper bound of δ(ε), ε ≥ 0, in both directions: Σ mass·(1 − e^{ε − L}) over cells, plus the masses outside. L is a loss. In cells whose losses are
   * above ε, L is a bound of the mean loss (Jensen's inequality). In the cell that contains ε, L is the largest loss. In the other direction P-masses are
   * at most Q-masses times e^{r²/2 − mean L}, r half the width of L (Hoeffding's lemma).
   *
   * Ensures: no smaller than δ(ε) in either direction, rounding included by `OF_CELLS`.
   */
  deltaAbove(epsilon: number): number {
    let [remove, add] = [this.beyond.q, this.beyond.p];
    const reach = (Math.abs(this.slope) * this.width) / 2;
    // the loss at which 1 − e^{ε − L} bounds its mean over cell i, from the loss at its middle
    const over = (middle: number, i: number): number =>
      middle - epsilon > reach ? middle + this.offset(i) : middle + reach + this.lossError;
    for (let i = 0; i < CELLS; i++) {
      const middle = this.lossAt((this.edge(i) + this.edge(i + 1)) / 2);
      const loss = over(middle, i);
      if (loss > epsilon) remove += this.high[i] * -expm1(epsilon - loss);
      const gain = over(-middle, i);
      if (gain > epsilon)
        add += this.high[i] * exp(this.offset(i) - middle + (reach * reach) / 2) * -expm1(epsilon - gain);
    }
    return Math.min(1, up(Math.max(remove, add), OF_CELLS));
  }

  /** Upper bounds of δ at `POINTS` + 1 equally spaced ε, by `deltaAbove`. */
  private profileOf(): { epsilon: number; delta: number }[] {
    const largest = Math.max(this.lossAt(this.from), -this.lossAt(this.edge(CELLS)));
    return Array.from({ length: POINTS + 1 }, (_, j) => {
      const epsilon = (largest * j) / POINTS;
      return { epsilon, delta: this.deltaAbove(epsilon) };
    });
  }

  /**
   * An ε with `deltaAbove(ε)` ≤ `delta`, by bisection, at most a fraction of 1e-6 above the least such ε.
   *
   * Ensures: δ is at most `delta` there, in both directions.
   */
  epsilonAbove(delta: number): number {
    const ceiling = Math.max(this.lossAt(this.from), -this.lossAt(this.edge(CELLS))) + 1;
    const holds = (epsilon: number): boolean => this.deltaAbove(epsilon) <= delta;
    return turningPoint(holds, { guess: ceiling / 2, reach: ceiling / 2, ceiling, relative: 1e-6 }).high;
  }

  /**
   * The pair of the statistic "which cell contains the squared norm", which is post-processing: P and Q dominate it. Its masses are the means of `low` and
   * `high`, its losses those at the middles of cells.
   *
   * Ensures: masses and losses of the statistic are within the errors that the atoms state.
   */
  pair(): AtomicPair {
    const loss = new Float64Array(CELLS);
    const p = new Float64Array(CELLS);
    const q = new Float64Array(CELLS);
    let [relative, lossError] = [0, this.lossError];
    const scatter = (this.slope * this.width) ** 2 / 8;
    for (let i = 0; i < CELLS; i++) {
      // the loss decreases with u, so ascending losses begin at the last cell
      const at = CELLS - 1 - i;
      loss[at] = this.lossAt((this.edge(i) + this.edge(i + 1)) / 2);
      q[at] = (this.low[i] + this.high[i]) / 2;
      p[at] = q[at] * exp(-loss[at]);
      relative = Math.max(relative, this.high[i] / this.low[i] - 1);
      lossError = Math.max(lossError, this.offset(i) + scatter);
    }
    const atoms = {
      loss,
      p,
      q,
      relative: relative + 2 * lossError,
      lossError,
      ...ALL_FINITE,
    };
    const beyond = Math.max(this.beyond.p, this.beyond.q);
    return { ...atomicPair({ ...atoms, beyond, gdpMu: Infinity, tailMu: 0 }), asymmetric: true };
  }
}

/** log(1 + x) − x/(1 + x) for 0 ≤ x < 1e-3, by a power series in x/(1 + x); the relative truncation error is at most 3e-16. */
function gapOf(x: number): number {
  const r = x / (1 + x);
  return r * r * (1 / 2 + r * (1 / 3 + r * (1 / 4 + r * (1 / 5 + r / 6))));
}

/** log(1 + w) − w for |w| < 1e-3, by a power series whose truncation error is below a rounding. */
function logLessOf(w: number): number {
  return -w * w * (1 / 2 - w * (1 / 3 - w * (1 / 4 - w * (1 / 5 - w * (1 / 6 - w / 7)))));
}

/** sinh(x)/x, with a few roundings. */
function sinhc(x: number): number {
  return Math.abs(x) < 1e-4 ? 1 + (x * x) / 6 : (expm1(x) - expm1(-x)) / (2 * x);
}

/** Heuristic: the point, from `inside` towards `outside`, where a concave log density has fallen from about 0 to −`DEPTH`, by bisection. It chooses cells. */
function edgeOf(g: (u: number) => number, inside: number, outside: number): number {
  let [near, far] = [inside, outside];
  while (g(far) > -DEPTH) far = inside + 2 * (far - inside);
  for (let i = 0; i < 60; i++) {
    const middle = (near + far) / 2;
    if (g(middle) > -DEPTH) near = middle;
    else far = middle;
  }
  return near;
}
