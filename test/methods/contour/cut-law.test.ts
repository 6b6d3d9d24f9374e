import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { logMassLeft, sampledWindow } from '../../../assembly/law/window.js';
import { sampledRun, sideOf } from '../../helpers/contours.js';
import { meshOf } from '../../helpers/outputs.js';
import { seeded } from '../../helpers/random.js';
import { cutLaw, lineOf, roomy } from '../../helpers/run-laws.js';
import { runOf, wasm } from '../../helpers/runs.js';
import { EVERYTHING, logMOf } from '../../helpers/windowed.js';

interface StepGolden {
  readonly sigma: number;
  readonly q: number;
  readonly cut: number | null;
  readonly width: number | null;
  readonly c: number;
  readonly logM: string;
  /** τ, Re φ, Im φ. */
  readonly line: readonly (readonly [number, string, string])[];
  /** log of what the window takes of P and of Q. */
  readonly lost?: readonly [string, string];
}

const goldens = JSON.parse(
  readFileSync(new URL('../../golden/cut-gaussian.json', import.meta.url), 'utf8'),
) as StepGolden[];

describe.each(goldens)('sigma $sigma, q $q, cut at $cut, width $width, tilt $c', (golden) => {
  const { sigma, q, cut, width, c } = golden;
  const step = { mu: 1 / sigma, q };
  const window = [cut ?? Infinity, width ?? Infinity] as const;

  test('log M to digits of its own', () => {
    const exact = Number(golden.logM);
    const { log: value, error } = logMOf(step, window, c);
    // the golden as a double is half an ulp off
    expect(Math.abs(value - exact)).toBeLessThanOrEqual(error + 2 ** -53 * Math.abs(exact));
    expect(error).toBeLessThan(1e-13 * (1 + Math.abs(exact)));
    // of M − 1 where nothing is lost
    if (cut === null) expect(error).toBeLessThan(2e-13 * Math.abs(exact) + 1e-22);
    const guess = logMOf(step, window, c, 0).log;
    if (guess < Infinity) expect(Math.abs(guess - exact)).toBeLessThan(1e-4 * Math.abs(exact) + 1e-9);
    else expect(cut).not.toBeNull();
  });

  test.each(golden.line)('phi at %d, on the axis and off it', (tau, re, im) => {
    const exact = [Number(re), Number(im)] as const;
    // beyond 2^10 nodes lines are summed off the axis
    for (const n of [2, 1025]) {
      roomy();
      const law = cutLaw({ ...step, cut: window[0], width: window[1] }, 42);
      const { log, phase, rounding, quadrature } = lineOf(law, c, tau / (n - 1), n)[n - 1]!;
      const modulus = Math.exp(log);
      expect((rounding + quadrature) * Math.hypot(...exact)).toBeLessThan(2e-8);
      const doubt = (rounding + quadrature) * 1.01 + 4e-16;
      const off = Math.hypot(modulus * Math.cos(phase) - exact[0], modulus * Math.sin(phase) - exact[1]);
      expect(off).toBeLessThanOrEqual(Math.hypot(...exact) * doubt);
    }
  });
});

const cuts = goldens.filter(({ lost }) => lost !== undefined);

test.each(cuts)(
  'sigma $sigma, q $q: what a cut near $cut takes',
  ({ sigma, q, cut, width, c, logM, lost }) => {
    const [exactP, exactQ] = lost!.map(Number) as [number, number];
    const mu = 1 / sigma;
    const found = sampledWindow(mu, q, cut!, width!, -Infinity);
    for (const [said, exact] of [
      [found.logLostP, exactP],
      [found.logLostQ, exactQ],
    ] as const) {
      expect(said).toBeGreaterThanOrEqual(exact);
      expect(said - exact).toBeLessThan(1e-9);
      const left = logMassLeft(said);
      expect(left).toBeLessThanOrEqual(Math.log1p(-Math.exp(exact)));
      expect(left).toBeGreaterThan(Math.log1p(-Math.exp(exact)) - 1e-9 * Math.exp(exact) - 2e-16);
    }
    roomy();
    const { value, error } = cutLaw({ mu, q, cut: cut!, width: width! }, 42).cumulant(c);
    expect(Math.abs(value - Number(logM))).toBeLessThanOrEqual(error + 2 ** -53 * Math.abs(Number(logM)));
  },
);

