import {
  type Checks,
  fieldName,
  fieldsOf,
  requireNumber,
  requireOneOf,
  requireOptions,
  wrongValue,
} from '../errors.js';
import type { Ends } from '../law/moment-bounds.js';
import type { Pair } from '../law/pair.js';
import type { Family } from '../methods/families/family.js';
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import type { Adjacency } from './adjacency.js';
import type { Drawing } from './theorems.js';

/** What is known of a kind of mechanism whatever its numbers are. */
export interface MechanismFacts {
  /** Name of the kind, in words. */
  readonly title: string;
  /** 'exact': the mechanism's own curve; 'bound': what a stated guarantee implies; 'inner': that of what it is made of. */
  readonly standing: 'exact' | 'bound' | 'inner';
  /** Which data sets are neighbours for its sensitivity. */
  readonly adjacency: string;
  /** δ(ε) as ε → ∞, and the tail limit μ_t. */
  readonly tail: string;
  /** Where its law and its losses come from. */
  readonly source: string;
  /** Where brackets are wider than asked for, if it is known. */
  readonly wide?: string;
}

/** How mechanisms `M` are stated. */
export interface StatedKind<M> extends Omit<MechanismFacts, 'adjacency'> {
  /** Everything beside `kind` that JSON and a builder's options may state, in order; a name that ends in `?` may be left out. */
  readonly fields: Checks;
  /** Left out where it follows from `adjacencies` and `doubled`. */
  readonly adjacency?: string;
  /** What is made of the fields, where that is more than `built` makes of them. */
  build?(options: never): M;
}

/** Everything the house knows of one kind of single release `M`: a file of `kinds/` each, exported by its `index.ts`. */
export interface Kind<M> extends StatedKind<M> {
  /** `kind` of such a mechanism. */
  readonly name: string;
  /** In a few words, as a table cell. */
  describe(mechanism: M): string;
  pair(mechanism: M): Pair;
  /** The families that its pairs may be of. */
  readonly families: readonly Family[];
  /**
   * The release under replacement of one record, for noise stated in add/remove units. It is left out where the statement does
   * not depend on the adjacency.
   */
  doubled?(mechanism: M): M;
  /** Set where the release draws its own batches: it is run on no sample, and its adjacencies are those of the drawing. */
  readonly drawing?: Drawing;
  /** Set where it has no theorem on any sample: what attains its pair needs others that a sample may not have. */
  readonly unsampled?: true;
  /** The adjacencies it has a theorem under; all where left out. */
  readonly adjacencies?: readonly Adjacency[];
  /**
   * Releases that some data set attains under the adjacency, in its units. They give lower bounds where the pair is only known to
   * dominate. On all records there may be none where a sample needs some.
   */
  attacks?(mechanism: M, adjacency: Adjacency, onAll?: boolean): readonly { readonly kind: string }[];
  /** Releases that dominate it together, each so many times, where that is more than its pair knows. */
  parts?(mechanism: M, adjacency: Adjacency): readonly Part[] | undefined;
  /** What a chain of worlds costs beside its parts: they dominate a world that is (ε, δ)-close to that of the release, in both directions. */
  closeness?(mechanism: M, adjacency: Adjacency, logLost?: number): Closeness | undefined;
  /** Where there are such worlds: what some data set attains without them. */
  unchained?(mechanism: M): M;
  /** log δ(ε) of one release from above, by what is not its pair, where the pair is only known to dominate. */
  alone?(mechanism: M): (epsilon: number) => number;
  /** Bounds of log δ(ε), ε ≥ 0, of a run that has such releases, beside what its pair and its attacks say of it. */
  between?(steps: readonly Part[]): Ends;
  /** log of the probability, in both worlds, of what the pair leaves out: what then comes out is counted as giving all away. */
  logLost?(mechanism: M, adjacency: Adjacency, onAll?: boolean): number;
  /** Whether nothing is revealed: such steps drop out of a run. */
  revealsNothing?(mechanism: M): boolean;
  /** Whether nothing is hidden: such a release gives the record away. */
  revealsAll?(mechanism: M): boolean;
  /** μ of what is exactly Gaussian; ∞ for noise 0. */
  gaussianMu?(mechanism: M): number | undefined;
  /** That μ as a quotient of numbers that are stated, where it is one. */
  statedMu?(mechanism: M): readonly [over: number, under: number] | undefined;
  /** The release as another one on a Poisson sample (rate 1: on all records), where it is one. The sampled form keeps more digits. */
  sampled?(
    mechanism: M,
  ): { readonly rate: number; readonly mechanism: { readonly kind: string } } | undefined;
  /** The release that it is on a sample of a fixed size, of that share of the records, where it is one. */
  drawn?(mechanism: M): { readonly share: number; readonly mechanism: { readonly kind: string } } | undefined;
  /** The ε for which it is ε-DP, as a quotient of numbers that are stated; undefined where it is for none. */
  pureDp?(mechanism: M): readonly [over: number, under: number] | undefined;
  /** A ρ for which it is ρ-zCDP, to a few roundings, where one is known. */
  rho?(mechanism: M): number | undefined;
  /** ρ-zCDP as a release: set where there is a ρ, and an `attained` below the pair. */
  readonly zcdp?: (rho: number) => { readonly kind: 'zcdp'; readonly rho: number };
  /** Where its pair is known between bounds about so far apart: log δ of runs with it is not asked to be narrower. */
  width?(mechanism: M): number;
  /** A mechanism that meets the guarantee, where the pair that dominates all that meet it does not. */
  attained?(
    mechanism: M,
  ): { readonly kind: 'gdp'; readonly mu: number } | { readonly kind: 'pure-dp'; readonly epsilon: number };
  /** Its place among those that one number orders by privacy, as `account/near-phases.ts` proves. */
  rank?(mechanism: M): Rank | undefined;
  /** `count` releases as one of the same kind, and two of the kind as one, where they compose exactly. */
  readonly sum?: {
    times(mechanism: M, count: number): M;
    plus(a: M, b: M): M | undefined;
  };
}

