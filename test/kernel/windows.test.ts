import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { steps } from '../helpers/step-kernel.js';
import type { WindowEdges } from '../helpers/step-windows.js';

const golden: { turned: [number, number, number, number, [[number, number], [number, number]]][] } =
  JSON.parse(readFileSync(new URL('../golden/kernel-sums.json', import.meta.url), 'utf8'));

const U = 2 ** -53;

const row = (values: Float64Array): [number, number, number] => [values[0]!, values[2]!, values[4]!];

/** The rows of a window at one output that is not 0, and its bound without the density. */
function windowRow(x: number, a: number, window: WindowEdges): [number, number, number] {
  return row(steps.windowRows({ h: x, first: 1, n: 1 }, a, window).values);
}
function windowBound(x: number, a: number, window: WindowEdges): number {
  return steps.windowBounds({ h: x, first: 1, n: 1 }, a, window).values[0]! + x ** 2 / 2;
}

/** Re and Im of W(x + ia): the normal density along the segment from (x − to + ia)/w to (x − from + ia)/w, by Simpson's rule. */
function windowByQuadrature(x: number, a: number, from: number, to: number, width: number): [number, number] {
  const v = a / width;
  const [low, high] = [Math.max(-12, (x - to) / width), Math.min(12, (x - from) / width)];
  if (high <= low) return [0, 0];
  const n = 16000;
  let [re, im] = [0, 0];
  for (let k = 0; k <= n; k++) {
    const t = low + ((high - low) * k) / n;
    const weight = (k === 0 || k === n ? 1 : k % 2 === 1 ? 4 : 2) * Math.exp((v * v - t * t) / 2);
    re += weight * Math.cos(t * v);
    im -= weight * Math.sin(t * v);
  }
  const unit = (high - low) / (3 * n * Math.sqrt(2 * Math.PI));
  return [re * unit, im * unit];
}

test('windows off the real axis are the normal density between their ends, and below their bounds', () => {
  const random = seeded(17);
  for (let i = 0; i < 60; i++) {
    const width = 0.02 + 0.5 * random();
    const from = i % 3 === 0 ? -Infinity : -1 + 3 * random();
    const to = i % 3 === 1 ? Infinity : Math.max(from, -1) + 4 * random();
    const a = i % 5 === 0 ? 0 : 4 * width * random();
    const near = [from, to].filter(Number.isFinite);
    for (let j = 0; j < 9; j++) {
      const x = near[Math.floor(near.length * random())]! + width * (14 * random() - 7);
      const [log, phase, wrong] = windowRow(x, a, { from, to, width });
      const [re, im] = windowByQuadrature(x, a, from, to, width);
      const size = Math.exp(log + x ** 2 / 2);
      // the rule's own error, and that of the sum
      const slack = (size * wrong) / 2 + 1e-13 * Math.exp((a / width) ** 2 / 2) + 1e-14 * size + 1e-15;
      expect(Math.abs(size * Math.cos(phase) - re), `${x} ${a} ${from} ${to} ${width}`).toBeLessThan(slack);
      expect(Math.abs(size * Math.sin(phase) - im)).toBeLessThan(slack);
      const bound = windowBound(x, a, { from, to, width });
      expect(Math.log(Math.hypot(re, im) - slack) || -Infinity).toBeLessThanOrEqual(bound);
    }
  }
});

test('windows whose edges lie far closer than they are wide are within the error they say', () => {
  const random = seeded(11);
  for (let i = 0; i < 60; i++) {
    const width = 0.02 + 0.5 * random();
    const from = -1 + 3 * random();
    const to = from + width * 2 ** -(2 + (i % 30));
    const a = i % 2 === 0 ? 0 : 2 * width * random();
    const x = from + width * (6 * random() - 3);
    const [re, im] = windowByQuadrature(x, a, from, to, width);
    const [log, phase, wrong] = windowRow(x, a, { from, to, width });
    const size = Math.exp(log + x ** 2 / 2);
    const own = 64 * U * Math.exp((a / width) ** 2 / 2);
    const off = Math.hypot(size * Math.cos(phase) - re, size * Math.sin(phase) - im);
    expect(off, `${x} ${a} ${from} ${to} ${width}`).toBeLessThan((size * wrong) / 2 + own);
  }
});

