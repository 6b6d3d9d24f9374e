/** A few steps with too few nodes and ends too near: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import { functionalsOf } from '../../../src/methods/contour/split/few-steps.js';
import {
  type Functionals,
  type Known,
  Knowns,
  OneStep,
  stepsOf,
} from '../../../src/methods/contour/split/functionals.js';
import { type Coarse, OuterStep } from '../../../src/methods/contour/split/outer-step.js';
import { StepsTable } from '../../../src/methods/contour/split/steps-table.js';
import { wasm } from '../../helpers/runs.js';

const LAWS = [
  [1, 0.1],
  [2.5, 0.02],
  [0.6, 0.3],
  [5, 0.99],
] as const;

function outer(sigma: number, rate: number, coarse: Coarse): OuterStep {
  const phase = { mu: 1 / sigma, rate, count: 1 };
  const { kernel } = wasm;
  return new OuterStep(kernel, phase, new OneStep(kernel, phase), stepsOf([phase, phase]), coarse);
}

/** At one place. */
function at(source: Functionals, zeta: number, falling: boolean): [Known, Known] | undefined {
  const known = source.at(Float64Array.of(zeta), falling);
  return known && [known[0].at(0), known[1].at(0)];
}

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
        const [own, there] = [at(starved, zeta, falling), at(exact, zeta, falling)];
        for (const which of [0, 1]) {
          const [a, b] = [own![which]!, there![which]!];
          const [doubt, good] = [a.error, b.error];
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

  test('steps of outputs too long', () => {
    const most = Math.max(...[-1, -2, -4].map((rule) => used({ rule })));
    expect(most).toBeGreaterThan(sigma === 5 ? 0.5 : 1e-4);
  });
});

describe.each(LAWS)('a table of two steps, sigma %d, rate %d', (sigma, rate) => {
  const exact = outer(sigma, rate, {});
  const { missing, spread } = exact.steps;

  /** The table against the values it interpolates, themselves off by `wrong` in turn up and down; the largest share of its error that is used. */
  function used(coarse: { nodes?: number; stretch?: number }, wrong: number): number {
    let asked = 0;
    const off = ({ log, error, slope }: Known): Known => ({
      log: log + wrong * (asked % 2 === 0 ? 1 : -1),
      error: error + wrong,
      slope,
    });
    const source: Functionals = {
      steps: exact.steps,
      at: (zetas, falling) => {
        const both = [new Knowns(zetas.length), new Knowns(zetas.length)] as const;
        zetas.forEach((zeta, i) => {
          asked++;
          at(exact, zeta, falling)!.forEach((known, which) => {
            both[which]!.set(i, off(known));
          });
        });
        return both;
      },
    };
    const table = new StepsTable(source, coarse);
    let most = 0;
    for (let i = 0; i < 60; i++) {
      const falling = i % 2 === 0;
      const zeta =
        Math.log(missing) + ((falling && i % 3 > 0 ? 0.09 : -0.05) * (i + 0.5)) / Math.sqrt(spread);
      const [there, here] = [at(exact, zeta, falling), at(table, zeta, falling)];
      if (there === undefined || here === undefined) continue;
      for (const which of [0, 1]) {
        const { log, error } = here[which]!;
        if (!(error < 0.5)) continue;
        const miss = Math.abs(Math.expm1(there[which]!.log - log));
        expect(miss, `${falling} ${which} at ${zeta}`).toBeLessThanOrEqual(error * 1.0001 + 1e-13);
        most = Math.max(most, (miss - 1e-12) / error);
      }
    }
    return most;
  }

  test('long panels of few nodes', () => {
    const coarse = [4, 6, 10, 14].flatMap((nodes) => [1, 2, 4].map((stretch) => ({ nodes, stretch })));
    expect(Math.max(...coarse.map((c) => used(c, 0)))).toBeGreaterThan(1e-3);
  });

  test('values that are as wrong as they say', () => {
    expect(used({}, 1e-4)).toBeGreaterThan(0.2);
  });
});

test.each([2, 3])(
  'slopes of functionals of %d steps are no larger than said, rising ones among them',
  (count) => {
    for (const [sigma, rate] of LAWS) {
      const steps = functionalsOf(
        wasm.kernel,
        Array.from({ length: count }, () => ({ mu: 1 / sigma, rate, count: 1 })),
      );
      const { missing, spread } = steps.steps;
      let closest = 0;
      for (let i = -20; i < 40; i++) {
        const zeta = Math.log(missing) + (0.2 * (i + 0.5)) / Math.sqrt(spread);
        const h = 1e-3 / Math.sqrt(spread);
        const falling = i >= 0;
        const [a, b, c] = [zeta - h, zeta, zeta + h].map((place) => at(steps, place, falling)!);
        for (const which of [0, 1]) {
          const slope = Math.abs(c![which]!.log - a![which]!.log) / (2 * h);
          expect(slope).toBeLessThanOrEqual(b![which]!.slope * (1 + 1e-4));
          closest = Math.max(closest, slope / b![which]!.slope);
        }
      }
      expect(closest).toBeGreaterThan(0.3);
    }
  },
);
