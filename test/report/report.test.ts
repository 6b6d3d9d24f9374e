import { describe, expect, it } from 'vitest';
import {
  account,
  compose,
  dpSgd,
  gaussian,
  gaussianTradeoff,
  laplace,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  withoutReplacement,
} from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { alternatives, formatReport, report, reportFigures } from '../../src/report/index.js';
import { pairAdvantage, pairEpsilon } from '../../src/report/pair-bound.js';
import { runOf, wasm } from '../helpers/runs.js';

const adjacency = 'add-remove';
const cifar = runOf([[9.4, 16384 / 50000, 2000]]);

describe('report', () => {
  it('sends randomised response to Tier II and the CIFAR-10 run to Tier I', () => {
    const response = account(wasm, randomizedResponse({ epsilon: 1 }), { adjacency });
    expect(report(response).tier).toBe('II');
    expect(report(cifar).tier).toBe('I');
  });

  it('draws no figures of what is no run', () => {
    for (const run of [undefined, gaussianTradeoff(1)])
      expect(() => reportFigures(run as never, report(cifar))).toThrow(
        /"run" must be a run composed by account/,
      );
  });

  it('tabulates the curve where REP asks for it, with its fixed point', () => {
    const made = report(account(wasm, randomizedResponse({ epsilon: 1 }), { adjacency }));
    expect(made.tradeoff.map(({ alpha }) => alpha)).toEqual([1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1]);
    for (const { alpha, beta } of made.tradeoff) {
      const exact = 1 - Math.E * alpha;
      expect(beta).toContainValue(exact, { relative: 1e-15 });
    }
    const fixed = 1 / (Math.E + 1);
    expect(made.fixedPoint).toContainValue(fixed);
    expect(made.fixedPoint).toBeNoWiderThan(1e-12);
  });

  it('keeps a fixed point that is too small for a double', () => {
    const made = report(account(wasm, gaussian({ noiseMultiplier: 1 / 80 }), { adjacency }));
    // Φ(−40) is about e^−804.6, between 0 and the smallest double
    expect(made.fixedPoint.lower).toBe(0);
    expect(made.fixedPoint.upper).toBeGreaterThan(0);
    expect(made.advantage.lower).toBeLessThan(1);
  });

  it('says that it spent what it may cost', () => {
    const made = report(runOf([[1, 0.01, 1000]], { effort: 1e-6 }));
    expect(made.limitedBy).toBe('effort');
    const others = { ...made, limitedBy: 'tolerance' } as const;
    expect(formatReport(made)).toContain('; effort spent');
    expect(formatReport(others)).not.toContain('; effort spent');
  });

  it('says how the records of a step are drawn', () => {
    const samplingOf = (mechanism: Parameters<typeof account>[1], over: 'add-remove' | 'replace-one') =>
      report(account(wasm, mechanism, { adjacency: over })).sampling;
    const noise = gaussian({ noiseMultiplier: 5 });
    expect(report(runOf([[5, 0.1, 1]])).sampling).toBe('poisson');
    expect(samplingOf(noise, 'replace-one')).toBe('none');
    const drawn = withoutReplacement(noise, { sampleSize: 10, datasetSize: 100 });
    expect(samplingOf(drawn, 'replace-one')).toBe('without-replacement');
    expect(samplingOf(compose([noise, poissonSubsampled(noise, { rate: 0.5 })]), 'add-remove')).toBe('mixed');
    expect(report(runOf([])).sampling).toBe('none');
  });

  it('keeps what was said of the release and blanks the rest', () => {
    const { details } = report(runOf([]), {
      details: { unit: 'one patient', datasetSize: 50_000, purpose: '' },
    });
    expect(details).toMatchObject({ unit: 'one patient', datasetSize: 50_000, purpose: null, contact: null });
  });

  it('names what is wrong with its options', () => {
    const refused = (options: object, message: RegExp) =>
      expect(() => report(runOf([]), options)).toThrow(message);
    refused({ details: { datasetSize: 1.5 } }, /"details.datasetSize" must be a whole number from 1/);
    refused({ details: { unit: 7 } }, /"details.unit" must be a string, got 7/);
    refused({ details: { colour: 'red' } }, /"details.colour" is unknown: details have release, /);
    refused({ details: [] }, /"details" must be an object/);
    refused({ details: { unit: 'x'.repeat(2001) } }, /at most 2000 characters/);
    refused({ deltas: [0] }, /"deltas" must be numbers in \(0, 1\), got 0/);
    refused({ alternatives: 1 }, /"alternatives" must be an array/);
  });
});

