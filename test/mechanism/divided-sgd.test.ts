import { describe, expect, test } from 'vitest';
import { account, compose, type DividedSgd, dividedSgd, dpSgd, laplace, repeat } from '../../src/index.js';
import { scaleCells } from '../../src/law/scale-pair.js';
import { DIVIDED_SGD_KIND } from '../../src/mechanism/kinds/divided-sgd.js';
import { closenessOf } from '../../src/mechanism/reduce.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { shorterRun } from '../../src/run/changed-run.js';
import type { DirectedRun } from '../../src/run/directed-run.js';
import { reference, wasm } from '../helpers/runs.js';

/** n, ρ − 1, ε, δ(ε) in both directions: test/golden/make-divided.py. */
const GOLDEN = [
  [400, 0.02, 0, 0.220470116468, 0.220470116468],
  [400, 0.02, 1, 0.0103275887586, 0.0163637269475],
  [400, 0.02, 4, 9.19525674545e-20, 1.89817682856e-10],
  [1000, 0.05, 0, 0.72460711387, 0.72460711387],
  [1000, 0.05, 1, 0.566569493962, 0.576308456476],
  [1000, 0.05, 4, 0.11668046733, 0.152738328592],
  [20000, 0.01, 0, 0.680274463142, 0.680274463142],
  [20000, 0.01, 1, 0.505169888401, 0.507525720706],
  [20000, 0.01, 4, 0.0794011414885, 0.0857564920752],
] as const;

const RUN = {
  noiseMultiplier: 1,
  samplingRate: 0.01,
  steps: 1000,
  divisor: 'expected',
  parameters: 1e6,
  datasetSize: 50_000,
} as const;
const PLAIN = dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 });

