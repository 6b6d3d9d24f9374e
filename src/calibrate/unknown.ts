import {
  isInputError,
  requireFields,
  requireList,
  requireNumber,
  requireOneOf,
  requireWhole,
  wrongValue,
} from '../errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism, STATEMENTS } from '../mechanism/parse.js';
import { stepsOf } from '../mechanism/steps.js';
import { LONG_SUM, TO_KEPT_DIGITS } from '../numeric/rounding.js';
import { exp, log } from '../numeric/scalar.js';
import { firstBetween, turningPoint } from '../numeric/solve.js';
import { phaseIn } from '../read/phase-row.js';
import type { Unknown } from './goal.js';
import { guessed } from './guess.js';

/** A field of mechanisms that may be solved for. Fields with the same `kind` may be one unknown together. */
interface Field extends Pick<Unknown, 'name' | 'least' | 'most' | 'whole' | 'larger'> {
  readonly kind: string;
}

/** A field with its direction, name and range. */
const field = (
  larger: Unknown['larger'],
  name: string,
  [least, most]: readonly [number, number],
  more: { readonly kind?: string; readonly whole?: true } = {},
): Field => ({ name, kind: name, least, most, larger, ...more });

const [MORE, LESS] = ['more-private', 'less-private'] as const;
const [NOISE, WHOLE] = [{ kind: 'noise' }, { whole: true }] as const;
const COUNTS = [1, Number.MAX_SAFE_INTEGER] as const;
const RATE = field(LESS, 'sampling rate', [1e-12, 1]);
const STEPS = field(LESS, 'steps', COUNTS, WHOLE);

/** What `unknownOf` can solve for: epochs, and the fields of mechanisms in which privacy is monotone. */
export type UnknownName =
  | 'noiseMultiplier'
  | 'sigma'
  | 'scale'
  | 'variance'
  | 'trials'
  | 'samplingRate'
  | 'rate'
  | 'sampleSize'
  | 'steps'
  | 'count'
  | 'epochs'
  | 'mu'
  | 'rho'
  | 'epsilon'
  | 'delta'
  | 'sensitivity'
  | 'bins'
  | 'recordsPerPerson';

/** What can be solved for: fields of mechanisms, with the direction in which privacy decreases and the range searched. */
const FIELDS: Readonly<Record<UnknownName, Field>> = {
  noiseMultiplier: field(MORE, 'noise multiplier', [1e-9, 1e9], NOISE),
  sigma: field(MORE, 'sigma', [1e-9, 1e9], NOISE),
  scale: field(MORE, 'scale', [1e-300, 1e300], NOISE),
  variance: field(MORE, 'variance', [0.01, 1e8]),
  trials: field(MORE, 'trials', [1, 4e8], WHOLE),
  samplingRate: RATE,
  rate: RATE,
  sampleSize: field(LESS, 'batch size', [1, 1e9], WHOLE),
  steps: STEPS,
  count: field(LESS, 'count', COUNTS, WHOLE),
  epochs: field(LESS, 'epochs', COUNTS, WHOLE),
  mu: field(LESS, 'mu', [1e-9, 1e9]),
  rho: field(LESS, 'rho', [1e-12, 1e9]),
  epsilon: field(LESS, 'epsilon', [1e-12, 1e6]),
  delta: field(LESS, 'delta', [1e-300, 1]),
  sensitivity: field(LESS, 'sensitivity', [1e-300, 1e300]),
  bins: field(MORE, 'bins', [1, 1e6], WHOLE),
  recordsPerPerson: field(LESS, 'records per person', [1, 1023], WHOLE),
};

const UNKNOWN_NAMES = Object.keys(FIELDS) as readonly UnknownName[];
/** Kinds of mechanisms that are one epoch of steps. */
const EPOCHS = ['balls-and-bins', 'shuffled', 'fixed-batches', 'tree-aggregation'];

/** A field of a mechanism as an unknown; undefined if privacy is not monotone in it. */
function fieldIn({ kind, inner }: { kind?: unknown; inner?: unknown }, name: string): Field | undefined {
  if (name === 'epochs' || !Object.hasOwn(FIELDS, name) || typeof kind !== 'string') return undefined;
  // a record is in one batch of an epoch in a fixed order, however many there are
  if (kind === 'fixed-batches' && name === 'bins') return undefined;
  const repeated = (inner as { kind?: unknown } | undefined)?.kind;
  if (kind === 'repeat' && EPOCHS.includes(repeated as string)) return FIELDS.epochs;
  if (kind === 'repeat' && repeated === 'poisson-subsampled') return FIELDS.steps;
  const known = FIELDS[name as UnknownName];
  const check = Object.hasOwn(STATEMENTS, kind) ? STATEMENTS[kind].checks?.[name] : undefined;
  const [, least, most] = /^a whole number from (\S+) to (\S+)$/.exec(String(check)) ?? [];
  if (known.whole || most === undefined) return known;
  return { ...known, least: Number(least), most: Number(most), whole: true };
}

