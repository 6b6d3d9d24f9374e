import { describe, expect, test } from 'vitest';
import {
  approximateDp,
  certify,
  compose,
  account as composed,
  discreteGaussian,
  discreteLaplace,
  dpSgd,
  gaussian,
  gdp,
  laplace,
  lastIterate,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  verify,
  zcdp,
} from '../../src/index.js';
import { gdp as cli } from '../cli/harness.js';
import { account, wasm } from '../helpers/certify.js';
import { LONG_TESTS } from '../helpers/long.js';

const runs = [
  ['CIFAR-10', dpSgd({ noiseMultiplier: 9.4, samplingRate: 16384 / 50000, steps: 2000 }), [0.5, 8, 30]],
  ['a low rate', dpSgd({ noiseMultiplier: 0.8, samplingRate: 0.001, steps: 20_000 }), [0.3, 2]],
  ['plain Gaussians', repeat(gaussian({ noiseMultiplier: 2 }), 5), [1, 3]],
  [
    'two phases',
    compose([
      dpSgd({ noiseMultiplier: 1.3, samplingRate: 0.02, steps: 500 }),
      dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 50 }),
    ]),
    [1, 4],
  ],
  ['randomised response', repeat(randomizedResponse({ epsilon: 1, categories: 4 }), 7), [0.5, 2.3]],
  [
    'two kinds of atoms',
    compose([repeat(pureDp({ epsilon: 0.2 }), 10), repeat(pureDp({ epsilon: 0.4 }), 5)]),
    [1.7],
  ],
  ['steps that may fail', repeat(approximateDp({ epsilon: 0.1, delta: 1e-6 }), 30), [2]],
  ['the 2020 Census noise', repeat(discreteGaussian({ sigma: 3, sensitivity: 2 }), 3), [0.5, 2]],
  ['geometric noise', repeat(discreteLaplace({ scale: 4, sensitivity: 3 }), 8), [0.5, 2]],
  [
    'sampled Laplace noise',
    repeat(poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 }), 200),
    [1],
  ],
  [
    'a mixture',
    compose([
      repeat(gaussian({ noiseMultiplier: 5 }), 3),
      repeat(laplace({ scale: 5, sensitivity: 1 }), 3),
      pureDp({ epsilon: 0.2 }),
      approximateDp({ epsilon: 0.1, delta: 1e-6 }),
    ]),
    [0.3, 3],
  ],
] as const;

const iterate = (batches: number, epochs: number, contraction: number) =>
  lastIterate({ noiseMultiplier: 1.5, batches, epochs, contraction });

const manyPhases = (n: number) =>
  Array.from({ length: n }, (_, i) => dpSgd({ noiseMultiplier: 1 + i / n, samplingRate: 0.01, steps: 10 }));

