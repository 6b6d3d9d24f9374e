/** Individual filters (docs/budget.md 9): whole interactions with small data sets, once with a record and once without it. */
import { describe, expect, test } from 'vitest';
import {
  type Charge,
  InputRangeError,
  InputTypeError,
  type PrivacyBudget,
  RecordLedger,
  type Spending,
} from '../../src/index.js';
import { deltaGdp, normalCdf } from '../../src/numeric/scalar.js';
import { deltaOfPaths, type Path, pathsOf, renyiOfMasses } from '../helpers/interactions.js';
import { seeded } from '../helpers/random.js';

const DEPTH = 5;
const RECORDS = ['a', 'b', 'c'];

/** The step after some outputs: a gradient for each record, and a threshold. */
function stepAfter(seed: number, outputs: readonly number[]) {
  const key = outputs.reduce((sum, output) => 3 * sum + output + 1, 1);
  const random = seeded(1000 * seed + key);
  const gradients = new Map(RECORDS.map((name) => [name, (random() < 0.5 ? -1 : 1) * 1.4 * random() ** 2]));
  return { gradients, threshold: 1.5 * (random() - 0.5) };
}

const chargeOf = (gradient: number): Spending => ({ kind: 'gdp', mu: Math.abs(gradient) });

/** The sum of the gradients that a ledger of the data set lets in, after those outputs. */
function sumOf(budget: PrivacyBudget, data: readonly string[], seed: number, outputs: readonly number[]) {
  const ledger = RecordLedger.open(budget);
  for (let t = 0; ; t++) {
    const { gradients } = stepAfter(seed, outputs.slice(0, t));
    const leftOut = ledger.charge(
      data.map((name) => ({ spend: chargeOf(gradients.get(name)!), records: [name] })),
    );
    if (t < outputs.length) continue;
    const active = data.filter((name) => !leftOut.includes(name));
    return active.reduce((sum, name) => sum + gradients.get(name)!, 0);
  }
}

/**
 * Whether the sum of the gradients plus N(0, 1) is above a threshold, five times; each gradient and threshold depends on what came
 * out before. With all three records, and without the first.
 */
function interaction(budget: PrivacyBudget, seed: number): Path[] {
  const bit = (data: readonly string[], outputs: readonly number[]): number[] => {
    const above = normalCdf(sumOf(budget, data, seed, outputs) - stepAfter(seed, outputs).threshold);
    return [1 - above, above];
  };
  return pathsOf(
    0,
    (state, outputs) =>
      outputs.length === DEPTH
        ? undefined
        : {
            release: { p: bit(RECORDS, outputs), q: bit(RECORDS.slice(1), outputs), cost: 0 },
            next: state,
          },
    () => {},
  );
}

describe('everything together keeps the budget of a record that is there or not, whatever others are charged', () => {
  const runs = (budget: PrivacyBudget) =>
    Array.from({ length: 60 }, (_, seed) => interaction(budget, seed)).flatMap((paths) => [
      paths,
      paths.map(({ p, q }) => ({ p: q, q: p })),
    ]);

  test('a Gaussian budget', () => {
    let tightest = 0;
    for (const paths of runs({ kind: 'gdp', mu: 0.5 }))
      for (const epsilon of [0, 0.25, 0.5, 1, 2]) {
        const [found, limit] = [deltaOfPaths(paths, epsilon), deltaGdp(0.5, epsilon)];
        expect(found).toBeLessThanOrEqual(limit * (1 + 1e-12));
        tightest = Math.max(tightest, found / limit);
      }
    expect(tightest).toBeGreaterThan(0.7);
  });

  test('a zCDP budget', () => {
    let tightest = 0;
    for (const paths of runs({ kind: 'zcdp', rho: 0.125 }))
      for (const order of [1.1, 2, 4, 16]) {
        const divergence = renyiOfMasses(paths, order);
        expect(divergence).toBeLessThanOrEqual(0.125 * order * (1 + 1e-12));
        tightest = Math.max(tightest, divergence / (0.125 * order));
      }
    expect(tightest).toBeGreaterThan(0.4);
  });
});

