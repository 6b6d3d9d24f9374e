import { attempt } from '../numeric/meter.js';
import { TO_LAST_DIGITS } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { crossing, crossingBetween, type Probe } from '../numeric/solve.js';
import type { Goal, Trial, Unknown } from './goal.js';

/** A value of the unknown with its account, and its log-loss relative to the target (> 0: above). */
export interface TriedValue {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly trial: Trial;
  readonly accountTolerance: number;
}

/**
 * Tolerance of the accounts that first locate the root. Contours are usually much narrower, and cost no more at this tolerance than at a wider one.
 */
export const ROUGH_TOLERANCE: number = 1e-3;
/** The finest tolerance that an account takes. */
const SHARPEST = 1e-12;
/** Fraction of the search's remaining allowance for one value. */
const TRIAL = 0.2;
/** Relative change of the loss for estimates of slopes. */
const NEARBY = 1e-3;
/** A bracket of the log-loss wider than this does not locate the root. */
const TOO_WIDE = 3;
/** First step along the axis without a known slope; longest step; and factor beyond the expected root. */
const [FIRST, FARTHEST, BEYOND] = [0.25, 8, 1.05];

/** The values tried, on an axis along which the unknown gets more private: ± log of its value. */
class Places {
  safe: TriedValue | undefined;
  last: TriedValue | undefined;
  private unsafe: TriedValue | undefined;
  readonly side: 1 | -1;
  readonly ends: readonly [number, number];
  private readonly seen = new Map<number, TriedValue>();
  /** The divisor of the account's own log-loss. */
  private scale = 1;
  /** Whether rough accounts have been accurate enough so far. */
  private roughDo = true;

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

  on(value: number): number {
    return this.side * log(value);
  }

  /** The account nearest to x, and its log-loss relative to the aim, a quarter of the zone below the target. */
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

  /** Whether the last value is within the zone, or no integer is left between the two sides. */
  readonly enough = (): boolean => {
    const { safe, unsafe, last } = this;
    if (safe !== undefined && safe === last && safe.upper >= -this.zone) return true;
    const { whole = false } = this.unknown;
    return whole && safe !== undefined && unsafe !== undefined && Math.abs(safe.value - unsafe.value) <= 1;
  };

  private valueAt(x: number): number {
    const { least, most, whole = false } = this.unknown;
    if (x <= this.ends[0] || x >= this.ends[1]) return x <= this.ends[0] === this.side > 0 ? least : most;
    const value = Math.min(Math.max(exp(this.side * x), least), most);
    if (!whole) return value;
    // an integer other than those known on either side
    const near = Math.round(value);
    if (near === this.safe?.value) return near - this.side;
    return near === this.unsafe?.value ? near + this.side : near;
  }

  /** Tries a value by a rough account and, if that does not decide on which side of the target it is, by a sharp one. */
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
    // a bracket as wide as a quarter of the zone, in units of the account's log-loss
    const sharp = Math.min(ROUGH_TOLERANCE, Math.max(SHARPEST, (this.zone / 4) * this.scale));
    return open && sharp < ROUGH_TOLERANCE ? asked(sharp) : (rough ?? asked(ROUGH_TOLERANCE));
  }
}

/**
 * Searches for the least private value that certainly meets the target, with a loss within `tolerance` of it. Each value is evaluated once with a
 * rough account, and once with a sharp one if the rough one does not decide.
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
    // only the most private end can tell whether there is a root
    const end = at(ceiling);
    if (places.safe !== undefined && !enough()) crossingBetween(at, { low: first, high: end }, near);
  } else if (!enough()) {
    const step = BEYOND * Math.abs(first.value / slope);
    const reach = step > 0 && step < FARTHEST ? step : FIRST;
    crossing(at, { guess: first.x, reach, floor, ceiling, ...near });
  }
  return { ...(places.safe && { safe: places.safe }), last: places.last! };
}
