/** Private searches over tries that are known behind wide brackets alone: each end has to be the right one, for the exact value may lie at either. */
import { describe, expect, test } from 'vitest';
import { account, randomizedResponse, select, type Tries } from '../../src/index.js';
import { PublishedCells } from '../../src/mechanism/search/published-cells.js';
import { SelectionOrders } from '../../src/mechanism/search/selection-orders.js';
import { logDeltaAbove, selectionRun, type Try } from '../../src/mechanism/search/selection-run.js';
import { selectionCost, triesLaw } from '../../src/mechanism/search/tries-law.js';
import type { DirectedRun } from '../../src/run/directed-run.js';
import { wasm } from '../helpers/runs.js';
import { generating } from '../helpers/selection.js';
import { type Exact, gaussian, PLACES, sampled, wide } from '../helpers/wide-runs.js';

const TRIES: readonly [string, Tries][] = [
  ['ten by a geometric law', { kind: 'negative-binomial', eta: 1, mean: 10 }],
  ['logarithmic', { kind: 'negative-binomial', eta: 0, gamma: 0.05 }],
  ['fewer by a root', { kind: 'negative-binomial', eta: -0.5, gamma: 0.1 }],
  ['Poisson', { kind: 'poisson', mean: 6 }],
  ['many by a Poisson law', { kind: 'poisson', mean: 25 }],
  ['binomial', { kind: 'binomial', trials: 12, probability: 0.4 }],
  ['a table', { kind: 'table', probabilities: [0.1, 0.3, 0, 0.6] }],
];

/** φ′ by differences of the third order. */
function slope(phi: (s: number) => number, s: number): number {
  const h = 1e-4;
  if (s < 1.5 * h)
    return (-11 * phi(s) + 18 * phi(s + h) - 9 * phi(s + 2 * h) + 2 * phi(s + 3 * h)) / (6 * h);
  if (s > 1 - 1.5 * h)
    return (11 * phi(s) - 18 * phi(s - h) + 9 * phi(s - 2 * h) - 2 * phi(s - 3 * h)) / (6 * h);
  return (27 * (phi(s + h / 2) - phi(s - h / 2)) - phi(s + 1.5 * h) + phi(s - 1.5 * h)) / (24 * h);
}

