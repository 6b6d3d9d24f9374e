import { describe, expect, test } from 'vitest';
import {
  account,
  type ComposedRun,
  discreteGaussian,
  dpSgd,
  laplace,
  type Mechanism,
  measure,
  measureHead,
  poissonSubsampled,
  profileOfRun,
  pureDp,
  randomizedResponse,
  repeat,
  sgdFamilyProfile,
} from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { intersects, relativeWidth } from '../helpers/brackets.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

// values known to the digits printed, from closed forms, sums over lattices and contour integrals in many digits
const of = (mechanism: Mechanism): ComposedRun => account(wasm, mechanism, { adjacency: 'add-remove' });
const cifar = of(dpSgd({ noiseMultiplier: 9.4, samplingRate: 16384 / 50000, steps: 2000 }));
const laplaceOf = (epsilon0: number) => laplace({ scale: 1 / epsilon0, sensitivity: 1 });
const laplaces = of(repeat(laplaceOf(0.2), 50));
const responses = of(repeat(randomizedResponse({ epsilon: 0.2 }), 50));
const headOf = (subject: Parameters<typeof measureHead>[1], epsilonHead: number): Bracket =>
  measureHead(wasm, subject, { epsilonHead, resolution: 2e9 }).headMu;
const log10 = Math.log(10);

const VALUES: readonly [name: string, digits: string, answer: () => Bracket][] = [
  ['mu of Laplace, eps0 = 0.2', '0.2391055837', () => measure(of(laplaceOf(0.2))).mu],
  ['mu of Laplace, eps0 = 2', '1.8009051933', () => measure(of(laplaceOf(2))).mu],
  ['the same by staircases', '0.2391055837', () => headOf(profileOfRun(of(laplaceOf(0.2))), 0.21)],
  ['mu of 0.2-DP', '0.2504839051', () => measure(of(pureDp({ epsilon: 0.2 }))).mu],
  ['mu of the SGD family', '1.8563572885', () => headOf(sgdFamilyProfile({ A: 2, B: 1, sigma: 2 }), 4)],
  [
    'mu of Laplace, eps0 = 2, sampled at 0.5',
    '0.97828',
    () => headOf(of(poissonSubsampled(laplaceOf(2), { rate: 0.5 })), 2.2),
  ],
  [
    'mu of Laplace, eps0 = 2, sampled at 0.1',
    '0.27731',
    () => headOf(of(poissonSubsampled(laplaceOf(2), { rate: 0.1 })), 2.2),
  ],
  ['epsilon of 50 x Laplace at 1e-1', '2.002022474', () => laplaces.epsilon(1e-1)],
  ['epsilon of 50 x Laplace at 1e-2', '3.50344102', () => laplaces.epsilon(1e-2)],
  ['epsilon of 50 x Laplace at 1e-3', '4.55063300', () => laplaces.epsilon(1e-3)],
  ['epsilon of 50 x Laplace at 1e-4', '5.37941589', () => laplaces.epsilon(1e-4)],
  ['advantage of 50 x Laplace', '0.5072230653', () => laplaces.advantage()],
  ['mu of 50 x Laplace', '1.371884', () => measure(laplaces).mu],
  ['epsilon of 50 responses at 1e-1', '2.11470', () => responses.epsilon(1e-1)],
  ['epsilon of 50 responses at 1e-2', '3.63134', () => responses.epsilon(1e-2)],
  ['epsilon of 50 responses at 1e-3', '4.73114', () => responses.epsilon(1e-3)],
  ['epsilon of 50 responses at 1e-4', '5.56406', () => responses.epsilon(1e-4)],
  ['advantage of 50 responses', '0.517943165', () => responses.advantage()],
  ['mu of 50 responses', '1.42007918', () => measure(responses).mu],
  [
    'epsilon of the discrete Gaussian at 1e-6',
    '4.49959098',
    () => of(discreteGaussian({ sigma: 1, sensitivity: 1 })).epsilon(1e-6),
  ],
  [
    'mu of the discrete Gaussian',
    '1.04576012',
    () => measure(of(discreteGaussian({ sigma: 1, sensitivity: 1 }))).mu,
  ],
  ['epsilon of CIFAR-10 at 1e-10', '10.80992335046', () => cifar.epsilon(1e-10)],
  ['epsilon of CIFAR-10 at 1e-12', '11.89291', () => cifar.epsilon(1e-12)],
  ['epsilon of CIFAR-10 at 1e-20', '15.47166014843', () => cifar.epsilon(1e-20)],
  ['epsilon of CIFAR-10 at 1e-30', '19.00683808', () => cifar.epsilon(1e-30)],
  ['delta of CIFAR-10 at 0.5', '4.5370394850514e-1', () => cifar.delta(0.5)],
  ['delta of CIFAR-10 at 2', '1.6353596700998e-1', () => cifar.delta(2)],
  ['delta of CIFAR-10 at 12', '6.1891151539299e-13', () => cifar.delta(12)],
  ['delta of CIFAR-10 at 16', '4.3436860967454e-22', () => cifar.delta(16)],
  ['delta of CIFAR-10 at 20', '6.5542760846e-34', () => cifar.delta(20)],
  ['delta of CIFAR-10 at 30', '5.0429900471e-75', () => cifar.delta(30)],
  ['delta of CIFAR-10 at 40', '2.416407280e-132', () => cifar.delta(40)],
  ['mu of CIFAR-10 from alpha = 1e-10', '1.566948', () => measure(cifar).mu],
  ['mu of CIFAR-10 from alpha = 1e-100', '1.5857', () => measure(cifar, { alphaMin: 1e-100 }).mu],
  ['mu of CIFAR-10 from alpha = 1e-1000', '1.6449', () => measure(cifar, { logAlphaMin: -1000 * log10 }).mu],
];

