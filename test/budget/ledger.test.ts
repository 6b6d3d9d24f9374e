import { describe, expect, test } from 'vitest';
import {
  BudgetExceeded,
  InputRangeError,
  InputTypeError,
  type PrivacyBudget,
  PrivacyLedger,
  type Spending,
} from '../../src/index.js';
import { compareExact, exactDecimal, times } from '../../src/numeric/exact-decimal.js';

const open = (budget: PrivacyBudget) => PrivacyLedger.open(budget);
const gdp = (mu: number | string): Spending => ({ kind: 'gdp', mu });

/** How many of a spending fit. */
function fitting(budget: PrivacyBudget, spending: Spending, most = 1000): number {
  const ledger = open(budget);
  while (ledger.count < most && ledger.fits(spending)) ledger.spend(spending);
  return ledger.count;
}

describe('sums are exact', () => {
  test('twenty of mu = 0.1 fit in 0.4472136, and no more', () => {
    const ledger = open({ kind: 'gdp', mu: 0.4472136 });
    for (let i = 0; i < 20; i++) ledger.spend(gdp(0.1));
    const before = JSON.stringify(ledger);
    expect(() => ledger.spend(gdp(0.1))).toThrow(BudgetExceeded);
    expect(JSON.stringify(ledger)).toBe(before);
    expect(ledger.count).toBe(20);
  });

  test('ten of 0.1 fit in 1 as decimals, nine as doubles, which are above it', () => {
    expect(fitting({ kind: 'zcdp', rho: 1 }, { kind: 'zcdp', rho: '0.1' })).toBe(10);
    expect(fitting({ kind: 'zcdp', rho: 1 }, { kind: 'zcdp', rho: 0.1 })).toBe(9);
    expect(fitting({ kind: 'pure-dp', epsilon: '0.3' }, { kind: 'pure-dp', epsilon: '0.1' })).toBe(3);
  });

  test('the smallest double counts, beside the largest sums', () => {
    const ledger = open({ kind: 'zcdp', rho: 1 }).spend({ kind: 'zcdp', rho: 5e-324 });
    expect(ledger.fits({ kind: 'zcdp', rho: 1 })).toBe(false);
    expect(ledger.readings[0].largest).toBe(1 - 2 ** -53);
    const gaussian = open({ kind: 'gdp', mu: 1 }).spend(gdp(5e-324), { count: 3 });
    expect(gaussian.fits(gdp(1))).toBe(false);
    expect(gaussian.readings[0].spent).toMatch(/e-2148$/);
    expect(
      open({ kind: 'zcdp', rho: 1 }).spend({ kind: 'zcdp', rho: 1 }).fits({ kind: 'zcdp', rho: 0 }),
    ).toBe(true);
  });

  test('what is said to be the largest fits, and the next double does not', () => {
    const ledger = open({ kind: 'gdp', mu: 1 }).spend(gdp(0.3), { count: 7 });
    const { largest } = ledger.readings[0];
    expect(largest).toBeCloseTo(Math.sqrt(1 - 0.63), 12);
    expect(ledger.fits(gdp(largest))).toBe(true);
    expect(ledger.fits(gdp(largest * (1 + 2 ** -52)))).toBe(false);
  });

  test('what is said to be the largest fits where the sum is of the quantity itself, too', () => {
    // 0.1 as it is written is below the double 0.1, and 0.3 above the double 0.3
    for (const [epsilon, largest] of [
      ['0.1', 0.1 - 2 ** -56],
      ['0.3', 0.3],
    ] as const) {
      const ledger = open({ kind: 'pure-dp', epsilon });
      expect(ledger.readings[0].largest).toBe(largest);
      expect(ledger.fits({ kind: 'pure-dp', epsilon: ledger.readings[0].largest })).toBe(true);
    }
  });

  test('do not depend on the order, nor on whether releases are counted or listed', () => {
    const budget = { kind: 'rdp', points: [2, 8.5].map((order) => ({ order, epsilon: 1e6 })) } as const;
    const costs: Spending[] = [
      { kind: 'zcdp', rho: 1 / 3 },
      { kind: 'gdp', mu: 1e-9 },
      { kind: 'pure-dp', epsilon: 0.7 },
      { kind: 'rdp', points: [{ order: 9, epsilon: 0.123 }] },
    ];
    const one = open(budget);
    for (const cost of costs) one.spend(cost, { count: 3 });
    const other = open(budget);
    for (let i = 0; i < 3; i++) for (const cost of costs.toReversed()) other.spend(cost);
    expect(one.toJSON()).toEqual(other.toJSON());
  });
});

