/** Grids so poor that each term of their budgets is the largest in turn: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import { randomizedResponse } from '../../../src/index.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { cellLaw } from '../../../src/law/lattice/cell-law.js';
import type { LossLaw } from '../../../src/law/loss-law.js';
import { pairOf } from '../../../src/mechanism/pairs.js';
import { GridRun } from '../../../src/methods/grid/grid-run.js';
import { TiltedTable } from '../../../src/methods/grid/tilted-table.js';
import { exp, expm1, log } from '../../../src/numeric/scalar.js';
import { kernels } from '../../helpers/kernels.js';

/** A law of losses on a lattice, by their probability under Q, and a response of loss ±1 on it. */
interface Law {
  readonly first: number;
  readonly mass: readonly number[];
}
const right = (loss: number): number => 1 / (1 + exp(-loss));
const response = (loss: number): Law => ({ first: -1, mass: [1 - right(loss), 0, right(loss)] });
/** Rare large losses, and what they leave. */
const RARE: Law = { first: -1, mass: [0.94, 0, 0.02, 0, 0, 0, 0, 0, 0.04] };

/** δ(ε), Pr_P[L > ω] and Pr_Q[L > ω] of n draws, by sums of positive terms over all that their sum may be. */
function exactly(law: Law, step: number, n: number) {
  let mass = Float64Array.of(1);
  for (let i = 0; i < n; i++) {
    const next = new Float64Array(mass.length + law.mass.length - 1);
    for (const [j, m] of mass.entries()) for (const [k, q] of law.mass.entries()) next[j + k] += m * q;
    mass = next;
  }
  const weights = Array.from(mass, (m, i) => ({ loss: (n * law.first + i) * step, mass: m })).reverse();
  const above = (x: number) => weights.filter(({ loss }) => loss > x);
  return {
    delta: (x: number) => above(x).reduce((sum, { loss, mass }) => sum - mass * expm1(x - loss), 0),
    fpr: (x: number) => above(x).reduce((sum, { loss, mass }) => sum + mass * exp(-loss), 0),
    tpr: (x: number) => above(x).reduce((sum, { mass }) => sum + mass, 0),
  };
}

interface Grid {
  readonly step: number;
  readonly count: number;
  readonly theta: number;
  readonly logOutside: number;
}

function composed(
  kernel: Kernel,
  { first, mass }: Law,
  { step, count, theta, logOutside }: Grid,
): TiltedTable {
  const measure = { step, first, mass: Float64Array.from(mass), infinity: 0 };
  const made = TiltedTable.compose(kernel, [{ measure, count }], theta, 2 ** 20, logOutside);
  if (typeof made === 'number') throw new Error(`${made} points`);
  return made;
}

/** Where δ and tests are asked: between lattice points and at them. */
const places = (step: number, count: number): number[] =>
  Array.from({ length: 2 * count + 1 }, (_, j) => (j - count) * step);

