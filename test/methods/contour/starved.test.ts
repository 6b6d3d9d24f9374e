/** Contours so poor that each term of their budgets is the largest in turn: what is lost then is no more than what is charged. */
import { expect, test } from 'vitest';
import type { Contour } from '../../../assembly/bound/contour.js';
import { LineEnd } from '../../../assembly/bound/truncation.js';
import { loadF64, storeF64 } from '../../../assembly/lane/memory.js';
import { Gaussian } from '../../../assembly/law/gaussian.js';
import { Composed, Law } from '../../../assembly/law/law.js';
import { exp, expm1, log, normalCdf } from '../../../src/numeric/scalar.js';
import {
  answerOf,
  FUNCTIONALS,
  type Functional,
  type Starved,
  starvedContour,
  withOneLoss,
} from '../../helpers/contours.js';
import { seeded } from '../../helpers/random.js';
import { composed, cutRun, type Off, OffGaussian, roomy } from '../../helpers/run-laws.js';
import { sampled } from '../../helpers/wide-runs.js';

type Exact = Readonly<Record<Functional, (x: number) => number>>;

/** One loss beside N(0, 1) against N(μ, 1): δ, TPR and FPR at loss x. */
const beside = (loss: number, mu: number): Exact => {
  const from = (x: number): number => (x - loss) / mu;
  const power = (x: number): number => exp(loss) * normalCdf(mu / 2 - from(x));
  const falsePositive = (x: number): number => normalCdf(-mu / 2 - from(x));
  return { power, falsePositive, delta: (x) => power(x) - exp(x) * falsePositive(x) };
};
const gaussian = (mu: number): Exact => beside(0, mu);

const ALL = Object.keys(FUNCTIONALS) as Functional[];

function contains(
  line: Contour,
  exact: Exact,
  [from, to]: readonly [number, number],
  functionals: readonly Functional[] = ALL,
): void {
  for (const functional of functionals) {
    for (let i = 0; i <= 60; i++) {
      const x = from + ((to - from) * i) / 60;
      const value = log(exact[functional](x));
      const { lower, upper } = answerOf(line, functional, x);
      expect(lower, `${functional} at ${x}`).toBeLessThanOrEqual(value + 1e-11);
      expect(upper, `${functional} at ${x}`).toBeGreaterThanOrEqual(value - 1e-11);
    }
  }
}

const GENEROUS = { period: 60, end: 60, above: 6, below: 0.5 };
/** Where a contour may lie and its aliases be bounded, on every side of both poles. */
const POINTS = [
  { c: 2, above: 4, below: 1.2 },
  { c: 2, above: 2.5, below: 0.5 },
  { c: 1.5, above: 3, below: -1 },
  { c: 0.5, above: 0.8, below: 0.2 },
  { c: 0.5, above: 2, below: 0.2 },
  { c: 0.5, above: 0.9, below: -1.5 },
  { c: 0.4375, above: 2.5, below: -1 },
];
const PERIODS = [1.5, 2.5, 4, 6].flatMap((period) =>
  POINTS.map((points): Starved => ({ ...GENEROUS, ...points, period })),
);
const ENDS = [0.3, 0.7, 1.5, 2.5].flatMap((end) =>
  [
    { c: 2, above: 6, below: 0.5 },
    { c: 0.5, above: 0.9, below: 0.125 },
    { c: 4, above: 9, below: 1.5 },
  ].map((points): Starved => ({ ...GENEROUS, ...points, end })),
);

test.each(PERIODS)(
  'aliases of a Gaussian: period $period, line at $c between $below and $above',
  (starved) => {
    roomy();
    contains(starvedContour(composed(new Gaussian(1)), starved, 1), gaussian(1), [-2, 4]);
  },
);

test.each(PERIODS)(
  'aliases of one loss, which attain their bounds: period $period, line at $c between $below and $above',
  (starved) => {
    for (const loss of [0, -0.4]) {
      roomy();
      const sharp: Exact = { ...gaussian(1), delta: (x) => Math.max(0, -exp(loss) * expm1(x - loss)) };
      contains(starvedContour(withOneLoss(loss), { ...starved, end: 600 }, 2), sharp, [-4, 5], ['delta']);
      const run = withOneLoss(loss, new Gaussian(0.01));
      contains(starvedContour(run, starved, 1), beside(loss, 0.1), [-4, 5]);
    }
  },
);

test.each(ENDS)('the end of a line: $end, line at $c', (starved) => {
  roomy();
  contains(starvedContour(composed(new Gaussian(1)), starved, 1), gaussian(1), [-2, 4]);
  const sharp: Exact = { ...gaussian(1), delta: (x) => Math.max(0, -expm1(x)) };
  const far = { ...starved, end: 4 * starved.end };
  contains(starvedContour(withOneLoss(0), far, 2), sharp, [-3, 3], ['delta']);
});

test.each<Off>([
  { rounding: 0.02 },
  { rounding: -0.02 },
  { quadrature: 0.02 },
  { quadrature: -0.02 },
  { rounding: 0.6 },
  { cumulant: 0.3 },
  { cumulant: -0.3 },
  { unknown: 0.5 },
  { unknown: 1.5 },
  { unknown: 1, quadrature: 0.01 },
])('nodes that are as wrong as they say: %j', (off) => {
  for (const points of POINTS) {
    roomy();
    const run = composed(new OffGaussian(1, off));
    contains(starvedContour(run, { ...GENEROUS, ...points }, 1), gaussian(1), [-2, 4]);
  }
});

