import { InputTypeError, placed, unknownName, wrongType, wrongValue } from '../errors.js';
import { bandMf, fixedBatches, treeAggregation } from './fixed-order.js';
import type { Kind } from './kind.js';
import * as kinds from './kinds/index.js';
import { JOINT_KIND, joint } from './kinds/joint.js';
import { SELECT_KIND, select } from './kinds/select.js';
import {
  compose,
  dpSgd,
  type Mechanism,
  poissonSubsampled,
  repeat,
  withoutReplacement,
} from './mechanism.js';
import type { Basic } from './pairs.js';
import type { Tries } from './tries.js';

/** Nesting deeper than this is a mistake, not a mechanism. */
const MAX_DEPTH = 100;
const MAX_PARTS = 1_000_000;

type Fields = Record<string, unknown>;

interface Parser {
  readonly fields: readonly string[];
  readonly optional?: readonly string[];
  make(fields: Fields, depth: number, place: string): Mechanism;
}

/** Builders check their own numbers, so the fields may be handed over as they are. */
function simple<O>(
  fields: readonly string[],
  build: (options: O) => Mechanism,
  optional: readonly string[] = [],
): Parser {
  return { fields, optional, make: (given) => build(given as O) };
}

/** Every kind of single release. */
export const ALL_KINDS: readonly Kind<Basic>[] = Object.values({ ...kinds, SELECT_KIND, JOINT_KIND }).flatMap(
  (each) => (typeof each === 'object' ? [each as Kind<never>] : []),
);

const SINGLE = ALL_KINDS.map(({ name, fields, optional, build }) => [
  name,
  simple(fields, build as (options: unknown) => Mechanism, optional),
]);

const PARSERS: Readonly<Record<string, Parser>> = {
  ...Object.fromEntries(SINGLE),
  select: {
    fields: ['runs', 'inner'],
    make: ({ runs, inner }, depth, place) =>
      select({ runs: runs as Tries, inner: visit(inner, depth, below(place, 'inner')) }),
  },
  joint: {
    fields: ['parts'],
    make: ({ parts }, depth, place) => joint({ parts: partsOf(parts, depth, place) }),
  },
  'dp-sgd': simple(['noiseMultiplier', 'samplingRate', 'steps'], dpSgd, ['recordsPerPerson']),
  'fixed-batches': simple(['noiseMultiplier'], fixedBatches, ['bins', 'places']),
  'band-mf': simple(['noiseMultiplier', 'samplingRate', 'bands', 'steps'], bandMf, ['places']),
  'tree-aggregation': simple(['noiseMultiplier', 'steps'], treeAggregation, ['places']),
  'poisson-subsampled': {
    fields: ['inner', 'rate'],
    make: (given, depth, place) =>
      poissonSubsampled(visit(given['inner'], depth, below(place, 'inner')) as Basic, {
        rate: given['rate'] as number,
      }),
  },
  'without-replacement': {
    fields: ['inner', 'sampleSize', 'datasetSize'],
    make: ({ inner, ...sizes }, depth, place) =>
      withoutReplacement(
        visit(inner, depth, below(place, 'inner')) as Basic,
        sizes as { sampleSize: number; datasetSize: number },
      ),
  },
  repeat: {
    fields: ['inner', 'count'],
    make: (given, depth, place) =>
      repeat(visit(given['inner'], depth, below(place, 'inner')), given['count'] as number),
  },
  compose: {
    fields: ['parts'],
    make: ({ parts }, depth, place) => compose(partsOf(parts, depth, place)),
  },
};

function partsOf(parts: unknown, depth: number, place: string): Mechanism[] {
  if (!Array.isArray(parts)) throw wrongType(`${place}.parts`, 'an array of mechanisms', parts);
  if (parts.length > MAX_PARTS) throw wrongValue(`${place}.parts`, `at most ${MAX_PARTS} long`, parts);
  return parts.map((part, i) => visit(part, depth, below(place, `parts[${i}]`)));
}

/** The `kind`s a mechanism may have. */
export const MECHANISM_KINDS: readonly string[] = Object.keys(PARSERS);

/**
 * Checks data read from elsewhere (a JSON file, say) and returns it as a mechanism.
 *
 * @throws TypeError | RangeError naming the place: an unknown kind, a missing, wrong or unknown field.
 * @example
 * parseMechanism({ kind: 'laplace', scale: 5, sensitivity: 1 }).kind; // 'laplace'
 */
export function parseMechanism(value: unknown): Mechanism {
  return visit(value, 0, 'mechanism');
}

/** The place of a part; of a deep one its ends alone, which a message can print. */
function below(place: string, part: string): string {
  const parts = [...place.split('.'), part];
  return (parts.length > 7 ? [...parts.slice(0, 2), '…', ...parts.slice(-3)] : parts).join('.');
}

function visit(value: unknown, depth: number, place: string): Mechanism {
  if (depth > MAX_DEPTH) throw wrongValue(place, `nested at most ${MAX_DEPTH} deep`, depth);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongType(place, 'an object with a "kind"', value);
  }
  const { kind: name, ...given } = value as Fields;
  if (typeof name !== 'string')
    throw wrongType(`${place}.kind`, `one of ${MECHANISM_KINDS.join(', ')}`, name);
  if (!Object.hasOwn(PARSERS, name)) {
    throw wrongValue(`${place}.kind`, `one of ${MECHANISM_KINDS.join(', ')}`, name);
  }
  const { fields, optional = [], make } = PARSERS[name];
  for (const field of Object.keys(given)) {
    if (!fields.includes(field) && !optional.includes(field)) {
      throw unknownName(field, `a ${name} has`, [...fields, ...optional], `${place}.`);
    }
  }
  for (const field of fields) {
    if (given[field] === undefined)
      throw new InputTypeError(`"${place}.${field}" is missing: a ${name} needs it`);
  }
  try {
    return make(given, depth + 1, place);
  } catch (error) {
    throw placed(error, place);
  }
}
