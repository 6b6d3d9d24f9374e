/** Tilted laws with few nodes: masses, means and parts between them are what integrals say, in the safe direction. */
import { describe, expect, test } from 'vitest';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { OutputPanels } from '../../../src/methods/contour/step/output-panels.js';
import { gradingFor } from '../../../src/methods/contour/step/panel-grading.js';
import { kernels } from '../../helpers/kernels.js';
import { seeded } from '../../helpers/random.js';

interface Law {
  readonly mu: number;
  readonly q: number;
  readonly c: number;
  readonly cut: number;
}

/** log u at x, and c·log u − x²/2, in host arithmetic. */
const lossOf = ({ mu, q }: Law, x: number): number => Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
const heightOf = (law: Law, x: number): number => law.c * lossOf(law, x) - (x * x) / 2;

/** Simpson's rule on [a, b]. */
function integral(f: (x: number) => number, a: number, b: number, n = 64): number {
  let sum = 0;
  for (let i = 0; i <= n; i++)
    sum += (i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2) * f(a + ((b - a) * i) / n);
  return (sum * (b - a)) / (3 * n);
}

/** What the kernel says of a law with few nodes on every panel, and the nodes in ascending order. */
function saidOf(kernel: Kernel, law: Law, size: number) {
  const { mu, q, c, cut } = law;
  const layout = new OutputPanels(kernel, { mu, q }, cut, size, gradingFor(mu, q, cut, c));
  const last = layout.countTo(-8 + Math.min(0, c * mu)) - 1;
  const table = layout.through(last);
  const n = size * (last + 1);
  const stride = table.values.length / 9;
  const x = table.values.slice(5 * stride, 5 * stride + n).sort();
  const top = x.reduce((most, at) => Math.max(most, heightOf(law, at)), -Infinity);
  const tilt = layout.tiltAt(c, top, { unit: 1, steepness: 4 / mu, wanted: 'cells' });
  const said = kernel.tiltedPanels(table, size, last + 1, c, tilt);
  const rows = said.subarray(64 + 2 * n);
  const cell = (row: number) => rows.subarray(row * 2 * n, row * 2 * n + said[8]!);
  const parts = said.slice(10, 10 + 2 * said[9]!);
  return { x, top, parts, low: cell(0), high: cell(1), mass: cell(2), mean: cell(3), off: cell(4) };
}

/** The stretches of outputs of the cells: between neighbouring nodes of some weight, in halves where they are far apart. */
function stretches(law: Law, x: Float64Array, top: number): (readonly [number, number, number, number])[] {
  const found: (readonly [number, number, number, number])[] = [];
  for (let j = 1; j < x.length; j++) {
    const [a, b] = [x[j - 1]!, x[j]!];
    if (!(Math.min(heightOf(law, a), heightOf(law, b)) - top > Math.log(4.2e-18))) continue;
    const middle = b - a > 0.08 ? [a, (a + b) / 2, b] : [a, b];
    for (let i = 1; i < middle.length; i++) found.push([middle[i - 1]!, middle[i]!, a, b]);
  }
  return found;
}

function laws(seed: number, count: number): Law[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, i) => ({
    mu: 0.1 * 40 ** random(),
    q: 1e-4 * 3000 ** random(),
    c: (i % 2 === 0 ? -1 : 1) * 0.2 * 100 ** random(),
    cut: 5 + 3 * random(),
  }));
}

describe.each(kernels)('$name', (kernel) => {
  test('cells have no more than their mass, and their means are within what is said', () => {
    const least = { mass: Infinity, off: 0, bow: 0 };
    for (const law of laws(71, 30)) {
      const { x, top, low, high, mass, mean, off } = saidOf(kernel, law, 6);
      const known = stretches(law, x, top);
      const what = JSON.stringify(law);
      expect(mass.length, what).toBe(known.length);
      known.forEach(([a, b, from, to], i) => {
        const exact = integral((at) => Math.exp(heightOf(law, at) - top), a, b);
        expect(mass[i]!, `${what} ${a}`).toBeLessThanOrEqual(exact * (1 + 1e-9));
        least.mass = Math.min(least.mass, mass[i]! / exact);
        expect(low[i]!).toBeLessThanOrEqual(lossOf(law, a) + 1e-15);
        expect(high[i]!).toBeGreaterThanOrEqual(lossOf(law, b) - 1e-15);
        // of what counts: the exponential of the chord between the nodes
        const slope = (heightOf(law, to) - heightOf(law, from)) / (to - from);
        const density = (at: number) => Math.exp(slope * (at - a));
        const whole = integral(density, a, b);
        const own = integral((at) => density(at) * lossOf(law, at), a, b) / whole;
        const away = Math.abs(own - mean[i]!);
        expect(away, `${what} ${a}`).toBeLessThanOrEqual(off[i]! + 1e-13 * (1 + Math.abs(own)));
        least.off = Math.max(least.off, away / off[i]!);
      });
    }
    // bounds that say little would hold as well
    expect(least.mass).toBeGreaterThan(0.5);
    expect(least.off).toBeGreaterThan(0.5);
  });

  test('parts have no more mass than said, and vary by no more', () => {
    let closest = 0;
    for (const law of laws(73, 30)) {
      const { mu, q, cut } = law;
      const { x, top, parts, mass } = saidOf(kernel, law, 6);
      const what = JSON.stringify(law);
      // the density of the loss where its cut part is 0
      const density = (at: number) =>
        (Math.exp(heightOf(law, at) - top) * (1 + ((1 - q) / q) * Math.exp((mu * mu) / 2 - mu * at))) / mu;
      const cells = stretches(law, x, top);
      expect(mass.length, what).toBe(cells.length);
      // parts begin with a stretch between two nodes, the last cells first
      let [at, sum] = [cells.length, 0];
      for (let k = 1; 2 * k < parts.length; k++) {
        while (at > 0 && sum * (1 - 1e-9) < 1 - parts[2 * k]! - 1e-13) sum += mass[--at]!;
        const [, , from] = cells[at]!;
        const n = 4000;
        let [variation, before, high, steep] = [0, 0, 0, 0];
        for (let i = 0; i <= n; i++) {
          const place = from + ((cut - from) * i) / n;
          const next = density(place);
          const height = Math.exp(heightOf(law, place) - top);
          high = Math.max(high, height);
          steep = Math.max(steep, ((1 - q) / q) * Math.exp((mu * mu) / 2 - mu * place) * height);
          variation += Math.abs(next - before);
          before = next;
        }
        variation += before;
        expect(parts[2 * k + 1]!, `${what} ${from}`).toBeGreaterThanOrEqual(variation * (1 - 1e-9));
        // of either summand the largest value, between nodes too
        const most = (4 / mu) * (high + steep);
        expect(parts[2 * k + 1]!, `${what} ${from}`).toBeGreaterThanOrEqual(most * (1 - 1e-9));
        closest = Math.max(closest, most / parts[2 * k + 1]!);
      }
    }
    expect(closest).toBeGreaterThan(0.99);
  });
});