/** In the long tests: the same method at another rate is here. */
const DEAR = 'mu of Laplace, eps0 = 2, sampled at 0.5';

/** The numbers that round to the digits printed, or are cut to them. */
function rounding(digits: string): Bracket {
  const [mantissa, exponent = '0'] = digits.split('e');
  const unit = 10 ** (Number(exponent) - (mantissa.split('.')[1]?.length ?? 0));
  return { lower: Number(digits) - 0.5001 * unit, upper: Number(digits) + 1.0001 * unit };
}

describe('values that others have published or computed', () => {
  test.each(LONG_TESTS ? VALUES : VALUES.filter(([name]) => name !== DEAR))('%s: %s', (_, digits, answer) => {
    const found = answer();
    expect(intersects(found, rounding(digits))).toBe(true);
    expect(relativeWidth(found)).toBeLessThan(1e-9);
  });
});

describe('windows wider than any output', () => {
  test('below the rarest output the trade-off curve is a straight line', () => {
    const { lower, upper } = responses.truePositiveRate(1e-100);
    // 1 − f(α) = e^{50 ε₀} α
    expect(lower).toBeLessThan(Math.exp(10) * 1e-100 * (1 + 1e-12));
    expect(upper).toBeGreaterThan(Math.exp(10) * 1e-100 * (1 - 1e-12));
    expect(relativeWidth({ lower, upper })).toBeLessThan(1e-9);
    const wide = measure(responses, { alphaMin: 1e-100 });
    expect(relativeWidth(wide.mu)).toBeLessThan(1e-9);
    expect(wide.regret.upper - wide.regret.lower).toBeLessThan(1e-9);
    expect(wide.mu.upper).toBeGreaterThanOrEqual(measure(responses).mu.lower);
  });

  test('the regret of composed Laplace noise, which has atoms', () => {
    const { regret } = measure(laplaces);
    expect(regret.upper - regret.lower).toBeLessThan(1e-7);
    expect(regret.lower).toBeGreaterThan(1e-4);
  });
});
