import { describe, expect, test } from 'vitest';
import { account, compose, dpSgd } from '../../../src/index.js';
import { seen } from '../../../src/mechanism/seen.js';
import { stepsOf } from '../../../src/mechanism/steps.js';
import { SpectralRun } from '../../../src/methods/contour/contour-run.js';
import { manyPhases } from '../../../src/methods/contour/phases/many-phases.js';
import { PhaseCell } from '../../../src/methods/contour/phases/phase-cell.js';
import { PhaseDisc } from '../../../src/methods/contour/phases/phase-disc.js';
import { phaseOf } from '../../../src/methods/contour/phases/phase-laws.js';
import { exchanged, type SpectralLaw } from '../../../src/methods/contour/step/spectral-law.js';
import { pairSpectra, spectraOf } from '../../../src/methods/contour/step/spectrum-of.js';
import { cutFor, sampledGaussian } from '../../../src/methods/contour/step/subsampled-gaussian.js';
import { intersects } from '../../../src/numeric/bracket.js';
import { discreteGauss } from '../../../src/numeric/discrete-gauss.js';
import { seeded } from '../../helpers/random.js';
import { wasm } from '../../helpers/runs.js';

interface Phase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

type Complex = readonly [number, number];
const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const expOf = ([a, b]: Complex): Complex => [Math.exp(a) * Math.cos(b), Math.exp(a) * Math.sin(b)];

/** ∫ φ u^z over [from, to], log q and log μ complex, by Simpson's rule. */
function transform(logRate: Complex, logMu: Complex, z: Complex, from: number, to: number): Complex {
  const [q, mu] = [expOf(logRate), expOf(logMu)];
  const square = times(mu, mu);
  const cells = 2 * Math.ceil((to - from) * 40);
  const h = (to - from) / cells;
  let [re, im] = [0, 0];
  for (let i = 0; i <= cells; i++) {
    const x = from + i * h;
    const grown = times(q, expOf([mu[0] * x - square[0] / 2, mu[1] * x - square[1] / 2]));
    const u: Complex = [1 - q[0] + grown[0], -q[1] + grown[1]];
    const logU: Complex = [Math.log(Math.hypot(...u)), Math.atan2(u[1], u[0])];
    const power = expOf(times(z, logU));
    const weight =
      ((i === 0 || i === cells ? 1 : 2 + 2 * (i % 2)) * h * Math.exp((-x * x) / 2)) /
      3 /
      Math.sqrt(2 * Math.PI);
    re += weight * power[0];
    im += weight * power[1];
  }
  return [re, im];
}

test('M moves by less over a box than the bound, outputs before a knot and behind it', () => {
  const random = seeded(14);
  let tightest = Infinity;
  // real parts of log q and log μ, and imaginary ones: wide and flat, tall and narrow
  for (const [mu, q, cut, rate, across, turnRate, turnMu] of [
    [1, 0.05, 9, 0.2, 0.01, 0.2, 0.01],
    [1, 0.05, 9, 0.01, 0.06, 0.01, 0.06],
    [0.3, 0.002, 8, 0.3, 0.2, 0.3, 0.2],
    [1.7, 0.01, 10, 0.05, 0.03, 0.05, 0.03],
    [1, 0.05, 9, 0.3, 0.04, 0.05, 0.01],
    [0.8, 0.003, 9, 0.02, 0.01, 0.9, 0.15],
    [1.2, 0.2, 8, 0.01, 0.005, 0.3, 0.1],
    [0.9, 0.02, 9, 0.4, 0.1, 0.6, 0.2],
  ] as const) {
    const disc = new PhaseDisc(mu, q, cut);
    const turn = { rate: turnRate, mu: turnMu };
    const moves = disc.moves({ rate, mu: across, turn });
    const flat = disc.moves({ rate, mu: across, turn: { rate: 0, mu: 0 } });
    if (moves === undefined || flat === undefined) throw new Error('no bound');
    for (const [c, tau] of [
      [5, 0],
      [5, 12],
      [1, 40],
      [-6, 9],
    ] as const) {
      const { near, far } = disc.changes(moves, flat, c, Math.hypot(c, tau), 0);
      const at = [Math.round(0.6 * (near.length - 1)), near.length - 1];
      const outputs = at.map((i) => Math.min(cut, i * 0.25 - 9));
      const real: Complex[] = [
        [Math.log(q), 0],
        [Math.log(mu), 0],
      ];
      const centre = outputs.map((to) => transform(real[0]!, real[1]!, [c, tau], -12, to));
      for (let i = 0; i < 12; i++) {
        // corners, and points between them
        const part = (k: number): number => (i < 8 ? 1 - 2 * ((i >> k) & 1) : 2 * random() - 1);
        const logRate: Complex = [Math.log(q) + rate * part(0), turn.rate * part(1)];
        const logMu: Complex = [Math.log(mu) + across * part(2), turn.mu * (i < 4 ? part(1) : -part(1))];
        for (const [k, to] of outputs.entries()) {
          const moved = transform(logRate, logMu, [c, tau], -12, to);
          const change = Math.hypot(moved[0] - centre[k]![0], moved[1] - centre[k]![1]);
          expect(change).toBeLessThanOrEqual(near[at[k]!]! * (1 + 1e-9) + 1e-12);
          tightest = Math.min(tightest, near[at[k]!]! / change);
        }
        const behind = transform([logRate[0], 0], [logMu[0], 0], [c, 0], outputs[0]!, cut);
        expect(behind[0]).toBeLessThanOrEqual(far[at[0]!]! * (1 + 1e-9) + 1e-14);
      }
    }
  }
  // a bound that says little would hold as well
  expect(tightest).toBeLessThan(4);
});

