import { expect, test } from 'vitest';
import { rowsOf } from '../../src/kernel/floats.js';
import { windowBounds } from '../../src/methods/contour/step/output-window.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';
import { outputsOf } from '../helpers/windowed.js';

const U = 2 ** -53;
const { kernel } = wasm;

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
    const x = Float64Array.from(
      { length: 9 },
      () => near[Math.floor(near.length * random())]! + width * (14 * random() - 7),
    );
    const [log, phase, wrong] = rowsOf(kernel.windowRows(x, a, { from, to, width }), 3);
    const bounds = windowBounds(kernel, x, a, { from, to, width });
    x.forEach((at, j) => {
      const [re, im] = windowByQuadrature(at, a, from, to, width);
      const size = Math.exp(log![j]!);
      // the rule's own error, and that of the sum
      const slack = size * wrong![j]! + 1e-13 * Math.exp((a / width) ** 2 / 2) + 1e-15;
      expect(Math.abs(size * Math.cos(phase![j]!) - re), `${at} ${a} ${from} ${to} ${width}`).toBeLessThan(
        slack,
      );
      expect(Math.abs(size * Math.sin(phase![j]!) - im)).toBeLessThan(slack);
      expect(Math.log(Math.hypot(re, im) - slack) || -Infinity).toBeLessThanOrEqual(bounds[j]!);
    });
  }
});

test('windows with shared ends add up to 1 off the real axis, also far behind an end', () => {
  const random = seeded(3);
  for (let i = 0; i < 200; i++) {
    const width = 0.02 + 0.3 * random();
    const edges = [-Infinity, 2 * random(), 3 + 2 * random(), Infinity];
    const x = Float64Array.of(-2 + 8 * random());
    const a = 5 * width * random();
    let [re, im, doubt] = [0, 0, 0];
    edges.slice(1).forEach((to, j) => {
      const window = { from: edges[j]!, to, width };
      const [log, angle, wrong] = kernel.windowRows(x, a, window) as unknown as [number, number, number];
      expect(log).toBeLessThanOrEqual(windowBounds(kernel, x, a, window)[0]! + 1e-12);
      re += Math.exp(log) * Math.cos(angle);
      im += Math.exp(log) * Math.sin(angle);
      doubt += Math.exp(log) * (wrong + 8 * U * (1 + Math.abs(log) + Math.abs(angle)));
    });
    expect(Math.abs(re - 1)).toBeLessThan(doubt);
    expect(Math.abs(im)).toBeLessThan(doubt);
  }
});

test('losses off the real axis are the logarithm of 1 − q + q e^s', () => {
  const random = seeded(5);
  for (let i = 0; i < 400; i++) {
    const mu = 10 ** (2.5 * random() - 1.5);
    const q = 10 ** (-6 * random());
    const x = Float64Array.from({ length: 5 }, () => -8 + 20 * random());
    const y = x.map(() => (random() * 0.97 * Math.PI) / mu);
    const placing = { slope: 3, slack: 2 * mu * mu + 8 };
    const [loss, angle, wrong] = rowsOf(kernel.turnedLosses(mu, q, x, y, placing), 3);
    x.forEach((at, j) => {
      const s = mu * at - (mu * mu) / 2;
      if (s > 600) return;
      // u − 1 by itself: most of the digits of a small loss are in it
      const [re, im] = [
        q * Math.expm1(s) - 2 * q * Math.exp(s) * Math.sin((mu * y[j]!) / 2) ** 2,
        q * Math.exp(s) * Math.sin(mu * y[j]!),
      ];
      const exact = 0.5 * Math.log1p(2 * re + re * re + im * im);
      const slack = wrong![j]! + 16 * U * (Math.abs(exact) + Math.hypot(re, im));
      expect(Math.abs(loss![j]! - exact), `${mu} ${q} ${at} ${y[j]}`).toBeLessThanOrEqual(slack);
      expect(Math.abs(angle![j]! - Math.atan2(im, 1 + re))).toBeLessThanOrEqual(slack);
    });
  }
});

test('outputs of a path charge the error of a window to the logarithm and to the phase', () => {
  const window = { from: -0.4, to: 2.2, width: 0.11 };
  const outputs = outputsOf(kernel, { mu: 0.8, q: 0.01 }, window);
  const { x, blur } = outputs.on({ a: 0.3, h: 0.05, bounding: false }, -30, 60);
  const [, , error] = rowsOf(kernel.windowRows(x.slice(), 0.3, window), 3);
  expect(Math.min(...error!)).toBeGreaterThan(0);
  for (const [j, own] of error!.entries()) expect(blur[j]).toBeGreaterThanOrEqual(2 * own);
});

test('both engines have the same bits', () => {
  const random = seeded(7);
  const [x, y] = [0, 1].map(() => Float64Array.from({ length: 37 }, () => 8 * random() - 2));
  const of = ({ kernel: by }: typeof wasm): Float64Array[] => [
    by.turnedLosses(1.3, 1e-3, x!, y!.map(Math.abs), { slope: 7, slack: 20 }),
    ...[
      [-Infinity, 1.2],
      [0.3, Infinity],
      [-0.4, 2.2],
    ].flatMap(([from, to]) => {
      const window = { from: from!, to: to!, width: 0.11 };
      return [0, 0.03, 0.4].flatMap((a) => [by.windowRows(x!, a, window), windowBounds(by, x!, a, window)]);
    }),
  ];
  expect(of(wasm)).toEqual(of(reference));
});
