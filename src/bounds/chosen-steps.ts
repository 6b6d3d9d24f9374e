/**
 * Adaptive composition of steps of which each is chosen from one set of pairs with few outputs, depending on what was released before
 * (docs/proofs/bounded-range.md). Upper bounds by dynamic programming over the likelihood ratio, lower bounds by the choices that it found best.
 */
import type { Kernel } from '../kernel/kernel.js';
import { hullLaw } from '../law/profile-hull.js';
import { methods } from '../methods/brought/methods.js';
import { U } from '../numeric/constants.js';
import { greatest } from '../numeric/extremes.js';
import { charge } from '../numeric/meter.js';
import { MANY_ROUNDINGS, padded, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import type { Direction } from './two-outputs.js';

/** An output of a step: its mass under the first law, the likelihood ratio of the second law to it, and the log of that. */
export interface Output {
  readonly mass: number;
  readonly ratio: number;
  readonly loss: number;
}

/** The pairs that a step may choose, in one direction, as binary trees of sets of pairs. Node i has the children 2i and 2i + 1; nodes from `leaves` on have none. */
export interface Choices {
  readonly roots: readonly number[];
  readonly leaves: number;
  readonly outputs: number;
  /** A pair that dominates all pairs of a node. Ensures: up to roundings, no pair of the node, nor the result for a child, has a larger f-divergence. */
  above(node: number): readonly Output[];
  /** A pair in the leaf that some mechanism has, for lower bounds. Absent if none is known. */
  readonly allowed?: ((leaf: number) => readonly Output[]) | undefined;
}

export interface ChosenSteps {
  readonly count: number;
  /** The directions of adjacency to consider; one if the exchanged pair of each choice is a choice too. */
  readonly directions: readonly Direction[];
  /** Most and fewest leaves of the trees of `Choices` that are tried, powers of 2. Only width and speed depend on them. */
  readonly leaves: Readonly<Record<'most' | 'least', number>>;
  choices(direction: Direction, leaves: number): Choices;
  /** Heuristic: choices close to the worst, by which the mesh is chosen. The first has the largest standard deviation of the loss. */
  readonly typical: (direction: Direction) => readonly (readonly Output[])[];
}

/** Number of choices, one a step and mesh point, up to which they are stored for lower bounds. Only speed and width depend on it. */
const MOST_CHOICES = 2e6;
/** Upper bound of the rounding error of a position between two mesh points, as a fraction of their distance. Correctness depends on it. */
const RATIO_ERROR = 1e-11;
/** Largest number of mesh points times steps, and of nodes visited in all. Only speed depends on both. */
const WORK = { points: 4e6, looked: 8e7 };
/** Mesh points per standard deviation of a loss. The first entry with at most `FINE` mesh points times steps is used, else the last. Only width and speed depend on them. */
const MESHES = [32, 16, 8];
const FINE = 5e5;
/** Largest number of mesh points between two losses of a step: rare losses are far apart. Only width and speed depend on it. */
const MOST_APART = 2048;
/** Log of the probability of losses beyond the mesh, about; at larger ε the bound of δ is 1. Only width depends on it. */
const LOG_BEYOND = -30;
/** Nodes visited at a mesh point over √(number of leaves), about. Only speed depends on it. */
const LOOKED_AT = 4.5;
/** Units of work for each output of a node that is visited. Only speed depends on it. */
const LOOK_PRICE = 0.6;

/**
 * Outputs as moves on an equally spaced mesh of log u, u the likelihood ratio so far. The convex W(u·ratio) of `tableOf` is at most a chord between two points.
 */
interface Moves {
  /** For each output of each node: the chord's left end relative to u, and mass times shares of its left and right end, rounded up. */
  readonly places: Int32Array;
  readonly weights: Float64Array;
  /** Largest distance of a chord's end from u. */
  readonly furthest: number;
}

/** The moves of all nodes for the mesh spacing h. Ensures: Σ weights·values is no less than E[W(u·ratio)] at a mesh point u, if W is convex and increasing. */
function movesOf({ roots, leaves, outputs, above }: Choices, h: number): Moves {
  const places = new Int32Array(2 * leaves * outputs);
  const weights = new Float64Array(4 * leaves * outputs);
  let furthest = 0;
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    above(node).forEach(({ mass, loss }, k) => {
      const place = Math.floor(loss / h);
      // the loss is rounded; as W increases, a larger weight of the right end is an upper bound
      const slack = RATIO_ERROR + 8 * U * Math.abs(place);
      const right = Math.min(1, expm1((loss / h - place) * h) / expm1(h) + slack);
      const weight = mass * (1 + 16 * U);
      const at = node! * outputs + k;
      places[at] = place;
      weights[2 * at] = weight * Math.max(0, 1 - right + slack);
      weights[2 * at + 1] = weight * right;
      furthest = Math.max(furthest, Math.abs(place) + 2);
    });
    if (node < leaves) open.push(2 * node, 2 * node + 1);
  }
  return { places, weights, furthest };
}

