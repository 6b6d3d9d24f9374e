import { exp, log1p } from '../../../numeric/scalar.js';
import { firstWhere } from '../../../numeric/solve.js';
import type { Guess } from '../step/spectral-law.js';
import {
  type AliasPoint,
  type Asked,
  aliasPoint,
  type CountedSpectrum,
  type CutLaws,
  chernoffAt,
  type LinePlan,
  type RealAxis,
  Saddle,
  type Spacing,
  spacingOf,
  takesLittle,
} from './contour-plan.js';
import { type Approximated, type Guessed, isSkewUpTo, least, whereReached } from './threshold-guess.js';

// Plans: nothing here enters a bracket.

/** Tilts of a stage are asked for in blocks, each this much over the deviation found so far apart: so many below 1, and at most so many above, or below where δ is near 1 for long. Speed alone hangs on them. */
const STEP = 0.5;
const BLOCK = 8;
/** Variances of neighbours differ by no more than this factor, or steps are shorter, down to this share. Where rare losses take over far down, .01 steps over the saddles and leaves no line. */
const MOST_UNEVEN = 2;
const LEAST_SHARE = 1e-3;
const BLOCKS_BELOW = 2;
const BLOCKS_ABOVE = 7;
/** And this many times those to a Gaussian's tilt at the stage's depth. */
const SPARE_BLOCKS = 1.5;
/** Blocks tried for each that there may be: where the far tail takes over, most are cut short. */
const TRIES = 4;
const MOST_BELOW = 32;
/** Blocks beyond what windows need: points that bound aliases lie there. */
const BLOCKS_BEYOND = 1;
/** Digits that sums may lose to cancellation, in logarithms: what a double has beyond the level, within limits. */
const SPARE_DIGITS = 12.8;
const LEAST_CANCELLATION = 2;
const MOST_CANCELLATION = 14;
/** How far above what is asked a bound is guessed to be that is not worked out. Speed alone hangs on it. */
const ABOVE = 0.1;
/** A cut takes at most this share (a logarithm) of the level of what it changes. */
export const CUT_SHARE: number = -4;
/** How much finer than asked for (a logarithm) the rest of a line is: nodes are few. */
const FINER = -3;

/** A run without some of its largest outputs, on the real axis, and log of the smallest δ that it is cut for. */
export interface CutRun extends CutLaws {
  readonly axis: RealAxis;
  readonly depth: number;
}

/** Tilts, and the cumulants there. */
interface Walked {
  readonly tilts: number[];
  readonly guesses: Guess[];
}

/** A stretch of losses that one line serves, with the plan of that line. */
export interface StagedWindow {
  readonly stage: Stage;
  readonly key: string;
  /** The largest x that it serves; the windows before it serve smaller ones. */
  readonly top: number;
  readonly plan: LinePlan;
  readonly spacing: () => Spacing | undefined;
}

/**
 * A run without its largest outputs, known at one grid of tilts: saddles, tilts of lines and the points that bound aliases are all taken from it, so that
 * all of them cost one batch of sums.
 */
export class Stage implements CutLaws {
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
  private readonly tilts: readonly number[];
  private readonly guesses: readonly Guess[];
  /** The number of the tilt 1. */
  private readonly ones: number;
  /** Those of the tilts above 1, in ascending order of their ε; and those between 0 and 1, which belong to what δ lacks to 1. */
  private readonly saddles: readonly Saddle[];
  private readonly left: readonly Saddle[];

