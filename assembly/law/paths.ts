/**
 * Quadrature along paths Im x = a off the real axis, for a sampled step under a tilt c. It gives φ on long contours, and upper bounds of |φ|
 * (docs/proofs/contour.md 6, 11, 15).
 */
import { HALF_LOG_2PI, U } from '../../src/kernel/constants.js';
import { tiltedRange, offAxisGrowth } from '../beyond.js';
import { Errors, stripError } from '../bound/errors.js';
import { logarithms } from '../log-phi.js';
import { even, turnedLosses } from '../loss-mesh.js';
import { loadF64, memory, storeF64 } from '../memory.js';
import { modulusSums } from '../mesh-sums.js';
import { pathModuli, pathTerms } from '../path-terms.js';
import { countCumulant, hasRoom, isSpent, mark, release, spend, take, takeZeros } from '../room.js';
import { expOf, logOf } from '../scalar.js';
import { pathLine } from '../turning.js';
import { windowBounds, windowRows } from '../windows.js';
import { Cumulant, LogPhi } from './law.js';
import { FarDecay } from './step-law.js';
import { SampledStep, threeBitsBelow, wholeGrowth } from './sampled-step.js';
import { lossAt } from './window.js';

const TWO_PI: f64 = 6.283185307179586;
const OUT: usize = memory.data(16, 16);
const TAU: usize = memory.data(16, 16);
/** Terms of a bound that lie below e^{FAINTEST} are rounded up to it. */
const FAINTEST: f64 = -72;
/** Terms of a sum along a contour below e^{this} are replaced by that in the error bound. */
const NEGLIGIBLE: f64 = -50;
/** Terms at either end of a sum below e^{−depth−BELOW} are left out; the truncation error counts each as that. */
const BELOW: f64 = 12;
const MOST_NODES: f64 = 16384;
/** Nodes × frequencies of a contour at most. */
const MOST_TURNS: f64 = 3e8;
/** Largest factor by which frequencies may magnify errors (15). */
const MOST_SLIDING: f64 = 0.9;
/** Number of paths for bounds; each is half as far from the axis as the one before. */
const PATHS: i32 = 25;
/** Distances from the axis that are tried, as fractions of π/μ: for contours, and for half widths of strips around paths of bounds. */
const LINE_SHARES: usize = memory.data<f64>([0.03, 0.08, 0.15, 0.25, 0.35, 0.43], 16);
const BOUND_SHARES: usize = memory.data<f64>([0.01, 0.025, 0.06, 0.12, 0.2, 0.3, 0.4, 0.49], 16);
const FURTHEST_LINE: f64 = 1.3;

/** A path's distance from the axis, the half width of the strip around it, and the integrand's growth in the strip: a plan. */
class Shift {
  constructor(
    readonly a: f64,
    readonly b: f64,
    readonly growth: f64,
  ) {}
}

/** Nodes h·first + ia, … of a path, and the errors of their sum. */
class PathNodes {
  h: f64 = 0;
  first: f64 = 0;
  n: usize = 0;
  /** Tables of `turnedLosses`, of `windowRows` or `windowBounds`, and of `pathModuli`. */
  losses: usize = 0;
  heights: usize = 0;
  moduli: usize = 0;
  /** log of the constant factor of a term. */
  unit: f64 = 0;
  errors: Errors = new Errors();
  isKnown: bool = false;
}

/** Terms e^{size − τα} whose sum bounds |φ| at τ and beyond. */
export class PathBound {
  table: usize = 0;
  n: usize = 0;
  quadratureError: f64 = Infinity;

  /** Ensures: no less than log|φ(τ)|. */
  logAt(tau: f64): f64 {
    if (!(this.quadratureError < Infinity)) return 0;
    spend(4 * <f64>this.n);
    const sum = sumOfModuli(this.table, this.n, tau);
    return logOf(sum * (1 + 1e-12) + this.quadratureError + <f64>this.n * expOf(FAINTEST)) + 1e-14;
  }
}

function sumOfModuli(table: usize, n: usize, tau: f64): f64 {
  storeF64(TAU, tau);
  storeF64(OUT, 0);
  modulusSums(table, n, TAU, 1, FAINTEST, OUT);
  return loadF64(OUT);
}

export class Paths extends FarDecay {
  /** −log of the relative accuracy of the sums that bound |φ|. */
  boundDepth: f64 = 34;
  private bounds: Array<PathBound | null> = new Array<PathBound | null>(PATHS);
  private furthest: f64;

