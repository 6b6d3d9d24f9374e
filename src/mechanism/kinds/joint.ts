import { wrongValue } from '../../errors.js';
import { atomicPair } from '../../law/atomic-pair.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { commonLattice } from '../../law/lattice-atoms.js';
import { meshedAbove, meshedBelow, splitAtoms, widthOf } from '../../law/meshed-atoms.js';
import {
  ALL_FINITE,
  type AtomicPair,
  type Atoms,
  type ExponentialPair,
  type GaussianPair,
} from '../../law/pair.js';
import { type CountedAtoms, productAtoms } from '../../law/product-atoms.js';
import { composedAtoms } from '../../methods/closed/composed-atoms.js';
import { greatest } from '../../numeric/extremes.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import type { Adjacency } from '../adjacency.js';
import { requireMechanisms } from '../checks.js';
import { built, type Kind, requireMade } from '../kind.js';
import { type Basic, type Joint, kindOf, LONGEST_KEY, pairOf } from '../pairs.js';
import { logLostOf } from '../reduce.js';
import { describeStep, type Step, stepsOf } from '../steps.js';
import { noNoise } from './gaussian.js';

/**
 * Several releases on one and the same sample. Put it into `poissonSubsampled` or `withoutReplacement`.
 *
 * @throws TypeError | RangeError if `parts` is not an array of mechanisms that see all records, or is empty.
 * @example
 * const both = joint({ parts: [gaussian({ noiseMultiplier: 2 }), laplace({ scale: 2, sensitivity: 1 })] });
 * account(engine, poissonSubsampled(both, { rate: 0.1 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 0.544783
 */
export function joint(options: Omit<Joint, 'kind' | 'side'>): Joint {
  const mechanism = built(JOINT_KIND, options);
  if (mechanism.parts.length === 0) throw wrongValue('parts', 'one mechanism or more', mechanism.parts);
  for (const { mechanism: release, sampling, places } of releasesOf(mechanism, requireMade)) {
    const isOwn = kindOf(release).drawing !== undefined || ['select', 'parallel'].includes(release.kind);
    if (sampling !== 'all' || places !== undefined || isOwn)
      throw wrongValue(
        'parts',
        'releases on all records: the sample is drawn once, for all of them',
        release.kind,
      );
  }
  return mechanism;
}

/** The single releases of a joint release, as steps. */
const releasesOf = ({ parts }: Joint, taken = (part: Basic): Basic => part): Step[] =>
  stepsOf({ kind: 'compose', parts: parts as readonly Basic[] }, taken);

/** The equivalent release that its kind states (`Kind.sampled`), as long as it is on all records. */
function inForm(mechanism: Basic): Basic {
  const same = kindOf(mechanism).sampled?.(mechanism);
  return same === undefined || same.rate < 1 || same.mechanism.kind === mechanism.kind
    ? mechanism
    : inForm(same.mechanism as Basic);
}

/** The single releases of a joint release, in equivalent form, without those that reveal nothing. */
function countedOf(m: Joint): CountedRelease[] {
  return releasesOf(m)
    .map(({ mechanism, count }) => ({ mechanism: inForm(mechanism), count }))
    .filter(({ mechanism }) => !kindOf(mechanism).revealsNothing?.(mechanism));
}

/** The single release with the largest μ of GDP, for lower bounds: all releases together dominate it. */
function largestOf(m: Joint): Basic {
  const given = releasesOf(m).map(({ mechanism }) => mechanism);
  const mus = given.map((release) => pairOf(inForm(release)).gdpMu);
  return given[mus.indexOf(greatest(mus))];
}

/** The joint release with `change` applied to each single release; counts are kept. */
function mapped(m: Joint, change: (release: Basic) => Basic): Joint {
  return {
    ...m,
    parts: releasesOf(m).map(({ mechanism, count }) => ({ kind: 'repeat', count, inner: change(mechanism) })),
  };
}

/** A mechanism that some data set realises for a release, in the units of the adjacency, for lower bounds. */
function attainedOf(given: Basic, adjacency: Adjacency): Basic {
  const [own] = kindOf(given).attacks?.(given, adjacency) ?? [];
  if (own !== undefined) return own as Basic;
  const release = inForm(given);
  const kind = kindOf(release);
  const [attack] = kind.attacks?.(release, adjacency) ?? [];
  if (attack !== undefined) return attack as Basic;
  const met = (kind.attained?.(release) ?? release) as Basic;
  return adjacency === 'replace-one' ? (kindOf(met).doubled?.(met) ?? met) : met;
}

/** Whether a release reveals the record for certain. */
const releaseRevealsAll = (release: Basic): boolean => kindOf(release).revealsAll?.(release) ?? false;

