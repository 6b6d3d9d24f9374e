/**
 * Adaptive composition of like steps, each a choice among steps of few outputs that may depend on what was released before (docs/proofs/bounded-range.md). From above by
 * dynamic programming over the likelihood ratio, from below by the choices that it found best.
 */
import type { Kernel } from '../kernel/kernel.js';
import { hullLaw } from '../law/profile-hull.js';
import { methods } from '../methods/brought/methods.js';
import { U } from '../numeric/constants.js';
import { greatest } from '../numeric/extremes.js';
import { Lazy } from '../numeric/lru-cache.js';
import { charge } from '../numeric/meter.js';
import { MANY_ROUNDINGS, padded, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import type { Direction } from './two-outputs.js';

/** An output of a step: its chance under the first law, the ratio of the second law to the first, and the logarithm of that. */
export interface Output {
  readonly mass: number;
  readonly ratio: number;
  readonly loss: number;
}

/** Outputs that a step may choose in one direction, as binary trees: node i has children 2i and 2i + 1, none from `leaves` on. */
export interface Choices {
  readonly roots: readonly number[];
  readonly leaves: number;
  /** Outputs of a node. */
  readonly outputs: number;
  /** Outputs that dominate the node. Ensures: no choice in it, and no child's outputs, have a larger f-divergence, but for roundings of masses and losses. */
  above(node: number): readonly Output[];
  /** A choice in the leaf that some mechanism makes, for lower bounds. Absent where none is known. */
  readonly allowed?: ((leaf: number) => readonly Output[]) | undefined;
}

export interface ChosenSteps {
  readonly count: number;
  /** Directions whose runs differ, where each choice has its mirror image among them. */
  readonly directions: readonly Direction[];
  /** Numbers of leaves of a tree, powers of 2: the one tried first, and the least one tried. Width and speed depend on them. */
  readonly leaves: Readonly<Record<'most' | 'least', number>>;
  choices(direction: Direction, leaves: number): Choices;
  /** Choices near the worst, from which the mesh is planned. The first has the largest standard deviation of the loss. */
  readonly typical: (direction: Direction) => readonly (readonly Output[])[];
}

/** Choices stored at most: lower bounds by them cost as many units of work. Only speed and width depend on it. */
const MOST_CHOICES = 2e6;
/** Upper bound of the relative rounding error of a point's position between mesh points. Correctness depends on it. */
const RATIO_ERROR = 1e-11;
/** Largest number of mesh points times steps, and of nodes visited in all. Only speed depends on both. */
const WORK = { points: 4e6, looked: 8e7 };
/** Mesh points per standard deviation of a loss. The finest mesh of at most `FINE` points times steps is taken, or the coarsest. For width and speed. */
const MESHES = [32, 16, 8];
const FINE = 5e5;
/** Largest number of mesh points between two losses of a step: rare losses are far apart. Only width and speed depend on it. */
const MOST_APART = 2048;
/** log of the probability beyond the mesh, where there is no bound. */
const LOG_BEYOND = -30;
/** Approximate number of nodes visited, in units of the square root of the number of leaves; and units of work for each output. */
const LOOKED_AT = 4.5;
const LOOK_PRICE = 0.6;

/** Outputs as moves on an equally spaced mesh of log u: W(u·ratio) is at most a chord of W between two points. */
interface Moves {
  /** For each node: places of the chords' left ends, and weights of the two values of each. */
  readonly places: Int32Array;
  readonly weights: Float64Array;
  readonly furthest: number;
}

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

/** Spacing h of log u, index `middle` of u = 1, and number of leaves. */
interface Mesh {
  readonly h: number;
  readonly middle: number;
  readonly leaves: number;
}

/** Values W of the dynamic programme at log u = (i − middle)h, after several numbers of steps; `kept` are all maximising leaves, if few. */
interface Table extends Mesh {
  readonly direction: Direction;
  readonly values: readonly Float64Array[];
  readonly kept: Uint16Array | undefined;
}

const lookedAt = (leaves: number): number => (leaves < 16 ? 1.5 * leaves : LOOKED_AT * Math.sqrt(leaves));

/** A loss that `count` steps exceed with probability e^{LOG_BEYOND} at most: Chernoff's bound of the typical choices, at the best of some orders. */
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

/** A mesh for `count` steps; undefined where it would be too long. */
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
 * @param counts Numbers of steps, the largest first.
 *
 * Ensures: W_k(u) ≤ the value at each point, for each k of `counts`. W_k(u) is the largest E[W_{k−1}(u·dQ/dP)] of a step, W₀(u) = (u − 1)⁺; the ratio is that of the direction.
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
    // W rises, and no faster than u
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
        // a node's bound is above those of its parts
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

/** log δ(ε) ≤ log(e^ε W(e^{−ε})), by the chord between neighbours; 0 beyond the mesh. */
function logDeltaOf({ h, middle, values: [values] }: Table, epsilon: number): number {
  const place = middle - epsilon / h;
  const left = Math.floor(place - 1e-9);
  if (!(left >= 0)) return 0;
  const right = Math.min(1, expm1((place - left) * h) / expm1(h) + 1e-9);
  const value = values[left] + right * (values[left + 1] - values[left]);
  return Math.min(0, padded(log(value) + epsilon, 1 + epsilon, MANY_ROUNDINGS));
}

/**
 * log δ(ε) of the choices that a table was made by. Each depends on the point of the mesh that is nearest to what was released. What that point does not tell is left out, which
 * is post-processing. So at each point the chances under both laws add up.
 *
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
        // places of several steps together are rounded
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

/** Bounds of log δ. */
export interface ChosenBounds {
  /** Units that the first question takes: each is charged as if it were. */
  readonly cost: number;
  /** Ensures: no less than log δ(ε) in either direction, ε ≥ 0. */
  above(epsilon: number): number;
  /** Ensures: no less than the ε at which δ(ε) is e^{logDelta}. */
  epsilonAbove(logDelta: number): number;
  /** The largest ε at which something is known from below. */
  readonly largest: number;
  /** Ensures: no more than log δ(ε) of some choices, in some direction, ε ≥ 0. */
  below(epsilon: number): number;
}

/** Largest number of blocks of steps. */
const MOST_BLOCKS = 2 ** 40;
/** Width asked for of log δ of the composed blocks, and the longest grid for them. Width and speed depend on them. */
const WIDTH = 1e-4;
const LONGEST = 2 ** 20;

/**
 * The profile of a block of steps is that of a pair, which dominates each adaptive choice of as many. Blocks of them dominate the run.
 *
 * Ensures: upper ends are no less than log δ(ε) of any adaptive choice, a run for each direction.
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

/** The longest blocks of steps whose mesh is short enough; undefined if none of two steps or more are. */
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
 * The worst adaptive composition; undefined where the mesh would be too long.
 *
 * Ensures: `above` is no less, and `below` no more, than log δ(ε) of the worst adaptive choice.
 */
export function adaptiveChoice(kernel: Kernel, steps: ChosenSteps): ChosenBounds | undefined {
  const { directions, count } = steps;
  const found = blockOf(steps);
  if (found === undefined) return undefined;
  const { mesh, block } = found;
  const { h, middle, leaves } = mesh;
  const { outputs } = steps.choices(directions[0], leaves);
  const cost = LOOK_PRICE * outputs * directions.length * (2 * middle + 1) * block * lookedAt(leaves);
  if (block < count) {
    const runs = new Lazy(() => inBlocks(kernel, steps, mesh, block));
    return {
      cost,
      above: (epsilon) =>
        greatest(
          runs.value.map((run) => run.logDelta(epsilon, WIDTH).upper),
          -Infinity,
        ),
      epsilonAbove: (at) =>
        greatest(
          runs.value.map((run) => epsilonOf(run, at, WIDTH).upper),
          0,
        ),
      below: () => -Infinity,
      largest: 0,
    };
  }
  const tables = new Lazy(() => directions.map((direction) => tableOf(steps, [count], direction, mesh)));
  const largest = (middle - 1) * h;
  const above = (epsilon: number): number =>
    greatest(
      tables.value.map((table) => logDeltaOf(table, epsilon)),
      -Infinity,
    );
  const search = { guess: largest / 8, ceiling: largest, relative: 1e-7 };
  return {
    cost,
    above,
    epsilonAbove: (at) => turningPoint((epsilon) => above(epsilon) <= at, search).high,
    below: (epsilon) =>
      greatest(
        tables.value.map((table) => playedBy(steps, table, epsilon)),
        -Infinity,
      ),
    largest,
  };
}
