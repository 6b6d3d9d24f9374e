import { describe, expect, it } from 'vitest';
import { account, gaussian, laplace, measure, randomizedResponse, repeat } from '../../src/index.js';
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
