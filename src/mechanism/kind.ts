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
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import type { Adjacency } from './adjacency.js';
import type { Drawing } from './theorems.js';

/** Facts about a kind of mechanism that do not depend on its numbers. */
export interface MechanismFacts {
  /** Name of the kind, in words. */
  readonly title: string;
  /** What its trade-off curve is. 'exact': that of the mechanism itself; 'bound': one that a stated guarantee implies; 'inner': that of its parts. */
  readonly standing: 'exact' | 'bound' | 'inner';
  /** Which data sets are neighbours for its sensitivity. */
  readonly adjacency: string;
  /** How δ(ε) falls as ε → ∞, and the tail limit μ_t = lim ε/√(−2 log δ(ε)), which is μ for μ-GDP. */
  readonly tail: string;
  /** The papers or proofs that the pair of the kind is from. */
  readonly source: string;
  /** Runs whose brackets are known to be wider than asked for. */
  readonly wide?: string;
}

/** How mechanisms of type `M` are stated. */
export interface StatedKind<M> extends Omit<MechanismFacts, 'adjacency'> {
  /** The fields beside `kind`, with their checks, in the order they are described; a name that ends in `?` may be left out. */
  readonly fields: Checks;
  /** Text on which data sets are neighbours; if absent, it follows from `adjacencies` and `doubled`. */
  readonly adjacency?: string;
  /** Makes the mechanism from its fields, where `built` does not suffice. */
  build?(options: never): M;
}

