/** Runs of steps that are known badly, at losses on either side of 0. */
import { expect, test } from 'vitest';
import { SpectralRun } from '../../../src/methods/contour/contour-run.js';
import { gaussianSpectrum } from '../../../src/methods/contour/step/gaussian-spectrum.js';
import { exactly } from '../../../src/numeric/bracket.js';
import { exp, log, log1p } from '../../../src/numeric/scalar.js';
import { type Doubt, doubtful } from '../../helpers/doubtful-law.js';
import { wasm } from '../../helpers/runs.js';
import { gaussian } from '../../helpers/wide-runs.js';

test.each<Doubt>([
  {},
  { error: 0.004 },
  { error: -0.004 },
  { quadrature: 0.004 },
  { quadrature: -0.004 },
  { axis: 0.01 },
  { axis: -0.01 },
])('steps whose nodes are as wrong as they say: %j', (doubt) => {
  const laws = [{ law: doubtful(gaussianSpectrum(0.5), doubt), count: 4 }];
  const run = new SpectralRun(wasm.kernel, laws, {
    width: 1e-10,
    direction: 'remove',
    logInfinity: exactly(-Infinity),
  });
  const exact = gaussian(1);
  let known = 0;
  for (const epsilon of [0.1, 0.5, 1, 1.7, 2.5, 3.5, 5]) {
    const value = log(exact.delta(epsilon));
    const { lower, upper } = run.logDelta(epsilon);
    expect(lower, `δ(${epsilon})`).toBeLessThanOrEqual(value + 1e-11);
    expect(upper, `δ(${epsilon})`).toBeGreaterThanOrEqual(value - 1e-11);
    if (upper - lower < 0.5) known++;
    // δ(−ε) = 1 − e^{−ε}(1 − δ(ε)) of a symmetric pair
    const before = run.logDelta(-epsilon);
    const mirrored = log1p(-exp(-epsilon) * (1 - exact.delta(epsilon)));
    expect(before.lower, `δ(−${epsilon})`).toBeLessThanOrEqual(mirrored + 1e-11);
    expect(before.upper, `δ(−${epsilon})`).toBeGreaterThanOrEqual(mirrored - 1e-11);
    const { logFpr, logTpr } = run.test(epsilon);
    if (logFpr === 0) continue;
    const [fpr, tpr] = exact.rates(epsilon);
    expect(logFpr).toBeGreaterThanOrEqual(log(fpr) - 1e-11);
    expect(logTpr).toBeLessThanOrEqual(log(tpr) + 1e-11);
    // what rejects where the other accepts
    const behind = run.test(-epsilon);
    expect(behind.logFpr).toBeGreaterThanOrEqual(log1p(-tpr) - 1e-11);
    expect(behind.logTpr).toBeLessThanOrEqual(log1p(-fpr) + 1e-11);
    // and no more than that: what the other is known to accept
    expect(behind.logFpr).toBeCloseTo(log1p(-exp(logTpr)), 9);
    expect(behind.logTpr).toBeCloseTo(log1p(-exp(logFpr)), 9);
  }
  expect(known).toBeGreaterThan(3);
});
