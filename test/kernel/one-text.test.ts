/** Both engines are made from one text: every method has the same bits in each, at numbers of every size. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import * as scalar from '../../assembly/functions/scalar.js';
import { ELEMENTWISE, type ElementwiseName, type Kernel } from '../../src/kernel/kernel.js';
import { differences, kernels } from '../helpers/kernels.js';
import { answersOf, KINDS } from '../helpers/law-numbers.js';
import { seeded } from '../helpers/random.js';

const random = seeded(2026);
const SPECIAL = [
  0,
  -0,
  0.5,
  1,
  NaN,
  Infinity,
  -Infinity,
  5e-324,
  2 ** -1022,
  1.7e308,
  600,
  600.5,
  -745.2,
  27.5,
  2 ** 53,
];
const uniform = (a: number, b: number) => () => a + (b - a) * random();

/** Any sign and exponent; a tenth are what functions treat apart. */
function wild(): number {
  const kind = random();
  if (kind < 0.1) return SPECIAL[Math.floor(random() * SPECIAL.length)];
  const sign = random() < 0.5 ? -1 : 1;
  if (kind < 0.4) return sign * 2 ** uniform(-1074, 1023)();
  return kind < 0.7 ? sign * 2 ** uniform(-8, 8)() : sign * 40 * random();
}

const array = (n: number, each: () => number = wild) => Float64Array.from({ length: n }, each);

function numbersOf(value: unknown): Float64Array {
  if (value instanceof Float64Array) return value;
  if (typeof value === 'number') return Float64Array.of(value);
  return Float64Array.from(Object.values(value as object).flatMap((part) => [...numbersOf(part)]));
}

function expectSameBits(call: (kernel: Kernel) => unknown): void {
  const [mine, other] = kernels.map((kernel) => numbersOf(call(kernel)));
  expect(mine.length).toBe(other.length);
  expect(differences(mine, other)).toBe(0);
}

const LENGTHS = [1, 2, 7, 8, 9, 63, 64, 65, 129, 2049];

describe('both engines have the same bits', () => {
  it.each(Object.keys(ELEMENTWISE) as ElementwiseName[])('%s', (name) => {
    for (const n of [0, ...LENGTHS, 6001]) {
      const x = array(n);
      expectSameBits((kernel) => kernel[name](x));
      const p = array(n, () => (random() < 0.5 ? 2 * random() : 2 ** uniform(-1074, 0)()));
      expectSameBits((kernel) =>
        kernel[name](name === 'normalQuantileLog' ? p.map((each) => -40 * each) : p),
      );
    }
  });

  it('profiles, their inverse and intervals', () => {
    for (const n of [...LENGTHS, 9001]) {
      const [anyEpsilon, anyMu] = [array(n), array(n).map(Math.abs)];
      const [epsilon, mu] = [array(n, uniform(-30, 60)), array(n, () => 2 ** uniform(-12, 6)())];
      for (const name of ['deltaGdp', 'logDeltaGdp', 'oneMinusDeltaGdp'] as const)
        for (const m of [anyMu, mu, 0, 1e-200, 1.3, Infinity])
          for (const e of [anyEpsilon, epsilon]) expectSameBits((kernel) => kernel[name](m, e));
      const logDelta = array(n, () => -(2 ** uniform(-60, 10)()));
      for (const e of [epsilon, epsilon.map(Math.abs), anyMu])
        for (const l of [logDelta, anyEpsilon]) expectSameBits((kernel) => kernel.muGdpLog(e, l));
      for (const edges of [array(n + 1, uniform(-40, 40)).sort(), array(n + 1), array(n + 1).sort()])
        expectSameBits((kernel) => kernel.normalIntervals(edges));
    }
  });

  it('functions of one number are the methods', () => {
    for (const [name, own] of Object.entries(scalar) as [string, (...given: number[]) => number][]) {
      const [method, profile] = [name.slice(0, -2) as ElementwiseName, name.slice(0, -2) as 'deltaGdp'];
      if (!(method in kernels[0]!)) continue;
      for (let i = 0; i < 2000; i++) {
        const given = [i % 3 > 0 ? wild() : 2 * random(), i % 2 > 0 ? wild() : uniform(-30, 60)()] as const;
        const [first, second] = [Float64Array.of(given[0]), Float64Array.of(given[1])];
        for (const kernel of kernels)
          expect(own(...given), `${name}(${given}), ${kernel.name}`).toBe(
            (method in ELEMENTWISE ? kernel[method](first) : kernel[profile](first, second))[0],
          );
      }
    }
  });

  it('transforms of every length up to 2^15', () => {
    for (const n of Array.from({ length: 12 }, (_, i) => 2 ** (4 + i))) {
      const x = array(n, n < 4096 ? () => 2 ** uniform(-300, 300)() : uniform(-1, 1));
      const spectrum = array(n + 2, uniform(-1, 1));
      expectSameBits((kernel) => kernel.realFft(x));
      expectSameBits((kernel) => kernel.inverseRealFft(spectrum));
    }
  });

  it('convolutions and compositions of any count', () => {
    for (const [m, n] of [
      [1, 1],
      [0, 4],
      [3, 700],
      [512, 513],
    ]) {
      const [a, b] = [array(m, uniform(-1, 1)), array(n, uniform(-1, 1))];
      expectSameBits((kernel) => kernel.convolve(a, b));
    }
    for (const n of [16, 32, 1024]) {
      for (const counts of [
        [1],
        [2],
        [3],
        [1000],
        [0],
        [1, 2, 1000],
        [2 ** 40 + 5],
        [2 ** 53 - 1],
        [2 ** 31 + 1, 6],
      ]) {
        const parts = counts.map((count) => ({ pmf: array(n, uniform(0, 1 / n)), count }));
        expectSameBits((kernel) => kernel.composeCyclic(parts));
      }
    }
  });

  it('sums over a grid', () => {
    for (const n of [0, ...LENGTHS]) {
      const p = array(n, () => (random() < 0.2 ? -1e-17 : 2 ** uniform(-1074, 3)()));
      for (const lambda of [0.3, 50, -2, 0, 1e-3, 700]) {
        expectSameBits((kernel) => kernel.logMgf(p, -n / 2, 0.1, lambda));
        expectSameBits((kernel) => kernel.tilt(p, -3, 0.1, lambda, 1));
      }
      const any = array(n);
      for (const values of [p, any]) expectSameBits((kernel) => kernel.suffixScan(values, 0.4, 0.01));
    }
  });

  it.each(Object.entries(KINDS))('questions about one direction of a run: %s', (_, run) => {
    const width = 10 ** uniform(-9, -1)();
    expectSameBits((kernel) => Float64Array.from(answersOf(kernel, run, width)));
  });
});

it('a function of one number is right when it is the first that a process asks', () => {
  const calls = [
    'logDeltaGdp(1, 2)',
    'normalCdf(1)',
    'muGdpLog(1, -11)',
    'muGdp(1, 0.9)',
    'erfcx(1)',
    'normalQuantile(0.3)',
  ];
  for (const call of calls) {
    const code = `const s = await import('./build/modules/src/numeric/scalar.js'); console.log(s.${call}, s.${call})`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    const [first, again] = out.trim().split(' ').map(Number);
    expect(first, call).toBe(again);
  }
});