/** Everything that the library knows about one kind of single release of type `M`. Each kind is a file of `kinds/`. */
export interface Kind<M> extends StatedKind<M> {
  /** The field `kind` of the kind's mechanisms. */
  readonly name: string;
  /** A short description, as in a table cell. */
  describe(mechanism: M): string;
  /** The pair of distributions that dominates the release under adding or removing one record, before sampling. */
  pair(mechanism: M): Pair;
  /** The families that its pairs may belong to. */
  readonly families: readonly Pair['family'][];
  /**
   * The release under replacement of one record: twice the sensitivity, for noise that is stated for adding or removing one. Absent if the statement
   * does not depend on the adjacency.
   */
  doubled?(mechanism: M): M;
  /** Set if the release draws its own batches: it cannot run on a sample, and its adjacencies are those of the drawing. */
  readonly drawing?: Drawing;
  /** Set if no theorem covers the release on a sample: its pair is attained only together with other records, which a sample may lack. */
  readonly unsampled?: true;
  /** The adjacencies for which there is a theorem; all if absent. */
  readonly adjacencies?: readonly Adjacency[];
  /**
   * Mechanisms that some data set realises under the adjacency, in its units: set where the pair only dominates, to give lower bounds.
   *
   * @param onAll Whether the release sees all records. There may be no attacks then, although samples have some.
   */
  attacks?(mechanism: M, adjacency: Adjacency, onAll?: boolean): readonly { readonly kind: string }[];
  /** Releases whose composition dominates this one, each with a count: set if that is sharper than its own pair. */
  parts?(mechanism: M, adjacency: Adjacency): readonly Part[] | undefined;
  /**
   * The cost of replacing the release by its parts: these dominate a hypothetical output that is (ε, δ)-close to the release's, in both directions.
   *
   * @param logLost log of the probability that may be neglected.
   */
  closeness?(mechanism: M, adjacency: Adjacency, logLost?: number): Closeness | undefined;
  /** Set with `closeness`: a release that some data set attains exactly, so that lower bounds need no (ε, δ) correction. */
  unchained?(mechanism: M): M;
  /** This release with a sharper pair: set if its own pair is quicker to compose, or if it is the whole run. */
  alike?(mechanism: M, isSingle: boolean): M | undefined;
  /** A release that, together with an event of probability e^{logLost} that reveals the record, dominates this one: set if it is quicker to compose. */
  mostly?(mechanism: M): { readonly mechanism: M; readonly logLost: number } | undefined;
  /** An upper bound of log δ(ε) of one release that is tighter than that of its pair. */
  alone?(mechanism: M, adjacency: Adjacency): ((epsilon: number) => number) | undefined;
  /** Bounds of log δ(ε), ε ≥ 0, of a whole run with such releases, beside those of pairs and attacks. */
  between?(steps: readonly Part[]): Ends;
  /** log of the probability, under both laws of the pair, of outputs that the pair omits; they are counted as revealing the record. */
  logLost?(mechanism: M, adjacency: Adjacency, onAll?: boolean): number;
  /** Whether the release reveals nothing; a run leaves such steps out. */
  revealsNothing?(mechanism: M): boolean;
  /** Whether the release reveals the record for certain, as a release without noise does. */
  revealsAll?(mechanism: M): boolean;
  /** μ of a release that is exactly Gaussian, ∞ for noise 0; undefined for others. */
  gaussianMu?(mechanism: M): number | undefined;
  /** `gaussianMu` as a quotient of two numbers that the mechanism states, if it is one. */
  statedMu?(mechanism: M): readonly [over: number, under: number] | undefined;
  /** An equivalent release on a Poisson sample (of rate 1: on all records), if there is one. That form is numerically more accurate. */
  sampled?(
    mechanism: M,
  ): { readonly rate: number; readonly mechanism: { readonly kind: string } } | undefined;
  /** An equivalent release on a sample of fixed size that holds a share of the records, if there is one. */
  drawn?(mechanism: M): { readonly share: number; readonly mechanism: { readonly kind: string } } | undefined;
  /**
   * A release that meets the guarantee and attains the pair of several steps on samples of fixed size. It tells three records apart: the removed one,
   * its replacement, and any other. It may be the release itself.
   */
  drawnApart?(mechanism: M): { readonly kind: string } | undefined;
  /** Its noise on the whole numbers, symmetric and log-concave: set where a record changes one number. */
  noise?(mechanism: M): WholeNoise | undefined;
  /** The ε for which the release is ε-DP, as a quotient of stated numbers; undefined if there is none. */
  pureDp?(mechanism: M): readonly [over: number, under: number] | undefined;
  /** A ρ for which the release is ρ-zCDP, up to a few roundings, if one is known. */
  rho?(mechanism: M): number | undefined;
  /** Makes a release of which only ρ-zCDP is known: set if the kind has a ρ and `attained` is below its pair. */
  readonly zcdp?: (rho: number) => { readonly kind: 'zcdp'; readonly rho: number };
  /** Approximate gap between the bounds of log δ that its pair gives: runs with it are answered to no finer tolerance. */
  width?(mechanism: M): number;
  /** A mechanism that meets the stated guarantee, if the pair, which dominates all that meet it, does not meet it itself. */
  attained?(
    mechanism: M,
  ):
    | { readonly kind: 'gdp'; readonly mu: number }
    | { readonly kind: 'pure-dp'; readonly epsilon: number }
    | { readonly kind: 'randomized-response'; readonly epsilon: number; readonly categories: number };
  /** The place of the release among those that one number orders by privacy (docs/proofs/near-phases.md, 3). */
  rank?(mechanism: M): Rank | undefined;
  /** Set if releases of the kind compose exactly: `count` of them as one, and two as one, of the same kind. */
  readonly sum?: {
    times(mechanism: M, count: number): M;
    plus(a: M, b: M): M | undefined;
  };
}

/** A release, how often it is composed, and the rate of its Poisson sample: all records if absent. */
export interface Part {
  readonly mechanism: { readonly kind: string };
  readonly count: number;
  readonly rate?: number;
}

/** (ε, δ)-closeness of the laws of two outputs, in both directions. */
export interface Closeness {
  readonly epsilon: number;
  readonly logDelta: number;
}

/** The place of a mechanism in a family of mechanisms of one kind that are ordered by privacy. */
export interface Rank {
  /** What identifies the family among mechanisms of the kind. */
  readonly common?: number | string;
  /** The number that orders the family: a larger one is certainly no more private. */
  readonly order: number;
  /** Approximate size of the loss. Heuristic: it decides only which steps are grouped. */
  readonly size: number;
  /** The field `rate` of a mechanism that draws a Poisson sample by itself: at a lower rate it is more private. */
  readonly rate?: number;
  /** Set if `order` does not order the family by privacy: a group then lies between two curves made of all its members (`account/blended-steps.ts`). */
  readonly blended?: true;
}

