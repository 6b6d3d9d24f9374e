import {
  type Checks,
  fieldName,
  fieldsOf,
  requireNumber,
  requireOneOf,
  requireOptions,
  wrongValue,
} from '../errors.js';
import type { WholeNoise } from '../law/integer-noise.js';
import type { Ends } from '../law/moment-bounds.js';
import type { Pair } from '../law/pair.js';
import type { Family } from '../methods/families/family.js';
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import type { Adjacency } from './adjacency.js';
import type { Drawing } from './theorems.js';

/** Facts about a kind of mechanism that do not depend on its numbers. */
export interface MechanismFacts {
  /** Name of the kind, in words. */
  readonly title: string;
  /** What its curve is. 'exact': the mechanism's own; 'bound': what a stated guarantee implies; 'inner': that of its parts. */
  readonly standing: 'exact' | 'bound' | 'inner';
  /** Which data sets are neighbours for its sensitivity. */
  readonly adjacency: string;
  /** δ(ε) as ε → ∞, and the tail limit μ_t. */
  readonly tail: string;
  /** The papers or proofs that the pair of the kind is from. */
  readonly source: string;
  /** Runs whose brackets are known to be wider than asked for. */
  readonly wide?: string;
}

/** How mechanisms `M` are stated. */
export interface StatedKind<M> extends Omit<MechanismFacts, 'adjacency'> {
  /** Everything beside `kind` that JSON and a builder's options may state, in order; a name that ends in `?` may be left out. */
  readonly fields: Checks;
  /** Text on which data sets are neighbours; if absent, it follows from `adjacencies` and `doubled`. */
  readonly adjacency?: string;
  /** Makes the mechanism from the fields, if that takes more than `built`. */
  build?(options: never): M;
}