describe.each(kernels)('$name', (kernel) => {
  test.each([
    ['responses', 0.5, 40, 0, -1],
    ['responses', 0.5, 40, 1, -1.5],
    ['responses', 0.3, 60, 0.5, -2],
    ['responses', 0.2, 100, 0, -2.5],
    ['responses', 0.5, 400, 0.25, -1],
    ['responses', 0.5, 400, 0, -4],
    ['rare large losses', 0.5, 40, 0, -1],
    ['rare large losses', 0.2, 60, 0, -1.5],
    ['rare large losses', 0.2, 60, 0.3, -2],
    ['rare large losses', 0.05, 90, 0, -1],
  ])(
    'mass outside the window: %s at steps of %d, %d of them, tilt %d, e^%d on either side',
    (name, step, count, theta, logOutside) => {
      const law = name === 'responses' ? response(step) : RARE;
      const table = composed(kernel, law, { step, count, theta, logOutside });
      const exact = exactly(law, step, count);
      for (const point of places(step, count)) {
        for (const epsilon of [point, point + 0.4 * step]) {
          const delta = log(exact.delta(epsilon));
          expect(table.upperLogDelta(epsilon), `δ(${epsilon})`).toBeGreaterThanOrEqual(delta - 1e-12);
          expect(table.lowerLogDelta(epsilon), `δ(${epsilon})`).toBeLessThanOrEqual(delta + 1e-12);
        }
        // the test that rejects from the next lattice point on
        const { logFpr, logTpr } = table.corner(point + 0.5 * step);
        const [fpr, tpr] = [exact.fpr(point + 0.5 * step), exact.tpr(point + 0.5 * step)];
        expect(exp(logFpr), `FPR at ${point}`).toBeGreaterThanOrEqual(Math.min(1, fpr * (1 - 1e-12)));
        expect(exp(logTpr), `TPR at ${point}`).toBeLessThanOrEqual(tpr * (1 + 1e-12));
      }
    },
  );

  test.each([
    [0.5, 160, 0],
    [0.25, 300, 0],
    [0.1, 900, 0.1],
  ])(
    'round-off of the FFT, far from where its tilt is meant to serve: steps of %d, %d of them, tilt %d',
    (step, count, theta) => {
      const table = composed(kernel, response(step), { step, count, theta, logOutside: -90 });
      const exact = exactly(response(step), step, count);
      let blind = 0;
      for (let j = 0; j < count; j += Math.ceil(count / 50)) {
        const delta = log(exact.delta(j * step));
        expect(table.upperLogDelta(j * step), `δ(${j * step})`).toBeGreaterThanOrEqual(delta - 1e-11);
        expect(table.lowerLogDelta(j * step), `δ(${j * step})`).toBeLessThanOrEqual(delta + 1e-11);
        const { logFpr, logTpr } = table.corner((j - 0.5) * step);
        expect(logFpr, `FPR at ${j}`).toBeGreaterThanOrEqual(log(exact.fpr((j - 0.5) * step)) - 1e-11);
        expect(logTpr, `TPR at ${j}`).toBeLessThanOrEqual(log(exact.tpr((j - 0.5) * step)) + 1e-11);
        if (table.lowerLogDelta(j * step) === -Infinity) blind++;
      }
      expect(blind).toBeGreaterThan(5);
    },
  );

  /** Responses of loss ±a that a lattice rounds to its own multiples. */
  const rounded = (a: number): LossLaw => {
    const law = cellLaw(pairOf(randomizedResponse({ epsilon: a })), 1, 'remove');
    const { single, gdpMu, largest, cells, nodes, direction } = law;
    return {
      ...{ single, gdpMu, largest, cells, nodes, direction },
      discretise: (_, step) => {
        const at = Math.max(1, Math.round(a / step));
        const mass = new Float64Array(2 * at + 1);
        mass[0] = 1 - right(a);
        mass[2 * at] = right(a);
        const measure = { step, first: -at, mass, infinity: 0 };
        return { upper: measure, lower: measure, displacement: Math.abs(a - at * step) };
      },
    };
  };

  test.each([
    [0.37, 12, 0.5],
    [0.37, 12, 0.05],
    [0.81, 5, 0.2],
    [1.3, 30, 0.1],
  ])('displacement: losses of %d, %d times, width %d', (a, count, width) => {
    const exact = exactly(response(a), a, count);
    const run = new GridRun(kernel, [{ law: rounded(a), count }], { width, maxLength: 2 ** 12 });
    let widest = 0;
    for (let i = 0; i < 40; i++) {
      const x = (i / 40) * count * a;
      const { lower, upper } = run.logDelta(x);
      const delta = log(exact.delta(x));
      expect(upper, `δ(${x})`).toBeGreaterThanOrEqual(delta - 1e-12);
      expect(lower, `δ(${x})`).toBeLessThanOrEqual(delta + 1e-12);
      if (lower > -Infinity) widest = Math.max(widest, upper - lower);
      const { logFpr, logTpr } = run.test(x);
      // the best test of the same FPR has at least this power: G(FPR) ≤ TPR + e^x(FPR − fpr) for every x
      const power = (y: number) => exact.delta(y) + exp(y) * exp(logFpr);
      const best = Math.min(...Array.from({ length: 400 }, (_, k) => power(((2 * k) / 400 - 1) * count * a)));
      expect(exp(logTpr), `power at ${x}`).toBeLessThanOrEqual(best * (1 + 1e-12));
    }
    expect(widest).toBeGreaterThan(1e-3);
  });
});
