/** A step that draws one of several branches and publishes which, as a law of the kernel: against integrals over outputs of its branches. */
import { describe, expect, test } from 'vitest';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { Blend } from '../../assembly/law/blend.js';
import { Exchanged } from '../../assembly/law/law.js';
import { PhaseStep, Truncation } from '../../assembly/law/phase-step.js';
import type { Window } from '../../assembly/law/window.js';
import { BLEND, MIXTURE } from '../../src/kernel/constants.js';
import type { KernelStep, SampledRun } from '../../src/kernel/questions.js';
import type { Side } from '../../src/law/mixture-side.js';
import { mixtureStep } from '../../src/methods/contour/kernel-step.js';
import { deltaGdp, normalCdf } from '../../src/numeric/scalar.js';
import { lineOf, roomy } from '../helpers/run-laws.js';
import { reference, wasm } from '../helpers/runs.js';

/** A branch: a Gaussian at a rate, or a mixture on either side; and how probable it is. */
type Branch = { readonly weight: number } & (
  | { readonly mu: number; readonly rate: number }
  | { readonly plus: Side; readonly minus: Side }
);

const side = (shift: number[], weight: number[]): Side => ({
  shift: Float64Array.from(shift),
  weight: Float64Array.from(weight),
});

const replaced = side([0, 0.7], [0.9, 0.1]);
const BRANCHES: { readonly [name: string]: readonly Branch[] } = {
  'two samples': [
    { weight: 0.2, mu: 1, rate: 0.6 },
    { weight: 0.8, mu: 1, rate: 0.03 },
  ],
  'a rare sample, and one of all': [
    { weight: 1e-4, mu: 0.8, rate: 1 },
    { weight: 0.7, mu: 0.8, rate: 0.1 },
    { weight: 0.2999, mu: 0.8, rate: 0.025 },
  ],
  'a replaced record': [
    { weight: 0.4, plus: replaced, minus: replaced },
    { weight: 0.6, plus: side([0, 0.5], [0.5, 0.5]), minus: side([0], [1]) },
  ],
};

/** The numbers that the kernel reads. */
function stepOf(branches: readonly Branch[], relative = 1e-15): KernelStep {
  const heads = [branches.length, relative];
  const sides: number[] = [];
  for (const branch of branches) {
    if ('mu' in branch) {
      heads.push(branch.weight, branch.mu, branch.rate);
      continue;
    }
    heads.push(branch.weight, MIXTURE, 2 + 3 * branches.length + sides.length);
    sides.push(...mixtureStep(branch.plus, branch.minus).own!);
  }
  return { mu: BLEND, rate: 0, own: Float64Array.of(...heads, ...sides) };
}

/** The law in JavaScript, whole or with a mass of about e^{logMass} beyond each window; and the windows. */
function lawOf(branches: readonly Branch[], { logMass = NaN, depth = 42, count = 1, relative = 1e-15 } = {}) {
  roomy();
  const numbers = stepOf(branches, relative).own!;
  const at = take(numbers.length);
  for (const [i, x] of numbers.entries()) storeF64(at + 8 * i, x);
  const truncation = new Truncation(logMass, Number.isNaN(logMass) ? Infinity : 0.5);
  const windows = branches.map((branch, i): Window | undefined => {
    if ('mu' in branch && branch.rate === 1) return undefined;
    const [mu, rate] = [numbers[3 + 3 * i]!, numbers[4 + 3 * i]!];
    return truncation.windowOf(new PhaseStep(mu, rate, at + 8 * rate));
  });
  return { law: new Blend(at, truncation, depth, count), windows };
}

const ratio = ({ shift, weight }: Side, x: number): number =>
  weight.reduce((sum, w, i) => sum + w * Math.exp(shift[i]! * (x - shift[i]! / 2)), 0);

