import { describe, expect, test } from 'vitest';
import { EVERYTHING, type OutputWindow } from '../../../src/methods/contour/step/output-window.js';
import { erfc } from '../../../src/numeric/scalar.js';
import { reference } from '../../helpers/runs.js';
import { windowedStep } from '../../helpers/windowed.js';

interface Case {
  readonly mu: number;
  readonly q: number;
  readonly c: number;
  readonly window: OutputWindow;
}

const from2: OutputWindow = { from: 2, to: Infinity, width: 0.25 };
const upTo3: OutputWindow = { from: -Infinity, to: 3, width: 0.2 };
const narrow: OutputWindow = { from: 4, to: 4.6, width: 0.15 };
/** Windows that end near by, where there is still something. */
const ended: readonly OutputWindow[] = [3.5, 4.5].map((widths) => ({ ...upTo3, end: 3 + 0.2 * widths }));
/** Those of laws without their largest outputs. */
const cut: readonly OutputWindow[] = [
  { cut: 6, width: 0.2 },
  { cut: 4, width: 0.4 },
].map(({ cut: at, width }) => {
  const to = at * Math.sqrt(1 + width * width);
  return { from: -Infinity, to, width, end: to + Math.max(4, 17 * width) };
});
const CASES: readonly Case[] = [EVERYTHING, from2, upTo3, narrow, ...ended, ...cut].flatMap((window) =>
  [
    { mu: 1, q: 0.01, c: 1.7 },
    { mu: 0.4, q: 0.2, c: 6 },
    { mu: 0.4, q: 0.2, c: -5 },
    { mu: 3, q: 1e-4, c: 1.2 },
    { mu: 3, q: 1e-4, c: -0.7 },
    { mu: 2, q: 0.9, c: 3 },
  ]
    .map((step) => ({ ...step, window }))
    // most of that would lie behind the end
    .filter(({ mu, c }) => window.end === undefined || c * mu < 4),
);

/** The parts of a step in plain host arithmetic on a fine mesh: f = φu^c W and y = log u. */
function meshOf({ mu, q, c, window }: Case): { x: number[]; f: number[]; y: number[]; rise: number[] } {
  const { from, to, width } = window;
  const below = (z: number): number => erfc(-z / Math.SQRT2) / 2;
  const inside = (x: number): number => {
    if (x > (window.end ?? Infinity) + 1e-9) return 0;
    if (width === Infinity) return 1;
    const [a, b] = [(x - from) / width, (x - to) / width];
    return a + b > 0 ? below(-b) - below(-a) : below(a) - below(b);
  };
  const x = Array.from({ length: 60_001 }, (_, i) => -30 + i * 0.001);
  const u = x.map((at) => 1 + q * Math.expm1(mu * at - (mu * mu) / 2));
  return {
    x,
    y: u.map(Math.log),
    rise: x.map((at, i) => (mu * q * Math.exp(mu * at - (mu * mu) / 2)) / u[i]),
    f: x.map((at, i) => Math.exp(-(at * at) / 2 + c * Math.log(u[i])) * inside(at)),
  };
}

describe.each(CASES)('mu $mu, q $q, c $c, window $window.from to $window.to', (settings) => {
  const { x, f, y, rise } = meshOf(settings);
  const mass = f.reduce((sum, value) => sum + value);
  const step = windowedStep(reference.kernel, settings, settings.window);
  const bound = step.logVariation(settings.c);

  test('the variation of phi u^c W/y′ over M is below its bound, and not far below', () => {
    let variation = 0;
    for (let i = 1; i < f.length; i++) variation += Math.abs(f[i] / rise[i] - f[i - 1] / rise[i - 1]);
    const exact = Math.log(variation / mass / 0.001);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(bound).toBeLessThan(exact + 2);
  });

  test('mass and transform are those of the outputs before the end', () => {
    const { log: value, error } = step.moments(settings.c);
    const exact = Math.log((mass * 0.001) / Math.sqrt(2 * Math.PI));
    // the mesh knows what ends between two of its outputs to half a gap of them
    const end = x.findLastIndex((at) => at <= (settings.window.end ?? Infinity) + 1e-9);
    const own = 1e-11 + (settings.window.end === undefined ? 0 : (0.5 * f[end]!) / mass);
    expect(Math.abs(value - exact)).toBeLessThanOrEqual(error + own);
    const line = step.line(settings.c, 0.7, 12, 40)!;
    for (let k = 1; k < 12; k++) {
      let [re, im] = [0, 0];
      f.forEach((one, i) => {
        re += one * Math.cos(0.7 * k * y[i]);
        im += one * Math.sin(0.7 * k * y[i]);
      });
      const gap = Math.hypot(re / mass - 1 - line.re[k]!, im / mass - line.im[k]!);
      expect(gap).toBeLessThanOrEqual(line.wrong[k]! + line.missing + 3 * own);
    }
  });

  test('|phi(tau)| is at most that over tau', () => {
    for (const tau of [0.5, 2, 7, 30, 100]) {
      let [re, im] = [0, 0];
      f.forEach((value, i) => {
        re += value * Math.cos(tau * y[i]);
        im += value * Math.sin(tau * y[i]);
      });
      // the mesh resolves these angles; sums of 60,000 terms of total 1 err by less than 1e-11
      expect(Math.hypot(re, im) / mass).toBeLessThanOrEqual(Math.exp(bound) / tau + 1e-11);
    }
  });
});

// log(1 − Φ̄(5)) and log(1 − (1 − q)Φ̄(5) − qΦ̄(5 − μ/√1.25)), μ = 1, q = .1, by mpmath at 40 digits
test.each([
  [0, -0.0000002866516129637632322133762],
  [1, -0.000002274560111872694273058204],
])('the mass that a window leaves at tilt %d is known by its formula', (c, exact) => {
  const window = { from: -Infinity, to: 5 * Math.sqrt(1.25), width: 0.5 };
  const left = windowedStep(reference.kernel, { mu: 1, q: 0.1 }, window).moments(c);
  expect(Math.abs(left.log - exact)).toBeLessThan(left.error);
  // sums know it to some 1e-14
  expect(left.error).toBeLessThan(1e-9 * -exact);
  const whole = windowedStep(reference.kernel, { mu: 8, q: 0.01 }, EVERYTHING).moments(c);
  expect([Math.abs(whole.log), whole.error]).toEqual([0, 0]);
});
