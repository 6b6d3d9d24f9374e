import { ComposedRun } from '../account/composed-run.js';
import { type Engine, requireEngine } from '../engine.js';
import {
  requireNumber,
  requireOneOf,
  requireOptions,
  requirePositive,
  requireProbability,
  wrongValue,
} from '../errors.js';
import { drawingOf, provedAdjacencies } from '../mechanism/reduce.js';
import { stepsOf } from '../mechanism/steps.js';
import { type Bracket, exactly, ordered } from '../numeric/bracket.js';
import { isLimited } from '../numeric/meter.js';
import { exp, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { type Profile, requireEpsilon } from '../profile/profile.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { allowanceOf, asProfile, type Subject } from '../tradeoff/subject.js';
import { type HeadMeasurement, type HeadOptions, isHeadGdp, measureHead } from './head.js';
import { measure, muOf } from './measure.js';
import type { Measurement } from './measurement.js';
import { addMap, movedLogDelta, removeMap } from './sampled.js';

/** How records are sampled. */
export interface PoissonOptions {
  /** Probability with which each record takes part, in [0, 1]. */
  readonly rate: number;
  /**
   * Direction of δ. Let P be the law of the outputs without a record, Q that with it, and γ the rate. 'remove' is δ of ((1−γ)P + γQ, P), 'add' that
   * of the exchanged pair. Default 'both', the larger of the two; for ε ≥ 0 that is 'remove'.
   */
  readonly direction?: 'both' | 'remove' | 'add';
}

/**
 * The profile of a mechanism run on a Poisson sample, under add/remove adjacency. Source: Balle, Barthe, Gaboardi 2018,
 * thm 8; IAM §4.3.
 *   remove, both: δ'(ε) = γ δ(s), e^s = 1 + (e^ε − 1)/γ.
 *   add:          δ'(ε) = r δ(s), r = 1 − (1 − γ)e^ε, e^s = γ e^ε/r; 0 once r ≤ 0.
 * Exact where the two directions of the profile coincide, else a bound.
 *
 * @throws TypeError | RangeError for a wrong option or a profile under replace-one adjacency. Also for one under zero-out, unless it is that of a run
 *   with the same numbers for a record removed.
 * @example
 * poissonAmplified(account(engine, pureDp({ epsilon: 1 }), { adjacency: 'add-remove' }), { rate: 0.5 }).largestLoss; // 1
 */
export function poissonAmplified(subject: Subject, options: PoissonOptions): Profile {
  requireOptions('poissonAmplified', options, ['rate', 'direction']);
  const base = asProfile(subject);
  const rate = requireProbability('rate', options?.rate);
  const direction = requireOneOf('direction', options.direction ?? 'both', [
    'both',
    'remove',
    'add',
  ] as const);
  requireSampled(subject, base);
  return amplified(base, rate, direction);
}

/**
 * Checks that the profile bounds the removal of a record, as a record that is not drawn is as good as removed. A profile under zero-out does so only
 * for runs whose profile under removal is the same. Removing a record may change the batches of others. @throws RangeError otherwise.
 */
function requireSampled(subject: Subject, { adjacency }: Profile): void {
  if (adjacency === 'replace-one')
    throw wrongValue('adjacency', 'add-remove for Poisson sampling', adjacency);
  if (adjacency !== 'zero-out') return;
  const mechanism = subject instanceof ComposedRun ? subject.settings.mechanism : undefined;
  const same =
    mechanism !== undefined &&
    provedAdjacencies(mechanism).includes('add-remove') &&
    stepsOf(mechanism).every((step) => drawingOf(step) !== 'divided');
  if (same) return;
  const wanted =
    'add-remove for a Poisson sample of this (a record not drawn may change the batches of others)';
  throw wrongValue('adjacency', wanted, adjacency);
}

/** The profile of a Poisson sample from that of the mechanism, by the maps of ε that `poissonAmplified` states. */
function amplified(base: Profile, rate: number, direction: 'both' | 'remove' | 'add' = 'both'): Profile {
  if (rate === 1) return base;
  const title = `${base.title}, Poisson sample at rate ${rate}`;
  const adjacency = base.adjacency === 'zero-out' ? 'zero-out' : 'add-remove';
  if (rate === 0) return nothing(title);
  const { gaussianMu: _, ...rest } = base;
  const map = direction === 'add' ? addMap(rate) : removeMap(rate);
  return {
    ...rest,
    title,
    adjacency,
    symmetric: false,
    standing: base.standing === 'exact' && !base.symmetric ? 'bound' : base.standing,
    tail: {
      ...(base.tail.mu !== undefined && { mu: direction === 'add' ? exactly(0) : base.tail.mu }),
      reason:
        direction === 'add'
          ? 'the privacy loss is bounded'
          : `${base.tail.reason}; sampling changes only the head`,
      // for every x > ε: δ′(x) ≤ δ(s(x)) ≤ δ_μ(s(x)) ≤ δ_μ(x), s(x) the mapped x
      ceiling: (epsilon) => base.tail.ceiling(map(epsilon)?.from ?? Infinity),
    },
    logDelta: (epsilon) => movedLogDelta(base, map(requireEpsilon(epsilon))),
  };
}

/** The profile of a sample that no record is ever in. */
function nothing(title: string): Profile {
  return {
    title,
    standing: 'exact',
    adjacency: 'add-remove',
    symmetric: true,
    tail: { mu: exactly(0), reason: 'no record ever takes part', ceiling: () => 0 },
    gaussianMu: exactly(0),
    logDelta: (epsilon) => {
      requireEpsilon(epsilon);
      return exactly(-Infinity);
    },
  };
}

/** Options of `samplingRateFor`: the μ to be met, and the interval [0, ε_h] on which it is to be met. */
export interface RateOptions extends Omit<HeadOptions, 'resolution' | 'exhaustive'> {
  /** The μ to be met on the head [0, ε_h]. */
  readonly mu: number;
  /** How close to the largest rate the answer comes, relatively; default 1e-6. */
  readonly tolerance?: number;
}

/**
 * The largest sampling rate found at which μ is certified to be at most the one asked for, with what was measured there; or the reason why there is
 * none.
 */
type Answered<Found> =
  | ({
      readonly reachable: true;
      /** The sampling rate found: the μ measured at it is at most the one asked for. */
      readonly rate: number;
      /** A slightly larger rate at which that could not be certified of μ; 1 if the rate is 1. */
      readonly refused: number;
    } & Found)
  | {
      readonly reachable: false;
      /** Why no rate was found, in words. */
      readonly reason: string;
    };

/**
 * A sampling rate at which δ(ε) is certified to be at most δ_μ(ε), the profile of N(0, 1) and N(μ, 1), on [0, ε_h]; or the reason why there is none.
 */
export type RateAnswer = Answered<{
  readonly measured: HeadMeasurement;
  /** Whether the sampled profile is μ-GDP at all ε, not only on the head. */
  readonly gdp: boolean;
}>;

/** Least sampling rate that is considered. */
const SMALLEST_RATE = 1e-15;

/**
 * The largest Poisson sampling rate found that brings the head of a profile down to μ.
 *
 * @throws TypeError | RangeError for a wrong option, or a profile that `poissonAmplified` refuses.
 * @example
 * const release = account(engine, laplace({ scale: 0.5, sensitivity: 1 }), { adjacency: 'add-remove' });
 * samplingRateFor(engine, release, { epsilonHead: 3, mu: 1, tolerance: 1e-3 }).rate; // 0.514505
 */
export function samplingRateFor(engine: Engine, subject: Subject, options: RateOptions): RateAnswer {
  requireEngine(engine);
  requireOptions('samplingRateFor', options, ['mu', 'tolerance', 'epsilonHead', 'seed', 'maxTests']);
  const base = asProfile(subject);
  requireSampled(subject, base);
  const { mu: _, tolerance: __, ...head } = options ?? {};
  const { mu, tolerance } = targetOf(options);
  const epsilonHead = requireNumber('epsilonHead', head.epsilonHead ?? 100, 'a number in (0, 1e6]');
  const resolution = Math.min(1e12, 4 / (tolerance * mu), 2 ** 49 / epsilonHead);
  const measuredAt = (rate: number): HeadMeasurement =>
    measureHead(engine, amplified(base, rate), { ...head, resolution });
  const meets = (x: number): boolean =>
    isHeadGdp(engine, amplified(base, exp(-x)), { ...head, epsilonHead, resolution, mu }) === 'yes';
  const found = rateAnswer(subject, { meets, tolerance, above: `the head above mu = ${mu}` }, (rate) => {
    const measured = measuredAt(rate);
    return { ...measured, headMu: atMost(measured.headMu, mu) };
  });
  return found.reachable ? { ...found, gdp: found.measured.gdpMu <= mu } : found;
}

/** Options of `samplingRateForWindow`. */
export interface WindowRateOptions {
  /** The μ to be met wherever both error rates are at least `alphaMin`. */
  readonly mu: number;
  /** Least error rate of the window, as for `measure`: in (0, 0.5), default 1e-10. */
  readonly alphaMin?: number;
  /** How close to the largest rate the answer comes, relatively; default 1e-6. */
  readonly tolerance?: number;
}

/** A sampling rate at which μ is certified on a window of error rates, or the reason why there is none; `measured` is the answer of `measure` there. */
export type WindowRateAnswer = Answered<{ readonly measured: Measurement }>;

/**
 * The largest Poisson sampling rate found for which the sampled subject is above G_μ wherever both error rates are at least `alphaMin`.
 * Rates grow with μ: a smaller sample is a release of a larger one, thinned.
 *
 * @throws TypeError | RangeError for a wrong option, or a profile that `poissonAmplified` refuses.
 * @example
 * const release = account(engine, gaussian({ noiseMultiplier: 1 }), { adjacency: 'add-remove' });
 * samplingRateForWindow(engine, release, { mu: 0.3, alphaMin: 1e-4 }).rate; // 0.0675022
 */
export function samplingRateForWindow(
  engine: Engine,
  subject: Subject,
  options: WindowRateOptions,
): WindowRateAnswer {
  requireEngine(engine);
  requireOptions('samplingRateForWindow', options, ['mu', 'alphaMin', 'tolerance']);
  const { mu, tolerance } = targetOf(options);
  const { alphaMin = USUAL_ALPHA_MIN } = options;
  const base = asProfile(subject);
  requireSampled(subject, base);
  const meets = (x: number): boolean => muOf(amplified(base, exp(-x)), { alphaMin, engine }, mu).upper <= mu;
  const above = `mu above ${mu} where error rates are at least ${alphaMin}`;
  return rateAnswer(subject, { meets, tolerance, above }, (rate) => {
    const measured = measure(amplified(base, rate), { alphaMin, engine });
    return { ...measured, mu: atMost(measured.mu, mu) };
  });
}

/**
 * A bracket of μ cut off at `mu`, which is known to bound it although the measurement may be wider. Ensures: μ lies in it, if it lies in the given
 * bracket and `mu` is no less than it.
 */
function atMost({ lower, upper }: Bracket, mu: number): Bracket {
  return ordered(lower, Math.min(upper, mu));
}

/**
 * The answer for the largest rate found at which `wanted.meets` is true (its argument is −log(rate)), with what was measured there. All is one
 * question.
 */
function rateAnswer<M>(
  subject: Subject,
  wanted: { meets: (x: number) => boolean; tolerance: number; above: string },
  measured: (rate: number) => M,
): Answered<{ readonly measured: M }> {
  const answer = (): Answered<{ readonly measured: M }> => {
    const found = largestRate(wanted.meets, wanted.tolerance);
    if (found !== undefined) return { reachable: true, ...found, measured: measured(found.rate) };
    const reason = isLimited()
      ? 'no rate was found with the work that the question may cost; more effort may find one'
      : `even a rate of ${SMALLEST_RATE} leaves ${wanted.above}`;
    return { reachable: false, reason };
  };
  return allowanceOf(subject).askAll(answer);
}

/** Checked μ and tolerance. @throws TypeError | RangeError naming the option that is wrong. */
function targetOf(options: { mu: number; tolerance?: number }): { mu: number; tolerance: number } {
  return {
    mu: requirePositive('mu', options?.mu),
    tolerance: requireNumber('tolerance', options.tolerance ?? 1e-6, 'a number in [1e-10, 0.5]'),
  };
}

/**
 * The largest rate found, by bisection, at which `meets` is true; its argument is −log(rate). `refused` is the next rate at which it is false.
 * Undefined if there is none down to SMALLEST_RATE.
 */
function largestRate(
  meets: (x: number) => boolean,
  tolerance: number,
): { rate: number; refused: number } | undefined {
  const most = -log(SMALLEST_RATE);
  // large rates are tried first, as small rates ask for δ far in the tail at the highest cost
  let [low, high] = [-Infinity, Infinity];
  for (let ceiling = 2; high === Infinity && low < most; ceiling *= 2)
    ({ low, high } = turningPoint(meets, {
      guess: Math.max(0, low),
      ceiling: Math.min(ceiling, most),
      absolute: tolerance / 2,
    }));
  if (high === Infinity) return undefined;
  return { rate: exp(-high), refused: low === -Infinity ? 1 : exp(-low) };
}