test('the curve of a cell stays near its phases, however unevenly they weigh', () => {
  const random = seeded(1401);
  for (let run = 0; run < 20; run++) {
    const phases = Array.from({ length: 40 }, () =>
      phaseOf(0.3 * 10 ** random(), 1e-4 * 1e3 ** random(), Math.ceil(1e9 ** random())),
    );
    const cells = [new PhaseCell(phases)];
    for (const cell of cells) {
      cells.push(...cell.halves());
      const mus = cell.phases.map(({ mu }) => Math.log(mu));
      const rates = cell.phases.map(({ q }) => Math.log(q));
      for (const [own, at] of [
        [mus, cell.centre.logMu],
        [rates, cell.centre.logRate],
      ] as const) {
        const [least, most] = [Math.min(...own), Math.max(...own)];
        expect(Math.abs(at - (least + most) / 2)).toBeLessThanOrEqual(most - least + 1e-9);
      }
    }
    expect(cells.length).toBeGreaterThan(40);
  }
});

const random = seeded(1400);
const SCHEDULES: Readonly<Record<string, readonly Phase[]>> = {
  'noise decay': Array.from({ length: 400 }, (_, i) => ({
    mu: 1 / (4 - (3.2 * i) / 400),
    rate: 0.02,
    count: 1 + (i % 3),
  })),
  'rate warm-up': Array.from({ length: 400 }, (_, i) => ({
    mu: 0.9,
    rate: 0.002 + (0.03 * i) / 400,
    count: 2,
  })),
  'both on a curve': Array.from({ length: 400 }, (_, i) => ({
    mu: 0.6 + 0.3 * Math.cos(i / 120),
    rate: 0.01 * Math.exp(i / 250),
    count: 1,
  })),
  'both near a curve': Array.from({ length: 400 }, (_, i) => ({
    mu: (0.6 + i / 1500) * (1 + 1e-3 * random()),
    rate: 0.01 * Math.exp(i / 400) * (1 + 1e-3 * random()),
    count: 1,
  })),
  'a cloud': Array.from({ length: 120 }, () => ({
    mu: 0.5 + random() / 2,
    rate: 0.005 + 0.02 * random(),
    count: 5,
  })),
};
const CUT = [-40, 45] as const;

/** The phases' own laws, cut where those taken together are. */
function lawsOf(phases: readonly Phase[]): { law: SpectralLaw; count: number }[] {
  const [mu, rate] = (['mu', 'rate'] as const).map((of) => Math.max(...phases.map((phase) => phase[of])));
  const at = cutFor(mu!, rate!, CUT[0]);
  return phases.map((phase) => ({
    law: sampledGaussian(1 / phase.mu, phase.rate).cutAt(wasm.kernel, at, CUT[1]).law,
    count: phase.count,
  }));
}

