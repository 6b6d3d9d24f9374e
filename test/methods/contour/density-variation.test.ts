/** Bounds of the variation of a density of losses, from few outputs and with a hard end, against fine steps. */
import { expect, test } from 'vitest';
import type { AxisMesh } from '../../../src/methods/contour/step/axis-outputs.js';
import { logVariation } from '../../../src/methods/contour/step/density-variation.js';
import type { OutputWindow } from '../../../src/methods/contour/step/output-window.js';
import { meshTable } from '../../helpers/outputs.js';
import { wasm } from '../../helpers/runs.js';
import { logWindow } from '../../helpers/window-logs.js';
import { outputsOf } from '../../helpers/windowed.js';

const WINDOWS: readonly OutputWindow[] = [
  { from: -Infinity, to: 3, width: 0.5, end: 1.5 },
  { from: -Infinity, to: 3, width: 0.5, end: 3.5 },
  { from: -Infinity, to: 2, width: 1, end: 0.25 },
];
const STEPS = [
  { mu: 0.5, q: 0.3, c: 2 },
  { mu: 1, q: 0.05, c: -3 },
  { mu: 2, q: 0.8, c: 1.5 },
];

/** A hill between two outputs, far above both. */
const HILL: OutputWindow = { from: 1.1, to: 1.15, width: 0.07 };
const CASES = WINDOWS.flatMap((window) =>
  STEPS.flatMap((step) => [0.03125, 0.25].map((h) => ({ ...step, window, h }))),
).concat(STEPS.map((step) => ({ ...step, window: HILL, h: 0.75 })));

test.each(CASES)('no less than the variation: $mu, $q, $c, end $window.end, step $h', (one) => {
  const { mu, q, c, window, h } = one;
  const end = window.end ?? 3;
  const lossAt = (x: number): number => Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
  const heightAt = (x: number): number => logWindow(window, x) - (x * x) / 2;
  const slope = (x: number): number => {
    const big = q * Math.exp(mu * x - (mu * mu) / 2);
    return (mu * big) / (1 - q + big);
  };
  const density = (x: number): number => Math.exp(c * lossAt(x) + heightAt(x)) / slope(x);
  const fine = 1e-3;
  let [variation, before] = [0, 0];
  for (let x = -25; x <= end; x += fine) {
    const next = density(x);
    variation += Math.abs(next - before);
    before = next;
  }
  // it ends with a fall to 0
  variation += before;
  const exact = Math.log(variation / Math.sqrt(2 * Math.PI));
  const first = Math.ceil(-6 / h);
  const at = { h, first, n: Math.floor(end / h) - first + 1 };
  const x = Float64Array.from({ length: at.n }, (_, j) => h * (first + j));
  const table = meshTable({ loss: x.map(lossAt), height: x.map(heightAt) });
  const mesh: AxisMesh = { ...at, table, loss: x, isNormal: true, shift: 0, ends: 0 };
  const outputs = outputsOf(wasm.kernel, { mu, q }, window);
  const bound = logVariation(outputs, mesh, c, 0);
  expect(bound).toBeGreaterThanOrEqual(exact);
  // what may lie between two outputs is not known closely
  if (window !== HILL) expect(bound).toBeLessThan(exact + 2);
});