test.each([1.4, 1.9, 2.6])('what a cut takes, at %d deviations', (cut) => {
  // one sampled step: δ, TPR and FPR are sums of two normal tails at the output of loss x
  const [q, exact] = [0.2, sampled(0.2, 'remove')];
  for (const points of POINTS.filter(({ c }) => c > 1)) {
    roomy();
    const run = cutRun({ mu: 1, q, cut, width: 0.5 }, 42, 1);
    const line = starvedContour(run, { ...GENEROUS, ...points, below: -1, end: 200 }, 1);
    for (const x of [0.05, 0.2, 0.5, 0.9, 1.4]) {
      const delta = answerOf(line, 'delta', x);
      expect(delta.lower).toBeLessThanOrEqual(log(exact.delta(x)) + 1e-11);
      expect(delta.upper).toBeGreaterThanOrEqual(log(exact.delta(x)) - 1e-11);
      const [fpr, tpr] = exact.rates(x);
      expect(answerOf(line, 'power', x).upper).toBeGreaterThanOrEqual(log(tpr) - 1e-11);
      expect(answerOf(line, 'falsePositive', x).upper).toBeGreaterThanOrEqual(log(fpr) - 1e-11);
    }
  }
});

test('what a cut takes, however small a share it is', () => {
  for (const share of [0.1, 1e-3, 2e-7, 5e-8, 1e-10, 1e-13])
    for (const functional of ALL) {
      roomy();
      const run = composed(new Gaussian(1));
      const points = { ...GENEROUS, ...POINTS[0]! };
      const whole = answerOf(starvedContour(run, points, 1), functional, 1).upper;
      const least = answerOf(starvedContour(run, points, 1), functional, 1).lower;
      if (functional === 'falsePositive') run.logLostP = log(share) + least;
      else run.logLostQ = log(share) + least;
      const { upper } = answerOf(starvedContour(run, points, 1), functional, 1);
      expect(upper - whole).toBeGreaterThanOrEqual(Math.log1p(share) * (1 - 1e-6));
      expect(upper - whole).toBeLessThan(Math.log1p(share) * (1 + 1e-6) + 1e-14);
    }
});

test('round-off, far from where a line is meant to serve', () => {
  for (const points of POINTS) {
    roomy();
    contains(
      starvedContour(composed(new Gaussian(1)), { ...GENEROUS, ...points }, 1),
      gaussian(1),
      [-14, 14],
    );
  }
  for (const c of [20, 22, 25, 27, 30]) {
    roomy();
    const points = { ...GENEROUS, c, above: 60, below: 5 };
    contains(starvedContour(composed(new Gaussian(1)), points, 1), gaussian(1), [-6, 12]);
  }
});

/** A law of which |φ| alone is known: bounds on stretches, and one beyond the last. */
class Stretches extends Law {
  constructor(
    private readonly from: readonly number[],
    private readonly logs: readonly number[],
    private readonly far: { readonly log: number; readonly power: number },
  ) {
    super(1);
  }
  cumulant(): never {
    throw new Error('not asked');
  }
  approximate(): never {
    throw new Error('not asked');
  }
  override addTo(): boolean {
    return false;
  }
  openDecay(): void {}
  /** log|φ| at a frequency: the largest that its stretch allows. */
  at(tau: number): number {
    const i = this.from.findLastIndex((start) => start <= tau * (1 + 1e-12));
    if (i < this.logs.length) return this.logs[i]!;
    return this.far.log - this.far.power * log(tau / this.from[this.from.length - 1]!);
  }
  addDecay(taus: number, m: number, _enough: number, _sharp: boolean, out: number): void {
    for (let i = 0; i + 1 < m; i++) {
      const [a, b] = [loadF64(taus + 8 * i), loadF64(taus + 8 * i + 8)];
      const starts = [a, ...this.from.filter((start) => start > a && start < b)];
      storeF64(out + 8 * i, Math.max(...starts.map((start) => this.at(start))));
    }
  }
  tailLog(from: number): number {
    const later = this.from.filter((start) => start > from);
    return Math.max(this.at(from), ...later.map((start) => this.at(start)));
  }
  tailPower(from: number): number {
    return from < this.from[this.from.length - 1]! ? 0 : this.far.power;
  }
}

test('what lies beyond the end of a line is no more than segments say, where |phi| is all that they allow', () => {
  const random = seeded(28);
  for (let i = 0; i < 200; i++) {
    roomy();
    const dTau = 0.1 + 2 * random();
    const from = [dTau * Math.ceil(1 + 3 * random())];
    while (from.length < 2 + 6 * random()) from.push(from[from.length - 1]! * (1.05 + random()));
    const logs = from.slice(1).map(() => -3 * random());
    // beyond the frequencies that are bounded, |φ| that hardly decays still counts
    const isSlow = i % 4 === 0;
    const far = { log: -2 * random(), power: isSlow ? 0.02 + 0.1 * random() : 1.5 + 3 * random() };
    const law = new Stretches(from, logs, far);
    const run = new Composed();
    run.append(law);
    for (const order of [1, 2] as const) {
      const end = new LineEnd(run, dTau, isSlow ? 100 : exp(2 - 7 * random()), 40, order);
      end.find(from[0]!, false);
      if (end.nodes === Infinity) continue;
      const last = 4000 * dTau;
      const power = far.power + order - 1;
      // the sum beyond the last of these nodes is above an integral
      let sum = (exp(law.at(last)) * last ** (1 - order)) / (Math.PI * power) - dTau * last ** -order;
      for (let k = 4000; k >= end.nodes; k--)
        sum += (dTau / Math.PI) * exp(law.at(k * dTau)) * (k * dTau) ** -order;
      expect(sum, `order ${order}`).toBeLessThanOrEqual(end.truncation);
    }
  }
});
