import { describe, expect, test } from 'vitest';
import { rdp } from '../../src/index.js';
import { listedOrders } from '../../src/law/renyi-orders.js';
import { RenyiRegion } from '../../src/law/renyi-region.js';
import { MOST_ORDERS, thinnedOrders } from '../../src/law/thinned-orders.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { Allowance, attempt } from '../../src/numeric/meter.js';
import { seeded } from '../helpers/random.js';

interface Bound {
  order: number;
  epsilon: number;
}

const N = 2500;

/** ρt at ascending orders, each bound raised by a random share of itself. */
function table(seed: number, noise: number, largest = 60): Bound[] {
  const random = seeded(seed);
  return Array.from({ length: N }, (_, i) => {
    const order = 1 + largest ** ((i + 1) / N) * 0.05 * (1 + i / 100);
    return { order, epsilon: 0.02 * order * (1 + noise * random()) };
  });
}

/** D_t of (π, 1 − π) from (α, 1 − α). */
function divergence(power: number, alpha: number, order: number): number {
  const [a, b] = [
    order * Math.log(power) + (1 - order) * Math.log(alpha),
    order * Math.log1p(-power) + (1 - order) * Math.log1p(-alpha),
  ];
  const most = Math.max(a, b);
  return (most + Math.log(Math.exp(a - most) + Math.exp(b - most))) / (order - 1);
}

describe('a long table by few of its orders', () => {
  test.each([0, 0.01, 0.5])('what meets the stricter one meets every bound, noise %d', (noise) => {
    const points = table(7, noise);
    const { stricter, looser } = thinnedOrders(points);
    expect(stricter.length).toBeLessThan(MOST_ORDERS);
    for (const point of looser) expect(points).toContainEqual(point);
    const random = seeded(11);
    let tight = Infinity;
    for (let i = 0; i < 15; i++) {
      const alpha = 10 ** (-6 * random()) / 2;
      // the most power that meets the stricter table
      let [low, high] = [alpha, 1 - 1e-12];
      for (let k = 0; k < 40; k++) {
        const middle = (low + high) / 2;
        if (stricter.every(({ order, epsilon }) => divergence(middle, alpha, order) <= epsilon)) low = middle;
        else high = middle;
      }
      for (const { order, epsilon } of points) {
        const left = epsilon - divergence(low, alpha, order);
        expect(left).toBeGreaterThan(-1e-12);
        tight = Math.min(tight, left / epsilon);
      }
    }
    expect(tight).toBeLessThan(noise === 0 ? 1e-2 : 0.6);
  });

  test('its brackets hold those of all orders', () => {
    for (const noise of [0, 0.01]) {
      const points = table(3, noise);
      const all = new RenyiRegion(listedOrders(points));
      const { forward } = pairOf(rdp({ points }));
      for (const epsilon of [0, 0.2, 0.8, 1.5]) {
        const exact = all.worst(epsilon).logDelta;
        const { lower, upper } = forward.logDelta(epsilon);
        expect(lower).toBeLessThanOrEqual(exact.upper);
        expect(upper).toBeGreaterThanOrEqual(exact.lower);
        expect(upper - lower).toBeLessThan(noise === 0 ? 1e-3 : 0.1);
      }
    }
  });

  test('orders that are looked at one by one are charged while that is done', () => {
    const region = new RenyiRegion(listedOrders(table(3, 0)));
    const ended = new Allowance(1e6).ask(() =>
      attempt<unknown>(
        0.5,
        () => region.worst(1),
        () => 'ended',
      ),
    );
    expect(ended).toBe('ended');
  });
});
