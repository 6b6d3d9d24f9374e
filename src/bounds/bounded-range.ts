/**
 * Adaptive composition of identical bounded-range steps, each on a Poisson sample or on all records (docs/proofs/bounded-range.md). Losses of a step
 * lie in [t − ε, t] for a t in [0, ε] that may depend on earlier releases. Upper bounds by dynamic programming over the likelihood ratio, lower
 * bounds by the best constant t.
 */
import type { Step } from '../mechanism/steps.js';
import { U } from '../numeric/constants.js';
import { Lazy } from '../numeric/lru-cache.js';
import { charge } from '../numeric/meter.js';
import { down, MANY_ROUNDINGS, padded, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { type Direction, directionsOf, type LikeSteps, outputsOf, twoOutputsBelow } from './two-outputs.js';

/** Numbers of cells of t, powers of 2: ε counts as wider by one cell. Only width and speed depend on them. */
const CELLS = { most: 2048, least: 64 };
/** Choices stored at most: lower bounds by them cost as many units of work. Only speed and width depend on it. */
const MOST_CHOICES = 5e5;
/** Upper bound of the relative rounding error of a point's position between mesh points. Correctness depends on it. */
const RATIO_ERROR = 1e-11;
/** Mesh points times steps at most; and cells visited in all at most, unless that is the least possible. Only speed depends on both. */
const WORK = { points: 4e6, looked: 1.2e8 };
/**
 * Mesh points per standard deviation of the loss of a step, in order of preference; and points times steps up to which a finer mesh is taken. Only
 * width and speed depend on them.
 */
const MESHES = [32, 16, 8];
const FINE = 2.5e5;
/** Mesh points between the two losses of a step at most: rare losses are far apart. Only width and speed depend on it. */
const MOST_APART = 2048;
/** Extent of the mesh, in standard deviations of the loss of the run; beyond it there is no bound. */
const REACH = 7;
/** Approximate number of cells visited, in units of the square root of their number; and units of work for each. */
const LOOKED_AT = 4.5;
const LOOK_PRICE = 1.2;

/** A bounded-range step on a Poisson sample, and its number of repetitions. */
export interface BoundedRangeSteps extends LikeSteps {
  readonly epsilon: number;
}

/** The run as identical bounded-range steps, at least two; undefined if it is not. */
export function boundedRangeSteps(steps: readonly Step[]): BoundedRangeSteps | undefined {
  const [only] = steps;
  if (only === undefined || steps.length > 1) return undefined;
  const { mechanism, rate, count, sampling } = only;
  if (count <= 1 || sampling === 'without-replacement') return undefined;
  if (mechanism.kind !== 'bounded-range' || mechanism.epsilon === 0) return undefined;
  return { epsilon: mechanism.epsilon, rate, count };
}

/** Two-valued likelihood ratios as moves on an equally spaced mesh of log u: W(u·ratio) is at most a chord of W between two points. */
interface Moves {
  /** For each node of a binary tree of cells: left ends of the chords, and weights of the four values. */
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
        // the ratio is rounded; as W increases, a larger weight of the right end is an upper bound
        const slack = RATIO_ERROR + 8 * U * Math.abs(place);
        const right = Math.min(1, expm1((turned / h - place) * h) / expm1(h) + slack);
        const weight = (direction === 'remove' ? mass : mass * ratios[end]) * (1 + 16 * U);
        places[2 * node + end] = place;
        weights[4 * node + 2 * end] = weight * Math.max(0, 1 - right + slack);
        weights[4 * node + 2 * end + 1] = weight * right;
        furthest = Math.max(furthest, Math.abs(place) + 2);
      });
    }
  return { places, weights, furthest };
}

/** Values of W at log u = (i − middle)h, and for each step the cells of t that attain them; undefined if they are too many to store. */
interface Table extends Mesh {
  readonly direction: Direction;
  readonly values: Float64Array;
  readonly choices: Uint16Array | undefined;
}

/** Spacing h of log u, index `middle` of u = 1, and number of cells of t. */
interface Mesh {
  readonly h: number;
  readonly middle: number;
  readonly cells: number;
}

