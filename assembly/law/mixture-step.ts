/**
 * One step of two mixtures of Gaussians: P has the density φ(x)u₋(−x) and Q has φ(x)u₊(x), φ that of N(0, 1). Both u₊ and u₋ are Σ w e^{ax − a²/2}
 * with shifts a ≥ 0 and weights w. The loss is y(x) = log u₊(x) − log u₋(−x). Numbers after sampling.md are sections of docs/proofs/sampling.md.
 */
import { INVERSE_SQRT_2PI, U } from '../../src/kernel/constants.js';
import { all, lane0 } from '../lane/lanes.js';
import { even, logarithmBend, NOTHING } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { countCumulant, mark, release, spend, take } from '../lane/room.js';
import { expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { logTail, windowRows } from '../sums/windows.js';
import { cosineBelow } from './sampled-step.js';
import { LARGEST_LOSS } from './outputs.js';
import { AtSide, sideAt } from './side.js';
import { Window } from './window.js';

/**
 * Both mixtures in memory: the numbers of components of Q and of P, then the components of Q (`plus`) and of P (`minus`). Shifts precede weights,
 * both in the order of ascending shifts.
 */
export class Sides {
  readonly ups: usize;
  readonly downs: usize;
  readonly plus: usize;
  readonly minus: usize;
  constructor(at: usize) {
    countCumulant();
    this.ups = <usize>loadF64(at);
    this.downs = <usize>loadF64(at, 8);
    this.plus = at + 16;
    this.minus = this.plus + (this.ups << 4);
  }
  /** The largest shift of Q's components, and of P's. */
  right(): f64 {
    return loadF64(this.plus + ((this.ups - 1) << 3));
  }
  left(): f64 {
    return loadF64(this.minus + ((this.downs - 1) << 3));
  }
  /** The probability of Q's components with a positive shift; below a few percent large losses are rare. */
  fraction(): f64 {
    return loadF64(this.plus) === 0 ? 1 - loadF64(this.plus + (this.ups << 3)) : 1;
  }
  /** Whether P and Q have the same components, so that exchanging them is a reflection. */
  isSymmetric(): bool {
    if (this.ups !== this.downs) return false;
    for (let i: usize = 0; i < this.ups << 4; i += 8)
      if (loadF64(this.plus + i) !== loadF64(this.minus + i)) return false;
    return true;
  }

  /**
   * log of the mass of Q (`plus`, sign 1) or P (`minus`, sign −1) beyond `to`. Normal noise of deviation `width` is added to outputs first. The log
   * is the log-sum-exp of Σ w Φ̄((to − sign·a)/stretch), stretch = √(1 + width²), rounded up (sampling.md 16). Φ̄ is the upper normal tail. Ensures:
   * no less than that log.
   */
  private logBeyond(side: usize, n: usize, sign: f64, to: f64, stretch: f64): f64 {
    let top: f64 = -Infinity;
    for (let i: usize = 0; i < n; i++) top = Math.max(top, logPart(side, n, i, sign, to, stretch));
    let sum: f64 = 0;
    for (let i: usize = 0; i < n; i++) sum += expOf(logPart(side, n, i, sign, to, stretch) - top);
    const log = top + logOf(sum);
    return Math.min(0, log + 1e-12 * (1 - log));
  }
  /** log of the Q-mass that a window with this upper edge removes. Ensures: no less than it (sampling.md 16). */
  logLostQ(to: f64, width: f64): f64 {
    return this.logBeyond(this.plus, this.ups, 1, to, Math.sqrt(1 + width * width));
  }
  /** log of the P-mass that a window with this upper edge removes. Ensures: no less than it (sampling.md 16). */
  logLostP(to: f64, width: f64): f64 {
    return this.logBeyond(this.minus, this.downs, -1, to, Math.sqrt(1 + width * width));
  }

  /**
   * The window with edges at `from` and `to`, which may be infinite, without a hard end. With a lower edge, the masses removed are bounded by 1 only.
   */
  window(to: f64, width: f64, from: f64): Window {
    const isOpen = from === -Infinity;
    const none = isOpen ? -Infinity : 0;
    const logLostP = isOpen && to < Infinity ? this.logLostP(to, width) : none;
    const logLostQ = isOpen && to < Infinity ? this.logLostQ(to, width) : none;
    return new Window(to, width, from, to, Infinity, logLostP, logLostQ);
  }

  /** Heuristic: the least multiple of ¼ as edge of a window that removes a Q-mass of at most e^{logMass}, by bisection. */
  edgeFor(logMass: f64, width: f64): f64 {
    let low: f64 = 0;
    let high: f64 = 32;
    while (!(this.logLostQ(high / 4, width) <= logMass)) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.logLostQ(middle / 4, width) <= logMass) high = middle;
      else low = middle;
    }
    return high / 4;
  }

  /** dy/dx, the derivative of the loss, at an output. */
  slopeAt(x: f64): f64 {
    sideAt(this.plus, this.ups, x);
    const up = AtSide.slope;
    sideAt(this.minus, this.downs, -x);
    return up + AtSide.slope;
  }
  /** The loss at an output. */
  lossAt(x: f64): f64 {
    sideAt(this.plus, this.ups, x);
    const up = AtSide.log;
    sideAt(this.minus, this.downs, -x);
    return up - AtSide.log;
  }
}

