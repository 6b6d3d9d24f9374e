import { RELATIVE } from '../law/atomic-pair.js';
import { splitAtoms } from '../law/meshed-atoms.js';
import { type Atoms, atomsOf } from '../law/pair.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { pairOf } from '../mechanism/pairs.js';
import { closenessOf, logLostOf, reduceSteps } from '../mechanism/reduce.js';
import { triesLaw } from '../mechanism/search/tries-law.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { Select } from '../mechanism/tries.js';
import { sampledAtoms } from '../methods/closed/composed-atoms.js';
import { U } from '../numeric/constants.js';
import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import { MANY_ROUNDINGS, padded, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, log } from '../numeric/scalar.js';
import { BY_SUMS, renyiOfStep } from './renyi.js';
import { curveOf, golden } from './renyi-accountant.js';

/** Largest number of losses of a release that are summed; more are first split between the points of a mesh. Only width and speed depend on it. */
const MOST = 4096;
/** Terms below e^{FAR} times the largest are replaced by an upper bound of this factor. Only speed depends on it. */
const FAR = -40;
/** Upper bound of e^{FAR} = 4.2e-18, with which such terms are replaced. Correctness depends on it. */
const NOTHING = 1e-17;
/** Upper bound of the rounding error of a sum, for each term. */
const ROUNDING = 4 * U;

/** A composition restricted to some of its outputs; outputs that are rare, or have an infinite loss, are left out. */
export interface Kept {
  /** Upper bound of log(Σ q^α p^{1−α})/(α − 1) over the outputs kept, α > 1 the order; p and q either law, the larger of both directions. */
  divergence(order: number): number;
  /** Upper bound of the mass of the outputs left out, under either law. */
  readonly lost: number;
}

/**
 * The steps without outputs whose loss is infinite, or which are not listed. δ(ε) is at most `lost` plus what the divergences of the outputs kept imply
 * (docs/proofs/composition.md, 6). Both are sums over the steps.
 *
 * Ensures: `lost` and each divergence are upper bounds.
 */
export function keptOf(steps: readonly Step[], adjacency: Adjacency): Kept {
  const each = steps.map((step) => {
    const { mechanism, count } = step;
    return {
      count,
      ...(mechanism.kind === 'select' ? keptOfSearch(mechanism, adjacency) : keptOfStep(step)),
    };
  });
  return {
    lost: up(
      each.reduce((sum, { count, lost }) => sum + count * lost, 0),
      MANY_ROUNDINGS,
    ),
    divergence: (order) =>
      up(
        each.reduce((sum, { count, divergence }) => sum + count * divergence(order), 0),
        MANY_ROUNDINGS,
      ),
  };
}

/**
 * `Kept` of one step. If its Rényi divergences are known sharply, or it has no atoms, they are used with `lost` = 0. Else it is the smaller of them and
 * those by moments of its atoms. Ensures: upper bounds.
 */
function keptOfStep(step: Step): Kept {
  const { mechanism, sampling, rate: drawn } = step;
  const stated = { lost: 0, divergence: (order: number) => renyiOfStep(step, order) };
  const atoms = REGIONS.includes(mechanism.kind) ? undefined : atomsOf(pairOf(mechanism));
  // the unsampled release dominates a sample without replacement
  const rate = sampling === 'poisson' ? drawn : 1;
  const sharp = stated.divergence(2) < Infinity && (rate === 1 || BY_SUMS.includes(mechanism.kind));
  if (atoms === undefined || sharp) return stated;
  const { lost, logMoment } = momentsOf(atoms, rate);
  return { lost, divergence: (order) => Math.min(logMoment(order) / (order - 1), stated.divergence(order)) };
}

/** Logarithms of the ε at which `keptOfSearch` bounds δ(ε) of a try. Only width and speed depend on them. */
const LINES = Array.from({ length: 19 }, (_, i) => -5 + i / 2);

/**
 * The steps that dominate a run with private searches, with the searches unchanged. Undefined if the other steps dominate only up to a probability
 * (`logLostOf`), or have a stated closeness beside their parts (`closenessOf`).
 */
export function searchedSteps(raw: readonly Step[], adjacency: Adjacency): readonly Step[] | undefined {
  const [searches, others] = [true, false].map((is) =>
    raw.filter(({ mechanism }) => (mechanism.kind === 'select') === is),
  );
  const whole = logLostOf(others, adjacency) === -Infinity && closenessOf(others, adjacency) === undefined;
  return whole ? [...reduceSteps(others, adjacency), ...searches] : undefined;
}

