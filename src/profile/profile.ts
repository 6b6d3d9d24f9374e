import { type ComposedRun, requireRun } from '../account/composed-run.js';
import { requireNumber, requireOptions, wrongType, wrongValue } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { withEveryPart } from '../mechanism/mechanism.js';
import { kindOf, pairOf } from '../mechanism/pairs.js';
import { reducedPaths } from '../mechanism/paths.js';
import { pureSum } from '../mechanism/stated-sums.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { fractionOf } from '../numeric/exact-decimal.js';
import { probabilityOf } from '../numeric/log-probability.js';
import type { Allowance } from '../numeric/meter.js';
import { FUNCTIONS_ERROR, ROUNDINGS, up } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import { togetherOf, withTogether } from '../run/log-deltas.js';

/** A privacy profile: δ(ε) for ε ≥ 0, the least δ for which (ε, δ)-DP is known. It never rises. Its brackets contain the profile's exact value, whatever its own standing. */
export interface Profile {
  /** Name for messages and plots. */
  readonly title: string;
  /** 'exact': the profile of the mechanism itself; 'bound': what a stated guarantee implies; 'estimate': values of a function that the caller gives. */
  readonly standing: 'exact' | 'bound' | 'estimate';
  /** Which data sets count as neighbours. */
  readonly adjacency: Adjacency | 'unstated';
  /** Set if adding and removing the record have the same profile. */
  readonly symmetric?: boolean;
  /** What is known of δ(ε) as ε → ∞. */
  readonly tail: Tail;
  /** Set if the profile is exactly δ_μ, that of N(0, 1) against N(μ, 1). */
  readonly gaussianMu?: Bracket;
  /** An ε from which on δ is 0; ∞ or absent if none is known. */
  readonly largestLoss?: number;
  /** The allowance of work of the run that the profile is made of. */
  readonly allowance?: Allowance | undefined;
  /** log δ(ε) for ε in [0, ∞]; −∞ where δ is 0. `width` is the width of the bracket aimed at, where that can be chosen. Ensures: log δ(ε) lies in the bracket. */
  logDelta(epsilon: number, width?: number): Bracket;
}

/** What is known of δ(ε) as ε → ∞. */
export interface Tail {
  /** The tail limit μ_t = √lim ε²/(−2 log δ(ε)) (IAM thm 3.3), ∞ if the mechanism is μ-GDP for no μ; undefined if it is not known. */
  readonly mu?: Bracket;
  /** Where the limit comes from, in one sentence. */
  readonly reason: string;
  /** An upper bound of μ_GDP(ε, δ(ε)) over all ε > `epsilon`; ∞ where none is known. */
  ceiling(epsilon: number): number;
}

/**
 * The privacy profile of a composed run, the larger of its two directions.
 *
 * Ensures: brackets hold the larger of the two profiles.
 *
 * @throws TypeError if `run` is not a composed run.
 * @example
 * profileOfRun(run).standing; // 'exact'
 */
export function profileOfRun(run: ComposedRun): Profile {
  requireRun(run);
  const { mechanism, adjacency, tailMu, muCeiling, gaussian } = run.settings;
  const paths = reducedPaths(mechanism, adjacency);
  const steps = paths.flat();
  const largest = Math.max(...paths.map(largestLoss));
  const infinity = Math.max(...run.directions.map((direction) => direction.logInfinity.lower));
  return {
    title: mechanism.kind,
    allowance: run.allowance,
    // read from the mechanism itself, as in its reduced steps plain Gaussians are merged into one step of kind gdp
    standing: stepsOf(withEveryPart(mechanism)).some(isBound) ? 'bound' : 'exact',
    adjacency,
    symmetric: run.directions.length === 1,
    tail: {
      mu: infinity > -Infinity ? exactly(Infinity) : tailMu,
      reason: reasonOf(steps, infinity, largest),
      ceiling: (epsilon) => (epsilon >= largest ? 0 : muCeiling),
    },
    ...(gaussian && { gaussianMu: tailMu }),
    largestLoss: largest,
    logDelta:
      run.directions.length === 1
        ? withTogether(
            (epsilon, width = run.settings.tolerance) =>
              run.directions[0].logDelta(requireEpsilon(epsilon), width),
            togetherOf(run.directions[0].logDelta),
          )
        : (epsilon, width) => run.logDelta(requireEpsilon(epsilon), width),
  };
}

/** Whether only a guarantee is known of a step, or of a release that shares its sample. */
function isBound({ mechanism }: Pick<Step, 'mechanism'>): boolean {
  return mechanism.kind === 'joint'
    ? stepsOf(mechanism).some(isBound)
    : kindOf(mechanism).standing === 'bound';
}