/** log of w Φ̄((to − sign·a)/stretch) for the i-th component of a side: see `Sides.logBeyond`. */
function logPart(side: usize, n: usize, i: usize, sign: f64, to: f64, stretch: f64): f64 {
  const tail = lane0(logTail(all((to - sign * loadF64(side + (i << 3))) / stretch)));
  return logOf(loadF64(side + ((n + i) << 3))) + tail;
}

/**
 * `largest` is the tilt at which the integrand is level this many window widths beyond the edge. Only speed and the width of the answer depend on it.
 */
const BEHIND: f64 = 4;
/** Where u₊/u₋ differs from 1 by this or more, the loss is log u₊ − log u₋. */
const NEAR_ONE: f64 = 0.5;

/** Integrals over the outputs of one step under a window: ranges, growth off the real axis, and nodes. */
export class MixtureStep {
  readonly right: f64;
  readonly left: f64;
  readonly widest: f64;
  /** S = 1 + 1/width², 1 without window: |φW(x + ia)| ≤ e^{Sa²/2}φW(x), φ the normal density, W the window. */
  readonly growth: f64;
  /** Heuristic: the largest tilt at which the integrand decreases from BEHIND window widths beyond the upper edge on. */
  readonly largest: f64;
  /** Results of `range`: the ends of the range of outputs. */
  low: f64 = 0;
  high: f64 = 0;

  /** Sets the largest shifts and S, which are exact, and `largest`, which is heuristic. */
  constructor(
    readonly sides: Sides,
    readonly window: Window,
  ) {
    this.right = sides.right();
    this.left = sides.left();
    this.widest = Math.max(this.right, this.left);
    this.growth = window.isWhole ? 1 : window.sharpness;
    const far = window.to + BEHIND * window.width;
    this.largest = window.isWhole ? Infinity : (far + BEHIND / window.width) / sides.slopeAt(far);
  }

  /**
   * log of a bound of |u₊^c u₋^{1−c}| at x + iy over its value at x: cos(a₊y/2)^{min(0, c)}·cos(a₋y/2)^{min(0, 1−c)} (sampling.md 6). a± are the
   * largest shifts of u±. Ensures: no less than it.
   */
  growthOf(c: f64, y: f64): f64 {
    const up = c < 0 ? c * logOf(cosineBelow((this.right * y) / 2)) : 0;
    const down = c > 1 ? (1 - c) * logOf(cosineBelow((this.left * y) / 2)) : 0;
    return up + down;
  }
  /**
   * The growth bound of the whole integrand, `growthOf` with that of φW, φ the normal density, W the window. Ensures: no less than the log of |φWu₊^c
   * u₋^{1−c}| at x + iy over its value at x.
   */
  growthAt(c: f64, y: f64): f64 {
    return (this.growth * y * y) / 2 + this.growthOf(c, y);
  }

  /** Upper bound of d log u₊/dx at an output x: the mean shift of Q's components, given that output. Ensures: no less than it. */
  private meanShift(x: f64): f64 {
    sideAt(this.sides.plus, this.sides.ups, x);
    return AtSide.slope * (1 + 1e-9);
  }
  /** Upper bound of the derivative of log u₊^c u₋^{1−c} at x and at all larger outputs (sampling.md 15). */
  private steepness(c: f64, x: f64): f64 {
    sideAt(this.sides.minus, this.sides.downs, -x);
    return Math.max(0, c * this.right) + Math.max(0, c - 1) * AtSide.slope * (1 + 1e-9);
  }

