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
 * The runs of `directions` with lower bounds raised to those of an attack, a composition of pairs that some data set attains. Upper bounds of δ(ε) stay; lower
 * bounds and tests are the stronger ones of both. If one run stands for both directions, either direction of the attack may raise it.
 *
 * Ensures: brackets hold, if some data set attains the attack `other`.
 */
export function atLeast(directions: readonly DirectedRun[], other: Composition): DirectedRun[] {
  const below = attackRuns(other);
  return directions.map((run, i) =>
    enclosedRun(run, strongestRun([run, ...(directions.length === 1 ? below : [below[i] ?? below[0]])])),
  );
}

/** The run of an attack in each direction: by the grid if it composes steps with finitely many losses, else by any method. Ensures: brackets hold for the attack's own run. */
function attackRuns(attack: Composition): readonly DirectedRun[] {
  const atoms = attack.steps.some(({ mechanism }) => pairOf(mechanism).family === 'atoms');
  return runsOf(attack, atoms && !attack.isSingle && !attack.hasAllocation ? 'grid' : 'auto');
}

/**
 * The run between dominating pairs and attacks. Upper bounds of δ(ε) are the least of those of `above`, `also` and `alike`; lower bounds and tests
 * are those of the strongest attack.
 *
 * Ensures: brackets hold for a run that `above` and `alike` dominate, `also` bounds, and whose data sets attain the attacks.
 *
 * @param above The dominating run in each direction.
 * @param also Upper bounds of log δ(ε).
 * @param alike Other compositions that dominate the run.
 * @param width The tolerance of attacks and of `alike`.
 */
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

/** Fraction of the remaining allowance for one δ of a run of `alikeTo`. Only width depends on it. */
const ALIKE = 0.5;

/** The upper end of a run's bracket of log δ(ε), or 0 where the allowance of work does not suffice. Ensures: no less than log δ(ε) of the run. */
function aboveOf(run: DirectedRun): (epsilon: number) => number {
  return (epsilon) =>
    attempt(
      ALIKE,
      () => run.logDelta(epsilon).upper,
      () => 0,
    );
}

/** A composition that, together with an event of probability e^{logLost} that reveals the record, dominates another one. */
interface Alike {
  readonly composition: Composition;
  readonly logLost: number;
}

/** For more distinct steps than MANY, quicker pairs are asked too, if the log of the probability that they leave out is below LOG_LOST. Only width and speed depend on them. */
const [MANY, LOG_LOST] = [1024, -9];

/**
 * Compositions of other pairs that dominate the steps, sharper ones (`Kind.alike`) and quicker ones (`Kind.mostly`). Which are taken is a heuristic.
 *
 * Ensures: each dominates the composition, together with its event of probability e^{logLost}.
 */
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

/** Upper bounds of log δ(ε) of a single release that are tighter than those of its pair (`Kind.alone`). */
export function aloneBounds(steps: readonly Step[], adjacency: Adjacency): ((epsilon: number) => number)[] {
  return steps.flatMap(({ mechanism }) => kindOf(mechanism).alone?.(mechanism, adjacency) ?? []);
}
