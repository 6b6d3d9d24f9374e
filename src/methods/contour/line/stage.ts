import { exp, log1p } from '../../../numeric/scalar.js';
import { firstWhere } from '../../../numeric/solve.js';
import {
  type AliasPoint,
  type Asked,
  aliasPoint,
  type CountedSpectrum,
  chernoffAt,
  type LinePlan,
  type RealAxis,
  Saddle,
  type Spacing,
  spacingOf,
  type TruncatedLaws,
  takesLittle,
} from './contour-plan.js';
import { type Approximated, least, whereReached } from './threshold-guess.js';
import type { Tilt } from './tilts.js';

// Heuristics: which contour answers. No bracket depends on them; `bound` alone enters brackets, and is certified.

/**
 * Largest number of tilts above 1: MOST_ABOVE, or MOST_A_DEVIATION for each of √(−2·depth) standard deviations, whichever is more. That is how far
 * out a Gaussian tail is e^{depth}. MOST_BELOW is that of tilts below 1, for runs with δ near 1 at many ε. Only speed and width depend on them.
 */
const MOST_ABOVE = 56;
const MOST_A_DEVIATION = 3;
const MOST_BELOW = 256;
/** Number of tilts beyond the saddle points at which aliases may be bounded. Only speed and width depend on it. */
const TILTS_BEYOND = 8;
/** The search for the tilt that bounds aliases goes on while the next tilt allows a period shorter by 2 %. Only speed depends on it. */
const GAIN = 0.98;
/**
 * Decimal digits of a trapezoidal sum in doubles. Those beyond the accuracy wanted may be lost to cancellation: by a factor from
 * e^{LEAST_CANCELLATION} to e^{MOST_CANCELLATION}. A contour between non-neighbouring saddle points has more nodes and rounding errors. Only speed
 * and width depend on them.
 */
const SPARE_DIGITS = { neighbours: 12.8, others: 11.3 };
const LEAST_CANCELLATION = 2;
const MOST_CANCELLATION = 14;
/** Margin, in logarithms, for the error of an approximate Chernoff bound. Only speed depends on it. */
const ABOVE = 0.1;
/** log of the fraction of the tolerated relative error that the truncation of laws may cause. */
export const CUT_SHARE: number = -4;
/**
 * log of the fraction of the tolerated relative error that aliasing and truncation of a contour may cause. A smaller one would cost few more nodes.
 */
const FINER = -3;

/** A run with truncated laws, its cumulants at real tilts, and log of the smallest δ that the truncation preserves. */
export interface TruncatedRun extends TruncatedLaws {
  readonly axis: RealAxis;
  readonly depth: number;
}

/**
 * An interval of losses x that one contour serves, the plan of that contour, and a key that identifies it in a cache. `spacing` lays out its nodes.
 */
export interface StagedWindow {
  readonly stage: TruncationLevel;
  readonly key: string;
  /** The largest x that it serves. It serves no x below the `top` of the interval before it. */
  readonly top: number;
  readonly plan: LinePlan;
  readonly spacing: () => Spacing | undefined;
}

/**
 * A run whose laws are truncated to one depth, with saddle points of its δ on a grid of tilts. The tilts of contours and of alias bounds are taken
 * from the same grid, so all cost one batch of sums. Heuristic, but for the masses removed and `bound`: the rest only chooses contours.
 */
export class TruncationLevel implements TruncatedLaws {
  readonly laws: readonly CountedSpectrum[];
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly axis: RealAxis;
  /** log of the smallest δ that the truncation preserves. */
  private readonly depth: number;
  /** Consecutive intervals of losses x, each served by one contour. They are empty where the grid of tilts does not reach the losses wanted. */
  readonly windows: readonly StagedWindow[];
  /** The largest x up to which both δ and tests are answered, by this truncation level or earlier ones. */
  readonly reach: number;
  /** The largest x up to which δ is answered by this truncation level, and the largest up to which tests are. */
  readonly top: Readonly<Record<Asked, number>>;
  /** Number of consecutive truncation levels, this one the last, that answer δ at no larger x than the level before them. */
  readonly idle: number;
  /** Largest number of tilts above 1. */
  private readonly most: number;
  /** Saddle points with tilts above 1, and those with tilts in (0, 1), whose contours give 1 − δ. Both in ascending order of ε. */
  private readonly saddles: readonly Saddle[];
  private readonly left: readonly Saddle[];

