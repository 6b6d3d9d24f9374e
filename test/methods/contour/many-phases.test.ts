import { describe, expect, test } from 'vitest';
import { account, compose, dpSgd } from '../../../src/index.js';
import { seen } from '../../../src/mechanism/seen.js';
import { stepsOf } from '../../../src/mechanism/steps.js';
import { SpectralRun } from '../../../src/methods/contour/contour-run.js';
import { manyPhases } from '../../../src/methods/contour/phases/many-phases.js';
import { fewOf, varianceNear } from '../../../src/methods/contour/phases/phase.js';
import { cutFor, lostMass } from '../../../src/methods/contour/step/lost-mass.js';
import { stretchOf } from '../../../src/methods/contour/step/output-window.js';
import { exchanged } from '../../../src/methods/contour/step/spectral-law.js';
import { pairSpectra, spectraOf } from '../../../src/methods/contour/step/spectrum-of.js';

import { intersects } from '../../helpers/brackets.js';
import { seeded } from '../../helpers/random.js';
import { randomRuns } from '../../helpers/random-runs.js';
import { type PhaseTriple, runOf, wasm } from '../../helpers/runs.js';

test('a run of many phases: the bracket meets that of single laws, however the phases are listed', () => {
  const mechanisms = Array.from({ length: 60 }, (_, i) =>
    dpSgd({ noiseMultiplier: 1 + i / 60, samplingRate: 0.02 + i / 6000, steps: 3 }),
  );
  const options = { adjacency: 'add-remove' } as const;
  const run = account(wasm, compose(mechanisms), options);
  const steps = stepsOf(compose(mechanisms)).map(seen);
  const pairs = pairSpectra(wasm.kernel, steps)!;
  const apart = (['remove', 'add'] as const).map((direction) => {
    const { laws, logInfinity } = spectraOf(steps, pairs, direction);
    return new SpectralRun(wasm.kernel, laws, { width: 1e-6, direction, logInfinity });
  });
  for (const epsilon of [0.5, 2, 5]) {
    const found = run.logDelta(epsilon);
    // far down in direction 'add' single laws take long
    const known = apart.slice(0, epsilon > 2 ? 1 : 2).map((each) => each.logDelta(epsilon));
    const worst = {
      lower: Math.max(...known.map(({ lower }) => lower)),
      upper: Math.max(...known.map(({ upper }) => upper)),
    };
    expect(intersects(found, worst)).toBe(true);
    expect(found.upper - found.lower).toBeLessThan(1e-6);
  }
  const backwards = account(wasm, compose([...mechanisms].reverse()), options);
  expect(backwards.epsilon(1e-6)).toEqual(run.epsilon(1e-6));
});

/** Phases from one end to the other, and the same number of each end's alone: more noise is never less private. */
describe.each([
  ['near-equal ones, rarely sampled, whose tilts are large', 300, [1, 1.003], 0.001, 1, 1e-5],
  ['unlike ones', 60, [0.8, 3], 0.01, 20, 1e-5],
  ['more of them than there were once', 700, [1, 1.7], 0.005, 3, 1e-5],
  ['a depth where densities are too small for a double', 700, [1, 1.001], 0.005, 3, 1e-290],
] as const)('%s', (_name, n, [low, high], samplingRate, steps, delta) => {
  // widths at any cost
  const options = { adjacency: 'add-remove', effort: 10 } as const;
  const all = (noise: (share: number) => number, times = 1) =>
    account(
      wasm,
      compose(
        Array.from({ length: n / times }, (_, i) =>
          dpSgd({ noiseMultiplier: noise((i * times) / (n - 1)), samplingRate, steps: steps * times }),
        ),
      ),
      options,
    ).epsilon(delta);

  test('lies between its ends, and is sharp', () => {
    const found = all((share) => low + share * (high - low));
    const [worst, best] = [all(() => low, n), all(() => high, n)];
    expect(found.lower).toBeLessThanOrEqual(worst.upper);
    expect(found.upper).toBeGreaterThanOrEqual(best.lower);
    expect(found.upper - found.lower).toBeLessThan(1e-6 * found.upper);
    expect(found.upper).toBeLessThan(worst.upper);
    expect(found.lower).toBeGreaterThan(best.lower);
  });
});

test('one law serves the exchanged pair too, and none where a law is never cut', () => {
  const phases = Array.from({ length: 400 }, (_, i) => ({
    mu: 0.9,
    q: 0.002 + (0.03 * i) / 400,
    count: 2,
  }));
  const law = manyPhases(wasm.kernel, phases);
  expect(exchanged(law).cumulant(3, 10)).toEqual({
    ...law.cumulant(-2, 10),
    mean: -law.cumulant(-2, 10).mean,
  });
  expect(law.cut).toBeDefined();
  expect(manyPhases(wasm.kernel, [...phases, { mu: 20, q: 0.1, count: 1 }]).cut).toBeUndefined();
});

