import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CutGaussian } from '../../../src/methods/contour/step/cut-gaussian.js';
import { logBefore } from '../../../src/methods/contour/step/off-axis.js';
import { OutputPanels } from '../../../src/methods/contour/step/output-panels.js';
import { gradingFor } from '../../../src/methods/contour/step/panel-grading.js';
import type { SpectralLaw } from '../../../src/methods/contour/step/spectral-law.js';
import { subsampledGaussianSpectrum } from '../../../src/methods/contour/step/subsampled-gaussian.js';
import { gaussLegendre } from '../../../src/numeric/gauss-legendre.js';
import { seeded } from '../../helpers/random.js';
import { linesOf } from '../../helpers/rare-losses.js';
import { reference, runOf, wasm } from '../../helpers/runs.js';
import { within } from '../../helpers/stretches.js';

const u64 = 2 ** -53;

interface StepGolden {
  readonly sigma: number;
  readonly q: number;
  readonly cut: number;
  readonly c: number;
  readonly logM: string;
  /** τ, Re φ, Im φ. */
  readonly line: readonly (readonly [number, string, string])[];
  readonly logLostP: string;
  readonly logLostQ: string;
}

const { steps, rules } = JSON.parse(
  readFileSync(new URL('../../golden/cut-gaussian.json', import.meta.url), 'utf8'),
) as { steps: StepGolden[]; rules: Record<string, [string, string][]> };

describe.each(steps)('sigma $sigma, q $q, cut at $cut, tilt $c', (golden) => {
  const law = new CutGaussian(wasm.kernel, { mu: 1 / golden.sigma, q: golden.q }, golden.cut, 40);

  test('what is cut is no more than said, and nearly that', () => {
    for (const [said, digits] of [
      [law.lost.logLostP, golden.logLostP],
      [law.lost.logLostQ, golden.logLostQ],
    ] as const) {
      expect(said).toBeGreaterThanOrEqual(Number(digits));
      expect(said - Number(digits)).toBeLessThan(1e-9);
    }
  });

  test('log M, with and without a bound', () => {
    const exact = Number(golden.logM);
    const { value, error } = law.cumulant(golden.c, 1);
    // the golden as a double is half an ulp off
    expect(Math.abs(value - exact)).toBeLessThanOrEqual(error + 2 ** -53 * Math.abs(exact));
    expect(error).toBeLessThan(1e-13 * (1 + Math.abs(exact)));
    expect(Math.abs(law.near(Float64Array.of(golden.c), 1)[0].value - exact)).toBeLessThan(
      1e-4 * Math.abs(exact) + 1e-9,
    );
  });

  test.each(golden.line)('phi at %d: on the axis, off the axis, and its bound', (tau, re, im) => {
    const exact = [Number(re), Number(im)];
    const size = Math.hypot(exact[0], exact[1]);
    // far beyond 2^10 nodes lines are summed off the axis
    const lines = [
      law.line({ c: golden.c, dTau: tau, n: 2 }, 1),
      law.line({ c: golden.c, dTau: tau / 2048, n: 2049 }, 1),
    ];
    for (const line of lines) {
      if (line === undefined) throw new Error('no line');
      const last = line.phase.length - 1;
      expect(line.error[last]).toBeLessThan(1e-9);
      expect(line.quadrature[last]).toBeLessThan(1e-9);
      const doubt = (line.error[last] + line.quadrature[last]) * 1.01 + 4e-16;
      const modulus = Math.exp(line.logModulus[last]);
      const off = Math.hypot(
        modulus * Math.cos(line.phase[last]) - exact[0],
        modulus * Math.sin(line.phase[last]) - exact[1],
      );
      expect(off).toBeLessThanOrEqual(size * doubt);
    }
  });
});

