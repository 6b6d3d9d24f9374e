import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FewSteps, functionalsOf } from '../../../src/methods/contour/split/few-steps.js';
import { logAccepted, stepsOf } from '../../../src/methods/contour/split/functionals.js';
import { StepsTable } from '../../../src/methods/contour/split/steps-table.js';
import { intersects } from '../../helpers/brackets.js';
import { seeded } from '../../helpers/random.js';
import { linesOf, rareGoldens } from '../../helpers/rare-losses.js';
import { reference, runOf, wasm } from '../../helpers/runs.js';

/** By test/golden/make-two-steps.py, from likelihood ratios in 45 digits. */
interface Golden {
  readonly phases: readonly (readonly [number, number])[];
  readonly direction: 'remove' | 'add';
  readonly t: number;
  /** Logarithms of δ, FPR and TPR. */
  readonly logs: readonly string[];
  readonly relativeErrors: readonly number[];
}

const url = new URL('../../golden/two-steps.json', import.meta.url);
const goldens = JSON.parse(readFileSync(url, 'utf8')) as Golden[];

function sourceOf(phases: Golden['phases'], direction: Golden['direction']): FewSteps {
  const sampled = phases.map(([sigma, rate]) => ({ mu: 1 / sigma, rate, count: 1 }));
  return FewSteps.both(wasm.kernel, { sampled, others: [], mirrored: direction === 'add' })[0];
}

test.each(goldens)('$phases $direction at $t', ({ phases, direction, t, logs, relativeErrors }) => {
  const source = sourceOf(phases, direction);
  const rates = source.test(t);
  [source.delta(t), rates?.falsePositive, rates?.power].forEach((bracket, i) => {
    const exact = Number(logs[i]);
    const slack = relativeErrors[i] + 4e-16 * Math.abs(exact);
    expect(bracket!.lower).toBeLessThanOrEqual(exact + slack);
    expect(bracket!.upper).toBeGreaterThanOrEqual(exact - slack);
    expect(bracket!.upper - bracket!.lower).toBeLessThan(1e-10);
  });
});

test.each(rareGoldens.filter(({ steps }) => steps <= 4))(
  'rare losses, whose sums may be far higher on one side: sigma $noiseMultiplier, q $samplingRate, $steps steps at $x',
  ({ noiseMultiplier, samplingRate, steps, x, values, relativeErrors }) => {
    const { lower, upper } = runOf([[noiseMultiplier, samplingRate, steps]]).directions[0].logDelta(x);
    const exact = Math.log(Number(values[0]));
    const slack = relativeErrors[0] + 4e-16 * (1 + Math.abs(exact));
    expect(lower).toBeLessThanOrEqual(exact + slack);
    expect(upper).toBeGreaterThanOrEqual(exact - slack);
  },
);

test('contours agree, in both directions, two to four steps, alike or not, deep tails among them', () => {
  const random = seeded(11);
  let compared = 0;
  for (let i = 0; i < 6; i++) {
    const phases = Array.from({ length: 2 + (i % 3) }, (): [number, number] => [
      Number((0.7 * 4 ** random()).toPrecision(3)),
      Number((0.005 * 60 ** random()).toPrecision(3)),
    ]);
    // unlike steps, and like ones
    const steps = i < 3 ? phases : phases.map(() => phases[0]);
    const rate = steps.reduce((sum, [, q]) => sum + q, 0) / 2;
    for (const direction of ['remove', 'add'] as const) {
      const source = sourceOf(steps, direction);
      const lines = linesOf(
        steps.map(([sigma, q]) => [sigma, q, 1]),
        direction === 'add',
      );
      for (const x of [0, 0.4 * rate, direction === 'add' ? 1.2 * rate : 3]) {
        const [delta, tests] = [source.delta(x), source.test(x)];
        if (delta === undefined || tests === undefined) {
          // tables end somewhere, and lines are asked there
          expect(steps.length).toBeGreaterThan(2);
          expect(lines.bound(x, 1e-6)).toBeLessThan(-40);
          continue;
        }
        const here = [delta, tests.falsePositive, tests.power];
        for (const { lower, upper } of here)
          if (steps.length === 2 || upper > -32) expect(upper - lower).toBeLessThan(1e-8);
        const rates = lines.test(x, 1e-6);
        [lines.delta(x, 1e-6), rates?.falsePositive, rates?.power].forEach((there, which) => {
          // blurred tests have a threshold of their own near x
          if (there === undefined || (which > 0 && rates!.blur > 0)) return;
          expect(intersects(here[which], there)).toBe(true);
          compared += Number(there.upper - there.lower < 1e-3);
        });
      }
    }
  }
  expect(compared).toBeGreaterThan(60);
});