/** Everything the library knows about one kind of single release `M`: a file of `kinds/` each, exported by its `index.ts`. */
export interface Kind<M> extends StatedKind<M> {
  /** The field `kind` of the kind's mechanisms. */
  readonly name: string;
  /** A short description, as in a table cell. */
  describe(mechanism: M): string;
  pair(mechanism: M): Pair;
  /** The families that its pairs may be of. */
  readonly families: readonly Family[];
  /** The release under replacement of one record, for noise stated in add/remove units. Absent if the statement does not depend on the adjacency. */
  doubled?(mechanism: M): M;
  /** Set if the release draws its own batches: it cannot run on a sample, and its adjacencies are those of the drawing. */
  readonly drawing?: Drawing;
  /** Set if no theorem covers it on a sample: its pair is attained only together with other records, which a sample may lack. */
  readonly unsampled?: true;
  /** The adjacencies for which there is a theorem; all if absent. */
  readonly adjacencies?: readonly Adjacency[];
  /**
   * Mechanisms that some data set realises under the adjacency, in its units. They give lower bounds where the pair is only known to dominate.
   * `onAll`: without sampling, where there may be none although samples have some.
   */
  attacks?(mechanism: M, adjacency: Adjacency, onAll?: boolean): readonly { readonly kind: string }[];
  /** Releases which together dominate this one, each with a count: set if that is sharper than its own pair. */
  parts?(mechanism: M, adjacency: Adjacency): readonly Part[] | undefined;
  /**
   * The cost of replacing the release by its parts: they dominate a hypothetical output that is (ε, δ)-close to the release's, in both directions.
   */
  closeness?(mechanism: M, adjacency: Adjacency, logLost?: number): Closeness | undefined;
  /** If there is such a closeness: a release that some data set attains without it. */
  unchained?(mechanism: M): M;
  /** The release stated by a sharper pair: set where its own pair is only quicker to compose, or is the whole run. */
  alike?(mechanism: M, isSingle: boolean): M | undefined;
  /** A release that dominates this one together with an event of that probability that reveals all: set where that is quicker to compose. */
  mostly?(mechanism: M): { readonly mechanism: M; readonly logLost: number } | undefined;
  /** An upper bound of log δ(ε) of one release that is tighter than its pair, where the pair only dominates. */
  alone?(mechanism: M, adjacency: Adjacency): ((epsilon: number) => number) | undefined;
  /** Bounds of log δ(ε), ε ≥ 0, of a run with such releases, beside those of pairs and attacks. */
  between?(steps: readonly Part[]): Ends;
  /** log of the probability, in both worlds, of the outputs that the pair omits; these outputs are counted as revealing the record. */
  logLost?(mechanism: M, adjacency: Adjacency, onAll?: boolean): number;
  /** Whether the release reveals nothing: steps that do not are left out of a run. */
  revealsNothing?(mechanism: M): boolean;
  /** Whether the release reveals the record for certain, as one without noise does. */
  revealsAll?(mechanism: M): boolean;
  /** μ of a release that is exactly Gaussian; ∞ for noise 0. */
  gaussianMu?(mechanism: M): number | undefined;
  /** `gaussianMu` as a quotient of numbers of the mechanism, if it is one. */
  statedMu?(mechanism: M): readonly [over: number, under: number] | undefined;
  /** An equivalent release on a Poisson sample (rate 1: on all records), if there is one. The sampled form is numerically more accurate. */
  sampled?(
    mechanism: M,
  ): { readonly rate: number; readonly mechanism: { readonly kind: string } } | undefined;
  /** An equivalent release on a sample of fixed size, with that share of the records, if there is one. */
  drawn?(mechanism: M): { readonly share: number; readonly mechanism: { readonly kind: string } } | undefined;
  /**
   * A release that meets the guarantee and attains the pair of several steps on fixed-size samples. It tells three records apart: the record, its
   * replacement, and any other. It may be the release itself.
   */
  drawnApart?(mechanism: M): { readonly kind: string } | undefined;
  /** Its noise of whole numbers, symmetric and log-concave: set where a record changes one number. */
  noise?(mechanism: M): WholeNoise | undefined;
  /** The ε for which it is ε-DP, as a quotient of stated numbers; undefined if there is none. */
  pureDp?(mechanism: M): readonly [over: number, under: number] | undefined;
  /** A ρ for which it is ρ-zCDP, with a few roundings of error, if one is known. */
  rho?(mechanism: M): number | undefined;
  /** A ρ-zCDP guarantee as a release: set if there is a ρ, and an `attained` below the pair. */
  readonly zcdp?: (rho: number) => { readonly kind: 'zcdp'; readonly rho: number };
  /** Approximate gap between the bounds of its pair: log δ of runs with it is not asked for more narrowly. */
  width?(mechanism: M): number;
  /** A mechanism that meets the guarantee, if the pair that dominates all of them does not itself. */
  attained?(
    mechanism: M,
  ):
    | { readonly kind: 'gdp'; readonly mu: number }
    | { readonly kind: 'pure-dp'; readonly epsilon: number }
    | { readonly kind: 'randomized-response'; readonly epsilon: number; readonly categories: number };
  /** Its place among those that one number orders by privacy, as `account/near-phases.ts` proves. */
  rank?(mechanism: M): Rank | undefined;
  /** `count` releases as one of the same kind, and two releases of the kind as one, if they compose exactly. */
  readonly sum?: {
    times(mechanism: M, count: number): M;
    plus(a: M, b: M): M | undefined;
  };
}

/** A release, its number of compositions, and the rate of its Poisson sample; all records if absent. */
export interface Part {
  readonly mechanism: { readonly kind: string };
  readonly count: number;
  readonly rate?: number;
}

/** (ε, δ)-closeness of two outputs. */
export interface Closeness {
  readonly epsilon: number;
  readonly logDelta: number;
}

/** Where a mechanism stands in a family of mechanisms of one kind, ordered by privacy. */
export interface Rank {
  /** What the members of the family have in common. */
  readonly common?: number | string;
  /** Larger means less private, exactly. */
  readonly order: number;
  /** Approximate size of the loss, which decides only what is grouped. */
  readonly size: number;
  /** The rate of a Poisson sample that the mechanism draws by itself, its field `rate`: at a lower one it is more private. */
  readonly rate?: number;
  /** Set if `order` does not order by privacy: a group lies between curves made of all its members (`account/blended-steps.ts`). */
  readonly blended?: true;
}

/** Factor that rounds products and roots of a few factors down. */
export const DOWN: number = 1 - FUNCTION_ERROR;

