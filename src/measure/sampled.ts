import { ComposedRun } from '../account/composed-run.js';
import { requireOptions, requireWhole, wrongValue } from '../errors.js';
import { plainLoss } from '../law/subsampling.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { logCopies } from '../numeric/binomial-masses.js';
import { type Bracket, bracket, exactly, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { FUNCTIONS_ERROR, ROUNDING } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { aroundLog, type Profile, requireEpsilon } from '../profile/profile.js';
import { groupPrivacy } from '../tradeoff/group-privacy.js';
import { asProfile, asTradeoff, type Subject } from '../tradeoff/subject.js';

/** Bounds `from` and `to` of the ε at which the profile before sampling is taken, and of the log of the factor of its δ. */
interface Moved {
  readonly from: number;
  readonly to: number;
  readonly logScale: Bracket;
}

/**
 * The map ε ↦ log(1 + (e^ε − 1)/γ) at rate γ, with the factor γ of δ. It is for direction 'remove', and for samples without replacement.
 *
 * Ensures: the exact ε lies between `from` and `to`.
 */
export function removeMap(rate: number): (epsilon: number) => Moved {
  const logScale = exactly(log(rate));
  return (epsilon) => {
    if (epsilon === 0 || epsilon === Infinity) return { from: epsilon, to: epsilon, logScale };
    const at = plainLoss(epsilon, rate);
    const slack = ROUNDING * (at + Math.min(1, at));
    return { from: Math.max(0, at - slack), to: at + slack, logScale };
  };
}

/** Upper bound of the rounding error of 1 − e^ε(1 − γ) near 0. */
const R_ERROR = 8 * U;

/**
 * The map ε ↦ log(γe^ε/r) at rate γ, r = 1 − (1 − γ)e^ε, with the factor r of δ: for direction 'add'. Undefined beyond the largest loss, where r ≤ 0.
 *
 * Ensures: the exact ε lies between `from` and `to`, and the log of the factor in `logScale`.
 */
export function addMap(rate: number): (epsilon: number) => Moved | undefined {
  const at = (epsilon: number, r: number, side: 1 | -1): number => {
    const found = epsilon + log(rate) - log(r);
    return Math.max(0, found + side * ROUNDING * (1 + Math.abs(found)));
  };
  return (epsilon) => {
    const r = 1 - exp(epsilon) * (1 - rate);
    const [least, most] = [Math.max(0, r - R_ERROR), r + R_ERROR];
    if (!(most > 0)) return undefined;
    return {
      from: at(epsilon, most, -1),
      to: at(epsilon, least, 1),
      logScale: bracket(log(least), log(most)),
    };
  };
}

/** log δ′(ε) of a sample: log of the factor times δ of the profile before sampling, at the mapped ε. −∞ beyond the largest loss. Ensures: log δ′ lies in the bracket. */
export function movedLogDelta(base: Profile, moved: Moved | undefined): Bracket {
  if (moved === undefined) return exactly(-Infinity);
  const { from, to, logScale } = moved;
  const end = (side: 'lower' | 'upper'): number => {
    const whole = base.logDelta(side === 'upper' ? from : to)[side] + logScale[side];
    const slack = FUNCTIONS_ERROR * (1 + Math.abs(logScale[side]));
    return whole === -Infinity ? whole : aroundLog(whole)[side] + (side === 'upper' ? slack : -slack);
  };
  return ordered(end('lower'), Math.min(0, end('upper')));
}

/** Upper bound of the relative error of binomial weights, products of as many factors as there are copies. Correctness depends on it. */
const OF_WEIGHTS = 1e-13;
/** Largest number of copies of one record whose δ is computed; more copies count as revealing it. */
const COPIES = 40;

/** Weights below e^{−FAR_BELOW} times the sum are multiplied by 1 instead of δ. Only speed depends on it. */
const FAR_BELOW = 41;

/** Samples of a fixed size from a data set of `datasetSize` records. */
export interface SampleOptions {
  /** Number of records of a sample: 1 … 2⁵³ − 1, and without replacement at most `datasetSize`. */
  readonly sampleSize: number;
  /** Number n of records in the data set, a whole number ≥ 1. */
  readonly datasetSize: number;
}

/**
 * The profile of a mechanism run on a uniformly random subset of fixed size, one record replaced (Balle, Barthe, Gaboardi 2018, thm 9).
 * δ'(ε') = γ δ(ε), γ = sampleSize/datasetSize, e^{ε'} = 1 + γ(e^ε − 1).
 *
 * @throws TypeError | RangeError for a wrong option, a profile under add-remove adjacency, or a run in a fixed order.
 * @example
 * const whole = account(engine, pureDp({ epsilon: 1 }), { adjacency: 'replace-one' });
 * withoutReplacementAmplified(whole, { sampleSize: 1, datasetSize: 2 }).logDelta(0).upper; // -1.46508
 */
export function withoutReplacementAmplified(subject: Subject, options: SampleOptions): Profile {
  requireOptions('withoutReplacementAmplified', options, ['sampleSize', 'datasetSize']);
  const { sampleSize, datasetSize } = sizesOf(options, options?.datasetSize);
  const base = replaceOne(subject);
  const rate = sampleSize / datasetSize;
  const title = `${base.title}, ${sampleSize} of ${datasetSize} records without replacement`;
  const map = removeMap(rate);
  return bound(title, (epsilon) => movedLogDelta(base, map(epsilon)));
}

/**
 * The profile of a mechanism run on `sampleSize` records drawn one by one with replacement. Here γ = 1 − (1 − 1/n)^m (Balle, Barthe, Gaboardi 2018,
 * thm 10). δ'(ε') ≤ Σ_k C(m, k) n^{−k}(1 − 1/n)^{m−k} δ_k(ε), δ_k that of groups of k. More than 40 copies of one record are taken to give it away.
 *
 * @throws TypeError | RangeError for a wrong option, a profile under add-remove adjacency, or a run in a fixed order.
 * @example
 * const once = account(engine, pureDp({ epsilon: 1 }), { adjacency: 'replace-one' });
 * withReplacementAmplified(once, { sampleSize: 1, datasetSize: 2 }).logDelta(0).upper; // -1.46508
 */
export function withReplacementAmplified(subject: Subject, options: SampleOptions): Profile {
  requireOptions('withReplacementAmplified', options, ['sampleSize', 'datasetSize']);
  const { sampleSize: m, datasetSize: n } = sizesOf(options, Number.MAX_SAFE_INTEGER);
  const base = replaceOne(subject);
  const f = asTradeoff(subject);
  const most = Math.min(m, COPIES);
  // logs of the binomial weights of k = 0 … most copies
  const weights =
    n === 1 ? Array.from({ length: most + 1 }, (_, k) => (k === m ? 0 : -Infinity)) : logCopies(m, n, most);
  const beyond = most === m ? 0 : restOf(weights.map(exp), most, n > 1 ? m / (n - 1) : Infinity);
  const groups = weights.map((_, k) => (k === 0 ? undefined : groupPrivacy(f, k)));
  const map = removeMap(n === 1 ? 1 : -expm1(weights[0]));
  return bound(`${base.title}, ${m} of ${n} records with replacement`, (epsilon) => {
    const { from } = map(epsilon);
    let total = log(beyond);
    for (let k = 1; k <= most; k++) {
      if (weights[k] === -Infinity) continue;
      // large groups are expensive and rare: where the weight is negligible, δ is bounded by 1
      const own = weights[k] < total - FAR_BELOW ? 0 : groups[k]!.logDelta(from).upper;
      total = logSum(total, weights[k] + own);
    }
    if (total === -Infinity) return exactly(total);
    return bracket(-Infinity, Math.min(0, total + OF_WEIGHTS * (2 + Math.abs(total))));
  });
}

/**
 * Upper bound of P[more than `most` copies]. Beyond `most` each weight is at most mean/(most + 1) times the one before; a geometric series bounds
 * their sum.
 *
 * Ensures: no smaller than that probability.
 */
function restOf(weights: readonly number[], most: number, mean: number): number {
  const ratio = mean / (most + 1);
  if (ratio >= 0.5) return 1;
  return (weights[most] * ratio * (1 + OF_WEIGHTS)) / (1 - ratio);
}

/** A profile of standing 'bound', given by log δ. */
function bound(title: string, logDelta: Profile['logDelta']): Profile {
  return {
    title,
    standing: 'bound',
    adjacency: 'replace-one',
    symmetric: true,
    tail: { reason: 'only a bound of the head is known', ceiling: () => Infinity },
    logDelta: (epsilon) => logDelta(requireEpsilon(epsilon)),
  };
}

/** Checked sizes of a sample. @throws TypeError | RangeError naming the option that is wrong. */
function sizesOf(options: SampleOptions, most: number): SampleOptions {
  const { sampleSize, datasetSize } = options ?? {};
  requireWhole('datasetSize', datasetSize, 1, Number.MAX_SAFE_INTEGER);
  return { sampleSize: requireWhole('sampleSize', sampleSize, 1, most), datasetSize };
}

/** Whether the removal of another record changes the batch of a record in this step. */
function isMoved({ places }: Step): boolean {
  return places === 'moved';
}

/** The profile of a subject for one record replaced. @throws RangeError for another adjacency, or for a run with batches in the order of the data set. */
function replaceOne(subject: Subject): Profile {
  const base = asProfile(subject);
  if (base.adjacency === 'add-remove' || base.adjacency === 'zero-out')
    throw wrongValue('adjacency', 'replace-one for samples of a fixed size', base.adjacency);
  // if one record is drawn in place of another, the records between them move to other batches
  if (subject instanceof ComposedRun && stepsOf(subject.settings.mechanism).some(isMoved))
    throw wrongValue(
      'subject',
      'a run whose batches are not formed in the order of the data set',
      'one in it',
    );
  return base;
}