  /** @param at The cumulant at c. */
  constructor(
    private step: SampledStep,
    private c: f64,
    private at: Cumulant,
  ) {
    super();
    this.furthest = Math.min((0.49 * Math.PI) / step.mu, Math.min(16 * 0.49, 7 * step.window.width));
    for (let i = 0; i < PATHS; i++) this.bounds[i] = null;
    // counted as three objects of a cumulant's size
    for (let i = 0; i < 3; i++) countCumulant();
  }

  /** A plan: first and last output that count, to `OUT`. Beyond, φW|u|^c is about e^{−depth} of its sum, `reach` its radius around the peaks. */
  private range(depth: f64, reach: f64): void {
    const step = this.step;
    const w = step.window;
    const c = this.c;
    const widest = Math.min(Math.max(Math.max(step.mu, c * step.mu), w.from) + reach, w.end);
    const atEdge = c * lossAt(step.mu, step.q, w.to);
    let last = w.to + reach * w.width;
    while (last < widest) {
      const away = (last - w.to) / w.width;
      if (!(c * lossAt(step.mu, step.q, last) - atEdge - (away * away) / 2 > -depth)) break;
      last += w.width;
    }
    last = Math.min(last, widest);
    const first = w.from - (reach + 4) * w.width;
    if (c < 0) {
      spend(1500);
      tiltedRange(step.mu, step.q, c, depth, reach, OUT);
      storeF64(OUT, Math.max(loadF64(OUT), first));
      storeF64(OUT, Math.min(loadF64(OUT, 8), last), 8);
      return;
    }
    storeF64(OUT, Math.max(-reach, first));
    storeF64(OUT, last, 8);
  }

  /**
   * Nodes whose sum is accurate to about e^{−depth}.
   * @param logM log M, or a lower bound for bounds of |φ|.
   * @param bounding Whether an upper bound replaces the window.
   */
  private nodesOn(logM: f64, depth: f64, shift: Shift, bounding: bool): PathNodes {
    const nodes = new PathNodes();
    const h = threeBitsBelow((TWO_PI * shift.b) / (depth + shift.growth + 1));
    this.range(depth + 10, Math.sqrt(2 * depth) + 1);
    const first = Math.floor(Math.floor(loadF64(OUT)) / h);
    const last = Math.min(Math.ceil(Math.ceil(loadF64(OUT, 8)) / h), Math.floor(this.step.window.end / h));
    const many = last - first + 1;
    if (!(many > 1 && many <= MOST_NODES && hasRoom(16 * many))) return nodes;
    nodes.h = h;
    nodes.first = first;
    nodes.n = <usize>many;
    nodes.unit = logOf(h) - HALF_LOG_2PI - logM + (shift.a * shift.a) / 2;
    this.fillTables(nodes, shift.a, bounding);
    this.boundEnds(nodes, logM, depth, shift);
    this.boundRule(nodes, logM, shift, bounding);
    nodes.isKnown = true;
    return nodes;
  }

  /**
   * Tables of losses log u and of the window at nodes on Im x = a, with their errors (`turnedLosses`, `windowRows`); for `bounding` only the moduli
   * of the terms (`windowBounds`).
   */
  private fillTables(nodes: PathNodes, a: f64, bounding: bool): void {
    const step = this.step;
    const w = step.window;
    const n = nodes.n;
    const h = nodes.h;
    const first = nodes.first;
    spend(100 * <f64>n);
    nodes.moduli = bounding ? take(2 * even(n)) : 0;
    const start = mark();
    nodes.losses = take(3 * even(n));
    turnedLosses(step.mu, step.q, h, first, n, a, nodes.losses);
    nodes.heights = take(3 * even(n));
    if (!bounding) {
      windowRows(h, first, n, a, w.from, w.to, w.width, nodes.heights);
      return;
    }
    windowBounds(h, first, n, a, w.from, w.to, w.width, nodes.heights);
    pathModuli(nodes.losses, nodes.heights, this.c, nodes.unit, n, nodes.moduli);
    release(start);
  }