/**
 * A number of a mechanism as an unknown. Its name determines the direction in which it loses privacy and whether it is a whole number; its range is
 * what `mechanismAt` accepts.
 *
 * @throws TypeError | RangeError for an unknown name, and what `mechanismAt` throws where it accepts no value.
 * @example
 * const steps = unknownOf('steps', (steps) => dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps }));
 * calibrate(engine, steps, { epsilon: 3, delta: 1e-5 }).value; // 3712
 */
export function unknownOf(name: UnknownName, mechanismAt: (value: number) => Mechanism): Unknown {
  return solvable(FIELDS[requireOneOf('name', name, UNKNOWN_NAMES)], mechanismAt);
}

/** A field as an unknown, with the range of values that `mechanismAt` accepts, and a guess. */
function solvable(stated: Field, mechanismAt: (value: number) => Mechanism): Unknown {
  const { kind: _, ...known } = { ...stated, ...rangeOf(stated, mechanismAt), mechanismAt };
  return { ...known, guess: (allowed) => guessed(known, allowed) };
}

/** The text that stands for the unknown in a template. */
const UNKNOWN = '?';

/**
 * A mechanism as JSON in which a number is missing: `"?"` is the unknown, `{ "times": 2 }` twice the unknown. An Opacus history may have one too.
 * It may stand for noise (`noiseMultiplier`, `sigma`, `scale`), for sampling rates, batch sizes, steps, counts, `mu`, `rho`, `epsilon`, `delta`,
 * `sensitivity`, `bins` and `recordsPerPerson`; several of one kind are one unknown.
 *
 * @throws TypeError | RangeError for what is no such mechanism, naming the place.
 * @example
 * const parts = [{ kind: 'gaussian', noiseMultiplier: '?' }, { kind: 'laplace', scale: { times: 2 }, sensitivity: 1 }];
 * calibrate(engine, unknownIn({ kind: 'compose', parts }), { epsilon: 1, delta: 1e-5 }).value; // 4.03715
 */
export function unknownIn(template: unknown): Unknown {
  const stated = mechanismIn(template);
  const found = new Set<Field>();
  const at = (value: number): unknown => filled(stated, { value, found, place: 'mechanism', depth: 0 });
  at(1);
  const [first, ...others] = found;
  if (first === undefined) throw wrongValue('mechanism', 'one with "?" for its unknown number', template);
  const other = others.find(({ kind }) => kind !== first.kind);
  if (other !== undefined)
    throw wrongValue('mechanism', `one with "?" for one unknown`, `${first.name} and ${other.name}`);
  const all: Field = {
    ...first,
    name: others.length === 0 ? first.name : first.kind,
    least: Math.min(...[...found].map(({ least }) => least)),
    most: Math.max(...[...found].map(({ most }) => most)),
    ...([...found].some(({ whole }) => whole) && WHOLE),
  };
  return solvable(all, (value) => parseMechanism(at(value)));
}

/** A template as JSON of a mechanism: a training history, a list of [noise, rate, steps], becomes a composition; so does one phase. */
function mechanismIn(template: unknown): unknown {
  if (typeof template !== 'object' || template === null || 'kind' in template) return template;
  const { history = template } = template as { history?: unknown };
  const phase = Array.isArray(template) ? undefined : phaseIn(template as Record<string, unknown>);
  const phases = phase === undefined ? history : [phase];
  if (!Array.isArray(phases) || !phases.every((each) => Array.isArray(each) && each.length === 3))
    return template;
  const parts = phases.map(([noiseMultiplier, samplingRate, steps]) => ({
    ...{ kind: 'dp-sgd', noiseMultiplier, samplingRate, steps },
  }));
  return { kind: 'compose', parts };
}

/** Deepest nesting of a template. */
const MOST_NESTED = 1000;

/** A place in a template, and what is known there. */
interface Place {
  readonly value: number;
  /** The fields in which the unknown has been found. */
  readonly found: Set<Field>;
  readonly place: string;
  readonly depth: number;
  /** The field at this place, if it may be solved for. */
  readonly here?: Field | undefined;
}