/** A release, how often it is composed, and the rate of its Poisson sample, all records unless given. */
export interface Part {
  readonly mechanism: { readonly kind: string };
  readonly count: number;
  readonly rate?: number;
}

/** A world that is (ε, δ)-close to another. */
export interface Closeness {
  readonly epsilon: number;
  readonly logDelta: number;
}

/** A place in a family of mechanisms of one kind. */
export interface Rank {
  /** What all of the family have in common. */
  readonly common?: number | string;
  /** Grows as privacy gets worse, exactly. */
  readonly order: number;
  /** The loss, about: decides only what is taken together. */
  readonly size: number;
  /** `order` is none of privacy: what is taken together is between curves that are made of all (`account/blended-steps.ts`). */
  readonly blended?: true;
}

/** Rounds products and roots of a few factors down. */
export const DOWN: number = 1 - FUNCTION_ERROR;

/** Tails and adjacencies that several kinds share. */
export const BOUNDED_TAIL = 'losses are bounded: delta is 0 from some epsilon on, mu_t = 0';
export const PLACES = 'zero-out; add-remove where "places" are "kept"; replace-one doubles the sensitivity';

const kinds = new Map<string, Kind<never>>();
const all = new WeakSet<object>();

/**
 * A mechanism of these fields, whose kind is known from now on. A kind brings its laws along, so a program holds those of the mechanisms that
 * it builds or parses, and no others. What answers for them comes with an engine.
 */
export function made<M extends { readonly kind: string }>(kind: Kind<M>, fields: Omit<M, 'kind'>): M {
  kinds.set(kind.name, kind as Kind<never>);
  const mechanism = { kind: kind.name, ...fields } as M;
  all.add(mechanism);
  return mechanism;
}

/** What a builder, named for the message, is given: every field as `fields` checks it, those left out that say nothing. */
export function checkedFields(
  builder: string,
  options: object | undefined,
  { fields }: Pick<StatedKind<unknown>, 'fields'>,
): Record<string, unknown> {
  requireOptions(builder, options, Object.keys(fields).map(fieldName) as never[]);
  return fieldsOf(options, fields);
}

/** The mechanism of a kind that a builder makes of its options; it is named as its kind, or as said. */
export function built<M extends { readonly kind: string }>(
  kind: Kind<M>,
  options: object | undefined,
  builder: string = kind.name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
): M {
  return made(kind, checkedFields(builder, options, kind) as unknown as Omit<M, 'kind'>);
}

/** The mechanism of a kind with the fields that are stated. */
export function stated<M extends { readonly kind: string }>(kind: Kind<M>, fields: object): M {
  return kind.build?.(fields as never) ?? built(kind, fields);
}

/** A mechanism with other fields, made if it was. */
export function remade<M extends { readonly kind: string }>(mechanism: M, fields: object): M {
  const other = { ...mechanism, ...fields };
  if (all.has(mechanism)) all.add(other);
  return other;
}

/** `mechanism`, whose fields were checked when it was made. @throws RangeError for plain data, or a copy. */
export function requireMade<M extends { readonly kind: string }>(mechanism: M): M {
  if (all.has(mechanism)) return mechanism;
  throw wrongValue('mechanism', 'made by a builder or by parseMechanism', mechanism);
}

/** The kind of a mechanism that was built or parsed. @throws RangeError for data that never was. */
export function kindMade(name: string): Kind<never> {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw wrongValue('mechanism.kind', 'that of a mechanism which a builder or parseMechanism made', name);
}

export function within(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, between(low, high));
}

/** Fields of a kind, in words. */
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

/** A field that is left out where it is `usual`. */
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
