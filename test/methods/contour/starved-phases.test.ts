/** Sums of phases under a soft window, to so few digits that each term of their budgets is the largest in turn. */
import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../src/methods/contour/phases/phase.js';
import { largestTilt } from '../../../src/methods/contour/step/windowed-gaussian.js';
import { wasm } from '../../helpers/runs.js';
import { averageOf, endedWindow, logProduct } from '../../helpers/windowed.js';

const CUT = 8;
const phaseOf = (mu: number, q: number, count: number): Phase => ({ mu, q, count });
const RUNS = {
  'one phase': [phaseOf(0.8, 0.1, 1)],
  'small shifts': [phaseOf(0.1, 0.02, 3), phaseOf(0.2, 0.05, 2)],
  'large ones': [phaseOf(2.5, 0.15, 1), phaseOf(1.2, 0.4, 1)],
  // where a turn takes the most from |u|
  'half of the records': [phaseOf(1, 0.5, 1), phaseOf(0.7, 0.6, 1)],
} as const;

describe.each(Object.entries(RUNS))('%s', (_name, phases) => {
  const extremes = { mu: Math.max(...phases.map(({ mu }) => mu)), q: Math.max(...phases.map(({ q }) => q)) };
  const all = phases.reduce((sum, { count }) => sum + count, 0);

  test.each([
    [0.5, 6],
    [0.5, 9],
    [0.5, 14],
    [0.25, 6],
    [0.25, 10],
  ])(
    'window of width %d, sums good to e^-%d: log M and lines are no farther off than they say',
    (width, depth) => {
      const window = endedWindow(CUT, width);
      const law = averageOf(wasm.kernel, phases, window, depth);
      const exact = (c: number, tau: number) => logProduct(phases, window, c, tau);
      for (const c of [0.5, 1.3, 3, -2, -6, -12].filter((tilt) => tilt <= largestTilt(extremes, window))) {
        const { value, error } = law.cumulant(c, all);
        if (!(error < Infinity)) continue;
        const { modulus } = exact(c, 0);
        expect(Math.abs(value - modulus), `log M(${c})`).toBeLessThanOrEqual(error + 1e-12);
        const line = law.line(wasm.kernel, { c, dTau: 0.7, n: 10 }, all);
        for (let k = 1; line !== undefined && k < 10; k++) {
          const own = exact(c, 0.7 * k);
          const known = own.modulus - modulus;
          const doubt = line.error[k]! + line.quadrature[k]! + 1e-11;
          if (line.error[k] === Infinity) {
            expect(known, `${c}, node ${k}`).toBeLessThanOrEqual(line.logModulus[k]! + 1e-9);
            continue;
          }
          expect(Math.abs(line.logModulus[k]! - known), `${c}, node ${k}`).toBeLessThanOrEqual(doubt);
          expect(2 * Math.abs(Math.sin((line.phase[k]! - own.turn) / 2))).toBeLessThanOrEqual(doubt);
        }
      }
    },
  );
});
