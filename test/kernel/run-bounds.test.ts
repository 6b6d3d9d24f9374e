/** Bounds of assembly/question/run.ts: each error of a law and of a line is the largest once, and what is bounded is known by other means. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { Exchanged, exactTilt, LogPhi } from '../../assembly/law/law.js';
import { Paths } from '../../assembly/law/paths.js';
import { SampledStep } from '../../assembly/law/sampled-step.js';
import { sampledWindow } from '../../assembly/law/window.js';
import { Saddle } from '../../assembly/plan/saddle.js';
import { logDeltaGdp } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import {
  addOffAxis,
  composed,
  contourAt,
  cutLaw,
  cutRun,
  lineOf,
  OffGaussian,
  roomy,
} from '../helpers/run-laws.js';
import { runOf } from '../helpers/runs.js';

interface StepGolden {
  readonly sigma: number;
  readonly q: number;
  readonly cut: number | null;
  readonly width: number;
  readonly c: number;
  readonly logM: string;
  /** τ, Re φ, Im φ. */
  readonly line: readonly (readonly [number, string, string])[];
}

const goldens = (
  JSON.parse(readFileSync(new URL('../golden/cut-gaussian.json', import.meta.url), 'utf8')) as StepGolden[]
).filter((golden): golden is StepGolden & { cut: number } => golden.cut !== null);

describe.each(goldens)(
  'sigma $sigma, q $q, cut at $cut, width $width, tilt $c',
  ({ sigma, q, cut, width, c, logM, line }) => {
    const step = { mu: 1 / sigma, q, cut, width };

    test.each([4, 8, 14, 42])('log M good to e^-%d', (depth) => {
      roomy();
      const found = cutLaw(step, depth).cumulant(c);
      if (depth === 42) expect(found.error).toBeLessThan(1e-13 * (1 + Math.abs(Number(logM))));
      if (!found.isKnown()) return;
      expect(Math.abs(found.value - Number(logM))).toBeLessThanOrEqual(
        found.error + 2 ** -53 * Math.abs(Number(logM)),
      );
    });

    test.each([0, 2, 5, 9])('log M over outputs that end e^-%d deep', (depth) => {
      roomy();
      const law = cutLaw(step, 42);
      law.endDepth = depth;
      const found = law.cumulant(c);
      if (!found.isKnown()) return;
      expect(Math.abs(found.value - Number(logM))).toBeLessThanOrEqual(
        found.error + 2 ** -53 * Math.abs(Number(logM)),
      );
    });

    test.each([1, 2, 3, 4, 6])('log M where the window ends %d widths behind its edge', (many) => {
      roomy();
      const law = cutLaw(step, 42);
      const window = law.step.window as { end: number };
      window.end = law.step.window.to + many * width;
      const found = law.cumulant(c);
      if (!found.isKnown()) return;
      expect(Math.abs(found.value - Number(logM))).toBeLessThanOrEqual(
        found.error + 2 ** -53 * Math.abs(Number(logM)),
      );
    });

    test.each(line)('phi at %d, on the axis and off it', (tau, re, im) => {
      const exact = [Number(re), Number(im)] as const;
      const size = Math.hypot(...exact);
      for (const [n, depth] of [
        [2, 42],
        [1025, 42],
        [2, 10],
        [1025, 10],
      ] as const) {
        roomy();
        const law = cutLaw(step, depth);
        if (!law.cumulant(c).isKnown()) continue;
        const { log, phase, rounding, quadrature } = lineOf(law, c, tau / (n - 1), n)[n - 1]!;
        if (depth === 42) expect((rounding + quadrature) * size).toBeLessThan(2e-8);
        if (rounding === Infinity) {
          expect(Math.exp(log)).toBeGreaterThanOrEqual(size * (1 - 1e-12));
          continue;
        }
        const error = Math.expm1(1.01 * (rounding + quadrature)) + 4e-16;
        const [x, y] = [Math.exp(log) * Math.cos(phase), Math.exp(log) * Math.sin(phase)];
        expect(Math.hypot(x - exact[0], y - exact[1])).toBeLessThanOrEqual(size * error);
      }
    });

    test('bounds of |phi| are none below it', () => {
      roomy();
      const law = cutLaw(step, 42);
      if (!law.cumulant(c).isKnown()) return;
      law.openDecay(c);
      for (const [tau, re, im] of line)
        for (const sharp of [false, true]) {
          const size = Math.log(Math.hypot(Number(re), Number(im)));
          const taus = take(2);
          const out = take(2);
          storeF64(taus, tau);
          storeF64(taus + 8, tau * (1 + 1e-12));
          storeF64(out, 0);
          law.addDecay(taus, 2, -1e6, sharp, out);
          expect(loadF64(out)).toBeGreaterThanOrEqual(size - 1e-9);
          expect(law.tailLog(tau)).toBeGreaterThanOrEqual(size - 1e-9);
        }
    });
  },
);

