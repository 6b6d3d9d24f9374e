import { describe, expect, test } from 'vitest';
import {
  account,
  ballsAndBins,
  discreteLaplace,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomAllocation,
  randomizedResponse,
  repeat,
  zcdp,
} from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

const of = (mechanism: Mechanism, engine = wasm) => account(engine, mechanism, { adjacency: 'add-remove' });
const EPSILONS = [0, 0.05, 0.2, 0.5];

/** Ratios of a release and how probable they are without the record. */
type Ratios = readonly (readonly [ratio: number, p: number])[];

/** δ(ε) of both directions, by all outcomes of `bins` releases. */
function deltasOf(ratios: Ratios, bins: number, epsilon: number): [remove: number, add: number] {
  let sums = new Map<string, [number, number]>([['', [0, 1]]]);
  for (let i = 0; i < bins; i++) {
    const next = new Map<string, [number, number]>();
    for (const [sum, mass] of sums.values())
      for (const [ratio, p] of ratios) {
        const total = sum + ratio;
        const key = total.toPrecision(12);
        next.set(key, [total, (next.get(key)?.[1] ?? 0) + mass * p]);
      }
    sums = next;
  }
  const gamma = Math.exp(epsilon);
  let [remove, add] = [0, 0];
  for (const [sum, mass] of sums.values()) {
    remove += mass * Math.max(0, sum / bins - gamma);
    add += mass * Math.max(0, 1 - (gamma * sum) / bins);
  }
  return [remove, add];
}

const response = (epsilon: number): Ratios => {
  const rare = 1 / (1 + Math.exp(epsilon));
  return [
    [Math.exp(epsilon), rare],
    [Math.exp(-epsilon), 1 - rare],
  ];
};

/** Discrete Laplace noise on a count that moves by one or two. */
const discrete = (scale: number, sensitivity: number): Ratios => {
  const r = Math.exp(-1 / scale);
  const mass = (k: number): number => ((1 - r) / (1 + r)) * r ** Math.abs(k);
  return Array.from(
    { length: 401 },
    (_, i) => [mass(i - 200 - sensitivity) / mass(i - 200), mass(i - 200)] as const,
  );
};

