/** Windows at outputs on the axis, against the error function. */
import { expect, test } from 'vitest';
import { type OutputWindow, windowAt } from '../../../src/methods/contour/step/output-window.js';
import { wasm } from '../../helpers/runs.js';
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
  const x = Float64Array.from({ length: 1601 }, (_, j) => edge + ((j - 1000) / 50) * width);
  const [height, turn, error] = windowAt(wasm.kernel, x, 0, window);
  for (let j = 0; j < x.length; j++) {
    const exact = logWindow({ ...window, end: Infinity }, x[j]!);
    // the logarithm here rounds, and so does the distance to an edge
    const z = Math.max(0, x[j]! - to, from - x[j]!) / width + 2;
    const own = 8 * U * Math.abs(exact) + (4 * U * z * (Math.abs(x[j]!) + Math.abs(edge))) / width + 8 * U;
    expect(Math.abs(height![j]! - exact), `${x[j]}`).toBeLessThanOrEqual(error![j]! + own);
    expect(turn![j]).toBe(0);
  }
});