describe('divided by what the size of the data set decides', () => {
  test('noise alone: the scale is a chi-square test', () => {
    for (const [n, excess, epsilon, remove, add] of GOLDEN) {
      const cells = scaleCells(n, excess);
      const larger = Math.max(remove, add);
      expect(cells.deltaAbove(epsilon)).toBeGreaterThan(larger);
      expect(cells.deltaAbove(epsilon) / larger - 1).toBeLessThan(2e-3);
      const pair = cells.pair();
      [pair.forward, pair.backward].forEach((run, i) => {
        const exact = [remove, add][i]!;
        const below = Math.exp(run.logDelta(epsilon).lower);
        expect(below).toBeLessThan(exact);
        if (exact > 1e-15) expect(below / exact).toBeGreaterThan(0.99);
        const { logFpr, logTpr } = run.test(epsilon);
        expect(Math.exp(logTpr) - Math.exp(epsilon + logFpr)).toBeLessThan(exact);
      });
      expect(cells.deltaAbove(cells.epsilonAbove(1e-9))).toBeLessThanOrEqual(1e-9);
    }
  });

  test('one step in two coordinates, integrated in the plane', () => {
    // everybody in the batch, others −1 and the record +1: without it the mean is −999ρ/σ, with it −998/σ, in one coordinate of 400
    const [n, sigma, d] = [1000, 2, 400];
    const run = dividedSgd({
      ...RUN,
      noiseMultiplier: sigma,
      samplingRate: 1,
      steps: 1,
      parameters: d,
      datasetSize: n,
    });
    const { directions } = account(wasm, run, { adjacency: 'add-remove' });
    const rho = n / (n - 1);
    const gap = (2 - n + (n - 1) * rho) / sigma;
    const k = (d - 1) / 2;
    const shape = (r: number): number => Math.exp((k - 1) * Math.log(r / k) - r + k);
    let total = 0;
    for (let r = 0.5; r < 500; r += 0.5) total += 0.5 * shape(r);
    const density = (r: number, scale: number): number => shape(r / scale) / total / scale;
    const normal = (x: number, scale: number): number =>
      Math.exp((-0.5 * x * x) / scale ** 2) / (scale * Math.sqrt(2 * Math.PI));
    for (const epsilon of [0, 1, 2]) {
      let [remove, add] = [0, 0];
      const [dx, dr] = [0.05, 0.5];
      for (let r = 100; r < 320; r += dr) {
        const [withR, withoutR] = [density(r, 1), density(r, rho * rho)];
        for (let x = -8; x < 10; x += dx) {
          const p = withoutR * normal(x, rho) * dx * dr;
          const q = withR * normal(x - gap, 1) * dx * dr;
          remove += Math.max(0, q - Math.exp(epsilon) * p);
          add += Math.max(0, p - Math.exp(epsilon) * q);
        }
      }
      [remove, add].forEach((exact, i) => {
        const { lower, upper } = directions[i % directions.length]!.logDelta(epsilon);
        expect(exact).toBeLessThan(Math.exp(upper));
        expect(exact).toBeGreaterThan(0.5 * Math.exp(upper));
        expect(lower).toBeLessThan(Math.log(exact));
      });
    }
  });

  test('a million parameters: wider than the plain run, the same in both engines', () => {
    const [a, b] = [wasm, reference].map((engine) =>
      account(engine, dividedSgd(RUN), { adjacency: 'add-remove' }).delta(1),
    );
    expect(a).toEqual(b);
    const plain = account(wasm, PLAIN, { adjacency: 'add-remove' });
    expect(a!.lower).toBeGreaterThan(plain.delta(1).upper);
    expect(a!.upper / a!.lower).toBeLessThan(2.5);
  });

  test('a batch cut to a whole number: nothing where it stays, nearly all where it moves', () => {
    const cut = { ...RUN, divisor: 'expected-whole' } as const;
    // ⌊q·n⌋ is 500 of 50,000 records and 499 of 49,999
    const moves = account(wasm, dividedSgd(cut), { adjacency: 'add-remove' });
    expect(moves.delta(1).lower).toBeGreaterThan(0.99);
    expect(moves.epsilon(1e-5).upper).toBe(Infinity);
    const stays = account(wasm, dividedSgd({ ...cut, datasetSize: 50_050 }), { adjacency: 'add-remove' });
    expect(stays.epsilon(1e-5)).toEqual(account(wasm, PLAIN, { adjacency: 'add-remove' }).epsilon(1e-5));
  });

  test('a record left out in its place, or replaced, leaves the divisor as it is', () => {
    for (const adjacency of ['zero-out', 'replace-one'] as const)
      expect(account(wasm, dividedSgd(RUN), { adjacency }).epsilon(1e-5)).toEqual(
        account(wasm, PLAIN, { adjacency }).epsilon(1e-5),
      );
  });

  test('a chain of several phases: what each link loses, the links before it raise', () => {
    const phases = [20, 30, 40, 50].map((datasetSize) =>
      dividedSgd({ ...RUN, noiseMultiplier: 4, steps: 1, parameters: 400, datasetSize }),
    );
    // P ≤ e^ε M + δ and M ≤ e^ε′ R + δ′ give P ≤ e^{ε + ε′} R + δ + e^ε δ′
    const links = phases.map((phase) => DIVIDED_SGD_KIND.closeness!(phase, 'add-remove')!);
    expect(links.every(({ epsilon }) => epsilon > 1)).toBe(true);
    for (const order of [links, [...links].reverse()]) {
      const exact = order.reduce(
        (sum, { epsilon, logDelta }) => ({
          epsilon: sum.epsilon + epsilon,
          delta: sum.delta + Math.exp(sum.epsilon + logDelta),
        }),
        { epsilon: 0, delta: 0 },
      );
      const all = closenessOf(
        phases.flatMap((phase) => stepsOf(phase)),
        'add-remove',
      )!;
      expect(all.epsilon).toBeGreaterThanOrEqual(exact.epsilon);
      expect(all.logDelta).toBeGreaterThan(Math.log(exact.delta));
      // the last link's own factor is the price of any order
      const last = order.at(-1)!.epsilon;
      expect(all.logDelta).toBeLessThan(Math.log(exact.delta) + last + Math.log(4));
    }
  });

  test('a run in phases, or step by step, is the run', () => {
    const phase = { ...RUN, noiseMultiplier: 4, datasetSize: 2000, parameters: 1000 };
    const whole = dividedSgd({ ...phase, steps: 40 });
    const single = repeat(dividedSgd({ ...phase, steps: 1 }), 40);
    const phases = compose([25, 15].map((steps) => dividedSgd({ ...phase, steps })));
    const [expected, ...others] = [whole, single, phases].map((each) => {
      const run = account(wasm, each, { adjacency: 'add-remove', tolerance: 0.1 });
      return [run.epsilon(1e-5), run.logDelta(1)];
    });
    for (const other of others) expect(other).toEqual(expected);
  });

  test('what one attack says holds where another runs out, beside other releases too', () => {
    const options = { adjacency: 'add-remove', tolerance: 0.1 } as const;
    const lossy = { ...RUN, noiseMultiplier: 0.552, samplingRate: 0.3123, steps: 63, datasetSize: 17_606 };
    const plain = account(
      wasm,
      dpSgd({ noiseMultiplier: 0.552, samplingRate: 0.3123, steps: 63 }),
      options,
    ).epsilon(1e-5);
    const { lower } = account(wasm, dividedSgd(lossy), { ...options, effort: 0.5 }).epsilon(1e-5);
    expect(lower).toBeGreaterThan(0.99 * plain.lower);
    const phase = { ...RUN, noiseMultiplier: 12.85, samplingRate: 0.183, steps: 3, parameters: 764 };
    const beside = compose([
      repeat(laplace({ scale: 0.959, sensitivity: 1 }), 13),
      repeat(dividedSgd({ ...phase, datasetSize: 68 }), 8),
    ]);
    const both = account(wasm, beside, options).epsilon(1e-5);
    expect(both.lower).toBeGreaterThan(24);
    expect(both.upper).toBeLessThan(33);
  });

  test('one step of a small data set: what one attains lies between ends that say something', () => {
    const run = {
      ...RUN,
      noiseMultiplier: 5.1,
      samplingRate: 0.363,
      steps: 1,
      parameters: 500,
      datasetSize: 323,
    };
    const asked = account(wasm, dividedSgd(run), { adjacency: 'add-remove' });
    // others' gradients 0, the record's 1: by chi-squares and one coordinate
    const { lower, upper } = asked.delta(0);
    expect(lower).toBeGreaterThan(0.039);
    expect(upper).toBeGreaterThan(0.0485);
    expect(upper).toBeLessThan(0.3);
    expect(asked.epsilon(1e-5).lower).toBeGreaterThan(0.35);
  });

  test('of two chains the shorter counts where δ is not small, and both where it is', () => {
    const one = (from: number, log: number): DirectedRun =>
      ({ logDelta: () => ({ lower: log - from, upper: log + from }) }) as unknown as DirectedRun;
    const [near, far] = [one(1, -5), one(0.5, -5.2)];
    expect(shorterRun(near, far, -7).logDelta(1)).toEqual({ lower: -6, upper: -4 });
    expect(shorterRun(near, far, -5).logDelta(1)).toEqual({ lower: -5.7, upper: -4.7 });
  });

  test('what is wrong is named', () => {
    const wrong = (more: Partial<Record<keyof DividedSgd, unknown>>): (() => unknown) => {
      return () => dividedSgd({ ...RUN, ...more } as never);
    };
    expect(wrong({ divisor: 'drawn' })).toThrow('"divisor" must not be "drawn": no theorem here covers it');
    expect(wrong({ divisor: 'n' })).toThrow('"divisor" must be one of expected, expected-whole');
    expect(wrong({ parameters: 0 })).toThrow('"parameters"');
    expect(wrong({ parameters: 1, steps: 10 })).toThrow('such that parameters times steps');
    expect(wrong({ samplingRate: 0 })).toThrow('"samplingRate"');
    expect(wrong({ datasetSize: 1 })).toThrow('"datasetSize"');
  });
});
