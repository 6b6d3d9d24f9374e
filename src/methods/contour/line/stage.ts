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

// Plans: no bracket depends on this file.

/**
 * Tilts above 1 at most; per standard deviation of a Gaussian at the level's depth; and below 1, for runs with δ near 1 over a long interval. Only
 * speed depends on them.
 */
const MOST_ABOVE = 56;
const MOST_A_DEVIATION = 3;
const MOST_BELOW = 256;
/** Number of tilts beyond the saddle points that may bound aliases. Only speed depends on it. */
const TILTS_BEYOND = 8;
/** The search for a tilt that bounds aliases goes on while the next one shortens the period by 2 %. Only speed depends on it. */
const GAIN = 0.98;
/**
 * log of the cancellation allowed in sums: what a double has beyond the level, within limits. A contour between non-neighbouring saddle points has
 * more nodes, and is allowed less.
 */
const SPARE_DIGITS = { neighbours: 12.8, others: 11.3 };
const LEAST_CANCELLATION = 2;
const MOST_CANCELLATION = 14;
/** Margin by which an approximate bound exceeds the exact one, in logarithms. Only speed depends on it. */
const ABOVE = 0.1;
/** log of the fraction of a level's accuracy that truncation may take. */
export const CUT_SHARE: number = -4;
/** Other errors of a contour are smaller than asked for by this (a logarithm): it costs few nodes. */
const FINER = -3;

/** A truncated run on the real axis, and log of the smallest δ that the truncation preserves. */
export interface TruncatedRun extends TruncatedLaws {
  readonly axis: RealAxis;
  readonly depth: number;
}

/** An interval of losses that one contour serves, with the plan of the contour. */
export interface StagedWindow {
  readonly stage: TruncationLevel;
  readonly key: string;
  /** The largest x that it serves; smaller ones belong to the windows before it. */
  readonly top: number;
  readonly plan: LinePlan;
  readonly spacing: () => Spacing | undefined;
}

/**
 * A truncated run, with saddle points on one grid of tilts. Tilts of contours and the tilts that bound aliases come from that grid too. So all of
 * them cost one batch of sums.
 */
export class TruncationLevel implements TruncatedLaws {
  readonly laws: readonly CountedSpectrum[];
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly axis: RealAxis;
  /** log of the smallest δ that the truncation preserves. */
  private readonly depth: number;
  /** Consecutive windows, from `from` on; none where the grid does not reach it. */
  readonly windows: readonly StagedWindow[];
  /** Up to this x both δ and tests are answered, by this level or earlier ones. */
  readonly reach: number;
  /** Largest x up to which δ is answered, and tests. */
  readonly top: Readonly<Record<Asked, number>>;
  /** Number of consecutive levels, this one last, that answer δ no further than the level before them. */
  readonly idle: number;
  /** Number of tilts above 1 at most. */
  private readonly most: number;
  /** Saddle points with tilts above 1, in ascending order of ε; and with tilts in (0, 1), which serve 1 − δ. */
  private readonly saddles: readonly Saddle[];
  private readonly left: readonly Saddle[];

  /** Heuristic: saddle points on a grid of tilts, right and left of the pole at 1. Then the windows of x that one contour serves, from x = 0 on. */
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
    // where δ exceeds 1 − δ, the latter has the smaller relative error
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

  /** Saddle points above 1, as long as ε increases and truncation takes little there. */
  private risingOf(): readonly Saddle[] {
    const saddles: Saddle[] = [];
    for (let k = 0; ; k++) {
      const saddle = this.saddleAt(k + 1);
      if (saddle === undefined || !(k === 0 || saddle.epsilon > saddles[k - 1].epsilon)) return saddles;
      saddles.push(saddle);
      if (!this.deep(saddle, 'delta')) return saddles;
    }
  }

