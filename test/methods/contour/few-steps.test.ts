import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rareGoldens } from '../../helpers/rare-losses.js';
import { reference, runOf, wasm } from '../../helpers/runs.js';

/** By test/golden/make-two-steps.py, from likelihood ratios in 45 digits. */
interface Golden {
  readonly phases: readonly (readonly [number, number])[];
  readonly direction: 'remove' | 'add';
  readonly t: number;
  /** Logarithms of δ, FPR and TPR. */
  readonly logs: readonly string[];
  readonly relativeErrors: readonly number[];
}

const url = new URL('../../golden/two-steps.json', import.meta.url);
const goldens = JSON.parse(readFileSync(url, 'utf8')) as Golden[];

test.each(goldens)('$phases $direction at $t', ({ phases, direction, t, logs, relativeErrors }) => {
  const run = runOf(phases.map(([sigma, rate]) => [sigma, rate, 1]));
  const { lower, upper } = run.directions[direction === 'remove' ? 0 : 1].logDelta(t);
  const exact = Number(logs[0]);
  const slack = relativeErrors[0] + 4e-16 * Math.abs(exact);
  expect(lower).toBeLessThanOrEqual(exact + slack);
  expect(upper).toBeGreaterThanOrEqual(exact - slack);
  const worse = run.logDelta(t);
  expect(worse.upper).toBeGreaterThanOrEqual(exact - slack);
  // deeper, few steps have wide ends
  if (exact > -115) expect(worse.upper - worse.lower).toBeLessThan(1e-6);
});

test.each(rareGoldens.filter(({ steps }) => steps <= 4))(
  'rare losses, whose sums may be far higher on one side: sigma $noiseMultiplier, q $samplingRate, $steps steps at $x',
  ({ noiseMultiplier, samplingRate, steps, x, values, relativeErrors }) => {
    const { lower, upper } = runOf([[noiseMultiplier, samplingRate, steps]]).directions[0].logDelta(x);
    const exact = Math.log(Number(values[0]));
    const slack = relativeErrors[0] + 4e-16 * (1 + Math.abs(exact));
    expect(lower).toBeLessThanOrEqual(exact + slack);
    expect(upper).toBeGreaterThanOrEqual(exact - slack);
  },
);

test('an account of two steps is sharp, the same in both engines', () => {
  for (const [sigma, rate] of [
    [5.74, 0.000136],
    [0.453, 0.0296],
  ] as const) {
    const [a, b] = [wasm, reference].map((engine) => runOf([[sigma, rate, 2]], { engine }));
    expect(a.method).toBe('spectral');
    expect(a.epsilon(1e-7)).toEqual(b.epsilon(1e-7));
    const { lower, upper } = a.epsilon(1e-7);
    expect(upper - lower).toBeLessThanOrEqual(1e-6 * upper);
  }
});

test('three steps of little noise are sharp at the usual effort, far from where saddles guess', () => {
  const run = runOf([[0.1, 0.3, 3]], { engine: wasm });
  const { lower, upper } = run.epsilon(1e-5);
  expect(run.limitedBy).not.toBe('effort');
  expect(upper - lower).toBeLessThan(1e-6 * upper);
});