describe('a budget for each record', () => {
  const gdp = (mu: string): Spending => ({ kind: 'gdp', mu });
  const opened = () => RecordLedger.open({ kind: 'gdp', mu: 1 });

  test('is left out where its budget does not cover the charge, pays nothing then, and may be back', () => {
    const ledger = opened();
    expect(ledger.charge([{ spend: gdp('0.8'), records: ['a', 'b'] }])).toEqual([]);
    expect(
      ledger.charge([
        { spend: gdp('0.7'), records: ['a', 'c'] },
        { spend: gdp('0.6'), records: ['b'] },
      ]),
    ).toEqual(['a']);
    expect(ledger.charge([{ spend: gdp('0.6'), records: ['a', 'b', 'c'] }])).toEqual(['b']);
    expect(['a', 'b', 'c', 'd'].map((name) => ledger.of(name).readings[0].left)).toEqual([
      '0',
      '0',
      '0.15',
      '1',
    ]);
    expect([ledger.count, ledger.budget]).toEqual([3, { kind: 'gdp', mu: 1 }]);
  });

  test('what is read of a record is a copy', () => {
    const ledger = opened();
    ledger.of('a').spend(gdp('1'));
    expect(ledger.charge([{ spend: gdp('1'), records: ['a'] }])).toEqual([]);
    ledger.of('a').odometer({ delta: 1e-5 });
    expect(ledger.of('a').count).toBe(1);
  });

  test('what others are charged changes nothing for a record', () => {
    const [one, other] = [opened(), opened()];
    for (let i = 0; i < 9; i++) {
      const mine: Charge = { spend: gdp('0.4'), records: ['a'] };
      const alone = one.charge([mine]);
      const together = other.charge([{ spend: gdp('0.9'), records: ['b', `c${i}`] }, mine]);
      expect(together.includes('a')).toBe(alone.includes('a'));
    }
    expect(one.of('a').toJSON()).toEqual(other.of('a').toJSON());
  });

  test('takes what its kind of budget takes', () => {
    const pure = RecordLedger.open({ kind: 'approximate-dp', epsilon: 1, delta: '1e-5', slack: '1e-6' });
    for (let i = 0; i < 100; i++)
      pure.charge([{ spend: { kind: 'pure-dp', epsilon: '0.01' }, records: ['a'] }]);
    expect(pure.of('a').count).toBe(100);
  });

  const good: Charge = { spend: gdp('0.1'), records: ['a'] };
  test.each([
    [{}, InputTypeError, '"charges" must be an array'],
    [[], InputRangeError, '"charges" must be an array of 1 to'],
    [[good, 3], InputTypeError, '"charges[1]" must be an object'],
    [[{ ...good, records: [] }], InputRangeError, '"charges[0].records" must be an array of 1'],
    [[{ ...good, records: ['a b'] }], InputRangeError, '"charges[0].records[0]" must be 1 to 128 letters'],
    [[{ ...good, count: 2 }], InputTypeError, '"charges[0].count" is unknown'],
    [
      [good, { ...good, spend: gdp('0.2') }],
      InputRangeError,
      '"charges[1].records" must be new: "a" is charged twice',
    ],
    [
      [good, { records: ['b'], spend: { kind: 'zcdp', rho: 1 } }],
      InputRangeError,
      'no theorem leads from "zcdp"',
    ],
    [[good, { records: ['b'], spend: gdp('-1') }], InputRangeError, '"spending.mu" must be'],
  ])('%j is refused, and nobody is charged', (charges, type, message) => {
    const ledger = opened();
    const asked = () => ledger.charge(charges as never);
    expect(asked).toThrow(type);
    expect(asked).toThrow(message);
    expect([ledger.count, ledger.of('a').count]).toEqual([0, 0]);
  });
});
