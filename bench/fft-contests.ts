import FFT from 'fft.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { agree, type Contest, type Contests } from './contests.js';
import { fftwProgram } from './native.js';

export function fftContests(
  kernel: Kernel,
  between: (low: number, high: number, n: number) => Float64Array,
): Contests {
  const sizes = [12, 14, 16, 18, 20, 22].map((log) => 2 ** log);
  const fftw = fftwProgram();
  const contests = sizes.flatMap((n) => contestsOfLength(kernel, n, between(0, 1, n)));
  if (typeof fftw === 'string') return { contests, absent: [fftw] };
  const native = sizes.flatMap((n): Contest[] => {
    const signal = between(0, 1, n);
    const rival = { rival: 'FFTW, one thread', goal: 0.8 };
    return [
      { ...roundTripOf(n, signal), ...rival, theirs: fftw(n) },
      { ...convolutionOf(n, signal), ...rival, theirs: fftw(n, 'convolve') },
    ];
  });
  return { contests: [...contests, ...native], absent: [] };
}

type Job = Pick<Contest, 'name' | 'size' | 'ours'>;

/** In natural order. */
function roundTripOf(n: number, signal: Float64Array): Job {
  const spectrum = new Float64Array(n + 2);
  const back = new Float64Array(n);
  return {
    name: `real FFT round trip, 2^${Math.round(Math.log2(n))}`,
    size: n,
    ours: (k) => k.inverseRealFft(k.realFft(signal, spectrum), back),
  };
}

/** Two transforms, a product and the inverse, on n points; the order of the spectra is the kernel's own. */
function convolutionOf(n: number, signal: Float64Array): Job {
  const [a, b] = halves(signal);
  const out = new Float64Array(n - 1);
  return {
    name: `convolution on 2^${Math.round(Math.log2(n))} points`,
    size: n,
    ours: (k) => k.convolve(a, b, out),
  };
}

function halves(signal: Float64Array): [Float64Array, Float64Array] {
  return [signal.slice(0, signal.length / 2), signal.slice(signal.length / 2)];
}

function contestsOfLength(kernel: Kernel, n: number, signal: Float64Array): Contest[] {
  const total = signal.reduce((sum, x) => sum + x, 0);
  const pmf = signal.map((x) => x / total);
  const fft = new FFT(n);
  const spectrum = fft.createComplexArray();
  const back = fft.createComplexArray();
  const result = new Float64Array(n);
  const inverse = () => {
    fft.completeSpectrum(spectrum);
    fft.inverseTransform(back, spectrum);
    for (let i = 0; i < n; i++) result[i] = back[2 * i]!;
    return result;
  };
  const roundTrip = () => {
    fft.realTransform(spectrum, pmf);
    return inverse();
  };
  const [a, b] = halves(pmf);
  const padded = new Float64Array(n);
  const other = fft.createComplexArray();
  const convolution = () => {
    padded.set(a);
    fft.realTransform(spectrum, padded);
    padded.set(b);
    fft.realTransform(other, padded);
    for (let k = 0; k <= n; k += 2) {
      const re = spectrum[k]! * other[k]! - spectrum[k + 1]! * other[k + 1]!;
      spectrum[k + 1] = spectrum[k]! * other[k + 1]! + spectrum[k + 1]! * other[k]!;
      spectrum[k] = re;
    }
    return inverse();
  };
  const compose = (count: number) => {
    fft.realTransform(spectrum, pmf);
    for (let k = 0; k <= n; k += 2) {
      const re = spectrum[k]!;
      const im = spectrum[k + 1]!;
      const size = Math.sqrt(re * re + im * im) ** count;
      const angle = Math.atan2(im, re) * count;
      spectrum[k] = size * Math.cos(angle);
      spectrum[k + 1] = size * Math.sin(angle);
    }
    return inverse();
  };
  agree('round trip', kernel.inverseRealFft(kernel.realFft(pmf)), roundTrip(), 1e-12);
  agree('convolution', kernel.convolve(a, b), convolution().subarray(0, n - 1), 1e-12);
  agree('composition', kernel.composeCyclic([{ pmf, count: 2000 }]).composed, compose(2000), 1e-8);
  return [
    { ...roundTripOf(n, pmf), rival: 'fft.js', goal: 4.5, theirs: roundTrip },
    { ...convolutionOf(n, pmf), rival: 'fft.js', goal: 4.5, theirs: convolution },
    {
      name: `2000-fold composition, 2^${Math.round(Math.log2(n))}`,
      size: n,
      rival: 'fft.js, powers in polar form',
      goal: 5,
      ours: (k) => k.composeCyclic([{ pmf, count: 2000 }]),
      theirs: () => compose(2000),
    },
  ];
}
