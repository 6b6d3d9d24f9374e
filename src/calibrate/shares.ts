import { type Engine, requireEngine } from '../engine.js';
import { InputRangeError, wrongType } from '../errors.js';
import { compose, type Mechanism } from '../mechanism/mechanism.js';
import type { Unknown } from './goal.js';
import { type CalibrateOptions, type Calibration, solved } from './solved.js';
import { goalOf, type Target } from './target.js';
import { requireShares, type Share, unknownIn } from './unknown.js';

/** Range of the budget shared among the parts, relative to the target. */
const [LEAST, MOST] = [1e-3, 30];
/** Tolerance of the calibration of each part, relative to that of the composition. So the composition's loss is a smooth function of the budget. */
const FINER = 0.01;

/**
 * One budget for several mechanisms. Each has the noise that spends its share, and the budget is the largest for which the composition is certified
 * to meet the target. Under `{ epsilon, delta }` a part spends its share of both by itself. Under `{ mu }` it spends its share of μ², so that
 * Gaussian parts meet the target exactly. Under `{ tradeoff }` it spends its share of each (ε, δ) of the curve (docs/proofs/composition.md).
 * Composed, parts cost less than the sum of their shares, so the budget may be larger than the target.
 *
 * @param shares Each a share and a mechanism as JSON with `"?"` for its noise (`unknownIn`).
 * @returns As `calibrate`: `value` is the budget shared over the target, `mechanism` the composition in the order given.
 * @throws TypeError | RangeError for wrong shares or mechanisms, or a target other than these three.
 * @example
 * const training = { share: 0.9, mechanism: { kind: 'gaussian', noiseMultiplier: '?' } };
 * const statistics = { share: 0.1, mechanism: { kind: 'laplace', scale: '?', sensitivity: 1 } };
 * calibrateShares(engine, [training, statistics], { epsilon: 1, delta: 1e-5 }).achieved.epsilon.upper; // 0.999998
 */
export function calibrateShares(
  engine: Engine,
  shares: readonly Share[],
  target: Target,
  options: CalibrateOptions = {},
): Calibration {
  requireEngine(engine);
  goalOf(target);
  const parts = requireShares(shares).map(({ share, mechanism }) => ({
    share,
    unknown: unknownIn(mechanism),
  }));
  const tolerance = options.tolerance ?? 1e-5;
  const own = { ...options, tolerance: Math.max(1e-9, FINER * tolerance) };
  const unknown: Unknown = {
    name: 'budget',
    least: LEAST,
    most: MOST,
    larger: 'less-private',
    mechanismAt: (budget) =>
      compose(
        parts.map(({ share, unknown: each }) => spent(engine, each, shareOf(target, share, budget), own)),
      ),
    guess: () => 1,
  };
  return solved(engine, unknown, { target, goal: goalOf(target) }, { ...options, tolerance });
}

/** A part with the least noise that meets its own target. @throws InputRangeError if none does. */
function spent(engine: Engine, unknown: Unknown, target: Target, options: CalibrateOptions): Mechanism {
  const found = solved(engine, unknown, { target, goal: goalOf(target) }, options);
  if (found.reached) return found.mechanism;
  throw new InputRangeError(`"shares" must be such that each part can spend its own: ${found.reason}`);
}

/** The target of a part by itself: its share of the budget. @throws TypeError for targets that have no share. */
function shareOf(target: Target, share: number, budget: number): Target {
  if ('epsilon' in target && 'delta' in target)
    return { epsilon: share * budget * target.epsilon, delta: share * target.delta };
  if ('mu' in target) return { ...target, mu: Math.sqrt(share) * budget * target.mu };
  if ('tradeoff' in target) return { ...target, share: share * budget };
  throw wrongType('target', '{ epsilon, delta }, { mu } or { tradeoff } for a budget that is shared', target);
}