/** The text on tails of kinds with bounded losses. */
export const BOUNDED_TAIL = 'losses are bounded: delta is 0 from some epsilon on, mu_t = 0';
export const PLACES = 'zero-out; add-remove where "places" are "kept"; replace-one doubles the sensitivity';

const kinds = new Map<string, Kind<never>>();
const all = new WeakSet<object>();

/**
 * A mechanism with these fields; registers its kind. A kind brings its laws along, so a program contains only those of the mechanisms it builds or
 * parses. The methods come with an engine.
 */
export function made<M extends { readonly kind: string }>(kind: Kind<M>, fields: Omit<M, 'kind'>): M {
  kinds.set(kind.name, kind as Kind<never>);
  const mechanism = { kind: kind.name, ...fields } as M;
  all.add(mechanism);
  return mechanism;
}

/** Checks a builder's options against `fields`, and drops those with their default value. */
export function checkedFields(
  builder: string,
  options: object | undefined,
  { fields }: Pick<StatedKind<unknown>, 'fields'>,
): Record<string, unknown> {
  requireOptions(builder, options, Object.keys(fields).map(fieldName) as never[]);
  return fieldsOf(options, fields);
}

/** The mechanism that a builder makes of its options; its name in messages is that of the kind, unless given. */
export function built<M extends { readonly kind: string }>(
  kind: Kind<M>,
  options: object | undefined,
  builder: string = kind.name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
): M {
  return made(kind, checkedFields(builder, options, kind) as unknown as Omit<M, 'kind'>);
}

/** The mechanism of a kind with checked fields. */
export function stated<M extends { readonly kind: string }>(kind: Kind<M>, fields: object): M {
  return kind.build?.(fields as never) ?? built(kind, fields);
}

/** A copy of a mechanism with other fields, registered as made by its kind if the original was. */
export function remade<M extends { readonly kind: string }>(mechanism: M, fields: object): M {
  const other = { ...mechanism, ...fields };
  if (all.has(mechanism)) all.add(other);
  return other;
}

/**
 * Returns `mechanism` if it was made here, and so checked.
 * @throws RangeError for plain data, or a copy.
 */
export function requireMade<M extends { readonly kind: string }>(mechanism: M): M {
  if (all.has(mechanism)) return mechanism;
  throw wrongValue('mechanism', 'made by a builder or by parseMechanism', mechanism);
}

/**
 * The kind of a mechanism that was built or parsed.
 * @throws RangeError for other data.
 */
export function kindMade(name: string): Kind<never> {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw wrongValue('mechanism.kind', 'that of a mechanism which a builder or parseMechanism made', name);
}

export function within(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, between(low, high));
}

/** The range of a field, in words: a number in [low, high]. */
export function between(low: number, high: number): string {
  return `a number in [${low}, ${high}]`;
}

export function zeroOr(low: number, high: number): string {
  return `0 or a number from ${low} to ${high}`;
}

export function whole(low: number, high: number): string {
  return `a whole number from ${low} to ${high}`;
}

export function oneOf(...allowed: readonly string[]): (name: string, value: unknown) => string {
  return (name, value) => requireOneOf(name, value, allowed);
}

/** A field that may be left out: `usual` is its default. */
export function unless<T>(
  usual: T,
  check: string | ((name: string, value: unknown) => T),
): (name: string, value: unknown) => T | number | undefined {
  return (name, value = usual) => {
    const checked = typeof check === 'string' ? requireNumber(name, value, check) : check(name, value);
    return checked === usual ? undefined : checked;
  };
}

/** A mechanism with `sensitivity`/`option` in the range, or no noise. */
export function requireRatio<O extends string, M extends { readonly [name in O | 'sensitivity']: number }>(
  mechanism: M,
  option: O,
  low: number,
  high: number,
): M {
  const { [option]: noise, sensitivity } = mechanism;
  const ratio = sensitivity / noise;
  if (noise === 0 || (ratio >= low && ratio <= high)) return mechanism;
  const expected = `such that sensitivity/${option} is in [${low}, ${high}] (sensitivity is ${sensitivity})`;
  throw wrongValue(option, expected, noise);
}
