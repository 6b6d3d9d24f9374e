import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { vdividedOfY, vratioOfY } from '../../assembly/functions/mills.js';
import { prepare } from '../../assembly/lane/ready.js';
import { deltaGdp, logDeltaGdp, muGdp, muGdpLog, oneMinusDeltaGdp } from '../../src/numeric/scalar.js';
import { describeKernels, differences, kernels } from '../helpers/kernels.js';
import { sample, seeded } from '../helpers/random.js';

/** The columns of a golden file of test/golden/make-gdp.py. */
function columns(name: string, count: number): Float64Array[] {
  const bytes = gunzipSync(readFileSync(new URL(`../golden/${name}.f64.gz`, import.meta.url)));
  const rows = bytes.length / (8 * count);
  return Array.from({ length: count }, (_, column) =>
    Float64Array.from({ length: rows }, (_, row) => bytes.readDoubleLE(8 * (row * count + column))),
  );
}

const LEAST_NORMAL = 2 ** -1022;

/** Worst relative error, where a subnormal result counts against the least normal number. */
function worst(got: ArrayLike<number>, exact: Float64Array): number {
  let error = 0;
  for (let i = 0; i < exact.length; i++) {
    if (got[i] === exact[i]) continue;
    const e = Math.abs(got[i] - exact[i]) / Math.max(Math.abs(exact[i]), LEAST_NORMAL);
    error = e >= error ? e : error;
    if (Number.isNaN(e)) return NaN;
  }
  return error;
}

/** Worst error of subnormal results in units of 2⁻¹⁰⁷⁴. */
function worstSubnormal(got: ArrayLike<number>, exact: Float64Array): number {
  let error = 0;
  for (let i = 0; i < exact.length; i++) {
    if (Math.abs(exact[i]) < LEAST_NORMAL) error = Math.max(error, Math.abs(got[i] - exact[i]) / 2 ** -1074);
  }
  return error;
}

const [goldenMu, goldenEpsilon, goldenDelta, goldenLog, goldenComplement] = columns('gdp-delta', 5);

// Each limit is the measured worst error, rounded up: the accuracy may improve but not get worse.
describeKernels('golden values', (kernel) => {
  it('has δ to 1.2e-15 over 11,304 points and every subnormal δ exactly', () => {
    expect(goldenMu.length).toBeGreaterThan(10_000);
    const got = kernel.deltaGdp(goldenMu, goldenEpsilon);
    expect(worst(got, goldenDelta)).toBeLessThan(1.2e-15);
    expect(worstSubnormal(got, goldenDelta)).toBeLessThanOrEqual(1);
  });

  it('has log δ to 9e-16, down to −1.8e308', () => {
    expect(worst(kernel.logDeltaGdp(goldenMu, goldenEpsilon), goldenLog)).toBeLessThan(9e-16);
  });

  it('has 1 − δ to 8e-16', () => {
    const got = kernel.oneMinusDeltaGdp(goldenMu, goldenEpsilon);
    expect(worst(got, goldenComplement)).toBeLessThan(8e-16);
    expect(worstSubnormal(got, goldenComplement)).toBeLessThanOrEqual(1);
  });

  it('has μ to 3e-15 over 2,600 points', () => {
    const [epsilon, logDelta, mu] = columns('gdp-mu', 3);
    expect(worst(kernel.muGdpLog(epsilon, logDelta), mu)).toBeLessThan(3e-15);
  });

  it('has interval masses to 8e-16 over 3,000 intervals', () => {
    const [a, b, mass] = columns('gdp-intervals', 3);
    const edges = new Float64Array(2 * a.length);
    for (let i = 0; i < a.length; i++) edges.set([a[i], b[i]], 2 * i);
    const got = kernel.normalIntervals(edges).filter((_, i) => i % 2 === 0);
    expect(worst(got, mass)).toBeLessThan(8e-16);
    expect(worstSubnormal(got, mass)).toBeLessThanOrEqual(1);
  });
});

