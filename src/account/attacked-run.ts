import type { Adjacency } from '../mechanism/adjacency.js';
import { kindOf, pairOf } from '../mechanism/pairs.js';
import { alikeSteps, mostlySteps } from '../mechanism/reduce.js';
import type { Step } from '../mechanism/steps.js';
import { attempt } from '../numeric/meter.js';
import { losingRun } from '../run/changed-run.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { strongestRun } from '../run/hull-run.js';
import type { Composition } from './composition.js';
import { runsOf } from './policy.js';

/**
 * Each direction with its upper ends, and the larger of its own lower end and that of an attack. Where one direction stands for both, any direction of
 * the attack serves. Ensures: brackets hold, if some data set attains the attack.
 */
export function atLeast(directions: readonly DirectedRun[], other: Composition): DirectedRun[] {
  const below = attackRuns(other);
  return directions.map((run, i) =>
    enclosedRun(run, strongestRun([run, ...(directions.length === 1 ? below : [below[i] ?? below[0]])])),
  );
}

/** The run of an attack, by the method that suits it. Ensures: brackets hold for the attack's own run. */
function attackRuns(attack: Composition): readonly DirectedRun[] {
  const atoms = attack.steps.some(({ mechanism }) => pairOf(mechanism).family === 'atoms');
  return runsOf(attack, atoms && !attack.isSingle && !attack.hasAllocation ? 'grid' : 'auto');
}

/** Upper ends: the compositions that dominate, or another bound of log δ if lower. Lower ends: the strongest attack at what is asked. */
export function aboveAttacks(
  above: readonly DirectedRun[],
  attacks: readonly Composition[],
  also: readonly ((epsilon: number) => number)[],
  alike: readonly Alike[],
  width: number,
): DirectedRun[] {
  const below = attacks.map((attack) => attackRuns(attack.within(width)));
  const others = alike.map(({ composition, logLost }) =>
    runsOf(composition.within(width), 'auto').map((run) =>
      logLost > -Infinity ? losingRun(run, logLost) : run,
    ),
  );
  return above.map((run, i) => {
    const own = below.flatMap((runs) => (above.length === 1 ? runs : [runs[i] ?? runs[0]]));
    const bounds = [...also, ...others.map((runs) => aboveOf(runs[i] ?? runs[0]))];
    return enclosedRun(run, strongestRun(own), { also: bounds });
  });
}

/** Fraction of the remaining allowance for one δ of another run that dominates. Only width depends on it. */
const ALIKE = 0.5;

/** Ensures: no less than log δ(ε) of the run. */
function aboveOf(run: DirectedRun): (epsilon: number) => number {
  return (epsilon) =>
    attempt(
      ALIKE,
      () => run.logDelta(epsilon).upper,
      () => 0,
    );
}

/** A composition that dominates another one together with an event that reveals all. */
interface Alike {
  readonly composition: Composition;
  readonly logLost: number;
}

/** Number of distinct steps from which on quicker pairs are asked too, and the largest log of what they lose. Only width and speed depend on them. */
const [MANY, LOG_LOST] = [16, -9];

/** Compositions by other pairs that dominate the steps. */
export function alikeTo(composition: Composition): Alike[] {
  const { steps } = composition;
  const others = alikeSteps(steps);
  const mostly = steps.length > MANY ? mostlySteps(steps) : undefined;
  return [
    ...(mostly && mostly.logLost < LOG_LOST
      ? [{ composition: composition.with(mostly.steps), logLost: mostly.logLost }]
      : []),
    ...(others ? [{ composition: composition.with(others), logLost: -Infinity }] : []),
  ];
}

/** Upper bounds of log δ(ε) of a single release, beside that of its pair. */
export function aloneBounds(steps: readonly Step[], adjacency: Adjacency): ((epsilon: number) => number)[] {
  return steps.flatMap(({ mechanism }) => kindOf(mechanism).alone?.(mechanism, adjacency) ?? []);
}