/**
 * `Kept` of a private search, by the smaller of two bounds of its divergence. One is by the divergence and bounds of δ(ω) of one try
 * (docs/proofs/select.md, 9). The other is the divergence of the largest number of tries. Ensures: upper bounds.
 */
function keptOfSearch({ runs, inner }: Select, adjacency: Adjacency): Kept {
  const steps = searchedSteps(stepsOf(inner as Mechanism), adjacency);
  if (steps === undefined) return { lost: 0, divergence: () => Infinity };
  const tries = triesLaw(runs);
  const one = keptOf(steps, adjacency);
  const { most, mean } = tries;
  const logNone = logComplement(tries.logSome.lower);
  const curve = curveOf(one.divergence);
  const deltaAt = (omega: number): number => up(exp(curve(omega)), ROUNDINGS) + one.lost;
  const divergence = (order: number): number => {
    const above = order - 1;
    const own = one.divergence(order);
    if (!(own < Infinity)) return Infinity;
    let [best, at] = [Infinity, 0];
    const ask = (t: number): number => {
      const omega = exp(t);
      const line = { slope: up(exp(omega), ROUNDINGS), start: deltaAt(omega) };
      const value = tries.logTilted(order, line) + above * own;
      const found = padded(logSum(logNone, value) / above, own + Math.abs(value) / above, ROUNDINGS);
      if (found < best) [best, at] = [found, t];
      return found;
    };
    for (const t of LINES) ask(t);
    golden(ask, at - 0.5, at + 0.5);
    // the result is post-processing of all tries
    return Math.min(best, most < Infinity ? most * own : Infinity);
  };
  return { lost: Math.min(1, (most < Infinity ? most : mean) * one.lost), divergence };
}

/** Kinds stated by Rényi divergences. Their pair dominates all pairs with these divergences, so that its own moments are larger. */
const REGIONS: readonly string[] = ['zcdp', 'rdp', 'tcdp', 'mcdp'];

/** `Kept` of one step, by log moments log Σ q(q/p)^{α−1}, p and q the masses under either law, in place of divergences. */
interface Moments {
  readonly lost: number;
  readonly logMoment: (order: number) => number;
}

/**
 * Log moments of a Poisson sample of atoms: the larger of log Σ q(q/p)^{α−1} and log Σ p(p/q)^{α−1} over finite losses. `lost`: the mass of other outputs.
 * Ensures: upper bounds, for masses and losses within the errors stated.
 */
function momentsOf(given: Atoms, rate: number): Moments {
  const atoms = thinned(given);
  const { infinity, minusInfinity, beyond = 0, relative = RELATIVE, lossError = 0, error } = atoms;
  const { loss, p, q } = sampledAtoms(atoms, rate);
  // on a sample, the first loss may be that of outputs that only P gives, which has no entry in `error`
  const shift = loss.length - atoms.loss.length;
  const logs = (masses: readonly number[]): Float64Array =>
    Float64Array.from(masses, (mass, i) => log(mass + (error?.[i - shift] ?? 0)));
  const [logP, logQ] = [logs(p), logs(q)];
  const furthest = loss.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
  const least = rate < 1 ? rate * infinity : Math.max(infinity, minusInfinity);
  return {
    lost: (least + beyond) * (1 + 2 * relative + ROUNDING),
    logMoment: (order) => {
      const above = order - 1;
      const slack = 2 * relative + above * (lossError + 16 * U * furthest) + ROUNDING * (loss.length + 8);
      const sums = [logSumOf(logQ, loss, above), logSumOf(logP, loss, -above)];
      return Math.max(0, ...sums.map((sum) => sum + slack + ROUNDING * Math.abs(sum)));
    },
  };
}

/** About `MOST` atoms that dominate the given ones, by `splitAtoms`; the given ones if they are few. Ensures: they dominate the given ones. */
function thinned(atoms: Atoms): Atoms {
  const { loss, error } = atoms;
  if (loss.length <= MOST || error !== undefined) return atoms;
  return splitAtoms(atoms, (loss[loss.length - 1] - loss[0]) / MOST);
}

/** Upper bound of log Σ e^{logMass + tilt·loss}, up to roundings. Terms below e^{FAR} times the largest count as `NOTHING`. */
function logSumOf(logMass: Float64Array, loss: readonly number[], tilt: number): number {
  const exponents = logMass.map((mass, i) => mass + tilt * loss[i]);
  const top = exponents.reduce((most, x) => Math.max(most, x), -Infinity);
  if (!(Math.abs(top) < Infinity)) return top;
  const sum = exponents.reduce((total, x) => total + (x - top > FAR ? exp(x - top) : NOTHING), 0);
  return top + log(sum);
}
