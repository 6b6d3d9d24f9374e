/** Cut laws with few nodes, few outputs and near cuts: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import { CutGaussian } from '../../../src/methods/contour/step/cut-gaussian.js';
import { logBehind } from '../../../src/methods/contour/step/off-axis.js';
import { OutputPanels } from '../../../src/methods/contour/step/output-panels.js';
import { gradingFor } from '../../../src/methods/contour/step/panel-grading.js';
import { pathSums } from '../../../src/methods/contour/step/shifted-cut.js';
import { wasm } from '../../helpers/runs.js';

interface Complex {
  readonly re: number;
  readonly im: number;
}

/** Losses and heights of φu^c at 40,001 outputs up to a cut, and the largest height. */
interface Mesh {
  readonly h: number;
  readonly losses: Float64Array;
  readonly weights: Float64Array;
  readonly top: number;
}
const meshes = new Map<string, Mesh>();

function meshOf(mu: number, q: number, cut: number, c: number): Mesh {
  const key = [mu, q, cut, c].join();
  const known = meshes.get(key);
  if (known !== undefined) return known;
  const low = -14 + Math.min(0, c) * mu;
  const n = 40_000;
  const h = (cut - low) / n;
  const losses = Float64Array.from({ length: n + 1 }, (_, i) =>
    Math.log1p(q * Math.expm1(mu * (low + i * h) - (mu * mu) / 2)),
  );
  const heights = losses.map((y, i) => c * y - (low + i * h) ** 2 / 2);
  const top = heights.reduce((a, b) => Math.max(a, b), -Infinity);
  const simpson = (i: number) => (i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2);
  const weights = heights.map((x, i) => ((simpson(i) * h) / 3 / Math.sqrt(2 * Math.PI)) * Math.exp(x - top));
  const made = { h, losses, weights, top };
  meshes.set(key, made);
  return made;
}

/** ∫_{x ≤ cut} φ u^{c + iτ} dx over e^{top}, by Simpson's rule in host arithmetic. */
function exactly(mu: number, q: number, cut: number, c: number, tau: number): { top: number } & Complex {
  const { losses, weights, top } = meshOf(mu, q, cut, c);
  let [re, im] = [0, 0];
  for (let i = 0; i < losses.length; i++) {
    re += weights[i]! * Math.cos(tau * losses[i]!);
    im += weights[i]! * Math.sin(tau * losses[i]!);
  }
  return { top, re, im };
}

const logSize = ({ top, re, im }: { top: number } & Complex) => top + Math.log(Math.hypot(re, im));

const LAWS: readonly (readonly [sigma: number, q: number, cut: number, tilts: readonly number[]])[] = [
  [1, 0.01, 2, [-3, 0.5, 2.5]],
  [1, 0.01, 6, [1.4, 4]],
  [2, 0.05, 3, [-12, 6, 30]],
  [0.6, 0.2, 4, [-2, 1.5]],
];

/** Whole laws of which something counts behind the end of their panels. */
const NEAR_BY = {
  whole: true,
  laws: [
    [1, 0.01, 4.5, [-3, 0.5]],
    [1, 0.01, 6.5, [2]],
    [2, 0.05, 5, [-12, 2]],
    [0.6, 0.2, 8, [1.5]],
  ] as typeof LAWS,
};

/** The largest shares of their charges that log M and lines use, over all laws. */
function used(
  depth: number,
  size: number,
  n: number,
  dTau: number,
  { laws = LAWS, whole = false } = {},
): { axis: number; line: number } {
  const most = { axis: 0, line: 0 };
  for (const [sigma, q, cut, tilts] of laws)
    for (const c of tilts) {
      const [mu, what] = [
        1 / sigma,
        `sigma ${sigma}, rate ${q}, cut at ${cut}, depth ${depth}, size ${size}`,
      ];
      const law = new CutGaussian(wasm.kernel, { mu, q, whole }, cut, depth, size);
      // outputs beyond are too few to be told
      const end = whole ? cut + 6 : cut;
      const all = exactly(mu, q, end, c, 0);
      const { value, error } = law.cumulant(c, 1);
      if (error < Infinity) {
        const off = Math.abs(value - logSize(all));
        expect(off, `${what}: log M(${c})`).toBeLessThanOrEqual(error + 1e-12);
        most.axis = Math.max(most.axis, (off - 1e-12) / error);
      }
      const line = law.line({ c, dTau, n }, 1);
      if (line === undefined) continue;
      const every = Math.ceil(n / 4);
      for (let k = every; k < n; k += every) {
        const doubt = line.error[k]! + line.quadrature[k]!;
        if (!(doubt < 0.3)) continue;
        const there = exactly(mu, q, end, c, k * dTau);
        const turn = line.phase[k]! - Math.atan2(there.im, there.re);
        const modulus = line.logModulus[k]! - logSize(there) + logSize(all);
        const off = Math.hypot(modulus, 2 * Math.sin(turn / 2));
        expect(off, `${what}: ${c} + ${k * dTau}i`).toBeLessThanOrEqual(1.05 * doubt + 1e-10);
        most.line = Math.max(most.line, (off - 1e-10) / doubt);
      }
    }
  return most;
}

