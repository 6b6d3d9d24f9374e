import { expect, test } from 'vitest';
import { keptOf } from '../../src/bounds/kept-moments.js';
import { logDeltaFromDivergences } from '../../src/bounds/renyi-accountant.js';
import {
  account,
  approximateDp,
  compose,
  discreteGaussian,
  discreteLaplace,
  dividedSgd,
  joint,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  repeat,
  tabulated,
  tradeoffPoints,
} from '../../src/index.js';
import { atomsOf } from '../../src/law/pair.js';
import { type Basic, pairOf } from '../../src/mechanism/pairs.js';
import { type Step, stepsOf } from '../../src/mechanism/steps.js';
import { wasm } from '../helpers/runs.js';

/** Masses of an output: without the record, and with it. */
type Output = readonly [p: number, q: number];

/** Outputs of a step, by the definition of a Poisson sample. */
function outputsOf({ mechanism, sampling, rate: drawn }: Step): Output[] {
  const { p, q, infinity, minusInfinity, beyond = 0 } = atomsOf(pairOf(mechanism))!;
  const rate = sampling === 'poisson' ? drawn : 1;
  const plain: Output[] = Array.from(p, (mass, i) => [mass, q[i]]);
  // what is beyond those listed is taken to tell all
  const whole: Output[] = [...plain, [0, infinity + beyond], [minusInfinity + beyond, 0]];
  return whole.map(([a, b]) => [a, (1 - rate) * a + rate * b]);
}

/** δ(ε) of all steps together, by all their outputs, in the direction where it is the larger. */
function deltaOf(steps: readonly Step[], epsilon: number): number {
  const all = steps.flatMap((step) => Array.from({ length: step.count }, () => outputsOf(step)));
  let whole: Output[] = [[1, 1]];
  for (const outputs of all)
    whole = whole.flatMap(([a, b]) => outputs.map(([p, q]): Output => [a * p, b * q]));
  const sum = (gain: (output: Output) => number): number =>
    whole.reduce((total, output) => total + Math.max(0, gain(output)), 0);
  const factor = Math.exp(epsilon);
  return Math.max(
    sum(([p, q]) => q - factor * p),
    sum(([p, q]) => p - factor * q),
  );
}

const sampled = (inner: Parameters<typeof poissonSubsampled>[0], rate: number): Mechanism =>
  poissonSubsampled(inner, { rate });
const noise = discreteGaussian({ sigma: 0.4, sensitivity: 1 });
const table = tabulated({
  points: [
    { epsilon: 0.3, delta: 0.05 },
    { epsilon: 1.2, delta: 0.004 },
  ],
});
const polygon = tradeoffPoints({ points: [{ alpha: 0.1, beta: 0.55 }] });

test.each<[string, Mechanism]>([
  ['tables', repeat(table, 3)],
  ['sampled tables', repeat(sampled(table, 0.2), 3)],
  ['polygons', repeat(polygon, 4)],
  [
    'sampled polygons, of a mass at ∞',
    repeat(sampled(tradeoffPoints({ points: [{ alpha: 0, beta: 0.9 }] }), 0.3), 3),
  ],
  ['(ε, δ)', repeat(approximateDp({ epsilon: 0.5, delta: 0.02 }), 3)],
  ['sampled (ε, δ)', repeat(sampled(approximateDp({ epsilon: 1.5, delta: 0.02 }), 0.1), 3)],
  ['sampled discrete noise', repeat(sampled(noise, 0.1), 2)],
  [
    'unlike ones',
    compose([
      sampled(
        joint({ parts: [discreteLaplace({ scale: 1.09, sensitivity: 1 }), pureDp({ epsilon: 0.4 })] }),
        0.3,
      ),
      approximateDp({ epsilon: 0.5, delta: 0.02 }),
      sampled(noise, 0.4),
    ]),
  ],
])('%s: what divergences prove is never below the composition, and near it', (_, mechanism) => {
  const steps = stepsOf(mechanism);
  const { divergence, lost } = keptOf(steps);
  for (const epsilon of [0, 0.3, 1, 2, 4, 7]) {
    const exact = deltaOf(steps, epsilon);
    const bound = Math.exp(logDeltaFromDivergences(divergence, epsilon, 'tight').value) + lost;
    expect(bound).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
    expect(bound).toBeLessThan(20 * exact + 1e-12);
  }
});

test.each(['forward', 'backward'] as const)(
  'of a pair that is not its own mirror image both directions count: %s',
  (role) => {
    // of a scale alone, which tells more in one direction
    const run = {
      noiseMultiplier: 1,
      samplingRate: 0.2,
      steps: 1,
      divisor: 'expected',
      parameters: 500,
      datasetSize: 40,
    } as const;
    const mechanism = { ...dividedSgd(run), attack: 'scale' } as Basic;
    const { divergence, lost } = keptOf([{ mechanism, sampling: 'all', rate: 1, count: 1 }]);
    for (const epsilon of [0.1, 1, 3, 5]) {
      const { value } = logDeltaFromDivergences(divergence, epsilon, 'tight');
      const exact = pairOf(mechanism)[role].logDelta(epsilon).lower;
      expect(Math.log(Math.exp(value) + lost)).toBeGreaterThanOrEqual(exact);
    }
  },
);

test.each([0.1, 1e-6])(
  'a run of many unlike lattices has an end where effort is spent, at tolerance %d',
  (tolerance) => {
    const parts = Array.from({ length: 6 }, (_, i) =>
      repeat(
        sampled(joint({ parts: [discreteGaussian({ sigma: 0.9 + i / 97, sensitivity: 2 }), table] }), 0.02),
        40 + i,
      ),
    );
    const { upper } = account(wasm, compose(parts), { effort: 0.05, tolerance }).epsilon(0.5);
    expect(upper).toBeLessThan(4);
  },
);
