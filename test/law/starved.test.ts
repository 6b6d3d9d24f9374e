/** Transforms with so few digits that each term of their budgets is the largest in turn: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import { NOTHING, type Side } from '../../src/law/mixture-side.js';
import { type Allocation, allocationStep, mixtureStep } from '../../src/methods/contour/kernel-step.js';
import { erfc } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { mixtureLaw, mixtureRange } from '../helpers/run-laws.js';
import { seriesPower } from '../helpers/series-power.js';
import { type AskedLaw, cutEpoch, lawOfStep, truncatedLaw } from '../helpers/step-laws.js';
import type { EndedWindow as OutputWindow } from '../helpers/step-windows.js';
import { twoBins } from '../helpers/two-bins.js';
import { logWindow } from '../helpers/window-logs.js';
import { EVERYTHING } from '../helpers/windowed.js';

interface LogM {
  readonly re: number;
  readonly im: number;
}

/** What a law says of log M at c and on the line through it holds the exact values; returns the largest share of its charge that is used. */
function used(law: AskedLaw, c: number, dTau: number, exact: (tau: number) => LogM): number {
  const { value, error } = law.cumulant(c);
  let most = 0;
  if (error < Infinity) {
    const off = Math.abs(value - exact(0).re);
    expect(off, `log M(${c})`).toBeLessThanOrEqual(error + 1e-12);
    most = off / error;
  }
  const n = 12;
  const line = law.line({ c, dTau, n });
  for (let k = 1; line !== undefined && k < n; k++) {
    const doubt = line.error[k]! + line.quadrature[k]!;
    const { re, im } = exact(k * dTau);
    if (!(doubt < 0.5)) continue;
    const [modulus, turn] = [line.logModulus[k]! - re + exact(0).re, line.phase[k]! - im];
    const off = Math.hypot(modulus, 2 * Math.sin(turn / 2));
    expect(off, `${c} + ${k * dTau}i`).toBeLessThanOrEqual(doubt * 1.0001 + 1e-11);
    most = Math.max(most, off / doubt);
  }
  return most;
}

/** The same law is asked about again with other digits: sums are done once for each τ. */
function once(exact: (tau: number) => LogM): (tau: number) => LogM {
  const known = new Map<number, LogM>();
  return (tau) => {
    const found = known.get(tau) ?? exact(tau);
    known.set(tau, found);
    return found;
  };
}