/** A mesh of log u with spacing h, on which u = 1 has the index `middle`; and the number of leaves of the trees. */
interface Mesh {
  readonly h: number;
  readonly middle: number;
  readonly leaves: number;
}

/** Upper bounds `values` of W_k, the largest mean of (u − 1)⁺ after k steps, at log u = (i − middle)h, for several k. `kept` is the maximising leaf of each step and point, if they are few. */
interface Table extends Mesh {
  readonly direction: Direction;
  readonly values: readonly Float64Array[];
  readonly kept: Uint16Array | undefined;
}

const lookedAt = (leaves: number): number => (leaves < 16 ? 1.5 * leaves : LOOKED_AT * Math.sqrt(leaves));

/** Heuristic: a loss that `count` typical steps exceed with probability at most e^{LOG_BEYOND}, by Chernoff's bound. It only chooses the mesh. */
function reachOf({ directions, typical }: ChosenSteps, count: number): number {
  const all = directions.flatMap(typical);
  let least = Infinity;
  for (let order = 2 ** -8; order < 2 ** 12; order *= 1.5) {
    const most = Math.max(
      ...all.map((outputs) =>
        outputs.reduce((sum, { mass, loss }) => (mass > 0 ? sum + mass * exp((1 + order) * loss) : sum), 0),
      ),
    );
    least = Math.min(least, (count * log(most) - LOG_BEYOND) / order);
  }
  return least;
}

/** Heuristic: a mesh for `count` steps; undefined if it would take more than `WORK`. Bounds hold on any mesh. */
function meshOf(steps: ChosenSteps, count: number): Mesh | undefined {
  const { directions, leaves } = steps;
  const losses = steps.typical(directions[0])[0];
  const [mean, square] = losses.reduce(
    ([one, two], { mass, loss }) => [one + mass * loss, two + mass * loss * loss],
    [0, 0],
  );
  const deviation = Math.sqrt(square - mean * mean);
  const each = losses.map(({ loss }) => loss);
  const span = Math.max(...each) - Math.min(...each);
  const largest = directions.flatMap((direction) => {
    const { roots, above } = steps.choices(direction, leaves.least);
    return roots.flatMap((root) => above(root).map(({ loss }) => loss));
  });
  const furthest = Math.min(reachOf(steps, count) + span, count * Math.max(...largest));
  const meshes = MESHES.map((points) => {
    const h = Math.max(deviation / points, span / MOST_APART);
    const middle = Math.ceil(furthest / h);
    return { h, middle, work: 2 * middle * count };
  });
  const { h, middle, work } = meshes.find((mesh) => mesh.work <= FINE) ?? meshes[meshes.length - 1];
  let many = leaves.most;
  while (many > leaves.least && lookedAt(many) * work > WORK.looked) many /= 2;
  return work <= WORK.points && lookedAt(many) * work <= WORK.looked
    ? { h, middle, leaves: many }
    : undefined;
}

/**
 * Dynamic programme over u, the likelihood ratio so far (docs/proofs/bounded-range.md, 1 and 3). W₀(u) = (u − 1)⁺, and W_k(u) is the largest
 * E_P[W_{k−1}(u·dQ/dP)] over the pairs (P, Q) of a step.
 * Ensures: the value at each mesh point is no less than W_k(u), for each k of `counts`.
 * @param counts Numbers of steps, the largest first.
 */
