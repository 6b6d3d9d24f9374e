/** Bounds of |φ| of one step under a window, against sums of fine steps. */
import { describe, expect, test } from 'vitest';
import { EVERYTHING, type OutputWindow } from '../../../src/methods/contour/step/output-window.js';
import { wasm } from '../../helpers/runs.js';
import { logWindow } from '../../helpers/window-logs.js';
import { windowedStep } from '../../helpers/windowed.js';

interface Case {
  readonly mu: number;
  readonly q: number;
  readonly c: number;
  readonly window: OutputWindow;
}

/** The window of a law without its outputs above a cut. */
function cutAt(cut: number, width: number): OutputWindow {
  const to = cut * Math.sqrt(1 + width * width);
  return { from: -Infinity, to, width, end: to + Math.max(4, 17 * width) };
}

const PART: OutputWindow = { from: 2, to: 3, width: 0.3 };
const CASES: readonly Case[] = [EVERYTHING, cutAt(6, 0.2), cutAt(4, 0.4), PART].flatMap((window) =>
  [
    { mu: 0.2, q: 0.3, c: 9 },
    { mu: 0.7, q: 0.05, c: 2.5 },
    { mu: 0.7, q: 0.05, c: -6 },
    { mu: 1.5, q: 0.01, c: 0.6 },
    { mu: 3, q: 1e-3, c: -1.5 },
    { mu: 2, q: 0.8, c: 1.2 },
  ].map((step) => ({ ...step, window })),
);

/** log|φ| at frequencies, by a trapezoidal sum. */
function logSizes({ mu, q, c, window }: Case, taus: readonly number[]): number[] {
  const h = 1 / 1024;
  const x = Array.from({ length: 40 * 1024 + 1 }, (_, i) => -20 + i * h);
  const y = x.map((at) => Math.log1p(q * Math.expm1(mu * at - (mu * mu) / 2)));
  const rows = x.map((at, i) => c * y[i]! - (at * at) / 2 + logWindow(window, at));
  const top = rows.reduce((a, b) => Math.max(a, b));
  const kept = rows.map((_, i) => i).filter((i) => rows[i]! > top - 45);
  const f = kept.map((i) => Math.exp(rows[i]! - top));
  const mass = f.reduce((a, b) => a + b);
  return taus.map((tau) => {
    let [re, im] = [0, 0];
    f.forEach((own, k) => {
      const angle = tau * y[kept[k]!]!;
      re += own * Math.cos(angle);
      im += own * Math.sin(angle);
    });
    return Math.log(Math.hypot(re, im) / mass);
  });
}

describe.each(CASES)('mu $mu, q $q, c $c, window $window.from to $window.to', (one) => {
  const step = windowedStep(wasm.kernel, one, one.window);
  const decay = step.decay(one.c);
  const unit = 1 / Math.sqrt(step.moments(one.c).variance);
  const taus = Array.from({ length: 60 }, (_, i) => unit * 0.2 * 1.1 ** i);
  const exact = logSizes(one, taus);
  // sums here are good to about that share of their mass
  const known = exact.map((log) => log > -24);

  test('none is below |phi|', () => {
    const far = decay.far!;
    for (const [i, tau] of taus.entries()) {
      if (!known[i]) continue;
      const slack = 1e-12 * Math.exp(-exact[i]!);
      expect(far(Float64Array.of(tau))[0], `${tau}`).toBeGreaterThanOrEqual(exact[i]! - slack);
      for (const from of [tau, tau / 3, tau / 20]) {
        const { log, power } = decay.beyond(from);
        expect(log - power * Math.log(tau / from), `${tau} ${from}`).toBeGreaterThanOrEqual(
          exact[i]! - slack,
        );
      }
    }
    // on a stretch, at both of its ends and within
    const bounds = decay.bounds(
      wasm.kernel,
      Float64Array.from(taus.filter((_, i) => i % 3 === 0)),
      -Infinity,
    );
    for (const [k, bound] of bounds.entries())
      for (let i = 3 * k; i <= 3 * k + 3; i++)
        if (known[i])
          expect(bound, `${taus[i]}`).toBeGreaterThanOrEqual(exact[i]! - 1e-12 * Math.exp(-exact[i]!));
  });

  test('the better of two is not idle', () => {
    // parts with two edges and laws with two hills are known less well
    const least = one.window === PART ? 0.05 : one.q === 0.8 ? 0.2 : 0.4;
    const bounds = decay.bounds(wasm.kernel, Float64Array.from(taus), -Infinity);
    const far = decay.far!(Float64Array.from(taus));
    for (const [i, bound] of bounds.entries()) {
      // of a stretch the larger end is what can be said
      const most = Math.max(exact[i]!, exact[i + 1]!);
      if (most > -0.1 || exact[i]! < -6) continue;
      expect(Math.min(bound, far[i]!), `${taus[i]}`).toBeLessThanOrEqual(most * least);
    }
  });
});
