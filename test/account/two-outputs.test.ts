import { describe, expect, test } from 'vitest';
import { twoOutputsBelow } from '../../src/bounds/two-outputs.js';
import {
  account,
  gdp,
  type Mechanism,
  mcdp,
  poissonSubsampled,
  rdp,
  repeat,
  tcdp,
  zcdp,
} from '../../src/index.js';
import { allowedOutputs, type Guarantee } from '../../src/law/renyi-profile.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

interface Pair {
  /** Losses of the two outputs, and the chance of the first without the record. */
  readonly a: number;
  readonly b: number;
  readonly chance: number;
}

/** The pair of two outputs with the losses a and −b: its chances follow from E e^L = 1. */
const pairOf = (a: number, b: number): Pair => ({
  a,
  b,
  chance: Math.expm1(-b) / (Math.expm1(-b) - Math.expm1(a)),
});

/** (t − 1)D_t of a pair, in the direction whose larger loss is a. */
function logMoment({ a, b, chance }: Pair, order: number): number {
  const [first, second] = [Math.log(chance) + order * a, Math.log1p(-chance) - order * b];
  const top = Math.max(first, second);
  return top + Math.log(Math.exp(first - top) + Math.exp(second - top));
}

const exchanged = ({ a, b, chance }: Pair): Pair => ({ a: b, b: a, chance: (1 - chance) * Math.exp(-b) });

/** Orders of a grid, and those of the table. */
const ORDERS = Array.from({ length: 200 }, (_, i) => 1 + 1e-3 * 1.1 ** i);

function ordersOf(guarantee: Guarantee): number[] {
  const omega = (guarantee.kind === 'tcdp' ? guarantee.omega : undefined) ?? Infinity;
  return [...ORDERS.filter((order) => order < omega), ...(omega < Infinity ? [omega] : [])];
}

/** Largest of (t − 1)(D_t − bound) over orders of a grid and both directions, relative to its parts. */
function worstOrder(pair: Pair, guarantee: Exclude<Guarantee, { kind: 'mcdp' }>): number {
  const bounds =
    guarantee.kind === 'rdp'
      ? guarantee.points.map(({ order, epsilon }) => [order, epsilon])
      : ordersOf(guarantee).map((order) => [
          order,
          (guarantee.kind === 'tcdp' ? (guarantee.xi ?? 0) : 0) + guarantee.rho * order,
        ]);
  return Math.max(
    ...[pair, exchanged(pair)].flatMap((each) =>
      bounds.map(([order, bound]) => {
        const allowed = (order! - 1) * bound!;
        return (logMoment(each, order!) - allowed) / (1e-3 * (1 + each.a + each.b) + allowed);
      }),
    ),
  );
}

/** Largest excess of mean and of log E e^{λ(L − E L)} over m and λ²τ²/2, over a grid of λ of both signs and both directions. */
function worstTilt(pair: Pair, { mean, tau }: { mean: number; tau: number }): number {
  return Math.max(
    ...[pair, exchanged(pair)].flatMap((each) => {
      const likely = each.chance * Math.exp(each.a);
      const m = likely * each.a - (1 - likely) * each.b;
      const tilts = Array.from({ length: 400 }, (_, i) => 1e-3 * 1.06 ** i).flatMap((x) => [x, -x]);
      return [
        m / mean - 1,
        ...tilts.map((x) => {
          const [first, second] = [
            Math.log(likely) + x * (each.a - m),
            Math.log1p(-likely) - x * (each.b + m),
          ];
          const top = Math.max(first, second);
          const moment = top + Math.log(Math.exp(first - top) + Math.exp(second - top));
          return moment / ((x * x * tau * tau) / 2) - 1;
        }),
      ];
    }),
  );
}

const random = seeded(31);
const between = (low: number, high: number): number => low * (high / low) ** random();
const GUARANTEES: Guarantee[] = Array.from({ length: LONG_TESTS ? 400 : 40 }, (_, i) =>
  i % 4 === 0
    ? { kind: 'zcdp', rho: between(1e-4, 3) }
    : i % 4 === 1
      ? { kind: 'tcdp', rho: between(1e-4, 3), omega: 1 + between(0.1, 100), xi: random() * 0.1 }
      : i % 4 === 2
        ? { kind: 'mcdp', mean: between(1e-4, 2), tau: between(1e-2, 3) }
        : {
            kind: 'rdp',
            points: [1, 2, 3].map((j) => ({ order: 1 + between(0.1, 3) * j, epsilon: between(1e-3, 1) * j })),
          },
);