/** The densities of P and Q at an output over that of N(0, 1). */
function densities(branch: Branch, x: number): readonly [p: number, q: number] {
  if (!('mu' in branch)) return [ratio(branch.minus, -x), ratio(branch.plus, x)];
  const { mu, rate } = branch;
  return [1, 1 + rate * Math.expm1(mu * (x - mu / 2))];
}

/** ∫ φ(x)f(x) dx by the trapezoidal rule. */
function integral(f: (x: number) => number, places = 64): number {
  let sum = 0;
  for (let k = -24 * places; k <= 24 * places; k++) sum += Math.exp(-((k / places) ** 2) / 2) * f(k / places);
  return sum / places / Math.sqrt(2 * Math.PI);
}

/** The fraction of an output that a window keeps. */
const kept = (window: Window | undefined, x: number): number =>
  window === undefined || window.isWhole ? 1 : x > window.end ? 0 : normalCdf((window.to - x) / window.width);

/** M(c + iτ) = Σ w ∫ P e^{zL}. */
function moment(
  branches: readonly Branch[],
  windows: readonly (Window | undefined)[],
  c: number,
  tau: number,
): [number, number] {
  const part = (of: (angle: number) => number): number =>
    branches.reduce(
      (sum, branch, i) =>
        sum +
        branch.weight *
          integral((x) => {
            const [p, q] = densities(branch, x);
            const loss = Math.log(q / p);
            return kept(windows[i], x) * p * Math.exp(c * loss) * of(tau * loss);
          }),
      0,
    );
  return [part(Math.cos), part(Math.sin)];
}

/** What is asserted of log φ at a node: it is as far from the integral as its errors say, at most. */
function expectNode(node: ReturnType<typeof lineOf>[number], exact: [number, number], count: number): void {
  const { log, phase, rounding, quadrature } = node;
  const size = count * Math.log(Math.hypot(...exact));
  if (rounding === Infinity) {
    expect(log).toBeGreaterThan(size - 1e-9);
    return;
  }
  const slack = rounding + quadrature + count * 1e-13;
  expect(Math.abs(log - size)).toBeLessThan(slack);
  const turned = phase - count * Math.atan2(exact[1], exact[0]);
  expect(Math.abs(turned - 2 * Math.PI * Math.round(turned / 2 / Math.PI))).toBeLessThan(slack);
}

