/**
 * Adaptive composition of like bounded-range steps, each on a Poisson sample or on all records (docs/proofs/bounded-range.md). Losses of a step lie in [t − ε, t] for a
 * t in [0, ε] that may hang on what was released before. From above by dynamic programming over the likelihood ratio, from below by the best t kept throughout.
 */
import type { Step } from '../mechanism/steps.js';
import { U } from '../numeric/constants.js';
import { Lazy } from '../numeric/lru-cache.js';
import { charge } from '../numeric/meter.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/** Cells of t, powers of 2: steps count as if ε were wider by one of them. Many are looked at where the mesh is short. Width and speed depend on them. */
const CELLS = { many: 256, few: 64 };
/** Points of the mesh times steps up to which cells are many, and at most. Speed depends on both. */
const WORK = { many: 1e6, most: 4e6 };
/** Mesh points in a standard deviation of the loss of a step. Width and speed depend on it. */
const MESH = 8;
/** Mesh points between the two losses of a step, at most, as rare ones are far apart. Width and speed depend on it. */
const MOST_APART = 2048;
/** Standard deviations of the loss of the run that the mesh reaches: beyond it nothing is said. */
const REACH = 7;
/** One cell of so many is looked at, about; it costs three units. */
const LOOKED_AT = 1.5;

/** A Poisson sample of a bounded-range step, so many times. */
export interface BoundedRangeSteps {
  readonly epsilon: number;
  readonly rate: number;
  readonly count: number;
}

type Direction = 'remove' | 'add';

/** The run as like bounded-range steps, at least two of them; undefined where it is none. */
export function boundedRangeSteps(steps: readonly Step[]): BoundedRangeSteps | undefined {
  const [only] = steps;
  if (only === undefined || steps.length > 1) return undefined;
  const { mechanism, rate, count, sampling } = only;
  if (count <= 1 || sampling === 'without-replacement') return undefined;
  if (mechanism.kind !== 'bounded-range' || mechanism.epsilon === 0) return undefined;
  return { epsilon: mechanism.epsilon, rate, count };
}

/** Two outputs: by how much their likelihood ratios on the sample lie below and above 1, the ratios, and their logarithms. */
interface Outputs {
  readonly below: number;
  readonly above: number;
  readonly ratios: readonly [low: number, high: number];
  readonly losses: readonly [low: number, high: number];
}

function outputsOf(rate: number, lowest: number, largest: number): Outputs {
  const below = -rate * expm1(lowest);
  const above = rate * expm1(largest);
  // a difference of nearly equal numbers where most of the ratio is taken away
  const low = below > 0.5 ? 1 - rate + rate * exp(lowest) : 1 - below;
  const logLow = rate === 1 ? lowest : below > 0.5 ? log(low) : log1p(-below);
  return { below, above, ratios: [low, 1 + above], losses: [logLow, rate === 1 ? largest : log1p(above)] };
}

/** Two-valued ratios as moves on a mesh of equal steps of log u: W(u·ratio) ≤ a chord of W between two points. */
interface Moves {
  /** For each node of a binary tree of cells: places of the chords' left ends, and weights of the four values. */
  readonly places: Int32Array;
  readonly weights: Float64Array;
  readonly furthest: number;
}

/** Node i has the children 2i and 2i + 1; the leaves are the cells. */
function movesOf({ epsilon, rate }: BoundedRangeSteps, direction: Direction, { h, cells }: Mesh): Moves {
  const places = new Int32Array(4 * cells);
  const weights = new Float64Array(8 * cells);
  let furthest = 0;
  for (let depth = 1; depth <= cells; depth *= 2)
    for (let i = 0; i < depth; i++) {
      const node = depth + i;
      const outputs = outputsOf(rate, (i / depth) * epsilon - epsilon, ((i + 1) / depth) * epsilon);
      const { below, above, ratios, losses } = outputs;
      [above, below].forEach((other, end) => {
        const mass = other / (below + above);
        const turned = direction === 'remove' ? losses[end] : -losses[end];
        const place = Math.floor(turned / h);
        // the ratio is off by a few roundings; W rises, so a larger share of the right end is above
        const right = Math.min(1, expm1((turned / h - place) * h) / expm1(h) + 1e-11);
        const weight = (direction === 'remove' ? mass : mass * ratios[end]) * (1 + 16 * U);
        places[2 * node + end] = place;
        weights[4 * node + 2 * end] = weight * Math.max(0, 1 - right + 1e-11);
        weights[4 * node + 2 * end + 1] = weight * right;
        furthest = Math.max(furthest, Math.abs(place) + 2);
      });
    }
  return { places, weights, furthest };
}

