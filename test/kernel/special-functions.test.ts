import { expect, it } from 'vitest';
import { InputRangeError } from '../../src/errors.js';
import { ELEMENTWISE, type ElementwiseName } from '../../src/kernel/kernel.js';
import { readGolden, ulpError, worstUlp } from '../helpers/golden.js';
import { describeKernels, kernels } from '../helpers/kernels.js';

/** Functions with golden values of their own. */
const MEASURED = (Object.keys(ELEMENTWISE) as ElementwiseName[]).filter(
  (name) => name !== 'normalQuantileUpper',
);

/** The worst points found by the searches that kernel/kernel.ts describes, with exact values by mpmath as hi + lo·2⁻¹⁴ ulp. */
const HARDEST: readonly (readonly [ElementwiseName, x: number, hi: number, lo: number])[] = [
  ['exp', -708.8793934894096, 1.372748799639945e-308, -4088],
  ['log', 1.0107466316214162, 0.010689296979557979, 5491],
  ['expm1', -0.0017308591824781315, -0.001729362109588703, 1924],
  ['log1p', 0.01077676187504336, 0.010719106432890374, 5499],
  ['sinPi', 0.24948985756649247, 0.7059726220066286, -6487],
  ['cosPi', -1.7498931223697218, 0.70686931893181, -6513],
  ['erfc', 25.425501762803354, 3.9218043823565494e-283, 581],
  ['erfcx', 0.7698947000736013, 0.4997073449719263, 2273],
  ['logErfc', 0.011732825780732578, -0.013326878379951515, 632],
  ['normalCdf', -35.72545602674376, 7.9576829920626e-280, 143],
  ['logNormalCdf', 4.480109890420488, -3.730237901692485e-6, 582],
  ['normalQuantile', 0.9269266338087618, 1.4532774619000213, 1345],
  ['normalQuantile', 0.15921821041052883, -0.9976761522397087, -7232],
  ['normalQuantile', 0.1662050401364676, -0.969270828081741, 1446],
  ['inverfc', 0.7285487784708413, 0.2454060932722044, -6997],
  ['inverfc', 0.7277048124330028, 0.24620062216675792, -1604],
  ['normalQuantileLog', -0.1826475202848394, 0.9663351210205325, -5507],
  ['normalQuantileLog', -1.8236547883318135, -0.9885786753648144, -3048],
];

/** Values every engine gives exactly, sign of zero included. */
const EXACT: Record<ElementwiseName, readonly (readonly [x: number, y: number])[]> = {
  exp: [
    [0, 1],
    [-0, 1],
    [Infinity, Infinity],
    [-Infinity, 0],
    [709.7827128933841, Infinity],
    [-745.1332191019411, 5e-324],
    [-745.1332191019413, 0],
    [NaN, NaN],
  ],
  log: [
    [1, 0],
    [0, -Infinity],
    [-0, -Infinity],
    [-1, NaN],
    [-5e-324, NaN],
    [-Infinity, NaN],
    [Infinity, Infinity],
    [NaN, NaN],
  ],
  expm1: [
    [0, 0],
    [-0, -0],
    [5e-324, 5e-324],
    [-5e-324, -5e-324],
    [-Infinity, -1],
    [-1000, -1],
    [Infinity, Infinity],
    [NaN, NaN],
  ],
  log1p: [
    [0, 0],
    [-0, -0],
    [5e-324, 5e-324],
    [-1, -Infinity],
    [-1.0000000000000002, NaN],
    [-Infinity, NaN],
    [Infinity, Infinity],
    [NaN, NaN],
  ],
  sinPi: [
    [0, 0],
    [-0, -0],
    [1, 0],
    [-1, -0],
    [0.5, 1],
    [-0.5, -1],
    [1.5, -1],
    [2 ** 52 - 0.5, -1],
    [2 ** 53, 0],
    [-Number.MAX_VALUE, -0],
    [Infinity, NaN],
    [-Infinity, NaN],
    [NaN, NaN],
  ],
  cosPi: [
    [0, 1],
    [-0, 1],
    [0.5, 0],
    [-0.5, 0],
    [1.5, 0],
    [1, -1],
    [2 ** 52 + 1, -1],
    [2 ** 53 - 1, -1],
    [Number.MAX_VALUE, 1],
    [Infinity, NaN],
    [-Infinity, NaN],
    [NaN, NaN],
  ],
  erfc: [
    [0, 1],
    [-0, 1],
    [Infinity, 0],
    [-Infinity, 2],
    [28, 0],
    [-6, 2],
    [NaN, NaN],
  ],
  erfcx: [
    [0, 1],
    [-0, 1],
    [Infinity, 0],
    [-Infinity, Infinity],
    [-26.7, Infinity],
    [-1e300, Infinity],
    [NaN, NaN],
  ],
  logErfc: [
    [0, 0],
    [Infinity, -Infinity],
    [-Infinity, Math.LN2],
    [-7, Math.LN2],
    [NaN, NaN],
  ],
  inverfc: [
    [1, 0],
    [0, Infinity],
    [2, -Infinity],
    [-5e-324, NaN],
    [2.0000000000000004, NaN],
    [Infinity, NaN],
    [-Infinity, NaN],
    [NaN, NaN],
  ],
  normalCdf: [
    [0, 0.5],
    [-0, 0.5],
    [Infinity, 1],
    [-Infinity, 0],
    [-39, 0],
    [9, 1],
    [NaN, NaN],
  ],
  logNormalCdf: [
    [0, -Math.LN2],
    [Infinity, -0],
    [-Infinity, -Infinity],
    [NaN, NaN],
  ],
  normalQuantile: [
    [0.5, 0],
    [0, -Infinity],
    [1, Infinity],
    [-5e-324, NaN],
    [1.0000000000000002, NaN],
    [Infinity, NaN],
    [-Infinity, NaN],
    [NaN, NaN],
  ],
  normalQuantileUpper: [
    [0.5, 0],
    [0, Infinity],
    [1, -Infinity],
    [-1, NaN],
    [2, NaN],
    [NaN, NaN],
  ],
  normalQuantileLog: [
    [0, Infinity],
    [-0, Infinity],
    [-Infinity, -Infinity],
    [5e-324, NaN],
    [1, NaN],
    [Infinity, NaN],
    [NaN, NaN],
  ],
};