describe('the number of tries', () => {
  test.each(TRIES)(
    '%s: its mean, its chances and its cost are those of its generating function',
    (_, tries) => {
      const law = triesLaw(tries);
      const phi = generating(tries);
      expect(law.mean).toBeGreaterThanOrEqual(slope(phi, 1) * (1 - 1e-9));
      expect(law.mean).toBeLessThan(slope(phi, 1) * (1 + 1e-6));
      expect(Math.exp(law.logSome.lower)).toBeLessThanOrEqual(1 - phi(0) + 1e-14);
      expect(Math.exp(law.logSome.upper)).toBeGreaterThanOrEqual(1 - phi(0) - 1e-14);
      for (const x of [0, 0.01, 0.2, 0.5])
        for (const y of [1e-3, 0.1, 0.4]) {
          const exact = phi(1 - x) - phi(1 - x - y);
          expect(Math.abs(law.drop(x, y) - exact)).toBeLessThan(1e-13 + 1e-10 * exact);
          const ratio = Math.log(slope(phi, 1 - x) / slope(phi, 1 - x - y));
          expect(law.cost(x, x + y)).toBeGreaterThanOrEqual(ratio - 1e-8);
          expect(law.cost(x, x + y)).toBeLessThan(ratio + 1e-6);
          expect(law.costBelow(x, x + y)).toBeLessThan(ratio + 1e-6);
          expect(law.costBelow(x, x + y)).toBeGreaterThan(ratio - 1e-6);
        }
    },
  );

  test.each([0.1, 1, 5])(
    'a second try that is rare: the largest loss of responses of epsilon %d',
    (epsilon) => {
      // the other answer scores best: log φ′(1 − x)/φ′(1 − x′), x and x′ = 1 − x its chances
      const x = 1 / (1 + Math.exp(epsilon));
      for (const rare of [2 ** -10, 2 ** -24, 2 ** -33, 2 ** -40]) {
        const more = 1 - 2 * x;
        const cases: [Tries, number][] = [
          [
            { kind: 'table', probabilities: [0, 1 - rare, rare] },
            Math.log1p((2 * rare * more) / (1 - rare + 2 * rare * x)),
          ],
          [
            { kind: 'negative-binomial', eta: 1, mean: 1 + rare },
            2 * Math.log1p((rare * more) / (1 + rare * x)),
          ],
          [
            { kind: 'binomial', trials: 2, probability: rare },
            Math.log1p((rare * more) / (1 - rare * (1 - x))),
          ],
          [{ kind: 'poisson', mean: rare }, rare * more],
        ];
        for (const [runs, cost] of cases) {
          const inner = randomizedResponse({ epsilon });
          const { lower, upper } = account(wasm, select({ inner, runs }), {
            adjacency: 'replace-one',
          }).epsilon(0);
          expect(lower, `${runs.kind} ${rare}`).toBeLessThanOrEqual((epsilon + cost) * (1 + 4e-16));
          expect(upper, `${runs.kind} ${rare}`).toBeGreaterThanOrEqual((epsilon + cost) * (1 - 4e-16));
        }
      }
    },
  );

  test('more tries, each there by a coin of its own, are fewer tries or none', () => {
    // the table of docs/proofs/select.md, 8: tries at c times the odds, the mean or the chance, and w
    for (const c of [0.3, 0.8]) {
      const pairs: [more: Tries, fewer: Tries, w: number][] = [
        [{ kind: 'poisson', mean: 6 / c }, { kind: 'poisson', mean: 6 }, 1],
        [
          { kind: 'binomial', trials: 9, probability: 0.2 / c },
          { kind: 'binomial', trials: 9, probability: 0.2 },
          1,
        ],
      ];
      for (const eta of [-0.5, 0, 1, 2.5]) {
        const [odds, most] = [3, 3 / c];
        const more: Tries = { kind: 'negative-binomial', eta, gamma: 1 / (1 + most) };
        const fewer: Tries = { kind: 'negative-binomial', eta, gamma: 1 / (1 + odds) };
        pairs.push([more, fewer, 1 - generating(more)(1 - c)]);
      }
      for (const [more, fewer, w] of pairs) {
        const [many, few] = [triesLaw(more), triesLaw(fewer)];
        expect(c * many.mean).toBeCloseTo(w * few.mean, 9);
        for (const x of [0, 0.1, 0.6])
          for (const y of [1e-6, 0.05, 0.3]) {
            const ratio = many.drop(c * x, c * y) / (w * few.drop(x, y));
            expect(Math.abs(ratio - 1), `${JSON.stringify(more)} ${x} ${y}`).toBeLessThan(1e-10);
          }
      }
    }
  });
});

/** Bases with their exact curves in both directions. */
const BASES: readonly [string, Exact, Exact][] = [
  ['a Gaussian', gaussian(1), gaussian(1)],
  ['a sample, removed', sampled(0.3, 'remove'), sampled(0.3, 'add')],
];
const PLACED = Object.keys(PLACES);

/** c of the theorem, by the exact curve of the opposite direction on a mesh of rates: from below. */
function costOf(tries: Tries, opposite: Exact): number {
  const phi = generating(tries);
  let most = 0;
  for (let i = 1; i <= 400; i++) {
    const x = Math.exp(-12 * (1 - i / 401));
    const g = Math.min(1, opposite.power(x));
    most = Math.max(most, Math.log(slope(phi, 1 - x) / slope(phi, 1 - g)));
  }
  return most;
}

