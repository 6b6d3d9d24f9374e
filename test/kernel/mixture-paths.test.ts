/** Quadrature beside the real axis for steps of two mixtures, and runs of few and rare records replaced, against values of other means. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { LogPhi } from '../../assembly/law/law.js';
import { Mixture } from '../../assembly/law/mixture.js';
import { MixturePaths } from '../../assembly/law/mixture-paths.js';
import { OffSide, turnedAt, turnsOf } from '../../assembly/law/side.js';
import { addOffAxis, mixtureStep, roomy } from '../helpers/run-laws.js';
import { reference, wasm } from '../helpers/runs.js';
import { logWindow } from '../helpers/window-logs.js';

interface Golden {
  readonly paths: readonly {
    shift: number[];
    weight: number[];
    x: number;
    a: number;
    log: number;
    angle: number;
  }[];
  readonly rare: readonly {
    phases: [mu: number, rate: number, count: number][];
    epsilon: number;
    logDelta: number;
  }[];
}
const GOLDEN: Golden = JSON.parse(readFileSync('test/golden/sampling.json', 'utf8'));
const U = 2 ** -53;

it('a side off the real axis: log u within its error, to the digits of its smallest component', () => {
  let most = 0;
  for (const { shift, weight, x, a, log, angle } of GOLDEN.paths) {
    roomy();
    const side = take(2 * shift.length);
    for (const [i, number] of [...shift, ...weight].entries()) storeF64(side + 8 * i, number);
    turnedAt(side, shift.length, x, turnsOf(side, shift.length, a));
    const { error } = OffSide;
    const away = Math.max(Math.abs(OffSide.log - log), Math.abs(OffSide.angle - angle));
    expect(away, JSON.stringify({ shift, x, a })).toBeLessThanOrEqual(error + U * (Math.abs(log) + angle));
    most = Math.max(most, away / error);
    expect(error).toBeLessThan(4e-13 * (Math.abs(log) + angle) + 1e-30);
  }
  expect(most).toBeGreaterThan(1e-3);
});

const side = (...parts: readonly (readonly [shift: number, weight: number])[]) => ({
  shift: Float64Array.from(parts, ([shift]) => shift),
  weight: Float64Array.from(parts, ([, weight]) => weight),
});
const rare = side([0, 0.98], [1.2, 0.02]);
const two = side([0.25, 0.75], [1.5, 0.25]);
const WINDOWS = [
  undefined,
  { from: -Infinity, to: 2, width: 0.2 },
  { from: 0.5, to: 3, width: 0.1 },
] as const;
const STEPS = [
  [rare, rare],
  [two, side([0, 1])],
  [side([0, 1]), two],
] as const;

/** log φWu₊^c u₋^{1−c}√2π and the loss at an output. */
function termAt(
  [plus, minus]: (typeof STEPS)[number],
  window: (typeof WINDOWS)[number],
  c: number,
  x: number,
) {
  const log = ({ shift, weight }: typeof rare, at: number): number =>
    Math.log(shift.reduce((sum, a, i) => sum + weight[i]! * Math.exp(a * at - (a * a) / 2), 0));
  const [up, down] = [log(plus, x), log(minus, -x)];
  const height = c * up + (1 - c) * down - (x * x) / 2 + (window ? logWindow(window, x) : 0);
  return { height, loss: up - down };
}

describe.each(WINDOWS.flatMap((window) => STEPS.map((sides, i) => [i, window, sides] as const)))(
  'step %d under the window %o',
  (_, window, sides) => {
    const exact = (c: number, tau: number): readonly [re: number, im: number] => {
      let [re, im, all] = [0, 0, 0];
      for (let x = -14; x < 24; x += 1 / 128) {
        const { height, loss } = termAt(sides, window, c, x);
        const size = Math.exp(height);
        re += size * Math.cos(tau * loss);
        im += size * Math.sin(tau * loss);
        all += size;
      }
      return [re / all, im / all];
    };

    test.each([2, 4, 8, 42])('sums good to e^-%d, and bounds of |phi|', (depth) => {
      for (const c of [-1.5, 0.5, 2, 7])
        for (const tau of [0.5, 4, 24]) {
          roomy();
          const step = mixtureStep(...sides, window);
          const at = new Mixture(step, 42, 1).moments(c);
          expect(at.isKnown()).toBe(true);
          const [re, im] = exact(c, tau);
          const size = Math.hypot(re, im);
          const paths = new MixturePaths(step, c, at);
          expect(paths.logBound(tau)).toBeGreaterThanOrEqual(Math.log(Math.max(size - 1e-11, 1e-300)));
          const line = new LogPhi(c, tau / 64, 65, 96);
          if (!addOffAxis(paths, line, depth)) continue;
          const [log, phase, rounding, quadrature] = [0, 1, 2, 3].map((i) =>
            loadF64(line.rows + 768 * i + 512),
          );
          if (rounding === Infinity) {
            expect(Math.exp(log!)).toBeGreaterThanOrEqual(size - 1e-11);
            continue;
          }
          if (depth === 42 && size > 1e-3) expect(rounding! + quadrature!).toBeLessThan(1e-8);
          const [x, y] = [Math.exp(log!) * Math.cos(phase!), Math.exp(log!) * Math.sin(phase!)];
          const error = size * Math.expm1(1.01 * (rounding! + quadrature!));
          expect(Math.hypot(x - re, y - im)).toBeLessThanOrEqual(error + 1e-11);
        }
    });
  },
);

it('few and rare steps of replaced records: contours of longer floats, in both engines', () => {
  for (const { phases, epsilon, logDelta } of GOLDEN.rare) {
    const run = {
      phases: phases.map(([mu, rate, count]) => {
        const own = [0, mu, 1 - rate, rate];
        return { mu: 0, rate: 0, count, own: Float64Array.of(2, 2, ...own, ...own) };
      }),
      square: 0,
    };
    const [found, other] = [wasm, reference].map(({ kernel }) =>
      kernel.questions!.runDelta(run, epsilon, 1e-6, 1e9),
    );
    expect(found).toEqual(other);
    expect(found!.end).toBe('answered');
    expect(found!.lower).toBeLessThanOrEqual(logDelta + 1e-11);
    expect(found!.upper).toBeGreaterThanOrEqual(logDelta - 1e-11);
    expect(found!.upper - found!.lower).toBeLessThan(1e-8);
  }
});