  /**
   * Heuristic: finds the saddle points on a grid of tilts, right and left of the pole at 1. It then divides the losses, from x = 0 on, into
   * intervals that one contour each can serve.
   * @param name Identifies the truncation level in cache keys.
   * @param level log₁₀ of the relative accuracy.
   * @param last The truncation level before.
   */
  constructor(
    cut: TruncatedRun,
    private readonly name: string,
    private readonly level: number,
    last: TruncationLevel | undefined,
  ) {
    this.laws = cut.laws;
    this.logLostP = cut.logLostP;
    this.logLostQ = cut.logLostQ;
    this.axis = cut.axis;
    this.depth = cut.depth;
    const from = last?.reach ?? 0;
    this.most = Math.max(MOST_ABOVE, Math.ceil(MOST_A_DEVIATION * Math.sqrt(-2 * this.depth)) + TILTS_BEYOND);
    const saddles = this.risingOf();
    this.saddles = saddles;
    const left = this.leftOf();
    this.left = left;
    // where δ > 1/2, contours for 1 − δ are more accurate. So `left` serves x up to `half`, or to the first saddle point above 1.
    const half = whereReached(left, 'logDelta', -Math.LN2) ?? -Infinity;
    const to = Math.max(half, saddles[0]?.epsilon ?? half);
    const before = to > 0 ? this.windowsFrom(0, left, to) : [];
    const middle = before.length > 0 ? before[before.length - 1].top : 0;
    this.windows = [...before, ...this.windowsFrom(Math.max(from, middle), saddles, Infinity)];
    const top = this.windows.length > 0 ? this.windows[this.windows.length - 1].top : -Infinity;
    const sharp = [...left, ...saddles].findLast(
      (saddle) => saddle.epsilon <= top && this.deep(saddle, 'test'),
    );
    this.top = { delta: top, test: sharp?.epsilon ?? -Infinity };
    this.reach = Math.max(from, this.top.test);
    this.idle = this.top.delta > from ? 0 : (last?.idle ?? 0) + 1;
  }

  /** Heuristic: saddle points with tilts above 1, as long as ε increases and truncation removes little of δ there. */
  private risingOf(): readonly Saddle[] {
    const saddles: Saddle[] = [];
    for (let k = 0; ; k++) {
      const saddle = this.saddleAt(k + 1);
      if (saddle === undefined || !(k === 0 || saddle.epsilon > saddles[k - 1].epsilon)) return saddles;
      saddles.push(saddle);
      if (!this.deep(saddle, 'delta')) return saddles;
    }
  }

  /** Heuristic: saddle points with tilts in (0, 1), as long as ε decreases and truncation removes little of 1 − δ there. */
  private leftOf(): readonly Saddle[] {
    const left: Saddle[] = [];
    for (let k = -1; this.axis.down.first > 0; k--) {
      const saddle = this.saddleAt(k);
      if (saddle === undefined || !(saddle.s > -1)) break;
      if (left.length > 0 && !(saddle.epsilon < left[0].epsilon)) break;
      // at smaller tilts 1 − δ is smaller, so truncation removes a larger fraction of it
      if (!this.deep(saddle, 'delta')) break;
      left.unshift(saddle);
    }
    return left;
  }

  /** The k-th tilt in ascending order, k of either sign; the 0th is 1. Undefined where M is unknown. */
  private tiltAt(k: number): Tilt | undefined {
    if (k === 0) return { c: 1, guess: this.axis.near(1) };
    if (k > this.most || k < -MOST_BELOW) return undefined;
    return k > 0 ? this.axis.up.at(k - 1) : this.axis.down.at(-k - 1);
  }

  private saddleAt(k: number): Saddle | undefined {
    const tilt = this.tiltAt(k);
    return tilt && new Saddle(tilt);
  }

  /** The interval that contains x, with its contour; undefined if there is none. */
  windowAt(x: number): StagedWindow | undefined {
    const window = this.windows[firstWhere(this.windows.length, (i) => x <= this.windows[i].top)];
    return window !== undefined && x >= window.plan.ends[0].x ? window : undefined;
  }

  /**
   * Heuristic: the approximate x where log δ or log FPR is `target`, interpolated linearly between saddle points; undefined if it lies beyond them.
   * It enters no bound.
   */
  guess(functional: Approximated, target: number): number | undefined {
    const { left, saddles } = this;
    if (functional === 'delta') {
      const found = whereReached(saddles, 'logDelta', target);
      if (found !== undefined || !(saddles.length > 0 && saddles[0].logDelta < target)) return found;
      return whereReached(left, 'logDelta', log1p(-exp(target))) ?? least(left);
    }
    const { mean } = this.axis.near(1);
    const all = [
      ...left.filter(({ epsilon }) => epsilon < mean),
      ...saddles.filter(({ epsilon }) => epsilon >= mean),
    ];
    if (all.length === 0) return undefined;
    const found = whereReached(all, 'logFpr', target);
    if (found !== undefined || all[0].logFpr >= target) return found;
    // the target lies between the last saddle point below the mean and the first above it: deeper truncation levels would not find it either
    return saddles.length > 0 && saddles[0].epsilon < mean ? Math.max(0, mean) : least(all);
  }

