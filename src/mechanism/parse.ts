import {
  type Checks,
  InputRangeError,
  placed,
  requireKind,
  requireList,
  requireOneOf,
  requireStated,
  wrongValue,
} from '../errors.js';
import { BAND_MF, FIXED_BATCHES, TREE_AGGREGATION } from './fixed-order.js';
import { iteratePhases } from './iterate-phases.js';
import { type Kind, type MechanismFacts, type StatedKind, stated } from './kind.js';
import * as kinds from './kinds/index.js';
import { JOINT_KIND } from './kinds/joint.js';
import { PARALLEL_KIND } from './kinds/parallel.js';
import { RANDOM_ALLOCATION_KIND } from './kinds/random-allocation.js';
import { SELECT_KIND } from './kinds/select.js';
import {
  compose,
  dpSgd,
  type Mechanism,
  type PoissonSubsampled,
  poissonSubsampled,
  type Repeat,
  repeat,
  type WithoutReplacement,
  withoutReplacement,
} from './mechanism.js';
import type { Basic } from './pairs.js';

export type { MechanismFacts } from './kind.js';

/** How a kind of mechanism is stated in JSON, and facts about it. */
interface Statement extends MechanismFacts {
  /** Names of the fields beside `kind`; a name that ends in `?` may be left out. */
  readonly fields: readonly string[];
  /** Checks of the fields of a single release, by name. */
  readonly checks?: Checks;
  /** Builds the mechanism from its fields, of which `inner` and `parts` are mechanisms. */
  build(given: never): Mechanism;
}

/** All kinds of single releases. */
const ALL_KINDS: readonly Kind<Basic>[] = Object.values({
  ...kinds,
  SELECT_KIND,
  JOINT_KIND,
  PARALLEL_KIND,
  RANDOM_ALLOCATION_KIND,
}).flatMap((each) => (typeof each === 'object' ? [each as Kind<never>] : []));

/** The adjacencies for which a kind has a theorem, in words: the text for kinds that do not state one. */
function adjacencyOf({ adjacencies, doubled }: Pick<Kind<Basic>, 'adjacencies' | 'doubled'>): string {
  if (adjacencies !== undefined) return adjacencies.join(' and ');
  return doubled === undefined
    ? 'any: the guarantee is taken to hold under the adjacency of the account'
    : 'add-remove and zero-out; replace-one doubles the sensitivity';
}

/** The statement of a kind, from its table of fields. */
function statementOf(kind: StatedKind<Mechanism> & Pick<Kind<Basic>, 'adjacencies' | 'doubled'>): Statement {
  const { fields, build, adjacency = adjacencyOf(kind) } = kind;
  return {
    ...kind,
    fields: Object.keys(fields),
    checks: fields,
    build: build as Statement['build'],
    adjacency,
  };
}

/** Statements of the kinds that are not single releases. */
const COMBINED: Readonly<Record<string, Statement>> = {
  'dp-sgd': {
    fields: ['noiseMultiplier', 'samplingRate', 'steps', 'recordsPerPerson?'],
    build: dpSgd,
    title: 'DP-SGD',
    standing: 'exact',
    adjacency: 'add-remove and zero-out; replace-one by a pair of its own, for one record a person',
    tail: 'Gaussian, mu_t = sqrt(steps)/noiseMultiplier',
    source: 'Abadi et al. 2016',
  },
  'iterate-phases': {
    fields: ['batches', 'phases'],
    build: iteratePhases,
    title: 'Last iterate of phases',
    standing: 'bound',
    adjacency: 'zero-out; replace-one doubles the sensitivity',
    tail: 'Gaussian, mu_t is the mu of the whole',
    source: 'Bok, Su, Altschuler 2024; docs/proofs/last-iterate.md, 6',
  },
  'fixed-batches': statementOf(FIXED_BATCHES),
  'band-mf': statementOf(BAND_MF),
  'tree-aggregation': statementOf(TREE_AGGREGATION),
  'poisson-subsampled': {
    fields: ['inner', 'rate'],
    build: ({ inner, rate }: PoissonSubsampled) => poissonSubsampled(inner, { rate }),
    title: 'Poisson sample',
    standing: 'inner',
    adjacency: 'add-remove and zero-out; replace-one for Gaussian noise',
    tail: 'that of the inner mechanism, in the direction of removal',
    source: 'Balle, Barthe, Gaboardi 2018, thm 8',
  },
  'without-replacement': {
    fields: ['inner', 'sampleSize', 'datasetSize'],
    build: ({ inner, ...sizes }: Omit<WithoutReplacement, 'kind'>) => withoutReplacement(inner, sizes),
    title: 'Sample without replacement',
    standing: 'inner',
    adjacency: 'replace-one',
    tail: 'that of the inner mechanism',
    source: 'Balle, Barthe, Gaboardi 2018',
  },
  repeat: {
    fields: ['inner', 'count'],
    build: ({ inner, count }: Repeat) => repeat(inner, count),
    title: 'Repetition',
    standing: 'inner',
    adjacency: 'that of the inner mechanism',
    tail: 'mu_t = sqrt(count) times that of the inner mechanism',
    source: 'Dong, Roth, Su 2022, cor. 3.3',
  },
  compose: {
    fields: ['parts'],
    build: ({ parts }: { parts: readonly Mechanism[] }) => compose(parts),
    title: 'Composition',
    standing: 'inner',
    adjacency: 'one that all parts share',
    tail: 'mu_t^2 is the sum of those of the parts',
    source: 'Dong, Roth, Su 2022, cor. 3.3',
  },
};

