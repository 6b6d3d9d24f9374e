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

// Heuristics: which laws are truncated, how deep, and which contour answers. Brackets depend on them through the masses removed and through `bound`
// alone, which are certified.

/**
 * log of the smallest δ, and of the smallest rate, that each truncation level preserves. After the last entry each is DEEPER times the one before,
 * down to DEEPEST. Only speed and width depend on them.
 */
const DEPTHS = [-13, -32, -60, -110, -230, -480, -700, -1500] as const;
const DEEPER = 2.2;
const DEEPEST = -4e6;
/** Largest loss x that a guess returns. */
const FURTHEST = 1e9;
/**
 * Widths w of the smooth edge of a truncation: an output x is kept with probability Φ((X − x)/w), X the threshold. Wide ones need fewer quadrature
 * nodes, narrow ones allow larger tilts. Only speed depends on them.
 */
const WIDTHS = [0.5, 0.25, 0.12, 0.06, 0.03] as const;
/**
 * Tilts that bound aliases may lie this many units beyond the saddle points, above and below; the unit is 1/(standard deviation of the tilted
 * loss). Only speed depends on them.
 */
const BEYOND = 5;
const BELOW = 4;
/**
 * Number of consecutive truncation levels that may reach no larger x before the search stops. Such levels occur where δ is small everywhere, and
 * between two scales of losses.
 */
const MOST_IDLE = 2;

/** log of the smallest δ that the i-th truncation level preserves. */
function depthAt(i: number): number {
  const last = DEPTHS.length - 1;
  return i <= last ? DEPTHS[i] : DEPTHS[last] * wholePower(DEEPER, i - last);
}

/** A term smaller than another by e^{−FAR} is below the rounding error of their sum. */
const FAR = 40;

/** A number that identifies the i-th truncation level at an accuracy 10^level, level a whole number from −14 to −4. */
function keyOf(i: number, level: number): number {
  return 32 * i - level;
}

/**
 * The truncation levels of a run, for each accuracy. The i-th preserves δ down to e^{depth} and serves the losses x beyond those of the level
 * before. Laws that are never truncated are the same at all levels.
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

  /** Approximate log M(1), the log Q-mass of finite losses: depths are relative to it. */
  private get logMass(): number {
    const { value } = this.uncut.near(1);
    return value < Infinity ? Math.min(0, value) : 0;
  }

  /** Approximate standard deviation of the run's loss under Q. */
  get deviation(): number {
    return Math.sqrt(this.uncut.near(1).variance);
  }

  /** The contour's interval that contains x, at the accuracy 10^level, from the first truncation level that reaches x; undefined if none does. */
  at(x: number, level: number, asked: Asked): StagedWindow | undefined {
    for (let i = 0; ; i++) {
      const stage = this.stageAt(i, level);
      const window = stage !== undefined && x <= stage.top[asked] ? stage.windowAt(x) : undefined;
      if (stage === undefined || window !== undefined) return window;
    }
  }

  /**
   * Heuristic: the approximate x where log δ or log FPR is `target`, interpolated between saddle points. Beyond the last truncation level, the x
   * where Chernoff's bound is `target`. It enters no bound.
   */
  guess(functional: Approximated, target: number, level: number): number | undefined {
    for (let i = 0; ; i++) {
      const stage = this.stageAt(i, level);
      if (stage === undefined) return this.guessByBound(functional, target);
      const guessed = stage.guess(functional, target);
      if (guessed !== undefined) return guessed;
    }
  }

  /**
   * Heuristic: the x where Chernoff's bound of log δ(x), less x for the FPR, is `target`. Undefined without a finite mean loss, or where there is
   * none.
   */
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
   * Chernoff's bound of log δ(x) of the whole run: that of a truncated run plus the mass removed. It comes from the first truncation level that
   * loses less mass than that bound, or shows δ below e^{floor}. Beyond all levels the laws are not truncated. Ensures: no less than log δ(x).
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

  /** The run truncated for the i-th level; `level` is log₁₀ of the accuracy. Ensures: the log masses removed are no less than the true ones. */
  private cutAt(i: number, level: number): TruncatedRun {
    return this.cuts.of(keyOf(i, level), () => {
      const depth = depthAt(i) + this.logMass;
      const share = level * Math.LN10 + CUT_SHARE;
      const { logCount } = this;
      return { ...this.cutFor({ depth, share, logCount }), depth };
    });
  }

  /**
   * Heuristic: the run truncated with the widest edge from WIDTHS that allows the tilts of contours for δ = e^{depth}, or else with the narrowest.
   * Only speed and width depend on the choice; the masses removed are charged.
   */
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
      // undefined where an earlier level is
      return before.includes(undefined) ? undefined : this.next(before, level);
    });
  }

  /** The truncation level after those in `before`; undefined after several that reached no larger losses, or below DEEPEST. */
  private next(before: readonly (TruncationLevel | undefined)[], level: number): TruncationLevel | undefined {
    const i = before.length;
    const last = before[i - 1];
    if ((i > 0 && last === undefined) || (last?.idle ?? 0) > MOST_IDLE || depthAt(i) < DEEPEST)
      return undefined;
    return new TruncationLevel(this.cutAt(i, level), `${level}/${i}`, level, last);
  }
}
