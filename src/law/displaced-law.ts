import { HALF_LOG_2PI, U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { PRICES } from '../numeric/prices.js';
import { ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log, normalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { foldedLaw, foldedRun } from './joined-laws.js';
import { cellLaw } from './lattice/cell-law.js';
import type { LossLaw } from './loss-law.js';
import { type Found, lineRun, logTail, mixturePair } from './mixture-pair.js';
import { NOTHING, type Side, sideAt, sideOf } from './mixture-side.js';
import type { PairBase } from './pair.js';

/** Outcomes of a step of capped Poisson sampling, given that at least B − 1 other records joined, B the cap (docs/proofs/capped-poisson.md, 1). */
export interface Displacing {
  /** Probability that the record is in the batch, with B − 1 others. */
  readonly kept: number;
  /** Probability that the record is not in the batch, which has B − 1 others, B the cap. In the third outcome B others are in the batch. */
  readonly beside: number;
}

/**
 * The law of a step of capped Poisson sampling with the outcomes of `Displacing`. The other data set has a record of gradient 0 in place of the record. The
 * noise has standard deviation σ, and μ = 1/σ. N(m) is the normal law of mean m and variance 1.
 *
 * Let i = `kept`, a = `beside`, b = 1 − i − a. Losses above 0 are those of bN(0) + (a + i)N(μ) against bN(0) + aN(μ) + iN(2μ). Losses below 0 are those of (a +
 * i)N(0) + bN(μ) against aN(0) + (b + i)N(μ). The first of the latter two is a Poisson sample of N(0), at rate i/(b + i), with the second for its base. The
 * remaining mass is at loss 0 (docs/proofs/capped-poisson.md, 2).
 *
 * Ensures: its lattice measures enclose the pair's δ curve. Some test has at most the FPR stated, and at least the TPR.
 */
export function displacedLaw(sigma: number, step: Displacing, direction: 'remove' | 'add'): LossLaw {
  const mu = 1 / sigma;
  const { kept } = step;
  const [rest, beside] = othersOf(step);
  const above = displacedPair(mu, [rest, beside + kept], [rest, beside, kept], 1);
  // 1 − a and the rate i/(b + i) are rounded up, which lowers a and b: the δ curve only rises
  const moved = Math.min(1, up(1 - beside, ROUNDINGS));
  const below = mixturePair(NOTHING, sideOf(mu, moved));
  const rate = Math.min(1, up(kept / moved, ROUNDINGS));
  const [remove, add] = [cellLaw(above, 1, 'remove'), cellLaw(below, rate, 'remove')];
  return direction === 'remove'
    ? foldedLaw(remove, cellLaw(below, rate, 'add'), foldedRun(remove.single, add.single, 'remove'))
    : foldedLaw(add, cellLaw(above, 1, 'add'), foldedRun(add.single, remove.single, 'add'));
}

/**
 * `displacedLaw` where the record is replaced by another. Let i = `kept`, a = `beside`, b = 1 − i − a and μ = 1/σ; N(m) is the normal law of mean m and
 * variance 1. Losses above 0 are those of (b + i)N(0) + aN(μ) against bN(0) + aN(μ) + iN(2μ). The exchanged pair has the same δ curve, which gives the losses
 * below 0 (docs/proofs/capped-poisson.md, 2).
 *
 * Ensures: its lattice measures enclose the pair's δ curve. Some test has at most the FPR stated, and at least the TPR.
 */
export function displacedReplacedLaw(sigma: number, step: Displacing): LossLaw {
  const { kept } = step;
  const [rest, beside] = othersOf(step);
  const above = displacedPair(1 / sigma, [rest + kept, beside], [rest, beside, kept], 0);
  const remove = cellLaw(above, 1, 'remove');
  return foldedLaw(remove, cellLaw(above, 1, 'add'), foldedRun(remove.single, remove.single, 'both'));
}

/** The probabilities that B others (`rest`), or B − 1 (`beside`), are in the batch without the record, B the cap. With `kept` they sum to 1 up to rounding. */
function othersOf({ kept, beside }: Displacing): [rest: number, beside: number] {
  const together = kept + beside;
  return [Math.max(0, 1 - together), together - kept];
}

/** Weights of N(0, 1), N(μ, 1) and N(2μ, 1) in a mixture. */
type Weights = readonly number[];

/** The mixtures `without` the record's contribution and with it, `within`. They differ by a weight that moves from N(`from`·μ, 1) to N(2μ, 1). */
interface Moving {
  readonly without: Weights;
  readonly within: Weights;
  readonly from: 0 | 1;
}

function sideFrom(mu: number, weights: Weights): Side {
  const at = weights.flatMap((weight, i) => (weight > 0 ? [i] : []));
  return { shift: Float64Array.from(at, (i) => i * mu), weight: Float64Array.from(at, (i) => weights[i]) };
}

/** Calls of scalar functions for one `outputAt`, by which its work is charged. */
const OUTPUT_CALLS = 6;

/** Number of nodes of `displacedPair`, a heuristic quadrature rule by which grids are chosen. They enter no bound. */
const NODES = 800;

/**
 * The pair P = `without`, Q = `within`, mixtures of N(0, 1), N(μ, 1) and N(2μ, 1). The weight that Q has on N(2μ, 1) is on N(`from`·μ, 1) in P. All outputs up
 * to that of loss 0 are merged to one; larger outputs have losses above 0 that increase with the output. So δ(ε) is that of P and Q for ε ≥ 0.
 *
 * Ensures: brackets of δ(ε), ε ≥ 0, hold for these mixtures.
 */
function displacedPair(mu: number, without: Weights, within: Weights, from: 0 | 1): PairBase {
  const base = sideFrom(mu, without);
  const moved = sideFrom(mu, within);
  const centre = (1 + from / 2) * mu;
  const outputOf = (epsilon: number): Found => outputAt(epsilon, mu, { without, within, from });
  const lossAt = (x: number): number => sideAt(moved, x).log - sideAt(base, x).log;
  const forward = lineRun({
    direction: 'remove',
    logQ: (at) => logTail(moved, at, 1),
    logP: (at) => logTail(base, at, 1),
    outputOf: (epsilon) => outputOf(Math.max(0, epsilon)),
    furthest: Infinity,
    largest: Infinity,
    reach: 2 * mu,
    lossAt: (at) => Math.max(0, lossAt(at)),
    begins: [2 * mu, mu],
  });
  // the loss of all outputs below the one of loss 0, merged
  const rest = logBelow(moved, centre) - logBelow(base, centre);
  return {
    asymmetric: true,
    forward,
    backward: forward,
    gdpMu: 2 * mu * (1 + 8 * U),
    tailMu: mu,
    smallest: rest,
    largest: Infinity,
    infinity: 0,
    range: (logTailMass) => [rest, lossAt(2 * mu - normalQuantileLog(logTailMass))],
    intervals: (kernel, edges) => {
      const n = edges.length - 1;
      charge(OUTPUT_CALLS * PRICES.scalar * n);
      const x = new Float64Array(n + 1);
      const off = new Float64Array(n + 1);
      for (let k = 0; k <= n; k++) {
        const found = edges[k] > 0 ? outputOf(edges[k]) : undefined;
        x[k] = found?.x ?? (edges[k] > rest ? centre : -Infinity);
        off[k] = found?.off ?? 0;
      }
      return kernel.mixtureMasses({ x, off }, [base, 1], [moved, 1]);
    },
    nodes: () => {
      const stride = 40 / NODES;
      const x = Array.from({ length: NODES }, (_, i) => centre + stride * (i + 0.5));
      return {
        loss: Float64Array.of(rest, ...x.map(lossAt)),
        logWeight: Float64Array.of(
          logBelow(base, centre),
          ...x.map((at) => sideAt(base, at).log - (at * at) / 2 - HALF_LOG_2PI + log(stride)),
        ),
      };
    },
  };
}

/**
 * The output x of loss ε ≥ 0 (docs/proofs/capped-poisson.md, 2). Let s = e^{μx − μ²/2}, let o = `without` and w = `within` be weights of N(iμ, 1), and
 * c = w₂e^{−μ²}. Then s is the positive root of cs² = βs + η. Here β = e^ε o₁ − w₁ ≥ 0 and η = e^ε o₀ − w₀ ≥ 0. No terms cancel: log s has an error of a
 * few roundings. The slope of the loss in x is at most 2μ, so the loss has at most twice that error.
 *
 * Ensures: the loss at the output found is within `off` of ε.
 */
function outputAt(epsilon: number, mu: number, { without, within, from }: Moving): Found {
  if (epsilon === Infinity) return { x: Infinity, off: 0 };
  // β and η over e^ε: weights o_i and w_i are equal but for i = `from`, where o_i − w_i = w₂
  const over = (i: number): number =>
    without[i] * -expm1(-epsilon) + (i === from ? within[2] * exp(-epsilon) : 0);
  const [eta, beta] = [over(0), over(1)];
  const c = within[2] * exp(-mu * mu - epsilon);
  const under = 4 * c * (eta / beta / beta);
  const logS =
    beta > 0 && under < 1e300
      ? log(beta / 2) + log(1 + Math.sqrt(1 + under)) - log(within[2]) + mu * mu + epsilon
      : (log(eta) - log(within[2]) + mu * mu + epsilon) / 2;
  return { x: logS / mu + mu / 2, off: 48 * U * (1 + mu * mu + epsilon + Math.abs(logS) - log(within[2])) };
}

/** log Σ w_i Φ(x − a_i), the log of the mass of a mixture Σ w_i N(a_i, 1) below x. */
function logBelow({ shift, weight }: Side, x: number): number {
  return log(shift.reduce((sum, a, i) => sum + weight[i] * normalCdf(x - a), 0));
}