describe('certificates', () => {
  test('last iterates: confirmed by the linear steps that attain them, refuted when moved', () => {
    for (const mechanism of [
      iterate(1, 1, 1),
      iterate(1, 100, 0.98),
      iterate(100, 10, 1),
      iterate(7, 3, 0.4),
      iterate(12, 5, 0),
      iterate(1e6, 999, 0.999999),
      repeat(iterate(40, 50, 0.9999), 3),
    ])
      for (const adjacency of ['zero-out', 'replace-one'] as const) {
        const run = composed(wasm, mechanism, { adjacency });
        for (const epsilon of [0.5, 3]) {
          const certificate = JSON.parse(JSON.stringify(certify(run, { epsilon })));
          const found = verify(certificate);
          expect(found.verdict, JSON.stringify(found)).toBe('confirmed');
          expect(found.error).toBeLessThan(1e-9);
          const { lower, upper } = certificate.logDelta;
          const moved = { ...certificate, logDelta: { lower: lower - 1e-6, upper: upper - 1e-6 } };
          expect(verify(moved).verdict).toBe('refuted');
          expect(verify({ ...certificate, adjacency: 'add-remove' }).verdict).toBe('unsupported');
        }
      }
    const shuffled = lastIterate({
      noiseMultiplier: 1,
      batches: 5,
      epochs: 2,
      contraction: 1,
      order: 'shuffled',
    });
    const bound = verify(certify(composed(wasm, shuffled, { adjacency: 'zero-out' }), { epsilon: 1 }));
    expect([bound.verdict, bound.reason]).toEqual(['unsupported', expect.stringContaining('shuffled')]);
  });

  test.each(runs)('%s: confirmed by the other route, refuted when moved', (_name, mechanism, epsilons) => {
    for (const epsilon of epsilons) {
      const certificate = JSON.parse(JSON.stringify(certify(account(mechanism), { epsilon })));
      const found = verify(certificate);
      expect(found.verdict, JSON.stringify(found)).toBe('confirmed');
      expect(found.error).toBeLessThan(1e-9);
      for (const shift of [-1e-3, 1e-3]) {
        const { lower, upper } = certificate.logDelta;
        const moved = { ...certificate, logDelta: { lower: lower + shift, upper: upper + shift } };
        expect(verify(moved).verdict).toBe('refuted');
      }
    }
  });

  test.each<readonly [string, Mechanism, number]>([
    ['Laplace noise, mostly its two atoms', repeat(laplace({ scale: 5, sensitivity: 1 }), 100), 1.6],
    [
      'the same on samples',
      repeat(poissonSubsampled(laplace({ scale: 9, sensitivity: 1 }), { rate: 0.5 }), 60),
      0.3,
    ],
    ['three responses, one of them rare', repeat(randomizedResponse({ epsilon: 4, categories: 3 }), 40), 150],
    [
      'two lattices',
      compose([repeat(pureDp({ epsilon: 0.1 }), 3), repeat(pureDp({ epsilon: 0.3 }), 400)]),
      20,
    ],
    [
      'responses that may fail, with Gaussians',
      compose([repeat(approximateDp({ epsilon: 0.291, delta: 1.8e-12 }), 89), gdp({ mu: 0.56 })]),
      3,
    ],
    [
      'discrete noise, and Laplace noise, mostly its atoms',
      compose([
        repeat(discreteGaussian({ sigma: 3, sensitivity: 1 }), 4),
        laplace({ scale: 9, sensitivity: 1 }),
      ]),
      1,
    ],
    [
      'geometric noise, mostly its ends',
      repeat(discreteLaplace({ scale: 2000, sensitivity: 100 }), 100),
      0.4,
    ],
    [
      'samples of discrete noise, whose atoms are small and nearly on a lattice',
      repeat(poissonSubsampled(discreteGaussian({ sigma: 30, sensitivity: 1 }), { rate: 0.8 }), 5),
      0.0367,
    ],
  ])('frequencies at which losses come into phase again: %s', (_, mechanism, epsilon) => {
    const certificate = certify(account(mechanism), { epsilon });
    const found = verify(certificate);
    expect(found.verdict).not.toBe('refuted');
    if (found.logDelta === undefined) return;
    expect(found.logDelta).toBeGreaterThan(certificate.logDelta.lower - (found.error ?? 0));
    expect(found.logDelta).toBeLessThan(certificate.logDelta.upper + (found.error ?? 0));
  });

  test.each([
    [27.375, 3, 3, 5.1],
    [1, 4, 10, 100],
    [0.3, 1, 5, 20],
  ])(
    'discrete Gaussian noise far out, sigma %d, sensitivity %d, %d times',
    (sigma, sensitivity, count, epsilon) => {
      const mechanism = repeat(discreteGaussian({ sigma, sensitivity }), count);
      expect(verify(certify(account(mechanism), { epsilon })).verdict).toBe('confirmed');
    },
  );

  test.each<readonly [string, Mechanism, number]>([
    ['one release, where |M| is small', gaussian({ noiseMultiplier: 30 }), 0.01],
    ['another', gaussian({ noiseMultiplier: 3.361911265747418 }), 0.06574877136652761],
    [
      'a saddle behind which the transform rises a hundred times as fast',
      dpSgd({ noiseMultiplier: 2.016468301783133, samplingRate: 0.0046841097002976026, steps: 504 }),
      0.23539187077269563,
    ],
    ['a saddle far out', gaussian({ noiseMultiplier: 30 }), 1],
    ['another', repeat(gaussian({ noiseMultiplier: 30 }), 5), 3],
  ])('a true bracket is not refuted: %s', (_, mechanism, epsilon) => {
    const certificate = certify(account(mechanism), { epsilon });
    const found = verify(certificate);
    expect(found.verdict, JSON.stringify(found)).toBe('confirmed');
    if (found.logDelta === undefined || found.error === undefined) return;
    expect(found.logDelta + found.error).toBeGreaterThan(certificate.logDelta.lower);
    expect(found.logDelta - found.error).toBeLessThan(certificate.logDelta.upper);
  });

  test.each<readonly [string, Mechanism, number]>([
    ['a hundred of ε 80', repeat(laplace({ scale: 1, sensitivity: 80 }), 100), 7840],
    ['a thousand of ε 0.03, nearly on a lattice', repeat(laplace({ scale: 1, sensitivity: 0.03 }), 1000), 2],
    ['a million of ε 30', repeat(laplace({ scale: 1, sensitivity: 30 }), 1e6), 2.9e7],
  ])('Laplace steps: %s, confirmed to nine digits', (_, mechanism, epsilon) => {
    const certificate = certify(account(mechanism), { epsilon });
    const found = verify(certificate);
    expect(found.verdict, JSON.stringify(found)).toBe('confirmed');
    expect(found.error).toBeLessThan(1e-9 * Math.max(1, -found.logDelta!));
    expect(found.logDelta! + found.error!).toBeGreaterThan(certificate.logDelta.lower);
    expect(found.logDelta! - found.error!).toBeLessThan(certificate.logDelta.upper);
  });

  test('another run under the same bracket is refuted', () => {
    const certificate = certify(account(runs[0][1]), { epsilon: 8 });
    const mechanism = dpSgd({ noiseMultiplier: 9.4, samplingRate: 16384 / 50000, steps: 2001 });
    expect(verify({ ...certificate, mechanism }).verdict).toBe('refuted');
    expect(verify({ ...certificate, epsilon: 8.001 }).verdict).toBe('refuted');
  });

  test.each([
    ['Gaussian', runs[2][1]],
    ['discrete Gaussian', runs[7][1]],
    ['discrete Laplace', runs[8][1]],
    ['mixture', runs[10][1]],
  ])('replace-one counts the noise as half: %s', (_name, mechanism) => {
    const certificate = certify(account(mechanism, 'replace-one'), { epsilon: 2 });
    expect(verify(certificate).verdict).toBe('confirmed');
    expect(verify({ ...certificate, adjacency: 'add-remove' }).verdict).toBe('refuted');
  });

  test('what this route does not know is said, never confirmed', () => {
    const certificate = certify(account(repeat(laplace({ scale: 5, sensitivity: 1 }), 5)), { epsilon: 0.5 });
    expect(verify(certificate)).toMatchObject({ verdict: 'undecided' });
    const guaranteed = certify(account(zcdp({ rho: 0.1 })), { epsilon: 1 });
    expect(verify(guaranteed)).toMatchObject({
      verdict: 'unsupported',
      reason: expect.stringContaining('zcdp'),
    });
    expect(verify(certify(account(compose([])), { epsilon: 1 })).verdict).toBe('unsupported');
  });

  test('Poisson sampling under replace-one is none of this route', () => {
    const certificate = certify(account(runs[0][1]), { epsilon: 8 });
    const changed = { ...certificate, adjacency: 'replace-one' };
    expect(verify(changed)).toMatchObject({
      verdict: 'unsupported',
      reason: expect.stringContaining('replace-one'),
    });
    // a rate of 1 is no sampling, and 0 steps or none sampled are none
    const all = poissonSubsampled(gaussian({ noiseMultiplier: 4 }), { rate: 1 });
    const none = repeat(poissonSubsampled(gaussian({ noiseMultiplier: 4 }), { rate: 0.5 }), 0);
    const whole = certify(account(compose([repeat(all, 5), none]), 'replace-one'), { epsilon: 1 });
    expect(verify(whole).verdict).toBe('confirmed');
  });

  test('what it does not look at is named, and fields that nobody knows are refused', () => {
    const certificate = JSON.parse(JSON.stringify(certify(account(runs[2][1]), { epsilon: 1 })));
    expect(verify(certificate)).toMatchObject({
      verdict: 'confirmed',
      unchecked: ['method', 'budgets', 'tolerance', 'engine', 'madeBy'],
    });
    expect(() => verify({ ...certificate, delta: 1e-5 })).toThrow('"certificate.delta" is unknown');
    const { tolerance, ...without } = certificate;
    expect(tolerance).toBe(1e-6);
    expect(() => verify(without)).toThrow('"certificate.tolerance" is missing');
    const { logDelta, mechanism } = certificate;
    expect(() => verify({ ...certificate, logDelta: { ...logDelta, width: 0 } })).toThrow('"logDelta.width"');
    expect(() => verify({ ...certificate, mechanism: { ...mechanism, rate: 0.1 } })).toThrow(
      '"mechanism.rate" is unknown',
    );
    expect(() => verify({ ...certificate, adjacency: 'add' })).toThrow('"adjacency" must be one of');
    expect(() => verify({ ...certificate, epsilon: Number.POSITIVE_INFINITY })).toThrow('"epsilon"');
    expect(() => verify({ ...certificate, logDelta: { lower: 0.5, upper: 1 } })).toThrow('"logDelta"');
  });

  let certificate: ReturnType<typeof certify> | undefined;
  const few = ['few steps', dpSgd({ noiseMultiplier: 0.5, samplingRate: 0.1, steps: 2 })] as const;
  test.each<readonly [string, Mechanism]>([
    // takes all the work that is allowed, as Laplace noise above does
    ...(LONG_TESTS ? [few] : []),
    ['more phases than are summed over', compose(manyPhases(2000))],
    ['numbers without end', repeat(discreteGaussian({ sigma: 1e4, sensitivity: 1 }), 2)],
    ['numbers far apart', repeat(discreteLaplace({ scale: 1e6, sensitivity: 1_000_000 }), 2)],
    ['a count without end', repeat(repeat(pureDp({ epsilon: 1e-9 }), 2 ** 40), 2 ** 40)],
  ])('%s: unsupported, by bounded work', (_name, mechanism) => {
    certificate ??= certify(account(runs[2][1]), { epsilon: 1 });
    expect(verify({ ...certificate, mechanism }).verdict).toBe('unsupported');
  });

  test('it says how the bracket was found', () => {
    const certificate = certify(account(runs[0][1]), { epsilon: 8 });
    expect(certificate).toMatchObject({ format: 'gdp-kernel-certificate', version: 1, method: 'spectral' });
    expect(certificate.engine).toBe(wasm.kernel.name);
    for (const budget of certificate.budgets) {
      const { nodes, ...parts } = budget!;
      expect(nodes).toBeGreaterThan(10);
      const total = Object.values(parts).reduce((sum, x) => sum + x, 0);
      expect(total).toBeLessThan(1e-6);
    }
  });

  test.each([[null], [{}], [{ format: 'gdp-kernel-certificate', version: 1 }]])('%j is none', (data) => {
    expect(() => verify(data)).toThrow(TypeError);
  });
});

