/** Lines so poor that each term of their budgets is the largest in turn: what is lost then is no more than what is charged. */
import { describe, expect, test } from 'vitest';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { Contour } from '../../../src/methods/contour/line/contour.js';
import { type CountedSpectrum, RealAxis, Saddle } from '../../../src/methods/contour/line/contour-plan.js';
import type { Functional } from '../../../src/methods/contour/line/line-table.js';
import { charged } from '../../../src/methods/contour/line/lines.js';
import { sumsBeyond, truncationOf } from '../../../src/methods/contour/line/truncation.js';
import { gaussianSpectrum } from '../../../src/methods/contour/step/gaussian-spectrum.js';
import { subsampledGaussianSpectrum } from '../../../src/methods/contour/step/kernel-law.js';
import { NO_DECAY, type SpectralLaw } from '../../../src/methods/contour/step/spectral-law.js';
import { exp, expm1, log, normalCdf } from '../../../src/numeric/scalar.js';
import { type Doubt, doubtful } from '../../helpers/doubtful-law.js';
import { kernels } from '../../helpers/kernels.js';
import { seeded } from '../../helpers/random.js';
import { sampled } from '../../helpers/wide-runs.js';

/** A line as a plan would never lay it. */
interface Starved {
  /** Re z on the line, and the points of the real axis that bound the aliases on either side. */
  readonly c: number;
  readonly above: number;
  readonly below: number;
  /** What losses repeat after. */
  readonly period: number;
  /** The frequency it ends at. */
  readonly end: number;
  /** Width of the window from which tests draw their thresholds. */
  readonly window?: number;
}

function lineOf(kernel: Kernel, laws: readonly CountedSpectrum[], starved: Starved): Contour {
  const { c, period, end, window = 0 } = starved;
  const axis = new RealAxis(laws);
  const dTau = (2 * Math.PI) / period;
  const { from, first, second } = truncationOf(kernel, laws, c, dTau, {
    start: end,
    depth: 60,
    wanted: { first: 0, second: 0 },
    sharp: false,
  });
  const layout = { dTau, n: Math.ceil(from[0]! / dTau) + 1, first: first[0]!, second: second[0]! };
  const mostAt = (at: number): number => axis.at(at).value + axis.at(at).error;
  const spacing = {
    period,
    above: { c: starved.above, logM: mostAt(starved.above) },
    below: { c: starved.below, logM: mostAt(starved.below) },
  };
  const line = Contour.on(
    kernel,
    laws,
    axis,
    { saddle: new Saddle({ c, guess: axis.near(c) }), logLevel: Math.log(1e-6), ends: [] },
    { ...layout, spacing, window },
  );
  if (line === undefined) throw new Error('no line');
  return line;
}

type Exact = Readonly<Record<Functional, (x: number) => number>>;

/** The mean of Φ over [z − h, z + h], or Φ(z) for h = 0. */
function meanOfCdf(z: number, h: number): number {
  const whole = (x: number) => x * normalCdf(x) + exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  return h === 0 ? normalCdf(z) : (whole(z + h) - whole(z - h)) / (2 * h);
}

/** μ-GDP: δ, TPR and FPR at loss x, thresholds drawn from a window of this width. */
const gaussian = (mu: number, window: number): Exact => ({
  delta: (x) => normalCdf(mu / 2 - x / mu) - exp(x) * normalCdf(-mu / 2 - x / mu),
  power: (x) => meanOfCdf(mu / 2 - x / mu, window / (2 * mu)),
  falsePositive: (x) => meanOfCdf(-mu / 2 - x / mu, window / (2 * mu)),
});

/** All of P at one finite loss, and e^loss of Q: |M| does not fall, and what bounds it is attained. */
const atom = (loss: number): SpectralLaw => ({
  logMassP: 0,
  logMassQ: loss,
  cumulant: (c, count) => ({ value: c * count * loss, error: 0, mean: count * loss, variance: 0 }),
  line: (_kernel, { dTau, n }, count) => ({
    logModulus: new Float64Array(n),
    phase: Float64Array.from({ length: n }, (_, k) => k * dTau * count * loss),
    error: new Float64Array(n),
    quadrature: new Float64Array(n),
  }),
  decay: () => NO_DECAY,
});