describe('kinds', () => {
  test('zCDP of Gaussian and pure releases is half the square', () => {
    expect(fitting({ kind: 'zcdp', rho: '0.5' }, gdp('0.1'))).toBe(100);
    expect(fitting({ kind: 'zcdp', rho: '0.5' }, { kind: 'pure-dp', epsilon: '0.1' })).toBe(100);
  });

  test('divergences are those of the order or of a higher one', () => {
    const ledger = open({
      kind: 'rdp',
      points: [
        { order: 2, epsilon: 10 },
        { order: 4, epsilon: 10 },
      ],
    });
    ledger.spend({
      kind: 'rdp',
      points: [
        { order: 3, epsilon: '0.25' },
        { order: 5, epsilon: '0.5' },
      ],
    });
    ledger.spend(gdp(1)).spend({ kind: 'pure-dp', epsilon: '0.75' });
    expect(ledger.readings.map(({ sum, spent }) => [sum, spent])).toEqual([
      ['sum of epsilon at order 2', '1.8125'],
      ['sum of epsilon at order 4', '3.25'],
    ]);
    expect(() => ledger.spend({ kind: 'rdp', points: [{ order: 3, epsilon: 1 }] })).toThrow(
      /none is 4 or above/,
    );
  });

  test('(epsilon, delta): basic composition without slack', () => {
    const ledger = open({ kind: 'approximate-dp', epsilon: 1, delta: '1e-5' });
    const one = { kind: 'approximate-dp', epsilon: '0.25', delta: '3e-6' } as const;
    ledger.spend(one, { count: 3 });
    expect(() => ledger.spend(one)).toThrow(
      /the sum of delta would grow by 0\.000003, and 0\.000001 is left/,
    );
    ledger.spend({ kind: 'pure-dp', epsilon: '0.25' });
    expect(ledger.readings.map(({ left }) => left)).toEqual(['0', '0.000001']);
  });

  test('(epsilon, delta) with slack: advanced composition, its constant from below', () => {
    const ledger = open({ kind: 'approximate-dp', epsilon: 2, delta: '2e-6', slack: '1e-6' });
    const [{ capacity }, deltas] = ledger.readings;
    const most = Number(capacity);
    const total = Math.sqrt(2 * Math.log(1e6) * most) + most / 2;
    expect(total).toBeLessThanOrEqual(2 * (1 + 4e-16));
    expect(total).toBeGreaterThan(2 * (1 - 1e-13));
    expect(deltas.capacity).toBe('0.000001');
    expect(fitting(ledger.budget, { kind: 'pure-dp', epsilon: 0.01 }, 2000)).toBe(Math.floor(most / 0.0001));
  });

  test('advanced composition of tiny and huge budgets: a square below all doubles is not raised to one', () => {
    const squared = (x: number) => times(exactDecimal(x)!, exactDecimal(x)!);
    for (const epsilon of [5e-324, 4e-323, 1e-161, 1e-3, 1e3, 1e300]) {
      for (const slack of [1, Math.exp(-10), 1e-300]) {
        const [{ capacity }] = open({ kind: 'approximate-dp', epsilon, delta: 1, slack }).readings;
        // Σ ε² = 2(√(E + L) − √L)², times (√(E + L) + √L)²
        const l = -Math.log(slack);
        const found = times(exactDecimal(capacity, 20_000)!, squared(Math.sqrt(epsilon + l) + Math.sqrt(l)));
        const share = (x: number) => times(squared(epsilon), exactDecimal(x)!);
        expect(compareExact(found, share(2)), `${epsilon} ${slack}`).toBe(-1);
        expect(compareExact(found, share(2 - 4e-14)), `${epsilon} ${slack}`).toBe(1);
      }
    }
  });

  test('are refused where no theorem leads from one to the other', () => {
    for (const [budget, spending] of [
      [
        { kind: 'gdp', mu: 1 },
        { kind: 'zcdp', rho: 0.1 },
      ],
      [
        { kind: 'pure-dp', epsilon: 1 },
        { kind: 'approximate-dp', epsilon: 0.1, delta: 0 },
      ],
      [
        { kind: 'zcdp', rho: 1 },
        { kind: 'approximate-dp', epsilon: 0.1, delta: 0.1 },
      ],
      [{ kind: 'approximate-dp', epsilon: 1, delta: 0.1 }, gdp(0.1)],
      [
        { kind: 'rdp', points: [{ order: 2, epsilon: 1 }] },
        { kind: 'approximate-dp', epsilon: 0.1, delta: 0 },
      ],
    ] as [PrivacyBudget, Spending][]) {
      expect(() => open(budget).spend(spending)).toThrow(/no theorem leads from/);
    }
  });
});

