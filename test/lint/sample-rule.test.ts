import { describe, expect, it } from 'vitest';
import {
  account,
  compose,
  gaussian,
  joint,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import type { Basic } from '../../src/mechanism/pairs.js';
import { recognise } from '../../src/read/index.js';
import { ids, only, runOf } from '../helpers/linted.js';
import { wasm } from '../helpers/runs.js';

describe('releases that may share a sample', () => {
  it('two releases amplified apart at one rate, which may share a sample', () => {
    const rate = 0.1;
    const drawn = (inner: Basic) => poissonSubsampled(inner, { rate });
    const [noise, count, other] = [
      gaussian({ noiseMultiplier: 1 }),
      laplace({ scale: 5, sensitivity: 1 }),
      gaussian({ noiseMultiplier: 2 }),
    ];
    // an exact ε of the two responses on one sample: every output listed
    const responses = [randomizedResponse({ epsilon: 1 }), pureDp({ epsilon: 1 })];
    const pure = only({ delta: 1e-12 }, runOf(compose(responses.map(drawn))));
    expect(pure).toMatchObject({ id: 'sample-amplified-apart', severity: 'warning' });
    expect(pure.evidence.bracket.upper).toBeCloseTo(Math.log(1 - rate + rate * Math.exp(2)), 6);
    expect(pure.sentence).toContain('randomized response');
    const rule = (mechanism: Mechanism) =>
      ids({ delta: 1e-5 }, runOf(mechanism)).includes('sample-amplified-apart');
    expect(rule(repeat(compose([drawn(noise), drawn(count)]), 3))).toBe(true);
    expect(rule(repeat(compose([drawn(noise), drawn(other)]), 3))).toBe(true);
    expect(
      rule(
        compose([laplace({ scale: 9, sensitivity: 1 }), repeat(compose([drawn(noise), drawn(other)]), 3)]),
      ),
    ).toBe(true);
    // phases of a schedule, one sample for both, and samples at other rates
    expect(rule(compose([repeat(drawn(noise), 3), repeat(drawn(other), 3)]))).toBe(false);
    expect(rule(compose([drawn(noise), drawn(other)]))).toBe(false);
    expect(rule(repeat(drawn(joint({ parts: [noise, count] })), 3))).toBe(false);
    expect(rule(repeat(compose([drawn(noise), poissonSubsampled(count, { rate: 0.2 })]), 3))).toBe(false);
  });

  it('a DpEvent with two samples at one rate in every step', () => {
    const event = (inner: string) => `PoissonSampledDpEvent(0.1, ${inner})`;
    const [noise, count] = ['GaussianDpEvent(1.0)', 'LaplaceDpEvent(5.0)'];
    const apart = recognise(`SelfComposedDpEvent(ComposedDpEvent([${event(noise)}, ${event(count)}]), 10)`);
    const together = recognise(`SelfComposedDpEvent(${event(`ComposedDpEvent([${noise}, ${count}])`)}, 10)`);
    const { bracket } = only({ delta: 1e-5 }, apart).evidence;
    const { lower, upper } = account(wasm, together.mechanism!, { adjacency: 'add-remove' }).epsilon(1e-5);
    expect(bracket.lower).toBeLessThanOrEqual(upper);
    expect(bracket.upper).toBeGreaterThanOrEqual(lower);
    expect(account(wasm, apart.mechanism!, { adjacency: 'add-remove' }).epsilon(1e-5).upper).toBeLessThan(
      lower,
    );
    expect(ids({ delta: 1e-5 }, together)).toEqual([]);
  });
});
