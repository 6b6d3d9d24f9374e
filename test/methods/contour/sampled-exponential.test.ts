import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadF64, storeF64 } from '../../../assembly/lane/memory.js';
import { take } from '../../../assembly/lane/room.js';
import { Exchanged, exactTilt } from '../../../assembly/law/law.js';
import type { StepLaw, TiltDecay } from '../../../assembly/law/step-law.js';
import { wholeLaw } from '../../../assembly/law/whole-law.js';
import { dominatingRuns } from '../../../src/account/run-of-mechanism.js';
import {
  account,
  boundedRange,
  compose,
  laplace,
  type Mechanism,
  poissonSubsampled,
  repeat,
} from '../../../src/index.js';
import { EXPONENTIAL } from '../../../src/kernel/constants.js';
import { boundedRangeShape, laplaceShape } from '../../../src/law/exponential-pair.js';
import { exponentialStep } from '../../../src/methods/contour/kernel-step.js';
import { intersects, relativeWidth } from '../../helpers/brackets.js';
import { LONG_TESTS } from '../../helpers/long.js';
import { seeded } from '../../helpers/random.js';
import { lineOf, roomy } from '../../helpers/run-laws.js';
import { reference, wasm } from '../../helpers/runs.js';

interface Golden {
  readonly kind: 'laplace' | 'bounded-range';
  readonly epsilon0: number;
  readonly rate: number;
  readonly steps: number;
  readonly direction: 'remove' | 'add';
  readonly epsilon: number;
  readonly logDelta: number;
  readonly relativeError: number;
}

const goldens: Golden[] = JSON.parse(
  readFileSync(new URL('../../golden/sampled-exponential.json', import.meta.url), 'utf8'),
);

function stepOf(kind: Golden['kind'], epsilon0: number, rate: number): Mechanism {
  const inner =
    kind === 'laplace'
      ? laplace({ scale: 1 / epsilon0, sensitivity: 1 })
      : boundedRange({ epsilon: epsilon0 });
  return rate === 1 ? inner : poissonSubsampled(inner, { rate });
}

describe.each([wasm, reference].map((engine) => [engine.kernel.name, engine] as const))(
  'composed Laplace and bounded range, plain and sampled (%s)',
  (_, engine) => {
    test.each(goldens)('$kind $epsilon0 rate $rate × $steps, $direction, δ($epsilon)', (golden) => {
      const { kind, epsilon0, rate, steps, direction, epsilon, logDelta, relativeError } = golden;
      const mechanism = repeat(stepOf(kind, epsilon0, rate), steps);
      const options = { adjacency: 'add-remove', method: 'spectral', tolerance: 1e-9 } as const;
      const part = dominatingRuns(engine, mechanism, options).find(
        (one) => one.direction === direction || one.direction === 'both',
      )!;
      const { lower, upper } = part.logDelta(epsilon);
      const known = relativeError + 4e-16 * Math.abs(logDelta);
      expect(lower).toBeLessThanOrEqual(logDelta + known);
      expect(upper).toBeGreaterThanOrEqual(logDelta - known);
      expect(upper - lower).toBeLessThan(2e-10);
      // what is published is no worse than the composition of the dominating pairs
      const published = account(engine, mechanism, options).directions;
      const own = published.find((one) => one.direction === direction || one.direction === 'both')!;
      expect(own.logDelta(epsilon).upper).toBeLessThanOrEqual(upper);
    });
  },
);

