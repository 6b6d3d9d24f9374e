import { describe, expect, test } from 'vitest';
import {
  ConversionRefused,
  type ConversionTarget,
  convert,
  type Guarantee,
  parseGuarantee,
  probabilisticDp,
} from '../../src/convert/index.js';
import {
  account,
  approximateDp,
  dpSgd,
  gdp,
  profileOf,
  profileOfRun,
  pureDp,
  rdp,
  repeat,
  tabulated,
  zcdp,
} from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const to = (from: Parameters<typeof convert>[1], target: ConversionTarget) => convert(wasm, from, target);

describe('refusals say why', () => {
  const run = account(wasm, dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 10 }), {
    adjacency: 'add-remove',
  });
  test.each<[string, Parameters<typeof convert>[1], ConversionTarget, RegExp]>([
    ['(ε, δ) to μ', approximateDp({ epsilon: 1, delta: 1e-9 }), { kind: 'gdp' }, /beyond doubt/],
    ['(ε, δ) to ρ', approximateDp({ epsilon: 1, delta: 1e-9 }), { kind: 'zcdp' }, /infinite/],
    ['(ε, δ) to RDP', approximateDp({ epsilon: 1, delta: 1e-9 }), { kind: 'rdp', orders: [2] }, /infinite/],
    [
      '(ε, δ) below its δ',
      approximateDp({ epsilon: 1, delta: 1e-3 }),
      { kind: 'approximate-dp', delta: 1e-4 },
      /never|not known to fall/,
    ],
    ['RDP to μ', rdp({ points: [{ order: 9, epsilon: 1 }] }), { kind: 'gdp' }, /finitely many orders/],
    ['RDP to ρ', rdp({ points: [{ order: 9, epsilon: 1 }] }), { kind: 'zcdp' }, /finitely many orders/],
    ['μ to pure', gdp({ mu: 1 }), { kind: 'pure-dp' }, /no epsilon is known at which delta is 0/],
    ['pDP to μ', probabilisticDp({ epsilon: 1, delta: 1e-5 }), { kind: 'gdp' }, /beyond doubt/],
    ['a callback to μ', profileOf((e) => Math.exp(-e * e)), { kind: 'gdp' }, /tail/],
    ['a callback to ρ', profileOf((e) => Math.exp(-e * e)), { kind: 'zcdp' }, /profile/],
    ['a profile to RDP', profileOfRun(run), { kind: 'rdp', orders: [2] }, /profile/],
    ['a table to μ', tabulated({ points: [{ epsilon: 1, delta: 1e-5 }] }), { kind: 'gdp' }, /beyond doubt/],
  ])('%s', (_, from, target, reason) => {
    expect(() => to(from, target)).toThrow(
      expect.objectContaining({ constructor: ConversionRefused, message: expect.stringMatching(reason) }),
    );
  });
});