describe('pairs of two outputs', () => {
  test('pairs that are found meet their guarantee at every order, and slightly larger ones do not', () => {
    let tried = 0;
    for (const guarantee of GUARANTEES) {
      const outputs = allowedOutputs(guarantee);
      for (const place of [0.05, 0.2, 0.4, 0.6, 0.8, 0.95]) {
        const found = outputs.at(place);
        if (found === undefined || !(found.b > 1e-5) || found.a > 30) continue;
        const excess = (b: number): number =>
          guarantee.kind === 'mcdp'
            ? worstTilt(pairOf(found.a, b), guarantee)
            : worstOrder(pairOf(found.a, b), guarantee);
        expect(excess(found.b)).toBeLessThan(1e-7);
        expect(excess(1.02 * found.b)).toBeGreaterThan(0);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(GUARANTEES.length);
  });

  /** Largest δ(ε) of `count` like steps, on samples of a rate, over pairs of a list that meet the guarantee. */
  function bestOf(
    guarantee: Exclude<Guarantee, { kind: 'mcdp' }>,
    count: number,
    rate: number,
    epsilon: number,
  ): number {
    const at = (a: number): number => {
      let [low, high] = [0, 20];
      for (let k = 0; k < 30; k++) {
        const b = (low + high) / 2;
        if (worstOrder(pairOf(a, b), guarantee) <= 0) low = b;
        else high = b;
      }
      return low > 1e-7 ? sumOf(pairOf(a, low), count, rate, epsilon) : 0;
    };
    const best = (places: readonly number[]): number => places.reduce((a, b) => (at(b) > at(a) ? b : a));
    const coarse = best(Array.from({ length: 90 }, (_, i) => 0.02 * 1.09 ** i));
    return at(best(Array.from({ length: 61 }, (_, i) => coarse * 1.003 ** (i - 30))));
  }

  /** δ(ε) of `count` steps of a pair, on samples of a rate: the larger of the directions. */
  function sumOf({ a, b, chance }: Pair, count: number, rate: number, epsilon: number): number {
    const [more, less] = [a, -b].map((loss) => Math.log1p(rate * Math.expm1(loss))) as [number, number];
    let [remove, add, ways] = [0, 0, 1];
    for (let j = 0; j <= count; j++) {
      const without = ways * chance ** j * (1 - chance) ** (count - j);
      const loss = j * more + (count - j) * less;
      remove += without * Math.max(0, Math.exp(loss) - Math.exp(epsilon));
      add += without * Math.max(0, 1 - Math.exp(epsilon + loss));
      ways *= (count - j) / (j + 1);
    }
    return Math.max(remove, rate < 1 ? add : 0);
  }

  test.each([
    ['rdp', rdp({ points: [{ order: 2.3, epsilon: 0.3 }] }), 5, 1],
    [
      'rdp of two orders',
      rdp({
        points: [
          { order: 2, epsilon: 0.1 },
          { order: 8, epsilon: 0.9 },
        ],
      }),
      20,
      1,
    ],
    ['rdp on samples', rdp({ points: [{ order: 3, epsilon: 0.4 }] }), 4, 0.2],
    ['zcdp', zcdp({ rho: 0.1 }), 3, 1],
    ['zcdp on samples', zcdp({ rho: 0.5 }), 3, 0.3],
    ['tcdp', tcdp({ rho: 0.05, omega: 3 }), 8, 1],
  ] as const)('%s: the lower end is that of the best of a list of pairs', (_, mechanism, count, rate) => {
    const release: Mechanism = rate < 1 ? poissonSubsampled(mechanism, { rate }) : mechanism;
    const run = account(wasm, repeat(release, count), { adjacency: 'add-remove' });
    const rho =
      mechanism.kind === 'rdp'
        ? Math.min(...mechanism.points.map((p) => p.epsilon / p.order))
        : mechanism.rho;
    const plain = gdp({ mu: Math.sqrt(2 * rho) });
    const gaussians = account(wasm, repeat(rate < 1 ? poissonSubsampled(plain, { rate }) : plain, count), {
      adjacency: 'add-remove',
    });
    for (const epsilon of [0.3, 1, 2]) {
      const listed = bestOf(mechanism as Exclude<Guarantee, { kind: 'mcdp' }>, count, rate, epsilon);
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeGreaterThan(0.99 * listed);
      // Gaussians that meet the guarantee may have more
      expect(lower).toBeLessThan(1.01 * Math.max(listed, gaussians.delta(epsilon).upper));
      expect(upper).toBeGreaterThan(listed);
      // ε is that of the same bound
      expect(run.epsilon(lower).lower).toBeGreaterThan(epsilon * (1 - 1e-3));
      expect(run.epsilon(upper).upper).toBeLessThan(epsilon * (1 + 1e-6));
    }
  });

  test('losses above the largest exponent: log δ is at most 0, and two steps have at least what one has', () => {
    const step = rdp({ points: [{ order: 1.1, epsilon: 1 }] });
    const [one, two] = [1, 2].map((count) => account(wasm, repeat(step, count), { adjacency: 'add-remove' }));
    for (const epsilon of [0, 1, 50, 80, 120]) {
      const { lower, upper } = two!.logDelta(epsilon);
      expect(upper).toBeLessThanOrEqual(0);
      expect(lower).toBeGreaterThanOrEqual(one!.logDelta(epsilon).lower - 1e-3);
    }
    // two steps with the losses 500 and −1e-6, of probability 1e-6 and 1 with the record
    const far = twoOutputsBelow({ rate: 1, count: 2 }, () => [-1e-6, 500]).logDelta(0);
    expect(far).toBeLessThan(Math.log(2e-6));
    expect(far).toBeGreaterThan(Math.log(2e-6) - 1e-5);
    expect(two!.epsilon(1e-5).lower).toBeGreaterThan(one!.epsilon(1e-5).lower * (1 - 1e-3));
  });

  test('mean-concentrated CDP: releases of two outputs, below what its divergences allow', () => {
    for (const [mean, tau, count] of [
      [0.01, 0.5, 1],
      [0.01, 0.5, 10],
      [0.1, 1, 3],
    ] as const) {
      const { lower, upper } = account(wasm, repeat(mcdp({ mean, tau }), count), {
        adjacency: 'add-remove',
      }).epsilon(1e-5);
      // a Gaussian of this mean is far below
      const gaussian = account(wasm, repeat(zcdp({ rho: mean }), count), { adjacency: 'add-remove' }).epsilon(
        1e-5,
      );
      expect(lower).toBeGreaterThan(1.2 * gaussian.upper);
      expect(upper).toBeGreaterThan(lower);
    }
  });
});