  constructor(
    cut: CutRun,
    private readonly name: string,
    private readonly level: number,
    last: Stage | undefined,
  ) {
    this.laws = cut.laws;
    this.logLostP = cut.logLostP;
    this.logLostQ = cut.logLostQ;
    this.axis = cut.axis;
    this.depth = cut.depth;
    const from = last?.reach ?? 0;
    const { saddles, above } = this.above();
    const below = this.below();
    this.tilts = [...below.tilts.reverse(), 1, ...above.tilts];
    this.guesses = [...below.guesses.reverse(), this.axis.near(1), ...above.guesses];
    this.ones = below.tilts.length;
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
    const sharp = [...left, ...saddles].filter(
      (saddle) => saddle.epsilon <= top && this.deep(saddle, 'test'),
    );
    this.top = { delta: top, test: sharp.length > 0 ? sharp[sharp.length - 1].epsilon : -Infinity };
    this.reach = Math.max(from, this.top.test);
    this.idle = this.top.delta > from ? 0 : (last?.idle ?? 0) + 1;
  }

  /** Tilts above 1, and saddles at them while these rise and the cut takes little there. */
  private above(): { saddles: Saddle[]; above: Walked } {
    const most = Math.max(
      BLOCKS_ABOVE,
      Math.ceil((SPARE_BLOCKS * Math.sqrt(-2 * this.depth)) / (STEP * BLOCK)) + BLOCKS_BEYOND,
    );
    const saddles: Saddle[] = [];
    let beyond = 0;
    const above = this.walk(1, most, (tilts, guesses) => {
      for (const [i, c] of tilts.entries()) {
        const saddle = new Saddle(c - 1, guesses[i]);
        const rises = saddles.length === 0 || saddle.epsilon > saddles[saddles.length - 1].epsilon;
        if (rises && beyond === 0) saddles.push(saddle);
        if (!rises || !this.deep(saddle, 'delta')) beyond = Math.max(1, beyond);
      }
      return beyond === 0 || beyond++ <= BLOCKS_BEYOND;
    });
    return { saddles, above };
  }

  /** Tilts below 1. */
  private below(): Walked {
    let blocks = 0;
    // where δ is near 1 for long, losses near 0 are those of tilts far below 1
    return this.walk(-1, MOST_BELOW, (tilts, guesses) => {
      const last = tilts.length - 1;
      const saddle = new Saddle(tilts[last] - 1, guesses[last]);
      return ++blocks < BLOCKS_BELOW || (saddle.s > -1 && saddle.epsilon > 0 && this.deep(saddle, 'delta'));
    });
  }

  /** Saddles between 0 and 1, as far as they fall and the cut takes little of what is lacking there. */
  private leftOf(): readonly Saddle[] {
    const left: Saddle[] = [];
    for (let k = this.ones - 1; k >= 0 && this.tilts[k] > 0; k--) {
      const saddle = new Saddle(this.tilts[k] - 1, this.guesses[k]);
      if (left.length > 0 && !(saddle.epsilon < left[0].epsilon)) break;
      // what is lacking is least, and what the cut takes of it most, at the smallest tilts
      if (!this.deep(saddle, 'delta')) break;
      left.unshift(saddle);
    }
    return left;
  }

  /** Tilts from 1 on, up or down, block by block, as long as `go` says; no further than M is known. */
  private walk(
    side: 1 | -1,
    most: number,
    go: (tilts: Float64Array, guesses: readonly Guess[]) => boolean,
  ): Walked {
    const all: Walked = { tilts: [], guesses: [] };
    let last = 1;
    let { variance } = this.axis.near(1);
    let share = 1;
    for (let block = 0; block < TRIES * most && all.tilts.length < most * BLOCK; block++) {
      const step = (side * share * STEP) / Math.sqrt(variance);
      if (!(Math.abs(step) > 0 && Math.abs(step) < Infinity)) break;
      const asked = Float64Array.from({ length: BLOCK }, (_, i) => last + step * (i + 1));
      if (!this.laws.every(({ law: { cheap } }) => within(cheap, asked[BLOCK - 1]))) break;
      const guesses = this.axis.nearAll(asked);
      // where the far tail takes over, steps are shorter
      const even = (i: number): boolean =>
        guesses[i].variance < MOST_UNEVEN * (i > 0 ? guesses[i - 1].variance : variance);
      let n = 0;
      while (n < BLOCK && guesses[n].value < Infinity && (even(n) || share < LEAST_SHARE)) n++;
      const tilts = asked.subarray(0, n);
      all.tilts.push(...tilts);
      all.guesses.push(...guesses.slice(0, n));
      if (n < BLOCK && share < LEAST_SHARE) break;
      share = n < BLOCK ? share / 4 : Math.min(1, 4 * share);
      if (n === 0) continue;
      if (!go(tilts, guesses)) break;
      last = tilts[n - 1];
      variance = guesses[n - 1].variance;
    }
    return all;
  }