describe.each(Object.entries(SCHEDULES))('%s', (_name, phases) => {
  const together = manyPhases(phases, 1e-6, 0)?.cut?.(wasm.kernel, ...CUT)?.law;
  if (together === undefined) throw new Error('not taken together');
  const singles = lawsOf(phases);
  const all = phases.reduce((sum, { count }) => sum + count, 0);

  test('log M and lines of few phases hold those of all', () => {
    for (const c of [4, 1, 0.5, -5]) {
      const found = together.cumulant(c, all);
      let [value, error] = [0, 1e-13];
      for (const { law, count } of singles) {
        const own = law.cumulant(c, count);
        value += own.value;
        error += own.error + 1e-15 * Math.abs(value);
      }
      expect(Math.abs(found.value - value)).toBeLessThanOrEqual(found.error + error);
      expect(found.error).toBeLessThan(3e-8);
      expect(together.above?.(c, all)).toBeGreaterThanOrEqual(value - error);
    }
    for (const [c, dTau, n] of [
      [4, 0.5, 30],
      [-3, 0.4, 24],
      [3, 6, 20],
    ] as const) {
      const found = together.line(wasm.kernel, c, dTau, n, all);
      const known = singles.map(({ law, count }) => law.line(wasm.kernel, c, dTau, n, count)!);
      let good = 0;
      for (let k = 0; k < n; k++) {
        const sum = (of: 'logModulus' | 'phase' | 'error' | 'quadrature'): number =>
          known.reduce((total, line) => total + line[of][k]!, 0);
        if (!(sum('error') < Infinity)) continue;
        const doubt = found!.error[k]! + found!.quadrature[k]! + sum('error') + sum('quadrature') + 1e-11;
        if (found!.error[k]! < Infinity) {
          const turn = Math.abs(found!.phase[k]! - sum('phase')) / (2 * Math.PI);
          expect(Math.abs(found!.logModulus[k]! - sum('logModulus'))).toBeLessThanOrEqual(doubt);
          expect(2 * Math.PI * Math.abs(turn - Math.round(turn))).toBeLessThanOrEqual(doubt);
          if (doubt * Math.exp(sum('logModulus')) < 1e-6) good++;
        } else
          expect(sum('logModulus')).toBeLessThanOrEqual(
            found!.logModulus[k]! + sum('error') + sum('quadrature'),
          );
        // where |φ| is of any size it is well known
        if (sum('logModulus') > -14) expect(doubt * Math.exp(sum('logModulus'))).toBeLessThan(1e-6);
      }
      expect(good).toBeGreaterThan(0);
    }
  });

  test("no phase's φ exceeds its bounds", () => {
    for (const c of [4, -3]) {
      const decay = together.decay(c);
      let best = 0;
      for (const tau of [0.5, 2, 7, 20]) {
        const known = singles.reduce(
          (sum, { law, count }) => sum + law.line(wasm.kernel, c, tau, 2, count)!.logModulus[1]!,
          0,
        );
        // of few cells and of many
        for (const within of [decay.within, decay.finer!]) {
          const bound = all * within(tau, 1.05 * tau);
          expect(bound).toBeGreaterThanOrEqual(known - 1e-9);
          expect(all * within(0.8 * tau, tau)).toBeGreaterThanOrEqual(known - 1e-9);
          best = Math.max(best, bound / known);
        }
        const { log, power } = decay.beyond(0.8 * tau);
        expect(all * (log - power * Math.log(1 / 0.8))).toBeGreaterThanOrEqual(known - 1e-9);
      }
      // and they say something
      expect(best).toBeGreaterThan(0.2);
    }
  });
});

test('a run of many phases: the brackets of few hold those of all, however the phases are listed', () => {
  const mechanisms = Array.from({ length: 40 }, (_, i) =>
    dpSgd({ noiseMultiplier: 1 + i / 40, samplingRate: 0.02 + i / 4000, steps: 3 }),
  );
  const options = { adjacency: 'add-remove' } as const;
  const run = account(wasm, compose(mechanisms), options);
  const steps = stepsOf(compose(mechanisms)).map(seen);
  const pairs = pairSpectra(steps)!;
  const apart = (['remove', 'add'] as const).map((direction) => {
    const { laws, logInfinity } = spectraOf(steps, pairs, direction);
    return new SpectralRun(wasm.kernel, laws, { width: 1e-6, direction, logInfinity });
  });
  for (const epsilon of [0.5, 2, 5]) {
    const found = run.logDelta(epsilon);
    // far down in direction 'add' single laws take long
    const known = apart.slice(0, epsilon > 2 ? 1 : 2).map((each) => each.logDelta(epsilon));
    const worst = {
      lower: Math.max(...known.map(({ lower }) => lower)),
      upper: Math.max(...known.map(({ upper }) => upper)),
    };
    expect(intersects(found, worst)).toBe(true);
    expect(found.upper - found.lower).toBeLessThan(1e-6);
  }
  const backwards = account(wasm, compose([...mechanisms].reverse()), options);
  expect(backwards.epsilon(1e-6)).toEqual(run.epsilon(1e-6));
});

test('few phases stand for the exchanged pair too, and none where a law is never cut', () => {
  const phases = SCHEDULES['rate warm-up']!;
  const law = manyPhases(phases, 1e-6)!;
  expect(exchanged(law).cumulant(3, 10)).toEqual({
    ...law.cumulant(-2, 10),
    mean: -law.cumulant(-2, 10).mean,
  });
  expect(manyPhases([...phases, { mu: 20, rate: 0.1, count: 1 }], 1e-6)).toBeUndefined();
});

test("Gauss' rule of finitely many points has their sums of polynomials and positive weights", () => {
  const draw = seeded(7);
  const x = Float64Array.from({ length: 50 }, () => 2 * draw() - 1);
  const weight = x.map(() => 1 + 5 * draw());
  const rule = discreteGauss(x, weight, 6)!;
  expect(rule.weight.every((w) => w > 0)).toBe(true);
  for (let degree = 0; degree < 12; degree++) {
    const sum = (at: Float64Array, w: Float64Array): number =>
      at.reduce((total, t, k) => total + w[k]! * t ** degree, 0);
    expect(sum(rule.node, rule.weight)).toBeCloseTo(sum(x, weight), 11);
  }
  const twelfth = (at: Float64Array, w: Float64Array): number =>
    at.reduce((total, t, k) => total + w[k]! * t ** 12, 0);
  expect(twelfth(rule.node, rule.weight)).not.toBeCloseTo(twelfth(x, weight), 11);
  expect(discreteGauss(x.subarray(0, 6), weight.subarray(0, 6), 6)).toBeUndefined();
});
