import { describe, expect, it } from 'vitest';
import {
  account,
  gaussian,
  isInputError,
  laplace,
  measure,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { gdptPlot, linePlot, profilePlot, tradeoffPlot } from '../../src/plot/index.js';
import { runOf, wasm } from '../helpers/runs.js';

const adjacency = 'add-remove';
const cifar = runOf([[9.4, 16384 / 50000, 2000]]);
const measurement = measure(cifar);
const response = account(wasm, randomizedResponse({ epsilon: 1 }), { adjacency });

const line = (
  plot: { series: readonly { name: string; points: readonly (readonly number[])[] }[] },
  name: RegExp,
) => plot.series.find((each) => name.test(each.name))!.points;

describe('tradeoffPlot', () => {
  it('draws f of randomised response, a polygon', () => {
    const points = line(tradeoffPlot(response), /the run/);
    // f(α) = max(1 − eα, (1 − α)/e)
    for (const [alpha, beta] of points) {
      const exact = Math.max(1 - Math.E * alpha!, (1 - alpha!) / Math.E);
      expect(Math.abs(beta! - exact)).toBeLessThan(1e-12);
    }
  });

  it('has the run between the fit and the far end of the regret band', () => {
    for (const run of [
      cifar,
      response,
      account(wasm, repeat(laplace({ scale: 5, sensitivity: 1 }), 50), { adjacency, tolerance: 1e-3 }),
    ]) {
      const measured = measure(run);
      for (const scale of ['linear', 'log'] as const) {
        const plot = tradeoffPlot(run, { scale, measurement: measured });
        const band = plot.bands!.find(({ name }) => name.startsWith('within regret'))!.points;
        const own = line(plot, /the run/);
        for (const [i, [alpha, value]] of own.entries()) {
          const [x, lower, upper] = band[i]!;
          expect(x).toBe(alpha);
          if (Math.min(alpha!, 1 - alpha!) < measured.alphaMin) continue;
          expect(value).toBeGreaterThanOrEqual(lower * (1 - 1e-6) - 1e-12);
          expect(value).toBeLessThanOrEqual(upper * (1 + 1e-6) + 1e-12);
        }
      }
    }
  });

  it('leaves out the fit where there is none', () => {
    const plot = tradeoffPlot(account(wasm, gaussian({ noiseMultiplier: 0 }), { adjacency }));
    expect(plot.series.map(({ name }) => name)).toEqual(['the run: f', 'guessing']);
  });
});

describe('profilePlot', () => {
  it('goes through known values of the profile', () => {
    // exact, from the goldens of the CIFAR-10 run: δ(8), δ(12)
    const points = line(profilePlot(cifar, { measurement }), /the run/);
    const at = (epsilon: number) => {
      const i = points.findIndex(([x]) => x! >= epsilon);
      const [[x0, y0], [x1, y1]] = [points[i - 1]!, points[i]!] as [number[], number[]];
      const t = (epsilon - x0!) / (x1! - x0!);
      return Math.log(y0!) * (1 - t) + Math.log(y1!) * t;
    };
    expect(Math.abs(at(8) - Math.log(1.917623531504e-6))).toBeLessThan(0.01);
    expect(Math.abs(at(2) - Math.log(1.635359670108e-1))).toBeLessThan(0.01);
  });

  it('refuses an end that is no probability', () => {
    expect(() => profilePlot(cifar, { measurement, deltaMin: 0 })).toThrow(/"deltaMin" must be/);
  });
});

describe('gdptPlot', () => {
  it('is flat for a Gaussian', () => {
    const run = account(wasm, gaussian({ noiseMultiplier: 0.7 }), { adjacency });
    for (const against of ['alpha', 'epsilon'] as const) {
      for (const [, mu] of line(gdptPlot(run, { against }), /^μ\(/)) {
        expect(Math.abs(mu! * 0.7 - 1)).toBeLessThan(1e-9);
      }
    }
  });

  it('never passes the reported μ inside the window, and reaches it', () => {
    for (const against of ['alpha', 'epsilon'] as const) {
      const plot = gdptPlot(cifar, { against, measurement });
      const values = line(plot, /^μ\(/).map(([, mu]) => mu!);
      expect(Math.max(...values)).toBeLessThan(measurement.mu.upper * (1 + 1e-5));
      expect(Math.max(...values)).toBeGreaterThan(measurement.mu.lower * (1 - 1e-4));
    }
  });
});

it('the points of a curve are one question, and those it leaves out are bounded by the others', () => {
  const options = { effort: 1.5e-3 };
  const [alone, drawn, free] = [options, options, {}].map((each) => runOf([[1, 0.01, 1000]], each));
  const given = measure(free);
  const points = line(tradeoffPlot(drawn, { measurement: given, scale: 'log' }), /the run/);
  expect(drawn.everLimitedBy).toBe('effort');
  for (const [alpha, power] of points) {
    expect(power).toBeGreaterThanOrEqual(free.truePositiveRate(alpha!).lower);
    alone.truePositiveRate(alpha!);
  }
  // each by itself is within what a question may cost
  expect(alone.everLimitedBy).not.toBe('effort');
});

it('every plot of every kind of run can be drawn', async () => {
  const runs = [
    cifar,
    response,
    runOf([]),
    account(wasm, gaussian({ noiseMultiplier: 0 }), { adjacency }),
    account(wasm, gaussian({ noiseMultiplier: 1e9 }), { adjacency }),
    account(wasm, gaussian({ noiseMultiplier: 1e-3 }), { adjacency }),
  ];
  for (const run of runs) {
    const measured = run === cifar ? measurement : measure(run);
    for (const plot of [
      tradeoffPlot(run, { measurement: measured }),
      tradeoffPlot(run, { measurement: measured, scale: 'log' }),
      profilePlot(run, { measurement: measured }),
      gdptPlot(run, { measurement: measured }),
      gdptPlot(run, { measurement: measured, against: 'epsilon' }),
    ]) {
      expect(`${plot.title} ${plot.description}`).not.toMatch(/NaN|undefined/);
      expect(await linePlot(plot)).not.toMatch(/NaN|undefined|Infinity/);
    }
  }
});

it('what cannot be drawn is refused by its place', async () => {
  const line = {
    name: 's',
    points: [
      [0, 0],
      [1, 1],
    ],
  };
  const axis = { label: 'x' };
  const refused: readonly (readonly [object, string])[] = [
    [{ description: 5 }, '"description" must be a string, got 5'],
    [{ axes: { x: { ...axis, scale: 'cubic' }, y: axis } }, '"axes.x.scale" must be one of linear, log'],
    [{ axes: { x: axis, y: { ...axis, min: 2, max: 1 } } }, '"axes.y.max" must be at least min (2), got 1'],
    [{ axes: { x: axis, y: { ...axis, min: '2' } } }, '"axes.y.min" must be a finite number, got "2"'],
    [{ axes: { x: { ...axis, scale: 'log', min: 0 }, y: axis } }, '"axes.x.min" must be a finite number > 0'],
    [{ series: [{ ...line, style: 'red' }] }, '"series[0].style" must be one of solid, dashed, dotted'],
    [{ series: [{ ...line, marks: 'no' }] }, '"series[0].marks" must be true or false, got "no"'],
    [{ series: [{ ...line, colour: 'red' }] }, '"series[0].colour" must be a whole number >= 0'],
    [{ bands: 5 }, '"bands" must be an array of areas, got 5'],
    ...[5, null, 'ab', [1], [1, 2, 3], ['a', 'b'], {}].map(
      (point) =>
        [
          { series: [{ ...line, points: [[0, 0], point] }] },
          '"series[0].points[1]" must be two numbers',
        ] as const,
    ),
    [{ bands: [{ name: 'b', points: [[1, 2]] }] }, '"bands[0].points[0]" must be three numbers'],
  ];
  for (const [part, said] of refused) {
    const whole = { title: 'A', axes: { x: axis, y: axis }, series: [line], ...part };
    const error = await linePlot(whole as never).catch((each: unknown) => each);
    expect(isInputError(error), said).toBe(true);
    expect((error as Error).message).toContain(said);
  }
  for (const wrong of [5, 'x', {}, { mu: 5 }])
    for (const draw of [tradeoffPlot, profilePlot, gdptPlot])
      expect(() => draw(response, { measurement: wrong as never })).toThrow(
        '"measurement" must be what measure found',
      );
});