  /**
   * Chernoff's bound log C + log M(c) − (c − 1)x of log δ(x), C by `logChernoff`, at the better of two tilts c. They are those of the grid whose ε
   * enclose x. `reached` says whether there are two. The bound is 0 where an approximation shows that it exceeds a finite `floor`. Ensures: no less
   * than log δ(x) of the truncated run.
   */
  bound(x: number, floor: number): { readonly bound: number; readonly reached: boolean } {
    const { saddles, axis } = this;
    const i = firstWhere(saddles.length, (k) => saddles[k].epsilon >= x);
    // below the ε of the first saddle point δ is near the Q-mass M(1)
    if (i === 0 && saddles.length > 0) return { bound: Math.min(0, chernoffAt(axis, 1, x)), reached: true };
    const reached = i > 0 && i < saddles.length;
    const around = saddles.slice(Math.max(0, i - 1), i + 1);
    const guess = Math.min(...around.map((saddle) => saddle.boundAt(x)));
    if (reached && floor > -Infinity && guess > floor + ABOVE) return { bound: 0, reached };
    return { bound: Math.min(...around.map(({ s }) => chernoffAt(axis, 1 + s, x))), reached };
  }

  /**
   * Heuristic: consecutive intervals of x from `from` to `to`, each between two saddle points on one side of the pole at 1. Each is extended as
   * long as one contour serves it.
   */
  private windowsFrom(from: number, saddles: readonly Saddle[], to: number): StagedWindow[] {
    const windows: StagedWindow[] = [];
    // x below the ε of the first saddle point would need a tilt too near to the pole
    let low = Math.max(0, firstWhere(saddles.length, (k) => saddles[k].epsilon > from) - 1);
    for (let high = low + 1; high < saddles.length; high++) {
      const reached = this.serves(saddles, low, high);
      const enough = saddles[high].epsilon >= to;
      if (reached && !enough && high + 1 < saddles.length && this.serves(saddles, low, high + 1)) continue;
      if (!reached) break;
      const whole = this.window(saddles, low, high);
      windows.push({ ...whole, top: Math.min(whole.top, to) });
      if (enough) break;
      low = high;
    }
    return windows;
  }

  /**
   * Heuristic: whether truncation removes little enough of δ (or of 1 − δ, of FPR and TPR) at this saddle point. For an untruncated law: whether log
   * δ is at least `depth`.
   */
  private deep(saddle: Saddle, asked: Asked): boolean {
    if (this.logLostQ === -Infinity) return saddle.logDelta >= this.depth;
    return takesLittle(this, asked, saddle, this.level * Math.LN10 + CUT_SHARE);
  }

  /**
   * Heuristic: whether the contour through the middle saddle point serves all x between two others. Truncation must remove little there. The
   * integrand's size at the middle may exceed that at the ends by the cancellation allowed.
   */
  private serves(saddles: readonly Saddle[], low: number, high: number): boolean {
    const { level } = this;
    const [first, last] = [saddles[low], saddles[high]];
    if (!this.deep(last, 'delta')) return false;
    const middle = saddles[(low + high) >> 1];
    const spare = high - low > 1 ? SPARE_DIGITS.others : SPARE_DIGITS.neighbours;
    const most = Math.min(MOST_CANCELLATION, Math.max(LEAST_CANCELLATION, (spare + level) * Math.LN10));
    const top = middle.logDelta + middle.s * middle.epsilon - most;
    return top <= first.logDelta + middle.s * first.epsilon && top <= last.logDelta + middle.s * last.epsilon;
  }

  /** Heuristic: the interval of x between two saddle points, with the plan of the contour through the middle one. */
  private window(saddles: readonly Saddle[], low: number, high: number): StagedWindow {
    const { level } = this;
    const middle = (low + high) >> 1;
    const ends = [saddles[low], saddles[high]];
    const plan = { saddle: saddles[middle], logLevel: Math.LN10 * level + FINER, ends };
    const first = saddles === this.left ? -saddles.length : 1;
    return {
      stage: this,
      key: `staged/${this.name}/${saddles[low].s < 0 ? 'left' : 'right'}/${low}/${high}`,
      top: saddles[high].epsilon,
      plan,
      spacing: () => this.spacing(plan, first + middle),
    };
  }

  /**
   * Heuristic: the smallest period P at which tilts of the grid, one on either side, show that aliases are small beside δ over the interval. For c₂
   * > c, c the contour's tilt, Σ_{j>0} e^{(c−1)jP} δ(x + jP) ≤ C(c₂) M(c₂) e^{−(c₂−1)x}/(e^{(c₂−c)P} − 1); likewise for j < 0 (`contour.ts`). log M
   * is convex, so the period falls and then rises with |c₂ − c|. The aliases are bounded later.
   * @param at The index of the contour's tilt in the grid.
   */
  private spacing(plan: LinePlan, at: number): Spacing | undefined {
    /** Heuristic: the tilt above (1) or below (−1) the contour's with the least period. */
    const best = (side: 1 | -1): AliasPoint | undefined => {
      let found: AliasPoint | undefined;
      for (let k = at + side; ; k += side) {
        const beyond = k > this.saddles.length + TILTS_BEYOND;
        const tilt = this.saddles[k - 1]?.tilt ?? (beyond ? undefined : this.tiltAt(k));
        const point = tilt && aliasPoint(plan, tilt);
        if (point === undefined || (found !== undefined && point.period > GAIN * found.period)) return found;
        found = point;
      }
    };
    return spacingOf(this.axis, best(1), best(-1));
  }
}