  /**
   * Sets `low` and `high`: outputs beyond which φWu₊^c u₋^{1−c} decays at least like e^{−reach·|x|}, for every tilt c from `least` to `most`. φ is
   * the normal density, W the window. As c grows, the condition at `low` gets weaker, and the one at `high` stronger (sampling.md 15, 16). Ensures:
   * the decay.
   */
  range(least: f64, most: f64, reach: f64): void {
    spend(60 * <f64>(this.sides.ups + this.sides.downs));
    const before = Math.min(0, (least - 1) * this.left) - reach;
    this.low = before + Math.min(0, least) * this.meanShift(before);
    const w = this.window;
    // below its lower edge the window falls towards smaller outputs, which adds to the decay (sampling.md 16)
    const slopes = Math.min(0, least) * this.right + Math.min(0, (least - 1) * this.left);
    const below = (w.from / (w.width * w.width) + slopes) / this.growth - reach / Math.sqrt(this.growth);
    if (w.from > -Infinity) this.low = Math.max(this.low, below);
    const steep = Math.max(0, most * this.right);
    const end = this.steepness(most, steep + reach) + reach;
    if (w.isWhole) {
      this.high = end;
      return;
    }
    const slope = this.steepness(most, Math.min(reach, w.to));
    const edge = (slope + w.to / (w.width * w.width)) / this.growth + reach / Math.sqrt(this.growth);
    // below its lower edge a window increases, so that `end` is not enough
    this.high = w.from > -Infinity ? edge : Math.min(end, edge);
  }

  /**
   * Table of n quadrature nodes at the outputs h·first, h·(first + 1), …. Its rows are those of `axisMesh`, but for the last: the slope dy/dx in
   * place of the share. Their errors are bounds.
   */
  mesh(h: f64, first: f64, n: usize): usize {
    const sides = this.sides;
    spend((60 + 12 * <f64>(sides.ups + sides.downs)) * <f64>n + 600);
    const stride = even(n);
    const mesh = take(8 * stride);
    const start = mark();
    const w = this.window;
    const heights = take(3 * stride);
    windowRows(h, first, n, 0, w.from, w.to, w.width, heights);
    const row = stride << 3;
    for (let k: usize = 0; k < n << 3; k += 8)
      this.node(h, first + <f64>(k >> 3), heights + k, row, mesh + k);
    release(start);
    if (n === stride) return mesh;
    // padding to a full vector has weight 0
    const last = mesh + (n << 3);
    for (let r: usize = 0; r < 8; r++) storeF64(last + r * row, loadF64(last + r * row - 8));
    storeF64(last, 0);
    storeF64(last + 5 * row, NOTHING);
    return mesh;
  }

  /**
   * Writes one node's column of the table. A loss near 0 is log(1 + excess), excess = (u₊ − u₋)/u₋, where that has the smaller error bound. Elsewhere
   * it is log u₊ − log u₋. Errors are bounded by counting roundings.
   */
  private node(h: f64, place: f64, height: usize, row: usize, at: usize): void {
    const sides = this.sides;
    // exact: h has few bits
    const x = h * place;
    sideAt(sides.plus, sides.ups, x);
    const up = AtSide.log;
    const upExcess = AtSide.excess;
    const upExcessError = AtSide.excessError;
    const upError = AtSide.error;
    const upSlope = AtSide.slope;
    sideAt(sides.minus, sides.downs, -x);
    const base = 1 + AtSide.excess;
    let loss = up - AtSide.log;
    let error = upError + AtSide.error + U * (Math.abs(up) + Math.abs(AtSide.log) + Math.abs(loss));
    let excess = (upExcess - AtSide.excess) / base;
    if (Math.abs(excess) < NEAR_ONE) {
      const off =
        (upExcessError + (2 + Math.abs(excess)) * AtSide.excessError) / base + 5 * U * Math.abs(excess);
      const own = (1.01 * off) / (1 + excess) + 2 * U * Math.abs(excess);
      if (own < error) {
        loss = log1pOf(excess);
        error = own;
      } else excess = expm1Of(loss);
    } else excess = expm1Of(Math.min(LARGEST_LOSS, loss));
    const passed = loadF64(height) + 0.5 * x * x;
    const log = AtSide.log + loadF64(height);
    const rounding = U * (24 + x * x + 2 * Math.abs(passed) + 2 * Math.abs(AtSide.log));
    storeF64(at, h * INVERSE_SQRT_2PI * expOf(log));
    storeF64(at + row, loss);
    storeF64(at + 2 * row, lane0(logarithmBend(all(excess), all(loss))));
    storeF64(at + 3 * row, rounding + AtSide.error + 0.5 * loadF64(height + 2 * row));
    storeF64(at + 4 * row, error * Math.abs(loss));
    storeF64(at + 5 * row, log);
    storeF64(at + 6 * row, error);
    storeF64(at + 7 * row, upSlope + AtSide.slope);
  }
}

/**
 * Upper bound of h/√2π times the sum over nodes beyond both ends of a function that decays like e^{−slope·|x|} or faster: a geometric series.
 * Ensures: no less than it.
 * @param ends The sum of the function's values at both ends.
 */
export function beyondEnds(ends: f64, h: f64, slope: f64): f64 {
  return (h * INVERSE_SQRT_2PI * ends * 1.001) / -expm1Of(-slope * h);
}