const atAtom = (loss: number, window: number): Exact => {
  const share = (x: number) =>
    window === 0 ? Number(x < loss) : Math.min(1, Math.max(0, 0.5 + (loss - x) / window));
  return {
    delta: (x) => Math.max(0, -exp(loss) * expm1(x - loss)),
    power: (x) => exp(loss) * share(x),
    falsePositive: share,
  };
};

const FUNCTIONALS: readonly Functional[] = ['delta', 'power', 'falsePositive'];

function contains(
  line: Contour,
  exact: Exact,
  [from, to]: readonly [number, number],
  functionals = FUNCTIONALS,
): void {
  for (const functional of functionals) {
    for (let i = 0; i <= 60; i++) {
      const x = from + ((to - from) * i) / 60;
      const value = log(exact[functional](x));
      const { lower, upper } = line.answer(functional, x);
      expect(lower, `${functional} at ${x}`).toBeLessThanOrEqual(value + 1e-11);
      expect(upper, `${functional} at ${x}`).toBeGreaterThanOrEqual(value - 1e-11);
    }
  }
}

const GENEROUS = { period: 60, end: 60, above: 6, below: 0.5 };
/** Where a line may lie and its aliases be bounded, on every side of both poles. */
const POINTS = [
  { c: 2, above: 4, below: 1.2 },
  { c: 2, above: 2.5, below: 0.5 },
  { c: 1.5, above: 3, below: -1 },
  { c: 0.5, above: 0.8, below: 0.2 },
  { c: 0.5, above: 2, below: 0.2 },
  { c: 0.5, above: 0.9, below: -1.5 },
  { c: 0.4, above: 2.5, below: -1 },
];
const PERIODS = [1.5, 2.5, 4, 6].flatMap((period) =>
  POINTS.map((points): Starved => ({ ...GENEROUS, ...points, period })),
);
const ENDS = [0.3, 0.7, 1.5, 2.5].flatMap((end) =>
  [
    { c: 2, above: 6, below: 0.5 },
    { c: 0.5, above: 0.9, below: 0.1 },
    { c: 4, above: 9, below: 1.5, window: 0.8 },
    { c: 1.5, above: 6, below: 0.5, window: 2 },
    { c: 0.5, above: 0.9, below: 0.1, window: 1 },
  ].map((points): Starved => ({ ...GENEROUS, ...points, end })),
);

