import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { fftErrorBound } from '../../assembly/fft/compose.js';
import { type Dd, ddAdd, ddMul, rootOfUnity } from '../helpers/double-double.js';
import { describeKernels, differences, kernels } from '../helpers/kernels.js';
import { sample } from '../helpers/random.js';

const norm1 = (x: Float64Array): number => x.reduce((sum, v) => sum + Math.abs(v), 0);

type Root = readonly [Dd, Dd];

const rootTables = new Map<number, Root[]>();

/** e^{2πik/n}, k < n. */
function rootsOf(n: number): Root[] {
  const known = rootTables.get(n);
  if (known !== undefined) return known;
  const made = Array.from({ length: n }, (_, k) => rootOfUnity(k, n));
  rootTables.set(n, made);
  return made;
}

/** X_k by the definition, in double-double. */
function frequency(x: Float64Array, k: number, roots: Root[]): [number, number] {
  let re: Dd = [0, 0];
  let im: Dd = [0, 0];
  for (let j = 0; j < x.length; j++) {
    const [cos, sin] = roots[(j * k) % x.length];
    re = ddAdd(re, ddMul([x[j], 0], cos));
    im = ddAdd(im, ddMul([-x[j], 0], sin));
  }
  return [re[0], im[0]];
}

/** X_0…X_{n/2} by the definition, in double-double. */
function directDft(x: Float64Array): Float64Array {
  const n = x.length;
  const out = new Float64Array(n + 2);
  for (let k = 0; k <= n / 2; k++) out.set(frequency(x, k, rootsOf(n)), 2 * k);
  return out;
}

/** Largest |a_k − b_k| of two spectra. */
function spectrumDistance(a: Float64Array, b: Float64Array): number {
  let worst = 0;
  for (let i = 0; i < a.length; i += 2) {
    const re = a[i] - b[i];
    const im = a[i + 1] - b[i + 1];
    worst = Math.max(worst, Math.sqrt(re * re + im * im));
  }
  return worst;
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  let worst = 0;
  for (let i = 0; i < a.length; i++) worst = Math.max(worst, Math.abs(a[i] - b[i]));
  return worst;
}

const inputs: Record<string, (n: number) => Float64Array> = {
  'uniform noise': (n) => sample(1, n, (random) => random() - 0.5),
  'a spike': (n) => sample(2, n, (_, i) => (i === 3 ? 1 : 0)),
  alternating: (n) => sample(3, n, (_, i) => (i % 2 === 0 ? 1 : -1)),
  '300 decades': (n) => sample(4, n, (random) => (random() - 0.5) * 10 ** (-300 * random())),
  subnormal: (n) => sample(5, n, (random) => Math.round((random() - 0.5) * 2 ** 20) * 2 ** -1074),
};

const direct = new Map<string, Float64Array>();
function directOnce(name: string, n: number): Float64Array {
  const key = `${name} ${n}`;
  const known = direct.get(key);
  if (known !== undefined) return known;
  const made = directDft(inputs[name](n));
  direct.set(key, made);
  return made;
}

describeKernels('realFft', (kernel) => {
  for (const n of [16, 32, 64, 128, 512]) {
    it(`is within its bound of the definition, n = ${n}`, () => {
      for (const [name, make] of Object.entries(inputs)) {
        const x = make(n);
        const error = spectrumDistance(kernel.realFft(x), directOnce(name, n));
        // A subnormal product errs by up to 2⁻¹⁰⁷⁵ beside its relative error.
        expect(error, name).toBeLessThanOrEqual(fftErrorBound(n) * norm1(x) + 100 * 2 ** -1074);
      }
    });
  }

  it('has typical errors a hundred times below the bound', () => {
    const x = inputs['uniform noise'](512);
    const error = spectrumDistance(kernel.realFft(x), directOnce('uniform noise', 512));
    expect(error).toBeLessThan((fftErrorBound(512) * norm1(x)) / 100);
  });

  it('has a relative rms error of at most 5e-16', () => {
    const n = 2 ** 12;
    const x = inputs['uniform noise'](n);
    const spectrum = kernel.realFft(x);
    let error = 0;
    let size = 0;
    for (let k = 1; k < n / 2; k += 29) {
      const [re, im] = frequency(x, k, rootsOf(n));
      error += (spectrum[2 * k] - re) ** 2 + (spectrum[2 * k + 1] - im) ** 2;
      size += re * re + im * im;
    }
    expect(Math.sqrt(error / size)).toBeLessThan(5e-16);
    expect(Math.sqrt(error / size)).toBeGreaterThan(1e-17);
  });

  it('transforms a spike to a root of unity at every size', () => {
    for (let n = 16; n <= 2 ** 22; n *= 2) {
      const x = new Float64Array(n);
      x[1] = 1;
      const spectrum = kernel.realFft(x);
      // x_j = [j = 1]: X_k = e^{−2πik/n}.
      for (const k of [0, 1, 3, n / 8, n / 4 + 1, n / 2 - 1, n / 2]) {
        const [cos, sin] = rootOfUnity(k, n);
        expect(Math.abs(spectrum[2 * k] - cos[0])).toBeLessThanOrEqual(fftErrorBound(n));
        expect(Math.abs(spectrum[2 * k + 1] + sin[0])).toBeLessThanOrEqual(fftErrorBound(n));
      }
    }
  });

  it('gives real X_0 and X_{n/2}', () => {
    const spectrum = kernel.realFft(inputs['uniform noise'](64));
    expect(spectrum.length).toBe(66);
    expect(spectrum[1]).toBe(0);
    expect(spectrum[65]).toBe(0);
  });

  it('agrees with fft.js at 2^16', () => {
    const n = 2 ** 16;
    const x = inputs['uniform noise'](n);
    const FFT = createRequire(import.meta.url)('fft.js');
    const transform = new FFT(n);
    const other = transform.createComplexArray() as number[];
    transform.realTransform(other, x);
    const mine = kernel.realFft(x);
    const theirs = Float64Array.from(other.slice(0, n + 2));
    expect(spectrumDistance(mine, theirs)).toBeLessThan(2e-13 * Math.sqrt(n));
  });
});

