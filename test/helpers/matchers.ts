import { expect } from 'vitest';
import type { Bracket } from '../../src/numeric/bracket.js';

interface Slack {
  /** What the value itself may be off by, absolutely and relative to it; default 0. */
  readonly absolute?: number;
  readonly relative?: number;
}

interface BracketMatchers<R> {
  /** The bracket contains a value, or all of a second bracket, or comes within `slack` of it. */
  toContainValue(value: number | Bracket, slack?: Slack): R;
  /** The bracket overlaps another: both may hold the same value. */
  toOverlap(other: Bracket): R;
  /** upper − lower is at most this. */
  toBeNoWiderThan(width: number): R;
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Matchers<T = any> extends BracketMatchers<T> {}
}

const shown = (bracket: unknown): string => {
  const { lower, upper } = (bracket ?? {}) as Partial<Bracket>;
  return `[${lower}, ${upper}]`;
};

function isBracket(value: unknown): value is Bracket {
  const { lower, upper } = (value ?? {}) as Partial<Bracket>;
  return typeof lower === 'number' && typeof upper === 'number' && lower <= upper;
}

/** A bracket that is none (crossed, NaN, an end missing) passes neither a matcher nor its negation. */
function requireBracket(value: unknown): Bracket {
  if (!isBracket(value)) throw new TypeError(`expected a bracket, got ${shown(value)}`);
  return value;
}

expect.extend({
  toContainValue(received: unknown, value: number | Bracket, { absolute = 0, relative = 0 }: Slack = {}) {
    const { lower, upper } = requireBracket(received);
    const inner = requireBracket(typeof value === 'number' ? { lower: value, upper: value } : value);
    const slack = (x: number) => (Number.isFinite(x) ? absolute + relative * Math.abs(x) : 0);
    return {
      pass: lower <= inner.lower + slack(inner.lower) && inner.upper - slack(inner.upper) <= upper,
      message: () =>
        `${shown(received)} ${this.isNot ? 'contains' : 'does not contain'} ${typeof value === 'number' ? value : shown(value)}`,
    };
  },
  toOverlap(received: unknown, other: Bracket) {
    const a = requireBracket(received);
    const b = requireBracket(other);
    return {
      pass: a.lower <= b.upper && b.lower <= a.upper,
      message: () => `${shown(a)} ${this.isNot ? 'overlaps' : 'does not overlap'} ${shown(b)}`,
    };
  },
  toBeNoWiderThan(received: unknown, width: number) {
    const { lower, upper } = requireBracket(received);
    return {
      pass: lower === upper || upper - lower <= width,
      message: () => `${shown(received)} is ${upper - lower} wide, more than ${width}`,
    };
  },
});
