/** Bounds of integrals over outputs along lines beside the real axis, against integrals of fine steps. */
import { describe, expect, test } from 'vitest';
import { SampledStep, wholeGrowth } from '../../../assembly/law/sampled-step.js';
import { sampledWindow } from '../../../assembly/law/window.js';
import { seeded } from '../../helpers/random.js';
import { roomy } from '../../helpers/run-laws.js';
import type { EndedWindow as OutputWindow } from '../../helpers/step-windows.js';
import { logIntegral, logWindow } from '../../helpers/window-logs.js';
import { EVERYTHING } from '../../helpers/windowed.js';

interface Case {
  readonly mu: number;
  readonly q: number;
  readonly c: number;
  /** μ times the distance from the axis. */
  readonly turn: number;
  readonly tau?: number;
  readonly a?: number;
  readonly window: OutputWindow;
}

const UP_TO: OutputWindow = { from: -Infinity, to: 3, width: 0.2 };
const WIDE: OutputWindow = { from: -Infinity, to: 2, width: 0.5 };
const PART: OutputWindow = { from: 1, to: 1.8, width: 0.25 };
const ABOVE: OutputWindow = { from: 4, to: 4.5, width: 0.1 };
const WINDOWS: readonly OutputWindow[] = [EVERYTHING, UP_TO, WIDE, PART, ABOVE];

/** log|u| and arg u off the axis, in host arithmetic. */
function lossOf(mu: number, q: number, x: number, turn: number): { log: number; arg: number } {
  const s = mu * x - (mu * mu) / 2;
  if (q === 1) return { log: s, arg: turn };
  const [re, im] = [Math.cos(turn), Math.sin(turn)];
  if (s > 300) return { log: s + Math.log(q), arg: turn };
  const rise = q * (Math.expm1(s) * re - (1 - re));
  const side = q * Math.exp(s) * im;
  return { log: Math.log1p(rise * (2 + rise) + side * side) / 2, arg: Math.atan2(side, 1 + rise) };
}

/** log of what is bounded. */
function exactOf(one: Case): number {
  const { mu, q, c, turn, tau = 0, a = 0, window } = one;
  const { from, to, width } = window;
  const { end } = stepOf(one).window;
  const bumps = a > 0 ? [from, to].filter(Number.isFinite) : [];
  const heightOf = (x: number): number => {
    let height = logWindow(window, x);
    for (const edge of bumps) {
      const bump =
        Math.log(a / width / Math.sqrt(2 * Math.PI)) + (a * a - (x - edge) ** 2) / (2 * width * width);
      const high = Math.max(height, bump);
      height = high + Math.log1p(Math.exp(Math.min(height, bump) - high));
    }
    return height;
  };
  const f = (x: number): number => {
    const { log, arg } = lossOf(mu, q, x, turn);
    return c * log + tau * arg - (x * x) / 2 - Math.log(2 * Math.PI) / 2 + heightOf(x);
  };
  const furthest = Math.max(0, c) * mu + (c < 0 ? 60 + Math.log(1 / q) / mu : 40);
  return logIntegral(f, (q === 1 ? Math.min(0, c) * mu : 0) - 40, Math.min(end, furthest));
}

/** A step under a window. */
function stepOf({ mu, q, window }: Case): SampledStep {
  const { from, to, width } = window;
  const cut = width === Infinity ? Infinity : to / Math.sqrt(1 + width * width);
  return new SampledStep(mu, q, sampledWindow(mu, q, cut, width, from));
}

const said = (one: Case): number => {
  const { mu, c, turn, tau = 0, a = 0 } = one;
  roomy();
  const step = stepOf(one);
  return a > 0 ? step.stripWith(c, turn / mu, a) : step.logStrip(c, turn / mu, tau);
};

/** Steps and tilts at random: tilts of one size in a row of them. */
function casesOf(seed: number, count: number): Case[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, i) => {
    const window = WINDOWS[i % WINDOWS.length]!;
    const mu = 0.05 * 160 ** random();
    const q = i % 7 === 0 ? 1 : 1e-8 * 9.5e7 ** random();
    const size = 1e-2 * 1e7 ** random();
    const turn = 0.92 * Math.PI * Math.sqrt(random());
    return { mu, q, c: -size, turn, window };
  });
}

/** Sums on the meshes here err by less: neighbours differ by .02 in logarithms. */
const OWN = 1e-4;

describe('masses along a line', () => {
  const cases = casesOf(31, 150);
  test('negative tilts', () => {
    for (const one of cases)
      expect(said(one), JSON.stringify(one)).toBeGreaterThanOrEqual(exactOf(one) - OWN);
  });

  test('negative tilts, and what bounds the window off the axis', () => {
    const random = seeded(32);
    for (const one of cases.filter(({ window }) => window !== EVERYTHING && window.from === -Infinity)) {
      const bumped = { ...one, a: one.window.width * 0.1 * 70 ** random() };
      expect(said(bumped), JSON.stringify(bumped)).toBeGreaterThanOrEqual(exactOf(bumped) - OWN);
    }
  });

  test('edges that are narrower than cells, far off the axis', () => {
    const random = seeded(35);
    for (let i = 0; i < 30; i++) {
      const window = { from: -Infinity, to: 2 + 0.03 * i, width: 0.02 };
      const [mu, q] = [0.3 * 10 ** random(), 1e-3 * 500 ** random()];
      const one = { mu, q, c: -8 * random(), turn: random(), a: 0.14, window };
      expect(said(one), JSON.stringify(one)).toBeGreaterThanOrEqual(exactOf(one) - OWN);
    }
  });

  test('tilts of either sign, and turned', () => {
    const random = seeded(33);
    for (const [i, one] of cases.entries()) {
      const c = i % 2 === 0 ? one.c : Math.min(1e3, -one.c);
      const turned = { ...one, c, tau: 0.1 * 1e4 ** random() };
      const bound = said(turned);
      if (bound < Infinity)
        expect(bound, JSON.stringify(turned)).toBeGreaterThanOrEqual(exactOf(turned) - OWN);
    }
  });
});

describe('one factor for all outputs', () => {
  /** log of the bound for a step. */
  const bound = (one: Case): number => exactOf({ ...one, turn: 0 }) + wholeGrowth(one.c, one.turn);

  test('holds at all tilts', () => {
    for (const one of casesOf(36, 100))
      expect(bound(one), JSON.stringify(one)).toBeGreaterThanOrEqual(exactOf(one) - OWN);
  });

  test('is reached where either half is as likely', () => {
    const one = { mu: 0.02, q: 0.5, c: -3, turn: 2, window: EVERYTHING };
    expect(bound(one)).toBeCloseTo(exactOf(one), 3);
  });
});

describe('ordinary tilts', () => {
  test.each(WINDOWS)('bounds are not far off: window %j', (window) => {
    const random = seeded(34);
    for (let i = 0; i < 24; i++) {
      const [mu, q] = [0.2 * 10 ** random(), 1e-4 * 5000 ** random()];
      const [c, turn] = [-20 * random(), 1.5 * random()];
      const one = { mu, q, c, turn, window };
      // small tilts have a share of the mass at 0, which is bounded by 1
      if (window !== ABOVE) expect(said(one), JSON.stringify(one)).toBeLessThan(exactOf(one) + 5);
      const turned = { ...one, c: i % 2 === 0 ? c : -c, tau: 0.5 / q ** 0.5 };
      if (turned.c > 0 && mu * turned.c > stepOf(turned).window.end) continue;
      expect(said(turned), JSON.stringify(turned)).toBeLessThan(exactOf(turned) + 5);
    }
  });
});