test('all outputs of all phases: the sum of the laws of each', () => {
  const phases = Array.from({ length: 30 }, (_, i) => ({ mu: 0.5 + i / 60, q: 0.01, count: 1 + (i % 3) }));
  const law = manyPhases(wasm.kernel, phases);
  const all = phases.reduce((sum, { count }) => sum + count, 0);
  for (const c of [3, 0.5, -4]) {
    let known = 0;
    for (const { mu, q: rate, count } of phases) {
      // by sums of step 1/100
      let rise = 0;
      for (let x = -16; x <= 20; x += 0.01) {
        const u = 1 + rate * Math.expm1(mu * x - (mu * mu) / 2);
        rise += ((0.01 * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)) * (u ** c - 1 - c * (u - 1));
      }
      known += count * Math.log1p(rise);
    }
    const { value, error } = law.cumulant(c, all);
    expect(Math.abs(value - known)).toBeLessThan(1e-11 + error);
    expect(error).toBeLessThan(1e-10);
  }
});

test('what a cut takes and leaves of many phases', () => {
  const phases = Array.from({ length: 30 }, (_, i) => ({ mu: 0.5 + i / 60, q: 0.01, count: 3 + (i % 5) }));
  const all = phases.reduce((sum, { count }) => sum + count, 0);
  const cut = manyPhases(wasm.kernel, phases).cut!(wasm.kernel, -20, 40, -20, 0.25)!;
  // the largest mu says where it lies
  const at = cutFor(phases[29]!.mu, 0.01, -20);
  let [p, q] = [0, 0];
  for (const { mu, q: rate, count } of phases) {
    const { logLostP, logLostQ } = lostMass(mu / stretchOf(0.25), rate, at);
    p += (count / all) * Math.exp(logLostP);
    q += (count / all) * Math.exp(logLostQ);
  }
  expect(cut.logLostP).toBeCloseTo(Math.log(p), 10);
  expect(cut.logLostQ).toBeCloseTo(Math.log(q), 10);
  expect(cut.law.logMassP / -p).toBeCloseTo(1, 8);
  expect(cut.law.logMassQ / -q).toBeCloseTo(1, 8);
  // rounded up
  expect(cut.logLostQ).toBeGreaterThan(Math.log(q));
});

test('few that stand for many: as many steps, inside their bounds, and themselves where they are few', () => {
  const draw = seeded(1401);
  const phases = Array.from({ length: 300 }, () => ({
    mu: 0.3 * 10 ** draw(),
    q: 1e-4 * 1e3 ** draw(),
    count: Math.ceil(1e6 ** draw()),
  }));
  const few = fewOf(phases, 24);
  expect(few).toHaveLength(24);
  const steps = (of: readonly { count: number }[]): number => of.reduce((sum, { count }) => sum + count, 0);
  expect(steps(few)).toBe(steps(phases));
  expect(varianceNear(few) / varianceNear(phases)).toBeCloseTo(1, 12);
  for (const of of ['mu', 'q'] as const) {
    const values = phases.map((phase) => phase[of]);
    for (const phase of few) {
      expect(phase[of]).toBeGreaterThanOrEqual(Math.min(...values) * (1 - 1e-12));
      expect(phase[of]).toBeLessThanOrEqual(Math.max(...values) * (1 + 1e-12));
    }
  }
  const three = phases.slice(0, 3);
  expect(fewOf(three, 24).map(({ count }) => count)).toEqual(
    expect.arrayContaining(three.map(({ count }) => count)),
  );
  const alike = Array.from({ length: 9 }, () => ({ mu: 1, q: 0.1, count: 2 }));
  expect(fewOf(alike, 24)).toEqual([{ mu: expect.closeTo(1, 14), q: expect.closeTo(0.1, 14), count: 18 }]);
});

/** The two of 1,000 random runs that guesses from groups of phases once led astray: they answered [2e6, 3e8], and their allowance was spent. */
test.each([
  [35, 50],
  [82, 30],
])('random run %i of %i unlike phases, up to 1e9 steps each, is sharp at the usual effort', (i, phases) => {
  const { phases: unlike } = randomRuns(2, 200, 50)[i]!;
  expect(unlike).toHaveLength(phases);
  const run = runOf(unlike, { tolerance: 1e-6 });
  const { lower, upper } = run.epsilon(1e-5);
  expect(run.limitedBy).not.toBe('effort');
  expect(upper - lower).toBeLessThanOrEqual(1e-6 * upper);
  // the deviation of this many steps is far below the mean, and δ passes 1e-5 there
  const mean = meanLoss(unlike);
  expect(lower).toBeGreaterThan(mean);
  expect(upper).toBeLessThan(1.05 * mean);
});

/** Σ T E_Q[log u], by the trapezoidal rule: the mean of the loss where the record was there. */
function meanLoss(phases: readonly PhaseTriple[]): number {
  let sum = 0;
  for (const [sigma, q, steps] of phases)
    for (let x = -9; x < 9 + 1 / sigma; x += 1 / 16) {
      const shift = x / sigma - 1 / (2 * sigma * sigma);
      const ratio = 1 - q + q * Math.exp(shift);
      sum += ((steps / 16) * Math.exp((-x * x) / 2) * ratio * Math.log(ratio)) / Math.sqrt(2 * Math.PI);
    }
  return sum;
}