describe('Mills ratio', () => {
  it('has R to 6e-16 and D = 1 − xR to 8e-16 where the profile asks for it', () => {
    prepare();
    const [points, ratios, slopes] = columns('mills', 3);
    const asked = (_: number, i: number) => points[i] >= -0.5 && points[i] < 1e150;
    const [x, ratio, slope] = [points, ratios, slopes].map((column) => column.filter(asked));
    expect(x.length).toBeGreaterThan(1000);
    const y = x.map((each) => 1 / (each + 2));
    expect(worst(y.map(vratioOfY), ratio)).toBeLessThan(6e-16);
    const square = y.map((each) => each * each * vdividedOfY(each, each));
    expect(worst(square, slope)).toBeLessThan(8e-16);
  });
});

const SPECIAL = [
  ...[0, -0, 1, -1, 0.5, 2, 38, -38, 1e-320, 5e-324, 1e-300, 1e300, 1.7e308, -1.7e308],
  ...[Infinity, -Infinity, NaN],
];

/** Every pair of special values. */
function specialPairs(): [Float64Array, Float64Array] {
  const n = SPECIAL.length;
  const first = Float64Array.from({ length: n * n }, (_, i) => SPECIAL[Math.floor(i / n)]);
  return [first, Float64Array.from({ length: n * n }, (_, i) => SPECIAL[i % n])];
}

describe('both engines, bit for bit', () => {
  const [reference, wasm] = kernels;
  const log2Uniform = (seed: number, low: number, high: number, n = 20_001) =>
    sample(seed, n, (random) => 2 ** (low + (high - low) * random()));
  const signed = (seed: number, x: Float64Array) => {
    const random = seeded(seed);
    return x.map((value) => (random() < 0.3 ? -value : value));
  };
  const inputs: [string, Float64Array, Float64Array][] = [
    ['golden', goldenMu, goldenEpsilon],
    ['usual', log2Uniform(1, -30, 10), signed(2, log2Uniform(3, -30, 12))],
    ['all exponents', log2Uniform(4, -1074, 1023), signed(5, log2Uniform(6, -1074, 1023))],
    ['special', ...specialPairs()],
  ];

  it.each(inputs)('δ, log δ, 1 − δ: %s', (_, mu, epsilon) => {
    for (const method of ['deltaGdp', 'logDeltaGdp', 'oneMinusDeltaGdp'] as const) {
      expect(differences(reference[method](mu, epsilon), wasm[method](mu, epsilon))).toBe(0);
      const one = mu[mu.length >> 1];
      expect(differences(reference[method](one, epsilon), wasm[method](one, epsilon))).toBe(0);
    }
  });

  it.each(inputs)('μ: %s', (_, mu, epsilon) => {
    const size = epsilon.map(Math.abs);
    for (const logDelta of [reference.logDeltaGdp(mu, size), mu.map((x) => -x), mu]) {
      expect(differences(reference.muGdpLog(size, logDelta), wasm.muGdpLog(size, logDelta))).toBe(0);
    }
    expect(differences(reference.muGdpLog(epsilon, mu), wasm.muGdpLog(epsilon, mu))).toBe(0);
  });

  it('interval masses', () => {
    const [a, b] = specialPairs();
    const mixed = Float64Array.from({ length: 2 * a.length }, (_, i) => (i & 1 ? b : a)[i >> 1]);
    const sorted = sample(7, 20_002, (random) => 90 * random() - 45).sort();
    for (const edges of [mixed, sorted, sorted.subarray(9_000, 9_002), sorted.subarray(0, 1)]) {
      expect(differences(reference.normalIntervals(edges), wasm.normalIntervals(edges))).toBe(0);
    }
  });
});

