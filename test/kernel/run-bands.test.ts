/** Runs taken apart by their largest loss in one call: bands against sums over outputs, and what bounds each term when it is the largest. */
import { describe, expect, test } from 'vitest';
import { Bands } from '../../assembly/bound/bands.js';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { Band, BandPhase } from '../../assembly/law/band.js';
import { logInverseMoment } from '../../assembly/law/chernoff.js';
import { Phases } from '../../assembly/law/directions.js';
import type { LogPhi } from '../../assembly/law/law.js';
import { Mixture } from '../../assembly/law/mixture.js';
import type { OffAxis } from '../../assembly/law/off-axis.js';
import type { QuadratureLaw } from '../../assembly/law/quadrature-law.js';
import { SampledGaussian } from '../../assembly/law/sampled-gaussian.js';
import { SampledStep } from '../../assembly/law/sampled-step.js';
import { sampledWindow } from '../../assembly/law/window.js';
import type { Side } from '../../src/law/mixture-side.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { lineOf, mixtureStep, roomy } from '../helpers/run-laws.js';
import { reference, runOf, wasm } from '../helpers/runs.js';

interface Phase {
  readonly mu: number;
  readonly q: number;
  readonly times: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
  /** Both sides of a mixture, in place of μ and q. */
  readonly sides?: readonly [plus: Side, minus: Side];
}

const cutOf = (edge: number, width: number): number => edge / Math.sqrt(1 + width * width);
const stepOf = ({ mu, q, width }: Phase, from: number, to: number): SampledStep =>
  new SampledStep(mu, q, sampledWindow(mu, q, cutOf(to, width), width, from));

/** Steps whose lines are good to a few digits alone. */
class Coarse extends SampledGaussian {
  override pathsAt(c: number): OffAxis | null {
    const paths = super.pathsAt(c)!;
    const sums = paths.sums.bind(paths);
    return Object.assign(paths, { sums: (line: LogPhi, _: number, own: number) => sums(line, 2, own) });
  }
}

class CoarseMixture extends Mixture {
  override sums(line: LogPhi, c: number, _: number, own: number): number {
    return super.sums(line, c, 2, own);
  }
}

/** `count` steps between two outputs, whose integrals are good to e^{−depth}. */
function lawOf(phase: Phase, from: number, depth: number, count: number, isCoarse: boolean): QuadratureLaw {
  const { sides, to, width } = phase;
  if (sides !== undefined) {
    const Law = isCoarse ? CoarseMixture : Mixture;
    return new Law(mixtureStep(...sides, { from, to, width }), depth, count);
  }
  return new (isCoarse ? Coarse : SampledGaussian)(stepOf(phase, from, to), depth, count);
}

/** The band of one or two phases. The lines of steps below its upper threshold, or of those within it, may be coarse. */
function bandOf(phases: readonly Phase[], depth: number, coarse?: 'below' | 'part'): Band {
  return new Band(
    phases.map((phase) => {
      const { mu, q, from, width, times } = phase;
      const below = lawOf(phase, -Infinity, depth, times, coarse === 'below');
      const edge = phase.sides ? from : sampledWindow(mu, q, cutOf(from, width), width, -Infinity).to;
      const part = lawOf(phase, edge, depth, 1, coarse === 'part');
      return new BandPhase(below, from === phase.to ? null : part);
    }),
  );
}

/** log Σ w e^{ax − a²/2}. */
function logSide({ shift, weight }: Side, x: number): number {
  return Math.log1p(shift.reduce((sum, a, i) => sum + weight[i]! * Math.expm1(a * x - (a * a) / 2), 0));
}

/** ∫φW u^{c + iτ} by a sum over outputs, W between two edges. */
function integral({ mu, q, width, sides }: Phase, edges: readonly [number, number], c: number, tau: number) {
  const h = 1 / 64;
  let [re, im] = [0, 0];
  for (let x = -24; x < 24; x += h) {
    const window = normalCdf((edges[1] - x) / width) - normalCdf((edges[0] - x) / width);
    const base = sides ? logSide(sides[1], -x) : 0;
    const loss = sides ? logSide(sides[0], x) - base : Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
    const size = (h * window * Math.exp(c * loss + base - (x * x) / 2)) / Math.sqrt(2 * Math.PI);
    re += size * Math.cos(tau * loss);
    im += size * Math.sin(tau * loss);
  }
  return [re, im] as const;
}

