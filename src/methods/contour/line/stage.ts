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
import type { Functional } from './line-table.js';
import { type Approximated, type Guessed, isSkewUpTo, least, whereReached } from './threshold-guess.js';
import type { Tilt } from './tilts.js';

// Plans: nothing here enters a bracket.

/** Tilts above 1, at most, and this many to a Gaussian's deviation at the stage's depth; and below 1, where δ may be near 1 for long. Speed alone hangs on them. */
const MOST_ABOVE = 56;
const MOST_A_DEVIATION = 3;
const MOST_BELOW = 256;
/** Tilts beyond the saddles that may bound aliases. Speed alone hangs on it. */
const TILTS_BEYOND = 8;
/** What the next tilt is to bring the period down to, to be worth looking further. Speed alone hangs on it. */
const GAIN = 0.98;
/** Digits that sums may lose to cancellation, in logarithms: what a double has beyond the level, within limits. A line between more than two saddles is longer: it may lose fewer. */
const SPARE_DIGITS = { neighbours: 12.8, others: 11.3 };
const LEAST_CANCELLATION = 2;
const MOST_CANCELLATION = 14;
/** How far above what is asked a bound is guessed to be that is not worked out. Speed alone hangs on it. */
const ABOVE = 0.1;
/** A cut takes at most this share (a logarithm) of the level of what it changes. */
export const CUT_SHARE: number = -4;
/** How much finer than asked for (a logarithm) the rest of a line is: nodes are few. */
const FINER = -3;

/** A run without some of its largest outputs, on the real axis, and log of the smallest δ that it is cut for. */
export interface TruncatedRun extends TruncatedLaws {
  readonly axis: RealAxis;
  readonly depth: number;
}

/** A stretch of losses that one line serves, with the plan of that line. */
export interface StagedWindow {
  readonly stage: TruncationLevel;
  readonly key: string;
  /** The largest x that it serves; the windows before it serve smaller ones. */
  readonly top: number;
  readonly plan: LinePlan;
  readonly spacing: () => Spacing | undefined;
}

/**
 * A run without its largest outputs, known at one grid of tilts. Saddles, tilts of lines and the points that bound aliases are all taken from it.
 * So all of them cost one batch of sums.
 */
export class TruncationLevel implements TruncatedLaws {
  readonly laws: readonly CountedSpectrum[];
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly axis: RealAxis;
  /** log of the smallest δ that it is made for. */
  private readonly depth: number;
  /** One after the other, from `from` on; none where the grid does not reach it. */
  readonly windows: readonly StagedWindow[];
  /** Up to this x both are answered, here or by earlier stages. */
  readonly reach: number;
  /** How far δ is answered, and tests. */
  readonly top: Readonly<Record<Asked, number>>;
  /** How many stages up to this one reached no further than those before. */
  readonly idle: number;
  /** Tilts above 1, at most. */
  private readonly most: number;
  /** At tilts above 1, in ascending order of their ε; and at those between 0 and 1, which belong to what δ lacks to 1. */
  private readonly saddles: readonly Saddle[];
  private readonly left: readonly Saddle[];

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
    // where δ is no more than what it lacks, it is the better known
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

  /** Saddles above 1, as far as they rise and the cut takes little there. */
  private risingOf(): readonly Saddle[] {
    const saddles: Saddle[] = [];
    for (let k = 0; ; k++) {
      const saddle = this.saddleAt(k + 1);
      if (saddle === undefined || !(k === 0 || saddle.epsilon > saddles[k - 1].epsilon)) return saddles;
      saddles.push(saddle);
      if (!this.deep(saddle, 'delta')) return saddles;
    }
  }

  /** Saddles between 0 and 1, as far as they fall and the cut takes little of what is left to 1 there. */
  private leftOf(): readonly Saddle[] {
    const left: Saddle[] = [];
    for (let k = -1; this.axis.down.first > 0; k--) {
      const saddle = this.saddleAt(k);
      if (saddle === undefined || !(saddle.s > -1)) break;
      if (left.length > 0 && !(saddle.epsilon < left[0].epsilon)) break;
      // what is left to 1 is least, and what the cut takes of it most, at the smallest tilts
      if (!this.deep(saddle, 'delta')) break;
      left.unshift(saddle);
    }
    return left;
  }

  /** The tilts in order, that at 1 the 0th; undefined where M is not known. */
  private tiltAt(k: number): Tilt | undefined {
    if (k === 0) return { c: 1, guess: this.axis.near(1) };
    if (k > this.most || k < -MOST_BELOW) return undefined;
    return k > 0 ? this.axis.up.at(k - 1) : this.axis.down.at(-k - 1);
  }

