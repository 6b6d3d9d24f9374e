import { ComposedRun } from '../account/composed-run.js';
import type { Limits } from '../account/run-settings.js';
import { wrongType } from '../errors.js';
import { type Bracket, bracket, maxBracket } from '../numeric/bracket.js';
import { complementOf } from '../numeric/log-probability.js';
import { Allowance } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { type Profile, profileOfRun, requireEpsilon } from '../profile/profile.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { Method } from '../run/method.js';
import { profileTradeoff, symmetrise } from './algebra.js';
import { runTradeoff } from './constructors.js';
import { TradeoffFunction } from './tradeoff-function.js';

/** A composed run, a privacy profile or a trade-off function. Each can be converted to the others. */
export type Subject = ComposedRun | Profile | TradeoffFunction;

/** The questions that every subject answers, as a run does. */
export type SubjectQuestions = Pick<
  ComposedRun,
  'logDelta' | 'delta' | 'epsilon' | 'tradeoff' | 'truePositiveRate' | 'advantage' | 'oneMinusAdvantage'
>;

/** A subject with its symmetric trade-off function, which holds for either order of the neighbours. */
export interface Seen extends Limits {
  readonly name: string;
  readonly f: TradeoffFunction;
  readonly ask: SubjectQuestions;
  /** δ and tests of the curve's pairs: f is the lower convex hull of their trade-off functions. */
  readonly directions: readonly DirectedRun[];
  readonly tolerance: number;
  readonly method: Method;
  /** The allowance of work for questions about the subject. */
  readonly allowance: Allowance;
  /** The run, if the subject is one. */
  readonly run?: ComposedRun;
}

/** Relative width aimed at for profiles and trade-off functions; a run has its own. Only width and speed depend on it. */
const TOLERANCE = 1e-6;

/** @throws TypeError for anything else than a subject. */
export function seen(subject: Subject, option = 'subject'): Seen {
  const f = asTradeoff(subject, option);
  const { tailMu, muCeiling, gaussian } = f.limits;
  const known = { tailMu, muCeiling, gaussian, allowance: allowanceOf(subject) };
  if (subject instanceof ComposedRun) {
    const { directions, settings, method } = subject;
    const { tolerance } = settings;
    return { ...known, name: 'run', f, ask: subject, directions, tolerance, method, run: subject };
  }
  const { forward, backward } = f.curve;
  const both = symmetrise(f);
  return {
    ...known,
    name: f.name,
    f: both,
    ask: {
      logDelta: (epsilon) => both.logDelta(epsilon),
      delta: (epsilon) => both.delta(epsilon),
      epsilon: (delta) => both.epsilon(delta),
      tradeoff: (alpha) => both.fnr(alpha),
      truePositiveRate: (alpha) => both.tpr(alpha),
      advantage: () => both.advantage(),
      oneMinusAdvantage: () => complementOf(both.logDelta(0)),
    },
    directions: f.isSymmetric ? [forward] : [forward, backward],
    tolerance: TOLERANCE,
    method: forward.method,
  };
}

/** The allowance of work for questions about a subject: its own, if it is a run or made from one, else the default. */
export function allowanceOf(subject: unknown): Allowance {
  return (subject as { allowance?: Allowance } | null)?.allowance ?? new Allowance(ALLOWANCE);
}

/**
 * The trade-off function of a subject: f of a run, the dual of a profile, or the function itself.
 * @throws TypeError for anything else.
 */
export function asTradeoff(subject: Subject, option = 'subject'): TradeoffFunction {
  if (subject instanceof TradeoffFunction) return subject;
  if (subject instanceof ComposedRun) return runTradeoff(subject);
  const { title, tail, gaussianMu, logDelta, allowance } = requireProfile(subject, option);
  const dual = profileTradeoff((epsilon) => logDelta.call(subject, epsilon));
  const known = {
    tailMu: gaussianMu ?? tail.mu ?? bracket(0, Infinity),
    muCeiling: gaussianMu?.upper ?? tail.ceiling(0),
    gaussian: gaussianMu !== undefined,
  };
  return new TradeoffFunction(title, dual.curve, undefined, known, allowance);
}

/**
 * The privacy profile of a subject: of a run, the dual of a trade-off function, or the profile itself.
 * @throws TypeError for anything else.
 */
export function asProfile(subject: Subject, option = 'subject'): Profile {
  if (subject instanceof ComposedRun) return profileOfRun(subject);
  return subject instanceof TradeoffFunction ? dualOf(subject) : requireProfile(subject, option);
}

/** The profile. @throws TypeError for anything else. */
function requireProfile(subject: unknown, option: string): Profile {
  const given = subject as Partial<Profile> | null | undefined;
  if (typeof given?.logDelta !== 'function' || typeof given.tail?.ceiling !== 'function')
    throw wrongType(option, 'a composed run, a profile or a trade-off function', subject);
  return given as Profile;
}

/** The profile of a trade-off function: the larger δ(ε) of f and f⁻¹. */
function dualOf(f: TradeoffFunction): Profile {
  const { curve, isSymmetric, limits, allowance } = f;
  const { tailMu, muCeiling, gaussian } = limits;
  const sides = isSymmetric ? [curve.forward] : [curve.forward, curve.backward];
  const largest = Math.max(...sides.map((side) => side.largestLoss?.upper ?? Infinity));
  const decided = tailMu.lower === tailMu.upper || tailMu.upper < Infinity;
  return {
    title: f.name,
    allowance,
    standing: 'exact',
    adjacency: 'unstated',
    symmetric: isSymmetric,
    tail: {
      ...(decided && { mu: tailMu }),
      reason: reasonOf(tailMu, largest),
      ceiling: (epsilon) => (epsilon >= largest && tailMu.upper < Infinity ? 0 : muCeiling),
    },
    ...(gaussian && { gaussianMu: tailMu }),
    largestLoss: tailMu.upper < Infinity ? largest : Infinity,
    logDelta: (epsilon) =>
      sides.map((side): Bracket => side.logDelta(requireEpsilon(epsilon))).reduce(maxBracket),
  };
}

/** Why μ_t is what it is, in words. */
function reasonOf(tailMu: Bracket, largest: number): string {
  if (tailMu.lower === Infinity)
    return 'f(0) < 1: with some probability an output tells the neighbours apart for certain';
  if (largest < Infinity) return 'the slopes of f are bounded';
  return tailMu.upper < Infinity
    ? 'f is as steep at 0 as under Gaussian noise'
    : 'nothing is known of f near 0';
}
