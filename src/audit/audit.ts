import { requireList, requireNumber, requireOptions } from '../errors.js';
import { type Bracket, exactly, maxBracket } from '../numeric/bracket.js';
import { probabilityOf } from '../numeric/log-probability.js';
import { log } from '../numeric/scalar.js';
import { type AuditClaim, type ClaimedCurve, claimedCurve } from './claim.js';
import { type Evidence, type OneRunEvidence, parseEvidence } from './evidence.js';
import { epsilonShown, logPValue, muShown } from './frontiers.js';
import { epsilonRefuted, logPValueAt, logPValueOfCurve, muRefuted } from './one-run.js';
import { boundsOf, trialsOf } from './points.js';

/** The confidence of an audit, its δ's, and the claim that it tests. */
export interface AuditOptions {
  /** Probability with which the bounds hold, in [0.5, 1 − 1e-15]; default 0.95. */
  readonly confidence?: number;
  /** δ's at which ε is bounded, each in [0, 1); default 1e-5. */
  readonly deltas?: readonly number[];
  /** The claim that the evidence may refute; none is tested unless given. */
  readonly claim?: AuditClaim;
}

/** Lower bound on ε at one δ. For evidence from independent runs it is also given for each direction. */
export interface EpsilonShown {
  /** The δ, in [0, 1). */
  readonly delta: number;
  /** Lower bound on ε, in nats. */
  readonly epsilon: Bracket;
  /** The bound from P[output with the record] ≤ e^ε P[output without it] + δ. */
  readonly remove?: Bracket;
  /** The bound from P[output without the record] ≤ e^ε P[output with it] + δ. */
  readonly add?: Bracket;
}

/** Bounds at one threshold. */
export interface AuditPoint {
  /** The attack says "member" for scores of at least this. */
  readonly threshold?: number;
  /** Runs without the record for which the attack says "member". */
  readonly falsePositives: number;
  /** Runs with the record for which the attack says "member". */
  readonly truePositives: number;
  /** Upper confidence bound of the false positive rate. */
  readonly fprUpper: Bracket;
  /** Lower confidence bound of the true positive rate. */
  readonly tprLower: Bracket;
}

/** Result of `audit`: plain data. Each number is a bracket of the exact bound; the safe end is `lower`, but `upper` of `fprUpper` and `pValue`. */
export interface Audit {
  /** Name and version of this shape. */
  readonly format: 'gdp-kernel-audit/1';
  /** The kind of evidence. */
  readonly kind: Evidence['kind'];
  /** Runs without and with the record, or canaries and guesses. */
  readonly counts: Readonly<Record<string, number>>;
  /** Probability with which the bounds hold over the experiment. */
  readonly confidence: number;
  /** Lower confidence bound on μ: μ-GDP for a smaller μ does not fit the evidence. */
  readonly muLower: Bracket;
  /** Lower bounds on ε, one for each δ. */
  readonly epsilonLower: readonly EpsilonShown[];
  /** Bounds at every threshold; none for evidence from one run. */
  readonly points: readonly AuditPoint[];
  /** Upper confidence bound of the false positive rate at the threshold that shows the largest μ; null if there is none. */
  readonly fprUpper: Bracket | null;
  /** Lower confidence bound of the true positive rate at that threshold; null if there is none. */
  readonly tprLower: Bracket | null;
  /** Name of the claim; null without a claim. */
  readonly claim: string | null;
  /** Probability of evidence as strong if the claim held; null without a claim. */
  readonly pValue: Bracket | null;
  /**
   * 'refuted' only if the upper end of `pValue` is at most 1 − confidence. 'no evidence' if not even perfect privacy is refuted. 'no claim'
   * if there is evidence but no claim; else 'consistent'.
   */
  readonly verdict: 'refuted' | 'consistent' | 'no claim' | 'no evidence';
  /** What must be true of the experiment for the numbers to hold. */
  readonly assumed: readonly string[];
}

type Found = Pick<Audit, 'muLower' | 'epsilonLower' | 'points' | 'fprUpper' | 'tprLower' | 'counts'> & {
  readonly logPValue: Bracket | undefined;
};

/**
 * What the counts of an attack prove. The result has lower bounds on μ and on ε at each δ, which hold with probability
 * `confidence` over the experiment. It also says whether the counts refute a claim. A claim is refuted only if the weaker ends of
 * its brackets are refuted too.
 *
 * @throws TypeError | RangeError naming the option or field of the evidence that is wrong.
 * @example
 * audit({ kind: 'threshold', falsePositives: 5, nonMembers: 1000, truePositives: 100, members: 1000 }).muLower.lower; // 0.878105
 */