/** M(c) − 1 at whole c: Σ over k of the binomial of rate q, times e^{k(k − 1)μ²/2} − 1. */
function wholeRise(mu: number, q: number, c: number): number {
  let [logWeight, sum] = [c * Math.log1p(-q), 0];
  for (let k = 1; k <= c; k++) {
    logWeight += Math.log((c - k + 1) / k) + Math.log(q) - Math.log1p(-q);
    sum += Math.exp(logWeight) * Math.expm1((k * (k - 1) * mu * mu) / 2);
  }
  return sum;
}

test('log M of the whole law at whole tilts is a sum of binomials', () => {
  const random = seeded(11);
  for (let i = 0; i < 120; i++) {
    const mu = 0.02 * 100 ** random();
    const q = 1e-8 * 9.5e7 ** random();
    const c = Math.ceil(1 + 39 * random() ** 2);
    if (c * c * mu * mu > 1000) continue;
    const exact = Math.log1p(wholeRise(mu, q, c));
    const { log: value, error } = logMOf({ mu, q }, [Infinity, Infinity], c);
    const what = `${mu} ${q} ${c}: ${value} ± ${error}, not ${exact}`;
    // binomials and their weights err by some hundred ulps
    expect(Math.abs(value - exact), what).toBeLessThanOrEqual(error + 1e-12 * exact);
    // where no term of the sum is too large for M − 1 by itself
    if (c <= 8) expect(error, what).toBeLessThan(2e-11 * exact + 1e-18);
    else expect(error, what).toBeLessThan(2e-11 * (1 + exact));
  }
});

test('log M of cut and whole laws at tilts of either sign', () => {
  const random = seeded(12);
  let known = 0;
  for (let i = 0; i < 150; i++) {
    const mu = 0.02 * 150 ** random();
    const q = 1e-8 * 9.5e7 ** random();
    const width = 0.5 / 2 ** Math.floor(3 * random());
    const cut = i % 3 === 0 ? Infinity : Math.ceil(4 * (2 + 8 * random())) / 4;
    const window = cut === Infinity ? EVERYTHING : sampledWindow(mu, q, cut, width, -Infinity);
    let c = i % 2 === 0 ? -(1e5 ** random()) : 0.1 * 1e5 ** random();
    if (cut < Infinity) {
      // about the largest at which M is known
      const { to, end = Infinity } = window;
      const loss = (x: number): number => Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
      const [low, away] = [end - 3 * width, (end - 3 * width - to) / width];
      const largest = ((low * low - to * to + away * away) / 2 - 16) / (loss(end + 0.5) - loss(to));
      if (c > largest) c = largest * random();
    }
    if (Math.abs(c * mu) > 150) c /= Math.abs(c * mu) / 150;
    const exact = meshOf({ mu, q, c, window }).log;
    const { log: value, error } = logMOf({ mu, q }, cut === Infinity ? [cut, cut] : [cut, width], c);
    const what = JSON.stringify({ mu, q, c, window, value, error, exact });
    if (!(error < Infinity)) continue;
    known++;
    expect(Math.abs(value - exact), what).toBeLessThanOrEqual(error + 1e-11 + 1e-13 * Math.abs(exact));
    if (Math.abs(c) < 100) expect(error, what).toBeLessThan(1e-11);
  }
  expect(known).toBeGreaterThan(140);
});

/** δ of the cut run is no larger than δ, and δ no larger than it and what the cut may have. */
test('brackets from cuts far apart intersect, whatever the widths asked for', () => {
  const random = seeded(23);
  const between = (a: number, b: number): number => a * (b / a) ** random();
  for (let i = 0; i < 12; i++) {
    const phase = [between(0.6, 6), between(1e-4, 0.1), Math.round(between(100, 1e4))] as const;
    for (const mirrored of [false, true]) {
      const side = sideOf(wasm.kernel, sampledRun([phase]), mirrored ? 1 : 0);
      const x = Math.max(0, side.guess(-3 - 15 * random()));
      // levels differ, and with them the cut and the tilt
      const answers = [1e-2, 1e-4, 1e-6, 1e-9].map((width) => side.delta(x, width));
      const what = `${JSON.stringify(phase)} ${mirrored} at ${x}: ${JSON.stringify(answers)}`;
      const lower = Math.max(...answers.map((answer) => answer.lower));
      const upper = Math.min(...answers.map((answer) => answer.upper));
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