/** Approximate width of log δ of products that are computed on a mesh. */
const MESH_WIDTH = 1e-4;

export const JOINT_KIND: Kind<Joint> = {
  name: 'joint',
  families: ['atoms'],
  title: 'Several releases on the same records',
  standing: 'inner',
  adjacency: 'one that all parts share',
  tail: 'mu_t^2 is the sum of those of the parts',
  source: 'docs/proofs/joint.md',
  wide: 'the product of continuous losses is taken on a mesh: about 1e-5 of epsilon',
  fields: { parts: requireMechanisms },
  build: joint,
  describe: (m) => `on the same records: ${releasesOf(m).map(describeStep).join('; ')}`,
  pair: (m) => jointPair(countedOf(m), m.side ?? 'above'),
  doubled: (m) => mapped(m, (release) => kindOf(release).doubled?.(release) ?? release),
  logLost: (m, adjacency) => logLostOf(releasesOf(m), adjacency),
  revealsNothing: (m) => countedOf(m).length === 0,
  sampled: (m) => {
    const releases = countedOf(m);
    if (releases.some(({ mechanism }) => releaseRevealsAll(mechanism))) return noNoise();
    const [first] = releases;
    if (releases.length === 1 && first.count === 1) return { rate: 1, mechanism: first.mechanism };
    // losses too large for a mesh are treated as if there were no noise
    return releases.length > 0 && standingOf(releases) === 'too-wide' ? noNoise() : undefined;
  },
  width: (m) => (standingOf(countedOf(m)) === 'exact' ? 0 : MESH_WIDTH),
  attacks: (m, adjacency) => {
    const releases = countedOf(m);
    if (releases.some(({ mechanism }) => releaseRevealsAll(mechanism))) return [];
    const known = releases.length === 0 ? 'exact' : standingOf(releases);
    if (known === 'too-wide') return [attainedOf(largestOf(m), adjacency)];
    // whether some data set attains each pair
    const same = releasesOf(m).every(({ mechanism }) =>
      [mechanism, inForm(mechanism)].every((release) => {
        const { attacks, attained } = kindOf(release);
        return attained === undefined && (attacks?.(release, adjacency) ?? []).length === 0;
      }),
    );
    if (same && known === 'exact') return [];
    return [{ ...mapped(m, (release) => attainedOf(release, adjacency)), side: 'below' as const }];
  },
};

/** A release and its number of repetitions. */
export interface CountedRelease {
  readonly mechanism: Basic;
  readonly count: number;
}

/** Pairs whose losses can be convolved here. */
type Plain = GaussianPair | ExponentialPair | AtomicPair;

/** A pair, and the number of releases that have it. */
interface Factor {
  readonly pair: Plain;
  readonly count: number;
}

/** Approximate number of multiplications of a product on a mesh, which sets the spacing of the mesh. Only width and speed depend on it. */
const MESH_WORK = 6e6;
/** Approximate largest number of cells of a product. Only width and speed depend on it. */
const MOST_CELLS = 2 ** 14;
/** Largest width of the range of a product's losses for which a mesh is used. */
const WIDEST = 1e4;
/** log of the probability that products on a mesh omit, the same as `meshedAbove` omits of Gaussian tails. */
const LOG_RARE = -150;

/** The pairs of the releases, with all Gaussians merged into one of μ = √Σ count·μ², rounded up. @throws RangeError naming a kind whose losses cannot be convolved. */
function factorsOf(releases: readonly CountedRelease[]): Factor[] {
  const factors: Factor[] = [];
  let square = 0;
  for (const { mechanism, count } of releases) {
    const pair = pairOf(mechanism);
    if (pair.family === 'gaussian') square += count * pair.mu * pair.mu;
    else if (pair.family === 'exponential' || pair.family === 'atoms') factors.push({ pair, count });
    else
      throw wrongValue(
        'parts',
        'releases with Gaussian or Laplace noise, or of finitely many losses',
        mechanism.kind,
      );
  }
  if (square === 0) return factors;
  const mu = Math.sqrt(square);
  return [{ pair: gaussianPair(1 / mu, up(mu, FEW_ROUNDINGS)), count: 1 }, ...factors];
}

/** The factors of a product, and the product itself if its losses can be listed exactly. */
interface Product {
  readonly factors: readonly Factor[];
  readonly exact: Atoms | undefined;
}

/** Products cached by the JSON text of the releases: an account asks for one several times. */
const products = new LruCache<string, Product>(16);