describe('gdp certify and gdp verify', () => {
  test('go together', async () => {
    const made = await cli(['certify', 'examples/cifar10-wrn40.json', '--epsilon', '8']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const checked = await cli(['verify', '-'], made.stdout);
    expect(checked.code).toBe(0);
    expect(checked.stdout).toMatch(/^confirmed: /);
    const wrong = made.stdout.replace(/"epsilon": 8/, '"epsilon": 8.1');
    expect(await cli(['verify', '-', '--json'], wrong)).toMatchObject({ code: 1, stderr: '' });
  });

  test('the budget is printed', async () => {
    const { stdout } = await cli(['delta', 'examples/cifar10-wrn40.json', '--epsilon', '8', '--explain']);
    for (const part of ['aliasing', 'truncation', 'quadrature', 'roundOff', 'nodes']) {
      expect(stdout).toContain(part);
    }
  });

  test.each([
    [['verify'], '', 'gdp verify needs a FILE'],
    [['verify', '-'], '{}', 'this is not a certificate'],
    [['verify', '-'], '{', 'it is not valid JSON'],
    [['certify', 'examples/cifar10-wrn40.json'], '', '"--epsilon" is needed'],
  ])('%j %j', async (argv, stdin, sentence) => {
    const { code, stderr } = await cli(argv, stdin);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});

test('a delta of 0 survives JSON, however it is written', () => {
  const certificate = certify(account(repeat(randomizedResponse({ epsilon: 1, categories: 4 }), 7)), {
    epsilon: 8,
  });
  expect(certificate.logDelta).toEqual({ lower: -Infinity, upper: -Infinity });
  expect(verify(JSON.parse(JSON.stringify(certificate)))).toEqual(verify(certificate));
  // a delta that is not 0 is not confirmed by it
  const other = certify(account(repeat(randomizedResponse({ epsilon: 1, categories: 4 }), 7)), {
    epsilon: 2.3,
  });
  const tampered = { ...JSON.parse(JSON.stringify(other)), logDelta: { lower: null, upper: null } };
  expect(verify(tampered).verdict).toBe('refuted');
});