test.each([
  [9, 0.45, 0.1],
  [12, 0.6, 0.05],
])('contours agree with tables of %d like steps of little noise', (count, sigma, q) => {
  let compared = 0;
  for (const direction of ['remove', 'add'] as const) {
    const source = sourceOf(
      Array.from({ length: count }, () => [sigma, q] as const),
      direction,
    );
    const lines = linesOf([[sigma, q, count]], direction === 'add');
    for (const x of [0, 0.3 * count * q, 2]) {
      const [here, there] = [source.delta(x), lines.delta(x, 1e-9)];
      if (here === undefined || there === undefined) continue;
      // a table's errors are at most three times those of the one before
      expect(here.upper - here.lower).toBeLessThan(here.upper > -32 ? 1e-6 : 1);
      expect(intersects(here, there)).toBe(true);
      compared += Number(there.upper - there.lower < 1e-6);
    }
  }
  expect(compared).toBeGreaterThan(3);
});

interface Complex {
  readonly re: number;
  readonly im: number;
}

/** D, R, G and J of `count` like steps at K = a(1 + ρe^{iα}), by equal steps along the path on which B has the argument α. */
function functionalsAt(mu: number, q: number, count: number, rho: number, alpha: number): Complex[] {
  const a = 1 - q;
  const sums = [0, 1, 2, 3].map(() => ({ re: 0, im: 0 }));
  const k = { re: a ** count * (1 + rho * Math.cos(alpha)), im: a ** count * rho * Math.sin(alpha) };
  const h = count === 1 ? 1 / 64 : 1 / 12;
  const end = Math.log((a * rho) / q) / mu + mu / 2;
  for (let x = end - h * Math.ceil((end + 9) / h) + h / 2; x < 9 + mu; x += h) {
    const b = q * Math.exp(mu * x - (mu * mu) / 2);
    const u = { re: a + b * Math.cos(alpha), im: b * Math.sin(alpha) };
    const size = (h / Math.sqrt(2 * Math.PI)) * Math.exp((alpha * alpha) / (2 * mu * mu) - (x * x) / 2);
    const turn = (-x * alpha) / mu;
    const weight = { re: size * Math.cos(turn), im: size * Math.sin(turn) };
    const under = b < a * rho;
    const inner = under
      ? count === 1
        ? innermost(k, u)
        : functionalsAt(
            mu,
            q,
            count - 1,
            (a * rho - b) / Math.hypot(u.re, u.im),
            alpha - Math.atan2(u.im, u.re),
          )
      : beyond(k, u);
    inner.forEach((value, i) => {
      const scaled = i === 1 ? value : times(u, value);
      const term = times(weight, under || i < 2 ? scaled : { re: 0, im: 0 });
      sums[i].re += term.re;
      sums[i].im += term.im;
    });
  }
  return sums;
}

const times = (a: Complex, b: Complex): Complex => ({
  re: a.re * b.re - a.im * b.im,
  im: a.re * b.im + a.im * b.re,
});

/** K/u. */
function quotient(k: Complex, u: Complex): Complex {
  const square = u.re * u.re + u.im * u.im;
  return times(k, { re: u.re / square, im: -u.im / square });
}

/** No step left: U = 1 < K. */
function innermost(k: Complex, u: Complex): Complex[] {
  const { re, im } = quotient(k, u);
  return [
    { re: 0, im: 0 },
    { re: 0, im: 0 },
    { re: re - 1, im },
    { re: 1, im: 0 },
  ];
}

/** Beyond the end: D = 1 − K/u, R = 1. */
function beyond(k: Complex, u: Complex): Complex[] {
  const { re, im } = quotient(k, u);
  return [
    { re: 1 - re, im: -im },
    { re: 1, im: 0 },
    { re: 0, im: 0 },
    { re: 0, im: 0 },
  ];
}

test('off the axis functionals of one and of two steps are within their bounds, and no bound far from them serves', () => {
  const random = seeded(5);
  let closest = 0;
  for (let i = 0; i < 32; i++) {
    const count = 1 + (i % 2);
    const mu = 0.4 + 1.6 * random();
    const q = 0.01 + 0.5 * random();
    const rho = (q / (1 - q)) * Math.exp(3 * (random() - 0.3));
    const alpha = (i % 4 < 2 ? 0.3 : 1.6) * random();
    const spread = count / (mu * mu);
    const off = functionalsAt(mu, q, count, rho, alpha);
    const falling = functionalsAt(mu, q, count, rho, 0);
    const rising = functionalsAt(mu, q, count, rho * Math.cos(alpha / 2) ** (1 - count), 0);
    off.forEach(({ re, im }, which) => {
      const most = Math.exp((spread * alpha * alpha) / 2) * (which < 2 ? falling : rising)[which].re;
      expect(Math.hypot(re, im)).toBeLessThanOrEqual(most * (1 + 1e-2) + 1e-6);
      if (alpha < 0.3) closest = Math.max(closest, Math.hypot(re, im) / most);
    });
    // it is the continuation: the mean over a circle is the value in its middle
    if (i >= 2) continue;
    const middle = functionalsAt(mu, q, count, rho, 0);
    const mean = [0, 0, 0, 0];
    for (let j = 0; j < 16; j++) {
      const angle = (Math.PI * (j + 0.5)) / 8;
      const [re, im] = [1 + 0.3 * Math.cos(angle), 0.3 * Math.sin(angle)];
      const around = functionalsAt(mu, q, count, rho * Math.hypot(re, im), Math.atan2(im, re));
      for (const which of [0, 1, 2, 3]) mean[which] += around[which].re / 16;
    }
    for (const which of [0, 1, 2, 3]) expect(Math.abs(mean[which] - middle[which].re)).toBeLessThan(2e-3);
  }
  expect(closest).toBeGreaterThan(0.9);
});

