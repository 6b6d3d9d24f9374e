/** The theorems of docs/budget.md on interactions that can be listed, with strategies that look at what came out. */
import { describe, expect, test } from 'vitest';
import { type PrivacyBudget, PrivacyLedger, type Spending } from '../../src/index.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { deltaOfPaths, pathsOf, renyiOfMasses, type SmallRelease } from '../helpers/interactions.js';
import { seeded } from '../helpers/random.js';

/** Randomised response of loss ε with the share δ told outright. */
function response(epsilon: number, delta: number): { p: number[]; q: number[] } {
  const high = (1 - delta) / (1 + Math.exp(-epsilon));
  const low = 1 - delta - high;
  return { p: [high, low, delta, 0], q: [low, high, 0, delta] };
}

function divergenceOf({ p, q }: { p: readonly number[]; q: readonly number[] }, order: number): number {
  const masses = p.map((mass, i) => ({ p: mass, q: q[i] })).filter((each) => each.p > 0);
  return Math.max(
    0,
    renyiOfMasses(masses, order),
    renyiOfMasses(
      masses.map((m) => ({ p: m.q, q: m.p })),
      order,
    ),
  );
}

/** A release of the kind that the budget takes, at its own price. */
function priced(budget: PrivacyBudget, epsilon: number, delta: number): SmallRelease<Spending> {
  const { kind } = budget;
  const masses = response(epsilon, kind === 'approximate-dp' ? delta : 0);
  if (kind === 'approximate-dp') return { ...masses, cost: { kind, epsilon, delta } };
  if (kind !== 'rdp') return { ...masses, cost: { kind: 'pure-dp', epsilon } };
  const points = budget.points.map(({ order }) => ({ order, epsilon: divergenceOf(masses, order) }));
  return { ...masses, cost: { kind: 'rdp', points } };
}

const DEPTH = 5;

/** Every path of an interaction whose releases are drawn anew for each history; stops where the ledger refuses. */
function interaction(budget: PrivacyBudget, seed: number) {
  const reached: { p: number; q: number; epsilon: number; loss: number; outputs: string }[] = [];
  const delta = budget.kind === 'approximate-dp' ? 2 * Number(budget.delta) : 1e-2;
  const paths = pathsOf(
    PrivacyLedger.open(budget),
    (ledger: PrivacyLedger, outputs) => {
      if (outputs.length === DEPTH) return undefined;
      const random = seeded(seed + outputs.reduce((key, output) => 5 * key + output + 1, 0));
      for (let tries = 0; tries < 6; tries++) {
        const release = priced(budget, 1.2 * random() ** 2, 0.02 * random() ** 2);
        if (ledger.fits(release.cost)) return { release, next: ledger.copy().spend(release.cost) };
      }
      return undefined;
    },
    ({ p, q, outputs, state }) => {
      const loss = p === 0 ? -Infinity : Math.log(p / q);
      reached.push({ p, q, loss, epsilon: state.odometer({ delta }).epsilon, outputs: outputs.join() });
    },
  );
  return { paths, reached, delta };
}

const BUDGETS: readonly PrivacyBudget[] = [
  { kind: 'pure-dp', epsilon: 1.5 },
  { kind: 'approximate-dp', epsilon: 1.5, delta: 0.02 },
  { kind: 'approximate-dp', epsilon: 1.5, delta: 0.03, slack: 0.01 },
  { kind: 'zcdp', rho: 0.4 },
  { kind: 'rdp', points: [1.5, 2, 6].map((order) => ({ order, epsilon: 0.3 * order })) },
];

