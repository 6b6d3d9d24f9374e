/**
 * Checks a certificate by an independent computation: δ(ε) as a contour integral, computed from the densities with its own contour, quadratures and
 * error bounds. It shares the parser of mechanisms with the accountant, and no computation.
 */
import { InputTypeError, requireOneOf, requireStated } from '../errors.js';
import { ADJACENCIES, type Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { integrate } from './integral.js';
import { flatten, type VerifiedPhase } from './phases.js';

/** The outcome of a check. */
export interface Verification {
  /**
   * 'confirmed': the certified bracket overlaps the value found ± its error. 'refuted': they are certainly disjoint. 'undecided': that error exceeds
   * 1e-4, as for very few steps, or atoms without a lattice. 'unsupported': this computation does not apply, as for steps known by a guarantee alone,
   * or would exceed `MAX_WORK`; or `account` itself has no answer.
   */
  readonly verdict: 'confirmed' | 'refuted' | 'undecided' | 'unsupported';
  /** log δ as computed here. */
  readonly logDelta?: number;
  /**
   * Bound of the error of `logDelta`: the sum of aliasing, truncation, quadrature and rounding errors, each by a theorem of docs/proofs/verify.md.
   * This computation has elementary functions of its own.
   */
  readonly error?: number;
  /** The verdict in one sentence. */
  readonly reason: string;
  /** Fields of the certificate that are not checked. */
  readonly unchecked: readonly string[];
}

/**
 * Checks a certificate. It takes a second or two at most, as the work is bounded.
 *
 * Ensures: a true certificate is never refuted where arithmetic in doubles and square roots are rounded as IEEE 754 states.
 *
 * @param certificate Parsed JSON of a certificate (see `certify`).
 * @throws TypeError | RangeError if it is not one: a field that is missing, wrong or unknown, also within its mechanism.
 * @example
 * verify(certify(run, { epsilon: 8 })).verdict; // 'confirmed'
 */
export function verify(certificate: unknown): Verification {
  return { ...verdictOn(claimOf(certificate)), unchecked: UNCHECKED };
}

/** The verdict on a claim: δ(ε) of each direction by `integrate`, and the larger one compared with the bracket. The error is the sum of the errors of `integrate`. */
function verdictOn({ mechanism, adjacency, epsilon, lower, upper }: Claim): Omit<Verification, 'unchecked'> {
  const phases: VerifiedPhase[] = [];
  const unknown = flatten(mechanism, 1, adjacency, phases);
  if (unknown !== undefined) return { verdict: 'unsupported', reason: unknown };
  if (phases.length === 0) return { verdict: 'unsupported', reason: 'the run has no steps' };
  const work = { left: MAX_WORK };
  const found = [true, false].map((remove) => integrate(phases, epsilon, remove, work));
  if (work.left < 0)
    return { verdict: 'unsupported', reason: 'the integral takes more work than is spent on one' };
  const logDelta = Math.max(...found.map(({ value }) => (Number.isFinite(value) ? value : -Infinity)));
  // a direction that is certainly below the other does not count
  const decisive = found.filter(({ value, atMost }) => value === logDelta || !(atMost < logDelta));
  const error = Math.max(
    ...decisive.map(
      ({ errors }) => errors.aliasing + errors.truncation + errors.quadrature + errors.rounding,
    ),
  );
  if (logDelta === -Infinity || Number.isNaN(error)) {
    const reason = 'the integral is out of reach: too few steps, or an epsilon near the largest loss';
    return { verdict: 'unsupported', reason };
  }
  const rest = { logDelta, error };
  if (!(error <= 1e-4))
    return { verdict: 'undecided', reason: 'this route is not accurate enough here', ...rest };
  if (logDelta + error < lower || logDelta - error > upper)
    return { verdict: 'refuted', reason: 'the value found lies outside the certified bracket', ...rest };
  return {
    verdict: 'confirmed',
    reason: 'the certified bracket meets the value found, to its error',
    ...rest,
  };
}

const CHECKED = ['format', 'version', 'mechanism', 'adjacency', 'epsilon', 'logDelta'] as const;
const UNCHECKED = ['method', 'budgets', 'tolerance', 'engine', 'madeBy'] as const;

/** What a certificate claims. */
interface Claim {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  readonly epsilon: number;
  readonly lower: number;
  readonly upper: number;
}

/** The claim of a certificate. @throws TypeError | RangeError if the data is no certificate. */
function claimOf(data: unknown): Claim {
  const given = (data ?? {}) as Record<string, unknown>;
  const { format, version, mechanism, adjacency, epsilon, logDelta } = given;
  if (format !== 'gdp-kernel-certificate' || version !== 1)
    throw new InputTypeError(
      '"format" must be gdp-kernel-certificate and "version" 1: this is not a certificate',
    );
  // a certificate with unknown fields is not confirmed
  requireStated('certificate', given, [...CHECKED, ...UNCHECKED], 'a certificate');
  requireStated('logDelta', logDelta as object, ['lower', 'upper'], 'a bracket');
  requireOneOf('adjacency', adjacency, ADJACENCIES);
  const { lower, upper } = logDelta as Record<string, unknown>;
  // JSON has no −∞: the command line writes it as text, JSON.stringify as null
  const [low, high] = [lower, upper].map((x) => (x === '-Infinity' || x === null ? -Infinity : x));
  if (
    !Number.isFinite(epsilon) ||
    typeof low !== 'number' ||
    typeof high !== 'number' ||
    !(low <= high && high <= 0)
  )
    throw new InputTypeError(
      '"epsilon" and "logDelta" must be a number and a bracket {lower, upper} of a log <= 0',
    );
  return {
    mechanism: parseMechanism(mechanism),
    adjacency: adjacency as Adjacency,
    epsilon: epsilon as number,
    lower: low,
    upper: high,
  };
}

/** Largest number of terms of sums, each with a sine, a cosine and more: one to two seconds for both directions. */
const MAX_WORK = 1e7;
