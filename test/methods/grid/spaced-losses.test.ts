import { describe, expect, test } from 'vitest';
import {
  account,
  compose,
  discreteGaussian,
  type Mechanism,
  randomizedResponse,
  repeat,
} from '../../../src/index.js';
import { exp, log } from '../../../src/numeric/scalar.js';
import { reference, wasm } from '../../helpers/runs.js';

/** A law as pairs of loss and probability under Q. */
type Law = readonly (readonly [loss: number, mass: number])[];

/** N_ℤ(1, variance) against N_ℤ(0, variance). */
function gaussianLaw(variance: number): Law {
  const outputs = Array.from({ length: 81 }, (_, i) => i - 40);
  const weights = outputs.map((k) => exp((-(k - 1) * (k - 1)) / (2 * variance)));
  const total = weights.reduce((sum, w) => sum + w, 0);
  return outputs.map((k, i) => [(2 * k - 1) / (2 * variance), weights[i]! / total]);
}

/** δ(ε) by summing over all outputs of all releases but the last, whose tail is summed. */
function deltaOf([law, ...rest]: readonly Law[], epsilon: number): number {
  if (rest.length === 0)
    return law!.reduce((sum, [l, q]) => sum + (l > epsilon ? q * -Math.expm1(epsilon - l) : 0), 0);
  return law!.reduce((sum, [l, q]) => sum + q * deltaOf(rest, epsilon - l), 0);
}

const noise = (variance: number, times: number) =>
  repeat(discreteGaussian({ sigma: Math.sqrt(variance), sensitivity: 1 }), times);
const response: Law = [
  [-1, 1 / (1 + Math.E)],
  [1, Math.E / (1 + Math.E)],
];

describe.each<[string, Mechanism, Law[], number]>([
  ['two releases: whole multiples of twice the unit', noise(2, 2), [2, 2].map(gaussianLaw), 1 / 2],
  ['three: odd multiples of the unit', noise(2, 3), [2, 2, 2].map(gaussianLaw), 1 / 4],
  ['of variances 2 and 6', compose([noise(2, 1), noise(6, 2)]), [2, 6, 6].map(gaussianLaw), 1 / 12],
  ['of variances 1 and 3/5', compose([noise(1, 1), noise(3 / 5, 1)]), [1, 3 / 5].map(gaussianLaw), 1 / 3],
  [
    'beside a response',
    compose([noise(2, 1), randomizedResponse({ epsilon: 1 })]),
    [gaussianLaw(2), response],
    1 / 4,
  ],
])('discrete noise on the lattice of its losses: %s', (_, mechanism, laws, lattice) => {
  test.each([wasm, reference])('$kernel.name', (engine) => {
    const [run] = account(engine, mechanism, { adjacency: 'add-remove', method: 'grid' }).directions;
    expect(run!.lattice).toBeCloseTo(lattice, 14);
    for (const epsilon of [0, 1e-9, 0.3, lattice, 3 * lattice, 5.5 * lattice, 3, 9.1]) {
      const exact = log(deltaOf(laws, epsilon));
      const { lower, upper } = run!.logDelta(epsilon);
      expect(lower, `δ(${epsilon})`).toBeLessThanOrEqual(exact + 1e-12);
      expect(upper, `δ(${epsilon})`).toBeGreaterThanOrEqual(exact - 1e-12);
      expect(upper - lower, `δ(${epsilon})`).toBeLessThan(1e-9);
    }
  });
});