/** The product of the pairs of some releases, cached. */
function productOf(releases: readonly CountedRelease[]): Product {
  const make = (): Product => {
    const factors = factorsOf(releases);
    return { factors, exact: exactAtoms(factors) };
  };
  const key = JSON.stringify(releases);
  return key.length > LONGEST_KEY ? make() : products.of(key, make);
}

/**
 * The losses of the product, if all factors have finitely many losses on one lattice, or few sums in all; else undefined. Ensures: masses and losses
 * of the product are within their stated errors.
 */
function exactAtoms(factors: readonly Factor[]): Atoms | undefined {
  const listed: CountedAtoms[] = factors.flatMap(({ pair, count }) =>
    pair.family === 'atoms' ? [{ atoms: pair.atoms, count }] : [],
  );
  if (listed.length < factors.length || listed.some(({ atoms }) => atoms.error !== undefined))
    return undefined;
  const lattices = listed.flatMap(({ atoms }) => atoms.lattice ?? []);
  const unit = lattices.length === listed.length ? commonLattice(lattices) : undefined;
  const together = unit === undefined ? undefined : productAtoms(listed, unit);
  if (together !== undefined) return together;
  const steps = factors.map((factor) => ({ ...factor, sampling: 'all' as const, rate: 1 }));
  const few = composedAtoms(steps);
  if (few === undefined) return undefined;
  const square = listed.reduce((sum, { atoms, count }) => sum + count * atoms.gdpMu * atoms.gdpMu, 0);
  return { ...few, gdpMu: up(Math.sqrt(square), ROUNDINGS) };
}

/** Heuristic: the mesh spacing at which the product takes about `MESH_WORK` multiplications; undefined if losses are too large for a mesh. */
function stepFor(factors: readonly Factor[]): number | undefined {
  let [whole, work] = [0, 0];
  for (const { pair, count } of factors) {
    const own = pair.family === 'atoms' ? spanOf(pair) : widthOf(pair);
    // powers are by repeated squaring, whose last product costs most
    work += count * own * (count > 1 ? (2 * count * own) / 3 : 0) + whole * count * own;
    whole += count * own;
  }
  return whole > WIDEST ? undefined : Math.max(Math.sqrt(work / MESH_WORK), whole / MOST_CELLS);
}

/** The width of the range of a pair's losses. */
function spanOf({ atoms: { loss } }: AtomicPair): number {
  return loss.length === 0 ? 0 : loss[loss.length - 1] - loss[0];
}

/**
 * The pair of a joint release: the product of the releases' pairs. It is exact if the losses can be listed (`exactAtoms`). Otherwise it is a pair on
 * a mesh that dominates the product, or, for 'below', one that the product dominates (docs/proofs/joint.md).
 *
 * Ensures: for 'above' no δ of the product exceeds the upper ends; for 'below' none is less than the lower ends.
 */
function jointPair(releases: readonly CountedRelease[], side: 'above' | 'below'): AtomicPair {
  const { factors, exact } = productOf(releases);
  if (exact !== undefined) return atomicPair(exact);
  const step = stepFor(factors)!;
  const meshed = factors.map(({ pair, count }) => ({ count, atoms: onMesh(pair, step, side) }));
  const product = productAtoms(meshed, step, { logRare: LOG_RARE, merged: side === 'below' });
  return atomicPair(product ?? unlisted(factors));
}

/** A law whose whole mass is at unknown losses, which gives the trivial bounds, for products that doubles cannot represent. */
function unlisted(factors: readonly Factor[]): Atoms {
  const none = new Float64Array(0);
  const square = factors.reduce((sum, { pair, count }) => sum + count * pair.tailMu * pair.tailMu, 0);
  return {
    loss: none,
    p: none,
    q: none,
    beyond: 1,
    ...ALL_FINITE,
    gdpMu: Infinity,
    tailMu: Math.sqrt(square),
  };
}

/**
 * A factor as a finite list of losses: on a mesh, or, for lower bounds, as it is if its losses are listed.
 *
 * Ensures: for 'above' the atoms dominate the pair; for 'below' the pair dominates them.
 */
function onMesh(pair: Plain, step: number, side: 'above' | 'below'): Atoms {
  if (pair.family === 'atoms') return side === 'above' ? splitAtoms(pair.atoms, step) : pair.atoms;
  return side === 'above' ? meshedAbove(pair, step) : meshedBelow(pair, step);
}

/** Whether the product of the pairs is computed exactly, on a mesh, or not at all. */
function standingOf(releases: readonly CountedRelease[]): 'exact' | 'mesh' | 'too-wide' {
  const { factors, exact } = productOf(releases);
  if (exact !== undefined) return 'exact';
  return stepFor(factors) === undefined ? 'too-wide' : 'mesh';
}