test('Gauss-Legendre rules: nodes to 3u and weights to 16u, as the bounds assume', () => {
  const u = 2 ** -53;
  for (const [size, exact] of Object.entries(rules)) {
    const { node, weight } = gaussLegendre(Number(size));
    expect(node.length).toBe(exact.length);
    exact.forEach(([x, w], i) => {
      // digits beyond a double's decide: differences in the last places, in units of u
      expect(Math.abs(node[i] - Number(x))).toBeLessThanOrEqual(4 * u * Number(x));
      expect(Math.abs(weight[i] - Number(w))).toBeLessThanOrEqual(17 * u * Number(w));
    });
  }
});

test('outputs of panels: the density and its shift to the mixture integrate, and errors hold what roundings can be', () => {
  const { node, complement, weight } = gaussLegendre(20);
  const rule = Float64Array.of(...node, ...complement, ...weight);
  for (const kernel of [wasm.kernel, reference.kernel])
    for (const [mu, q] of [
      [0.9, 0.01],
      [4, 0.3],
    ]) {
      const halves = Array.from({ length: 26 + 4 * mu }, (_, k) => [k - 13, 0.5]);
      const dip = 0.37;
      const rows = kernel.panelMesh(mu, q, Float64Array.from(halves.flat()), rule, dip);
      const n = rows.length / 9;
      expect(n).toBe(20 * halves.length);
      const [mass, loss, bend, massError, shift, x, unit, lossError, shrink] = Array.from(
        { length: 9 },
        (_, i) => rows.subarray(i * n, (i + 1) * n),
      );
      const [all, shifted, bent] = [
        (_: number) => 1,
        (j: number) => Math.exp(loss[j]),
        (j: number) => bend[j] - loss[j] + Math.expm1(loss[j]),
      ].map((of) => mass.reduce((sum, p, j) => sum + p * of(j), 0));
      expect(Math.abs(all - 1)).toBeLessThan(1e-13);
      expect(Math.abs(shifted - 1)).toBeLessThan(1e-13);
      expect(Math.abs(bent)).toBeLessThan(1e-13);
      for (let j = 0; j < n; j++) {
        const s = mu * x[j] - (mu * mu) / 2;
        const u = 1 + q * Math.expm1(s);
        // the loss moves by mu times its slope, and is at most mu, as x does
        const share = (q * Math.exp(s)) / u;
        const placed = share * mu * u64 * (Math.abs(x[j]) + 2);
        expect(lossError[j]).toBeGreaterThan(placed);
        expect(lossError[j]).toBeLessThan(
          40 * u64 * (placed / u64 + share * (mu * mu + 1) + Math.abs(loss[j])),
        );
        expect(massError[j]).toBeGreaterThan(u64 * (20 + x[j] * x[j]));
        expect(shift[j]).toBe(Math.abs(loss[j]) * lossError[j]);
        const odds = (1 - q) / (q * Math.exp(s));
        const least = 0.5 * Math.log1p((-4 * dip * odds) / (1 + odds) ** 2);
        expect(shrink[j]).toBeLessThan(least);
        expect(shrink[j]).toBeGreaterThan(least - 1e-11);
        expect(Math.abs(mass[j] / (unit[j] * Math.exp((-x[j] * x[j]) / 2)) - 1)).toBeLessThan(
          massError[j] + 1e-15,
        );
      }
    }
});