/** E[(Q/P)^{c+iτ}] of the sampled pair over inner losses, by Simpson's rule. */
function moment(
  kind: Golden['kind'],
  e: number,
  q: number,
  c: number,
  tau: number,
): { re: number; im: number } {
  const n = 20_000;
  const { weight, atom } = kind === 'laplace' ? laplaceShape(e) : boundedRangeShape(e);
  let re = 0;
  let im = 0;
  const add = (mass: number, y: number): void => {
    const loss = Math.log(1 - q + q * Math.exp(y));
    re += mass * Math.exp(c * loss) * Math.cos(tau * loss);
    im += mass * Math.exp(c * loss) * Math.sin(tau * loss);
  };
  const h = (2 * e) / n;
  for (let i = 0; i <= n; i++) {
    const y = i * h - e;
    const simpson = i === 0 || i === n ? 1 / 3 : i % 2 === 1 ? 4 / 3 : 2 / 3;
    add(simpson * weight * Math.exp(-y / 2) * h, y);
  }
  add(atom, -e);
  add(atom * Math.exp(-e), e);
  return { re, im };
}

test('both directions in one call: the larger of two goldens', () => {
  const { questions } = wasm.kernel;
  let many = 0;
  for (const one of goldens.filter(({ rate, direction }) => rate < 1 && direction === 'remove')) {
    const { kind, epsilon0, rate, steps, epsilon } = one;
    const added = goldens.find(
      (each) =>
        each.direction === 'add' &&
        JSON.stringify([each.kind, each.epsilon0, each.rate, each.steps, each.epsilon]) ===
          JSON.stringify([kind, epsilon0, rate, steps, epsilon]),
    );
    if (added === undefined) continue;
    const worse = one.logDelta > added.logDelta ? one : added;
    const shape = kind === 'laplace' ? laplaceShape(epsilon0) : boundedRangeShape(epsilon0);
    const run = { phases: [{ ...exponentialStep(shape, rate)!, count: steps }], square: 0 };
    const { end, lower, upper } = questions!.runDelta(run, epsilon, 1e-9, Infinity);
    const known = worse.relativeError + 4e-16 * Math.abs(worse.logDelta);
    if (end !== 'answered') continue;
    many++;
    expect(lower).toBeLessThanOrEqual(worse.logDelta + known);
    expect(upper).toBeGreaterThanOrEqual(worse.logDelta - known);
    expect(upper - lower).toBeLessThan(1e-8);
  }
  expect(many).toBeGreaterThan(3);
});