function tableOf(steps: ChosenSteps, counts: readonly number[], direction: Direction, mesh: Mesh): Table {
  const [count] = counts;
  const found = new Map<number, Float64Array>();
  const { h, middle, leaves } = mesh;
  const choices = steps.choices(direction, leaves);
  const { roots, outputs } = choices;
  const moves = movesOf(choices, h);
  const { furthest } = moves;
  const length = 2 * middle + 1;
  const ratio = (i: number): number => up(exp((i - middle) * h), ROUNDINGS);
  const slope = Float64Array.from({ length: furthest }, (_, i) => ratio(length + i) - ratio(length - 1));
  let from = new Float64Array(length + 2 * furthest);
  let to = new Float64Array(length + 2 * furthest);
  for (let i = 0; i < length; i++) from[furthest + i] = Math.max(0, up(expm1((i - middle) * h), ROUNDINGS));
  const stack = new Int32Array(64);
  const isKept = choices.allowed !== undefined && count === steps.count && length * count <= MOST_CHOICES;
  const kept = isKept ? new Uint16Array(length * count) : undefined;
  for (let k = 0; k < count; k++) {
    // beyond the mesh: W rises with u, at a slope of at most 1
    from.fill(from[furthest], 0, furthest);
    for (let i = 0; i < furthest; i++)
      from[furthest + length + i] = from[furthest + length - 1] + up(Math.max(0, slope[i]), ROUNDINGS);
    let leaf = leaves + leaves / 2;
    for (let i = 0; i < length; i++) {
      const at = furthest + i;
      let best = valueAt(from, moves, outputs, leaf, at);
      let open = 0;
      for (const root of roots) stack[open++] = root;
      while (open > 0) {
        const node = stack[--open];
        // a node's value is no less than those of its children
        const value = valueAt(from, moves, outputs, node, at);
        if (value <= best) continue;
        if (node >= leaves) {
          best = value;
          leaf = node;
        } else {
          stack[open++] = 2 * node;
          stack[open++] = 2 * node + 1;
        }
      }
      to[at] = best * (1 + 16 * U);
      if (kept !== undefined) kept[k * length + i] = leaf - leaves;
    }
    [from, to] = [to, from];
    if (counts.includes(k + 1)) found.set(k + 1, from.slice(furthest, furthest + length));
  }
  return { h, middle, leaves, direction, kept, values: counts.map((each) => found.get(each)!) };
}

/** Σ weights·values over the outputs of a node at the mesh index `at`: an upper bound of E[W(u·ratio)], up to roundings of the sum. */
function valueAt(
  from: Float64Array,
  { places, weights }: Moves,
  outputs: number,
  node: number,
  at: number,
): number {
  let sum = 0;
  for (let k = node * outputs; k < (node + 1) * outputs; k++) {
    const left = at + places[k];
    sum += weights[2 * k] * from[left] + weights[2 * k + 1] * from[left + 1];
  }
  return sum;
}

/** Upper bound of log δ(ε) = log(e^ε W(e^{−ε})), by a chord of W, the first of the `values`, between two mesh points. Rounded up; 0 beyond the mesh. */
function logDeltaOf({ h, middle, values: [values] }: Table, epsilon: number): number {
  const place = middle - epsilon / h;
  const left = Math.floor(place - 1e-9);
  if (!(left >= 0)) return 0;
  const right = Math.min(1, expm1((place - left) * h) / expm1(h) + 1e-9);
  const value = values[left] + right * (values[left + 1] - values[left]);
  return Math.min(0, padded(log(value) + epsilon, 1 + epsilon, MANY_ROUNDINGS));
}

/**
 * Lower bound of log δ(ε), by the choices that are best in a table (docs/proofs/bounded-range.md, 5). The choice of a step depends on a mesh point alone,
 * the sum of earlier losses rounded to the mesh. At the end only the last point is published: δ(ε) ≥ Σ_i (Q_i − e^ε P_i)⁺ over mesh points.
 * Ensures: no more than log δ(ε) of a composition of allowed choices, in this direction.
 */
