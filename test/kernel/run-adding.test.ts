/** What is known of adding a record without its lines, and one step by its closed form. */
import { describe, expect, test } from 'vitest';
import { AddingBound } from '../../assembly/bound/adding.js';
import { SingleStep } from '../../assembly/bound/single.js';
import { storeF64 } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { Phases } from '../../assembly/law/directions.js';
import { statedVectors } from '../../scripts/lib/kernel-host.mjs';
import { normalCdf } from '../../src/numeric/scalar.js';
import { roomy } from '../helpers/run-laws.js';

function phasesOf(mu: number, q: number, steps: number): Phases {
  roomy();
  const at = take(4);
  storeF64(at, mu);
  storeF64(at, q, 8);
  storeF64(at, steps, 16);
  return new Phases(at, 1, 0);
}

/** δ(ε) of adding a record to one step, ε ∈ ℝ: N(0, 1) against (1 − q)N(0, 1) + qN(μ, 1), in closed form. */
function deltaAdding(mu: number, q: number, epsilon: number): number {
  const kept = 1 - Math.exp(epsilon) * (1 - q);
  if (!(kept > 0)) return 0;
  const edge = (Math.log(kept / q) - epsilon) / mu + mu / 2;
  return normalCdf(edge) * kept - Math.exp(epsilon) * q * normalCdf(edge - mu);
}

/** Of two steps: the first one's loss by the trapezoidal rule. */
function deltaOfTwo(mu: number, q: number, epsilon: number): number {
  let sum = 0;
  const h = 1 / 256;
  for (let x = -9; x <= 9; x += h) {
    const loss = -Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
    sum += (h * Math.exp((-x * x) / 2) * deltaAdding(mu, q, epsilon - loss)) / Math.sqrt(2 * Math.PI);
  }
  return sum;
}

describe.each([
  [0.3, 0.1],
  [1, 0.02],
  [1, 0.5],
  [3, 0.2],
  [8, 0.3],
])('adding a record, mu %d, q %d', (mu, q) => {
  test.each([1, 2])('%d steps: bounds from moments, and chords from 0, are above', (steps) => {
    const exact = (epsilon: number) => (steps === 1 ? deltaAdding : deltaOfTwo)(mu, q, epsilon);
    const bound = new AddingBound(phasesOf(mu, q, steps));
    const largest = -steps * Math.log1p(-q);
    const places = Array.from({ length: 20 }, (_, i) => ((i + 0.5) / 20) * largest);
    const check = (): number[] =>
      places.map((epsilon) => {
        const said = bound.at(epsilon);
        const delta = exact(epsilon);
        expect(Math.exp(said), `${epsilon}`).toBeGreaterThanOrEqual(delta - 1e-7 * (steps - 1) - 1e-15);
        return said;
      });
    const before = check();
    expect(bound.at(1.01 * largest)).toBe(-Infinity);
    bound.beginAt(Math.log(exact(0) * (1 + 1e-6)), 0.9 * largest);
    const after = check();
    for (const [i, said] of after.entries()) expect(said).toBeLessThanOrEqual(before[i]!);
    expect(after.some((said, i) => said < before[i]! - 1e-3)).toBe(true);
  });
});

test('one step by its closed form holds all vectors', () => {
  let asked = 0;
  for (const { id, phases, quantity, at, value } of statedVectors()) {
    const [{ noise, rate, steps }] = phases;
    if (phases.length > 1 || steps !== 1 || !(rate > 0 && rate < 1) || quantity === 'mu') continue;
    const step = new SingleStep(phasesOf(1 / noise, rate, 1));
    const [epsilon, delta] = quantity === 'delta' ? [at, value] : [value, at];
    if (!(epsilon > 0)) continue;
    asked++;
    step.answer(epsilon);
    // epsilon is rounded, and δ too
    const slack = 1e-14 * (1 + epsilon * epsilon * (1 + noise * noise));
    expect(step.lower, id).toBeLessThanOrEqual(Math.log(delta) + slack);
    expect(step.upper, id).toBeGreaterThanOrEqual(Math.log(delta) - slack);
    expect(step.upper - step.lower, id).toBeLessThan(1e-10 * (1 + Math.abs(Math.log(delta))));
  }
  expect(asked).toBeGreaterThan(100);
  const step = new SingleStep(phasesOf(1, 0.1, 1));
  for (const epsilon of [1e160, 1e300]) {
    step.answer(epsilon);
    expect([step.lower, step.upper]).toEqual([-Infinity, 0]);
  }
});