/** δ of N(μ, 1) against N(0, 1) at ε ≥ 0, plainly: good to 1e-12 here. */
const gaussianDelta = (mu: number, epsilon: number) =>
  normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);

describe('alternatives', () => {
  const byChange = (run: Parameters<typeof alternatives>[1], options = {}) =>
    Object.fromEntries(alternatives(wasm, run, options).map((each) => [each.change, each]));

  it('are Gaussians where no step is sampled', () => {
    const rows = byChange(runOf([[9.4, 0.32768, 2000]]), { deltas: [1e-5] });
    // ⌊1/q⌋ = 3 batches a pass: at most ⌈2000/3⌉ = 667 steps see a record
    const shuffled = Math.sqrt(667) / 9.4;
    expect(rows['shuffled-batches']!.how).toContain('at most 667 steps');
    expect(rows['shuffled-batches']!.numbers!.mu!.lower).toBe(0);
    expect(rows['shuffled-batches']!.numbers!.mu!.upper / shuffled - 1).toBeLessThan(1e-12);
    const { mu, epsilonAtDelta } = rows['no-sampling']!.numbers!;
    const all = Math.sqrt(2000) / 9.4;
    expect(mu!).toContainValue(all);
    expect(Math.abs(gaussianDelta(all, epsilonAtDelta[0]!.epsilon.upper) / 1e-5 - 1)).toBeLessThan(1e-6);
  });

  it('bound batches from shuffled passes from above, one pass by exact enumeration', () => {
    // 4 records, batches of 1, Gaussian σ: whichever step the record is in, its pass is one Gaussian;
    // the mixture over the 4 orders is at most that (joint convexity)
    const run = runOf([[2, 0.25, 4]], { tolerance: 1e-2 });
    const bound = byChange(run, { deltas: [1e-3] })['shuffled-batches']!.numbers!.epsilonAtDelta[0]!.epsilon
      .upper;
    expect(Math.abs(gaussianDelta(0.5, bound) / 1e-3 - 1)).toBeLessThan(0.05);
    // Monte Carlo of the mixture's δ at that ε: 4 outputs N(0, 4), one of them shifted by 1
    let state = 1;
    const uniform = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state + 0.5) / 2 ** 32;
    };
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    let sum = 0;
    const samples = 100_000;
    for (let i = 0; i < samples; i++) {
      let ratio = 0;
      for (let step = 0; step < 4; step++) {
        const o = 2 * normal() + (step === i % 4 ? 1 : 0);
        ratio += Math.exp((o - 0.5) / 4) / 4;
      }
      sum += Math.max(0, 1 - Math.exp(bound) / ratio);
    }
    expect(sum / samples).toBeLessThan(1e-3);
  });

  it('double the steps exactly', () => {
    const rows = byChange(runOf([[9.4, 0.32768, 1000]]), { deltas: [1e-5] });
    const twice = rows['twice-the-steps']!.numbers!.epsilonAtDelta[0]!.epsilon;
    const direct = cifar.epsilon(1e-5);
    expect(twice).toEqual(direct);
  });

  it('double the sensitivity of what is not sampled', () => {
    const rows = byChange(account(wasm, gaussian({ noiseMultiplier: 3 }), { adjacency }));
    expect(rows['other-adjacency']!.numbers!.mu!.upper).toBeCloseTo(2 / 3, 12);
    expect(Object.keys(rows)).toEqual(['other-adjacency', 'twice-the-steps']);
    const back = byChange(account(wasm, laplace({ scale: 5, sensitivity: 1 }), { adjacency: 'replace-one' }));
    // pure 0.2-DP again
    expect(back['other-adjacency']!.numbers!.epsilonAtDelta[0]!.epsilon.upper).toBeCloseTo(0.2, 4);
    // defined by one answer changed: the epsilon stays
    const answers = byChange(account(wasm, randomizedResponse({ epsilon: 1 }), { adjacency }));
    expect(answers['other-adjacency']!.how).toContain('its epsilon stays');
    expect(answers['other-adjacency']!.numbers!.epsilonAtDelta[2]!.epsilon.upper).toBeCloseTo(1, 6);
    const stated = byChange(account(wasm, pureDp({ epsilon: 1 }), { adjacency: 'replace-one' }));
    expect(stated['other-adjacency']!.numbers).toBeNull();
  });

  it('have nothing to say of a run without steps, and do not count beyond 2^53', () => {
    expect(alternatives(wasm, runOf([]))).toEqual([]);
    const huge = account(wasm, repeat(gaussian({ noiseMultiplier: 1e9 }), 2 ** 52 + 1), { adjacency });
    expect(byChange(huge)['twice-the-steps']!.numbers).toBeNull();
  });
});

