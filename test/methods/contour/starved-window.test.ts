/** Laws of windows with few nodes, few outputs and near ends: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import { EVERYTHING, type OutputWindow } from '../../../src/methods/contour/step/output-window.js';
import { shiftedSums } from '../../../src/methods/contour/step/shifted-gaussian.js';
import { type Mesh, meshOf, phiOf, type Tilted } from '../../helpers/outputs.js';
import { reference } from '../../helpers/runs.js';
import { outputsOf, windowedStep } from '../../helpers/windowed.js';

const meshes = new Map<string, Mesh>();

function exactly(law: Tilted): Mesh {
  const key = JSON.stringify(law);
  const known = meshes.get(key) ?? meshOf(law);
  meshes.set(key, known);
  return known;
}

const SOFT: OutputWindow = { from: -Infinity, to: 5, width: 0.5, end: 13.5 };
const UPPER: OutputWindow = { from: 2, to: Infinity, width: 0.25 };
const PART: OutputWindow = { from: 3, to: 4.5, width: 0.3 };
/** Windows that end near by, where there is still something. */
const ENDED: readonly OutputWindow[] = [2.5, 3.5, 4.5].map((widths) => ({
  from: -Infinity,
  to: 3,
  width: 0.3,
  end: 3 + 0.3 * widths,
}));

const STEPS = [
  { mu: 1, q: 0.01, tilts: [-3000, -40, -3, 0.5, 2.5, 9] },
  { mu: 0.5, q: 0.05, tilts: [-1e5, -12, 6, 30] },
  { mu: 1.7, q: 0.2, tilts: [-200, -2, 1.5, 5] },
  { mu: 0.1, q: 0.3, tilts: [-300, -20, 15, 80] },
  { mu: 3, q: 0.9, tilts: [-50, -0.4, 2] },
] as const;

interface Used {
  axis: number;
  short: number;
  long: number;
}

/** The largest shares of their charges that log M and lines use, over all laws. */
function used(
  windows: readonly OutputWindow[],
  depths: readonly number[],
  fits = (_: Tilted): boolean => true,
): Used {
  const most = { axis: 0, short: 0, long: 0 };
  for (const window of windows)
    for (const depth of depths)
      for (const { mu, q, tilts } of STEPS) {
        const law = windowedStep(reference.kernel, { mu, q }, window, depth);
        for (const c of tilts) {
          const here = { mu, q, c, window };
          if (!fits(here)) continue;
          const what = `${JSON.stringify(here)}, depth ${depth}`;
          const exact = exactly(here);
          const { log: value, error, variance } = law.moments(c);
          if (!(error < Infinity)) continue;
          const own = 1e-11 + 1e-13 * Math.abs(exact.log);
          const off = Math.abs(value - exact.log) - own;
          expect(off, `${what}: log M`).toBeLessThanOrEqual(error);
          most.axis = Math.max(most.axis, off / error);
          const tau = 1.5 / Math.sqrt(variance);
          for (const kind of ['short', 'long'] as const) {
            const n = kind === 'short' ? 7 : 1537;
            const line = law.logPhi({ c, dTau: (6 * tau) / (n - 1), n }, 1);
            if (line === undefined) continue;
            for (let part = 1; part <= 6; part++) {
              const k = (part * (n - 1)) / 6;
              const doubt = line.error[k]! + line.quadrature[k]!;
              if (!(doubt < 0.3)) continue;
              const [re, im] = phiOf(exact, (6 * tau * k) / (n - 1));
              const turn = line.phase[k]! - Math.atan2(im, re);
              const gap = Math.hypot(
                line.logModulus[k]! - Math.log(Math.hypot(re, im)),
                2 * Math.sin(turn / 2),
              );
              const less = gap - (4 * own) / Math.hypot(re, im);
              expect(less, `${what}: ${kind} ${c} + ${tau * part}i`).toBeLessThanOrEqual(1.05 * doubt);
              most[kind] = Math.max(most[kind], less / doubt);
            }
          }
        }
      }
  return most;
}

describe('few outputs and nodes', () => {
  test.each([
    ['all outputs', [EVERYTHING]],
    ['without the largest', [SOFT]],
    ['the largest alone', [UPPER]],
    ['between two edges', [PART]],
  ] as const)('sums good to a few digits: %s', (_, windows) => {
    const most = used(windows, [1, 2, 3, 4, 6, 8, 12, 18]);
    expect(most.axis).toBeGreaterThan(1e-3);
    expect(most.short).toBeGreaterThan(1e-3);
    expect(most.long).toBeGreaterThan(1e-3);
  });

  test('a hard end near by', () => {
    const most = used(ENDED, [4, 8, 16, 40], ({ mu, c }) => c * mu < 6);
    // what neighbouring windows may share near their ends is charged as well
    expect(most.axis).toBeGreaterThan(3e-4);
    expect(most.short).toBeGreaterThan(1e-3);
    expect(most.long).toBeGreaterThan(1e-3);
  });

  /** The largest share of its charge that φ off the axis uses, of laws whose M is known: no error of log M hides what is lost there. */
  const usedOff = (windows: readonly OutputWindow[], depth: number): number => {
    let most = 0;
    for (const window of windows)
      for (const { mu, q, tilts } of STEPS)
        for (const c of tilts) {
          if (c * mu > 6 || c * mu < -60) continue;
          const exact = exactly({ mu, q, c, window });
          const outputs = outputsOf(reference.kernel, { mu, q }, window);
          const logM = { value: exact.log, error: 1e-12 };
          const sums = shiftedSums(outputs, { c, logM }, { dTau: 0.5 / mu, n: 8 }, depth);
          if (sums === undefined) continue;
          for (let k = 1; k < 8; k++) {
            const [re, im] = phiOf(exact, (0.5 * k) / mu);
            const off = Math.hypot(sums.re[k]! + 1 - re, sums.im[k]! - im) - 1e-10;
            const charged = sums.wrong[k]! + sums.missing;
            expect(off, JSON.stringify({ mu, q, c, window, k })).toBeLessThanOrEqual(charged);
            most = Math.max(most, off / charged);
          }
        }
    return most;
  };

  test('off the axis, a hard end near by of a law whose M is known', () => {
    expect(usedOff(ENDED, 40)).toBeGreaterThan(3e-5);
  });

  test.each([1, 2, 4, 7])('off the axis, few nodes of a law whose M is known, good to e^-%d', (depth) => {
    expect(usedOff([EVERYTHING, SOFT, UPPER, PART], depth)).toBeGreaterThan(1e-4);
  });
});
