/** Windows at outputs on the axis, against the error function. */
import { expect, test } from 'vitest';
import type { OutputWindow } from '../../../src/methods/contour/step/output-window.js';
import { reference } from '../../helpers/runs.js';
import { logWindow } from '../../helpers/window-logs.js';

const U = 2 ** -53;
const WINDOWS: readonly OutputWindow[] = [0.02, 0.2, 1].flatMap((width) => [
  { from: -Infinity, to: 3, width },
  { from: -Infinity, to: 3, width, end: 3 + 17 * width },
  { from: 2, to: 2.6, width },
  { from: 2, to: Infinity, width },
]);

test.each(WINDOWS)('log W is as near as it says: %j', (window) => {
  const { from, to, width } = window;
  const edge = to < Infinity ? to : from;
  const h = width / 50;
  const at = { h, first: Math.round(edge / h) - 1000, n: 1601 };
  const { kernel } = reference;
  const { values } = kernel.axisMesh({ mu: 1, q: 0.1 }, at, kernel.windowRows(at, 0, window));
  const stride = values.length / 8;
  for (let j = 0; j < at.n; j++) {
    const x = h * (at.first + j);
    const exact = logWindow({ ...window, end: Infinity }, x) - x ** 2 / 2;
    const [height, error, weight] = [5, 3, 0].map((row) => values[row * stride + j]!);
    // the logarithm here rounds, and so does the distance to an edge
    const z = Math.max(0, x - to, from - x) / width + 2;
    const own = 8 * U * Math.abs(exact) + (4 * U * z * (Math.abs(x) + Math.abs(edge))) / width + 8 * U;
    expect(Math.abs(height! - exact), `${x}`).toBeLessThanOrEqual(error! + own);
    const normal = (h * Math.exp(height!)) / Math.sqrt(2 * Math.PI);
    expect(Math.abs(weight! - normal)).toBeLessThanOrEqual(8 * U * normal + 5e-324);
  }
});
