/** Answers that are known badly, at losses on either side of 0. */
import { expect, test } from 'vitest';
import { SpectralRun } from '../../../src/methods/contour/contour-run.js';
import type { SideAnswers } from '../../../src/methods/contour/run-contours.js';
import { bracket, exactly } from '../../../src/numeric/bracket.js';
import { exp, log, log1p } from '../../../src/numeric/scalar.js';
import { gaussian } from '../../helpers/wide-runs.js';

const exact = gaussian(1);
const BUDGET = { aliasing: 0, truncation: 0, quadrature: 0, roundOff: 0, smoothing: 0, nodes: 1 };

/** N(0, 1) against N(1, 1), each logarithm known to lie between that less `below` and that plus `above`. */
function known(below: number, above: number): SideAnswers {
  const around = (value: number) => bracket(log(value) - below, Math.min(0, log(value) + above));
  return {
    haveAtoms: false,
    guess: () => 1,
    delta: (_side, x) => ({ ...around(exact.delta(x)), isAnswered: true, budget: BUDGET }),
    test: (_side, x) => {
      const [fpr, tpr] = exact.rates(x);
      return { falsePositive: around(fpr), power: around(tpr), smoothing: 0 };
    },
  };
}

test.each([
  [0, 0],
  [0.02, 0],
  [0, 0.02],
  [1e-7, 1e-7],
  [3, 0],
  [0, 0.3],
])('logs that may be %d less and %d more', (below, above) => {
  const run = new SpectralRun(known(below, above), {
    width: 1e-10,
    direction: 'remove',
    logInfinity: exactly(-Infinity),
    areFinite: true,
    logMassP: 0,
    steps: 1,
  });
  for (const epsilon of [0.1, 0.5, 1, 1.7, 2.5, 3.5, 5]) {
    const value = log(exact.delta(epsilon));
    const { lower, upper } = run.logDelta(epsilon);
    expect(lower, `δ(${epsilon})`).toBeLessThanOrEqual(value + 1e-11);
    expect(upper, `δ(${epsilon})`).toBeGreaterThanOrEqual(value - 1e-11);
    expect(upper - lower).toBeLessThanOrEqual(below + above + 1e-9);
    // δ(−ε) = 1 − e^{−ε}(1 − δ(ε)) of a symmetric pair
    const before = run.logDelta(-epsilon);
    const mirrored = log1p(-exp(-epsilon) * (1 - exact.delta(epsilon)));
    expect(before.lower, `δ(−${epsilon})`).toBeLessThanOrEqual(mirrored + 1e-11);
    expect(before.upper, `δ(−${epsilon})`).toBeGreaterThanOrEqual(mirrored - 1e-11);
    const { logFpr, logTpr } = run.test(epsilon);
    const [fpr, tpr] = exact.rates(epsilon);
    expect(logFpr).toBeGreaterThanOrEqual(log(fpr) - 1e-11);
    expect(logTpr).toBeLessThanOrEqual(log(tpr) + 1e-11);
    // what rejects where the other accepts
    const behind = run.test(-epsilon);
    expect(behind.logFpr).toBeGreaterThanOrEqual(log1p(-tpr) - 1e-11);
    expect(behind.logTpr).toBeLessThanOrEqual(log1p(-fpr) + 1e-11);
    // and no more than that: what the other is known to accept
    expect(behind.logFpr).toBeCloseTo(log1p(-exp(logTpr)), 9);
    if (logFpr < 0) expect(behind.logTpr).toBeCloseTo(log1p(-exp(logFpr)), 9);
  }
});
