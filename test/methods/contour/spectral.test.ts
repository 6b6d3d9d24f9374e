import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { intersects } from '../../helpers/brackets.js';
import { sampledRun, sideOf } from '../../helpers/contours.js';
import { LONG_TESTS } from '../../helpers/long.js';
import { randomRuns } from '../../helpers/random-runs.js';
import { type PhaseTriple, reference, runOf, wasm } from '../../helpers/runs.js';

const CIFAR: readonly PhaseTriple[] = [[9.4, 16384 / 50000, 2000]];

/** Digits from 70-digit contour integration on two contours (δ) and from the goldens. */
const DELTAS: readonly [epsilon: number, logDelta: string][] = [
  [0.5, '4.5370394850514e-1'],
  [2, '1.63535967009980e-1'],
  [8, '1.91762353149409815760e-6'],
  [12, '6.18911515392988851601e-13'],
  [16, '4.34368609674538867974e-22'],
  [20, '6.55427608455575392040e-34'],
  [30, '5.04299004707438862609e-75'],
  [40, '2.41640727992612324237e-132'],
];

describe.each([wasm, reference].map((engine) => [engine.kernel.name, engine] as const))(
  'CIFAR-10 run (%s)',
  (_, engine) => {
    const run = runOf(CIFAR, { engine, method: 'spectral', tolerance: 1e-9 });
    const remove = run.directions[0];

    test.each(DELTAS)('δ(%s)', (epsilon, digits) => {
      const exact = Math.log(Number(digits));
      const { lower, upper } = remove.logDelta(epsilon);
      // the logarithm of the golden itself is good to a few ulp
      const known = 1e-13 + 4e-16 * Math.abs(exact);
      expect(lower).toBeLessThanOrEqual(exact + known);
      expect(upper).toBeGreaterThanOrEqual(exact - known);
      // beyond, what the rounding of outputs and losses can do to log M counts: it grows with the tilt
      expect(upper - lower).toBeLessThan(epsilon > 20 ? 6e-11 : 2e-11);
    });

    test.each([
      [1e-10, 10.80992335046],
      [1e-20, 15.47166014843],
    ])('ε(%s)', (delta, exact) => {
      const { lower, upper } = run.epsilon(delta);
      expect(lower).toBeLessThanOrEqual(exact + 6e-12);
      expect(upper).toBeGreaterThanOrEqual(exact - 6e-12);
      expect(upper - lower).toBeLessThan(1e-9 * exact);
    });

    test('the other direction', () => {
      const target = Math.log(1e-5);
      expect(run.directions[1].logDelta(7.357177795 - 1e-9).lower).toBeGreaterThan(target);
      expect(run.directions[1].logDelta(7.357177795 + 1e-9).upper).toBeLessThan(target);
    });
  },
);

interface Golden {
  readonly phases: readonly { sigma: number; q: number; steps: number }[];
  readonly direction: 'remove' | 'add';
  readonly epsilon: number;
  readonly logDelta: number;
  readonly relativeError: number;
}

test('exact runs are contained, wide or narrow', () => {
  const goldens: Golden[] = JSON.parse(
    readFileSync(new URL('../../golden/runs.json', import.meta.url), 'utf8'),
  );
  let narrow = 0;
  let asked = 0;
  const runs = new Map<string, ReturnType<typeof runOf>>();
  for (const { phases, direction, epsilon, logDelta, relativeError } of goldens) {
    const triples = phases.map(({ sigma, q, steps }) => [sigma, q, steps] as const);
    const key = JSON.stringify(phases);
    const run = runs.get(key) ?? runOf(triples, { method: 'spectral', tolerance: 1e-6 });
    runs.set(key, run);
    const part = run.directions.find((one) => one.direction === direction || one.direction === 'both');
    if (part === undefined) continue;
    const { lower, upper } = part.logDelta(epsilon);
    const at = `${JSON.stringify(phases)} ${direction} ε ${epsilon}: [${lower}, ${upper}] against ${logDelta}`;
    expect(lower, at).toBeLessThanOrEqual(logDelta + relativeError);
    expect(upper, at).toBeGreaterThanOrEqual(logDelta - relativeError);
    if (phases.reduce((sum, { steps }) => sum + steps, 0) < 20) continue;
    asked++;
    if (upper - lower <= 1e-6) narrow++;
  }
  expect(narrow).toBeGreaterThan(0.85 * asked);
});