/** Values of W at log u = (i − middle)h. */
interface Table {
  readonly h: number;
  readonly middle: number;
  readonly values: Float64Array;
}

/** Equal steps h of log u, u = 1 at number `middle`, and cells of t. */
interface Mesh {
  readonly h: number;
  readonly middle: number;
  readonly cells: number;
}

/** The mesh of a run; undefined where it would be too long. */
function meshOf({ epsilon, rate, count }: BoundedRangeSteps): Mesh | undefined {
  const { below, above, losses } = outputsOf(rate, -epsilon / 2, epsilon / 2);
  const mass = below / (below + above);
  const span = losses[1] - losses[0];
  const deviation = Math.sqrt(mass * (1 - mass)) * span;
  const h = Math.max(deviation / MESH, span / MOST_APART);
  const reach = (count * deviation * deviation) / 2 + REACH * deviation * Math.sqrt(count) + 2 * span;
  const middle = Math.ceil(Math.min(reach, count * log1p(rate * expm1(epsilon))) / h);
  const work = 2 * middle * count;
  const cells = work <= WORK.many ? CELLS.many : CELLS.few;
  return work <= WORK.most ? { h, middle, cells } : undefined;
}

/**
 * Ensures: W_T(u) ≤ the value at each point. W_k(u) is the largest E[W_{k−1}(u·dQ/dP)] of a step, W₀(u) = (u − 1)⁺; the ratio is that of the direction.
 */
function tableOf(steps: BoundedRangeSteps, direction: Direction, mesh: Mesh): Table {
  const { h, middle, cells } = mesh;
  const { places, weights, furthest } = movesOf(steps, direction, mesh);
  const length = 2 * middle + 1;
  const ratio = (i: number): number => exp((i - middle) * h) * (1 + 1e-14);
  const slope = Float64Array.from({ length: furthest }, (_, i) => ratio(length + i) - ratio(length - 1));
  let from = new Float64Array(length + 2 * furthest);
  let to = new Float64Array(length + 2 * furthest);
  for (let i = 0; i < length; i++) from[furthest + i] = Math.max(0, expm1((i - middle) * h) * (1 + 1e-14));
  const stack = new Int32Array(64);
  for (let k = 0; k < steps.count; k++) {
    // W rises, and no faster than u
    from.fill(from[furthest], 0, furthest);
    for (let i = 0; i < furthest; i++)
      from[furthest + length + i] = from[furthest + length - 1] + Math.max(0, slope[i]) * (1 + 1e-14);
    let leaf = cells + cells / 2;
    for (let i = 0; i < length; i++) {
      const at = furthest + i;
      let best = valueAt(from, places, weights, leaf, at);
      let open = 1;
      stack[0] = 1;
      while (open > 0) {
        const node = stack[--open];
        // a cell's bound is above those of its parts
        const value = valueAt(from, places, weights, node, at);
        if (value <= best) continue;
        if (node >= cells) {
          best = value;
          leaf = node;
        } else {
          stack[open++] = 2 * node;
          stack[open++] = 2 * node + 1;
        }
      }
      to[at] = best * (1 + 16 * U);
    }
    [from, to] = [to, from];
  }
  return { h, middle, values: from.slice(furthest, furthest + length) };
}

function valueAt(
  from: Float64Array,
  places: Int32Array,
  weights: Float64Array,
  node: number,
  at: number,
): number {
  const left = at + places[2 * node];
  const right = at + places[2 * node + 1];
  const w = 4 * node;
  return (
    weights[w] * from[left] +
    weights[w + 1] * from[left + 1] +
    weights[w + 2] * from[right] +
    weights[w + 3] * from[right + 1]
  );
}

/** log δ(ε) ≤ log(e^ε W(e^{−ε})), by the chord between neighbours; 0 beyond the mesh. */
function logDeltaOf({ h, middle, values }: Table, epsilon: number): number {
  const place = middle - epsilon / h;
  const left = Math.floor(place - 1e-9);
  if (!(left >= 0)) return 0;
  const right = Math.min(1, expm1((place - left) * h) / expm1(h) + 1e-9);
  const value = values[left] + right * (values[left + 1] - values[left]);
  return Math.min(0, log(value) + epsilon + 1e-13 * (1 + epsilon));
}