  private saddleAt(k: number): Saddle | undefined {
    const tilt = this.tiltAt(k);
    return tilt && new Saddle(tilt);
  }

  /** The window for x; or within it that between the two saddles next to x, whose line is shorter. */
  windowAt(x: number, narrow: boolean): StagedWindow | undefined {
    const window = this.windows[firstWhere(this.windows.length, (i) => x <= this.windows[i].top)];
    if (window === undefined || !(x >= window.plan.ends[0].x)) return undefined;
    if (!narrow) return window;
    const saddles = window.plan.saddle.s < 0 ? this.left : this.saddles;
    const high = firstWhere(saddles.length, (k) => saddles[k].x >= x);
    const serves = high > 0 && high < saddles.length && this.serves(saddles, high - 1, high);
    return serves ? this.window(saddles, high - 1, high) : undefined;
  }

  /** The x where δ or the FPR passes e^{target}, roughly; undefined beyond the grid. */
  guess(functional: Approximated, target: number): Guessed | undefined {
    const x = this.passed(functional, target);
    return x === undefined ? undefined : { x, isSkew: isSkewUpTo(this.saddles, x, functional) };
  }

  private passed(functional: Approximated, target: number): number | undefined {
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
    // between the saddles on either side of the mean, and so not on a deeper stage
    return saddles.length > 0 && saddles[0].epsilon < mean ? Math.max(0, mean) : least(all);
  }

  /**
   * Chernoff's bound of a functional's logarithm at x, at the tilts between which its saddle lies, and whether it lies so. Where not, it is at the last of the grid, if not ∞. It
   * is 0 where it would be above `floor`, if not −∞.
   */
  bound(
    functional: Functional,
    x: number,
    floor: number,
  ): { readonly bound: number; readonly reached: boolean } {
    const { saddles, axis } = this;
    // a rate has no factor 1/z of δ's
    const i = firstWhere(saddles.length, (k) =>
      functional === 'delta' ? saddles[k].epsilon >= x : saddles[k].cumulant.mean >= x,
    );
    // all is near the mass there
    if (i === 0 && saddles.length > 0)
      return { bound: Math.min(0, chernoffAt(axis, functional, 1, x)), reached: true };
    const reached = i > 0 && i < saddles.length;
    const around = saddles.slice(Math.max(0, i - 1), i + 1);
    const guess = Math.min(...around.map((saddle) => saddle.boundAt(functional, x)));
    if (reached && floor > -Infinity && guess > floor + ABOVE) return { bound: 0, reached };
    return { bound: Math.min(...around.map(({ s }) => chernoffAt(axis, functional, 1 + s, x))), reached };
  }

  /** log of δ or the FPR at x, roughly; undefined beyond the grid. */
  near(functional: Approximated, x: number): number | undefined {
    const { saddles } = this;
    const saddle = saddles[firstWhere(saddles.length, (k) => saddles[k].epsilon >= x)];
    if (saddle === undefined) return undefined;
    const { s, epsilon, logDelta, logFpr } = saddle;
    const there = functional === 'delta' ? logDelta + s * (epsilon - x) : logFpr + (1 + s) * (epsilon - x);
    return Math.min(0, there);
  }

  /** Windows from `from` on between saddles on one side of the pole at 1, until one reaches `to`. */
  private windowsFrom(from: number, saddles: readonly Saddle[], to: number): StagedWindow[] {
    const windows: StagedWindow[] = [];
    // smaller losses than the first saddle's are those of tilts too near to a pole
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

  /** Whether the cut takes little of what is asked at a saddle; without one, whether that is no deeper than the stage is to reach. */
  private deep(saddle: Saddle, asked: Asked): boolean {
    if (this.logLostQ === -Infinity) return saddle.logDelta >= this.depth;
    return takesLittle(this, asked, saddle, this.level * Math.LN10 + CUT_SHARE);
  }

  /** Whether one line serves the x's between two saddles: the cut takes little there, and sums do not cancel too much. */
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
   * The smallest period for which tilts of the grid show that aliases stay below the line's share of δ over its window. With c₂ > c,
   * Σ_{j>0} e^{sjP} δ(ε + jP) ≤ C(c₂) M(c₂) e^{−(c₂−1)ε}/(e^{(c₂−c)P} − 1); likewise below (`contour.ts`). As log M is convex, the period falls and then rises
   * with the distance.
   *
   * @param at The number of the line's tilt.
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