describe('against the grid', () => {
  const runs = randomRuns(20261121, 40, 5).slice(0, LONG_TESTS ? 40 : 14);

  test.each(runs.map((run, i) => [i, run] as const))('random run %s', (_, run) => {
    const spectral = runOf(run.phases, { method: 'spectral', tolerance: 1e-6 });
    const grid = runOf(run.phases, { method: 'grid', tolerance: 1e-2, maxGridLength: 2 ** 10 });
    expect(spectral.directions.length).toBe(grid.directions.length);
    spectral.directions.forEach((direction, i) => {
      for (const target of run.targets.slice(0, 2)) {
        const epsilon = direction.guessEpsilon(target);
        const a = direction.logDelta(epsilon);
        const b = grid.directions[i].logDelta(epsilon);
        const what = `${JSON.stringify(run.phases)} ${direction.direction} at ε ${epsilon}`;
        expect(intersects(a, b), `${what}: ${JSON.stringify([a, b])}`).toBe(true);
        const x = direction.test(epsilon);
        const y = grid.directions[i].test(epsilon);
        // a test's point lies above every supporting line: TPR ≤ δ(ε) + e^ε FPR
        for (const { logFpr, logTpr } of [x, y]) {
          const line = Math.max(a.upper, epsilon + logFpr) + Math.LN2;
          expect(logTpr, what).toBeLessThanOrEqual(line);
        }
      }
    });
  });
});

describe('cost', () => {
  test('is independent of the number of steps', () => {
    // q ∝ 1/√T keeps the composed law the same
    const nodes = [1e4, 1e6, 1e8].map((steps) => {
      const side = sideOf(wasm.kernel, sampledRun([[2, 1 / Math.sqrt(steps), steps]]), 0);
      const { lower, upper, nodes } = side.delta(2);
      expect(upper - lower).toBeLessThan(1e-6);
      return nodes;
    });
    expect(Math.max(...nodes)).toBeLessThan(2 * Math.min(...nodes));
    expect(Math.max(...nodes)).toBeLessThan(400);
  });
});

describe('depth', () => {
  test('log δ of minus a hundred thousand', () => {
    const run = runOf(CIFAR, { method: 'spectral', tolerance: 1e-9 });
    const epsilon = run.directions[0].guessEpsilon(-1e5);
    const { lower, upper } = run.directions[0].logDelta(epsilon);
    expect(upper).toBeLessThan(-0.99e5);
    expect(lower).toBeGreaterThan(-1.01e5);
    expect(upper - lower).toBeLessThan(1e-9 * 1e5);
  });

  test('δ at negative ε', () => {
    const run = runOf(CIFAR, { method: 'spectral' });
    for (const epsilon of [-0.01, -1, -5, -30]) {
      // δ(−ε) = 1 − e^{−ε} + e^{−ε} δ′(ε)
      const { lower, upper } = run.directions[0].logDelta(epsilon);
      const other = run.directions[1].logDelta(-epsilon);
      const want = Math.log1p(Math.exp(epsilon) * Math.expm1(other.upper));
      expect(lower).toBeLessThanOrEqual(want + 1e-11);
      expect(upper).toBeGreaterThanOrEqual(want - 1e-11);
    }
  });
});

describe('error budget', () => {
  test('adds up to the width of the bracket', () => {
    const run = runOf(CIFAR, { tolerance: 1e-9 });
    expect(run.method).toBe('spectral');
    const [budget] = run.explain(8);
    const { aliasing, truncation, quadrature, roundOff, nodes } = budget!;
    const { lower, upper } = run.directions[0].logDelta(8);
    const sum = aliasing + 2 * (truncation + quadrature + roundOff);
    expect(upper - lower).toBeLessThanOrEqual(sum * 1.001);
    expect(upper - lower).toBeGreaterThan(0.5 * sum);
    expect(nodes).toBeLessThan(100);
  });
});

test('mechanisms without M(z) here are refused by name', () => {
  expect(() => runOf(CIFAR, { method: 'nonsense' as 'grid' })).toThrow('"method" must be one of');
});
