/** Terms along a path off the real axis hold what they say, wherever losses and windows are within their errors. */

import { describe, expect, it } from 'vitest';
import { Table } from '../helpers/loops.js';
import { seeded } from '../helpers/random.js';
import { steps } from '../helpers/step-kernel.js';

describe('a path', () => {
  it.each([1, 2, 3, 4, 5, 6])('terms whose losses and windows are off by what they say: seed %d', (seed) => {
    const random = seeded(seed);
    const n = 5 + seed;
    const m = n + (n & 1);
    const c = [0.4, -3, 40][seed % 3]!;
    const [a, unit, h, first] = [0.3, -1, 0.25, -4];
    // powers that are off by a thousandth, and by e
    const error = (seed > 3 ? 1 : 1e-3) / Math.abs(c);
    const rowOf = (low: number, high: number): number[] =>
      Array.from({ length: n }, () => low + (high - low) * random());
    const [loss, angle, height] = [rowOf(-0.5, 0.5), rowOf(0, 0.3), rowOf(-2, 0)];
    // where the terms have one phase their errors add up
    const turn = angle.map((own, j) => a * h * (first + j) - c * own + (seed % 2 === 0 ? 6 * random() : 0));
    const table = (rows: readonly number[][]): Table => {
      const all = new Float64Array(3 * m);
      for (const [i, row] of rows.entries()) all.set(row, i * m);
      return new Table(all);
    };
    const blur = 1e-4;
    const path = {
      at: { h, first, n },
      losses: table([loss, angle, loss.map(() => error)]),
      heights: table([height, turn, loss.map(() => blur)]),
    };
    const tilt = { c, a, unit };
    const { rows, m: count } = steps.pathTerms(path, tilt, 0, -1e9);
    expect(count).toBe(n);
    const reached = { bound: 0, near: 0 };
    // errors are those up to the last frequency of a block
    for (const dTau of seed > 3 ? [0.002, 0.05] : [0.02, 4]) {
      const line = steps.pathLine(rows, dTau, 3, -600);
      const bounds = steps.modulusSums(
        steps.pathModuli(path, tilt),
        Float64Array.of(0, dTau, 2 * dTau),
        -600,
      );
      for (let trial = 0; trial < 200; trial++)
        for (let k = 0; k < 3; k++) {
          const tau = k * dTau;
          // the true terms: at the ends of what is said, all to one side or anyhow
          const side = (): number => (trial < 4 ? (trial & 1 ? 1 : -1) : 2 * random() - 1) * error;
          const other = (): number => (trial < 4 ? (trial & 2 ? 1 : -1) : 2 * random() - 1) * error;
          let [re, im, size] = [0, 0, 0];
          for (let j = 0; j < n; j++) {
            const [y, alpha] = [loss[j]! + side(), angle[j]! + other()];
            const log = unit + height[j]! + c * y - tau * Math.max(0, alpha);
            const phase = c * alpha - a * h * (first + j) + turn[j]! + tau * y;
            re += Math.exp(log) * Math.cos(phase);
            im += Math.exp(log) * Math.sin(phase);
            size += Math.exp(log);
          }
          expect(Math.hypot(re - line.re[k]!, im - line.im[k]!)).toBeLessThanOrEqual(line.wrong[k]!);
          expect(size).toBeLessThanOrEqual(bounds[k]! * (1 + 1e-12));
          reached.bound = Math.max(reached.bound, size / bounds[k]!);
          if (dTau < 0.05)
            reached.near = Math.max(
              reached.near,
              Math.hypot(re - line.re[k]!, im - line.im[k]!) / line.wrong[k]!,
            );
        }
    }
    // bounds are reached, and errors are not said to be many times what they may be
    expect(reached.bound).toBeGreaterThan(0.999);
    if (seed % 2 === 1) expect(reached.near).toBeGreaterThan(0.25);
  });
});
