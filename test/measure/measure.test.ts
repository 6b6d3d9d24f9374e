import { describe, expect, test } from 'vitest';
import {
  account,
  compose,
  discreteGaussian,
  gaussian,
  laplace,
  type Mechanism,
  measure,
  poissonSubsampled,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { logPowerByDeltas } from '../../src/measure/power-by-deltas.js';
import { type Bracket, bracket } from '../../src/numeric/bracket.js';
import { logDeltaGdp, logNormalCdf, normalQuantile, normalQuantileLog } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { runOf, wasm } from '../helpers/runs.js';

const muOf = (mechanism: Mechanism, tolerance = 1e-5): Bracket =>
  measure(account(wasm, mechanism, { adjacency: 'add-remove', tolerance })).mu;

/** The bracket holds a number of which these digits are known, and is no wider than `width`. */
function expectDigits(bracket: Bracket, digits: string, width: number): void {
  const value = Number(digits);
  const half = 0.6 * 10 ** -(digits.split('.')[1] ?? '').length;
  const shown = `${digits} in [${bracket.lower}, ${bracket.upper}]`;
  expect(bracket, shown).toContainValue(value, { absolute: half });
  expect(bracket, shown).toBeNoWiderThan(width);
}

/** δ and the power of a Gaussian are closed forms, and f has the slope −e^ε at α where ε = −μΦ⁻¹(α) − μ²/2. */
test('the power by δ at four points is below the exact one, whatever brackets hold δ, and close where they are narrow', () => {
  const random = seeded(8);
  for (let i = 0; i < 2000; i++) {
    const mu = 2.5e-4 * 2e4 ** random();
    const logAlpha = -0.75 - (i % 2 === 0 ? 30 : 700) * random();
    const z = normalQuantileLog(logAlpha);
    const exact = logNormalCdf(z + mu);
    const width = i % 4 < 2 ? 0 : 10 ** -(10 * random());
    const off = i % 8 < 4 ? 1 : 0.7 + 0.6 * random();
    const power = logPowerByDeltas(
      (epsilon) => {
        const logDelta = logDeltaGdp(mu, epsilon);
        const slack = 1e-13 * (1 + Math.abs(logDelta));
        return bracket(logDelta - width * random() - slack, Math.min(0, logDelta + width * random() + slack));
      },
      logAlpha,
      off * (-mu * z - (mu * mu) / 2),
    );
    const what = JSON.stringify([mu, logAlpha, width, off, power, exact]);
    expect(power, what).toBeLessThanOrEqual(exact + 1e-13 * (1 + Math.abs(logAlpha)));
    if (width === 0 && -mu * z - (mu * mu) / 2 > 1e-3 && off === 1)
      expect(exact - power, what).toBeLessThan(1e-8 * (1 + Math.abs(logAlpha)));
  }
});

/** δ of two rare responses is h(e^ε) of two straight lines and one corner: the corner may lie on either side of the four points, or between two. */
test('the power by δ is below the exact one wherever a corner lies, δ at either end of wide brackets', () => {
  const random = seeded(18);
  let near = Infinity;
  for (let i = 0; i < 4000; i++) {
    const epsilon = 0.3 * 10 ** random();
    const corner = Math.exp(epsilon);
    // slopes −(b + d) before the corner and −d after it, and α between the two
    const [b, d] = [(0.2 * random()) / corner, (0.2 * random()) / corner];
    const alpha = d + b * random();
    const h = (a: number): number => d * (3 * corner - a) + Math.max(0, b * (corner - a));
    const exact = Math.log(h(corner) + corner * alpha);
    const width = i % 3 === 0 ? 0 : 10 ** -(1 + 5 * random());
    const power = logPowerByDeltas(
      (e) => {
        const logDelta = Math.log(h(Math.exp(e)));
        const share = random() < 0.5 ? 0 : 1;
        return bracket(logDelta - share * width - 1e-13, Math.min(0, logDelta + (1 - share) * width + 1e-13));
      },
      Math.log(alpha),
      // the four points are 3 % apart
      epsilon * (1 + 0.08 * (random() - 0.5)),
    );
    expect(power, JSON.stringify([epsilon, b, d, alpha, width])).toBeLessThanOrEqual(exact + 1e-12);
    near = Math.min(near, exact - power);
  }
  expect(near).toBeLessThan(1e-6);
});

/** Rates of tests near 1e-10 that are known to 1e-7 of themselves leave μ of 1e-4 to few digits; δ is far smaller there. */
test.each([
  [4.66, 0.000389, 4, 0.00024423086706506104, 0.000244236465826257],
  [2.57, 0.00285, 6, 0.005568010891616475, 0.0055680601351329306],
])('tiny μ to the tolerance: sigma %d, q %d, %d steps', (sigma, rate, steps, least, most) => {
  const { mu } = measure(runOf([[sigma, rate, steps]]));
  expect(mu.upper - mu.lower).toBeLessThan(1e-6 * mu.upper);
  // what tests alone say
  expect(mu.lower).toBeGreaterThan(least);
  expect(mu.lower).toBeLessThan(most);
});

describe('golden values of μ*', () => {
  test('2020 Census TopDown, on the lattice of its losses', () => {
    const shares = [2, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3];
    const levels = shares.map((percent) => {
      const sigma = Math.sqrt(10 / (2 * (percent / 100) * 3.65));
      return repeat(discreteGaussian({ sigma, sensitivity: 1 }), 10);
    });
    expectDigits(muOf(compose(levels), 1e-9), '2.7018512254', 1e-8);
  });

  test('discrete Gaussian σ = 1', () => {
    expectDigits(muOf(discreteGaussian({ sigma: 1, sensitivity: 1 })), '1.04576012', 1e-8);
  });

  test('randomised response, once and 50 times', () => {
    const mu = muOf(randomizedResponse({ epsilon: 1 }));
    // IAM thm 5.1: −2Φ⁻¹(1/(1 + e))
    expect(mu).toContainValue(-2 * normalQuantile(1 / (1 + Math.E)));
    expect(mu).toBeNoWiderThan(1e-8);
    expectDigits(muOf(repeat(randomizedResponse({ epsilon: 0.2 }), 50)), '1.42007918', 1e-8);
  });

  test('Laplace, once at tolerance 1e-9, subsampled, and 50 times', () => {
    const loud = laplace({ scale: 0.5, sensitivity: 1 });
    expectDigits(muOf(loud, 1e-9), '1.8009051933', 1e-9);
    expectDigits(muOf(poissonSubsampled(loud, { rate: 0.5 }), 1e-9), '0.97828', 1e-9);
    expectDigits(muOf(poissonSubsampled(loud, { rate: 0.1 }), 1e-9), '0.27731', 1e-9);
    expectDigits(muOf(repeat(laplace({ scale: 5, sensitivity: 1 }), 50)), '1.371884', 1e-5);
  });
});

describe('the CIFAR-10 run', () => {
  const run = runOf([[9.4, 16384 / 50000, 2000]]);

  test.each([
    ['1e-10', 1.566948, 1e-4],
    ['1e-2', 1.5619, 1e-3],
    ['1e-6', 1.5649, 1e-3],
    ['1e-100', 1.5857, 1e-3],
  ])('window %s', (alphaMin, exact, width) => {
    const { mu } = measure(run, { alphaMin: Number(alphaMin) });
    expect(mu).toContainValue(exact, { absolute: 6e-5 });
    expect(mu).toBeNoWiderThan(width);
  });

  test('a wider window never has a smaller μ, and the logarithm names the same one', () => {
    const [a, b] = [1e-6, 1e-20].map((alphaMin) => measure(run, { alphaMin }).mu);
    expect(a.lower).toBeLessThanOrEqual(b.upper);
    const named = measure(run, { logAlphaMin: Math.log(1e-6) });
    expect(named.mu.upper).toBeCloseTo(a.upper, 9);
    expect(() => measure(run, { alphaMin: 1e-6, logAlphaMin: -20 })).toThrow(/"logAlphaMin"/);
    expect(() => measure(run, { logAlphaMin: -0.1 })).toThrow(/"logAlphaMin"/);
    expect(() => measure(run, { logAlphaMin: -2e6 })).toThrow(/"logAlphaMin"/);
  });
});

describe('the trade-off curve of q = .01, σ = 1, T = 1000', () => {
  const [q, steps] = [0.01, 1000];
  const run = runOf([[1, q, steps]], { tolerance: 1e-4 });
  /** μ(α) = Φ⁻¹(1 − α) − Φ⁻¹(f(α)). */
  const muAt = (alpha: number): Bracket => {
    const { lower, upper } = run.curve.logTpr(Math.log(alpha));
    const z = -normalQuantile(alpha);
    return { lower: z + normalQuantileLog(lower), upper: z + normalQuantileLog(upper) };
  };

  test.each([
    [5.458e-3, '0.4358'],
    [1.6965e-4, '0.4518'],
    [2.817e-6, '0.4694'],
  ])('μ(%s) = %s', (alpha, digits) => {
    expectDigits(muAt(alpha), digits, 1e-3);
  });

  test('f(1e-6) ≤ 1 − 1e-6, falling and convex', () => {
    expect(run.tradeoff(1e-6).upper).toBeLessThanOrEqual(1 - 1e-6);
    const alphas = [1e-12, 1e-6, 1e-4, 1e-2, 0.1, 0.3, 0.5, 0.8];
    const values = alphas.map((alpha) => run.tradeoff(alpha));
    for (let i = 1; i < alphas.length; i++) {
      expect(values[i].lower).toBeLessThanOrEqual(values[i - 1].upper);
      if (i < 2) continue;
      const w = (alphas[i - 1] - alphas[i - 2]) / (alphas[i] - alphas[i - 2]);
      const chord = (1 - w) * values[i - 2].upper + w * values[i].upper;
      expect(values[i - 1].lower).toBeLessThanOrEqual(chord + 1e-14);
    }
  });

  /**
   * The likelihood-ratio test simulated: outputs drawn with the record seen at a higher rate, each run weighted back to
   * P (never seen) and to Q (seen at rate q). No code in common with the library.
   */
  function simulate(alpha: number, rate: number, seed: number): { mu: number; error: number } {
    const random = seeded(seed);
    const batches: number[] = [];
    const size = 500;
    for (let batch = 0; batch < 16; batch++) {
      const runs: { loss: number; toP: number }[] = [];
      for (let i = 0; i < size; i++) {
        let [loss, drawn, q1, r1] = [0, 0, 1, 1];
        for (let t = 0; t < steps; t += 2) {
          const radius = Math.sqrt(-2 * Math.log(random() + 2 ** -33));
          const angle = 2 * Math.PI * random();
          for (const z of [radius * Math.cos(angle), radius * Math.sin(angle)]) {
            const ratio = Math.exp(z + (random() < rate ? 1 : 0) - 0.5);
            q1 *= 1 - q + q * ratio;
            r1 *= 1 - rate + rate * ratio;
          }
          if (t % 20 === 18) {
            loss += Math.log(q1);
            drawn += Math.log(r1);
            q1 = 1;
            r1 = 1;
          }
        }
        runs.push({ loss, toP: -drawn });
      }
      runs.sort((a, b) => b.loss - a.loss);
      let [fpr, tpr] = [0, 0];
      for (const { loss, toP } of runs) {
        const weight = Math.exp(toP) / size;
        if (fpr + weight > alpha) {
          tpr += (alpha - fpr) * Math.exp(loss);
          break;
        }
        fpr += weight;
        tpr += weight * Math.exp(loss);
      }
      batches.push(-normalQuantile(alpha) + normalQuantile(tpr));
    }
    const mean = batches.reduce((a, b) => a + b, 0) / batches.length;
    const square = batches.reduce((a, b) => a + (b - mean) ** 2, 0) / (batches.length - 1);
    return { mu: mean, error: Math.sqrt(square / batches.length) };
  }

  test.each([
    [5.458e-3, 0.03],
    [1e-4, 0.04],
    [2.817e-6, 0.05],
  ])('a simulated likelihood-ratio test agrees at α = %s', (alpha, rate) => {
    const { mu, error } = simulate(alpha, rate, 20261);
    const exact = muAt(alpha);
    expect(error).toBeLessThan(0.005);
    expect(mu).toBeGreaterThan(exact.lower - 4 * error);
    expect(mu).toBeLessThan(exact.upper + 4 * error);
  });
});

test('what is no subject is refused by name', () => {
  expect(() => measure({ mu: 1 } as never)).toThrow(/"subject"/);
  expect(() => measure(undefined as never)).toThrow(TypeError);
});

describe('a window that holds no rate', () => {
  const run = runOf([[2, 0.9, 400]]);
  /** μ at α* = f(α*) = (1 − δ(0))/2. */
  const fixed = (() => {
    const { lower, upper } = run.oneMinusAdvantage();
    return { lower: -2 * normalQuantile(upper / 2) - 1e-9, upper: -2 * normalQuantile(lower / 2) + 1e-9 };
  })();

  test('has the μ of the fixed point, no larger than that of a wider window', () => {
    const wide = measure(run, { alphaMin: 1e-6 });
    expect(wide.rates).toBe('some');
    for (const alphaMin of [1e-5, 1e-4, 0.01, 0.3]) {
      const { mu, rates, tier } = measure(run, { alphaMin });
      expect(rates).toBe('none');
      expect(mu.upper).toBeLessThanOrEqual(wide.mu.upper);
      expect(mu.lower).toBeGreaterThanOrEqual(fixed.lower);
      expect(mu.upper).toBeLessThanOrEqual(fixed.upper);
      if (alphaMin < 0.01) expect(tier).toBe('I');
    }
  });

  test('at the very edge it is between the two', () => {
    const edge = run.oneMinusAdvantage();
    const { mu, rates } = measure(run, { alphaMin: (edge.lower + edge.upper) / 4 });
    expect(rates).not.toBe('some');
    expect(mu.lower).toBeGreaterThanOrEqual(fixed.lower);
    expect(mu.upper).toBeLessThan(measure(run, { alphaMin: 1e-6 }).mu.upper);
  });

  test('of plain Gaussians, by Φ(−μ/2)', () => {
    const plain = account(wasm, gaussian({ noiseMultiplier: 0.1 }), { adjacency: 'add-remove' });
    // Φ(−5) = 2.87e-7
    expect(measure(plain, { alphaMin: 2.8e-7 }).rates).toBe('some');
    expect(measure(plain, { alphaMin: 2.9e-7 }).rates).toBe('none');
  });

  test('the tier follows the regret', () => {
    const loud = measure(runOf([[0.3, 0.32768, 2000]]));
    expect(loud.regret.upper).toBeLessThan(1e-130);
    expect(loud.tier).toBe('I');
    expect(loud.rates).toBe('none');
    expect(loud.mu.upper).toBeLessThan(loud.mu.lower + 0.1);
    // nothing is known of μ beyond what some output tells for certain
    const bare = measure(runOf([[0, 0.5, 3]]));
    expect(bare.tier).toBe('undecided');
    expect(bare.mu.upper).toBe(Infinity);
  });
});
