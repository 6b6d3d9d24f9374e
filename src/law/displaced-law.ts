import { HALF_LOG_2PI, U } from '../numeric/constants.js';
import { exp, expm1, log, normalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { gaussianPair } from './gaussian-pair.js';
import { cellLaw } from './lattice/cell-law.js';
import type { LossLaw } from './loss-law.js';
import { type Found, lineRun, logTail, massesBetween } from './mixture-pair.js';
import { type Side, sideAt, sideOf } from './mixture-side.js';
import type { PairBase } from './pair.js';
import { foldedLaw, foldedRun } from './symmetric-law.js';

/**
 * A record that displaces another one, as where a full batch is kept at its size: with probability r it is in, and one of the others is out;
 * or it is left out in its place. Noise σ, μ = 1/σ. Losses above 0 are those of (1−r)N(0, 1) + rN(μ, 1) against (1−r)N(0, 1) + rN(2μ, 1),
 * losses below 0 those of (1−r)N(0, 1) + rN(μ, 1) against N(0, 1), the rest of the mass is at 0. Proof: docs/proofs/capped-poisson.md.
 */
export function displacedLaw(sigma: number, rate: number, direction: 'remove' | 'add'): LossLaw {
  const above = displacedPair(1 / sigma, rate);
  const remove = cellLaw(above, 1, 'remove');
  const sampled = gaussianPair(sigma);
  const single = cellLaw(sampled, rate, 'remove').single;
  return direction === 'remove'
    ? foldedLaw(remove, cellLaw(sampled, rate, 'add'), foldedRun(remove.single, single, 'remove'))
    : foldedLaw(
        cellLaw(sampled, rate, 'remove'),
        cellLaw(above, 1, 'add'),
        foldedRun(single, remove.single, 'add'),
      );
}

/** Outputs that stand for the law in planning. */
const NODES = 800;

/**
 * (1−r)N(0, 1) + rN(μ, 1) against (1−r)N(0, 1) + rN(2μ, 1), outputs up to 3μ/2 taken together: the losses above 0, which are those of the others
 * and rise with the output, and so δ(ε) for ε ≥ 0, are not changed by it.
 */
function displacedPair(mu: number, rate: number): PairBase {
  const base = sideOf(mu, rate);
  const moved = sideOf(2 * mu, rate);
  const outputOf = (epsilon: number): Found => outputAt(epsilon, mu, (1 - rate) / rate);
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
  // what lies below 3μ/2, as one output
  const rest = logBelow(moved, 1.5 * mu) - logBelow(base, 1.5 * mu);
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
      const x = new Float64Array(n + 1);
      const off = new Float64Array(n + 1);
      for (let k = 0; k <= n; k++) {
        const found = edges[k] > 0 ? outputOf(edges[k]) : undefined;
        x[k] = found?.x ?? (edges[k] > rest ? 1.5 * mu : -Infinity);
        off[k] = found?.off ?? 0;
      }
      return massesBetween(kernel, { x, off }, [base, 1], [moved, 1]);
    },
    nodes: () => {
      const stride = 40 / NODES;
      const x = Array.from({ length: NODES }, (_, i) => 1.5 * mu + stride * (i + 0.5));
      return {
        loss: Float64Array.of(rest, ...x.map(lossAt)),
        logWeight: Float64Array.of(
          logBelow(base, 1.5 * mu),
          ...x.map((at) => sideAt(base, at).log - (at * at) / 2 - HALF_LOG_2PI + log(stride)),
        ),
      };
    },
  };
}

/**
 * With s = e^{μx − μ²/2} the loss ε ≥ 0 is where e^{−μ²}s² − e^ε s = (e^ε − 1)(1 − r)/r, by the odds of r. Its positive root is a sum of positive
 * terms: log s is right to a few roundings of its own terms, and the loss, whose slope is at most 2μ, to twice that.
 */
function outputAt(epsilon: number, mu: number, odds: number): Found {
  if (epsilon === Infinity) return { x: Infinity, off: 0 };
  const under = 4 * odds * exp(-mu * mu - epsilon) * -expm1(-epsilon);
  const logS = mu * mu + epsilon + log((1 + Math.sqrt(1 + under)) / 2);
  return { x: logS / mu + mu / 2, off: 24 * U * (1 + mu * mu + epsilon + Math.abs(logS)) };
}

/** log of a mixture's mass below x. */
function logBelow({ shift, weight }: Side, x: number): number {
  return log(shift.reduce((sum, a, i) => sum + weight[i] * normalCdf(x - a), 0));
}