  /** Heuristic: saddle points with tilts in (0, 1), as long as ε decreases and truncation takes little of 1 − δ there. */
  private leftOf(): readonly Saddle[] {
    const left: Saddle[] = [];
    for (let k = -1; this.axis.down.first > 0; k--) {
      const saddle = this.saddleAt(k);
      if (saddle === undefined || !(saddle.s > -1)) break;
      if (left.length > 0 && !(saddle.epsilon < left[0].epsilon)) break;
      // at the smallest tilts 1 − δ is least, and truncation takes most of it
      if (!this.deep(saddle, 'delta')) break;
      left.unshift(saddle);
    }
    return left;
  }

  /** The k-th tilt in ascending order, the 0th being 1; undefined where M is unknown. */
  private tiltAt(k: number): Tilt | undefined {
    if (k === 0) return { c: 1, guess: this.axis.near(1) };
    if (k > this.most || k < -MOST_BELOW) return undefined;
    return k > 0 ? this.axis.up.at(k - 1) : this.axis.down.at(-k - 1);
  }

  private saddleAt(k: number): Saddle | undefined {
    const tilt = this.tiltAt(k);
    return tilt && new Saddle(tilt);
  }

  /** The window for x; undefined outside all windows. */
  windowAt(x: number): StagedWindow | undefined {
    const window = this.windows[firstWhere(this.windows.length, (i) => x <= this.windows[i].top)];
    return window !== undefined && x >= window.plan.ends[0].x ? window : undefined;
  }

  /** Heuristic: the approximate x where log δ or log FPR is `target`, interpolated between saddle points; undefined where none encloses it. */
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
    // between the saddle points next to the mean: deeper levels would not find it
    return saddles.length > 0 && saddles[0].epsilon < mean ? Math.max(0, mean) : least(all);
  }

  /**
   * Chernoff's bound of log δ(x), at the tilts next to its saddle point. `reached` says whether x lies in the grid; if not, the last tilt is used.
   * The bound is 0 where a plan shows it exceeds a finite `floor`. Ensures: no less than log δ(x) of the truncated run.
   */
  bound(x: number, floor: number): { readonly bound: number; readonly reached: boolean } {
    const { saddles, axis } = this;
    const i = firstWhere(saddles.length, (k) => saddles[k].epsilon >= x);
    // below the first saddle point δ is near its mass
    if (i === 0 && saddles.length > 0) return { bound: Math.min(0, chernoffAt(axis, 1, x)), reached: true };
    const reached = i > 0 && i < saddles.length;
    const around = saddles.slice(Math.max(0, i - 1), i + 1);
    const guess = Math.min(...around.map((saddle) => saddle.boundAt(x)));
    if (reached && floor > -Infinity && guess > floor + ABOVE) return { bound: 0, reached };
    return { bound: Math.min(...around.map(({ s }) => chernoffAt(axis, 1 + s, x))), reached };
  }

  /** Heuristic: windows of x from `from` on, between saddle points on one side of the pole at 1, until one reaches `to`. */
  private windowsFrom(from: number, saddles: readonly Saddle[], to: number): StagedWindow[] {
    const windows: StagedWindow[] = [];
    // smaller losses than the first saddle point's need tilts too near to a pole
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
   * Whether the truncation error at this saddle point is below the error budget; for an untruncated law, whether δ there is above the level's depth.
   */
  private deep(saddle: Saddle, asked: Asked): boolean {
    if (this.logLostQ === -Infinity) return saddle.logDelta >= this.depth;
    return takesLittle(this, asked, saddle, this.level * Math.LN10 + CUT_SHARE);
  }

  /** Heuristic: whether one contour serves all x between two saddle points. Truncation takes little there, and sums cancel little enough. */
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

  /** Heuristic: the window of x between two saddle points, with the contour through the middle one. */
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
   * Heuristic: the smallest period for which tilts of the grid show that aliases are small beside δ over the window. With c₂ > c, Σ_{j>0} e^{sjP} δ(ε +
   * jP) ≤ C(c₂) M(c₂) e^{−(c₂−1)ε}/(e^{(c₂−c)P} − 1); likewise below (`contour.ts`). As log M is convex, the period falls and then rises with the
   * distance.
   * @param at The index of the contour's tilt.
   */
  private spacing(plan: LinePlan, at: number): Spacing | undefined {
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
