import { requireFields, requireList, requireNumber, wrongValue } from '../errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import type { Knob } from './knob.js';

/** The unknown itself, and a multiple of it, in place of a number of a mechanism. */
const UNKNOWN = '?';
/** Values of the unknown that are tried: these of each decade from 10^−9 to 10^9. */
const STEPS = [1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5] as const;
const DECADES = 9;

/**
 * A mechanism as JSON in which numbers are missing: `"?"` is the unknown, `{ "times": 2 }` twice the unknown. The larger the unknown, the
 * more private the mechanism must be, as where it stands for noise alone.
 *
 * @throws TypeError | RangeError for what is no such mechanism, naming the place.
 * @example
 * const parts = [{ kind: 'gaussian', noiseMultiplier: '?' }, { kind: 'laplace', scale: { times: 2 }, sensitivity: 1 }];
 * calibrate(engine, scaleKnob({ kind: 'compose', parts }), { epsilon: 1, delta: 1e-5 }).value; // 4.03715
 */
export function scaleKnob(template: unknown): Knob {
  const mechanismAt = (value: number): Mechanism => parseMechanism(filled(template, value).made);
  if (!filled(template, 1).found)
    throw wrongValue('mechanism', 'one with "?" for its unknown number', template);
  const { least, most } = rangeOf(mechanismAt);
  return { name: 'noise', least, most, larger: 'more-private', mechanismAt, guess: (mu) => 1 / mu };
}

/** Nesting deeper than this is no mechanism. */
const MOST_NESTED = 1000;

/** The template with a value for its unknown. */
function filled(template: unknown, value: number, depth = 0): { made: unknown; found: boolean } {
  if (depth > MOST_NESTED) throw wrongValue('mechanism', `nested at most ${MOST_NESTED} deep`, template);
  if (template === UNKNOWN) return { made: value, found: true };
  if (typeof template !== 'object' || template === null) return { made: template, found: false };
  if (Object.hasOwn(template, 'times')) {
    requireFields('the unknown', template, ['times']);
    const times = requireNumber('times', (template as { times?: unknown }).times, 'a number in [1e-9, 1e9]');
    return { made: times * value, found: true };
  }
  const parts = Object.entries(template).map(
    ([name, part]) => [name, filled(part, value, depth + 1)] as const,
  );
  const found = parts.some(([, part]) => part.found);
  const made = parts.map(([name, part]) => [name, part.made] as const);
  return { made: Array.isArray(template) ? made.map(([, part]) => part) : Object.fromEntries(made), found };
}

/** The values, next to each other, that the mechanism takes. @throws what it throws for 1 where it takes none. */
function rangeOf(mechanismAt: (value: number) => Mechanism): { least: number; most: number } {
  const takes = (value: number): boolean => {
    try {
      mechanismAt(value);
      return true;
    } catch {
      return false;
    }
  };
  const values = Array.from({ length: 2 * DECADES * STEPS.length + 1 }, (_, i) =>
    Number(`${STEPS[i % STEPS.length]}e${Math.floor(i / STEPS.length) - DECADES}`),
  );
  const first = values.findIndex(takes);
  if (first < 0) mechanismAt(1);
  let last = first;
  while (last + 1 < values.length && takes(values[last + 1])) last++;
  return { least: values[first], most: values[last] };
}

/** A part of a budget, and the mechanism that is to spend it. */
export interface Share {
  /** Above 0; all together at most 1. */
  readonly share: number;
  /** A mechanism as JSON with `"?"` in place of its unknown number (`scaleKnob`). */
  readonly mechanism: unknown;
}

/** @throws TypeError | RangeError unless there are 1 to 100 shares, above 0, of at most 1 together. */
export function requireShares(given: unknown): readonly Share[] {
  const shares = requireList('shares', given, '{ share, mechanism }', 1, 100) as readonly Share[];
  let sum = 0;
  for (const [i, each] of shares.entries()) {
    requireFields(`shares[${i}]`, each, ['share', 'mechanism']);
    sum += requireNumber(`shares[${i}].share`, each.share, 'a number in (0, 1]');
  }
  if (sum > 1 + 1e-12) throw wrongValue('shares', 'at most 1 together', sum);
  return shares;
}