test.each([
  [0.481, 0.000894],
  [2.97, 0.0105],
])('tables hold what they interpolate, within what they state: sigma %d, rate %d', (sigma, rate) => {
  const random = seeded(3);
  const source = functionalsOf(
    wasm.kernel,
    [1, 2, 3].map(() => ({ mu: 1 / sigma, rate, count: 1 })),
  );
  const table = new StepsTable(source);
  const { missing, spread } = source.steps;
  for (let i = 0; i < 60; i++) {
    const falling = i % 2 === 0;
    // every third on the other side of K = 1, where falling functionals are what rising ones leave
    const side = (falling ? 6 : -3) * (i % 3 === 0 ? -0.5 : 1);
    const zeta = Math.log(missing) + (side * random()) / Math.sqrt(spread);
    const [there, here] = [source, table].map((one) => one.at(Float64Array.of(zeta), falling)!);
    for (const which of [0, 1]) {
      const [own, known] = [here![which]!.at(0), there![which]!.at(0)];
      expect(Math.abs(own.log - known.log)).toBeLessThanOrEqual(1.1 * (own.error + known.error) + 1e-14);
      expect(own.error).toBeLessThan(1e-9);
    }
  }
});

// ∏ Φ of the steps' own thresholds, by a continued fraction to 50 digits
test.each([
  {
    phases: [
      [2, 0.5],
      [2, 0.001],
    ],
    zeta: -3,
    exact: -0.8232188262535291549937,
  },
  {
    phases: [
      [36.6, 0.12],
      [0.000115, 0.95],
    ],
    zeta: -0.26,
    exact: -247285.1721644220391574,
  },
  {
    phases: [
      [3.5e-5, 0.99],
      [0.003, 0.0009],
    ],
    zeta: -0.04,
    exact: -344440.0514616273382382,
  },
  {
    phases: [
      [1.06e-6, 0.855],
      [1.05, 0.098],
    ],
    zeta: -669.4,
    exact: -199247336474162191.5688,
  },
])('the chance to be accepted is from above, however small: $phases at $zeta', ({ phases, zeta, exact }) => {
  const found = logAccepted(stepsOf(phases.map(([mu, rate]) => ({ mu, rate, count: 1 }))), zeta);
  expect(found).toBeGreaterThanOrEqual(exact);
  expect(found).toBeLessThan(exact + 2e-9 + 1e-12 * Math.abs(exact));
});

test('three steps: the same bits in any order of questions, in both engines', () => {
  const sampled = [{ mu: 1 / 0.62, rate: 4.85e-4, count: 3 }];
  const xs = [0.02, 0.5, 1.5];
  const [a, b] = [wasm, reference].map(
    ({ kernel }) => FewSteps.both(kernel, { sampled, others: [], mirrored: false })[0],
  );
  const there = [...xs].reverse().map((x) => [b!.delta(x), b!.test(x)]);
  expect(xs.map((x) => [a!.delta(x), a!.test(x)])).toEqual(there.reverse());
});

test('an account of two steps is as narrow as roundings, the same in both engines', () => {
  for (const [sigma, rate] of [
    [5.74, 0.000136],
    [0.453, 0.0296],
  ] as const) {
    const [a, b] = [wasm, reference].map((engine) => runOf([[sigma, rate, 2]], { engine }));
    expect(a.method).toBe('spectral');
    expect(a.epsilon(1e-7)).toEqual(b.epsilon(1e-7));
    const { lower, upper } = a.epsilon(1e-7);
    expect(upper - lower).toBeLessThanOrEqual(1e-9 * upper);
  }
});

test('three loud steps are sharp at the usual effort, far from where saddles guess', () => {
  const run = runOf([[0.1, 0.3, 3]], { engine: wasm });
  const { lower, upper } = run.epsilon(1e-5);
  expect(run.limitedBy).not.toBe('effort');
  expect(upper - lower).toBeLessThan(1e-6 * upper);
});
