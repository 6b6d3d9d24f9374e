/** Where outputs of a sampled Gaussian step matter, and bounds of what lies beyond them, against sums and searches on dense grids. */
import { describe, expect, it } from 'vitest';
import { normalCdf } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { steps } from '../helpers/step-kernel.js';
import { type EndedWindow, massBeyond, type SampledStep } from '../helpers/step-windows.js';

/** log|A + Be^{iθ}| at output x. */
function logSize({ mu, q }: SampledStep, x: number, angle: number): number {
  const b = q * Math.exp(mu * x - mu ** 2 / 2);
  return Math.log(Math.hypot(1 - q + b * Math.cos(angle), b * Math.sin(angle)));
}

function windowAt({ from, to, width }: EndedWindow, x: number): number {
  if (to === Infinity) return from === -Infinity ? 1 : normalCdf((x - from) / width);
  return normalCdf((to - x) / width) - (from === -Infinity ? 0 : normalCdf((from - x) / width));
}

const random = seeded(29);
const between = (a: number, b: number) => a + (b - a) * random();
const stepAt = (): SampledStep => ({ mu: 0.1 * 40 ** random(), q: 10 ** between(-4, -0.02) });

describe('what |u|^c gains off the axis', () => {
  it('is at least what a grid finds, and hardly more', () => {
    for (let i = 0; i < 300; i++) {
      const step = stepAt();
      const c = -(10 ** between(-1, 2));
      const angle = between(0, 3);
      const a = between(-8, 8);
      const b = i % 4 === 0 ? a : a + between(0, 6);
      let most = 0;
      for (let j = 0; j <= 60; j++)
        for (let k = 0; k <= 20; k++) {
          const x = a + ((b - a) * j) / 60;
          most = Math.max(most, c * (logSize(step, x, (angle * k) / 20) - logSize(step, x, 0)));
        }
      const gain = steps.offAxisGrowth(step, c, angle, a, b);
      expect(gain).toBeGreaterThanOrEqual(most - 1e-12 * (1 + most));
      expect(gain).toBeLessThan(most * 1.05 + 1e-9);
    }
    expect(steps.offAxisGrowth({ mu: 1, q: 0.1 }, 3, 1, 0, 1)).toBe(0);
  });
});

describe('what lies beyond the outputs of a sum', () => {
  it.each([0, 0.9, 2.2])('is no less than a long sum, at angles up to %f', (angle) => {
    let known = 0;
    for (let i = 0; i < 400; i++) {
      const step = stepAt();
      const h = between(0.1, 0.5);
      const width = between(0.05, 0.6);
      const to = i % 3 === 0 ? Infinity : between(1, 9);
      const from = i % 3 === 1 || i % 5 > 0 ? -Infinity : between(-3, 1);
      const window = { from, to, width, ...(i % 7 === 0 && to < Infinity && { end: to + 6 * width }) };
      const c = angle > 0 ? -between(0, 12) : between(-12, 8);
      const first = h * -Math.ceil(between(2, 9) / h);
      const last = first + h * Math.ceil((between(4, 18) + Math.max(0, c * step.mu)) / h);
      const norm = between(-20, 20);
      const bound = massBeyond(step, c, { first, last, h, angle }, window, norm);
      const term = (x: number): number => {
        const turned = Math.min(...[0, 0.25, 0.5, 0.75, 1].map((share) => logSize(step, x, share * angle)));
        const u = c < 0 ? turned : logSize(step, x, 0);
        return (h / Math.sqrt(2 * Math.PI)) * Math.exp(c * u - x ** 2 / 2 - norm) * windowAt(window, x);
      };
      let sum = 0;
      for (let k = 1; k < 200; k++) {
        const right = last + h * k;
        sum += term(first - h * k) + (right <= (window.end ?? Infinity) ? term(right) : 0);
      }
      expect(bound, JSON.stringify({ step, c, first, last, h, window })).toBeGreaterThanOrEqual(
        sum * (1 - 1e-9),
      );
      if (bound < Infinity && sum > 1e-200) known += bound < 1e3 * sum ? 1 : 0;
    }
    expect(known).toBeGreaterThan(120);
  });

  it('is not known where it does not fall before the first', () => {
    const window = { from: -Infinity, to: Infinity, width: Infinity };
    const nodes = { first: 0.5, last: 9, h: 0.25, angle: 0 };
    expect(massBeyond({ mu: 1, q: 0.1 }, 2, nodes, window, 0)).toBe(Infinity);
  });
});

describe('the outputs that matter to a negative tilt', () => {
  it('end where φu^c has fallen by the depth', () => {
    for (let i = 0; i < 200; i++) {
      const step = { mu: between(0.3, 4), q: 10 ** between(-4, -0.1) };
      const c = -between(3.1, 60) / step.mu;
      const depth = between(20, 60);
      const height = (x: number): number => c * logSize(step, x, 0) - x ** 2 / 2;
      const [from, to] = steps.tiltedRange(step, c, depth, Math.sqrt(2 * depth) + 1);
      let peak = -Infinity;
      for (let x = from!; x <= to!; x += 1e-2) peak = Math.max(peak, height(x));
      for (const end of [from!, to!]) expect(height(end)).toBeLessThan(peak - depth + 2);
      expect(height(from! + 0.5)).toBeGreaterThan(peak - 1.6 * depth);
    }
  });

  it('are all within reach of the peaks at others', () => {
    expect([...steps.tiltedRange({ mu: 2, q: 0.1 }, 5, 40, 7)]).toEqual([-7, 17]);
    expect([...steps.tiltedRange({ mu: 2, q: 0.1 }, -1, 40, 7)]).toEqual([-9, 9]);
  });
});