describeKernels('inverseRealFft', (kernel) => {
  it('undoes realFft at every size from 2^4 to 2^22', () => {
    for (let n = 16; n <= 2 ** 22; n *= 2) {
      const x = sample(n, n, (random) => random() - 0.5);
      const copy = x.slice();
      const back = kernel.inverseRealFft(kernel.realFft(x));
      expect(largestDifference(back, x), `n = ${n}`).toBeLessThan(4e-15);
      expect(differences(x, copy), 'the input is left alone').toBe(0);
    }
  });

  it('inverts the definition', () => {
    const x = inputs['uniform noise'](128);
    const spectrum = directOnce('uniform noise', 128);
    expect(largestDifference(kernel.inverseRealFft(spectrum), x)).toBeLessThan(1e-15);
  });
});

describeKernels('the output of transforms', (kernel) => {
  const x = inputs['uniform noise'](64);
  const spectrum = kernel.realFft(x);

  it('may be an array of the caller', () => {
    const out = new Float64Array(66);
    expect(kernel.realFft(x, out)).toBe(out);
    expect(out).toEqual(spectrum);
    const back = new Float64Array(64);
    expect(kernel.inverseRealFft(spectrum, back)).toBe(back);
    expect(back).toEqual(kernel.inverseRealFft(spectrum));
    const product = new Float64Array(127);
    expect(kernel.convolve(x, x, product)).toBe(product);
    expect(product).toEqual(kernel.convolve(x, x));
  });

  it('must have the right length', () => {
    expect(() => kernel.realFft(x, new Float64Array(64))).toThrow(/"out.length" must be 66, got 64/);
    expect(() => kernel.inverseRealFft(spectrum, new Float64Array(66))).toThrow(RangeError);
    expect(() => kernel.convolve(x, x, new Float64Array(128))).toThrow(/"out.length" must be 127, got 128/);
    expect(() => kernel.convolve(x, new Float64Array(0), x)).toThrow(/"out.length" must be 0, got 64/);
  });
});

describeKernels('convolve', (kernel) => {
  for (const [a, b] of [
    [1, 1],
    [3, 20],
    [200, 313],
    [500, 13],
  ]) {
    it(`is the sum of products, ${a} and ${b} values`, () => {
      const x = sample(a, a, (random) => random() - 0.5);
      const y = sample(b + 7, b, (random) => 10 ** (-8 * random()));
      const got = kernel.convolve(x, y);
      expect(got.length).toBe(a + b - 1);
      const bound = 4 * fftErrorBound(1024) * norm1(x) * norm1(y);
      for (let k = 0; k < got.length; k++) {
        let sum: Dd = [0, 0];
        for (let i = Math.max(0, k - b + 1); i <= Math.min(k, a - 1); i++) {
          sum = ddAdd(sum, ddMul([x[i], 0], [y[k - i], 0]));
        }
        expect(Math.abs(got[k] - sum[0])).toBeLessThanOrEqual(bound);
      }
    });
  }

  it('is empty if either side is', () => {
    expect(kernel.convolve(new Float64Array(0), new Float64Array(3)).length).toBe(0);
  });
});

describeKernels('lengths of transforms', (kernel) => {
  it('throw a RangeError that names the option, the rule and the value', () => {
    for (const n of [0, 8, 17, 24, 2 ** 23]) {
      expect(() => kernel.realFft(new Float64Array(n))).toThrow(RangeError);
      expect(() => kernel.realFft(new Float64Array(n))).toThrow(`"x" must hold a power of two`);
      expect(() => kernel.realFft(new Float64Array(n))).toThrow(`got ${n}`);
    }
    for (const n of [0, 2, 16, 20, 2 ** 23 + 2]) {
      expect(() => kernel.inverseRealFft(new Float64Array(n))).toThrow(RangeError);
      expect(() => kernel.inverseRealFft(new Float64Array(n))).toThrow(/"spectrum" must hold n \+ 2 numbers/);
    }
    const half = new Float64Array(2 ** 21 + 1);
    expect(() => kernel.convolve(half, half)).toThrow(/"a" and "b" must convolve to at most 2\^22 values/);
  });
});

describe('the two engines', () => {
  it('give the same bits', () => {
    for (const n of Array.from({ length: 14 }, (_, i) => 2 ** (4 + i))) {
      const x = sample(n + 1, n, (random) => random() - 0.5);
      const [a, b] = kernels.map((kernel) => kernel.realFft(x));
      expect(differences(a, b), `n = ${n}`).toBe(0);
      expect(differences(kernels[0].inverseRealFft(a), kernels[1].inverseRealFft(b)), `n = ${n}`).toBe(0);
      expect(differences(kernels[0].convolve(x, x), kernels[1].convolve(x, x)), `n = ${n}`).toBe(0);
    }
  });
});