describe('cut laws', () => {
  test('few nodes on every panel', () => {
    const most = [4, 6, 8].map((size) => used(40, size, 13, 0.7));
    expect(Math.max(...most.map(({ axis }) => axis))).toBeGreaterThan(1e-4);
    expect(Math.max(...most.map(({ line }) => line))).toBeGreaterThan(1e-6);
  });

  test('few outputs', () => {
    const most = [1, 3, 6].map((depth) => used(depth, 24, 13, 0.7));
    expect(Math.max(...most.map(({ axis }) => axis))).toBeGreaterThan(1e-3);
    expect(Math.max(...most.map(({ line }) => line))).toBeGreaterThan(1e-3);
  });

  test('whole laws with an end near by', () => {
    const most = [used(40, 24, 13, 0.7, NEAR_BY), used(40, 24, 1100, 0.02, NEAR_BY)];
    for (const { axis, line } of most) {
      expect(axis).toBeGreaterThan(1e-3);
      expect(line).toBeGreaterThan(1e-4);
    }
  });

  test('off the axis, behind the panels of a whole law whose M is known', () => {
    let most = 0;
    for (const [sigma, q, cut, tilts] of NEAR_BY.laws)
      for (const c of tilts) {
        const mu = 1 / sigma;
        const end = cut + 6;
        const value = logSize(exactly(mu, q, end, c, 0));
        const layout = new OutputPanels(wasm.kernel, { mu, q }, cut, 24, gradingFor(mu, q, cut, c));
        const behind = logBehind(mu, q, cut, c);
        const outputs = { layout, c, from: -11, behind, logM: { value, error: 1e-12 } };
        // no error of log M hides what is lost there
        const sums = pathSums(wasm.kernel, outputs, { dTau: 0.05, n: 640 })!;
        for (let k = 1; k < 640; k += 71) {
          const { top, re, im } = exactly(mu, q, end, c, 0.05 * k);
          const unit = Math.exp(top - value);
          const off = Math.hypot(sums.re[k]! + 1 - re * unit, sums.im[k]! - im * unit);
          const charged = sums.wrong[k]! + sums.missing;
          expect(off, `sigma ${sigma}, rate ${q}: ${c} + ${0.05 * k}i`).toBeLessThanOrEqual(charged + 1e-10);
          most = Math.max(most, (off - 1e-10) / charged);
        }
      }
    expect(most).toBeGreaterThan(1e-3);
  });

  test('off the axis, few nodes on every panel and on the leg', () => {
    const most = [4, 6, 8].map((size) => used(40, size, 1100, 0.02).line);
    expect(Math.max(...most)).toBeGreaterThan(1e-7);
  });

  test('off the axis, few outputs', () => {
    const most = [2, 5].map((depth) => used(depth, 24, 1100, 0.02).line);
    expect(Math.max(...most)).toBeGreaterThan(1e-5);
  });

  test('all of a path, and its leg, bound |phi| beyond', () => {
    let closest = -Infinity;
    for (const [sigma, q, cut, tilts] of LAWS) {
      const mu = 1 / sigma;
      const law = new CutGaussian(wasm.kernel, { mu, q }, cut, 40);
      for (const c of tilts) {
        const bound = law.pathBound(c);
        if (bound === undefined) continue;
        const whole = logSize(exactly(mu, q, cut, c, 0));
        for (const tau of [0.3, 2, 8, 30, 100, 400]) {
          const exact = logSize(exactly(mu, q, cut, c, tau)) - whole;
          expect(bound(tau), `${sigma} ${q} ${cut}: ${c} + ${tau}i`).toBeGreaterThanOrEqual(exact - 1e-9);
          closest = Math.max(closest, exact - bound(tau));
        }
      }
    }
    expect(closest).toBeGreaterThan(-1);
  });
});