describeKernels('arrays', (kernel) => {
  it('writes to out, which may be the input', () => {
    const epsilon = sample(8, 9_001, (random) => 8 * random());
    const expected = kernel.deltaGdp(0.7, epsilon);
    const out = epsilon.slice();
    expect(kernel.deltaGdp(0.7, out, out)).toBe(out);
    expect(differences(out, expected)).toBe(0);
    const edges = epsilon.slice().sort();
    const masses = kernel.normalIntervals(edges);
    expect(differences(kernel.normalIntervals(edges, edges.subarray(1)), masses)).toBe(0);
  });

  it('takes empty arrays', () => {
    const none = new Float64Array(0);
    expect(kernel.deltaGdp(1, none)).toHaveLength(0);
    expect(kernel.muGdpLog(none, none)).toHaveLength(0);
    expect(kernel.normalIntervals(Float64Array.of(1))).toHaveLength(0);
  });

  it('refuses lengths that do not match', () => {
    const [two, three] = [new Float64Array(2), new Float64Array(3)];
    expect(() => kernel.deltaGdp(two, three)).toThrow(RangeError);
    expect(() => kernel.logDeltaGdp(1, three, two)).toThrow(
      '"out.length" must be 3 (the input\'s length), got 2',
    );
    expect(() => kernel.muGdpLog(three, two)).toThrow('"logDelta.length" must be 3');
    expect(() => kernel.normalIntervals(three, three)).toThrow('"out.length" must be 2');
    expect(() => kernel.normalIntervals(new Float64Array(0))).toThrow('"edges.length"');
  });
});

describe('limits', () => {
  it('has δ at the ends of μ and ε', () => {
    expect([deltaGdp(0, 1), deltaGdp(0, 0), deltaGdp(0, Infinity)]).toEqual([0, 0, 0]);
    expect(deltaGdp(0, -1)).toBeCloseTo(1 - 1 / 2.718281828459045, 15);
    expect([deltaGdp(1, Infinity), deltaGdp(1, -Infinity)]).toEqual([0, 1]);
    expect([deltaGdp(Infinity, 1), deltaGdp(Infinity, Infinity), deltaGdp(Infinity, -1)]).toEqual([1, 1, 1]);
    expect([deltaGdp(1e-300, 1e300), deltaGdp(1e300, 1e300)]).toEqual([0, 1]);
    for (const [mu, epsilon] of [
      [NaN, 1],
      [1, NaN],
      [-1, 1],
    ])
      expect(deltaGdp(mu, epsilon)).toBeNaN();
  });

  it('has log δ and 1 − δ there', () => {
    expect([logDeltaGdp(0, 1), logDeltaGdp(1, Infinity)]).toEqual([-Infinity, -Infinity]);
    expect([logDeltaGdp(Infinity, 1), logDeltaGdp(1, -Infinity)]).toEqual([0, 0]);
    expect([oneMinusDeltaGdp(0, 1), oneMinusDeltaGdp(Infinity, 1)]).toEqual([1, 0]);
    expect(Math.abs(logDeltaGdp(1, 1e150) / -5e299 - 1)).toBeLessThan(1e-15);
  });

  it('has μ there', () => {
    expect([muGdpLog(1, -Infinity), muGdpLog(1, 0), muGdpLog(Infinity, -1)]).toEqual([0, Infinity, Infinity]);
    expect([muGdp(1, 0), muGdp(1, 1), muGdp(Infinity, 0.5)]).toEqual([0, Infinity, Infinity]);
    expect([muGdpLog(-1, -1), muGdpLog(1, 1), muGdp(1, 1.5), muGdp(1, -0.5)]).toEqual([NaN, NaN, NaN, NaN]);
  });

  it('has interval masses there', () => {
    expect(normalInterval(-Infinity, Infinity)).toBe(1);
    expect([normalInterval(0, Infinity), normalInterval(-Infinity, 0)]).toEqual([0.5, 0.5]);
    expect([normalInterval(1, 1), normalInterval(Infinity, Infinity)]).toEqual([0, 0]);
    expect([normalInterval(2, 1), normalInterval(NaN, 1)]).toEqual([NaN, NaN]);
  });
});

function normalInterval(a: number, b: number): number {
  return kernels[0]!.normalIntervals(Float64Array.of(a, b))[0]!;
}