describe('the bound for a pair of records', () => {
  it('is the group privacy of a Gaussian, from above and near', () => {
    for (const mu of [0.05, 0.5, 1.5, 4]) {
      const run = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), { adjacency });
      const pair = account(wasm, gaussian({ noiseMultiplier: 1 / (2 * mu) }), { adjacency });
      for (const delta of [1e-2, 1e-5, 1e-9]) {
        const bound = pairEpsilon(run, delta);
        expect(bound).toBeGreaterThanOrEqual(pair.epsilon(delta).lower);
        expect(bound).toBeLessThan(1.06 * pair.epsilon(delta).upper);
      }
      const exact = pair.advantage();
      expect(pairAdvantage(run)).toBeGreaterThanOrEqual(exact.lower);
      expect(pairAdvantage(run)).toBeLessThan(exact.upper * (1 + 1e-3));
    }
  });

  it('is above the exact replace-one profile of a sampled Gaussian, by quadrature', () => {
    const sigma = 0.8;
    const q = 0.2;
    const run = account(wasm, dpSgd({ noiseMultiplier: sigma, samplingRate: q, steps: 1 }), { adjacency });
    const density = (x: number, at: number) =>
      Math.exp(-((x - at) ** 2) / (2 * sigma ** 2)) / (sigma * Math.sqrt(2 * Math.PI));
    // one record moves the sum by +1, the other by −1
    const delta = (epsilon: number) => {
      let sum = 0;
      const h = 1e-3;
      for (let x = -12; x <= 12; x += h) {
        const p = (1 - q) * density(x, 0) + q * density(x, 1);
        const r = (1 - q) * density(x, 0) + q * density(x, -1);
        sum += Math.max(0, p - Math.exp(epsilon) * r) * h;
      }
      return sum;
    };
    for (const target of [1e-2, 1e-4]) {
      expect(delta(pairEpsilon(run, target))).toBeLessThanOrEqual(target);
    }
    expect(delta(0)).toBeLessThanOrEqual(pairAdvantage(run));
  });

  it('of a bounded loss is at most twice its end', () => {
    const run = account(wasm, pureDp({ epsilon: 1 }), { adjacency });
    for (const delta of [1e-2, 1e-5, 1e-9]) {
      // two answers randomised apart, both changed: δ(ε) = (e^2 - e^ε)/(1 + e)^2
      const attained = Math.log(Math.exp(2) - delta * (1 + Math.E) ** 2);
      expect(pairEpsilon(run, delta)).toBeGreaterThanOrEqual(attained);
      expect(pairEpsilon(run, delta)).toBeLessThanOrEqual(2 + 1e-9);
    }
  });

  it('is infinite where the record is revealed', () => {
    const bare = account(wasm, gaussian({ noiseMultiplier: 0 }), { adjacency });
    expect(pairEpsilon(bare, 1e-5)).toBe(Infinity);
    expect(pairAdvantage(bare)).toBe(1);
  });
});
