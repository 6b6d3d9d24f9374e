import type { Pair } from '../law/pair.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { type Kind, kindMade, type Rank } from './kind.js';
import type * as kinds from './kinds/index.js';
import type { Select } from './tries.js';

/**
 * Single releases. Sensitivities are those of adding or removing one record; replacing one counts as both at once, so it doubles them. Some kinds are
 * stated by a guarantee alone, which holds under whichever adjacency the account has. They are pure-dp, approximate-dp, gdp, zcdp, rdp, tcdp, mcdp,
 * bounded-range, noisy-max, tabulated and trade-off. So does randomised response, which is about changing one's answer.
 */
export type Basic = Select | Joint | Parallel | Allocation | Known[keyof Known];

/**
 * Several releases on the same records, one after the other. On a sample all of them see the same draw, so they are composed first and then sampled
 * once. On all records they are an ordinary composition.
 */
export interface Joint {
  readonly kind: 'joint';
  /** Single releases, and repeats and compositions of these. The type is loose, since mechanisms are defined by the kinds. */
  readonly parts: readonly { readonly kind: string }[];
  /** Set by the account for a lower bound: of each release only the cell of its loss on a mesh is published, which is post-processing. */
  readonly side?: 'below';
}

/** One release of a mechanism for each batch; each record is in one batch, chosen uniformly. */
export interface Allocation {
  readonly kind: 'random-allocation';
  /** The mechanism on a batch. Its type is loose, since mechanisms are defined by the kinds. */
  readonly inner: { readonly kind: string };
  /** Number of batches, 1 … 1e4. */
  readonly bins: number;
  /** Set by the account for a lower bound: an attack that sees only the cell of each batch's likelihood ratio. */
  readonly side?: 'below';
}

/** Runs on disjoint parts of the data: each record is in one part. */
export interface Parallel {
  readonly kind: 'parallel';
  /** What is run on each part. The type is loose, since mechanisms are defined by the kinds. */
  readonly parts: readonly { readonly kind: string }[];
}

/** The types of the mechanisms of all kinds, by the names of the kinds' constants. */
type Known = {
  [Each in keyof typeof kinds]: (typeof kinds)[Each] extends Kind<infer M> ? M : never;
};

/** The kind of `mechanism`. @throws RangeError for data that no builder and no parser made. */
export function kindOf<M extends Basic>(mechanism: M): Kind<M> {
  return kindMade(mechanism.kind) as unknown as Kind<M>;
}

const pairs = new WeakMap<Basic, Lazy<Pair>>();
/** Dominating pairs cached by the JSON text of the mechanism: to make one may take time, and equal mechanisms recur. */
const recent = new LruCache<string, Lazy<Pair>>(16);
/** Largest length of a JSON text by which a pair is cached. */
export const LONGEST_KEY = 200_000;

/** The dominating pair of one release, before sampling. It is cached for each object, and for recent equal ones. */
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

/** The place of a release in a family that one number orders by privacy; undefined on a sample of fixed size, where no order is proved. */
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