/** The template with a value in place of its unknown. @throws TypeError | RangeError if the unknown stands where none is allowed. */
function filled(template: unknown, at: Place): unknown {
  const { value, found, place, depth, here } = at;
  if (depth > MOST_NESTED) throw wrongValue('mechanism', `nested at most ${MOST_NESTED} deep`, template);
  const times = timesIn(template, at);
  if (times !== undefined && here !== undefined) {
    found.add(here);
    return times * value;
  }
  if (times !== undefined) {
    const names = [...new Set(Object.values(FIELDS).map(({ name }) => name))];
    throw wrongValue(
      place,
      `a number: "?" stands for ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
      '?',
    );
  }
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template))
    return template.map((part, i) =>
      filled(part, { value, found, place: `${place}[${i}]`, depth: depth + 1 }),
    );
  const parts = Object.entries(template).map(([name, part]) => {
    const next = { value, found, place: `${place}.${name}`, depth: depth + 1, here: fieldIn(template, name) };
    return [name, filled(part, next)] as const;
  });
  return Object.fromEntries(parts);
}

/** The factor of the unknown at this place: 1 for `"?"`, `times` for an object; undefined if neither is there. */
function timesIn(template: unknown, { place, here }: Place): number | undefined {
  if (template === UNKNOWN) return 1;
  if (typeof template !== 'object' || template === null || !Object.hasOwn(template, 'times'))
    return undefined;
  requireFields(place, template, ['times']);
  const { times } = template as { times?: unknown };
  return here?.whole
    ? requireWhole(`${place}.times`, times, 1, 1e9)
    : requireNumber(`${place}.times`, times, 'a number in [1e-9, 1e9]');
}

/** Range in which valid values are searched, by steps of e^{1/4} from 1. */
const [FIRST, LAST] = [1e-12, 1e12];

/** The valid values of the unknown. @throws what the mechanism throws for the value nearest to 1, if none is valid. */
function rangeOf(
  { least, most, whole = false }: Field,
  mechanismAt: (value: number) => Mechanism,
): Pick<Unknown, 'least' | 'most'> {
  const takes = (value: number): boolean => {
    try {
      return stepsOf(mechanismAt(value)) !== undefined;
    } catch (error) {
      if (!isInputError(error)) throw error;
      return false;
    }
  };
  const valueAt = (u: number): number => {
    if (u <= log(least) || u >= log(most)) return u >= log(most) ? most : least;
    return whole ? Math.round(exp(u)) : exp(u);
  };
  const [low, high] = [Math.max(log(least), log(FIRST)), Math.min(log(most), log(LAST))];
  const near = Math.min(Math.max(0, low), high);
  const tried = [near];
  for (let step = 1; near - step / 4 > low || near + step / 4 < high; step++)
    tried.push(...[near - step / 4, near + step / 4].filter((u) => u > low && u < high));
  const start = [...tried, low, high].find((u) => takes(valueAt(u)));
  if (start === undefined) {
    mechanismAt(valueAt(near));
    throw wrongValue('mechanism', 'one that takes some value for its unknown number', least);
  }
  /** The valid value nearest to a limit of the range, by bisection between that limit and the valid value `start`. */
  const end = (limit: number, away: 1 | -1): number => {
    if (takes(limit)) return limit;
    if (whole)
      return away > 0
        ? firstBetween(limit, valueAt(start), takes)
        : firstBetween(valueAt(start), limit, (value) => !takes(value)) - 1;
    const search = {
      guess: away * start,
      floor: away * log(limit),
      ceiling: away * start,
      relative: TO_KEPT_DIGITS,
    };
    return valueAt(away * turningPoint((x) => takes(valueAt(away * x)), search).high);
  };
  return { least: end(least, 1), most: end(most, -1) };
}

/** A share of a budget, and the mechanism that spends it. */
export interface Share {
  /** The share, above 0; all shares together are at most 1. */
  readonly share: number;
  /** A mechanism as JSON with `"?"` in place of its unknown number (`unknownIn`). */
  readonly mechanism: unknown;
}

/** Returns the shares. @throws TypeError | RangeError unless there are 1 to 100, each above 0, and at most 1 together. */
export function requireShares(given: unknown): readonly Share[] {
  const shares = requireList('shares', given, '{ share, mechanism }', 1, 100) as readonly Share[];
  let sum = 0;
  for (const [i, each] of shares.entries()) {
    requireFields(`shares[${i}]`, each, ['share', 'mechanism']);
    sum += requireNumber(`shares[${i}].share`, each.share, 'a number in (0, 1]');
  }
  if (sum > 1 + LONG_SUM) throw wrongValue('shares', 'at most 1 together', sum);
  return shares;
}