/** N(c + iτ) = ∏ U^T − ∏ (U − R)^T. */
function exactBand(phases: readonly Phase[], c: number, tau: number): readonly [number, number] {
  const power = (edge: (phase: Phase) => number): readonly [number, number] => {
    let [log, angle] = [0, 0];
    for (const phase of phases) {
      const [re, im] = integral(phase, [-Infinity, edge(phase)], c, tau);
      log += phase.times * Math.log(Math.hypot(re, im));
      angle += phase.times * Math.atan2(im, re);
    }
    return [Math.exp(log) * Math.cos(angle), Math.exp(log) * Math.sin(angle)];
  };
  const all = power(({ to }) => to);
  const inner = power(({ from }) => from);
  return [all[0] - inner[0], all[1] - inner[1]];
}

const one = { mu: 1.25, q: 0.01, times: 40, width: 0.056, from: 3, to: 4.5 };
const side = (...parts: readonly (readonly [shift: number, weight: number])[]): Side => ({
  shift: Float64Array.from(parts, ([shift]) => shift),
  weight: Float64Array.from(parts, ([, weight]) => weight),
});
const rare = side([0, 0.98], [1.2, 0.02]);
const replaced = { ...one, width: 0.1, from: 2.5, to: 4, sides: [rare, rare] } as const;
const person = [side([0, 0.94], [0.75, 0.04], [1.5, 0.02]), side([0, 1])] as const;
const BANDS: readonly (readonly Phase[])[] = [
  [one],
  [{ mu: 0.6, q: 0.2, times: 3, width: 0.11, from: 1, to: 2.5 }],
  [{ mu: 0.9, q: 0.4, times: 2, width: 0.08, from: -2, to: 3 }],
  [one, { mu: 0.8, q: 0.05, times: 12, width: 0.0875, from: 2.5, to: 4 }],
  [one, { mu: 0.8, q: 0.05, times: 12, width: 0.0875, from: 4, to: 4 }],
  [replaced],
  [replaced, { ...one, times: 7, width: 0.1, from: 2, to: 3.5, sides: person }],
];

describe.each(BANDS.map((phases, i) => [i, phases] as const))('band %d', (_, phases) => {
  test.each([3, 6, 10, 42])('log M good to e^-%d', (depth) => {
    for (const c of [-6, -1.5, 0, 1, 2.5, 6]) {
      roomy();
      const found = bandOf(phases, depth).cumulant(c);
      if (depth === 42) expect(found.error).toBeLessThan(1e-11);
      if (!found.isKnown()) continue;
      const [band] = exactBand(phases, c, 0);
      const [whole] = exactBand(
        phases.map((phase) => ({ ...phase, from: -Infinity })),
        c,
        0,
      );
      const exact = Math.log(band);
      // the difference of two products has lost digits
      const rounding = 1e-11 * (1 + Math.abs(exact)) + (1e-14 * whole) / band;
      expect(Math.abs(found.value - exact)).toBeLessThanOrEqual(found.error + rounding);
    }
  });

  /** log φ at a node, where it is known, and the bounds of |φ| there. */
  function holds(band: Band, c: number, tau: number): number {
    const { value } = band.cumulant(c);
    const exact = exactBand(phases, c, tau).map((part) => part * Math.exp(-value));
    const size = Math.hypot(exact[0]!, exact[1]!);
    band.openDecay(c);
    const out = take(4);
    storeF64(out, tau);
    storeF64(out + 8, 2 * tau);
    storeF64(out + 16, 0);
    band.addDecay(out, 2, -100, true, out + 16);
    for (const bound of [band.tailLog(tau), loadF64(out + 16)])
      expect(bound).toBeGreaterThanOrEqual(Math.log(size - 1e-10));
    const { log, phase, rounding, quadrature } = lineOf(band, c, tau / 32, 33)[32]!;
    if (rounding === Infinity) expect(Math.exp(log)).toBeGreaterThanOrEqual(size - 1e-10);
    const error = Math.expm1(1.01 * (rounding + quadrature));
    const [x, y] = [Math.exp(log) * Math.cos(phase), Math.exp(log) * Math.sin(phase)];
    expect(Math.hypot(x - exact[0]!, y - exact[1]!)).toBeLessThanOrEqual(size * error + 1e-10);
    return error;
  }

  test('phi, and its bounds', () => {
    for (const c of [1.5, 5])
      for (const tau of [0.5, 4, 20]) {
        roomy();
        expect(holds(bandOf(phases, 42), c, tau)).toBeLessThan(1e-6);
      }
  });

  test('phi of which one law is good to a few digits', () => {
    for (const coarse of ['below', 'part'] as const)
      for (const c of [1.5, 5])
        for (const tau of [0.5, 4, 20]) {
          roomy();
          holds(bandOf(phases, 42, coarse), c, tau);
        }
  });
});

