import { attempt } from '../numeric/meter.js';
import { TO_LAST_DIGITS } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { crossing, crossingBetween, type Probe } from '../numeric/solve.js';
import type { Goal, Trial, Unknown } from './goal.js';

/** A value of the unknown with its run, and a bracket of the logarithm of the loss over the target there. */
export interface TriedValue {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly trial: Trial;
  readonly accountTolerance: number;
}

/** Tolerance of the accounts that locate the root at first. Contours mostly answer much more narrowly at it, and cost no more than at a coarser one. */
export const ROUGH_TOLERANCE: number = 1e-3;
/** The finest tolerance of an account. */
const SHARPEST = 1e-12;
/** Fraction of the search's remaining allowance of work for one value. */
const TRIAL = 0.2;
/** Relative change of the target by which the slope at the guess is estimated. */
const NEARBY = 1e-3;
/** Brackets of log(loss/target) that are wider than this do not locate its root. */
const TOO_WIDE = 3;
/**
 * FIRST: first step of the search, in log of the value, if no slope is known. FARTHEST: longest first step. BEYOND: factor by which a step exceeds
 * the estimated distance of the root. Only speed depends on them.
 */
const [FIRST, FARTHEST, BEYOND] = [0.25, 8, 1.05];

/** The values tried so far, on an axis x = ± log(value) along which the run becomes more private. */
class Places {
  /** The least private value that meets the target, and the one tried last. */
  safe: TriedValue | undefined;
  last: TriedValue | undefined;
  /** The value tried last of those that do not meet the target. */
  private unsafe: TriedValue | undefined;
  /** The sign of log(value) on the axis. */
  readonly side: 1 | -1;
  /** Ends of the axis. */
  readonly ends: readonly [number, number];
  private readonly seen = new Map<number, TriedValue>();
  /** The divisor of log(loss/target) at the value tried last (`scale` of `Goal.excess`). */
  private scale = 1;
  /** Whether all accounts at ROUGH_TOLERANCE have been accurate enough so far. */
  private roughDo = true;

  /** The axis of an unknown, before any value is tried. */
  constructor(
    private readonly unknown: Unknown,
    private readonly goal: Goal,
    private readonly subjectAt: (value: number, accountTolerance: number) => Trial,
    private readonly zone: number,
  ) {
    this.side = unknown.larger === 'more-private' ? 1 : -1;
    const { least, most } = unknown;
    const [a, b] = this.side > 0 ? [least, most] : [most, least];
    this.ends = [this.on(a), this.on(b)];
  }

  /** The place of a value on the axis. */
  on(value: number): number {
    return this.side * log(value);
  }

  /**
   * Tries the value at place x. Returns its place, and log(loss/target) plus a quarter of `zone`, the tolerance: the root is aimed at slightly below
   * the target.
   */
  readonly at = (x: number): Probe => {
    const value = this.valueAt(x);
    const place = this.seen.get(value) ?? this.tried(value);
    this.seen.set(value, place);
    this.last = place;
    const { lower, upper } = place;
    if (upper > 0) this.unsafe = place;
    else if (this.safe === undefined || this.on(value) < this.on(this.safe.value)) this.safe = place;
    const height = upper - lower < this.zone || !(upper - lower < 1) ? upper : (lower + upper) / 2;
    return { x: this.unknown.whole ? this.on(value) : x, value: height + this.zone / 4 };
  };

  /** Whether the last value meets the target within the tolerance `zone`; or no whole number is left between values that meet it and do not. */
  readonly enough = (): boolean => {
    const { safe, unsafe, last } = this;
    if (safe !== undefined && safe === last && safe.upper >= -this.zone) return true;
    const { whole = false } = this.unknown;
    return whole && safe !== undefined && unsafe !== undefined && Math.abs(safe.value - unsafe.value) <= 1;
  };

  /** The value at place x, in the range of the unknown; for whole numbers one that has not been tried. */
  private valueAt(x: number): number {
    const { least, most, whole = false } = this.unknown;
    if (x <= this.ends[0] || x >= this.ends[1]) return x <= this.ends[0] === this.side > 0 ? least : most;
    const value = Math.min(Math.max(exp(this.side * x), least), most);
    if (!whole) return value;
    // a whole number next to one that was tried, instead of that one
    const near = Math.round(value);
    if (near === this.safe?.value) return near - this.side;
    return near === this.unsafe?.value ? near + this.side : near;
  }

  /** Tries a value by an account at the rough tolerance and, if that does not decide whether the target is met, by a finer one. */
  private tried(value: number): TriedValue {
    const asked = (accountTolerance: number): TriedValue => {
      const trial = this.subjectAt(value, accountTolerance);
      const nothing = () => ({ lower: -Infinity, upper: Infinity, scale: 1 });
      const { lower, upper, scale } = attempt(TRIAL, () => this.goal.excess(trial, this.zone), nothing);
      this.scale = scale;
      return { value, lower, upper, trial, accountTolerance };
    };
    const rough = this.roughDo ? asked(ROUGH_TOLERANCE) : undefined;
    this.roughDo = rough !== undefined && rough.upper - rough.lower <= this.zone / 4;
    const open = rough === undefined || (rough.lower <= 0 && rough.upper > 0 && !this.roughDo);
    // a quarter of the tolerance `zone`, as a width of the account's own bracket
    const sharp = Math.min(ROUGH_TOLERANCE, Math.max(SHARPEST, (this.zone / 4) * this.scale));
    return open && sharp < ROUGH_TOLERANCE ? asked(sharp) : (rough ?? asked(ROUGH_TOLERANCE));
  }
}

/**
 * Searches for the least private value that certainly meets the target, with a loss within `tolerance` of it. It brackets a root of log(loss/target)
 * (`crossing`). `safe` is the value found, absent if none was; `last` is the one tried last.
 *
 * Ensures: at `safe` the account's upper bound meets the target.
 */
export function search(
  unknown: Unknown,
  goal: Goal,
  subjectAt: (value: number, accountTolerance: number) => Trial,
  tolerance: number,
): { readonly safe?: TriedValue; readonly last: TriedValue } {
  const places = new Places(unknown, goal, subjectAt, tolerance);
  const { at, enough } = places;
  const [floor, ceiling] = places.ends;
  const guessed = (times: number): number => {
    const guess = unknown.guess?.(goal.allowed(times));
    return guess !== undefined && guess > 0 && guess < Infinity ? places.on(guess) : Number.NaN;
  };
  const start = guessed(1);
  const slope = -log1p(NEARBY) / (start - guessed(1 + NEARBY));
  const first = at(Math.min(Math.max(Number.isNaN(start) ? 0 : start, floor), ceiling));
  const near = { relative: TO_LAST_DIGITS, absolute: 1e-5 * tolerance, enough };
  const { lower, upper } = places.last!;
  if (!enough() && upper > 0 && upper - lower > TOO_WIDE) {
    // the bracket does not locate the root: the most private value tells whether there is one
    const end = at(ceiling);
    if (places.safe !== undefined && !enough()) crossingBetween(at, { low: first, high: end }, near);
  } else if (!enough()) {
    const step = BEYOND * Math.abs(first.value / slope);
    const reach = step > 0 && step < FARTHEST ? step : FIRST;
    crossing(at, { guess: first.x, reach, floor, ceiling, ...near });
  }
  return { ...(places.safe && { safe: places.safe }), last: places.last! };
}