describe('the law of one step', () => {
  const laws = [
    ['laplace', 1, 0.01],
    ['laplace', 6, 0.3],
    ['laplace', 0.05, 0.999],
    ['bounded-range', 2, 0.1],
    ['bounded-range', 12, 1e-4],
  ] as const;

  /** The law of `count` steps, its integrals good to about e^{−depth}. */
  const lawOf = (kind: Golden['kind'], e: number, q: number, depth = 48, count = 1): StepLaw => {
    roomy();
    const { own } = exponentialStep(kind === 'laplace' ? laplaceShape(e) : boundedRangeShape(e), q)!;
    const at = take(own!.length);
    for (const [i, x] of own!.entries()) storeF64(at + 8 * i, x);
    return wholeLaw(EXPONENTIAL, at, depth, count);
  };
  /** The bound of log|φ| on one stretch of frequencies. */
  const within = (bound: TiltDecay, from: number, to: number): number => {
    const [taus, out] = [take(2), take(2)];
    storeF64(taus, from);
    storeF64(taus, to, 8);
    bound.bounds(taus, 2, -Infinity, out);
    return loadF64(out);
  };

  test.each(laws)('%s %s rate %s: M by the rule of Simpson, |φ| below its bounds', (kind, e, q) => {
    for (const c of [-3, 0.5, 1.4, 9]) {
      const law = lawOf(kind, e, q);
      const { value, error, mean, variance } = { ...law.cumulant(c) };
      const real = moment(kind, e, q, c, 0).re;
      expect(Math.abs(Math.exp(value) / real - 1)).toBeLessThan(1e-9);
      expect(error).toBeLessThan(1e-14 * (4 + 2 * Math.abs(c) * e));
      const [above, below] = [c + 1e-4, c - 1e-4].map((at) => law.cumulant(at).value);
      expect(Math.abs(above! - below! - 2e-4 * mean)).toBeLessThan(1e-7 * Math.sqrt(variance) + 1e-13);
      const dTau = Math.min(1 / Math.sqrt(variance), 5 / e);
      const line = lineOf(law, c, dTau, 200);
      const bound = law.decayAt(c)!;
      const back = exactTilt(1 - c);
      const mirror = lineOf(new Exchanged(law), back, dTau, 200);
      for (const k of [1, 2, 5, 17, 60, 199]) {
        const { re, im } = moment(kind, e, q, c, k * dTau);
        const { log, phase, rounding } = line[k]!;
        const modulus = Math.exp(log);
        expect(rounding * modulus).toBeLessThan(1e-10);
        expect(Math.abs(modulus * Math.cos(phase) - re / real)).toBeLessThan(1e-7);
        expect(Math.abs(modulus * Math.sin(phase) - im / real)).toBeLessThan(1e-7);
        if (1 - back === c) expect([mirror[k]!.log, -mirror[k]!.phase]).toEqual([log, phase]);
        expect(log).toBeLessThanOrEqual(within(bound, 0.9 * k * dTau, 1.1 * k * dTau) + 1e-9);
        expect(log).toBeLessThanOrEqual(bound.tailLog(0.8 * k * dTau) + 1e-9);
      }
    }
  });

  // integrals that ask for few digits have few nodes
  test.each(laws)('%s %s rate %s: few nodes are as wrong as they say', (kind, e, q) => {
    const dTau = 20 / e;
    for (const [c, depth] of [-3, 0.5, 1.4, 9].flatMap((c) => [16, 12, 8].map((n) => [c, n] as const))) {
      const real = moment(kind, e, q, c, 0).re;
      const line = lineOf(lawOf(kind, e, q, depth), c, dTau, 12);
      for (let k = 1; k < 12; k++) {
        const { re, im } = moment(kind, e, q, c, k * dTau);
        const { log, phase, rounding, quadrature } = line[k]!;
        const modulus = Math.exp(log);
        const off = Math.hypot(modulus * Math.cos(phase) - re / real, modulus * Math.sin(phase) - im / real);
        expect(off).toBeLessThan(modulus * (rounding + quadrature) + 1e-11);
      }
    }
  });

  test.each(laws)('%s %s rate %s: far out |φ| is the variation of the density', (kind, e, q) => {
    for (const c of [-3, 1.4, 9]) {
      const real = moment(kind, e, q, c, 0).re;
      const bound = lawOf(kind, e, q).decayAt(c)!;
      for (let tau = 20; tau < 400; tau += 4.1) {
        const { re, im } = moment(kind, e, q, c, tau);
        expect(Math.log(Math.hypot(re, im) / real)).toBeLessThanOrEqual(bound.tailLog(tau) + 1e-9);
      }
    }
  });

  test('sampling with rate 1 is the closed form', () => {
    const law = lawOf('laplace', 0.7, 1 - 2 ** -53);
    const z = 3.2;
    const b = z - 0.5;
    const exact = Math.log((Math.exp(-0.35) / 2) * (Math.sinh(b * 0.7) / b + 2 * Math.cosh(b * 0.7)));
    expect(law.cumulant(z).value).toBeCloseTo(exact, 13);
  });
});

