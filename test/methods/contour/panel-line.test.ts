import { describe, expect, test } from 'vitest';
import { Contour, layOut } from '../../../src/methods/contour/line/contour.js';
import { PanelLine } from '../../../src/methods/contour/line/panel-line.js';
import { layPanels, panelRun } from '../../../src/methods/contour/line/panel-plan.js';
import { panelPlanFor, planFor, Windows } from '../../../src/methods/contour/line/windows.js';
import { subsampledGaussianSpectrum } from '../../../src/methods/contour/step/subsampled-gaussian.js';
import { seeded } from '../../helpers/random.js';
import { reference, wasm } from '../../helpers/runs.js';

const FUNCTIONALS = ['delta', 'power', 'falsePositive'] as const;

/** Two quadratures of one integral that share no bound: equal steps on the line for M, panels for M without its leg. */
test.each([
  [1, 0.01, 40, 0.9],
  [4, 0.01, 50, 0.04],
  [1.18, 4.35e-4, 188, 0.0184],
  [4.87, 1.84e-4, 3, 4.7e-5],
  [0.583, 0.00561, 20, 1.9],
] as const)('sigma %d, q %d, %d steps at %d: panels and equal steps agree', (sigma, q, count, x) => {
  const law = subsampledGaussianSpectrum(sigma, q);
  const place = new Windows(wasm.kernel, [{ law, count }]).at(x, -10, 'test');
  const window = place.window();
  const rung = place.rung();
  const plan = rung && panelPlanFor(rung, -10);
  if (rung === undefined || window === undefined || plan === undefined) throw new Error('no place');
  const { run } = rung;
  const panels = PanelLine.on(wasm.kernel, run.laws, run.axis, plan);
  const same = PanelLine.on(reference.kernel, run.laws, run.axis, plan);
  const equal = planFor(window, -10);
  const layout = layOut(window.run.laws, window.run.axis, equal, 2 ** 17);
  const line = layout && Contour.on(wasm.kernel, window.run.laws, window.run.axis, equal, layout);
  if (panels === undefined || same === undefined || line === undefined) throw new Error('no line');
  for (const functional of FUNCTIONALS) {
    const mine = panels.answer(functional, x);
    const theirs = line.answer(functional, x);
    // the cuts differ, and what they hide counts elsewhere
    const lost = Math.exp(Math.max(run.logLostQ, window.run.logLostQ) - theirs.lower);
    expect(mine.lower).toBeLessThanOrEqual(theirs.upper + lost + line.window);
    expect(mine.upper).toBeGreaterThanOrEqual(theirs.lower - lost - line.window);
    if (functional === 'delta') expect(mine.upper - mine.lower).toBeLessThan(1e-6);
    const { lower, upper } = same.answer(functional, x);
    expect([lower, upper]).toEqual([mine.lower, mine.upper]);
  }
});

describe('bounds that lines of panels stand on', () => {
  test.each([
    [1, 0.01, 5, 12],
    [0.6, 0.003, 12, 3],
    [4, 2e-4, 3, 900],
    [2, 0.2, 30, 1.5],
  ] as const)(
    'sigma %d, q %d, %d steps, tilt %d: no value of M off the axis exceeds them',
    (sigma, q, count, s) => {
      const law = subsampledGaussianSpectrum(sigma, q).cut?.(wasm.kernel, -40, 40)?.law;
      const panels = law?.panels?.(1 + s, count);
      if (law === undefined || panels === undefined) throw new Error('no law');
      const { value: logM } = law.cumulant(1 + s, 1);
      const random = seeded(11);
      let sharp = 0;
      for (let i = 0; i < 60; i++) {
        const b = s * 0.9 * random();
        const d = b * (2 * random() - 1);
        const tau = 10 ** (-2 + 5 * random());
        const from = tau * (0.5 + 0.5 * random());
        const at = { tilt: Float64Array.of(1 + s + d), tau: Float64Array.of(tau) };
        const line = panels.points(at, 1);
        if (line === undefined || line.error[0] === Infinity) continue;
        const size = line.logModulus[0] - line.error[0] - line.quadrature[0];
        const [above, below] = panels.within(b, from);
        // convex in between
        const bound = below + ((above - below) * (d + b)) / (2 * b);
        expect(size).toBeLessThanOrEqual(Math.max(bound, above, below) + 1e-9);
        if (Math.max(above, below) < size + 1) sharp++;
        // the leg that M has and this does not
        const gap = panels.gap(1 + s + d);
        const whole = law.line(wasm.kernel, 1 + s + d, tau, 2, 1);
        if (whole === undefined || whole.error[1] === Infinity) continue;
        const own = law.cumulant(1 + s + d, 1).value - logM;
        const off = Math.hypot(
          Math.exp(own + whole.logModulus[1]) * Math.cos(whole.phase[1]) -
            Math.exp(line.logModulus[0]) * Math.cos(line.phase[0]),
          Math.exp(own + whole.logModulus[1]) * Math.sin(whole.phase[1]) -
            Math.exp(line.logModulus[0]) * Math.sin(line.phase[0]),
        );
        const most = Math.exp(gap.log - logM) * Math.min(1, 1 / (tau * gap.rate));
        const doubt = Math.exp(Math.max(own, size)) * (whole.error[1] + whole.quadrature[1] + 1e-13);
        const mine = Math.exp(size) * (line.error[0] + line.quadrature[0]);
        expect(off).toBeLessThanOrEqual(most + 2 * (doubt + mine) + 1e-13);
      }
      expect(sharp).toBeGreaterThan(3);
    },
  );

  test('each rule errs by less than the layout says, against one of twice the level', () => {
    const law = subsampledGaussianSpectrum(1.31, 0.000929);
    const rung = new Windows(wasm.kernel, [{ law, count: 12 }]).at(0.0103, -6, 'test').rung();
    const plan = rung && panelPlanFor(rung, -6);
    if (rung === undefined || plan === undefined) throw new Error('no place');
    const { run } = rung;
    const rough = PanelLine.on(wasm.kernel, run.laws, run.axis, plan);
    const fine = PanelLine.on(wasm.kernel, run.laws, run.axis, { ...plan, level: 1e-12 });
    const layout = layPanels(panelRun(run.laws, run.axis, 1 + plan.saddle.s)!, plan);
    expect(layout!.nodes).toBeLessThan(1000);
    for (const x of [rung.low, 0.0103, rung.high])
      for (const functional of FUNCTIONALS)
        expect(rough!.answer(functional, x)).toOverlap(fine!.answer(functional, x));
  });
});
