import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { FEW_ROUNDINGS, FUNCTIONS_ERROR, TO_12_DIGITS } from '../../../numeric/rounding.js';
import { log } from '../../../numeric/scalar.js';
import { crossing } from '../../../numeric/solve.js';
import { wholePower } from '../../../numeric/whole-power.js';
import {
  type Asked,
  boundOnLadder,
  type CountedSpectrum,
  type CutDepth,
  cutLaws,
  RealAxis,
} from './contour-plan.js';
import { CUT_SHARE, type StagedWindow, type TruncatedRun, TruncationLevel } from './stage.js';
import type { Approximated } from './threshold-guess.js';

// Plans: no bracket depends on this file. A level follows from the run, the accuracy and its index alone.

/** log of the smallest δ (and rate) that each truncation level preserves. Behind the last each is DEEPER times the one before, down to DEEPEST. */
const DEPTHS = [-13, -32, -60, -110, -230, -480, -700, -1500] as const;
const DEEPER = 2.2;
const DEEPEST = -4e6;
/** Largest guess of a loss x. */
const FURTHEST = 1e9;
/** Widths of truncating windows: wide ones need fewer outputs, narrow ones allow larger tilts. Only speed depends on them. */
const WIDTHS = [0.5, 0.25, 0.12, 0.06, 0.03] as const;
/** Aliases are bounded at tilts beyond the saddle points: this many reciprocal standard deviations of the tilted loss. Only speed depends on it. */
const BEYOND = 5;
const BELOW = 4;
/**
 * Stop after this many consecutive levels that reached no further. There are such levels where δ is small everywhere, and between two scales of
 * losses.
 */
const MOST_IDLE = 2;
function depthAt(i: number): number {
  const last = DEPTHS.length - 1;
  return i <= last ? DEPTHS[i] : DEPTHS[last] * wholePower(DEEPER, i - last);
}

/** A term smaller by e^{−FAR} is below the rounding error of a sum. */
const FAR = 40;

/** Cache key of an index and a level, a whole number from −14 to −4. */
function keyOf(i: number, level: number): number {
  return 32 * i - level;
}

/**
 * The truncation levels of a run: each is truncated as deep as its windows need, and the next begins where they end. Laws that are never truncated
 * are the same in all levels.
 */
export class Stages {
  private readonly made = new LruCache<number, TruncationLevel | undefined>(Infinity);
  private readonly cuts = new LruCache<number, TruncatedRun>(Infinity);
  private readonly logCount: number;
  /** The run without truncation. */
  private readonly uncut: RealAxis;

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
  ) {
    this.logCount = log(laws.reduce((sum, { count }) => sum + count, 1));
    this.uncut = new RealAxis(laws);
  }

  /** Approximate log of the Q-mass of finite losses: depths are relative to it. */
  private get logMass(): number {
    const { value } = this.uncut.near(1);
    return value < Infinity ? Math.min(0, value) : 0;
  }

  /** The standard deviation of the run's loss. */
  get deviation(): number {
    return Math.sqrt(this.uncut.near(1).variance);
  }

  /** The window for x at the accuracy `level`, from the first truncation level that reaches x; undefined if none does. */
  at(x: number, level: number, asked: Asked): StagedWindow | undefined {
    for (let i = 0; ; i++) {
      const stage = this.stageAt(i, level);
      const window = stage !== undefined && x <= stage.top[asked] ? stage.windowAt(x) : undefined;
      if (stage === undefined || window !== undefined) return window;
    }
  }

  /** The x where δ or the FPR passes e^{target}, approximately; beyond the last level where Chernoff's bound does. */
  guess(functional: Approximated, target: number, level: number): number | undefined {
    for (let i = 0; ; i++) {
      const stage = this.stageAt(i, level);
      if (stage === undefined) return this.guessByBound(functional, target);
      const guessed = stage.guess(functional, target);
      if (guessed !== undefined) return guessed;
    }
  }

  /** Heuristic: the x where Chernoff's bound of log δ, less x for rates, is `target`. Undefined without a finite mean loss or where there is none. */
  private guessByBound(functional: Approximated, target: number): number | undefined {
    const near = (x: number): number => boundOnLadder(this.uncut, x) - (functional === 'delta' ? 0 : x);
    const guess = this.uncut.near(1).mean;
    if (!(guess >= 0 && guess < Infinity)) return undefined;
    const { high } = crossing((x) => near(x) - target, {
      guess,
      reach: this.deviation,
      floor: 0,
      ceiling: FURTHEST,
      relative: 1e-3,
      absolute: TO_12_DIGITS,
    });
    return high < Infinity ? high : undefined;
  }

  /**
   * Chernoff's bound of log δ(x). It is of the first truncation level that loses less mass than the bound, or that shows δ below `floor`; beyond the
   * levels it is of the whole run. Ensures: no less than log δ(x).
   */
  bound(x: number, level: number, floor: number): number {
    let least = 0;
    for (let i = 0; ; i++) {
      const stage = this.stageAt(i, level);
      if (stage === undefined) return Math.min(least, boundOnLadder(this.uncut, x));
      const lost = stage.logLostQ;
      const { bound, reached } = stage.bound(x, floor);
      const whole = lost < bound - FAR ? bound + FUNCTIONS_ERROR : logSum(bound, lost) + FEW_ROUNDINGS;
      least = Math.min(least, whole);
      if (whole <= floor || (reached && bound > lost)) return least;
    }
  }

  /** The run at the i-th truncation level; `level` is log₁₀ of the accuracy. */
  private cutAt(i: number, level: number): TruncatedRun {
    return this.cuts.of(keyOf(i, level), () => {
      const depth = depthAt(i) + this.logMass;
      const share = level * Math.LN10 + CUT_SHARE;
      const { logCount } = this;
      return { ...this.cutFor({ depth, share, logCount }), depth };
    });
  }

  /** Heuristic: the run truncated by the widest windows that allow the tilts of a contour for δ = e^{depth}, or else by the narrowest. */
  private cutFor(at: CutDepth): Omit<TruncatedRun, 'depth'> {
    for (let i = 0; ; i++) {
      const { smallest, largest, steepest, ...cut } = cutLaws(this.kernel, this.laws, at, WIDTHS[i]);
      const axis = cut.logLostQ === -Infinity ? this.uncut : new RealAxis(cut.laws);
      const low = smallest <= -BELOW / this.deviation;
      if ((largest === Infinity && low) || i === WIDTHS.length - 1) return { ...cut, axis };
      const c = Math.min(steepest, largest - BEYOND / Math.sqrt(axis.near(largest / 2).variance));
      const { value, mean } = axis.near(c);
      if (low && c > 1 && value - (c - 1) * mean < at.depth) return { ...cut, axis };
    }
  }

  stageAt(i: number, level: number): TruncationLevel | undefined {
    return this.made.of(keyOf(i, level), () => {
      const before = Array.from({ length: i }, (_, k) => this.stageAt(k, level));
      // none where an earlier level is missing
      return before.includes(undefined) ? undefined : this.next(before, level);
    });
  }

  /** The next truncation level after those `before`; undefined after several that reached no larger losses. */
  private next(before: readonly (TruncationLevel | undefined)[], level: number): TruncationLevel | undefined {
    const i = before.length;
    const last = before[i - 1];
    if ((i > 0 && last === undefined) || (last?.idle ?? 0) > MOST_IDLE || depthAt(i) < DEEPEST)
      return undefined;
    return new TruncationLevel(this.cutAt(i, level), `${level}/${i}`, level, last);
  }
}