  windowAt(x: number): StagedWindow | undefined {
    const window = this.windows[firstWhere(this.windows.length, (i) => x <= this.windows[i].top)];
    return window !== undefined && x >= window.plan.ends[0].x ? window : undefined;
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
   * Chernoff's bound of log δ at x, at the tilts between which its saddle lies, and whether it lies so: where not, at the last of the grid, if not ∞. It is 0
   * where it would be above `floor`, if not −∞.
   */
  bound(x: number, floor: number): { readonly bound: number; readonly reached: boolean } {
    const { saddles, axis } = this;
    const i = firstWhere(saddles.length, (k) => saddles[k].epsilon >= x);
    // δ is near 1 there
    if (i === 0 && saddles.length > 0) return { bound: 0, reached: true };
    const reached = i > 0 && i < saddles.length;
    let [guess, bound] = [Infinity, Infinity];
    for (let k = Math.max(0, i - 1); k <= i && k < saddles.length; k++) {
      const { s, cumulant, logConstant } = saddles[k];
      guess = Math.min(guess, cumulant.value - s * x + logConstant);
    }
    if (reached && floor > -Infinity && guess > floor + ABOVE) return { bound: 0, reached };
    for (let k = Math.max(0, i - 1); k <= i && k < saddles.length; k++)
      bound = Math.min(bound, chernoffAt(axis, 'delta', 1 + saddles[k].s, x));
    return { bound, reached };
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
    const ends = [saddles[low], saddles[high]];
    if (!this.deep(ends[1], 'delta')) return false;
    const middle = saddles[(low + high) >> 1];
    const most = Math.min(
      MOST_CANCELLATION,
      Math.max(LEAST_CANCELLATION, (SPARE_DIGITS + level) * Math.LN10),
    );
    return ends.every(
      (end) => middle.logDelta - middle.s * (end.epsilon - middle.epsilon) - end.logDelta <= most,
    );
  }

  private window(saddles: readonly Saddle[], low: number, high: number): StagedWindow {
    const { level } = this;
    const middle = (low + high) >> 1;
    const ends = [saddles[low], saddles[high]];
    const plan = { saddle: saddles[middle], logLevel: Math.LN10 * level + FINER, ends };
    const first = saddles === this.left ? this.ones - saddles.length : this.ones + 1;
    return {
      stage: this,
      key: `staged/${this.name}/${saddles[low].s < 0 ? 'left' : 'right'}/${low}`,
      top: saddles[high].epsilon,
      plan,
      spacing: () => this.spacing(plan, first + middle),
    };
  }

  /** The smallest period that points of the grid show to be enough; see `spacingFor`. @param at The number of the line's tilt. */
  private spacing(plan: LinePlan, at: number): Spacing | undefined {
    const { tilts, guesses } = this;
    const best = (side: 1 | -1): AliasPoint | undefined => {
      let found: AliasPoint | undefined;
      for (let k = at + side; k >= 0 && k < tilts.length; k += side) {
        const point = aliasPoint(plan, tilts[k], guesses[k].value);
        if (point === undefined || (found !== undefined && point.period >= found.period)) break;
        found = point;
      }
      return found;
    };
    return spacingOf(this.axis, best(1), best(-1));
  }
}

function within(range: readonly [number, number] | undefined, c: number): boolean {
  return range === undefined || (range[0] <= c && c <= range[1]);
}