test('brackets meet those of the grid, in both directions, and tests stay below the trade-off curve', () => {
  const random = seeded(11);
  let narrow = 0;
  for (let i = 0; i < (LONG_TESTS ? 14 : 5); i++) {
    const kind = random() < 0.6 ? ('laplace' as const) : ('bounded-range' as const);
    const steps = Math.round(40 * 150 ** random());
    const rate = random() < 0.2 ? 1 : 10 ** (-2.5 * random());
    const epsilon0 = Math.min(0.05 * 60 ** random(), rate === 1 ? 0.4 : 3);
    const smooth = kind === 'laplace' ? -Math.expm1(-epsilon0) / 2 : 1;
    const mechanism = repeat(stepOf(kind, epsilon0, rate), steps);
    const options = { adjacency: 'add-remove', maxGridLength: 2 ** 14 } as const;
    const spectral = dominatingRuns(wasm, mechanism, { ...options, method: 'spectral', tolerance: 1e-8 });
    const grid = dominatingRuns(wasm, mechanism, { ...options, method: 'grid', tolerance: 1e-3 });
    expect(spectral.length).toBe(grid.length);
    spectral.forEach((direction, side) => {
      for (const target of [-1.5, -11.5, -30]) {
        const what = `${kind} ${epsilon0} rate ${rate} × ${steps} ${direction.direction} ${target}`;
        const epsilon = direction.guessEpsilon(target);
        const a = direction.logDelta(epsilon);
        const b = grid[side].logDelta(epsilon);
        expect(intersects(a, b), `${what}: ${JSON.stringify([a, b])}`).toBe(true);
        // e^{−40} of the losses are all atoms
        if (steps * smooth > 40) {
          narrow++;
          // a hundredth of what is asked
          expect(a.upper - a.lower, what).toBeLessThan(1e-10);
        }
        const { logFpr, logTpr } = direction.test(epsilon);
        const gain = Math.exp(logTpr - a.upper) - Math.exp(epsilon + logFpr - a.upper);
        expect(gain, what).toBeLessThanOrEqual(1 + 1e-9);
      }
    });
  }
  expect(narrow).toBeGreaterThan(LONG_TESTS ? 40 : 10);
});

test('where a fine line is too long a coarser one answers, not a smoothed one', () => {
  const mechanism = repeat(stepOf('laplace', 0.2886, 0.00346), 371);
  const options = { adjacency: 'add-remove', method: 'spectral', tolerance: 1e-8 } as const;
  for (const run of dominatingRuns(wasm, mechanism, options)) {
    const { lower, upper } = run.logDelta(0.1);
    expect(upper - lower).toBeLessThan(1e-10);
  }
});

test('tests at a threshold gain what delta says', () => {
  const run = account(wasm, repeat(stepOf('laplace', 1, 0.01), 1000), {
    adjacency: 'add-remove',
    method: 'spectral',
    tolerance: 1e-9,
  });
  for (const direction of run.directions) {
    for (const epsilon of [-0.4, 0.1, 1]) {
      const { logFpr, logTpr } = direction.test(epsilon, 1e-9);
      const delta = direction.logDelta(epsilon, 1e-10);
      const gain = Math.exp(logTpr) - Math.exp(epsilon + logFpr);
      // δ(ε) is what the best test gains
      expect(Math.abs(gain / Math.exp(delta.upper) - 1)).toBeLessThan(1e-7);
    }
  }
});

test('chosen where it reaches the tolerance, beside other mechanisms too', () => {
  const sampled = repeat(stepOf('laplace', 1, 0.01), 1000);
  const run = account(wasm, sampled, { adjacency: 'add-remove', tolerance: 1e-6 });
  expect(run.method).toBe('spectral');
  expect(relativeWidth(run.epsilon(1e-5))).toBeLessThan(1e-10);
  // the pairs that dominate bounded range; what is allowed may be far more private
  const both = compose([sampled, repeat(stepOf('bounded-range', 0.4, 1), 60)]);
  for (const part of dominatingRuns(wasm, both, { adjacency: 'add-remove', tolerance: 1e-6 })) {
    expect(part.method).toBe('spectral');
    const { lower, upper } = part.logDelta(part.guessEpsilon(-11.5));
    expect(upper - lower).toBeLessThan(1e-9);
  }
  // two large losses in two steps are no matter for a contour
  const few = account(wasm, repeat(stepOf('laplace', 3, 0.5), 2), { adjacency: 'add-remove' });
  expect(few.method).toBe('grid');
});