describe.each(goldens)(
  'paths of sigma $sigma, q $q, cut at $cut, tilt $c',
  ({ sigma, q, cut, width, c, line }) => {
    test.each([2, 4, 8, 42])('lines whose sums are good to e^-%d', (depth) => {
      for (const [tau, re, im] of line) {
        roomy();
        const at = cutLaw({ mu: 1 / sigma, q, cut, width }, 42).cumulant(c);
        if (!at.isKnown()) return;
        const paths = new Paths(
          new SampledStep(1 / sigma, q, sampledWindow(1 / sigma, q, cut, width, -Infinity)),
          c,
          at,
        );
        const rows = new LogPhi(c, tau / 64, 65, 96);
        if (!addOffAxis(paths, rows, depth)) continue;
        const [log, phase, rounding, quadrature] = [0, 1, 2, 3].map((i) =>
          loadF64(rows.rows + 768 * i + 512),
        );
        const [x, y] = [Math.exp(log!) * Math.cos(phase!), Math.exp(log!) * Math.sin(phase!)];
        const size = Math.hypot(Number(re), Number(im));
        if (rounding === Infinity) expect(Math.exp(log!)).toBeGreaterThanOrEqual(size * (1 - 1e-12));
        else
          expect(Math.hypot(x - Number(re), y - Number(im))).toBeLessThanOrEqual(
            size * (Math.expm1(1.01 * (rounding! + quadrature!)) + 4e-16),
          );
      }
    });

    test.each([2, 5, 34])('whose sums are good to e^-%d: none below |phi|', (depth) => {
      roomy();
      const at = cutLaw({ mu: 1 / sigma, q, cut, width }, 42).cumulant(c);
      if (!at.isKnown()) return;
      const step = new SampledStep(1 / sigma, q, sampledWindow(1 / sigma, q, cut, width, -Infinity));
      for (const [tau, re, im] of line) {
        const paths = new Paths(step, c, at);
        paths.boundDepth = depth;
        const log = Math.log(Math.hypot(Number(re), Number(im)));
        for (const near of [tau / 30, tau / 3, tau])
          expect(paths.logBound(near)).toBeGreaterThanOrEqual(log - 1e-9);
      }
    });
  },
);

describe('a line of a Gaussian, whose delta has a closed form', () => {
  const holds = (
    mu: number,
    x: number,
    ...[level, off, starve]: [
      number,
      ConstructorParameters<typeof OffGaussian>[1],
      Parameters<typeof contourAt>[3]?,
    ]
  ): number => {
    roomy();
    const line = contourAt(composed(new OffGaussian(mu, off)), x, level, starve);
    expect(line.isGood).toBe(true);
    line.answer(x);
    const exact = logDeltaGdp(mu, x);
    const slack = 1e-14 * (1 + Math.abs(exact));
    expect(line.lower).toBeLessThanOrEqual(exact + slack);
    expect(line.upper).toBeGreaterThanOrEqual(exact - slack);
    return line.upper - line.lower;
  };
  const runs = [
    [0.3, 0.5],
    [1, 3],
    [2.5, 0],
    [4, 11],
  ] as const;

  test.each(runs)('mu %d at %d: as planned', (mu, x) => {
    expect(holds(mu, x, -10, {})).toBeLessThan(1e-9);
  });
  test.each(runs)('mu %d at %d: a period that is too short for its aliases', (mu, x) => {
    for (const share of [0.5, 0.65, 0.8])
      expect(holds(mu, x, -10, {}, (layout) => (layout.period *= share))).toBeGreaterThan(1e-9);
  });
  test.each(runs)('mu %d at %d: points on the other side of a pole', (mu, x) => {
    for (const below of [0.7, 0.2, 0, -0.5, undefined])
      for (const share of [0.3, 0.5, 1])
        holds(mu, x, -8, {}, (layout) => {
          layout.below = { c: below ?? 1 + layout.saddle.s / 2, period: layout.period };
          layout.period *= share;
        });
  });
  test.each(runs)('mu %d at %d: a line beside the pole, a point at 0, and a period of x', (mu, x) => {
    for (const s of [0.02, 0.1])
      holds(mu, x, -8, {}, (layout) => {
        Object.assign(layout, { saddle: new Saddle(s, new OffGaussian(mu, {}).cumulant(1 + s)) });
        layout.period = Math.max(x, 1);
        layout.below = { c: 0, period: layout.period };
      });
  });
  test.each(runs)('mu %d at %d: masses that are off by what they say', (mu, x) => {
    for (const below of [0.5, 0, -0.5])
      for (const error of [1e-4, -1e-4]) {
        roomy();
        const run = composed(new OffGaussian(mu, {}));
        run.logMassQ = error;
        run.massError = Math.abs(error);
        const line = contourAt(run, x, -8, (layout) => {
          layout.below = { c: below, period: layout.period };
        });
        line.answer(x);
        const exact = logDeltaGdp(mu, x);
        expect(line.lower).toBeLessThanOrEqual(exact);
        expect(line.upper).toBeGreaterThanOrEqual(exact);
      }
  });
  test.each(runs)('mu %d at %d: a line that ends too early', (mu, x) => {
    for (const log of [-1, -2, -4]) holds(mu, x, -10, {}, (layout) => (layout.logLevel = log));
  });
  test.each(runs)('mu %d at %d: errors all to one side', (mu, x) => {
    for (const error of [1e-3, -1e-3, 1e-6, -1e-6])
      for (const of of ['cumulant', 'rounding', 'quadrature'])
        expect(holds(mu, x, -10, { [of]: error })).toBeGreaterThan(Math.abs(error));
  });
});

