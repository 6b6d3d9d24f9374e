import { wrongType, wrongValue } from '../errors.js';
import { bracketText } from '../text/decimal.js';

/**
 * A certified enclosure: the exact value lies in [lower, upper]. For δ, ε, μ and every other privacy
 * loss `upper` is the end that is safe to publish. Answers print as `[1.5153, 1.5154]`, each end rounded outwards; their
 * JSON, spread and destructuring have `lower` and `upper` alone.
 */
export interface Bracket {
  /** No larger than the exact value. */
  readonly lower: number;
  /** No smaller than the exact value; may be Infinity. */
  readonly upper: number;
}

/** Brackets of many values: entry i is [lower[i], upper[i]]. */
export interface Brackets {
  /** Lower ends, one an entry. */
  readonly lower: Float64Array;
  /** Upper ends, one an entry. */
  readonly upper: Float64Array;
}

/** The property by which `console.log` of Node prints an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** A bracket that prints itself. */
class Interval implements Bracket {
  constructor(
    readonly lower: number,
    readonly upper: number,
  ) {}

  toString(): string {
    return bracketText(this);
  }

  [INSPECT](): string {
    return bracketText(this);
  }

  /**
   * Both ends as text.
   * @throws TypeError where a number is needed, as in `bracket < 2`: the caller has to name the end.
   */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'number') throw wrongType('a bracket', 'read by its end: .upper or .lower', this.toString());
    return bracketText(this);
  }
}

/** The bracket [lower, upper]; an internal error if the ends are crossed or not numbers. */
export function bracket(lower: number, upper: number): Bracket {
  if (!(lower <= upper)) throw new Error(`crossed bracket [${lower}, ${upper}]`);
  return new Interval(lower, upper);
}

/** A bracket that was passed in. @throws TypeError | RangeError if its ends are no numbers, or crossed. */
export function requireBracket(option: string, value: unknown): Bracket {
  const { lower, upper } = (value ?? {}) as Partial<Bracket>;
  if (typeof lower !== 'number' || typeof upper !== 'number')
    throw wrongType(option, 'a bracket { lower, upper }', value);
  if (!(lower <= upper)) throw wrongValue(option, 'a bracket with lower <= upper', `[${lower}, ${upper}]`);
  return value as Bracket;
}

/** [min(lower, upper), upper]: for ends that rounding may have exchanged. */
export function ordered(lower: number, upper: number): Bracket {
  return bracket(Math.min(lower, upper), upper);
}

/** The bracket of an exactly known value. */
export function exactly(value: number): Bracket {
  return bracket(value, value);
}

/**
 * The bracket value ± relative·|value|, widened by the least double against underflow.
 *
 * Ensures: holds every number within `relative`·|value| of the value.
 */
export function aroundRelative(value: number, relative: number): Bracket {
  const slack = value === 0 ? 0 : Math.max(Math.abs(value) * relative, Number.MIN_VALUE);
  return bracket(value - slack, value + slack);
}

/**
 * Bracket of max(a, b).
 *
 * Ensures: holds max(a, b).
 */
export function maxBracket(a: Bracket, b: Bracket): Bracket {
  return bracket(Math.max(a.lower, b.lower), Math.max(a.upper, b.upper));
}

/**
 * Intersection of two brackets of one value; ends that rounding has exchanged become equal.
 *
 * Ensures: holds the value, if both brackets do and rounding has not exchanged their ends.
 */
export function overlap(a: Bracket, b: Bracket): Bracket {
  return ordered(Math.max(a.lower, b.lower), Math.min(a.upper, b.upper));
}

/** Width of a bracket of ε or μ, divided by its upper end, or by 1e-6 if that is larger. */
export function relativeWidth({ lower, upper }: Bracket): number {
  if (upper === lower) return 0;
  return upper === Infinity ? Infinity : (upper - lower) / Math.max(upper, 1e-6);
}

/** Width of a bracket of a logarithm. */
export function absoluteWidth({ lower, upper }: Bracket): number {
  return upper === lower ? 0 : upper - lower;
}
