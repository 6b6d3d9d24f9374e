/**
 * Upper bounds of the adaptive composition of identical steps of Gaussian noise on samples of a fixed size, one record replaced. The gradients may be
 * chosen anew in every step. Dynamic programming over the likelihood ratio finds the worst δ curve of a block of steps; blocks are composed by FFT
 * (docs/proofs/fixed-size.md, 7 and 8).
 */
import type { Kernel } from '../kernel/kernel.js';
import { copyBounds, type StepBound, sampleBound } from '../law/drawn-copies.js';
import { dominatingPair, type Profiles, type WorstPairs, worstPairs } from '../law/fixed-size-cells.js';
import { leadingPair } from '../law/leading-pair.js';
import { hullLaw, type LossPlaces, massesOf } from '../law/profile-hull.js';
import { copiesUpTo } from '../mechanism/kinds/with-replacement.js';
import { pairOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import { U } from '../numeric/constants.js';
import { Lazy } from '../numeric/lru-cache.js';
import { attempt, charge } from '../numeric/meter.js';
import { MANY_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log1p } from '../numeric/scalar.js';
import { epsilonOf } from '../run/epsilon.js';
import { type CurveAbove, curveThrough, ledAbove } from './led-steps.js';

/**
 * Steps on samples of a fixed size. `diameter` is that of the ball of gradients, in standard deviations of the noise; `share` is the share that is drawn.
 * `bounds`: upper bounds of H_γ of one step by that of samples without replacement.
 */
export interface FixedSizeSteps {
  readonly diameter: number;
  readonly share: number;
  readonly count: number;
  readonly bounds: readonly StepBound[];
}

/** Range of diameters for which likelihood ratios are doubles. */
const [SMALLEST, LARGEST] = [1e-4, 8];

/** Largest expected number of copies of a record in a sample with replacement; for more, other bounds are sharper. Only width and speed depend on it. */
const MOST_EXPECTED = 0.5;

/**
 * The run as identical steps of Gaussian noise on samples of a fixed size, with or without replacement, at least two; undefined if it is not.
 *
 * @param isWhole Whether the steps dominate the run, with no outputs left out; for samples with replacement `copyBounds` counts the rarest batches.
 */
export function fixedSizeSteps(steps: readonly Step[], isWhole: boolean): FixedSizeSteps | undefined {
  const [only] = steps;
  if (!isWhole || only === undefined || steps.length > 1 || only.count < 2) return undefined;
  const { mechanism, sampling, rate, count } = only;
  const inRange = (mu: number): boolean => mu >= SMALLEST && mu <= LARGEST;
  if (mechanism.kind === 'with-replacement') {
    const diameter = (2 / mechanism.noiseMultiplier) * (1 + 8 * U);
    const share = mechanism.sampleSize / mechanism.datasetSize;
    if (sampling !== 'all' || !inRange(diameter) || share > MOST_EXPECTED) return undefined;
    return { diameter, share, count, bounds: copyBounds(copiesUpTo(mechanism), diameter) };
  }
  if (sampling !== 'without-replacement' || mechanism.kind !== 'gaussian') return undefined;
  const pair = pairOf(mechanism);
  if (pair.family !== 'gaussian' || !inRange(pair.mu)) return undefined;
  return { diameter: pair.mu * (1 + 8 * U), share: rate, count, bounds: [sampleBound(rate)] };
}

/** Divisions of either angle of a triangle, a power of 2, and units of work allowed. Only width and speed depend on both. */
interface Level {
  readonly divisions: number;
  readonly work: number;
}

const LEVELS: readonly Level[] = [
  { divisions: 8, work: 1e8 },
  { divisions: 16, work: 7e8 },
];
/** Fraction of the remaining allowance that each bound of `fixedSizeAbove` may use. */
const LEVEL_SHARE = 0.6;

/** Relative amount by which profiles of the extreme pairs are raised, so that they dominate the triangles near them. Only width and speed depend on it. */
const RAISED = 2e-3;
/** Mesh points per standard deviation of the loss of a step, in order of preference. Only width and speed depend on them. */
const MESHES = [16, 12, 8, 6, 4];
/** Fraction of a level's work that a mesh may take for all steps in one block; if none does, the coarsest mesh is used. */
const MESH_SHARE = 0.5;
/** Cells of triangles visited at a mesh point, for each division of an angle, about. Only speed depends on it. */
const LOOKED = 2.5;
/**
 * δ of a block is computed at every mesh point up to this many standard deviations of the block's loss, and at fewer beyond. NEAR: for one block.
 * NEARER: for several. Only width and speed depend on them.
 */
const [NEAR, NEARER] = [5, 3.5];
/** Largest number of mesh points on one side of 0. Only width and speed depend on it. */
const MOST_POINTS = 2 ** 17;
/** Log of the probability of losses beyond the mesh of a block, about. Only width depends on it. */
const LOG_BEYOND = -30;
/** Largest loss of a step for which its δ is listed; the mass beyond counts as a loss of ∞. Only width depends on it. */
const FURTHEST = 100;

/** Mesh points from 0 to `count`: all integers up to `dense`, then at distances that grow with the point; `apart` is the scale of distances in ε. */
function placesUpTo(
  h: number,
  count: number,
  { dense, apart }: Readonly<Record<'dense' | 'apart', number>>,
): LossPlaces {
  const at: number[] = [0];
  for (let k = 1; k < count; ) {
    at.push(k);
    k += Math.max(1, Math.floor(Math.min((k - dense) / 12, (apart + (k * h * apart) / 3) / h)));
  }
  at.push(count);
  return { h, at: Int32Array.from(at) };
}

/**
 * A pair in the dynamic programme, or a pair that dominates a cell. mass[m] is that of the loss h·at[m]; `at` ascends without 0.
 */
interface Moves {
  readonly at: Int32Array;
  readonly mass: Float64Array;
  /** Mass of the loss 0. */
  readonly none: number;
  /** δ of the pair alone at the points. */
  readonly single: Float64Array;
  /** If the pair dominates a cell of triangles: pairs that dominate the cell's parts. */
  readonly parts: readonly Moves[];
}

/** Points kh at which δ curves are computed, and `falls`: 1 − e^{−kh} for all k in use. */
interface Points {
  readonly at: Int32Array;
  readonly falls: Float64Array;
}

/** The masses of a pair by `massesOf`, and its δ curve at the points by chords. Masses are no smaller than exact ones, up to `PER_STEP`. */
function movesOf(pair: Profiles, points: Points): Moves {
  const { at, mass, none, infinity, above } = massesOf(pair);
  const all = new Float64Array(points.falls.length).fill(infinity);
  filled(above.delta, above.at, points.falls, all);
  return {
    at,
    mass,
    none,
    single: Float64Array.from(points.at, (i) => all[i]),
    parts: pair.parts.map((part) => movesOf(part, points)),
  };
}

/** Writes to `into` the values at all integers k, from those at the integers `at`, by chords in e^{kh}; a few roundings. */
function filled(values: Float64Array, at: Int32Array, falls: Float64Array, into: Float64Array): void {
  for (let n = 1; n < at.length; n++) {
    const [from, to] = [at[n - 1], at[n]];
    if (from < into.length) into[from] = values[n - 1];
    const slope = to > from + 1 ? (values[n - 1] - values[n]) / falls[to - from] : 0;
    for (let i = from + 1; i < Math.min(to, into.length); i++) into[i] = values[n] + slope * falls[to - i];
  }
  const end = at.length - 1;
  if (at[end] < into.length) into[at[end]] = values[end];
}

/** Upper bound of the relative rounding error of a step's masses and sum. Correctness depends on it. */
const PER_STEP = 1e-12;

/**
 * δ(ε) of the worst k steps at ε = ih, by dynamic programming (docs/proofs/fixed-size.md, 7). It is D_k(l) = V_k(l) − (1 − e^{−l})⁺ at l = −ε. V_k(l) is
 * the largest E[V_{k−1}(l + L)] over steps, L the loss, and V₀(l) = (1 − e^{−l})⁺. By symmetry D(−l) = e^{l}D(l).
 *
 * Ensures: no value is below that of the worst adaptive choice of k steps, for each k of `wanted`.
 */
function profilesOf(
  { extremes, others }: WorstPairs,
  places: LossPlaces,
  points: Int32Array,
  wanted: readonly number[],
): Float64Array[] {
  const count = points[points.length - 1];
  const furthest = places.at[places.at.length - 1];
  const middle = furthest + count;
  const falls = Float64Array.from({ length: middle + 1 }, (_, k) => -expm1(-k * places.h));
  const fall = falls.map((each) => (1 - each) * (1 + ROUNDINGS));
  const movesIn = (pair: Profiles): Moves => movesOf(pair, { at: points, falls });
  const [first, then] = [extremes.map(movesIn), others.map(movesIn)];
  const from = new Float64Array(2 * middle + 1);
  const found = new Float64Array(count + 1);
  const values = new Float64Array(points.length);
  const results = new Map<number, Float64Array>();
  const most = Math.max(...wanted);
  for (let k = 1; k <= most; k++) {
    let looked = 4 * count;
    for (let n = 0; n < values.length; n++) {
      const here = middle - points[n];
      let best = 0;
      for (const moves of first) best = Math.max(best, valueAt(moves, from, here, n));
      const open = then.slice();
      for (let moves = open.pop(); moves !== undefined; moves = open.pop()) {
        looked += moves.at.length;
        // a cell's value is no less than those of its parts
        const value = valueAt(moves, from, here, n);
        if (value <= best) continue;
        if (moves.parts.length === 0) best = value;
        else open.push(...moves.parts);
      }
      looked += first[0].at.length + first[1].at.length;
      values[n] = best * (1 + PER_STEP);
    }
    charge(looked);
    filled(values, points, falls, found);
    for (let i = 0; i <= count; i++) {
      from[middle - i] = found[i];
      from[middle + i] = found[i] * fall[i];
    }
    // beyond the mesh the last value is a bound, as D falls away from 0
    from.fill(found[count], 0, middle - count);
    from.fill(from[middle + count], middle + count + 1);
    if (wanted.includes(k)) results.set(k, found.slice());
  }
  return wanted.map((k) => results.get(k)!);
}

/** A bound of D_k of `profilesOf` at point n, index `here`, up to roundings: the pair's own δ plus Σ mass·D_{k−1} over its losses. */
function valueAt({ at, mass, none, single }: Moves, from: Float64Array, here: number, n: number): number {
  let sum = single[n] + none * from[here];
  for (let m = 0; m < at.length; m++) sum += mass[m] * from[here + at[m]];
  return sum;
}

/** Whether the masses of a pair sum to less than 1: those of a raised pair may not, and then its composition is not defined. */
function isProbability(pair: Profiles): boolean {
  return massesOf(pair).none > MANY_ROUNDINGS;
}

/**
 * Heuristic, to choose meshes: standard deviation of the loss of a step, by the pair that dominates every step, and its largest loss. `reach(count)`
 * is a loss that `count` steps exceed with a probability of about e^{LOG_BEYOND} (Chernoff's bound).
 */
function spreadOf(kernel: Kernel, steps: FixedSizeSteps) {
  const { diameter, share, count: whole, bounds } = steps;
  const h = Math.max(1e-7, Math.min(0.01, share * diameter) / 64);
  const at = [0];
  while (at[at.length - 1] * h < FURTHEST) at.push(Math.ceil(at[at.length - 1] * 1.15) + 1);
  const places = { h, at: Int32Array.from(at) };
  const pair = dominatingPair(kernel, steps, places);
  // with replacement, samples with many copies are rare and have far larger losses than all others: this estimate leaves them out
  const end = pair.forward.findIndex((delta) => whole * delta <= exp(LOG_BEYOND));
  const most = bounds.length > 1 && end >= 0 ? at[end] : Infinity;
  const { at: all, mass: masses } = massesOf(pair);
  const mass = masses.filter((_, i) => all[i] <= most);
  const losses = Float64Array.from(
    all.filter((k) => k <= most),
    (k) => k * h,
  );
  return {
    deviation: Math.sqrt(losses.reduce((sum, x, i) => sum + mass[i] * x * x, 0)),
    largest: losses[losses.length - 1],
    reach: (count: number): number => {
      let least = Infinity;
      for (let order = 2 ** -6; order < 2 ** 12; order *= 1.25) {
        const excess = losses.reduce((sum, x, i) => sum + mass[i] * expm1(order * x), 0);
        least = Math.min(least, (count * log1p(excess) - LOG_BEYOND) / order);
      }
      return least;
    },
  };
}

/** Mesh points per standard deviation of a step's loss, for the pair of `leadingPair`. Only width and speed depend on it. */
const LED_MESH = 12;
/** Spacing of the ε at which `ledBy` computes δ of a composition, in standard deviations of the run's loss. Only speed and width depend on it. */
const APART = 1 / 32;
/** Width of the brackets of log δ of compositions, whose upper ends are used. Only width and speed depend on it. */
const WIDTH = 1e-4;
/** Longest FFT of compositions. Only width and speed depend on it. */
const LONGEST = 2 ** 20;

/** Largest number of blocks of steps; for more, compositions of the pair of `leadingPair` give sharper bounds. Only width and speed depend on it. */
const MOST_BLOCKS = 4;

/** Heuristic: losses at which δ of a step is listed, and points at which δ of a block is computed. `mesh`: mesh points per standard deviation of a loss. */
function meshesOf(kernel: Kernel, steps: FixedSizeSteps) {
  const { count } = steps;
  const { deviation, largest, reach } = spreadOf(kernel, steps);
  const furthest = 2 * reach(count);
  const stepOf = (mesh: number): number => Math.max(deviation / mesh, furthest / MOST_POINTS);
  const placesOf = (mesh: number): LossPlaces => {
    const h = stepOf(mesh);
    return placesUpTo(h, Math.ceil(Math.min(largest, furthest) / h), { dense: 3 * mesh, apart: 0.05 });
  };
  const pointsOf = (block: number, mesh: number): Int32Array => {
    const h = stepOf(mesh);
    const dense = (block === count ? NEAR : NEARER) * mesh * Math.sqrt(block);
    return placesUpTo(h, Math.ceil(reach(block) / h), { dense, apart: 0.02 }).at;
  };
  return { deviation, placesOf, pointsOf };
}

/**
 * Bounds by the dynamic programme for blocks of steps, and by composition of at most `MOST_BLOCKS` blocks; undefined if that takes more than `work`.
 * Ensures: no less than ε and log δ of any adaptive choice of gradients.
 */
function programmeAt(
  kernel: Kernel,
  steps: FixedSizeSteps,
  { divisions, work }: Level,
): CurveAbove | undefined {
  const { count } = steps;
  const { placesOf, pointsOf } = meshesOf(kernel, steps);
  const costOf = (block: number, mesh: number, looked: number): number =>
    block * pointsOf(block, mesh).length * placesOf(mesh).at.length * looked;
  const pairsFor = (looked: number): { readonly mesh: number; readonly pairs: WorstPairs } => {
    const fits = (each: number): boolean => costOf(count, each, looked) <= MESH_SHARE * work;
    const mesh = MESHES.find(fits) ?? MESHES[MESHES.length - 1];
    return { mesh, pairs: worstPairs(kernel, { ...steps, divisions, raised: RAISED }, placesOf(mesh)) };
  };
  const [few, many] = [2, LOOKED * divisions];
  const blockFor = (mesh: number, looked: number): number | undefined => {
    for (let blocks = 1; blocks <= MOST_BLOCKS; blocks++)
      if (costOf(Math.ceil(count / blocks), mesh, looked) <= work) return Math.ceil(count / blocks);
    return undefined;
  };
  // with several bounds of a step the cells are mostly needed, so their work is assumed at once
  const first = steps.bounds.length > 1 ? many : few;
  if (blockFor(MESHES[MESHES.length - 1], first) === undefined) return undefined;
  let { mesh, pairs } = pairsFor(first);
  const looked = pairs.others.length > 0 ? many : few;
  if (looked > first) ({ mesh, pairs } = pairsFor(looked));
  const block = blockFor(mesh, looked);
  if (block === undefined) return undefined;
  const places = placesOf(mesh);
  const wanted = count % block > 0 ? [block, count % block] : [block];
  const found = profilesOf(pairs, places, pointsOf(block, mesh), wanted);
  if (block === count) return curveThrough((k) => found[0][Math.min(k, found[0].length - 1)], places.h);
  // a block whose δ is 1 at the last point gives no bound
  if (found.some((delta) => !(delta[delta.length - 1] < 1))) return undefined;
  const laws = found.map((raised, i) => {
    const delta = raised.map((value) => Math.min(1, value));
    const at = Int32Array.from(delta.keys());
    return {
      law: hullLaw({ forward: delta, backward: delta, places: { h: places.h, at } }),
      count: i === 0 ? Math.floor(count / block) : 1,
    };
  });
  const run = methods().gridRun(kernel, laws, { width: WIDTH, maxLength: LONGEST });
  return {
    logDelta: (epsilon) => run.logDelta(epsilon).upper,
    epsilon: (logDelta) => epsilonOf(run, logDelta, WIDTH).upper,
  };
}

/**
 * Bounds by a pair R whose divergences lead those of each step (`leadingPair`). R is composed as often as there are steps, and `ledAbove` turns its δ into
 * a bound (fixed-size.md, 9 and 10). Undefined if no R is found. Ensures: no less than ε and log δ of
 * any adaptive choice of gradients.
 */
function ledBy(kernel: Kernel, steps: FixedSizeSteps): CurveAbove | undefined {
  const { deviation, placesOf } = meshesOf(kernel, steps);
  const leading = leadingPair(kernel, steps, placesOf(LED_MESH), isProbability);
  if (leading === undefined) return undefined;
  const { pair, power } = leading;
  const laws = [{ law: hullLaw(pair), count: steps.count }];
  const run = methods().gridRun(kernel, laws, { width: WIDTH, maxLength: LONGEST });
  const apart = APART * deviation * Math.sqrt(steps.count);
  return ledAbove((epsilon) => exp(run.logDelta(epsilon, WIDTH).upper), power, apart);
}

/**
 * Upper bounds of the worst adaptive composition of steps on samples of a fixed size, the least of those by `programmeAt` and `ledBy`.
 *
 * Ensures: no less than ε and log δ of any adaptive choice of gradients.
 */
export function fixedSizeAbove(kernel: Kernel, steps: FixedSizeSteps): CurveAbove {
  // with several bounds of a step a finer division of angles gains little
  const levels = steps.bounds.length > 1 ? LEVELS.slice(0, 1) : LEVELS;
  const programmes = levels.map((level) => () => programmeAt(kernel, steps, level));
  const led = (): CurveAbove | undefined =>
    bounds.slice(0, -1).every(({ value }) => value !== undefined) ? undefined : ledBy(kernel, steps);
  const bounds: readonly Lazy<CurveAbove | undefined>[] = [...programmes, led].map((make) => new Lazy(make));
  const least = (ask: (above: CurveAbove) => number, none: number): number => {
    let found = none;
    for (const run of bounds)
      found = attempt(
        LEVEL_SHARE,
        () => (run.value === undefined ? found : Math.min(found, ask(run.value))),
        () => found,
      );
    return found;
  };
  return {
    logDelta: (epsilon) => least((above) => above.logDelta(epsilon), 0),
    epsilon: (logDelta) => least((above) => above.epsilon(logDelta), Infinity),
  };
}
