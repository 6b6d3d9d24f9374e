/**
 * Adaptive composition of like bounded-range steps, each on a Poisson sample or on all records (docs/proofs/bounded-range.md). Losses of a step lie in [t − ε, t] for a
 * t in [0, ε] that may depend on what was released before.
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

/** The two outputs whose losses before sampling are `lowest` and `largest`. */
function outputsIn(rate: number, direction: Direction, lowest: number, largest: number): Output[] {
  const { below, above, ratios, losses } = outputsOf(rate, lowest, largest);
  return [above, below].map((other, end) => {
    const mass = other / (below + above);
    return direction === 'remove'
      ? { mass, ratio: ratios[end], loss: losses[end] }
      : { mass: mass * ratios[end], ratio: 1 / ratios[end], loss: -losses[end] };
  });
}

/** Numbers of cells of [0, ε] for t, powers of 2. A cell's bound is that of a range wider by its length. Width and speed depend on them. */
const CELLS = { most: 2048, least: 1024 };

/**
 * The composition as steps with an adaptive choice: each step chooses t in [0, ε]. Its losses lie in [t − ε, t]. The tree halves [0, ε]
 * again and again. A node stands for an interval of t, and is bounded by the range that contains [t − ε, t] for every t of it.
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
 * Lower bounds of a composition of bounded-range steps: losses t and t − ε₀ in every step, at the best of some t.
 *
 * Ensures: what `TwoOutputsBelow` states, of some such composition.
 */
export function boundedRangeBelow(steps: BoundedRangeSteps): TwoOutputsBelow {
  return twoOutputsBelow(steps, (share) => [(share - 1) * steps.epsilon, share * steps.epsilon]);
}