test('losses of 1e-9: what is known of aliases keeps its digits', () => {
  const mu = 1e-9;
  for (const below of [-1, -1e3, -1e6, -1e8]) {
    roomy();
    const line = contourAt(composed(new OffGaussian(mu, {})), 0, -10, (layout) => {
      const away = 1 + layout.saddle.s - below;
      layout.below = { c: below, period: layout.period };
      layout.period = Math.max(layout.period, 40 / away);
    });
    line.answer(0);
    const exact = logDeltaGdp(mu, 0);
    expect(line.lower).toBeLessThanOrEqual(exact);
    expect(line.upper).toBeGreaterThanOrEqual(exact);
    expect(line.upper - line.lower, `${below}`).toBeLessThan(1e-8);
  }
});

test('1 - c is exact for the tilts that exchanged laws are asked at, and there is none elsewhere', () => {
  const next = seeded(3);
  roomy();
  const law = new Exchanged(new OffGaussian(1, {}));
  let moved = 0;
  for (let i = 0; i < 200; i++) {
    const c = exactTilt((next() - 0.5) * 2 ** Math.round(40 * (next() - 0.5)));
    const rest = 1 - c;
    // both differences are exact where nothing is lost in the sum (Dekker)
    expect(1 - rest).toBe(c);
    expect(rest - 1 + c).toBe(0);
    expect(law.cumulant(c).isKnown()).toBe(true);
    const other = c * (1 + 2 ** -52);
    if (1 - (1 - other) === other) continue;
    moved++;
    expect(law.cumulant(other).isKnown()).toBe(false);
  }
  expect(moved).toBeGreaterThan(50);
});

describe('two Gaussians, of one of which nothing but a bound of |phi| is known', () => {
  test.each([
    [0.5, 0.6, 0.4],
    [1.5, 1, 2],
  ])('mu %d and %d at %d', (one, other, x) => {
    for (const of of ['rounding', 'quadrature'])
      for (const unknown of [0, 1])
        for (const isFirst of [true, false]) {
          roomy();
          const laws = [new OffGaussian(one, { [of]: -1.5 }), new OffGaussian(other, { unknown })];
          const line = contourAt(composed(...(isFirst ? laws : laws.reverse())), x, -8);
          line.answer(x);
          const exact = logDeltaGdp(Math.hypot(one, other), x);
          expect(line.upper).toBeGreaterThanOrEqual(exact);
          expect(line.lower).toBeLessThanOrEqual(exact);
        }
  });
});

describe('a run under a window', () => {
  const exact = runOf([[1.1, 0.01, 500]]).directions[0]!;

  test.each([2.5, 3, 3.5, 5, 9])('without outputs beyond %d deviations', (cut) => {
    for (const x of [0.05, 0.3, 0.8]) {
      roomy();
      const run = cutRun({ mu: 1 / 1.1, q: 0.01, cut, width: 0.25 }, 30, 500);
      const line = contourAt(run, x, -10);
      if (!line.isGood) continue;
      line.answer(x);
      const { lower, upper } = exact.logDelta(x, 1e-9);
      expect(line.lower).toBeLessThanOrEqual(upper);
      expect(line.upper).toBeGreaterThanOrEqual(lower);
      if (cut === 9) expect(line.upper - line.lower).toBeLessThan(1e-6);
    }
  });
});
