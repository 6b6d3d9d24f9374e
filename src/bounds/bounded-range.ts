/**
 * Adaptive composition of identical bounded-range steps, each on a Poisson sample or on all records (docs/proofs/bounded-range.md). Before sampling,
 * losses of a step lie in [t − ε, t]; t in [0, ε] may depend on what was released before.
 */
import type { Step } from '../mechanism/steps.js';
import { down, ROUNDINGS } from '../numeric/rounding.js';
import type { ChosenSteps, Output } from './chosen-steps.js';
import {
  type Direction,
  directionsOf,
  type LikeSteps,
  outputsOf,
  type TwoOutputsBelow,
  twoOutputsBelow,
} from './two-outputs.js';

/** A Poisson-sampled bounded-range step, and its number of repetitions. */
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

/** The pair with two outputs whose losses before sampling are `lowest` and `largest`, on the sample, in one direction; a few roundings. */
function outputsIn(rate: number, direction: Direction, lowest: number, largest: number): Output[] {
  const { below, above, ratios, losses } = outputsOf(rate, lowest, largest);
  return [above, below].map((other, end) => {
    const mass = other / (below + above);
    return direction === 'remove'
      ? { mass, ratio: ratios[end], loss: losses[end] }
      : { mass: mass * ratios[end], ratio: 1 / ratios[end], loss: -losses[end] };
  });
}

/** Most and fewest cells into which [0, ε] is divided for t, powers of 2. A cell's bound is that of the range ε plus its length. For width and speed. */
const CELLS = { most: 2048, least: 1024 };

/**
 * The composition as steps with an adaptive choice of t in [0, ε]. A node of the binary tree is an interval [t₁, t₂] of t, whose halves are its children.
 * It is bounded by the pair with two outputs of the losses t₁ − ε and t₂ (docs/proofs/bounded-range.md, 2).
 */
export function choicesOfRange({ epsilon, rate, count }: BoundedRangeSteps): ChosenSteps {
  const span = down(epsilon, ROUNDINGS);
  const at = (direction: Direction, share: number): Output[] =>
    outputsIn(rate, direction, (share - 1) * span, share * span);
  return {
    count,
    directions: directionsOf(rate),
    leaves: CELLS,
    typical: (direction) => [0.5, 0.125, 0.25, 0.375, 0.625, 0.75, 0.875].map((t) => at(direction, t)),
    choices: (direction, leaves) => ({
      roots: [1],
      leaves,
      outputs: 2,
      above: (node) => {
        const depth = 2 ** (31 - Math.clz32(node));
        const i = node - depth;
        return outputsIn(rate, direction, (i / depth) * epsilon - epsilon, ((i + 1) / depth) * epsilon);
      },
      allowed: (leaf) => at(direction, (leaf - leaves + 0.5) / leaves),
    }),
  };
}

/**
 * Lower bounds of a composition of bounded-range steps, by `twoOutputsBelow`. Before sampling every step has the two losses t and t − ε₀, ε₀ the range.
 * The best t tried is used.
 *
 * Ensures: what `TwoOutputsBelow` states, of some such composition.
 */
export function boundedRangeBelow(steps: BoundedRangeSteps): TwoOutputsBelow {
  return twoOutputsBelow(steps, (share) => [(share - 1) * steps.epsilon, share * steps.epsilon]);
}
