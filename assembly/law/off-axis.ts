/**
 * Quadrature along lines Im x = a off the real axis ("paths"), for one step at a tilt c. It gives φ(τ) = M(c + iτ)/M(c) on long contours, and upper
 * bounds of |φ| (docs/proofs/contour.md 6, 11, 15; sampling.md 7, 17). At the frequency τ a term has the modulus e^{size − τα}, α ≥ 0 the argument of
 * the likelihood ratio.
 */
import { U } from '../../src/kernel/constants.js';
import { Errors } from '../sums/errors.js';
import { even } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { modulusSums } from '../sums/mesh-sums.js';
import { pathTerms } from '../sums/path-terms.js';
import { countCumulant, isSpent, mark, release, spend, take, takeZeros } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { pathLine } from '../sums/turning.js';
import { Cumulant, LogPhi } from './law.js';
import { FarDecay } from './step-law.js';

/** Terms of a bound of |φ| below e^{FAINTEST} are replaced by e^{FAINTEST}. */
export const FAINTEST: f64 = -72;
/** Terms of a sum along a contour below e^{NEGLIGIBLE} are left out; the error bound counts each as that. */
const NEGLIGIBLE: f64 = -50;
/** Terms at either end of a sum below e^{−depth−BELOW} are left out, e^{−depth} the accuracy asked for. The error bound counts each as that. */
const BELOW: f64 = 12;
/** Limit of nodes times frequencies of a contour. */
const MOST_TURNS: f64 = 3e8;
/** Limit of τ times the error of a loss. Up to it, an error t of an exponent changes a term by at most 2t of itself (contour.md 15). */
const MOST_SLIDING: f64 = 0.9;

/** Nodes h·first + ia, h·(first + 1) + ia, … of a path, and bounds of the errors of their sum. */
export class PathNodes {
  h: f64 = 0;
  first: f64 = 0;
  n: usize = 0;
  /** Distance of the path from the axis. */
  a: f64 = 0;
  /** Addresses of the tables of `turnedLosses`, of `windowRows` (or `windowBounds`), and of `pathModuli`. */
  losses: usize = 0;
  heights: usize = 0;
  moduli: usize = 0;
  /** log of the factor of all terms, h·e^{a²/2}/(√2π·M(c)), h the spacing, a the distance from the axis. */
  unit: f64 = 0;
  errors: Errors = new Errors();
  isKnown: bool = false;
}

/** Terms e^{size − τα}, α ≥ 0, whose sum with the quadrature error bounds |φ| at τ and at larger frequencies. */
export class PathBound {
  table: usize = 0;
  n: usize = 0;
  quadratureError: f64 = Infinity;

  /**
   * log of the sum of terms with the quadrature error and the terms below e^{FAINTEST}, rounded up; 0 if the quadrature error is unknown. Ensures: no
   * less than log|φ(τ)|.
   */
  logAt(tau: f64): f64 {
    if (!(this.quadratureError < Infinity)) return 0;
    spend(4 * <f64>this.n);
    const sum = sumOfModuli(this.table, this.n, tau);
    return logOf(sum * (1 + 1e-12) + this.quadratureError + <f64>this.n * expOf(FAINTEST)) + 1e-14;
  }
}

/**
 * Σ e^{size − τ·slope} over the n rows of `pathModuli`, by `modulusSums`, without the terms below e^{FAINTEST}. Rounding changes each term by a few
 * units in its last place.
 */
export function sumOfModuli(table: usize, n: usize, tau: f64): f64 {
  const at = borrow(32);
  const out = at + 16;
  storeF64(at, tau);
  storeF64(out, 0);
  modulusSums(table, n, at, 1, FAINTEST, out);
  giveBack(at);
  return loadF64(out);
}

/** Sums along paths for one tilt: φ on a contour along one, and bounds of |φ| along several. */
export abstract class OffAxis extends FarDecay {
  private bounds: Array<PathBound | null>;

  /**
   * @param at The cumulant at c.
   * @param furthest Distance of the first path from the axis; each further one has `closer` times the distance of the one before.
   * @param many Number of paths for bounds.
   */
  constructor(
    protected c: f64,
    protected at: Cumulant,
    private furthest: f64,
    private closer: f64,
    private many: i32,
  ) {
    super();
    this.bounds = new Array<PathBound | null>(many);
    for (let i = 0; i < many; i++) this.bounds[i] = null;
    // memory of objects is counted in cumulants: this is about as large as three
    for (let i = 0; i < 3; i++) countCumulant();
  }

  /** Nodes whose sum gives φ to about e^{−depth}; `isKnown` is false where that would cost too much. */
  protected abstract lineNodes(depth: f64): PathNodes;
  /** Fills `path` with the bound on Im x = a, unless that would cost too much. */
  protected abstract lay(path: PathBound, a: f64): void;