describe.each(Object.entries(BRANCHES))('%s', (_name, branches) => {
  test.each([42, 12, 7, 5])(
    'a public choice in the kernel: log M and log φ of integrals good to e^-%d',
    (depth) => {
      for (const logMass of [NaN, -30])
        for (const c of [-0.7, 0.3, 1, 1.5, 6]) {
          const { law, windows } = lawOf(branches, { logMass, depth, count: 3 });
          const { value, error } = law.cumulant(c);
          if (depth === 42) expect(error).toBeLessThan(1e-11);
          if (!(error < Infinity)) continue;
          const whole = moment(branches, windows, c, 0)[0];
          expect(Math.abs(value - 3 * Math.log(whole))).toBeLessThan(error + 1e-13);
          const [line, mirrored] = [law, new Exchanged(law)].map((each, i) =>
            lineOf(each, i === 0 ? c : 1 - c, 0.25, 33),
          );
          for (const k of [1, 5, 12, 32]) {
            const [re, im] = moment(branches, windows, c, 0.25 * k);
            expectNode(line![k]!, [re / whole, im / whole], 3);
            expectNode(mirrored![k]!, [re / whole, -im / whole], 3);
          }
          // a light branch that is nearly constant is not lost
          if (depth === 42) expect(line![1]!.rounding).toBeLessThan(1e-10);
        }
    },
  );

  test('a public choice in the kernel: weights that are off by as much as they may be', () => {
    const off = 1e-6;
    for (const sign of [-1, 1]) {
      const raised = branches.map(({ weight }, i) => weight * (i === 0 ? 1 + sign * off : 1));
      const sum = raised.reduce((a, b) => a + b, 0);
      const true_ = branches.map((branch, i) => ({ ...branch, weight: raised[i]! / sum }));
      const most = Math.max(...true_.map(({ weight }, i) => Math.abs(weight / branches[i]!.weight - 1)));
      for (const c of [-3, 0.4, 2, 9, 14]) {
        const { law, windows } = lawOf(branches, { relative: most * (1 + 1e-6) });
        const { value, error } = law.cumulant(c);
        const whole = moment(true_, windows, c, 0)[0];
        expect(Math.abs(value - Math.log(whole))).toBeLessThan(error + 1e-13 * (1 + Math.abs(value)));
        const [, node] = lineOf(law, c, 0.4, 2);
        const [re, im] = moment(true_, windows, c, 0.4);
        expectNode(node!, [re / whole, im / whole], 1);
      }
    }
  });

  test('a public choice in the kernel: bounds of |φ| are none below it', () => {
    for (const logMass of [NaN, -30])
      for (const c of [-0.7, 0.5, 1.5, 6]) {
        const { law, windows } = lawOf(branches, { logMass, count: 2 });
        const [taus, out] = [take(2), take(2)];
        const whole = moment(branches, windows, c, 0)[0];
        for (const tau of [0.3, 1, 2.5, 6, 9]) {
          const size = 2 * Math.log(Math.hypot(...moment(branches, windows, c, tau)) / whole);
          for (const sharp of [false, true]) {
            storeF64(taus, tau);
            storeF64(taus + 8, 1.0001 * tau);
            storeF64(out, 0);
            law.openDecay(c);
            law.addDecay(taus, 2, -1e9, sharp, out);
            expect(loadF64(out)).toBeGreaterThan(size - 1e-9);
            expect(loadF64(out)).toBeLessThanOrEqual(0);
          }
          expect(law.tailLog(tau)).toBeGreaterThan(size - 1e-9);
          for (const times of [1.3, 4]) {
            const beyond = law.tailLog(tau / times) - law.tailPower(tau / times) * Math.log(times);
            expect(beyond).toBeGreaterThan(size - 1e-9);
          }
        }
      }
  });

  test('a public choice in the kernel: what the windows of its branches remove', () => {
    for (const logMass of [-3, -12, -40]) {
      const { law, windows } = lawOf(branches, { logMass });
      const removed = (of: 0 | 1): number =>
        branches.reduce(
          (sum, branch, i) =>
            sum +
            (windows[i] === undefined
              ? 0
              : branch.weight *
                integral(
                  (x) => densities(branch, x)[of] * normalCdf((x - windows[i]!.to) / windows[i]!.width),
                )),
          0,
        );
      for (const [logLost, of] of [
        [law.logLostP, 0],
        [law.logLostQ, 1],
      ] as const) {
        expect(Math.exp(logLost) / removed(of)).toBeGreaterThan(1 - 1e-10);
        expect(Math.exp(logLost) / removed(of)).toBeLessThan(1 + 1e-9);
      }
    }
  });
});

const phases = (branches: readonly Branch[], count: number): SampledRun => ({
  phases: [{ ...stepOf(branches), count }],
  square: 0,
});

/** ε and log δ in both engines, with the same bits. */
function asked(run: SampledRun, epsilon: number): { readonly lower: number; readonly upper: number } {
  const [first, second] = [wasm, reference].map(({ kernel }) =>
    kernel.questions!.runDelta(run, epsilon, 1e-8, 1e10),
  );
  expect(first).toEqual(second);
  expect(first!.end).toBe('answered');
  const { lower, upper } = first!;
  expect(upper - lower).toBeLessThan(1e-7);
  const logDelta = (lower + upper) / 2;
  const [e, other] = [wasm, reference].map(({ kernel }) =>
    kernel.questions!.runEpsilon(run, logDelta, 1e-8, 1e10),
  );
  expect(e).toEqual(other);
  expect(e!.end).toBe('answered');
  expect(e!.lower).toBeLessThan(epsilon + 1e-6);
  expect(e!.upper).toBeGreaterThan(epsilon - 1e-6);
  return { lower, upper };
}