describeKernels('special functions', (kernel) => {
  it.each(MEASURED)('%s is within its stated error at its golden values', (name) => {
    const golden = readGolden(name);
    expect(golden.x.length).toBeGreaterThan(10_000);
    const worst = worstUlp(golden, kernel[name](golden.x));
    expect(worst.ulps, `worst at x = ${worst.x}`).toBeLessThanOrEqual(ELEMENTWISE[name].error);
  });

  it.each(HARDEST)('%s(%d), among the hardest found, is within its stated error', (name, x, hi, lo) => {
    const error = ulpError(kernel[name](Float64Array.of(x))[0], hi, lo);
    expect(error).toBeLessThanOrEqual(ELEMENTWISE[name].error);
    expect(error).toBeGreaterThan(0.6 * ELEMENTWISE[name].error);
  });

  it('normalQuantileUpper is the reflected quantile', () => {
    const { x } = readGolden('normalQuantile');
    const upper = kernel.normalQuantileUpper(x);
    const lower = kernel.normalQuantile(x);
    for (let i = 0; i < x.length; i++) expect(upper[i] === -lower[i]).toBe(true);
  });

  it.each(Object.keys(EXACT) as ElementwiseName[])('%s has its exact values and limits', (name) => {
    const pairs = EXACT[name];
    const got = kernel[name](Float64Array.from(pairs, ([x]) => x));
    expect(Array.from(got)).toEqual(pairs.map(([, y]) => y));
  });

  it('works in place, into a given array, and on every length', () => {
    for (const length of [0, 1, 2, 3, 16383, 16384, 16385, 40001]) {
      const x = Float64Array.from({ length }, (_, i) => i / 8192 - 1);
      const fresh = kernel.erfc(x);
      expect(fresh.length).toBe(length);
      const out = new Float64Array(length);
      expect(kernel.erfc(x, out)).toBe(out);
      expect(kernel.erfc(x, x)).toBe(x);
      expect(out).toEqual(fresh);
      expect(x).toEqual(fresh);
    }
  });

  it('rejects an output of another length', () => {
    expect(() => kernel.exp(new Float64Array(3), new Float64Array(2))).toThrow(
      new InputRangeError('"out.length" must be 3 (the input\'s length), got 2'),
    );
  });
});

it('each function has a hardest point at its error', () => {
  const [reference] = kernels;
  for (const name of MEASURED) {
    const errors = HARDEST.filter(([of]) => of === name).map(([, x, hi, lo]) =>
      ulpError(reference[name](Float64Array.of(x))[0], hi, lo),
    );
    expect(Math.max(...errors), name).toBeGreaterThan(ELEMENTWISE[name].error - 0.03);
  }
});