describe('mixtures of Gaussians', () => {
  const side = (shift: number[], weight: number[]): Side => ({
    shift: Float64Array.from(shift),
    weight: Float64Array.from(weight),
  });
  const laws: readonly [string, Side, Side][] = [
    ['two parts', side([0, 1], [0.9, 0.1]), NOTHING],
    ['one part', side([1.5], [1]), NOTHING],
    ['two sides', side([0, 1.2], [0.7, 0.3]), side([0, 1.2], [0.7, 0.3])],
    ['far apart', side([0.4, 2.5], [0.6, 0.4]), side([0, 0.8], [0.5, 0.5])],
  ];
  /** By the trapezoidal rule at steps of 1/100, in host arithmetic. */
  const exactOf =
    (plus: Side, minus: Side, c: number, window = EVERYTHING) =>
    (tau: number): LogM => {
      const log = ({ shift, weight }: Side, x: number) =>
        Math.log(shift.reduce((sum, a, i) => sum + weight[i]! * Math.exp(a * x - (a * a) / 2), 0));
      let [re, im] = [0, 0];
      for (let i = -3000; i <= 3000; i++) {
        const x = i / 100;
        const [up, down] = [log(plus, x), log(minus, -x)];
        const height = c * (up - down) + down - (x * x) / 2 + logWindow(window, x);
        const size = Math.exp(height) / (100 * Math.sqrt(2 * Math.PI));
        re += size * Math.cos(tau * (up - down));
        im += size * Math.sin(tau * (up - down));
      }
      return { re: Math.log(Math.hypot(re, im)), im: Math.atan2(im, re) };
    };

  test.each(laws)('%s, with few digits on the axis and off it', (_, plus, minus) => {
    let most = 0;
    for (const c of [-1.5, 0.5, 1.4, 3, 6]) {
      const exact = once(exactOf(plus, minus, c));
      for (const digits of [-8, -4, 0, 4, 8])
        most = Math.max(most, used(lawOfStep(mixtureStep(plus, minus), digits), c, 0.4, exact));
    }
    expect(most).toBeGreaterThan(1e-5);
  });

  test('log M of a mixture over outputs that end early', () => {
    let most = 0;
    for (const [, plus, minus] of laws)
      for (const endDepth of [-3, 0, 3]) {
        const law = mixtureLaw(plus, minus, 40, endDepth);
        for (const c of [-1.5, 0.5, 1.4, 2.5]) {
          const { value, error } = law.moments(c);
          if (!(error < Infinity)) continue;
          const off = Math.abs(value - exactOf(plus, minus, c)(0).re);
          expect(off).toBeLessThanOrEqual(error + 1e-12);
          most = Math.max(most, off / error);
        }
      }
    expect(most).toBeGreaterThan(0.01);
  });

  test('beyond the ends of a rule what is summed falls as it must, with a window or without', () => {
    const random = seeded(15);
    const logAt = ({ shift, weight }: Side, x: number) => {
      const terms = shift.map((a, i) => Math.log(weight[i]!) + a * x - (a * a) / 2);
      const most = Math.max(...terms);
      return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
    };
    for (let i = 0; i < 300; i++) {
      const side = (): Side => {
        const rare = 0.9 * random() + 0.01;
        const all = random() < 0.5;
        const [low, high] = [all ? 2 * random() + 0.1 : 0, 4 * random() + 2.2];
        return { shift: Float64Array.of(low, high), weight: Float64Array.of(1 - rare, rare) };
      };
      const [plus, minus] = [side(), side()];
      const width = 0.1 + 0.9 * random();
      const to = 12 * random() - 1;
      const window =
        i % 3 === 0
          ? undefined
          : { from: i % 3 === 1 ? -Infinity : to - 4 * width - 3 * random(), to, width };
      const [c, reach] = [12 * random() - 5, 3 + 8 * random()];
      const height = (x: number): number => {
        const log = window === undefined ? 0 : logWindow(window, x);
        return c * logAt(plus, x) + (1 - c) * logAt(minus, -x) - (x * x) / 2 + log;
      };
      const { low, high } = mixtureRange(plus, minus, window, c, reach);
      const far = 1e-4;
      const what = JSON.stringify({ plus, minus, window, c, reach });
      expect((height(low) - height(low - far)) / far, what).toBeGreaterThan(reach - 1e-4);
      expect((height(high) - height(high + far)) / far, what).toBeGreaterThan(reach - 1e-4);
    }
  });

  /** What N(a, 1), with the window's noise as well, has beyond its edge. */
  const beyond = ({ shift, weight }: Side, { to, width }: OutputWindow, sign: number): number => {
    const stretch = Math.hypot(1, width);
    return shift.reduce(
      (sum, a, i) => sum + (weight[i]! * erfc((to - sign * a) / (stretch * Math.SQRT2))) / 2,
      0,
    );
  };

  test.each(laws)('%s without its largest outputs: what is lost, M and bounds of phi', (_, plus, minus) => {
    let most = 0;
    for (const [logMass, width] of [
      [-2, 0.5],
      [-9, 0.25],
      [-20, 0.12],
    ] as const) {
      const step = mixtureStep(plus, minus);
      const cutOf = (digits: number) => truncatedLaw(step, logMass, digits, width);
      const { logLostP, logLostQ, logMassP, logMassQ, law } = cutOf(40);
      const edge = Array.from({ length: 100 }, (_, i) => i / 4).find(
        (to) => Math.abs(Math.log(beyond(plus, { from: -Infinity, to, width }, 1)) - logLostQ) < 1e-9,
      );
      const window = { from: -Infinity, to: edge!, width };
      expect(logLostQ).toBeLessThan(logMass + 1e-9);
      for (const [said, left, side, sign] of [
        [logLostP, logMassP, minus, -1],
        [logLostQ, logMassQ, plus, 1],
      ] as const) {
        const lost = beyond(side, window, sign);
        expect(said).toBeGreaterThanOrEqual(Math.log(lost));
        expect(left).toBeLessThanOrEqual(Math.log1p(-lost) + 1e-16);
        expect(left).toBeGreaterThan(Math.log1p(-lost) - 1e-9 * lost - 2e-16);
      }
      for (const c of [-1.5, 0.5, 1, 3, 6]) {
        const exact = once(exactOf(plus, minus, c, window));
        used(law, c, 0.4, exact);
        for (const digits of [2, 6]) most = Math.max(most, used(cutOf(digits).law, c, 0.4, exact));
        const decay = law.decay(c);
        for (const tau of [0.4, 2, 4.4]) {
          const size = exact(tau).re - exact(0).re;
          const taus = Float64Array.of(tau, 1.001 * tau);
          const { log, power } = decay.beyond(0.8 * tau);
          const said = [decay.far!(taus)[0]!, decay.bounds(taus, -30)[0]!, log - power * Math.log(1.25)];
          for (const bound of said) expect(bound).toBeGreaterThan(size - 1e-12);
        }
      }
    }
    expect(most).toBeGreaterThan(0.001);
  });
});