test('a public choice of unsampled Gaussians in the kernel: every number of draws of each, listed', () => {
  const branches = [
    { weight: 0.25, mu: 0.2, rate: 1 },
    { weight: 0.75, mu: 0.5, rate: 1 },
  ];
  for (const count of [2, 9, 30])
    for (const epsilon of [0.2, 1, 3]) {
      let exact = 0;
      let drawn = branches[1]!.weight ** count;
      for (let k = 0; k <= count; k++) {
        exact += drawn * deltaGdp(Math.sqrt(0.04 * k + 0.25 * (count - k)), epsilon);
        drawn *= ((count - k) / (k + 1)) * (branches[0]!.weight / branches[1]!.weight);
      }
      const { lower, upper } = asked(phases(branches, count), epsilon);
      expect(lower).toBeLessThan(Math.log(exact) + 1e-12);
      expect(upper).toBeGreaterThan(Math.log(exact) - 1e-12);
    }
});

/** δ(ε) of two steps in the worse direction: every pair of branches, the second output integrated in closed form. */
function deltaOfTwo(branches: readonly (Branch & { mu: number; rate: number })[], epsilon: number): number {
  const gamma = Math.exp(epsilon);
  const each = [0, 0];
  for (const one of branches)
    for (const { weight, mu, rate } of branches) {
      /** The output whose likelihood ratio is t. */
      const outputOf = (t: number): number =>
        t <= 1 - rate ? -Infinity : Math.log((t - 1 + rate) / rate) / mu + mu / 2;
      const removing = integral((x) => {
        const q = densities(one, x)[1];
        const y = outputOf(gamma / q);
        const above = (1 - rate) * normalCdf(-y) + rate * normalCdf(mu - y);
        return q * above - gamma * normalCdf(-y);
      }, 1024);
      const adding = integral((x) => {
        const q = densities(one, x)[1];
        const y = outputOf(1 / gamma / q);
        const below = (1 - rate) * normalCdf(y) + rate * normalCdf(y - mu);
        return normalCdf(y) - gamma * q * below;
      }, 1024);
      each[0]! += one.weight * weight * removing;
      each[1]! += one.weight * weight * adding;
    }
  return Math.max(...each);
}

test('a public choice of samples in the kernel: two steps, integrated over both outputs', () => {
  for (const branches of [
    [
      { weight: 0.3, mu: 1, rate: 0.5 },
      { weight: 0.7, mu: 1, rate: 0.2 },
    ],
    [
      { weight: 0.1, mu: 0.9, rate: 1 },
      { weight: 0.5, mu: 0.9, rate: 0.3 },
      { weight: 0.4, mu: 0.9, rate: 0.075 },
    ],
  ])
    for (const epsilon of [0.3, 0.9]) {
      const exact = Math.log(deltaOfTwo(branches, epsilon));
      const { lower, upper } = asked(phases(branches, 2), epsilon);
      expect(lower).toBeLessThan(exact + 3e-9);
      expect(upper).toBeGreaterThan(exact - 3e-9);
    }
});

test('a public choice in the kernel: cumulants for Rényi divergences', () => {
  for (const branches of Object.values(BRANCHES)) {
    const run = { phases: [{ ...stepOf(branches), count: 1 }], square: 0 };
    for (const c of [-1, 2, 3.5, 12]) {
      const [first, second] = [wasm, reference].map(
        ({ kernel }) => kernel.questions!.runMoment(run, c, 1e9).most,
      );
      expect(first).toEqual(second);
      const exact = Math.log(moment(branches, [], c, 0)[0]);
      expect(first! - exact).toBeGreaterThan(-1e-12);
      expect(first! - exact).toBeLessThan(1e-11);
    }
  }
});