describe.each(BUDGETS.map((budget) => [JSON.stringify(budget), budget] as const))('%s', (_, budget) => {
  const runs = Array.from({ length: 25 }, (_, i) => interaction(budget, 1000 * i + 1));

  test('holds for everything together, both ways', () => {
    let tightest = 0;
    for (const { paths } of runs) {
      expect(paths.length).toBeGreaterThan(4);
      for (const each of [paths, paths.map(({ p, q }) => ({ p: q, q: p }))]) {
        switch (budget.kind) {
          case 'rdp':
          case 'zcdp': {
            const limits =
              budget.kind === 'rdp'
                ? budget.points.map(({ order, epsilon }) => [order, Number(epsilon)])
                : [1.1, 1.5, 2, 4, 16, 64].map((order) => [order, order * Number(budget.rho)]);
            for (const [order, limit] of limits) {
              const divergence = renyiOfMasses(each, order);
              expect(divergence).toBeLessThanOrEqual(limit * (1 + 1e-12));
              tightest = Math.max(tightest, divergence / limit);
            }
            break;
          }
          default: {
            const delta = budget.kind === 'approximate-dp' ? Number(budget.delta) : 0;
            const found = deltaOfPaths(each, Number((budget as { epsilon: number }).epsilon));
            expect(found).toBeLessThanOrEqual(delta + 1e-12);
            tightest = Math.max(tightest, delta === 0 ? 1 : found / delta);
          }
        }
      }
    }
    // a bound that nothing comes near would hold of a wrong sum, too
    expect(tightest).toBeGreaterThan(
      budget.kind === 'approximate-dp' && budget.slack !== undefined ? 0.1 : 0.5,
    );
  });

  test('odometer: the loss is above it at some time with probability delta at most', () => {
    for (const { reached, delta } of runs) {
      const above = reached.filter(({ loss, epsilon }) => loss > epsilon + 1e-12);
      // paths of which no beginning is above already
      const first = above.filter(
        ({ outputs }) =>
          !above.some(
            (other) =>
              other.outputs !== outputs &&
              `${outputs},`.startsWith(other.outputs === '' ? ',' : `${other.outputs},`),
          ),
      );
      expect(first.reduce((sum, { p }) => sum + p, 0)).toBeLessThanOrEqual(delta);
    }
  });
});

describe('Gaussian noise chosen by what came out', () => {
  const mu = 1.3;
  /** δ of N(μ₁) and then N(μ₂(y)), by the midpoint rule over the first output y. */
  const delta = (epsilon: number, first: number, second: (y: number) => number): number => {
    const step = 1e-3;
    let sum = 0;
    for (let y = -12 + step / 2; y < 14; y += step) {
      const density = Math.exp(-((y - first) ** 2) / 2) / Math.sqrt(2 * Math.PI);
      const loss = first * y - (first * first) / 2;
      const [left, m] = [epsilon - loss, second(y)];
      const rest = left >= 0 ? deltaGdp(m, left) : 1 - Math.exp(left) + Math.exp(left) * deltaGdp(m, -left);
      sum += density * (m === 0 ? Math.max(0, 1 - Math.exp(left)) : rest) * step;
    }
    return sum;
  };

  test.each([0, 0.5, 2, 4])(
    'never beyond the budget, and it exactly where all is spent: epsilon %f',
    (epsilon) => {
      const first = 0.7;
      const ledger = PrivacyLedger.open({ kind: 'gdp', mu }).spend({ kind: 'gdp', mu: first });
      const { largest } = ledger.readings[0];
      const limit = deltaGdp(mu, epsilon);
      expect(delta(epsilon, first, () => largest)).toBeCloseTo(limit, 9);
      for (const second of [
        (y: number) => (y > 0.3 ? largest : 0),
        (y: number) => (y < 0.3 ? largest : largest / 2),
        (y: number) => largest * Math.abs(Math.sin(5 * y)),
      ]) {
        const found = delta(epsilon, first, second);
        expect(found).toBeLessThan(limit);
        expect(found).toBeGreaterThan(deltaGdp(first, epsilon));
      }
      // spending by what was not noticed is beyond it: the test can fail
      expect(delta(epsilon, first, (y) => (y > 0.3 ? 1.6 * largest : 0.5 * largest))).toBeGreaterThan(limit);
    },
  );
});