/** log E(1 − q + qe^Y)^{c + iτ}, Y ~ N(−μ²/2, μ²): one of 1/q bins seen, by the trapezoidal rule at steps of 1/200. */
function sampled(mu: number, q: number, c: number, tau: number): LogM {
  let [re, im] = [0, 0];
  for (let i = -2800; i <= 2800; i++) {
    const x = i / 200;
    const loss = Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
    const size = Math.exp(c * loss - (x * x) / 2) / (200 * Math.sqrt(2 * Math.PI));
    re += size * Math.cos(tau * loss);
    im += size * Math.sin(tau * loss);
  }
  return { re: Math.log(Math.hypot(re, im)), im: Math.atan2(im, re) };
}

const epochLaw = (epoch: Allocation): AskedLaw => lawOfStep(allocationStep(epoch));

const allOf = (digits: number) => ({ rule: digits, ends: digits, inner: digits });

describe('balls and bins', () => {
  test.each([0.5, 1, 2.5])('one of 100 bins, a coarse rule in v, mu %d', (mu) => {
    let most = 0;
    for (const c of [-6, -3, 0.5, 2.6]) {
      const exact = once((tau) => sampled(mu, 0.01, c, tau));
      for (const rule of [28, 31])
        for (const dTau of [2, 15]) {
          const law = epochLaw({ mu, bins: 100, visited: 1, fewer: { rule } });
          most = Math.max(most, used(law, c, dTau, exact));
        }
    }
    // the rule errs by a good part of what it may
    expect(most).toBeGreaterThan(0.02);
  });

  test.each([0.5, 1, 2.5])('one of 100 bins, a coarse rule in y, mu %d', (mu) => {
    let most = 0;
    for (const c of [-6, -3, 0.5, 2.6]) {
      const exact = once((tau) => sampled(mu, 0.01, c, tau));
      for (const inner of [70, 75, 78])
        for (const dTau of [2, 15]) {
          const law = epochLaw({ mu, bins: 100, visited: 1, fewer: { inner } });
          most = Math.max(most, used(law, c, dTau, exact));
        }
    }
    expect(most).toBeGreaterThan(1e-4);
  });

  test('one bin is a Gaussian, however coarse the rule in y where little is left of it', () => {
    let most = 0;
    for (const mu of [0.3, 0.5])
      for (const c of [-8, -5])
        for (const inner of [56, 60, 64, 68]) {
          const law = epochLaw({ mu, bins: 1, visited: 1, fewer: { inner } });
          const exact = (tau: number): LogM => ({
            re: (mu * mu * (c * (c - 1) - tau * tau)) / 2,
            im: mu * mu * (c - 0.5) * tau,
          });
          most = Math.max(most, used(law, c, 0.5, exact));
        }
    expect(most).toBeGreaterThan(1e-4);
  });

  test('between whole orders, where no line goes: log M of two bins is in the bracket', () => {
    let cells = 0;
    for (const mu of [0.9, 1.6, 2.4])
      for (let c = 2.05; c < 60; c *= 1.07) {
        const { value, error, variance } = epochLaw({ mu, bins: 2, visited: 2 }).cumulant(c);
        if (!(error < Infinity && variance === Infinity)) continue;
        cells++;
        expect(Math.abs(value - twoBins(mu, c, 0).re), `mu ${mu}, c ${c}`).toBeLessThanOrEqual(error);
      }
    expect(cells).toBeGreaterThan(40);
  });

  test('powers of a series: coefficients that are wrong by a share of their majorants', () => {
    const random = seeded(11);
    const [m, kappa] = [7, 1e-3];
    let most = 0;
    for (let i = 0; i < 200; i++) {
      // by Miller's recurrence and by squares; of one coefficient alone, too
      const n = 1 + Math.floor(20 * random());
      const alone = 1 + Math.floor((m - 1) * random());
      const size = Float64Array.from({ length: m + 1 }, (_, k) =>
        k === 0 || (i % 2 === 0 && k !== alone) ? 0 : random(),
      );
      const turn = size.map(() => (i % 3 === 0 ? 0 : 6.3 * random()));
      const off = size.map(() => (i % 3 === 0 ? 0 : 6.3 * random()));
      const a = i % 2 === 0 ? 0 : random();
      const of = (wrong: number) => {
        const re = size.map((r, k) => r * Math.cos(turn[k]!) + wrong * r * Math.cos(off[k]!));
        const im = size.map((r, k) => r * Math.sin(turn[k]!) + wrong * r * Math.sin(off[k]!));
        const [x, y, most] = seriesPower([re, im, size], n, a).map((row) => row[m]!);
        return { re: x!, im: y!, most: most! };
      };
      const [own, moved] = [of(0), of(kappa)];
      const bound = own.most * Math.expm1(m * Math.log1p(kappa));
      const error = Math.hypot(moved.re - own.re, moved.im - own.im);
      expect(error).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-14);
      expect(Math.hypot(own.re, own.im)).toBeLessThanOrEqual(own.most * (1 + 1e-12));
      if (bound > 0) most = Math.max(most, error / bound);
    }
    expect(most).toBeGreaterThan(0.99);
  });

  test.each([1, 0.5])('two bins with few digits, mu %d', (mu) => {
    let most = 0;
    for (const c of [-3, 0.5, 1.4, 2.6])
      for (const digits of [20, 26, 30])
        for (const dTau of [0.3, 1])
          most = Math.max(
            most,
            used(epochLaw({ mu, bins: 2, visited: 2, fewer: allOf(digits) }), c, dTau, (tau) =>
              twoBins(mu, c, tau),
            ),
          );
    expect(most).toBeGreaterThan(1e-6);
  });

  test.each([1, 0.5, 0.3])('a Gaussian beside a rest that is cut far in, mu %d', (mu) => {
    let cuts = 0;
    for (const lost of [0.3, 0.05, 1e-3, 1e-6]) {
      const cut = cutEpoch({ mu, bins: 2, visited: 2 }, lost);
      if (cut === undefined) continue;
      cuts++;
      // V = cosh D/E cosh D, D ~ N(0, μ²/2), beside a Gaussian of μ/√2
      const half = (mu * mu) / 2;
      const mean = Math.exp(half / 2);
      const exactOf =
        (c: number) =>
        (tau: number): LogM => {
          let [re, im] = [0, 0];
          const h = mu / 400;
          for (let i = -4000; i <= 4000; i++) {
            const x = i * h;
            const v = Math.cosh(x) / mean;
            if (Math.abs(v - 1) > cut.reach) continue;
            const size = (Math.exp((-x * x) / (2 * half)) * h) / Math.sqrt(2 * Math.PI * half);
            re += size * v ** c * Math.cos(tau * Math.log(v));
            im += size * v ** c * Math.sin(tau * Math.log(v));
          }
          return {
            re: Math.log(Math.hypot(re, im)) + (half * (c * c - tau * tau - c)) / 2,
            im: Math.atan2(im, re) + half * (c - 0.5) * tau,
          };
        };
      for (const c of [-2, 0.5, 1.6, 4]) used(cut.law, c, 0.5, exactOf(c));
    }
    expect(cuts).toBeGreaterThan(1);
  });
});
