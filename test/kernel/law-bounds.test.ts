/** Laws known to few digits: what is wrong with log φ and with bounds of |φ| is no more than what is said. */

import { describe, expect, test } from 'vitest';
import { Table } from '../helpers/loops.js';
import { seeded } from '../helpers/random.js';
import { steps } from '../helpers/step-kernel.js';

const COUNT = 3;
const AT = { dTau: 0.13, n: 40 };

/** log φ^COUNT of weights on losses at k·dTau, in host arithmetic. */
function exactly(loss: Float64Array, weight: Float64Array, k: number): { modulus: number; phase: number } {
  let [re, im, mass] = [0, 0, 0];
  for (let j = 0; j < loss.length; j++) {
    re += weight[j]! * Math.cos(k * AT.dTau * loss[j]!);
    im += weight[j]! * Math.sin(k * AT.dTau * loss[j]!);
    mass += weight[j]!;
  }
  return { modulus: COUNT * Math.log(Math.hypot(re, im) / mass), phase: COUNT * Math.atan2(im, re) };
}

/** What may be wrong: relative errors of weights, errors of losses, or a share of the mass that is left out. */
const DOUBTS = [
  ['weights', { weights: 1e-4, losses: 0, truncation: 0 }],
  ['losses', { weights: 0, losses: 1e-5, truncation: 0 }],
  ['mass left out', { weights: 0, losses: 0, truncation: 1e-5 }],
] as const;

describe('losses with weights', () => {
  test.each(DOUBTS)('log phi of a law whose %s are in doubt', (_, doubt) => {
    const random = seeded(17);
    let closest = 0;
    for (let i = 0; i < 20; i++) {
      const m = 30;
      const loss = Float64Array.from({ length: m }, () => 4 * random() - 1);
      const weight = loss.map(() => random() / m);
      // all to one side or the other of the middle: what is wrong adds up
      const side = loss.map((y) => (y > 1 ? 1 : -1));
      const truly = {
        loss: loss.map((y, j) => y + doubt.losses * side[j]!),
        weight: weight.map((w, j) => w * (1 + doubt.weights * side[j]!)),
      };
      const sum = (of: (j: number) => number) => loss.reduce((all, _y, j) => all + weight[j]! * of(j), 0);
      const mass = sum(() => 1);
      // mass left out lies where it counts most
      const all = {
        loss: Float64Array.of(...truly.loss, 9),
        weight: Float64Array.of(...truly.weight, (doubt.truncation * mass) / 2.1),
      };
      const law = {
        loss,
        weight,
        mass,
        size: sum((j) => Math.abs(loss[j]!)),
        sizeError: sum((j) => Math.abs(loss[j]!) * doubt.weights),
        massError: mass * doubt.weights,
        shift: mass * doubt.losses,
        adding: m * 2 ** -53,
        truncation: doubt.truncation,
      };
      const rows = steps.logPhi(law, AT, COUNT);
      for (let k = 1; k < AT.n; k++) {
        const [logModulus, phase, error, quadrature] = [0, 1, 2, 3].map((row) => rows[row * AT.n + k]!);
        if (error === Infinity) continue;
        const exact = exactly(all.loss, all.weight, k);
        const turn = 2 * Math.sin((phase! - exact.phase) / 2);
        const off = Math.hypot(logModulus! - exact.modulus, turn);
        expect(off, `${i} ${k}`).toBeLessThanOrEqual(error! + quadrature! + 1e-13);
        closest = Math.max(closest, off / (error! + quadrature!));
      }
    }
    expect(closest).toBeGreaterThan(0.1);
  });

  test('bounds of |phi| from cells whose means are off', () => {
    let closest = -Infinity;
    for (const off of [0, 0.2, 0.4])
      for (const tau of [0.1, 0.3, 0.6, 0.9]) {
        // half of the mass at either of -1 and 1, said to lie further apart
        const said = 1 + off;
        const cells = [
          [-1.5, 0.5, 8],
          [-0.5, 1.5, 9],
          [0.5, 0.5, 0],
          [-said, said, 8.5],
          [off, off, 0.5],
        ];
        const taus = Float64Array.of(tau, 1.01 * tau);
        const [bound] = steps.decayBounds(
          new Table(Float64Array.from(cells.flatMap((row) => [...row, 0]))),
          3,
          { atoms: 0, variation: Infinity },
          taus,
          -Infinity,
        );
        const exact = Math.log(Math.abs(Math.cos(tau)));
        expect(bound!, `${off} ${tau}`).toBeGreaterThanOrEqual(exact);
        if (bound! < 0) closest = Math.max(closest, bound! / exact);
      }
    expect(closest).toBeGreaterThan(0.7);
  });

  test('bounds of |phi| from atoms and the variation of the rest', () => {
    // nine tenths at 0, the rest even on [1, 3]: its density, .05, rises and falls once
    const density = { atoms: 0.9, variation: 0.1 };
    for (const tau of [4, 10, 40]) {
      const taus = Float64Array.of(tau, 1.01 * tau);
      const cells = new Table(Float64Array.of(0, 1, 0, 3, 0.9, 0.1, 0, 2, 0, 1));
      const [bound] = steps.decayBounds(cells, 2, density, taus, -Infinity);
      const [re, im] = [
        0.9 + (0.05 * (Math.sin(3 * tau) - Math.sin(tau))) / tau,
        (0.05 * (Math.cos(tau) - Math.cos(3 * tau))) / tau,
      ];
      expect(bound!).toBeGreaterThanOrEqual(Math.log(Math.hypot(re, im)));
      expect(bound!).toBeLessThan(-0.05);
    }
  });
});