/** Factor that rounds a product or root of a few numbers down. */
export const DOWN: number = 1 - FUNCTION_ERROR;

/** Text on the tail of kinds with bounded losses. */
export const BOUNDED_TAIL = 'losses are bounded: delta is 0 from some epsilon on, mu_t = 0';
/** Text on the adjacencies of kinds with batches in a fixed order. */
export const PLACES = 'zero-out; add-remove where "places" are "kept"; replace-one doubles the sensitivity';

const kinds = new Map<string, Kind<never>>();
const all = new WeakSet<object>();

/** A mechanism of a kind with the given fields. It registers the kind, so that a program contains the laws of only those kinds that it builds or parses. */
export function made<M extends { readonly kind: string }>(kind: Kind<M>, fields: Omit<M, 'kind'>): M {
  kinds.set(kind.name, kind as Kind<never>);
  const mechanism = { kind: kind.name, ...fields } as M;
  all.add(mechanism);
  return mechanism;
}

/** Checks a builder's options against the fields of the kind, and drops those with their default value. @throws TypeError | RangeError */
export function checkedFields(
  builder: string,
  options: object | undefined,
  { fields }: Pick<StatedKind<unknown>, 'fields'>,
): Record<string, unknown> {
  requireOptions(builder, options, Object.keys(fields).map(fieldName) as never[]);
  return fieldsOf(options, fields);
}

/** The mechanism that a builder makes of its options. @param builder Its name in messages. @throws TypeError | RangeError naming the option that is wrong. */
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

/** A copy of a mechanism with some fields changed; it counts as made by a builder if the original does. */
export function remade<M extends { readonly kind: string }>(mechanism: M, fields: object): M {
  const other = { ...mechanism, ...fields };
  if (all.has(mechanism)) all.add(other);
  return other;
}

/** Returns `mechanism` if a builder or the parser made it, so that its fields are checked. @throws RangeError for other data, copies included. */
export function requireMade<M extends { readonly kind: string }>(mechanism: M): M {
  if (all.has(mechanism)) return mechanism;
  throw wrongValue('mechanism', 'made by a builder or by parseMechanism', mechanism);
}

/** The kind of a mechanism that was built or parsed. @throws RangeError for other data. */
export function kindMade(name: string): Kind<never> {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw wrongValue('mechanism.kind', 'that of a mechanism which a builder or parseMechanism made', name);
}

/** Returns `value` if it is a number in [low, high]. @throws TypeError | RangeError otherwise. */
export function within(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, between(low, high));
}

/** The range of a field in words, as checks read it. */
export function between(low: number, high: number): string {
  return `a number in [${low}, ${high}]`;
}

/** The range of a field that is 0 or in [low, high], in words. */
export function zeroOr(low: number, high: number): string {
  return `0 or a number from ${low} to ${high}`;
}

/** The range of a field that is a whole number in [low, high], in words. */
export function whole(low: number, high: number): string {
  return `a whole number from ${low} to ${high}`;
}

/** A check of a field that is one of some words. */
export function oneOf(...allowed: readonly string[]): (name: string, value: unknown) => string {
  return (name, value) => requireOneOf(name, value, allowed);
}

/** A check of a field that may be left out, with the default `usual`; a field with its default is dropped. */
export function unless<T>(
  usual: T,
  check: string | ((name: string, value: unknown) => T),
): (name: string, value: unknown) => T | number | undefined {
  return (name, value = usual) => {
    const checked = typeof check === 'string' ? requireNumber(name, value, check) : check(name, value);
    return checked === usual ? undefined : checked;
  };
}

/** Returns the mechanism if sensitivity/option is in [low, high], or if it has no noise. @throws RangeError otherwise. */
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