function playedBy(
  steps: ChosenSteps,
  { h, middle, leaves, direction, kept }: Table,
  epsilon: number,
): number {
  const { count } = steps;
  const { allowed, outputs } = steps.choices(direction, leaves);
  const start = middle - Math.round(epsilon / h);
  if (kept === undefined || allowed === undefined || start < 0) return -Infinity;
  const length = 2 * middle + 1;
  charge(4 * outputs * length * count);
  const [base, ratios, moved] = [0, 1, 2].map(() => new Float64Array(outputs * leaves));
  for (let leaf = 0; leaf < leaves; leaf++)
    allowed(leaves + leaf).forEach(({ mass, ratio, loss }, k) => {
      base[leaf * outputs + k] = mass;
      ratios[leaf * outputs + k] = ratio;
      moved[leaf * outputs + k] = loss / h;
    });
  let [p, q] = [new Float64Array(length), new Float64Array(length)];
  let [nextP, nextQ] = [new Float64Array(length), new Float64Array(length)];
  p[start] = 1;
  q[start] = 1;
  for (let k = count - 1; k >= 0; k--) {
    nextP.fill(0);
    nextQ.fill(0);
    for (let i = 0; i < length; i++) {
      if (q[i] === 0) continue;
      const leaf = kept[k * length + i];
      for (let j = outputs * leaf; j < outputs * (leaf + 1); j++) {
        // differences of rounded multiples of the loss, so that roundings of many steps do not add up
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

/** Bounds of log δ of an adaptive composition. */
export interface ChosenBounds {
  /** Ensures: no less than log δ(ε) in either direction, ε ≥ 0. */
  above(epsilon: number): number;
  /** Ensures: no less than the ε at which δ(ε) is e^{logDelta}. */
  epsilonAbove(logDelta: number): number;
  /** The largest ε at which `below` is a bound. */
  readonly largest: number;
  /** Ensures: no more than log δ(ε) of some choices, in some direction, ε ≥ 0. */
  below(epsilon: number): number;
}

/** Largest number of blocks of steps. Only speed depends on it. */
const MOST_BLOCKS = 2 ** 40;
/** Width wanted of log δ of the composition of blocks. Only width and speed depend on it. */
const WIDTH = 1e-4;
/** Longest FFT for the composition of blocks. Only width and speed depend on it. */
const LONGEST = 2 ** 20;

/**
 * The δ curve of `block` steps, joined by chords in e^ε, is that of a pair that dominates each adaptive choice of as many steps. So its composition
 * dominates the run (docs/proofs/bounded-range.md, 7). Ensures: for each direction, upper ends are no less than log δ(ε) of any adaptive choice.
 */
function inBlocks(kernel: Kernel, steps: ChosenSteps, mesh: Mesh, block: number): readonly DirectedRun[] {
  const { directions, count } = steps;
  const { h, middle } = mesh;
  const counts = count % block > 0 ? [block, count % block] : [block];
  const profiles = directions.map((direction) =>
    tableOf(steps, counts, direction, mesh).values.map((values) =>
      Float64Array.from({ length: middle + 1 }, (_, i) =>
        Math.min(1, up(exp(i * h) * values[middle - i], ROUNDINGS)),
      ),
    ),
  );
  const at = Int32Array.from({ length: middle + 1 }, (_, i) => i);
  return directions.map((_, side) => {
    const laws = counts.map((_, i) => {
      const [forward, backward] = [side, profiles.length - 1 - side].map((own) => profiles[own][i].slice());
      forward[0] = Math.max(forward[0], backward[0]);
      backward[0] = forward[0];
      const law = hullLaw({ forward, backward, places: { h, at } });
      return { law, count: i === 0 ? Math.floor(count / block) : 1 };
    });
    return methods().gridRun(kernel, laws, { width: WIDTH, maxLength: LONGEST });
  });
}

/** Heuristic: the largest number of steps in a block for which there is a mesh, and that mesh; undefined if it is below 2. */
function blockOf(steps: ChosenSteps): { readonly mesh: Mesh; readonly block: number } | undefined {
  for (let block = steps.count, blocks = 1; block > 1 && blocks <= MOST_BLOCKS; ) {
    const mesh = meshOf(steps, block);
    if (mesh !== undefined) return { mesh, block };
    blocks *= 2;
    block = Math.ceil(steps.count / blocks);
  }
  return undefined;
}

/**
 * Bounds of the worst adaptive composition, by the dynamic programme for all steps, or for blocks of them; undefined if there is no mesh.
 * The work of the programme is charged for first. Ensures: `above` is no less, and `below` no more, than log δ(ε) of the worst adaptive choice.
 */
export function adaptiveChoice(kernel: Kernel, steps: ChosenSteps): ChosenBounds | undefined {
  const { directions, count } = steps;
  const found = blockOf(steps);
  if (found === undefined) return undefined;
  const { mesh, block } = found;
  const { h, middle, leaves } = mesh;
  const { outputs } = steps.choices(directions[0], leaves);
  charge(LOOK_PRICE * outputs * directions.length * (2 * middle + 1) * block * lookedAt(leaves));
  if (block < count) {
    const runs = inBlocks(kernel, steps, mesh, block);
    return {
      above: (epsilon) =>
        greatest(
          runs.map((run) => run.logDelta(epsilon, WIDTH).upper),
          -Infinity,
        ),
      epsilonAbove: (at) =>
        greatest(
          runs.map((run) => epsilonOf(run, at, WIDTH).upper),
          0,
        ),
      below: () => -Infinity,
      largest: 0,
    };
  }
  const tables = directions.map((direction) => tableOf(steps, [count], direction, mesh));
  const largest = (middle - 1) * h;
  const above = (epsilon: number): number =>
    greatest(
      tables.map((table) => logDeltaOf(table, epsilon)),
      -Infinity,
    );
  const search = { guess: largest / 8, ceiling: largest, relative: 1e-7 };
  return {
    above,
    epsilonAbove: (at) => turningPoint((epsilon) => above(epsilon) <= at, search).high,
    below: (epsilon) =>
      greatest(
        tables.map((table) => playedBy(steps, table, epsilon)),
        -Infinity,
      ),
    largest,
  };
}