test('the error of a window counts in the logarithm and in the phase', () => {
  for (const a of [0, 0.05, 0.2, 0.4]) {
    const window = { from: 1, to: 1 + 2 ** -50, width: 0.5 };
    const [log, , wrong] = windowRow(1.25, a, window);
    const [re, im] = windowByQuadrature(1.25, a, window.from, window.to, window.width);
    // less passes than the error, which stands in its place with any phase
    const size = Math.exp(log + 1.25 ** 2 / 2);
    expect(Math.hypot(re, im)).toBeLessThan(size);
    expect(size * wrong).toBeGreaterThan(size + Math.hypot(re, im));
  }
});

// log and argument of ½ erfc((x − 1 + ia)/w√2), by mpmath at 60 digits
test.each([
  [1.75, 0, 0.015625, -1156.790573101945343, 0],
  [1.75, 0.03125, 0.015625, -1154.79143815890577, -1.7938270052503842],
  [3.5, 0.25, 0.0625, -796.6133988310883217, -3.01991380598826295],
  [2.3125, 0.0625, 0.03125, -884.6583029231250067, -2.3661205147972252],
])('windows below the smallest double have the error they say: %d + %di', (x, a, width, exact, argument) => {
  const [height, phase, wrong] = windowRow(x, a, { from: -Infinity, to: 1, width });
  const log = height + x ** 2 / 2;
  // the squares that the logarithm consists of are rounded
  expect(wrong).toBeGreaterThan(4 * U * Math.abs(log));
  expect(wrong).toBeLessThan(1e-11);
  expect(Math.abs(log - exact)).toBeLessThan(wrong);
  expect(Math.abs(Math.sin((phase - argument) / 2))).toBeLessThan(wrong);
});

test('windows with shared ends add up to 1 off the real axis, also far behind an end', () => {
  const random = seeded(3);
  for (let i = 0; i < 200; i++) {
    const width = 0.02 + 0.3 * random();
    const edges = [-Infinity, 2 * random(), 3 + 2 * random(), Infinity];
    const x = -2 + 8 * random();
    const a = 5 * width * random();
    let [re, im, doubt] = [0, 0, 0];
    edges.slice(1).forEach((to, j) => {
      const window = { from: edges[j]!, to, width };
      const [height, angle, wrong] = windowRow(x, a, window);
      const log = height + x ** 2 / 2;
      expect(log).toBeLessThanOrEqual(windowBound(x, a, window) + 1e-12);
      re += Math.exp(log) * Math.cos(angle);
      im += Math.exp(log) * Math.sin(angle);
      doubt += Math.exp(log) * (wrong / 2 + 8 * U * (1 + Math.abs(log) + x ** 2 + Math.abs(angle)));
    });
    expect(Math.abs(re - 1)).toBeLessThan(doubt);
    expect(Math.abs(im)).toBeLessThan(doubt);
  }
});

test.each(golden.turned)('losses off the real axis, mu %d, q %d, at %d + %di', (mu, q, x, a, exact) => {
  const [loss, angle, wrong] = row(steps.turnedLosses({ mu, q }, { h: x, first: 1, n: 1 }, a).values);
  const [log, turn] = exact;
  expect(Math.abs(loss - log[0] - log[1])).toBeLessThanOrEqual(wrong);
  expect(Math.abs(angle - turn[0] - turn[1])).toBeLessThanOrEqual(wrong);
  // in quarter turns no more is said than some dozens of roundings of each term
  const s = mu * x - (mu * mu) / 2;
  if (mu * a < Math.PI / 2)
    expect(wrong).toBeLessThan(1e-14 * (1 + Math.abs(s) + mu * mu + Math.abs(log[0])));
});
