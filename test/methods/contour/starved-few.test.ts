/** A few steps with too few nodes, ends too near and panels too long: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import { closed, tableOf } from '../../../src/methods/contour/split/few-steps.js';
import { type Coarse, OuterStep, type Sum } from '../../../src/methods/contour/split/outer-step.js';
import {
  type Both,
  type Fit,
  NODES,
  StepsTable,
  stepsOf,
  type Values,
} from '../../../src/methods/contour/split/steps-table.js';
import { wasm } from '../../helpers/runs.js';

const LAWS = [
  [1, 0.1],
  [2.5, 0.02],
  [0.6, 0.3],
] as const;

function outer(sigma: number, rate: number, coarse: Coarse): OuterStep {
  const phase = { mu: 1 / sigma, rate, count: 1 };
  return new OuterStep(wasm.kernel, phase, tableOf(wasm.kernel, [phase], 1), stepsOf([phase, phase]), coarse);
}
const doubtOf = ({ quadrature, roundOff, truncation }: Sum) => quadrature + roundOff + truncation;

describe.each(LAWS)('two steps of sigma %d, rate %d', (sigma, rate) => {
  const exact = outer(sigma, rate, {});
  const { missing, spread } = stepsOf([1, 2].map(() => ({ mu: 1 / sigma, rate, count: 1 })));
  const places = Array.from({ length: 12 }, (_, i) => i);

  /** The largest share of its doubt that a starved plan uses. */
  function used(coarse: Coarse): number {
    const starved = outer(sigma, rate, coarse);
    let most = 0;
    for (const i of places)
      for (const falling of [true, false]) {
        const zeta = Math.log(missing) + ((falling ? 1 : -0.5) * 0.3 * (i + 0.3)) / Math.sqrt(spread);
        const [own, there] = [starved.at(zeta, falling), exact.at(zeta, falling)];
        for (const which of [0, 1]) {
          const [a, b] = [own![which]!, there![which]!];
          const [doubt, good] = [doubtOf(a), doubtOf(b)];
          expect(good).toBeLessThan(1e-9);
          if (!(doubt < 0.5)) continue;
          const off = Math.abs(Math.expm1(b.log - a.log));
          expect(off, `${falling} ${which} at ${zeta}`).toBeLessThanOrEqual(1.0001 * doubt + 2 * good);
          most = Math.max(most, (off - 2 * good) / doubt);
        }
      }
    return most;
  }

  test('ends of the outputs too near', () => {
    const most = Math.max(...[-3, -1, 1, 3].map((ends) => used({ ends })));
    expect(most).toBeGreaterThan(0.02);
  });

  test('panels of few nodes', () => {
    const most = Math.max(...[2, 3, 4, 6].map((nodes) => used({ nodes, rule: -1 })));
    expect(most).toBeGreaterThan(1e-4);
  });
});

function fitted({ terms, level, tilt }: Fit, which: number, z: number, half: number): number {
  let sum = 0;
  for (let k = 0; k < NODES; k++) sum += terms[which * NODES + k]! * Math.cos(k * Math.acos(z));
  return level + tilt * z * half + Math.log(sum);
}

describe.each(LAWS)('a table of one step, sigma %d, rate %d', (sigma, rate) => {
  const phase = { mu: 1 / sigma, rate, count: 1 };
  const steps = stepsOf([phase]);
  const exact = closed(phase);

  /** The table against the values it interpolates, themselves off by `wrong` in turn up and down; the largest share of its error that is used. */
  function used(stretch: number, wrong: number): number {
    let asked = 0;
    const off = (values: Values): Values => {
      const side = wrong * (asked % 2 === 0 ? 1 : -1);
      return { ...values, log: [values.log[0] + side, values.log[1] + side], error: [wrong, wrong] };
    };
    const source = (zeta: number): Both => {
      asked++;
      const { falling, rising } = exact(zeta);
      return wrong > 0 ? { falling: off(falling), rising: off(rising) } : { falling, rising };
    };
    const table = new StepsTable(steps, source, Infinity, { stretch, share: Infinity });
    let most = 0;
    for (let i = 0; i < 60; i++) {
      const falling = i % 2 === 0;
      const zeta = Math.log(steps.missing) + ((falling ? 0.09 : -0.05) * (i + 0.5)) / Math.sqrt(steps.spread);
      const panel = table.panelAt(zeta)!;
      const z = (zeta - panel.middle) / panel.half;
      const fit = falling ? panel.falling : panel.rising;
      const values = falling ? exact(zeta).falling : exact(zeta).rising;
      for (const which of [0, 1] as const) {
        const error = fit.error[which];
        if (!(error < 0.5)) continue;
        const miss = Math.abs(Math.expm1(values.log[which] - fitted(fit, which, z, panel.half)));
        expect(miss, `${falling} ${which} at ${zeta}`).toBeLessThanOrEqual(error * 1.0001 + 1e-13);
        most = Math.max(most, (miss - 1e-13) / error);
      }
    }
    return most;
  }

  test('panels too long to interpolate on', () => {
    const most = Math.max(...[1.5, 3, 5].map((stretch) => used(stretch, 0)));
    expect(most).toBeGreaterThan(1e-6);
  });

  test('values that are as wrong as they say', () => {
    expect(used(1, 1e-4)).toBeGreaterThan(0.2);
  });
});

test('slopes of functionals are no larger than said, rising ones among them', () => {
  for (const [sigma, rate] of LAWS) {
    const two = outer(sigma, rate, {});
    const { missing, spread } = stepsOf([1, 2].map(() => ({ mu: 1 / sigma, rate, count: 1 })));
    let closest = 0;
    for (let i = -20; i < 40; i++) {
      const zeta = Math.log(missing) + (0.2 * (i + 0.5)) / Math.sqrt(spread);
      const h = 1e-3 / Math.sqrt(spread);
      const falling = i >= 0;
      const [a, b, c] = [zeta - h, zeta, zeta + h].map((at) => two.at(at, falling)!);
      for (const which of [0, 1]) {
        const slope = Math.abs(c![which]!.log - a![which]!.log) / (2 * h);
        expect(slope).toBeLessThanOrEqual(b![which]!.slope * (1 + 1e-4));
        closest = Math.max(closest, slope / b![which]!.slope);
      }
    }
    expect(closest).toBeGreaterThan(0.3);
  }
});