  /** Ensures: `truncation` is no less than the error of omitted nodes and of the hard end (6, 7, 14). */
  private boundEnds(nodes: PathNodes, logM: f64, depth: f64, shift: Shift): void {
    const step = this.step;
    const w = step.window;
    const a = shift.a;
    const sharp = (w.sharpness * a * a) / 2;
    const cut = step.beyond(nodes.h, nodes.first, <f64>nodes.n, this.c, step.mu * a, logM - sharp);
    const legs = 2 * nodes.h + 1.1 * a + (2 * shift.b) / (depth + 1);
    const end = step.logAtEnd(this.c, 0, nodes.h, legs, a + shift.b);
    nodes.errors.truncation = (1 + a / w.width) * (cut + expOf(sharp + end - logM));
  }

  /** Ensures: `quadrature` is no less than the trapezoidal rule's error (6; 11 for a bound of |φ|). */
  private boundRule(nodes: PathNodes, logM: f64, shift: Shift, bounding: bool): void {
    const step = this.step;
    const c = this.c;
    const a = shift.a;
    const b = shift.b;
    const sharpness = step.window.sharpness;
    const mild = c >= step.mildest;
    let growth: f64 = 0;
    if (c < 0) {
      const y = bounding ? a + b : 2 * a;
      growth = mild ? wholeGrowth(c, step.mu * y) : step.logStripBetween(c, y, bounding ? a : 0) - logM;
    }
    const fall = (TWO_PI * b) / nodes.h;
    if (!bounding) {
      nodes.errors.quadrature = stripError(2 * sharpness * a * a + growth, fall);
      return;
    }
    let size: f64 = 1;
    if (mild) {
      const turned = expOf(offAxisGrowth(step.mu, step.q, -c, step.mu * a, -Infinity, step.window.end));
      size += (sumOfModuli(nodes.moduli, even(nodes.n), 0) + <f64>nodes.n * expOf(FAINTEST)) * turned;
    }
    nodes.errors.quadrature = size * stripError((a * a + sharpness * b * b) / 2 + growth, fall);
  }

  /** The largest distance from the axis at which terms at the window's edge, which grow by e^{a²/2w²}, do not exceed the others. */
  private inside(): f64 {
    const step = this.step;
    const w = step.window;
    if (w.isWhole) return Infinity;
    const edge = w.to;
    const spare =
      2 + this.at.value - this.c * lossAt(step.mu, step.q, edge) + (edge * edge) / 2 - logOf(w.width);
    return threeBitsBelow(Math.min(4, Math.sqrt(2 * Math.max(1, spare))) * w.width);
  }

  /** A plan: the path for a contour that needs the fewest nodes, over those tried, and growth of the integrand off it. */
  private lineShift(depth: f64): Shift {
    const step = this.step;
    const inside = this.inside();
    let best = new Shift(0, 0, 0);
    let most: f64 = 0;
    for (let i: usize = 0; i < 48; i += 8) {
      const share = loadF64(LINE_SHARES + i);
      const a = Math.min(Math.min((share * Math.PI) / step.mu, 16 * share), Math.min(inside, FURTHEST_LINE));
      const growth = 2 * step.window.sharpness * a * a + step.approximateGrowth(this.c, 2 * step.mu * a);
      if (!(a / (depth + growth) > most)) continue;
      most = a / (depth + growth);
      best = new Shift(a, a, growth);
    }
    return best;
  }

  /** Adds count·log φ at the contour's nodes, from sums on a path (15); errors go to the line's rows. False where it would cost too much. */
  addTo(line: LogPhi, count: f64, depth: f64, turn: f64): bool {
    const start = mark();
    const own = takeZeros(4 * line.room);
    const isDone = this.sums(line, depth, own) < Infinity;
    if (isDone) {
      logarithms(own, line.room, line.n, count, 0);
      line.include(own, turn);
    }
    release(start);
    return isDone;
  }

  /**
   * φ − 1 at the nodes of a contour, and its rounding and quadrature errors, in four rows that are zero at first. Returns the bound of the quadrature
   * error; ∞ where it would cost too much.
   */
  sums(line: LogPhi, depth: f64, own: usize): f64 {
    const start = mark();
    const missing = this.sumTo(line, depth, own);
    release(start);
    return missing;
  }

