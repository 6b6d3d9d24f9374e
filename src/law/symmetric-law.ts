import { bracket } from '../bracket.js';
import type { LatticeMeasure } from '../plrv/lattice-measure.js';
import type { DirectedRun } from '../run/directed-run.js';
import { exp, expm1, log } from '../scalar.js';
import { cellLaw } from './cell-law.js';
import { padLogProbability } from './closed-form.js';
import type { InnerLaw } from './inner-law.js';
import type { LossLaw } from './loss-law.js';

/**
 * One step of `inner` (replace-one) on a share `rate` of the records drawn without replacement: C_p of its
 * trade-off curve (GDP thm 4.2). Its profile is that of the Poisson pair in direction 'remove' for ε ≥ 0 and
 * the mirror image of it below: the positive losses of 'remove', the negative ones of 'add', the rest at 0.
 */
export function withoutReplacementLaw(inner: InnerLaw, rate: number): LossLaw {
  const remove = cellLaw(inner, rate, 'remove');
  const add = cellLaw(inner, rate, 'add');
  return {
    direction: 'both',
    single: symmetricRun(remove.single),
    gdpMu: remove.gdpMu,
    largest: remove.largest,
    infinity: remove.infinity,
    cells: (step, logTail) => remove.cells(step, logTail) + add.cells(step, logTail),
    discretise: (kernel, step, logTail) => {
      const above = remove.discretise(kernel, step, logTail);
      const below = add.discretise(kernel, step, logTail);
      return {
        upper: joined(below.upper, above.upper, 1),
        lower: joined(below.lower, above.lower, -1),
        displacement: 0,
      };
    },
    // for planning the two pairs are close enough
    nodes: remove.nodes,
  };
}

/** δ(−ε) = 1 − e^{−ε} + e^{−ε} δ(ε). */
function symmetricRun(run: DirectedRun): DirectedRun {
  const mirrored = (logDelta: number, epsilon: number): number =>
    logDelta === -Infinity && epsilon === 0 ? logDelta : log(-expm1(epsilon) + exp(epsilon + logDelta));
  return {
    ...run,
    direction: 'both',
    logDelta: (epsilon, width) => {
      if (epsilon >= 0) return run.logDelta(epsilon, width);
      const there = run.logDelta(-epsilon, width);
      const lower = padLogProbability(Math.min(0, mirrored(there.lower, epsilon))).lower;
      const upper = padLogProbability(Math.min(0, mirrored(there.upper, epsilon))).upper;
      return bracket(Math.min(lower, upper), upper);
    },
    // tests that reject at negative losses are the mirror images of those that accept at positive ones
    test: (omega, width) => run.test(Math.max(0, omega), width),
  };
}

/** Masses of `below` under 0 and of `above` over 0, and at 0 what makes both laws whole, on the side asked for. */
function joined(below: LatticeMeasure, above: LatticeMeasure, side: 1 | -1): LatticeMeasure {
  const { step } = above;
  const first = Math.min(below.first, -1);
  const last = Math.max(above.first + above.mass.length - 1, 1);
  const mass = new Float64Array(last - first + 1);
  let q = above.infinity;
  let p = 0;
  for (const part of [below, above]) {
    for (let i = 0; i < part.mass.length; i++) {
      const at = part.first + i;
      if (part === below ? at >= 0 : at <= 0) continue;
      mass[at - first] = part.mass[i];
      q += part.mass[i];
      p += part.mass[i] * exp(-step * at);
    }
  }
  if (side > 0) {
    // both remainders are the same up to rounding
    mass[-first] = Math.max(0, 1 - Math.min(q, p)) + 1e-14;
    return { step, first, mass, infinity: above.infinity };
  }
  const rest = Math.max(0, 1 - Math.max(q, p) - 1e-14);
  // the P-mass must not be the smaller one: what lacks is moved one point down, which lowers the curve
  const lacking = Math.max(0, (q - p + 1e-14) / expm1(step));
  if (lacking > rest) return { step, first, mass: new Float64Array(1), infinity: 0 };
  mass[-first] = rest - lacking;
  mass[-first - 1] += lacking;
  return { step, first, mass, infinity: 0 };
}
