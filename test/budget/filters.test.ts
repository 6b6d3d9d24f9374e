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

/** An (ε, δ)-DP release of two outputs that never tells the share δ apart: the first has mass p, and the loss is above ε there. */
function blended(epsilon: number, delta: number, p: number): { p: number[]; q: number[] } {
  const q = (p - delta) * Math.exp(-epsilon);
  return { p: [p, 1 - p], q: [q, 1 - q] };
}

/** A release of the kind that the budget takes, at its own price. */
function priced(
  budget: PrivacyBudget,
  epsilon: number,
  delta: number,
  blend: number,
): SmallRelease<Spending> {
  const { kind } = budget;
  const masses =
    kind === 'approximate-dp' && blend < 0.7
      ? blended(epsilon, delta, delta * (1 + blend))
      : response(epsilon, kind === 'approximate-dp' ? delta : 0);
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
        const release = priced(budget, 1.2 * random() ** 2, 0.02 * random() ** 2, random());
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

describe('odometer', () => {
  const lossOf = ({ p, q }: { p: readonly number[]; q: readonly number[] }) => Math.log(p[0]! / q[0]!);
  const hockeyStick = ({ p, q }: { p: readonly number[]; q: readonly number[] }, epsilon: number) =>
    p.reduce((sum, mass, i) => sum + Math.max(0, mass - Math.exp(epsilon) * q[i]!), 0);

  test('an (epsilon, delta) release has a loss above epsilon more often than delta', () => {
    const release = { p: [0.23591409, 0.76408591], q: [0.05, 0.95] };
    expect(hockeyStick(release, 1)).toBeLessThanOrEqual(0.1);
    expect(hockeyStick({ p: release.q, q: release.p }, 1)).toBeLessThanOrEqual(0.1);
    const spending = { kind: 'approximate-dp', epsilon: 1, delta: 0.1 } as const;
    const ledger = PrivacyLedger.open(spending).spend(spending);
    // the loss is 1.5514 with probability .2359, which is more than what is asked about
    const { epsilon } = ledger.odometer({ delta: 0.2359 });
    expect(epsilon).toBeGreaterThanOrEqual(lossOf(release));
    expect(epsilon).toBeLessThan(lossOf(release) + 1e-3);
    expect(() => ledger.odometer({ delta: 0.1 })).toThrow('"delta" must be above the budget\'s delta');
  });

  test('the same with slack', () => {
    const release = { p: [0.11105, 0.88895], q: [0.01, 0.99] };
    for (const each of [release, { p: release.q, q: release.p }])
      expect(hockeyStick(each, 0.1)).toBeLessThanOrEqual(0.1);
    const ledger = PrivacyLedger.open({
      kind: 'approximate-dp',
      epsilon: 2,
      delta: '.1000001',
      slack: '1e-7',
    }).spend({ kind: 'approximate-dp', epsilon: '.1', delta: '.1' });
    for (const delta of [0.1002, 0.105, 0.111])
      expect(ledger.odometer({ delta }).epsilon).toBeGreaterThan(lossOf(release));
  });

  test('shares of the smallest doubles add up to what there is', () => {
    const unit = 5e-324;
    const ledger = PrivacyLedger.open({ kind: 'approximate-dp', epsilon: 1, delta: 2 * unit, slack: unit });
    // of δ = 4 units D is one: where δ′ has one or two more, x is −log(2/4) or −log(1/4), and nothing is spent
    const bounds = [1, 2].map(
      (share) => (Math.log(19) - Math.log(share * unit)) / 4096 - Math.log((3 - share) / 4),
    );
    expect(ledger.odometer({ delta: 4 * unit }).epsilon).toBeGreaterThan(Math.min(...bounds));
  });

  test('no release of two outputs is beyond it, and without slack one comes up to it', () => {
    for (const slack of [0, 2 ** -10])
      for (const [epsilon, delta] of [
        [0, 2 ** -7],
        [0.3, 2 ** -3],
        [2, 2 ** -13],
      ] as const) {
        const budget = {
          kind: 'approximate-dp',
          epsilon: epsilon + 40,
          delta: delta + slack,
          slack,
        } as const;
        const ledger = PrivacyLedger.open(budget).spend({ kind: 'approximate-dp', epsilon, delta });
        for (let p = delta * 1.001; p < 0.8; p *= 1.1) {
          const release = blended(epsilon, delta, p);
          if (hockeyStick({ p: release.q, q: release.p }, epsilon) > delta) continue;
          const found = ledger.odometer({ delta: p * (1 - 1e-9) }).epsilon;
          expect(found).toBeGreaterThanOrEqual(lossOf(release) - 1e-9);
          // the budget's delta is that of this release alone
          if (slack === 0) expect(found).toBeLessThan(lossOf(release) + 1e-5);
        }
      }
  });

  test('with slack it is what point 8 of docs/budget.md says, with one of the shares', () => {
    for (const [delta, slack, asked] of [
      [0.1, 1e-3, 0.3],
      [1e-6, 1e-7, 1.2e-6],
      [0.02, 0.02, 0.01],
    ] as const) {
      const budget = { kind: 'approximate-dp', epsilon: 6, delta, slack } as const;
      const ledger = PrivacyLedger.open(budget).spend({ kind: 'pure-dp', epsilon: 0.05 }, { count: 100 });
      const mixed = delta - slack;
      const byOrders = (rho: number, share: number) =>
        Math.min(
          ...Array.from({ length: 19 }, (_, i) => {
            const above = 2 ** (i - 6);
            return (1 + above) * rho + Math.log(19 / share) / above;
          }),
        );
      const stated = [1, 2, 3, 4, 5, 6].map((k) => {
        if (mixed === 0) return byOrders(0.125, asked);
        const share = (asked - mixed) / 2 ** k;
        return byOrders(0.125, share) - Math.log(1 - (share + mixed) / asked);
      });
      const { epsilon } = ledger.odometer({ delta: asked });
      expect(Math.min(...stated.map((each) => Math.abs(epsilon / each - 1)))).toBeLessThan(1e-9);
    }
  });

  /**
   * An interaction that goes on while nothing crosses: at stage s an output of mass `hit` has the loss that the bound of one order comes
   * to, were δ not shared among the orders; each stage is for another order, and hardly moves the supermartingales of those to come.
   */
  function crossings(
    spendingAt: (stage: number) => { loss: number; cost: (release: Masses) => Spending },
    budget: PrivacyBudget,
    { stages, hit, delta }: { stages: number; hit: number; delta: number },
  ): number {
    const ledger = PrivacyLedger.open(budget);
    let [p, before, crossed] = [1, 0, 0];
    for (let stage = 0; stage < stages; stage++) {
      const { loss, cost } = spendingAt(stage);
      const q = hit * Math.exp(-loss);
      const release = { p: [hit, 1 - hit], q: [q, 1 - q] };
      ledger.spend(cost(release));
      if (before + loss > ledger.odometer({ delta }).epsilon) crossed += p * hit;
      before += Math.log((1 - hit) / (1 - q));
      p *= 1 - hit;
    }
    return crossed;
  }
  interface Masses {
    readonly p: readonly number[];
    readonly q: readonly number[];
  }

  test('orders that are declared share delta: one stage for each crosses no more often', () => {
    const orders = [1.25, 9];
    const budget: PrivacyBudget = { kind: 'rdp', points: orders.map((order) => ({ order, epsilon: 1e3 })) };
    const [hit, stages] = [0.01, 2];
    const rare = (stage: number) => ({
      loss: [1.5, 40][stage]!,
      cost: (release: Masses): Spending => ({
        kind: 'rdp',
        points: orders.map((order) => ({ order, epsilon: divergenceOf(release, order) + 1e-12 })),
      }),
    });
    const delta = 1.05 * hit;
    expect(crossings(rare, budget, { stages, hit, delta })).toBeLessThanOrEqual(delta);
    // were it not shared, each of the two would have all of it: what is asked with twice as much
    expect(crossings(rare, budget, { stages, hit, delta: 2 * delta })).toBeGreaterThan(delta);
  });

  test('the nineteen orders of zCDP share delta', () => {
    const budget: PrivacyBudget = { kind: 'zcdp', rho: 1e9 };
    const [hit, stages] = [0.01, 3];
    const ladder = (stage: number) => {
      // the order at which sums of rho and 1/hit meet best, a thousandfold apart
      const above = [2 ** 7, 2 ** 3, 2 ** -2][stage]!;
      const rho = -Math.log(hit) / above ** 2;
      const loss = (1 + above) * rho - Math.log(hit) / above;
      return {
        loss,
        cost: (release: Masses): Spending => {
          for (let x = 2 ** -8; x < 2 ** 14; x *= 1.3)
            expect(renyiOf(release, x)).toBeLessThanOrEqual((1 + x) * rho * (1 + 2e-2));
          return { kind: 'zcdp', rho: rho * (1 + 2e-2) };
        },
      };
    };
    const delta = 1.3 * hit;
    expect(crossings(ladder, budget, { stages, hit, delta })).toBeLessThanOrEqual(delta);
    expect(crossings(ladder, budget, { stages, hit, delta: 19 * delta })).toBeGreaterThan(delta);
  });

  /** Rényi divergence of order 1 + x, the worse way round, without overflow. */
  function renyiOf({ p, q }: Masses, x: number): number {
    const one = (a: readonly number[], b: readonly number[]): number => {
      const terms = a.map((mass, i) => Math.log(mass) + x * Math.log(mass / b[i]!));
      const most = Math.max(...terms);
      return (most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0))) / x;
    };
    return Math.max(one(p, q), one(q, p));
  }
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