test('parts of a panel err together by no more than they say', () => {
  const random = seeded(43);
  let closest = 0;
  let parted = 0;
  for (let i = 0; i < 40; i++) {
    const mu = 0.2 * 15 ** random();
    const q = 1e-3 * 300 ** random();
    const cut = 4 + 4 * random();
    const c = (i % 2 === 0 ? -1 : 1) * 0.3 * 30 ** random();
    const layout = new OutputPanels(wasm.kernel, { mu, q }, cut, 8, gradingFor(mu, q, cut, c));
    let last = 0;
    while (!(logBefore(mu, q, layout.panel(last).left, c) < Infinity && layout.panel(last).left < -5)) last++;
    const { off: tops } = layout.tops(c, last);
    const tau = 200 ** random();
    /** The integral of phi u^{c + i tau} over a panel, in so many parts. */
    const integral = (k: number, parts: number): [number, number] => {
      const { left, half } = layout.panel(k);
      const own = half / parts;
      const { values } = layout.place(
        Array.from({ length: parts }, (_, j) => ({ left: left + 2 * own * j, half: own })),
      );
      const n = values.length / 9;
      const [loss, x, unit] = [1, 5, 6].map((row) => values.subarray(row * n, (row + 1) * n)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      let [re, im] = [0, 0];
      for (let j = 0; j < x.length; j++) {
        const f = unit[j] * Math.exp(c * loss[j] - (x[j] * x[j]) / 2);
        re += f * Math.cos(tau * loss[j]);
        im += f * Math.sin(tau * loss[j]);
      }
      return [re, im];
    };
    for (let k = 0; k <= last; k += 1 + (last >> 2)) {
      const found = layout.partsOf(k, tau, tops[k], tops[k] - 9)!;
      const [a, b] = [integral(k, found.parts), integral(k, 16 * found.parts)];
      const off = Math.hypot(a[0] - b[0], a[1] - b[1]);
      expect(off, `${mu} ${q} ${cut} ${c} ${tau} ${k}`).toBeLessThanOrEqual(
        Math.exp(found.logError) + 1e-12 * Math.exp(tops[k]),
      );
      if (found.parts > 1) parted++;
      closest = Math.max(closest, off / Math.exp(found.logError));
    }
  }
  expect(parted).toBeGreaterThan(20);
  // bounds that say little would hold as well
  expect(closest).toBeGreaterThan(1e-4);
});

test('the largest phi u^c on what the ellipses of panels cover, on the axis and off it, is no more than the nodes say', () => {
  const random = seeded(41);
  let [worst, off] = [0, 0];
  for (let i = 0; i < 80; i++) {
    const mu = 0.1 * 40 ** random();
    const q = i % 5 === 0 ? 1e-7 * 1e3 ** random() : 1e-4 * 3000 ** random();
    const cut = 4 + 8 * random();
    const c = (random() < 0.6 ? -1 : 1) * 0.1 * (i % 4 === 0 ? 3e5 : i % 5 === 0 ? 3e6 : 1e3) ** random();
    const layout = new OutputPanels(reference.kernel, { mu, q }, cut, 14, gradingFor(mu, q, cut, c));
    let last = 0;
    while (!(logBefore(mu, q, layout.panel(last).left, c) < Infinity && layout.panel(last).left < -6)) last++;
    const { on, off: turned } = layout.tops(c, last);
    for (const angle of c < 0 ? [0, layout.angle] : [0]) {
      const tops = angle > 0 ? turned : on;
      let most = -Infinity;
      for (let k = 0; k <= last; k += 1 + (last >> 4)) {
        const { left, half } = layout.panel(k);
        const over = 0.6889 * half;
        let own = -Infinity;
        for (let j = 0; j <= 200; j++) {
          const x = left - over + ((2 * half + 2 * over) * j) / 200;
          const b = q * Math.exp(mu * x - (mu * mu) / 2);
          for (const theta of [angle, 0.6 * angle]) {
            const loss = 0.5 * Math.log1p(b * b - 2 * q + q * q + 2 * (1 - q) * b * Math.cos(theta));
            own = Math.max(own, c * loss - (x * x) / 2 - 0.5 * Math.log(2 * Math.PI));
          }
        }
        expect(tops[k], `${mu} ${q} ${cut} ${c} ${k} ${angle}`).toBeGreaterThanOrEqual(own - 1e-9);
        most = Math.max(most, own);
      }
      const excess = Math.max(...tops) - most;
      if (angle > 0) off = Math.max(off, excess);
      else worst = Math.max(worst, excess);
    }
  }
  // bounds that say little would hold as well
  expect(worst).toBeLessThan(4);
  expect(off).toBeLessThan(8);
});

describe('bounds of |phi| hold', () => {
  test.each([
    [1.1, 0.01, 8.5],
    [0.5, 0.003, 9.75],
    [3, 1e-4, 8],
  ] as const)('sigma %d, q %d, cut at %d', (sigma, q, cut) => {
    const law = subsampledGaussianSpectrum(reference.kernel, sigma, q).cut as NonNullable<SpectralLaw['cut']>;
    const mass = new CutGaussian(reference.kernel, { mu: 1 / sigma, q }, cut, 40).lost.logLostQ;
    const { law: step } = law(reference.kernel, mass, 40)!;
    for (const c of [-3, 0.5, 2, 12, 60]) {
      const decay = step.decay(c);
      const random = seeded(5);
      for (let i = 0; i < 40; i++) {
        const tau = 10 ** (-1 + 4 * random());
        const line = step.line(reference.kernel, { c, dTau: tau, n: 2 }, 1);
        if (line === undefined || line.error[1] === Infinity) continue;
        const exact = line.logModulus[1] - line.error[1] - line.quadrature[1];
        expect(within(decay, tau / 1.1, tau * 1.1)).toBeGreaterThanOrEqual(exact);
        expect(decay.far?.(tau) ?? 0).toBeGreaterThanOrEqual(exact);
        const far = decay.beyond(tau / 2);
        expect(far.log - far.power * Math.log(2)).toBeGreaterThanOrEqual(exact);
      }
    }
  });
});

/** δ of the cut run is no larger than δ, and δ no larger than it and what the cut may have. */
test('brackets from cuts far apart intersect, whatever the widths asked for', () => {
  const random = seeded(23);
  const between = (a: number, b: number): number => a * (b / a) ** random();
  for (let i = 0; i < 12; i++) {
    const phase = [between(0.6, 6), between(1e-4, 0.1), Math.round(between(100, 1e4))] as const;
    for (const mirrored of [false, true]) {
      const lines = linesOf([phase], mirrored, 1e-2);
      const x = Math.max(0, lines.guess('delta', -3 - 15 * random(), 1e-6) ?? 0);
      // levels differ, and with them the cut, the window and the tilt
      const answers = [1e-2, 1e-4, 1e-6, 1e-9].map((width) => lines.delta(x, width));
      const what = `${JSON.stringify(phase)} ${mirrored} at ${x}: ${JSON.stringify(answers)}`;
      const lower = Math.max(...answers.map((answer) => answer?.lower ?? -Infinity));
      const upper = Math.min(...answers.map((answer) => answer?.upper ?? 0));
      expect(lower, what).toBeLessThanOrEqual(upper);
    }
  }
});

/** Of three levels, with cuts of their own. */
const WIDTHS = [1e-9, 1e-6, undefined];

test('answers depend on the run, the question and the tolerance alone', () => {
  const random = seeded(31);
  const phases = [
    [1.1, 0.01, 1000],
    [0.8, 2e-4, 700],
  ] as const;
  for (const phase of phases) {
    const questions = Array.from({ length: 60 }, () => 4 * random() ** 3);
    const asked = (
      order: readonly number[],
      widths: readonly (number | undefined)[],
    ): Map<number, string> => {
      const run = runOf([phase], { tolerance: 1e-3 });
      return new Map(
        order.map((x) => {
          const each = run.directions.map((one) => {
            const found = new Map(
              widths.map((width) => [width, [one.logDelta(x, width), one.test(x, width)]]),
            );
            return WIDTHS.map((width) => found.get(width));
          });
          return [x, JSON.stringify([each, run.delta(x)])];
        }),
      );
    };
    const forwards = asked(questions, WIDTHS);
    const backwards = asked([...questions].reverse(), [...WIDTHS].reverse());
    for (const x of questions) expect(backwards.get(x)).toBe(forwards.get(x));
  }
});