/** Statements of all kinds, by the name of the kind. */
export const STATEMENTS: Readonly<Record<string, Statement>> = {
  ...Object.fromEntries(
    ALL_KINDS.map((kind) => [kind.name, statementOf({ ...kind, build: (fields) => stated(kind, fields) })]),
  ),
  ...COMBINED,
};

/** The `kind`s a mechanism may have. */
export const MECHANISM_KINDS: readonly string[] = Object.keys(STATEMENTS);
const LISTED = 'kinds of docs/mechanisms.md';

/**
 * The adjacency, the tail, the standing and the source of a kind of mechanism.
 *
 * @throws TypeError | RangeError if `kind` is not one of `MECHANISM_KINDS`.
 * @example
 * factsOf('laplace').title; // 'Laplace noise'
 */
export function factsOf(kind: string): MechanismFacts {
  const { title, standing, adjacency, tail, source, wide } =
    STATEMENTS[requireOneOf('kind', kind, MECHANISM_KINDS, LISTED)];
  return { title, standing, adjacency, tail, source, ...(wide !== undefined && { wide }) };
}

/** Deepest nesting of parsed data: deeper data is taken for a mistake. */
const MAX_DEPTH = 100;
/** Largest number of parts of a composition. */
const MAX_PARTS = 1_000_000;

/**
 * Checks data read from elsewhere (a JSON file, say) and returns it as a mechanism.
 *
 * @throws TypeError | RangeError naming the place: an unknown kind, a missing, wrong or unknown field.
 * @example
 * parseMechanism({ kind: 'laplace', scale: 5, sensitivity: 1 }).kind; // 'laplace'
 */
export function parseMechanism(value: unknown): Mechanism {
  return visit(value, 0, 'mechanism', { depths: [], equal: new Map() });
}

/** Mechanisms that have been parsed so far, so that equal ones become one object. */
interface Known {
  /** Mechanisms with parts, by depth and by the object they were parsed from. */
  readonly depths: Map<unknown, Mechanism>[];
  /** Mechanisms without parts, by their JSON text. */
  readonly equal: Map<string, Mechanism>;
}

/** Largest number of mechanisms cached by their text. Only speed depends on it. */
const MOST_KEPT = 1000;

/** The path of a part, for messages, such as `mechanism.parts[0].inner`; the middle of a long path is left out. */
function below(place: string, part: string): string {
  const parts = [...place.split('.'), part];
  return (parts.length > 7 ? [...parts.slice(0, 2), '…', ...parts.slice(-3)] : parts).join('.');
}

/** The cached mechanism that equals `made`, or `made` itself. */
function onceOf(made: Mechanism, { equal }: Known): Mechanism {
  const text = JSON.stringify(made);
  const before = equal.get(text);
  if (before === undefined && equal.size < MOST_KEPT) equal.set(text, made);
  return before ?? made;
}

/** Refuses unknown kinds whose name speaks of shuffled local randomisers. @throws RangeError that names the kind `shuffle-model`. */
function requireNoShuffler(place: string, value: unknown): void {
  const { kind } = Object(value) as { readonly kind?: unknown };
  if (typeof kind !== 'string' || MECHANISM_KINDS.includes(kind)) return;
  if (/shuffl|local.?(?:dp|random)/i.test(kind))
    throw new InputRangeError(
      `"${place}.kind": a shuffler of local randomisers is {"kind": "shuffle-model", "epsilon": …, "users": …}`,
    );
}

/** Parses data at a place and depth, and its parts. @throws TypeError | RangeError naming the place. */
function visit(value: unknown, depth: number, place: string, known: Known): Mechanism {
  if (depth > MAX_DEPTH) throw wrongValue(place, `nested at most ${MAX_DEPTH} deep`, depth);
  const before = known.depths[depth]?.get(value);
  if (before !== undefined) return before;
  requireNoShuffler(place, value);
  const name = requireKind(place, value, MECHANISM_KINDS, LISTED);
  const { kind: _, ...given } = value as Record<string, unknown>;
  const { fields, build } = STATEMENTS[name];
  requireStated(place, given, fields, `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`);
  try {
    const { inner, parts } = given;
    const made = (part: unknown, name: string): Mechanism =>
      visit(part, depth + 1, below(place, name), known);
    const whole = build({
      ...given,
      ...(inner !== undefined && { inner: made(inner, 'inner') }),
      ...(parts !== undefined && {
        parts: requireList(`${place}.parts`, parts, 'mechanisms', 0, MAX_PARTS).map((part, i) =>
          made(part, `parts[${i}]`),
        ),
      }),
    } as never);
    if (inner === undefined && parts === undefined) return depth === 0 ? whole : onceOf(whole, known);
    known.depths[depth] ??= new Map();
    known.depths[depth].set(value, whole);
    return whole;
  } catch (error) {
    throw placed(error, place);
  }
}
