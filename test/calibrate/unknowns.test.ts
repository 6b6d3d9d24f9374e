import { expect, test } from 'vitest';
import { unknownIn } from '../../src/index.js';
import { AIMS, expectSolved, UNKNOWNS } from '../helpers/unknown-table.js';

const CHEAP = ['scale', 'count', 'mu', 'rho', 'epsilon', 'sensitivity'];

// the rest of the table is unknowns.long.ts
test.each([
  ...Object.keys(UNKNOWNS)
    .filter((name) => name !== 'records per person')
    .map((name) => [name, '(ε, δ)'] as const),
  ...CHEAP.flatMap((name) => ['pure ε', 'advantage', 'power', 'ρ'].map((aim) => [name, aim] as const)),
])('%s for %s: met at the answer, and no longer one step beyond', (name, aim) => {
  expectSolved(name, aim);
});

test('every unknown has its own name, direction and whole numbers', () => {
  for (const [name, [template]] of Object.entries(UNKNOWNS)) {
    const { name: called, larger, whole = false, least, most } = unknownIn(template);
    expect(called).toBe(name);
    expect(larger, name).toBe(
      ['noise multiplier', 'sigma', 'scale', 'variance', 'trials', 'noise', 'bins'].includes(name)
        ? 'more-private'
        : 'less-private',
    );
    const counted = ['batch size', 'steps', 'count', 'epochs', 'bins', 'trials', 'records per person'];
    expect(whole, name).toBe(counted.includes(name));
    expect(0 < least && least < most, name).toBe(true);
  }
  expect(Object.keys(AIMS)).toHaveLength(11);
});

test('several of one kind are one unknown, in a history too', () => {
  const phase = { kind: 'dp-sgd', noiseMultiplier: 2, samplingRate: 0.1, steps: '?' };
  const parts = [phase, { ...phase, steps: { times: 2 } }];
  const { mechanismAt } = unknownIn({ kind: 'compose', parts });
  expect(mechanismAt(5)).toMatchObject({ parts: [{ count: 5 }, { count: 10 }] });
  const history = [
    [2, 0.1, 100],
    ['?', 0.1, 7],
  ];
  for (const written of [history, { history, mechanism: 'rdp' }])
    expect(unknownIn(written)).toMatchObject({ name: 'noise multiplier', least: 1e-9, most: 1e9 });
  expect(unknownIn({ noise_multiplier: 2, sample_rate: '?', steps: 9 })).toMatchObject({ most: 1 });
});

test.each([
  [
    { kind: 'matrix-mechanism', noiseMultiplier: 2, column: [1, '?'], steps: 9 },
    '"mechanism.column[1]" must be',
  ],
  [
    { kind: 'dp-sgd', noiseMultiplier: '?', samplingRate: '?', steps: 9 },
    'noise multiplier and sampling rate',
  ],
  [{ kind: 'renyi', points: [{ order: 2, epsilon: '?' }] }, '"mechanism.points[0].epsilon" must be'],
  [{ kind: 'fixed-batches', noiseMultiplier: 2, bins: '?' }, '"mechanism.bins" must be'],
  [{ kind: 'gaussian', noiseMultiplier: 2, note: '?' }, '"mechanism.note" must be'],
  [{ kind: '?', noiseMultiplier: 2 }, '"mechanism.kind" must be'],
  [{ kind: 'gaussian', rate: '?' }, '"mechanism.rate" is unknown'],
  [
    { kind: 'repeat', count: { times: 0.5 }, inner: { kind: 'gdp', mu: 1 } },
    'count.times" must be a whole number',
  ],
  [{ history: [[2, 0.1, 3]], mechanism: '?' }, '"mechanism" must be one with "?"'],
  [{ kind: 'gdp', mu: 1 }, '"mechanism" must be one with "?"'],
])('refuses %j', (template, message) => {
  expect(() => unknownIn(template)).toThrow(message);
});
