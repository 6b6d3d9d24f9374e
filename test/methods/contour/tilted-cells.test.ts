/** Cells of a tilted law: masses and means between outputs are what integrals say, in the safe direction. */

import { describe, expect, test } from 'vitest';
import type { Table } from '../../helpers/loops.js';
import { meshTable } from '../../helpers/outputs.js';
import { seeded } from '../../helpers/random.js';
import { steps } from '../../helpers/step-kernel.js';
import type { Outputs, EndedWindow as OutputWindow } from '../../helpers/step-windows.js';
import { logIntegral, logWindow } from '../../helpers/window-logs.js';
import { EVERYTHING } from '../../helpers/windowed.js';

interface Law {
  readonly mu: number;
  readonly q: number;
  readonly c: number;
  readonly window: OutputWindow;
}

const UP_TO: OutputWindow = { from: -Infinity, to: 5, width: 0.2, end: 9 };
const PART: OutputWindow = { from: 1, to: 1.8, width: 0.25 };

/** log u at x, log φu^c W, and what W is convolved from, in host arithmetic. */
const lossOf = ({ mu, q }: Law, x: number): number => Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
const heightOf = (law: Law, x: number): number => logWindow(law.window, x) - (x * x) / 2;
const tiltedAt = (law: Law, x: number): number => law.c * lossOf(law, x) + heightOf(law, x);

function laws(seed: number, count: number): Law[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, i) => ({
    mu: 0.1 * 40 ** random(),
    q: 1e-4 * 3000 ** random(),
    c: (i % 2 === 0 ? -1 : 1) * 0.2 * 20 ** random(),
    window: [EVERYTHING, UP_TO, PART][i % 3]!,
  }));
}

/** Simpson's rule on [a, b]. */
function integral(f: (x: number) => number, a: number, b: number, n = 128): number {
  let sum = 0;
  for (let i = 0; i <= n; i++)
    sum += (i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2) * f(a + ((b - a) * i) / n);
  return (sum * (b - a)) / (3 * n);
}

/** log ∫φu^c W. */
const logMassOf = (law: Law): number =>
  logIntegral((x) => tiltedAt(law, x), -40, Math.min(law.window.end ?? 40, 40), 0.005) -
  Math.log(2 * Math.PI) / 2;

/** A mesh of outputs. */
interface Mesh extends Outputs {
  readonly table: Table;
}

/** The outputs so far apart, in host arithmetic; losses are off by `off` to either side, as they say. */
function meshOf(law: Law, h: number, off: (j: number) => number): Mesh {
  const first = Math.ceil(-14 / h);
  const n = Math.floor(Math.min(law.window.end ?? 20, 20) / h) - first + 1;
  const x = Float64Array.from({ length: n }, (_, j) => h * (first + j));
  const table = meshTable({
    loss: x.map((at, j) => lossOf(law, at) + off(j)),
    // with what roundings come to
    lossError: x.map((at, j) => Math.abs(off(j)) + 2 ** -50 * Math.abs(lossOf(law, at))),
    share: x.map((at) => {
      const u = Math.exp(lossOf(law, at));
      return (u - (1 - law.q)) / u;
    }),
    height: x.map((at) => heightOf(law, at)),
  });
  return { h, first, n, table };
}

/** How near the cells of a law come to what they say: the worst of masses, and the best of what is said of means. */
interface Nearness {
  mass: number;
  off: number;
}

/** Cells against integrals on the halves of the gaps between outputs of some weight. */
function check(law: Law, mesh: Mesh, logM: { log: number; error: number }, least: Nearness): void {
  const { weight: f, sums } = steps.tiltedLaw(mesh.table, law.c);
  const top = sums[0]!;
  const { table, n } = steps.tiltedCells(mesh.table, law, mesh, law.c, logM);
  const rows = table.values;
  const room = rows.length / 5;
  const norm = logMassOf(law) + Math.log(2 * Math.PI) / 2;
  let i = 0;
  for (let j = 1; j < mesh.n && i < n; j++) {
    if (!(Math.min(f[j - 1]!, f[j]!) > 4.2e-18)) continue;
    const [from, to] = [mesh.h * (mesh.first + j - 1), mesh.h * (mesh.first + j)];
    // gaps in which nothing is sure have none
    const share = (at: number): number => 1 - (1 - law.q) * Math.exp(-lossOf(law, at));
    const curve = law.mu * law.mu * share(to) * (1 - share(from));
    if (!(1 - (Math.max(0, law.c * curve - 1) * mesh.h ** 2) / 8 > 1e-6)) continue;
    for (const [a, b] of [
      [from, (from + to) / 2],
      [(from + to) / 2, to],
    ] as const) {
      const what = `${JSON.stringify(law)} ${a}`;
      const [low, high, mass, mean, off] = [0, 1, 2, 3, 4].map((row) => rows[row * room + i]!);
      const exact = integral((x) => Math.exp(tiltedAt(law, x) - norm), a, b);
      expect(mass, what).toBeLessThanOrEqual(exact * (1 + 1e-9));
      if (f[j]! > 1e-4 && f[j - 1]! > 1e-4) least.mass = Math.min(least.mass, mass! / exact);
      expect(low, what).toBeLessThanOrEqual(lossOf(law, a) + 1e-15);
      expect(high, what).toBeGreaterThanOrEqual(lossOf(law, b) - 1e-15);
      // of what counts: the exponential of the chord between the outputs
      const slope = (tiltedAt(law, to) - tiltedAt(law, from)) / (to - from);
      const chord = (x: number): number => Math.exp(tiltedAt(law, from) + slope * (x - from) - top);
      const whole = integral(chord, a, b);
      const own = integral((x) => chord(x) * lossOf(law, x), a, b) / whole;
      const away = Math.abs(own - mean!);
      expect(away, what).toBeLessThanOrEqual(off! + 1e-13 * (1 + Math.abs(own)));
      if (off! > 1e-9) least.off = Math.max(least.off, away / off!);
      i++;
    }
  }
  expect(i).toBe(n);
}

describe('cells have no more than their mass, and their means are within what is said', () => {
  test.each([0.2, 0.6])('of outputs that are %d apart', (h) => {
    const least = { mass: Infinity, off: 0 };
    for (const law of laws(72, 30))
      check(
        law,
        meshOf(law, h, () => 0),
        { log: logMassOf(law), error: 0 },
        least,
      );
    expect(least.off).toBeGreaterThan(0.5);
  });

  test('where losses are off by what they say', () => {
    const least = { mass: Infinity, off: 0 };
    for (const law of laws(73, 12).filter(({ c }) => Math.abs(c) < 5))
      check(
        law,
        meshOf(law, 0.05, (j) => (j % 4 < 2 ? 1e-6 : -1e-6)),
        { log: logMassOf(law), error: 0 },
        least,
      );
  });

  test('where log M is off by what it says', () => {
    const least = { mass: Infinity, off: 0 };
    for (const law of laws(74, 12))
      check(
        law,
        meshOf(law, 0.05, () => 0),
        { log: logMassOf(law) - 0.01, error: 0.0101 },
        least,
      );
    expect(least.mass).toBeGreaterThan(0.5);
  });
});