/** φ(t): the mass of a short interval around t over its length. */
function density(t: number): number {
  const h = 1e-6;
  return normalInterval(t - h, t + h) / (t + h - (t - h));
}

describe('properties', () => {
  it('decreases in ε and increases in μ', () => {
    const random = seeded(9);
    for (let i = 0; i < 5_000; i++) {
      const mu = 2 ** (12 * random() - 8);
      const epsilon = mu * (10 * random() + mu / 2) * random();
      const slack = 1 + 4e-15;
      expect(deltaGdp(mu, epsilon * 1.01)).toBeLessThanOrEqual(deltaGdp(mu, epsilon) * slack);
      expect(deltaGdp(mu * 1.01, epsilon)).toBeGreaterThanOrEqual(deltaGdp(mu, epsilon) / slack);
    }
  });

  it('has ∂δ/∂μ = φ(t), by central differences', () => {
    const random = seeded(10);
    for (let i = 0; i < 500; i++) {
      const mu = 2 ** (8 * random() - 5);
      const t = 6 * random() - 2;
      const epsilon = Math.max(0, mu * (t + mu / 2));
      const h = 1e-5 * mu;
      const slope = (deltaGdp(mu + h, epsilon) - deltaGdp(mu - h, epsilon)) / (2 * h);
      const exact = density(epsilon / mu - mu / 2);
      // Truncation (h²/6)·|φ″| and the rounding of δ over h.
      const scale = 1 + (epsilon / mu + mu) ** 2 * 4;
      const rounding = (2e-15 * deltaGdp(mu, epsilon)) / h;
      expect(Math.abs(slope - exact)).toBeLessThan(exact * 1e-10 * scale * scale + rounding);
    }
  });

  it('returns to μ', () => {
    const random = seeded(11);
    for (let i = 0; i < 3_000; i++) {
      const mu = 2 ** (30 * random() - 24);
      const t = 36 * random() - 6;
      const epsilon = Math.max(0, mu * (t + mu / 2));
      expect(Math.abs(muGdpLog(epsilon, logDeltaGdp(mu, epsilon)) / mu - 1)).toBeLessThan(1e-14);
      const delta = deltaGdp(mu, epsilon);
      if (delta < 0.9) expect(Math.abs(muGdp(epsilon, delta) / mu - 1)).toBeLessThan(2e-14);
    }
  });

  it('satisfies the symmetry of δ in ε', () => {
    for (const mu of [1e-3, 0.3, 1, 5]) {
      for (const epsilon of [1e-4, 0.1, 1, 4]) {
        const lhs = deltaGdp(mu, -epsilon) + oneMinusDeltaGdp(mu, -epsilon);
        expect(Math.abs(lhs - 1)).toBeLessThan(1e-15);
      }
    }
  });

  it('adds interval masses up to one', () => {
    const edges = Float64Array.from({ length: 1003 }, (_, i) =>
      i === 0 ? -Infinity : i === 1002 ? Infinity : (i - 501) / 25,
    );
    for (const kernel of kernels) {
      const total = kernel.normalIntervals(edges).reduce((sum, mass) => sum + mass, 0);
      expect(Math.abs(total - 1)).toBeLessThan(1e-14);
    }
  });
});

describe('table of μ_GDP(ε, δ) (Gomez et al., table 3)', () => {
  it.each([
    [0.1, 0.0325, 0.0275, 0.0199],
    [0.5, 0.1422, 0.1241, 0.0937],
    [1, 0.2681, 0.2367, 0.182],
    [2, 0.5016, 0.4483, 0.3515],
    [4, 0.9249, 0.8379, 0.6721],
    [6, 1.3095, 1.1963, 0.9744],
    [8, 1.666, 1.5315, 1.2622],
    [10, 2.0004, 1.8481, 1.5379],
  ])('ε = %s', (epsilon, ...expected) => {
    const got = [1e-5, 1e-6, 1e-9].map((delta) => Math.round(muGdp(epsilon, delta) * 1e4) / 1e4);
    expect(got).toEqual(expected);
  });
});