/** Sets of the smallest losses and of the largest, by their masses in both worlds. */
function meshOf(exact: Exact, opposite: Exact) {
  const rates = Array.from({ length: 300 }, (_, i) => (i === 0 ? 0 : Math.exp(-28 * (1 - i / 300) ** 1.5)));
  const powers = (curve: Exact) => rates.map((rate) => (rate === 0 ? 0 : Math.min(1, curve.power(rate))));
  const [there, here] = [powers(opposite), powers(exact)];
  return {
    decoys: rates.map((x, i) => [x, there[i]!] as const),
    tests: rates.map((fpr, i) => [here[i]!, fpr] as const),
  };
}

/**
 * The largest Δφ(F) − e^ε Δφ(F′) of an order with the smallest losses first and then the largest, over a mesh of both sets: what scores may publish
 * in the direction that has the losses.
 */
function reached(tries: Tries, { decoys, tests }: ReturnType<typeof meshOf>, epsilon: number): number {
  const phi = generating(tries);
  const [after, afterThere] = [0, 1].map((i) => decoys.map((decoy) => phi(1 - decoy[i]!)));
  let most = 0;
  for (const [i, [x, other]] of decoys.entries())
    for (const [y, against] of tests) {
      if (x + y > 1 || other + against > 1) continue;
      const here = after![i]! - phi(1 - x - y);
      const there = afterThere![i]! - phi(1 - other - against);
      most = Math.max(most, here - Math.exp(epsilon) * there);
    }
  return most;
}

describe.each(PLACED)('the exact value %s of brackets of width 0.005', (name) => {
  const place = PLACES[name]!;
  const width = 0.005;

  test.each(BASES)('%s: the cost of selection is from above', (_, __, opposite) => {
    for (const [, tries] of TRIES) {
      const found = selectionCost(triesLaw(tries), wide(opposite, width, place), width);
      const exact = costOf(tries, opposite);
      expect(found, JSON.stringify(tries)).toBeGreaterThanOrEqual(exact * (1 - 1e-9) - 1e-7);
      expect(found, JSON.stringify(tries)).toBeLessThan(1.4 * exact + 0.05);
    }
  });

  test.each(BASES)('%s: what is published, from above and by orders of the outputs', (_, exact, opposite) => {
    const mesh = meshOf(exact, opposite);
    const [run, other] = [wide(exact, width, place), wide(opposite, width, place)];
    for (const [kind, tries] of TRIES) {
      const law = triesLaw(tries);
      const cost = selectionCost(law, other, width);
      const orders = new SelectionOrders(law, run, other, width);
      const cells = new PublishedCells(law, run, other);
      const one: Try = { run, cost, most: Infinity, all: undefined, cells, orders };
      const certain: DirectedRun = { ...run, logDelta: () => ({ lower: -Infinity, upper: 0 }) };
      const made = selectionRun(
        law,
        one,
        () => made,
        () => certain,
      );
      for (const epsilon of [0.02, 0.3, 1, 2, 3.5]) {
        const most = reached(tries, mesh, epsilon);
        // Σ of the theorem at the exact curve, the cost as it was found
        const stated = law.mean * exact.delta(epsilon - cost);
        const { lower, upper } = made.logDelta(epsilon);
        expect(Math.exp(lower), `${kind} ${epsilon}`).toBeLessThanOrEqual(most * 1.002 + 1e-9);
        expect(Math.exp(upper), `${kind} ${epsilon}`).toBeGreaterThanOrEqual(most * (1 - 1e-9));
        if (stated < 1)
          expect(Math.exp(logDeltaAbove(law, one, epsilon)), `${kind} ${epsilon}`).toBeGreaterThanOrEqual(
            stated * (1 - 1e-9),
          );
        if (most > 1e-3) expect(Math.exp(lower), `${kind} ${epsilon}`).toBeGreaterThan(0.2 * most);
      }
    }
  });
});