describe('random allocation', () => {
  test.each([
    [randomizedResponse({ epsilon: 1 }), response(1), 2],
    [randomizedResponse({ epsilon: 0.5 }), response(0.5), 7],
    [pureDp({ epsilon: 2 }), response(2), 40],
    [discreteLaplace({ scale: 2, sensitivity: 2 }), discrete(2, 2), 5],
    [discreteLaplace({ scale: 1, sensitivity: 1 }), discrete(1, 1), 30],
  ] as const)('every outcome of one epoch: %o', (inner, ratios, bins) => {
    for (const engine of [wasm, reference]) {
      const run = of(randomAllocation({ inner, bins }), engine);
      for (const epsilon of EPSILONS) {
        const exact = Math.max(...deltasOf(ratios, bins, epsilon));
        const { lower, upper } = run.delta(epsilon);
        expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-11));
        expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-11));
        expect(upper - lower).toBeLessThan(1e-3 * exact + 1e-9);
      }
    }
  });
  /** E[(L − c)⁺] of the ratio L of Laplace noise of scale 1/s, by the profile 1 − e^{(ε−s)/2}. */
  const beyond = (c: number, s: number): number => {
    if (c <= Math.exp(-s)) return 1 - c;
    return c >= Math.exp(s) ? 0 : 1 - Math.sqrt(c * Math.exp(-s));
  };

  /** E f(L) without the record, by Simpson's rule between kinks. */
  function meanOf(f: (ratio: number) => number, s: number, kinks: readonly number[]): number {
    const ends = [-s, ...kinks.filter((y) => Math.abs(y) < s).sort((a, b) => a - b), s];
    let sum = 0.5 * f(Math.exp(-s)) + 0.5 * Math.exp(-s) * f(Math.exp(s));
    for (let i = 1; i < ends.length; i++) {
      const [from, n] = [ends[i - 1], 400];
      const h = (ends[i] - from) / n;
      for (let j = 0; j <= n; j++) {
        const y = from + j * h;
        const weight = j === 0 || j === n ? 1 : j % 2 === 1 ? 4 : 2;
        sum += ((weight * h) / 3) * 0.25 * Math.exp(-(s + y) / 2) * f(Math.exp(y));
      }
    }
    return sum;
  }

  test.each([0.1, 1, 3])('two batches with Laplace noise, integrated: 1/scale %d', (s) => {
    const run = of(randomAllocation({ inner: laplace({ scale: 1 / s, sensitivity: 1 }), bins: 2 }));
    for (const epsilon of [0, 0.2 * s, 0.5 * s]) {
      const gamma = Math.exp(epsilon);
      const kinksOf = (c: number): number[] =>
        [c - Math.exp(s), c - Math.exp(-s)].filter((x) => x > 0).map((x) => Math.log(x));
      const remove = 0.5 * meanOf((x) => beyond(2 * gamma - x, s), s, kinksOf(2 * gamma));
      const least = 2 / gamma;
      const add = 0.5 * gamma * meanOf((x) => beyond(least - x, s) + least - x - 1, s, kinksOf(least));
      const exact = Math.max(remove, add);
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(exact + 1e-8);
      expect(upper).toBeGreaterThanOrEqual(exact - 1e-8);
      expect(upper - lower).toBeLessThan(1e-4 * exact + 1e-9);
    }
  });

  test('answers that depend on earlier ones, every way of them: none is worse', () => {
    // three batches; at each the record's answer may be told, turned round or kept back, by what was answered before
    const [p, epsilons] = [1 / (1 + Math.E), [0, 0.3, 0.8]];
    const run = of(randomAllocation({ inner: randomizedResponse({ epsilon: 1 }), bins: 3 }));
    const histories = ['', '0', '1', '00', '01', '10', '11'];
    const worst = epsilons.map(() => 0);
    for (let code = 0; code < 3 ** histories.length; code++) {
      const rule = new Map(histories.map((history, i) => [history, Math.floor(code / 3 ** i) % 3]));
      const outcomes: [without: number, having: number][] = [];
      for (let bits = 0; bits < 8; bits++) {
        const answers = [bits >> 2, (bits >> 1) & 1, bits & 1];
        let having = 0;
        let without = 1;
        const ratios: number[] = [];
        for (let i = 0; i < 3; i++) {
          const told = rule.get(answers.slice(0, i).join(''));
          const own = answers[i] === 1 ? p : 1 - p;
          const other = told === 0 ? 0.5 : answers[i] === 1 ? 1 - p : p;
          // kept back: the answer depends on no record
          const base = told === 0 ? 0.5 : told === 1 ? own : 1 - own;
          const changed = told === 0 ? 0.5 : told === 1 ? other : 1 - other;
          without *= base;
          ratios.push(changed / base);
        }
        having = (without * (ratios[0] + ratios[1] + ratios[2])) / 3;
        outcomes.push([without, having]);
      }
      for (const [i, epsilon] of epsilons.entries()) {
        const gamma = Math.exp(epsilon);
        const remove = outcomes.reduce((sum, [a, b]) => sum + Math.max(0, b - gamma * a), 0);
        const add = outcomes.reduce((sum, [a, b]) => sum + Math.max(0, a - gamma * b), 0);
        worst[i] = Math.max(worst[i], remove, add);
      }
    }
    for (const [i, epsilon] of epsilons.entries()) {
      const { lower, upper } = run.delta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(worst[i] - 1e-13);
      expect(lower).toBeLessThanOrEqual(worst[i] + 1e-13);
    }
  });

  test('epochs: from 2e-4 to 3 % of epsilon, in both engines', () => {
    for (const [s, bins, epochs, most] of [
      [1, 100, 1, 1.0004],
      [1, 1000, 10, 1.004],
      [2, 100, 1, 1.003],
      [3, 100, 1, 1.03],
      [0.1, 1000, 100, 1.001],
    ] as const) {
      const epoch = randomAllocation({ inner: laplace({ scale: 1 / s, sensitivity: 1 }), bins });
      const [found, other] = [wasm, reference].map((engine) =>
        of(repeat(epoch, epochs), engine).epsilon(1e-6),
      );
      expect({ ...found }).toEqual({ ...other });
      expect(found.upper / found.lower).toBeLessThan(most);
    }
  });

  test('Gaussian noise is a balls-and-bins epoch', () => {
    const own = randomAllocation({ inner: gaussian({ noiseMultiplier: 2 }), bins: 20 });
    expect({ ...of(own).epsilon(1e-5) }).toEqual({
      ...of(ballsAndBins({ noiseMultiplier: 2, bins: 20 })).epsilon(1e-5),
    });
  });

  test('one batch is the release', () => {
    const inner = laplace({ scale: 2, sensitivity: 1 });
    const [own, other] = [randomAllocation({ inner, bins: 1 }), inner].map((m) => of(m).epsilon(1e-5));
    expect(Math.abs(own.lower - other.lower)).toBeLessThan(1e-11);
    expect(own.upper).toBe(other.upper);
  });

  test('what is refused', () => {
    expect(() => randomAllocation({ inner: gaussian({ noiseMultiplier: 1e-9 }), bins: 3 })).toThrow(
      'noiseMultiplier',
    );
    expect(() => randomAllocation({ inner: laplace({ scale: 0.1, sensitivity: 1 }), bins: 3 })).toThrow(
      'at most 4',
    );
    expect(() => randomAllocation({ inner: zcdp({ rho: 1 }), bins: 3 })).toThrow('one of gaussian');
    expect(() => randomAllocation({ inner: laplace({ scale: 1, sensitivity: 1 }), bins: 0 })).toThrow(
      '"bins"',
    );
    const epoch = randomAllocation({ inner: laplace({ scale: 1, sensitivity: 1 }), bins: 3 });
    expect(() => of(poissonSubsampled(epoch, { rate: 0.1 }))).toThrow('inner');
    expect(() => account(wasm, epoch, { adjacency: 'replace-one' })).toThrow('replace-one');
  });
});
