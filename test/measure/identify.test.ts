import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  compose,
  discreteGaussian,
  dpSgd,
  gaussian,
  iceaProfile,
  identify,
  laplace,
  type Mechanism,
  profileOf,
  pureDp,
  randomizedResponse,
  rdp,
  repeat,
  sgdFamilyProfile,
  zcdp,
} from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const runOf = (mechanism: Mechanism) => account(wasm, mechanism, { adjacency: 'add-remove' });
const lap = laplace({ scale: 0.5, sensitivity: 1 });

describe('known mechanisms', () => {
  test.each<[string, Mechanism, number]>([
    ['Laplace', lap, 0],
    ['randomised response', randomizedResponse({ epsilon: 3 }), 0],
    ['pure DP', repeat(pureDp({ epsilon: 0.2 }), 50), 0],
    ['Gaussian', gaussian({ noiseMultiplier: 2 }), 0.5],
    ['Laplace and Gaussian', compose([lap, gaussian({ noiseMultiplier: 2 })]), 0.5],
    ['discrete Gaussian', discreteGaussian({ sigma: 2, sensitivity: 1 }), 0.5],
    ['zCDP', zcdp({ rho: 0.5 }), 1],
    ['DP-SGD', dpSgd({ noiseMultiplier: 2, samplingRate: 0.01, steps: 10000 }), 50],
    ['nothing', compose([]), 0],
  ])('%s', (_, mechanism, tailMu) => {
    const found = identify(runOf(mechanism));
    expect(found.verdict).toBe('gdp');
    if (found.verdict === 'estimate') return;
    expect(found.tailMu, JSON.stringify(found)).toContainValue(tailMu);
    expect(found.reason.length).toBeGreaterThan(10);
  });

  test.each<[string, Mechanism, RegExp]>([
    ['(ε, δ)', approximateDp({ epsilon: 1, delta: 1e-9 }), /beyond doubt/],
    ['one bad part', compose([lap, approximateDp({ epsilon: 1, delta: 1e-9 })]), /beyond doubt/],
    ['no noise', gaussian({ noiseMultiplier: 0 }), /beyond doubt/],
    ['RDP', rdp({ points: [{ order: 8, epsilon: 1 }] }), /exponentially/],
  ])('%s is not', (_, mechanism, reason) => {
    const found = identify(runOf(mechanism));
    expect(found).toMatchObject({ verdict: 'not-gdp', tailMu: { lower: Infinity } });
    expect(found.reason).toMatch(reason);
  });

  test('the running examples of IAM', () => {
    const sgd = identify(sgdFamilyProfile({ A: 2, B: 1, sigma: 2 }));
    expect(sgd.verdict).toBe('gdp');
    if (sgd.verdict !== 'estimate') expect(sgd.tailMu).toContainValue(Math.SQRT1_2);
    expect(identify(iceaProfile({ messages: 20, users: 4 })).verdict).toBe('not-gdp');
  });

  test('exact or bound', () => {
    expect(identify(runOf(lap)).standing).toBe('exact');
    expect(identify(runOf(pureDp({ epsilon: 1 }))).standing).toBe('bound');
  });
});

describe('callbacks are estimates', () => {
  test.each<[string, (e: number) => number, string, number]>([
    ['Gaussian tail', (e) => Math.exp(-e * e), 'gdp', Math.SQRT1_2],
    ['Gaussian tail with a slope', (e) => Math.exp(Math.min(0, e - (e * e) / 8)), 'gdp', 2],
    ['bounded loss', (e) => Math.max(0, 1 - Math.exp(e / 2 - 1)), 'gdp', 0],
    ['exponential tail', (e) => Math.exp(-e), 'not-gdp', Infinity],
    ['power tail', (e) => Math.min(1, 0.5 / e), 'not-gdp', Infinity],
    ['mass at infinity', () => 1e-9, 'not-gdp', Infinity],
  ])('%s', (_, delta, likely, tailMu) => {
    const found = identify(profileOf(delta));
    expect(found).toMatchObject({ verdict: 'estimate', standing: 'estimate', likely });
    if (found.verdict !== 'estimate') return;
    if (tailMu === Infinity) expect(found.tailMu).toBe(Infinity);
    else expect(Math.abs(found.tailMu - tailMu)).toBeLessThan(0.2);
  });

  test('never more than an estimate, even where it looks sure', () => {
    expect(identify(profileOf(() => 0)).verdict).toBe('estimate');
    expect(identify(profileOf(() => 1)).verdict).toBe('estimate');
  });

  test('no subject', () => {
    expect(() => identify(null as never)).toThrow(TypeError);
    expect(() => identify({ logDelta: 3 } as never)).toThrow(/"subject"/);
  });
});