describe('what is found can be stated', () => {
  const pure = (epsilon: number) => parseGuarantee({ kind: 'pure-dp', epsilon });
  test.each<[Guarantee, ConversionTarget, object]>([
    [gdp({ mu: 1e-9 }), { kind: 'zcdp' }, { kind: 'zcdp', rho: 1e-12 }],
    [pure(1e-12), { kind: 'gdp' }, { kind: 'gdp', mu: 1e-9 }],
    [gdp({ mu: 0 }), { kind: 'pure-dp' }, { kind: 'pure-dp', epsilon: 0 }],
    [
      pure(0),
      { kind: 'trade-off', alphas: [1, 0.5, 0.5] },
      {
        kind: 'trade-off',
        points: [
          { alpha: 0.5, beta: expect.closeTo(0.5, 12) },
          { alpha: 1, beta: 0 },
        ],
        linear: false,
      },
    ],
    [
      zcdp({ rho: 0.5 }),
      { kind: 'rdp', orders: [8, 2] },
      { points: [expect.objectContaining({ order: 2 }), expect.objectContaining({ order: 8 })] },
    ],
  ])('%j to %j', (from, target, stated) => {
    const { guarantee, values } = to(from, target);
    expect(guarantee).toMatchObject(stated);
    expect(parseGuarantee(JSON.parse(JSON.stringify(guarantee)))).toEqual(guarantee);
    if (target.kind === 'trade-off') expect(values).toHaveLength(target.alphas.length);
  });

  test('an epsilon that no account takes', () => {
    const { guarantee, values } = to(zcdp({ rho: 1e4 }), { kind: 'approximate-dp', delta: 1e-12 });
    expect(guarantee).toEqual({ kind: 'approximate-dp', epsilon: values[0].upper, delta: 1e-12 });
    expect(values[0].upper).toBeCloseTo(11047.3, 1);
    const points = [{ epsilon: 1e3, delta: 0 }];
    expect(to(tabulated({ points }), { kind: 'pure-dp' }).guarantee).toEqual({
      kind: 'pure-dp',
      epsilon: 1e3,
    });
    // 500 releases of 1-DP: the exact binomial sum, mpmath
    const many = account(wasm, repeat(pureDp({ epsilon: 1 }), 500), { adjacency: 'add-remove' });
    const [epsilon] = to(many, { kind: 'approximate-dp', delta: 1e-5 }).values;
    expect(epsilon.lower).toBeLessThan(311.76760465);
    expect(epsilon.upper).toBeGreaterThan(311.76760463);
  });

  test.each<[Guarantee, ConversionTarget, RegExp]>([
    [gdp({ mu: 1e9 }), { kind: 'zcdp' }, /out of range: "rho"/],
    [zcdp({ rho: 1e4 }), { kind: 'gdp' }, /no theorem leads from zcdp to gdp: no finite mu was found/],
    [zcdp({ rho: 10 }), { kind: 'rdp', orders: [2, 1e6] }, /out of range: "points\[1\]\.epsilon"/],
  ])('or is refused: %j to %j', (from, target, reason) => {
    expect(() => to(from, target)).toThrow(
      expect.objectContaining({ constructor: ConversionRefused, message: expect.stringMatching(reason) }),
    );
  });
});

describe('bad input', () => {
  const wrong: [unknown, unknown, RegExp][] = [
    [{ kind: 'gdp', mu: -1 }, { kind: 'zcdp' }, /"mu"/],
    [{ kind: 'nonsense' }, { kind: 'zcdp' }, /"guarantee.kind"/],
    [gdp({ mu: 1 }), { kind: 'nonsense' }, /"target.kind"/],
    [gdp({ mu: 1 }), null, /"target.kind"/],
    [gdp({ mu: 1 }), { kind: 'approximate-dp' }, /"target"/],
    [gdp({ mu: 1 }), { kind: 'approximate-dp', delta: 2 }, /"delta"/],
    [gdp({ mu: 1 }), { kind: 'rdp', orders: [1] }, /"orders"/],
    [gdp({ mu: 1 }), { kind: 'rdp', orders: [] }, /"orders"/],
    [gdp({ mu: 1 }), { kind: 'trade-off', alphas: 0.1 }, /"alphas"/],
    [7, { kind: 'zcdp' }, /"from"/],
    [{ kind: 'trade-off', points: [{ alpha: 0.6, beta: 0.6 }] }, { kind: 'gdp' }, /"points\[0\].beta"/],
    [
      {
        kind: 'trade-off',
        points: [
          { alpha: 0.2, beta: 0.1 },
          { alpha: 0.1, beta: 0.1 },
        ],
      },
      { kind: 'gdp' },
      /"points\[1\].alpha"/,
    ],
  ];
  test.each(wrong)('%j to %j', (from, target, message) => {
    expect(() => convert(wasm, from as never, target as never)).toThrow(message);
  });

  test('a guarantee from JSON', () => {
    expect(parseGuarantee({ kind: 'zcdp', rho: 1 })).toEqual(zcdp({ rho: 1 }));
    expect(() => parseGuarantee('zcdp')).toThrow(TypeError);
  });
});