/** Kinds with unbounded losses. For them the pairs, which are long tables, need not be made. */
const UNBOUNDED: readonly string[] = ['zcdp', 'rdp', 'tcdp', 'mcdp', 'select'];

/** An upper bound of the losses of a run: the sum of the largest losses of its steps, rounded up. Ensures: no smaller than any loss of the run. */
function largestLoss(steps: readonly Step[]): number {
  const stated = pureSum(steps, fractionOf);
  if (stated !== undefined) return stated;
  let sum = 0;
  for (const { mechanism, count } of steps) {
    if (UNBOUNDED.includes(mechanism.kind)) return Infinity;
    const { largest, infinity } = pairOf(mechanism);
    // sampling only lowers the largest loss
    sum += infinity > 0 ? Infinity : count * Math.max(0, largest);
  }
  return up(sum, ROUNDINGS * (1 + steps.length));
}

/** Where the tail limit of a run comes from, in a sentence. */
function reasonOf(steps: readonly Step[], logInfinity: number, largest: number): string {
  if (steps.length === 0) return 'nothing is released';
  if (logInfinity > -Infinity) return 'with some probability an output identifies the record beyond doubt';
  if (
    steps.some(
      ({ mechanism }) =>
        mechanism.kind === 'rdp' || (mechanism.kind === 'tcdp' && mechanism.omega !== undefined),
    )
  ) {
    return 'Renyi divergences at finitely many orders bound large losses only exponentially';
  }
  if (largest < Infinity) return 'the privacy loss is bounded';
  return 'large losses are as rare as under Gaussian noise';
}

/** How a profile that is given by a function is described and read. */
export interface CallbackOptions {
  /** Name for messages and plots. */
  readonly title?: string;
  /** Which data sets count as neighbours; 'unstated' unless given. */
  readonly adjacency?: Adjacency;
  /** Whether the function returns log δ instead of δ. */
  readonly logarithmic?: boolean;
}

/**
 * A profile given by a function of ε, which must not rise and must lie in [0, 1]. Only the values asked for are checked. Nothing is known of its
 * tail.
 *
 * @throws TypeError if `delta` is not a function; on evaluation, RangeError if what it returns is no probability.
 * @example
 * measureHead(engine, profileOf((epsilon) => Math.exp(-epsilon) / 2), { epsilonHead: 1, resolution: 100 }).standing; // 'estimate'
 */
export function profileOf(delta: (epsilon: number) => number, options: CallbackOptions = {}): Profile {
  requireOptions('profileOf', options, ['title', 'adjacency', 'logarithmic']);
  if (typeof delta !== 'function') throw wrongType('delta', 'a function of epsilon', delta);
  const valueAt = (epsilon: number): number => {
    const value = delta(epsilon);
    if (typeof value !== 'number') throw wrongType('delta(epsilon)', 'a number', value);
    if (options.logarithmic) {
      if (!(value <= 0)) throw wrongValue('delta(epsilon)', `a logarithm <= 0 (at ${epsilon})`, value);
      return value;
    }
    if (!(value >= 0 && value <= 1)) throw wrongValue('delta(epsilon)', `in [0, 1] (at ${epsilon})`, value);
    return log(value);
  };
  return {
    title: options.title ?? 'callback',
    standing: 'estimate',
    adjacency: options.adjacency ?? 'unstated',
    tail: { reason: 'a limit cannot be decided from values of a function', ceiling: () => Infinity },
    logDelta: (epsilon) => {
      requireEpsilon(epsilon);
      const value = valueAt(epsilon);
      return value === -Infinity || value === 0 ? exactly(value) : aroundLog(value);
    },
  };
}

/** A bracket around a logarithm whose absolute error is at most about a unit in the last place of 1 + |value|. Ensures: the exact logarithm lies in the bracket. */
export function aroundLog(value: number): Bracket {
  const slack = FUNCTIONS_ERROR * (1 + Math.abs(value));
  return bracket(value - slack, Math.min(0, value + slack));
}

/** δ(ε) of a profile, from the bracket of its logarithm. Ensures: δ(ε) lies in the bracket. */
export function deltaOf(profile: Profile, epsilon: number): Bracket {
  return probabilityOf(profile.logDelta(epsilon));
}

/** Returns `epsilon` if it is a number ≥ 0, ∞ included. @throws TypeError | RangeError otherwise. */
export function requireEpsilon(epsilon: number): number {
  return requireNumber('epsilon', epsilon, 'a number >= 0', (x) => x >= 0);
}