const lookedAt = (cells: number): number => LOOKED_AT * Math.sqrt(cells);

/** The mesh of a run; undefined where it would be too long. */
function meshOf({ epsilon, rate, count }: BoundedRangeSteps): Mesh | undefined {
  const { below, above, losses } = outputsOf(rate, -epsilon / 2, epsilon / 2);
  const mass = below / (below + above);
  const span = losses[1] - losses[0];
  const deviation = Math.sqrt(mass * (1 - mass)) * span;
  const reach = (count * deviation * deviation) / 2 + REACH * deviation * Math.sqrt(count) + 2 * span;
  const furthest = Math.min(reach, count * log1p(rate * expm1(epsilon)));
  const meshes = MESHES.map((points) => {
    const h = Math.max(deviation / points, span / MOST_APART);
    const middle = Math.ceil(furthest / h);
    return { h, middle, work: 2 * middle * count };
  });
  const { h, middle, work } = meshes.find((mesh) => mesh.work <= FINE) ?? meshes[meshes.length - 1];
  let cells = CELLS.most;
  while (cells > CELLS.least && lookedAt(cells) * work > WORK.looked) cells /= 2;
  return work <= WORK.points ? { h, middle, cells } : undefined;
}

/**
 * Dynamic programming: W₀(u) = (u − 1)⁺, and W_k(u) is the maximum of E[W_{k−1}(u·dQ/dP)] over a step's t; the ratio is that of the direction.
 * Ensures: W_T(u) ≤ the value at each point.
 */
function tableOf(steps: BoundedRangeSteps, direction: Direction, mesh: Mesh): Table {
  const { h, middle, cells } = mesh;
  const { places, weights, furthest } = movesOf(steps, direction, mesh);
  const length = 2 * middle + 1;
  const ratio = (i: number): number => up(exp((i - middle) * h), ROUNDINGS);
  const slope = Float64Array.from({ length: furthest }, (_, i) => ratio(length + i) - ratio(length - 1));
  let from = new Float64Array(length + 2 * furthest);
  let to = new Float64Array(length + 2 * furthest);
  for (let i = 0; i < length; i++) from[furthest + i] = Math.max(0, up(expm1((i - middle) * h), ROUNDINGS));
  const stack = new Int32Array(64);
  const choices = length * steps.count <= MOST_CHOICES ? new Uint16Array(length * steps.count) : undefined;
  for (let k = 0; k < steps.count; k++) {
    // W increases, with slope at most 1
    from.fill(from[furthest], 0, furthest);
    for (let i = 0; i < furthest; i++)
      from[furthest + length + i] = from[furthest + length - 1] + up(Math.max(0, slope[i]), ROUNDINGS);
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
      if (choices !== undefined) choices[k * length + i] = leaf - cells;
    }
    [from, to] = [to, from];
  }
  return { h, middle, cells, direction, choices, values: from.slice(furthest, furthest + length) };
}

/** The value of a move at a mesh point: two chords of `from`, for the two values of the likelihood ratio. */
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

/** Upper bound of log δ(ε) = log(e^ε W(e^{−ε})), by the chord between neighbouring points; 0 beyond the mesh. */
function logDeltaOf({ h, middle, values }: Table, epsilon: number): number {
  const place = middle - epsilon / h;
  const left = Math.floor(place - 1e-9);
  if (!(left >= 0)) return 0;
  const right = Math.min(1, expm1((place - left) * h) / expm1(h) + 1e-9);
  const value = values[left] + right * (values[left + 1] - values[left]);
  return Math.min(0, padded(log(value) + epsilon, 1 + epsilon, MANY_ROUNDINGS));
}

/**
 * log δ(ε) of the choices that attained a table. Each depends on the mesh point nearest to the likelihood ratio so far. The rounding to mesh points
 * is post-processing. So probabilities under both laws add up at each point.
 *
 * Ensures: no more than log δ(ε) of a composition of bounded-range steps, in this direction.
 */
