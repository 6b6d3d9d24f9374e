import type { Pair } from '../law/pair.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { type Kind, kindMade, type Rank } from './kind.js';
import type * as kinds from './kinds/index.js';
import type { Select } from './tries.js';

/**
 * Single releases. Sensitivities are those of adding or removing one record; replacing one is counted as both at once, so it
 * doubles them. What is stated by its guarantee alone holds under the adjacency of the account, whichever that is. These are
 * pure-dp, approximate-dp, gdp, zcdp, rdp, tcdp, mcdp, bounded-range, noisy-max, tabulated and trade-off. So is randomised
 * response, which is about changing one's answer.
 */
export type Basic = Select | Joint | Parallel | Allocation | Known[keyof Known];

/**
 * Several releases on the same records, one after the other. On a sample they see the same draw, so they are composed first and sampled once. On all
 * records they are an ordinary composition.
 */
export interface Joint {
  readonly kind: 'joint';
  /** Single releases, and repeats and compositions of these; typed loosely, as mechanisms are made of kinds. */
  readonly parts: readonly { readonly kind: string }[];
  /** Set by the account: of each release, only the cell of its loss on a mesh is published. */
  readonly side?: 'below';
}

/** One release of the mechanism for each batch; each record is in one batch, chosen uniformly. */
export interface Allocation {
  readonly kind: 'random-allocation';
  /** The mechanism on a batch. Its type is loose, since mechanisms are defined by the kinds. */
  readonly inner: { readonly kind: string };
  /** Batches, 1 … 1e4. */
  readonly bins: number;
  /** Set by the account for a lower bound: the pair of an attack that sees only the cell of each likelihood ratio. */
  readonly side?: 'below';
}

/** Runs on disjoint parts of the data: each record is in one of them. */
export interface Parallel {
  readonly kind: 'parallel';
  /** What is run on each part; typed loosely, as mechanisms are made of kinds. */
  readonly parts: readonly { readonly kind: string }[];
}

/** The mechanisms of all kinds, by the names of their constants. */
type Known = {
  [Each in keyof typeof kinds]: (typeof kinds)[Each] extends Kind<infer M> ? M : never;
};

/**
 * The kind of `mechanism`.
 * @throws RangeError for data that no builder and no parser made.
 */
export function kindOf<M extends Basic>(mechanism: M): Kind<M> {
  return kindMade(mechanism.kind) as unknown as Kind<M>;
}

const pairs = new WeakMap<Basic, Lazy<Pair>>();
/** Pairs cached by content: tables take time, and accounts of one question ask for the same. */
const recent = new LruCache<string, Lazy<Pair>>(16);
/** Longer descriptions are not cached by content. */
export const LONGEST_KEY = 200_000;

/** The dominating pair of one release, before sampling: cached for each object, and for recent contents. */
export function pairOf(mechanism: Basic): Pair {
  const known = pairs.get(mechanism);
  if (known !== undefined) return known.value;
  const key = JSON.stringify(mechanism);
  const make = (): Lazy<Pair> => new Lazy(() => kindOf(mechanism).pair(mechanism));
  const pair = key.length > LONGEST_KEY ? make() : recent.of(key, make);
  pairs.set(mechanism, pair);
  return pair.value;
}

/** μ of a release that is exactly Gaussian; ∞ for noise 0; undefined for others. */
export function gaussianMuOf(mechanism: Basic): number | undefined {
  return kindOf(mechanism).gaussianMu?.(mechanism);
}

/** Its place in a family ordered by privacy; undefined on a sample of fixed size, where that is not proved. */
export function rankOf({
  mechanism,
  sampling,
}: {
  readonly mechanism: Basic;
  readonly sampling: string;
}): Rank | undefined {
  return sampling === 'without-replacement' ? undefined : kindOf(mechanism).rank?.(mechanism);
}

/** A mechanism in a few words, as in a table cell: 'Laplace, scale 5, sensitivity 1'. */
export function describeMechanism(mechanism: Basic): string {
  return kindOf(mechanism).describe(mechanism);
}