test('an inverse moment is no more than its bound, and near it', () => {
  for (const [mu, q] of [
    [0.3, 0.1],
    [1, 0.01],
    [2.5, 0.3],
  ] as const)
    for (const s of [0.5, 2, 8, 40]) {
      const phase = { mu, q, times: 1, width: 1e-9, from: -Infinity, to: Infinity };
      const exact = Math.log(integral(phase, [-Infinity, Infinity], -s, 0)[0]);
      const bound = logInverseMoment(mu, q, s);
      expect(bound).toBeGreaterThanOrEqual(exact - 1e-13);
      expect(bound).toBeLessThan(12 * exact + 1e-9);
    }
});

describe('a run by its bands', () => {
  type Run = readonly [sigma: number, q: number, times: number, delta: number, square: number];
  const RUNS: readonly Run[] = [
    [1.1, 2e-3, 60, 1e-7, 0],
    [0.6, 1e-3, 8, 1e-8, 0],
    [0.5, 0.02, 3, 1e-5, 0.04],
    [1.4, 1e-4, 2000, 1e-10, 0],
  ];

  /** Brackets of all of its bands at x, its plan starved. */
  function bandsAt(run: Run, logShare: number, starve: (bands: Bands) => void, x?: number) {
    const [sigma, q, times, delta, square] = run;
    roomy();
    const phases = take(4);
    storeF64(phases, 1 / sigma);
    storeF64(phases + 8, q);
    storeF64(phases + 16, times);
    const bands = new Bands(
      new Phases(phases, 1, square),
      Math.log(delta),
      logShare,
      34 + Math.log(1 + times),
      false,
    );
    starve(bands);
    bands.find(0, Math.log(delta), 0);
    bands.openAt(bands.x, 1e-6 * Math.max(bands.x, 1e-6) * bands.s);
    const at = x ?? bands.x;
    bands.answer(at);
    const { lower, upper } = bands;
    const steps: [number, number, number][] = [[sigma, q, times]];
    if (square > 0) steps.push([1 / Math.sqrt(square), 1, 1]);
    const exact = runOf(steps).directions[0]!.logDelta(at, 1e-9);
    expect(lower).toBeLessThanOrEqual(exact.upper + 1e-12);
    expect(upper).toBeGreaterThanOrEqual(exact.lower - 1e-12);
    return upper - lower;
  }

  test.each(RUNS)('sigma %d, q %d, %d steps, delta %d, mu² %d: as planned', (...run) => {
    expect(bandsAt(run, -27, () => {})).toBeLessThan(1e-5);
  });
  test.each(RUNS)('sigma %d, q %d, %d steps, delta %d, mu² %d: truncated early', (...run) => {
    expect(bandsAt(run, -1, () => {})).toBeGreaterThan(1e-4);
  });
  test.each(RUNS)('sigma %d, q %d, %d steps, delta %d, mu² %d: bands left out that count', (...run) => {
    for (const faint of [2, 0, -1]) bandsAt(run, -27, (bands) => (bands.faint = faint));
  });
  test.each(RUNS)('sigma %d, q %d, %d steps, delta %d, mu² %d: lines left out that count', (...run) => {
    for (const little of [1e5, 1e6]) bandsAt(run, -27, (bands) => (bands.little = little));
  });

  test('epsilon is that of the grid and of both engines, few and rare steps', () => {
    const two = [
      [1.1, 2e-3, 60],
      [0.8, 5e-4, 300],
    ] as const;
    const asked = RUNS.map(([sigma, q, count, delta, square]) => ({
      steps: [[sigma, q, count] as const],
      delta,
      square,
    }));
    for (const { steps, delta, square } of [...asked, { steps: two, delta: 1e-8, square: 0 }]) {
      const phases = steps.map(([sigma, rate, count]) => ({ mu: 1 / sigma, rate, count }));
      const [found, other] = [wasm, reference].map(({ kernel }) =>
        kernel.questions!.runEpsilon({ phases, square }, Math.log(delta), 1e-6, Infinity),
      );
      expect(found).toEqual(other);
      expect(found!.end).toBe('answered');
      expect(found!.upper - found!.lower).toBeLessThan(1e-6 * found!.upper);
      const all = square > 0 ? [...steps, [1 / Math.sqrt(square), 1, 1] as const] : steps;
      const grid = runOf(all, { method: 'grid', tolerance: 1e-3 }).epsilon(delta);
      expect(found!.lower).toBeLessThanOrEqual(grid.upper);
      expect(found!.upper).toBeGreaterThanOrEqual(grid.lower);
    }
  });
});
