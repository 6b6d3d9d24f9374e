import { describe, expect, it } from 'vitest';
import { laplacePair } from '../../src/law/exponential-pair.js';
import { cellLaw } from '../../src/law/lattice/cell-law.js';
import { mixturePair } from '../../src/law/mixture-pair.js';
import { mixtureStep } from '../../src/methods/contour/kernel-step.js';
import { reference, wasm } from '../helpers/runs.js';

const of = (...numbers: number[]): Float64Array => Float64Array.of(...numbers);
const plus = { shift: of(0, 0.7, 2), weight: of(0.9, 0.07, 0.03) };
const minus = { shift: of(0, 0.7), weight: of(0.8, 0.2) };
const engines = [wasm.kernel, reference.kernel] as const;

describe('steps on a lattice', () => {
  it.each(['remove', 'add'] as const)('both engines have the same bits: %s', (direction) => {
    for (const inner of [mixturePair(plus, minus), laplacePair(0.7)])
      for (const [rate, step] of [
        [1, 2 ** -6],
        [0.01, 2 ** -9],
        [0.3, 0.5],
      ] as const) {
        const [one, other] = engines.map((kernel) =>
          cellLaw(inner, rate, direction).discretise(kernel, step, -60),
        );
        expect(one).toEqual(other);
        expect(one!.upper.mass.length).toBe(one!.lower.mass.length);
      }
  });

  it('masses of mixtures: those of their parts, in the same bits by both engines', () => {
    const x = of(-Infinity, -3, -0.5, 0.25, 0.3, 7, Infinity);
    const found = { x, off: x.map((_, k) => 1e-15 * k) };
    const [one, other] = engines.map((kernel) => kernel.mixtureMasses(found, [minus, -1], [plus, 1]));
    expect(one).toEqual(other);
    const { p, q, cut, cutBase } = one!;
    for (const [masses, wrong, { shift, weight }, sign] of [
      [q, cut, plus, 1],
      [p, cutBase!, minus, -1],
    ] as const) {
      expect(masses.reduce((sum, m) => sum + m, 0)).toBeCloseTo(1, 14);
      for (let k = 0; k < masses.length; k++) {
        const exact = shift.reduce((sum, a, i) => {
          const edges = x.map((at) => at - sign * a);
          return sum + weight[i]! * wasm.kernel.normalIntervals(edges)[k]!;
        }, 0);
        expect(Math.abs(masses[k]! - exact)).toBeLessThanOrEqual(4e-16 * exact);
        // a loss that is off moves mass from one interval to the next
        expect(wrong[k]).toBeGreaterThanOrEqual((found.off[k]! + found.off[k + 1]!) * exact);
      }
    }
  });
});

describe('sums over masses', () => {
  it.each([-3, -0.2, 0, 0.4, 1, 2.5, 40, 700])('are the same in both engines: tilt %d', (c) => {
    for (const [left, right] of [
      [plus, minus],
      [{ shift: of(0, 0.5), weight: of(0.999, 0.001) }, minus],
      [
        { shift: of(0, 9), weight: of(0.5, 0.5) },
        { shift: of(0), weight: of(1) },
      ],
    ] as const) {
      const run = { phases: [{ ...mixtureStep(left, right), count: 100 }], square: 0 };
      const [one, other] = engines.map(({ questions }) => questions!.runMoment(run, c, Infinity));
      expect(other).toEqual(one);
    }
  });
});