export function audit(evidence: Evidence, options: AuditOptions = {}): Audit {
  requireOptions('audit', options, ['confidence', 'deltas', 'claim']);
  const given = parseEvidence(evidence);
  const confidence = requireNumber(
    'confidence',
    options.confidence ?? 0.95,
    'a number from 0.5 to 1 - 1e-15',
  );
  const deltas = requireList('deltas', options.deltas ?? [1e-5], 'numbers', 0, 100).map((delta) =>
    requireNumber('deltas', delta, 'numbers in [0, 1)'),
  );
  const claim = options.claim === undefined ? undefined : claimedCurve(options.claim);
  const level = 1 - confidence;
  const { logPValue: p, ...found } =
    given.kind === 'one-run' ? ofOneRun(given, level, deltas, claim) : ofTrials(given, level, deltas, claim);
  const pValue = p === undefined ? null : probabilityOf(p);
  const shown = found.muLower.lower > 0 || found.epsilonLower.some(({ epsilon }) => epsilon.lower > 0);
  const refuted = pValue !== null && pValue.upper <= level;
  return {
    format: 'gdp-kernel-audit/1',
    kind: given.kind,
    confidence,
    ...found,
    claim: claim?.name ?? null,
    pValue,
    verdict: refuted ? 'refuted' : !shown ? 'no evidence' : pValue === null ? 'no claim' : 'consistent',
    assumed: assumptionsOf(given),
  };
}

function ofTrials(
  evidence: Exclude<Evidence, OneRunEvidence>,
  level: number,
  deltas: readonly number[],
  claim: ClaimedCurve | undefined,
): Found {
  const trials = trialsOf(evidence, log(level));
  const points = boundsOf(trials, log(level));
  const gains = points.map((point) => muShown([point]).lower);
  const best = points[gains.indexOf(Math.max(...gains))];
  return {
    counts: { nonMembers: trials.nonMembers, members: trials.members },
    muLower: muShown(points),
    epsilonLower: deltas.map((delta) => {
      const { remove, add } = epsilonShown(points, delta);
      return { delta, epsilon: maxBracket(remove, add), remove, add };
    }),
    points: points.map((point) => ({
      ...point,
      fprUpper: point.fprUpper.rate,
      tprLower: point.tprLower.rate,
    })),
    fprUpper: best?.fprUpper.rate ?? null,
    tprLower: best?.tprLower.rate ?? null,
    logPValue: claim && logPValue(claim.curve, trials),
  };
}

function ofOneRun(
  evidence: OneRunEvidence,
  level: number,
  deltas: readonly number[],
  claim: ClaimedCurve | undefined,
): Found {
  const { canaries, guesses, correct } = evidence;
  const pValueOf = ({ point, inverse }: ClaimedCurve): Bracket => {
    if (guesses === 0) return exactly(0);
    if (point === undefined) return logPValueOfCurve(evidence, inverse());
    return logPValueAt(evidence, point.epsilon, point.delta);
  };
  return {
    counts: { canaries, guesses, correct },
    muLower: muRefuted(evidence, log(level)),
    epsilonLower: deltas.map((delta) => ({ delta, epsilon: epsilonRefuted(evidence, delta, log(level)) })),
    points: [],
    fprUpper: null,
    tprLower: null,
    logPValue: claim && pValueOf(claim),
  };
}

/** What the theorem behind the numbers asks of the experiment. */
function assumptionsOf(evidence: Evidence): string[] {
  if (evidence.kind === 'one-run')
    return [
      'each canary was included by its own fair coin, independent of the others',
      'all canaries are counted, also those that were not guessed',
      'the number of guesses was fixed before the scores were seen',
      'each bound and the p-value hold by themselves, not all at once',
    ];
  const runs = 'every score is of a run of its own, independent of the others, on the same pair of data sets';
  if (evidence.kind === 'threshold') return [runs, 'the threshold was fixed before the scores were seen'];
  if (evidence.thresholds !== undefined)
    return [runs, 'the thresholds were fixed before the scores were seen'];
  if (evidence.split !== undefined)
    return [runs, 'the order of the scores, and where they are split, do not depend on them'];
  return [runs, 'thresholds were taken from the scores: every one that there could have been is paid for'];
}