  /**
   * φ − 1 at the nodes of a contour, by the trapezoidal rule on one path, to rows at `own`. These are real part, imaginary part, rounding error, and
   * the bound that is returned. It is of the quadrature and truncation error and of terms left out; ∞ where there are too many.
   */
  private sumTo(line: LogPhi, depth: f64, own: usize): f64 {
    const shift = this.lineShift(depth);
    const logM = this.at.value;
    const nodes = this.nodesOn(logM, depth, shift, false);
    if (!nodes.isKnown) return Infinity;
    const n = nodes.n;
    const floor = -depth - BELOW;
    const sizes = take(even(n));
    const path = take(6 * even(n));
    const common = this.at.error + U * (shift.a * shift.a + 3 * Math.abs(logM));
    spend(16 * <f64>n);
    const terms = pathTerms(
      nodes.losses,
      nodes.heights,
      this.c,
      nodes.unit,
      nodes.h,
      nodes.first,
      n,
      shift.a,
      common,
      floor,
      sizes,
      path,
    );
    const m = <usize>terms;
    const turns = turnsOf(path, m, line);
    if (!(turns <= MOST_TURNS)) return Infinity;
    spend(1.3 * turns + 40 * <f64>line.n);
    if (isSpent()) return Infinity;
    const row = line.room << 3;
    const wrong = takeZeros(line.room >> 5);
    pathLine(path, even(m), m, line.step, NEGLIGIBLE, own, own + row, wrong, line.room);
    // errors of the nodes' sum, and of the terms left out at the ends and in between
    const missing = 1.01 * nodes.errors.sum() + (<f64>n - terms) * expOf(floor) + terms * expOf(NEGLIGIBLE);
    for (let k: usize = 0; k < row; k += 8) {
      storeF64(own + k, loadF64(own + k) - 1);
      storeF64(own + 2 * row + k, loadF64(wrong + ((k >> 8) << 3)));
      storeF64(own + 3 * row + k, missing);
    }
    storeF64(own, 0);
    storeF64(own + row, 0);
    storeF64(own + 2 * row, 0);
    return missing;
  }

  /** A plan: the strip |Im x − a| ≤ b for a bound of |φ| with the fewest nodes; b = 0 if there is none. */
  private boundShift(a: f64, depth: f64): Shift {
    const mu = this.step.mu;
    let best = new Shift(a, 0, 0);
    for (let i: usize = 0; i < 64; i += 8) {
      const share = loadF64(BOUND_SHARES + i);
      const b = Math.min((share * Math.PI) / mu, 16 * share);
      if ((a + b) * mu > 0.9 * Math.PI) continue;
      const own = (a * a + this.step.window.sharpness * b * b) / 2;
      const growth = own + this.step.approximateGrowth(this.c, mu * (a + b));
      if (best.b === 0 || b / (depth + growth) > best.b / (depth + best.growth))
        best = new Shift(a, b, growth);
    }
    return best;
  }

  /** The k-th path for bounds of |φ|, at a = furthest/2^k: the moduli of its nodes' terms and its quadrature error. Made once. */
  private boundOn(k: i32): PathBound {
    const known = this.bounds[k];
    if (known !== null) return known;
    const path = new PathBound();
    this.bounds[k] = path;
    countCumulant();
    let a = this.furthest;
    for (let i: i32 = 0; i < k; i++) a *= 0.5;
    const away = a / this.step.window.width;
    const depth = this.boundDepth + (away * away) / 2;
    const shift = this.boundShift(a, depth);
    if (shift.b === 0) return path;
    const nodes = this.nodesOn(this.at.least(), depth, shift, true);
    if (!nodes.isKnown) return path;
    path.table = nodes.moduli;
    path.n = even(nodes.n);
    path.quadratureError = 1.01 * nodes.errors.sum();
    return path;
  }

  /**
   * An upper bound of log|φ(τ)|. On a path, |φ| is at most the sum of the moduli of the integrand's terms e^{size − τα}, plus the quadrature error
   * (11). The least over some paths is taken, from the distance that suits a normal loss. Ensures: no less than log|φ| at τ and beyond.
   */
  logBound(tau: f64): f64 {
    const deviation = Math.sqrt(this.at.variance);
    const wanted = logOf(this.furthest / Math.max(tau * deviation, 1e-9)) / 0.6931471805599453;
    const start = <i32>Math.max(0, Math.min(<f64>(PATHS - 1), Math.floor(wanted + 0.5)));
    const first = this.boundOn(start).logAt(tau);
    let best = first;
    for (let side: i32 = 1; side >= -1; side -= 2) {
      if (best < first) break;
      for (let k = start + side; k >= 0 && k < PATHS; k += side) {
        const own = this.boundOn(k).logAt(tau);
        if (!(own < best)) break;
        best = own;
      }
    }
    return Math.min(0, best + 1e-10);
  }
}

/** Number of (node, frequency) pairs of a contour, each node counted while it matters; ∞ where frequencies magnify errors too much (15). */
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
