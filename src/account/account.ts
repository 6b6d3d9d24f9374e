import { type Engine, requireEngine } from '../engine.js';
import { requireNumber } from '../errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { stepsOf } from '../mechanism/steps.js';
import { Deadline } from '../run/metered-run.js';
import { brought } from './brought.js';
import type { ComposedRun } from './composed-run.js';
import { ACCOUNT_OPTIONS, accountOptions, type TimedOptions } from './options.js';

/**
 * Composes a mechanism into a run that answers questions about its privacy.
 *
 * Making a run is cheap: the work is done when a question is asked. Neither the order nor the grouping in which steps are stated changes a bit of the
 * answers. `run.method` names the method that is asked first.
 *
 * Ensures: every answer of the run is a bracket that holds the exact value.
 *
 * @param options Settings; all may be left out. The default adjacency is add-remove, or the first of zero-out and replace-one that has a theorem.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 * @example
 * account(engine, dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 7.42438
 */
export function account(engine: Engine, mechanism: Mechanism, options?: TimedOptions): ComposedRun {
  requireEngine(engine);
  const steps = stepsOf(mechanism);
  const accounting = accountOptions(options, mechanism, [...ACCOUNT_OPTIONS, 'maxTime'], steps);
  const { maxTime = Infinity } = options ?? {};
  requireNumber('maxTime', maxTime, 'a number > 0, in milliseconds');
  const deadline = maxTime === Infinity ? undefined : new Deadline(maxTime);
  const alone = accounting.method !== 'auto';
  return brought().runOfMechanism(engine, mechanism, accounting, alone, steps).metered(deadline);
}
