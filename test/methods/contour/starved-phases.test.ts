/** Sums of phases under a soft window, to so few digits that each term of their budgets is the largest in turn. */
import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../src/methods/contour/phases/phase.js';
import {
  largestTilt,
  leftOut,
  PhaseOutputs,
  pathOn,
  pathRange,
} from '../../../src/methods/contour/phases/phase-path.js';
import { PhaseSums } from '../../../src/methods/contour/phases/phase-sums.js';
import { windowOf } from '../../../src/methods/contour/step/output-window.js';
import { normalCdf } from '../../../src/numeric/scalar.js';
import { wasm } from '../../helpers/runs.js';

const CUT = 8;
const phaseOf = (mu: number, q: number, count: number): Phase => ({ mu, q, count });
const RUNS = {
  'one phase': [phaseOf(0.8, 0.1, 1)],
  'small shifts': [phaseOf(0.1, 0.02, 3), phaseOf(0.2, 0.05, 2)],
  'large ones': [phaseOf(2.5, 0.15, 1), phaseOf(1.2, 0.4, 1)],
} as const;

describe.each(Object.entries(RUNS))('%s', (_name, phases) => {
  const extremes = { mu: Math.max(...phases.map(({ mu }) => mu)), q: Math.max(...phases.map(({ q }) => q)) };
  const all = phases.reduce((sum, { count }) => sum + count, 0);
  const outputs = new PhaseOutputs(wasm.kernel, phases);

  test.each([
    [0.5, 6],
    [0.5, 9],
    [0.5, 14],
    [0.25, 6],
    [0.25, 10],
  ])(
    'window of width %d, sums good to e^-%d: log M and lines are no farther off than they say',
    (width, depth) => {
      const window = windowOf(CUT, width);
      const { law } = new PhaseSums(
        wasm.kernel,
        { phases, coarse: phases, extremes, outputs },
        window,
        depth,
      );
      /** ∏ (∫ φWu^z)^T by sums of step 1/100 on the real axis. */
      const exact = (c: number, tau: number): { modulus: number; turn: number } => {
        let [modulus, turn] = [0, 0];
        for (const { mu, q, count } of phases) {
          let [re, im] = [0, 0];
          for (let x = -14; x <= window.to + 12 * width; x += 0.01) {
            const loss = Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
            const weight =
              (0.01 / Math.sqrt(2 * Math.PI)) *
              Math.exp(c * loss - (x * x) / 2) *
              normalCdf((window.to - x) / width);
            re += weight * Math.cos(tau * loss);
            im += weight * Math.sin(tau * loss);
          }
          modulus += count * Math.log(Math.hypot(re, im));
          turn += count * Math.atan2(im, re);
        }
        return { modulus, turn };
      };
      for (const c of [0.5, 1.3, 3, -2].filter((tilt) => tilt <= largestTilt(extremes, window))) {
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

/** Sums of logarithms of the terms: what the rule leaves of ∫ φWu^z, over M(Re z). */
describe.each([
  [2.5, 0.15],
  [1.2, 0.4],
] as const)('mu %d, q %d', (mu, q) => {
  const phase = phaseOf(mu, q, 1);
  const extremes = { mu, q };

  test.each([0, 1, 2, 4])(
    'few outputs on a path, sums good to e^-%d: its rule errs by no more than it says',
    (depth) => {
      let [largest, furthest] = [0, 0];
      for (const width of [0.5, 0.18]) {
        const window = windowOf(CUT, width);
        const exact = sumsOn(0.01, { first: -1400, last: 100 * (window.to + 12 * width) }, (x) => {
          const loss = Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
          return {
            size: -(x * x) / 2 + Math.log(normalCdf((window.to - x) / width)),
            turn: 0,
            loss,
            angle: 0,
          };
        });
        for (const c of [0.5, 1.3, 3, -2]) {
          const range = pathRange(extremes, c, window, depth)!;
          const path = pathOn(wasm.kernel, range, window, depth);
          const [{ loss, angle }] = new PhaseOutputs(wasm.kernel, [phase]).on(range);
          const root = Math.sqrt(2 * Math.PI);
          const along = sumsOn(root, { first: 0, last: path.x.length - 1 }, (_, j) => ({
            size: path.logWeight[j]!,
            turn: path.turn[j]!,
            loss: loss[j]!,
            angle: angle[j]!,
          }));
          const [mass] = exact(c, 0);
          const ends = leftOut(path, phase, c, window, Math.log(mass));
          for (const tau of [0, 0.5, 1, 2, 4, 8, 16]) {
            const [a, b] = [exact(c, tau), along(c, tau)];
            const off = Math.hypot(a[0] - b[0], a[1] - b[1]) / mass;
            expect(off, `width ${width}, ${c} + ${tau}i`).toBeLessThanOrEqual(
              1.01 * path.rule + ends + 1e-12,
            );
            largest = Math.max(largest, off / path.rule);
            furthest = Math.max(furthest, off - ends);
          }
        }
      }
      // what ends leave out is less, so the rule is what is tested, and it is not far from what is so
      expect(furthest).toBeGreaterThan(1e-7);
      expect(largest).toBeGreaterThan(1e-4);
    },
  );
});

interface Term {
  readonly size: number;
  readonly turn: number;
  readonly loss: number;
  readonly angle: number;
}

/** (step/√2π)·Σ e^{size + i·turn + z(loss + i·angle)} as a function of z = c + iτ. */
function sumsOn(
  step: number,
  { first, last }: { first: number; last: number },
  at: (x: number, j: number) => Term,
): (c: number, tau: number) => [number, number] {
  const terms: Term[] = [];
  for (let j = first; j <= last; j++) terms.push(at(step * j, j));
  const unit = step / Math.sqrt(2 * Math.PI);
  return (c, tau) => {
    let [re, im] = [0, 0];
    for (const { size, turn, loss, angle } of terms) {
      const modulus = unit * Math.exp(size + c * loss - tau * angle);
      const argument = turn + c * angle + tau * loss;
      re += modulus * Math.cos(argument);
      im += modulus * Math.sin(argument);
    }
    return [re, im];
  };
}