describe.each(kernels)('$name', (kernel) => {
  const whole = (mu: number): CountedSpectrum[] => [{ law: gaussianSpectrum(mu / 2), count: 4 }];

  test.each(PERIODS)(
    'aliases of a Gaussian: period $period, line at $c between $below and $above',
    (starved) => {
      contains(lineOf(kernel, whole(1), starved), gaussian(1, 0), [-2, 4]);
      const window = 0.7;
      contains(lineOf(kernel, whole(1), { ...starved, window }), gaussian(1, window), [-2, 4]);
    },
  );

  test.each(PERIODS)(
    'aliases of one loss, which attain their bounds: period $period, line at $c between $below and $above',
    (starved) => {
      for (const loss of [0, -0.4]) {
        const laws = [{ law: atom(loss), count: 1 }];
        for (const window of [0.9, 3])
          contains(lineOf(kernel, laws, { ...starved, end: 600, window }), atAtom(loss, window), [-4, 5]);
      }
    },
  );

  test.each(ENDS)('the end of a line: $end, line at $c, window $window', (starved) => {
    contains(lineOf(kernel, whole(1), starved), gaussian(1, starved.window ?? 0), [-2, 4]);
    const rates = starved.window === undefined ? (['delta'] as const) : FUNCTIONALS;
    const laws = [{ law: atom(0), count: 1 }];
    contains(
      lineOf(kernel, laws, { ...starved, end: 4 * starved.end }),
      atAtom(0, starved.window ?? 0),
      [-3, 3],
      rates,
    );
  });

  test.each<Doubt>([
    { error: 0.02 },
    { error: -0.02 },
    { quadrature: 0.02 },
    { quadrature: -0.02 },
    { error: 0.6 },
    { axis: 0.3 },
    { axis: -0.3 },
    { unknown: 0.5 },
    { unknown: 1.5 },
    { unknown: 1, quadrature: 0.01 },
  ])('nodes that are as wrong as they say: %j', (doubt) => {
    for (const points of POINTS) {
      const laws = [{ law: doubtful(gaussianSpectrum(1), doubt), count: 1 }];
      contains(lineOf(kernel, laws, { ...GENEROUS, ...points }), gaussian(1, 0), [-2, 4]);
    }
  });

  test.each([-1, -3, -6])('what a cut takes, e^%d of a step', (logMass) => {
    // one sampled step: δ, TPR and FPR are sums of two normal tails at the output of loss x
    const [q, exact] = [0.2, sampled(0.2, 'remove')];
    const whole = subsampledGaussianSpectrum(kernel, 1, q);
    const { law, logLostP, logLostQ } = whole.cut!(kernel, logMass, 40)!;
    for (const points of POINTS.filter(({ c }) => c > 1)) {
      const line = lineOf(kernel, [{ law, count: 1 }], { ...GENEROUS, ...points, below: -1, end: 200 });
      for (const x of [0.05, 0.2, 0.5, 0.9, 1.4]) {
        const delta = charged(line.answer('delta', x), logLostQ);
        expect(delta.lower).toBeLessThanOrEqual(log(exact.delta(x)) + 1e-11);
        expect(delta.upper).toBeGreaterThanOrEqual(log(exact.delta(x)) - 1e-11);
        const [fpr, tpr] = exact.rates(x);
        expect(charged(line.answer('power', x), logLostQ).upper).toBeGreaterThanOrEqual(log(tpr) - 1e-11);
        expect(charged(line.answer('falsePositive', x), logLostP).upper).toBeGreaterThanOrEqual(
          log(fpr) - 1e-11,
        );
      }
    }
  });

  test('what a cut takes, however small a share it is', () => {
    const none = { aliasing: 0, truncation: 0, quadrature: 0, roundOff: 0, smoothing: 0, nodes: 1 };
    for (const share of [0.1, 1e-3, 2e-7, 5e-8, 1e-10, 1e-13]) {
      const { upper } = charged({ lower: -2, upper: -2, budget: none }, log(share) - 2);
      expect(upper + 2).toBeGreaterThanOrEqual(Math.log1p(share));
      expect(upper + 2).toBeLessThan(Math.log1p(share) * (1 + 1e-7) + 1e-14);
    }
  });

  test('round-off, far from where a line is meant to serve', () => {
    for (const points of POINTS)
      contains(lineOf(kernel, whole(1), { ...GENEROUS, ...points }), gaussian(1, 0), [-14, 14]);
    for (const c of [20, 22, 25, 27, 30]) {
      const points = { c, above: 60, below: 5 };
      contains(lineOf(kernel, whole(1), { ...GENEROUS, ...points }), gaussian(1, 0), [-6, 12]);
    }
  });
});

test('what lies beyond the end of a line is no more than segments say, where |phi| is all that they allow', () => {
  const random = seeded(28);
  for (let i = 0; i < 200; i++) {
    const dTau = 0.1 + 2 * random();
    const from = [dTau * Math.ceil(1 + 3 * random())];
    while (from.length < 2 + 6 * random()) from.push(from[from.length - 1]! * (1.05 + random()));
    const logs = from.slice(1).map(() => -3 * random());
    const far = { log: -2 * random(), power: 1 + 3 * random() };
    const last = from[from.length - 1]!;
    const at = (tau: number): number => {
      const segment = from.findLastIndex((start) => start <= tau * (1 + 1e-12));
      return segment < logs.length ? exp(logs[segment]!) : exp(far.log) * (tau / last) ** -far.power;
    };
    const { first, second } = sumsBeyond(from, logs, far, dTau);
    let sums = [0, 0];
    for (let k = 3000; k * dTau >= from[0]! * (1 - 1e-12); k--) {
      const tau = k * dTau;
      sums = sums.map((sum, r) => sum + (dTau / Math.PI) * at(tau) * tau ** -(r + 1));
    }
    expect(sums[0]).toBeLessThanOrEqual(first[0]!);
    expect(sums[1]).toBeLessThanOrEqual(second[0]!);
  }
});
