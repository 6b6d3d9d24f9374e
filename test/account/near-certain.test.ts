/**
 * δ near 1, which 1 − δ alone tells apart: 1 − δ(−ε) = e^{−ε}(1 − δ′(ε)), δ′ of the exchanged pair (as E_Q[min(1, e^{−ε−L})] =
 * e^{−ε} E_P[min(1, e^{ε+L})]).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Adjacency, account, parseMechanism } from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { KINDS, mechanismOfKind } from '../helpers/random-mechanisms.js';
import { reference, wasm } from '../helpers/runs.js';

const golden = JSON.parse(readFileSync(new URL('../golden/near-certain.json', import.meta.url), 'utf8')) as {
  deltas: { mechanism: object; adjacency: Adjacency; epsilon: number; logDelta: string }[];
  advantages: { mechanism: object; oneMinusAdvantage: string }[];
};

describe.each([wasm, reference])('engine %#', (engine) => {
  it.each(golden.deltas)('$mechanism.kind at $epsilon: $logDelta', (row) => {
    const run = account(engine, parseMechanism(row.mechanism), { adjacency: row.adjacency });
    const { lower, upper } = run.logDelta(row.epsilon);
    expect(decimal(lower)).toBeLessThanOrEqual(decimal(row.logDelta));
    expect(decimal(upper)).toBeGreaterThanOrEqual(decimal(row.logDelta));
    expect(upper - lower).toBeLessThan(1e-9 * -lower);
  });

  it.each(golden.advantages)('1 - advantage is $oneMinusAdvantage', (row) => {
    const run = account(engine, parseMechanism(row.mechanism), { adjacency: 'add-remove' });
    const { lower, upper } = run.oneMinusAdvantage();
    expect(decimal(lower)).toBeLessThanOrEqual(decimal(row.oneMinusAdvantage));
    expect(decimal(upper)).toBeGreaterThanOrEqual(decimal(row.oneMinusAdvantage));
    expect(upper - lower).toBeLessThan(2e-15);
  });
});

/** A number exactly, in units of 1e-1100. */
function decimal(x: number | string): bigint {
  const [, sign, digits, fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/.exec(typeof x === 'string' ? x : exact(x)) ?? [];
  const value = BigInt(digits + fraction) * 10n ** BigInt(1100 + Number(exponent) - fraction.length);
  return sign === '-' ? -value : value;
}

/** All decimal places of a double that is not too small. */
function exact(x: number): string {
  let scale = 0;
  let size = Math.abs(x);
  while (size !== Math.floor(size)) {
    size *= 2;
    scale++;
  }
  // n/2^s = n 5^s / 10^s
  return `${x < 0 ? '-' : ''}${BigInt(size) * 5n ** BigInt(scale)}e${-scale}`;
}

/** log(1 − δ) of an end of a bracket of log δ, to about 1e-15. */
const restOf = (logDelta: number): number =>
  logDelta > -Math.LN2 ? Math.log(-Math.expm1(logDelta)) : Math.log1p(-Math.exp(logDelta));

/** Of each kind. */
const ROUNDS = LONG_TESTS ? 12 : 5;

describe('the exchanged pair says the same', () => {
  it.each(KINDS)('%s', (kind) => {
    const random = seeded(28);
    let looked = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const { json, mechanism, adjacency } = mechanismOfKind(kind, random);
      const run = account(wasm, mechanism, { adjacency, tolerance: 1e-3, maxGridLength: 2 ** 14 });
      const [one, other = one] = run.directions;
      for (const epsilon of [1e-3 * random(), 0.5 * random(), 6 * random()]) {
        const here = one.logDelta(-epsilon);
        const there = other.logDelta(epsilon);
        const [least, most] = [restOf(here.upper), restOf(here.lower)];
        const [low, high] = [restOf(there.upper) - epsilon, restOf(there.lower) - epsilon];
        const slack = 1e-14 * (epsilon + Math.min(1, Math.abs(low)));
        const context = JSON.stringify({ json, epsilon, here, there });
        expect(least, context).toBeLessThanOrEqual(high + slack);
        expect(most, context).toBeGreaterThanOrEqual(low - slack);
        looked++;
      }
    }
    expect(looked).toBe(3 * ROUNDS);
  });
});