  /** The bound of |φ| on the k-th path Im x = a, a = furthest·closer^k, computed once. `lay` bounds its error. */
  private boundOn(k: i32): PathBound {
    const known = this.bounds[k];
    if (known !== null) return known;
    const path = new PathBound();
    this.bounds[k] = path;
    countCumulant();
    let a = this.furthest;
    for (let i: i32 = 0; i < k; i++) a *= this.closer;
    this.lay(path, a);
    return path;
  }

  /**
   * The least bound over some paths. The search starts at the distance that is best for a normal loss, and goes on while bounds decrease. Ensures: no
   * less than log|φ| at τ and at larger frequencies.
   */
  logBound(tau: f64): f64 {
    const wanted =
      logOf(this.furthest / Math.max(tau * Math.sqrt(this.at.variance), 1e-9)) / -logOf(this.closer);
    const start = <i32>Math.max(0, Math.min(<f64>(this.many - 1), Math.floor(wanted + 0.5)));
    const first = this.boundOn(start).logAt(tau);
    let best = first;
    for (let side: i32 = 1; side >= -1; side -= 2) {
      if (best < first) break;
      for (let k = start + side; k >= 0 && k < this.many; k += side) {
        const own = this.boundOn(k).logAt(tau);
        if (!(own < best)) break;
        best = own;
      }
    }
    return Math.min(0, best + 1e-10);
  }

  /**
   * φ − 1 at the nodes of a contour, and its rounding and quadrature errors, to four rows at `own` that are zero at first. Returns the bound of the
   * quadrature error; ∞ where it would cost too much.
   */
  sums(line: LogPhi, depth: f64, own: usize): f64 {
    const start = mark();
    const error = this.sumTo(line, depth, own);
    release(start);
    return error;
  }

  /**
   * `sums` by the trapezoidal rule on one path. The rows are real part, imaginary part and rounding error. The last row and the result bound the
   * errors of quadrature and truncation, and the terms left out. The result is ∞ where there are too many terms.
   */
  private sumTo(line: LogPhi, depth: f64, own: usize): f64 {
    const nodes = this.lineNodes(depth);
    if (!nodes.isKnown) return Infinity;
    const n = nodes.n;
    const floor = -depth - BELOW;
    const sizes = take(even(n));
    const path = take(6 * even(n));
    const common = this.at.error + U * (nodes.a * nodes.a + 3 * Math.abs(this.at.value));
    spend(16 * <f64>n);
    const place = take(5);
    storeF64(place, this.c);
    storeF64(place, nodes.unit, 8);
    storeF64(place, nodes.h, 16);
    storeF64(place, nodes.first, 24);
    storeF64(place, nodes.a, 32);
    const terms = pathTerms(nodes.losses, nodes.heights, n, place, common, floor, sizes, path);
    const m = <usize>terms;
    const turns = turnsOf(path, m, line);
    if (!(turns <= MOST_TURNS)) return Infinity;
    spend(1.3 * turns + 40 * <f64>line.n);
    if (isSpent()) return Infinity;
    const row = line.room << 3;
    const wrong = takeZeros(line.room >> 5);
    pathLine(path, m, line.step, NEGLIGIBLE, own, wrong, line.room);
    // errors of the nodes' sum, and of the terms left out: at the ends, and below e^{NEGLIGIBLE}
    const error = 1.01 * nodes.errors.sum() + (<f64>n - terms) * expOf(floor) + terms * expOf(NEGLIGIBLE);
    for (let k: usize = 0; k < row; k += 8) {
      storeF64(own + k, loadF64(own + k) - 1);
      storeF64(own + 2 * row + k, loadF64(wrong + ((k >> 8) << 3)));
      storeF64(own + 3 * row + k, error);
    }
    storeF64(own, 0);
    storeF64(own + row, 0);
    storeF64(own + 2 * row, 0);
    return error;
  }
}

/**
 * Number of pairs of node and frequency of a contour, each node up to the frequency where its term falls below e^{NEGLIGIBLE}. ∞ where τ times an
 * error of a loss exceeds MOST_SLIDING (contour.md 15).
 */
function turnsOf(path: usize, m: usize, line: LogPhi): f64 {
  const row = even(m) << 3;
  const blocks = <f64>line.room / 32;
  let turns: f64 = 0;
  for (let j: usize = 0; j < m; j++) {
    const node = path + (j << 3);
    const last = (loadF64(node + 2 * row) - NEGLIGIBLE) / (loadF64(node + row) * line.step);
    turns += 32 * Math.min(blocks, Math.max(0, Math.ceil(last / 32)));
    if (!(line.step * <f64>line.n * loadF64(node + 5 * row) <= MOST_SLIDING)) return Infinity;
  }
  return turns;
}