function playedBy({ epsilon: range, rate, count }: BoundedRangeSteps, table: Table, epsilon: number): number {
  const { h, middle, cells, direction, choices } = table;
  const start = middle - Math.round(epsilon / h);
  if (choices === undefined || start < 0) return -Infinity;
  const length = 2 * middle + 1;
  charge(8 * length * count);
  const span = down(range, ROUNDINGS);
  const [base, ratios, moved] = [0, 1, 2].map(() => new Float64Array(2 * cells));
  for (let cell = 0; cell < cells; cell++) {
    const t = ((cell + 0.5) / cells) * span;
    const outputs = outputsOf(rate, t - span, t);
    const masses = [outputs.above, outputs.below].map((each) => each / (outputs.above + outputs.below));
    masses.forEach((mass, end) => {
      const removed = direction === 'remove';
      base[2 * cell + end] = removed ? mass : mass * outputs.ratios[end];
      ratios[2 * cell + end] = removed ? outputs.ratios[end] : 1 / outputs.ratios[end];
      moved[2 * cell + end] = (removed ? outputs.losses[end] : -outputs.losses[end]) / h;
    });
  }
  let [p, q] = [new Float64Array(length), new Float64Array(length)];
  let [nextP, nextQ] = [new Float64Array(length), new Float64Array(length)];
  p[start] = 1;
  q[start] = 1;
  for (let k = count - 1; k >= 0; k--) {
    nextP.fill(0);
    nextQ.fill(0);
    for (let i = 0; i < length; i++) {
      if (q[i] === 0) continue;
      const cell = choices[k * length + i];
      for (let j = 2 * cell; j < 2 * cell + 2; j++) {
        // positions after several steps are rounded once
        const by = Math.floor((k + 1) * moved[j] + 0.5) - Math.floor(k * moved[j] + 0.5);
        const to = Math.max(0, Math.min(length - 1, i + by));
        nextP[to] += p[i] * base[j];
        nextQ[to] += q[i] * base[j] * ratios[j];
      }
    }
    [p, nextP] = [nextP, p];
    [q, nextQ] = [nextQ, q];
  }
  const rounding = 64 * U * (count + 2);
  const factor = exp(epsilon) * (1 + rounding);
  const delta = q.reduce((sum, mass, i) => sum + Math.max(0, mass * (1 - rounding) - factor * p[i]), 0);
  return log(delta * (1 - rounding));
}

/** Functions for both bounds of log δ. */
interface BoundedRangeBounds {
  /** Units of work of the first question; each is charged as much. */
  readonly cost: number;
  /** The largest ε that the mesh reaches. */
  readonly largest: number;
  /** Ensures: no less than log δ(ε) in either direction, ε ≥ 0. */
  above(epsilon: number): number;
  /** Ensures: no more than log δ(ε) of some choices, in some direction, ε ≥ 0. */
  below(epsilon: number): number;
}

/**
 * The worst adaptive composition; undefined where the mesh would be too long.
 *
 * Ensures: `above` is no less, and `below` no more, than log δ(ε) of the worst adaptive choice.
 */
export function adaptiveBoundedRange(steps: BoundedRangeSteps): BoundedRangeBounds | undefined {
  const mesh = meshOf(steps);
  if (mesh === undefined) return undefined;
  const { h, middle, cells } = mesh;
  const directions = directionsOf(steps.rate);
  const tables = new Lazy(() => directions.map((direction) => tableOf(steps, direction, mesh)));
  return {
    cost: LOOK_PRICE * directions.length * (2 * middle + 1) * steps.count * lookedAt(cells),
    largest: (middle - 1) * h,
    above: (epsilon) => Math.max(...tables.value.map((table) => logDeltaOf(table, epsilon))),
    below: (epsilon) => Math.max(...tables.value.map((table) => playedBy(steps, table, epsilon))),
  };
}

/**
 * Lower bound of log δ(ε), ε ≥ 0: that of losses t and t − ε₀ in every step, at the best of some t.
 *
 * Ensures: no more than log δ(ε) of a composition of bounded-range steps, in some direction.
 */
export function boundedRangeBelow(steps: BoundedRangeSteps): (epsilon: number) => number {
  return twoOutputsBelow(steps, (share) => [(share - 1) * steps.epsilon, share * steps.epsilon]);
}