/** Directions whose runs differ: without a sample each is the other's mirror image. */
const directionsOf = ({ rate }: BoundedRangeSteps): readonly Direction[] =>
  rate === 1 ? ['remove'] : ['remove', 'add'];

/** A bound of log δ from above. */
interface Above {
  /** Units that the first question takes: each is charged as if it were. */
  readonly cost: number;
  /** The largest ε that the mesh reaches. */
  readonly largest: number;
  /** Ensures: no less than log δ(ε) in either direction, ε ≥ 0. */
  logDelta(epsilon: number): number;
}

/** The worst adaptive composition; undefined where the mesh would be too long. */
export function boundedRangeAbove(steps: BoundedRangeSteps): Above | undefined {
  const mesh = meshOf(steps);
  if (mesh === undefined) return undefined;
  const { h, middle, cells } = mesh;
  const directions = directionsOf(steps);
  const tables = new Lazy(() => directions.map((direction) => tableOf(steps, direction, mesh)));
  return {
    cost: (directions.length * (2 * middle + 1) * steps.count * cells) / LOOKED_AT,
    largest: (middle - 1) * h,
    logDelta: (epsilon) => Math.max(...tables.value.map((table) => logDeltaOf(table, epsilon))),
  };
}

/** Steps whose sums are asked for, at most: binomial coefficients of more take long. */
const MOST_STEPS = 1e4;
/** Terms of a sum, at most, and values of t that are tried. */
const MOST_TERMS = 4096;
const TRIED = 33;

/**
 * Lower bound of log δ(ε), ε ≥ 0. It is that of `count` steps of two outputs with losses t and t − ε₀, at the best of some t. All terms are positive.
 *
 * Ensures: no more than log δ(ε) of a composition of bounded-range steps, in some direction.
 */
export function boundedRangeBelow(steps: BoundedRangeSteps): (epsilon: number) => number {
  const directions = directionsOf(steps);
  return (epsilon) => {
    if (steps.count > MOST_STEPS) return -Infinity;
    charge(directions.length * TRIED * (50 * Math.min(steps.count, MOST_TERMS) + 8 * steps.count));
    let best = -Infinity;
    for (const direction of directions)
      for (let i = 1; i < TRIED; i++)
        best = Math.max(best, keptThroughout(steps, direction, i / TRIED, epsilon));
    return best;
  };
}

/** log Σ_j Bin(j; T, p)(e^{ja + (T−j)b} − e^ε)⁺, a and b the losses of the outputs and p the chance of the larger one. */
function keptThroughout(
  { epsilon, rate, count }: BoundedRangeSteps,
  direction: Direction,
  share: number,
  at: number,
): number {
  // a few roundings within the range
  const span = epsilon * (1 - 1e-14);
  const { below, above, ratios, losses } = outputsOf(rate, (share - 1) * span, share * span);
  // the larger loss is the larger ratio, or its inverse where P and the sample change places
  const removed = direction === 'remove';
  const [large, small] = removed ? [losses[1], losses[0]] : [-losses[0], -losses[1]];
  const chance = removed ? below / (below + above) : (above / (below + above)) * ratios[0];
  const [logLarge, logSmall] = [log(chance), log1p(-chance)];
  const first = Math.max(0, Math.ceil((at - count * small) / (large - small) - 1e-9));
  if (first > count || !(large > small)) return -Infinity;
  let logWays = logBinomial(count, first);
  let [top, sum] = [-Infinity, 0];
  for (let j = first; j <= count && j - first < MOST_TERMS; j++) {
    const over = j * large + (count - j) * small - at;
    // rounded down: losses and logarithms of the masses are right to a few units in 1e13
    const size = Math.abs(logWays) + j * Math.abs(logLarge) + (count - j) * Math.abs(logSmall);
    const excess = over - 1e-13 * (1 + Math.abs(at) + count * (large - small));
    if (excess > 0) {
      const term = logWays + j * logLarge + (count - j) * logSmall + log(expm1(excess)) - 1e-13 * (1 + size);
      if (term > top) [top, sum] = [term, sum * exp(top - term) + 1];
      else sum += exp(term - top);
    }
    logWays += log((count - j) / (j + 1));
  }
  return sum === 0 ? -Infinity : top + log(sum) + at - 1e-12 * (1 + Math.abs(at));
}

/** log C(n, k), by its shorter product. */
function logBinomial(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += log((n - Math.min(k, n - k) + i) / i);
  return sum;
}