describe('input', () => {
  test.each<[unknown, typeof InputTypeError | typeof InputRangeError, string]>([
    [undefined, InputTypeError, '"budget" must be an object with a "kind"'],
    [{ kind: 'rho' }, InputRangeError, '"budget.kind" must be one of pure-dp'],
    [{ kind: 'gdp' }, InputTypeError, '"budget.mu" must be a finite number >= 0'],
    [{ kind: 'gdp', mu: -1 }, InputRangeError, '"budget.mu" must be'],
    [{ kind: 'gdp', mu: Number.NaN }, InputRangeError, '"budget.mu" must be'],
    [{ kind: 'gdp', mu: Infinity }, InputRangeError, '"budget.mu" must be'],
    [{ kind: 'gdp', mu: '1,5' }, InputRangeError, '"budget.mu" must be'],
    [{ kind: 'gdp', mu: 1, slack: 0 }, InputTypeError, '"budget.slack" is unknown'],
    [{ kind: 'approximate-dp', epsilon: 1, delta: 1.5 }, InputRangeError, '"budget.delta" must be in [0, 1]'],
    [{ kind: 'approximate-dp', epsilon: 1, delta: 0.1, slack: 0.2 }, InputRangeError, 'at most delta'],
    [{ kind: 'approximate-dp', epsilon: 1, delta: 0.1, slack: '1e-400' }, InputRangeError, 'at least 5e-324'],
    [{ kind: 'rdp', points: [] }, InputRangeError, '"budget.points" must be an array of 1 to '],
    [
      { kind: 'rdp', points: [{ order: 1, epsilon: 1 }] },
      InputRangeError,
      '"budget.points[0].order" must be',
    ],
    [
      { kind: 'rdp', points: [{ order: 1000001, epsilon: 1 }] },
      InputRangeError,
      '"budget.points[0].order" must be a number in (1, 1e6], got 1000001',
    ],
    [
      {
        kind: 'rdp',
        points: [
          { order: 3, epsilon: 1 },
          { order: 2, epsilon: 1 },
        ],
      },
      InputRangeError,
      '"budget.points[1].order" must be a number in (3, 1e6], above the one before',
    ],
  ])('%j is refused', (budget, kind, message) => {
    expect(() => open(budget as PrivacyBudget)).toThrow(kind);
    expect(() => open(budget as PrivacyBudget)).toThrow(message);
  });

  test('of a spending, and data that no ledger wrote', () => {
    const ledger = open({ kind: 'gdp', mu: 1 });
    expect(() => ledger.spend(gdp(0.1), { count: 0 })).toThrow('"count" must be');
    expect(() => ledger.spend(gdp(0.1), { count: 1.5 })).toThrow('"count" must be');
    expect(() => ledger.odometer({ delta: 0 })).toThrow('"delta" must be a number in (0, 1)');
    const data = JSON.parse(JSON.stringify(ledger.spend(gdp(0.5))));
    expect(PrivacyLedger.fromJSON(data).toJSON()).toEqual(data);
    for (const [change, message] of [
      [{ format: 'x' }, '"ledger.format" must be'],
      [{ spent: ['1.5'] }, '"ledger.spent[0]" must be within the budget'],
      [{ spent: [] }, '"ledger.spent" must be an array of 1'],
      [{ count: -1 }, '"ledger.count" must be'],
      [{ more: 1 }, '"ledger.more" is unknown'],
    ] as [object, string][]) {
      expect(() => PrivacyLedger.fromJSON({ ...data, ...change })).toThrow(message);
    }
  });

  test('what is written is read back, however long the sums', () => {
    const ledger = open({ kind: 'zcdp', rho: 1 });
    for (const mu of ['1e-2000', `0.${'1'.repeat(1500)}`]) ledger.spend({ kind: 'gdp', mu });
    // the longest decimals that are read, at either end, times the longest order and count
    const longest = `0.${'0'.repeat(2380)}7${'1'.repeat(10)}e-2400`;
    const wide = open({
      kind: 'rdp',
      points: [{ order: 1 + 2 ** -52, epsilon: `${'9'.repeat(2394)}e2400` }],
    });
    wide.spend({ kind: 'gdp', mu: '1e2390' }).spend({ kind: 'gdp', mu: longest }, { count: 2 ** 52 + 1 });
    for (const each of [ledger, open({ kind: 'gdp', mu: 1 }).spend(gdp(longest)).spend(gdp(0.5)), wide]) {
      const text = JSON.stringify(each);
      expect(JSON.stringify(PrivacyLedger.fromJSON(JSON.parse(text)))).toBe(text);
    }
  });

  test('what fits is what is taken, also where the releases are more than can be counted', () => {
    const ledger = open({ kind: 'gdp', mu: 1 }).spend(gdp(0), { count: Number.MAX_SAFE_INTEGER });
    for (const ask of [() => ledger.fits(gdp(0)), () => ledger.spend(gdp(0))])
      expect(ask).toThrow('"count" must be a total below 2^53 releases');
  });

  test('a caller cannot reach what the ledger holds', () => {
    const points = [{ order: 2, epsilon: 1 }];
    const ledger = open({ kind: 'rdp', points });
    points[0].epsilon = 100;
    (ledger.budget as unknown as { points: { epsilon: number }[] }).points[0].epsilon = 100;
    expect(ledger.fits({ kind: 'zcdp', rho: 1 })).toBe(false);
    const copy = ledger.copy().spend({ kind: 'zcdp', rho: 0.5 });
    expect([ledger.count, copy.count]).toEqual([0, 1]);
  });
});
