import FFT from 'fft.js';
import type { Kernel } from '../src/kernel.js';
import { agree, type Contest, type Contests } from './contests.js';
import { fftwProgram } from './native.js';

export function fftContests(
  kernel: Kernel,
  between: (low: number, high: number, n: number) => Float64Array,
): Contests {
  const sizes = [2 ** 12, 2 ** 16, 2 ** 20];
  const fftw = fftwProgram();
  const contests = sizes.flatMap((n) => contestsOfLength(kernel, n, between(0, 1, n)));
  if (typeof fftw === 'string') return { contests, absent: [fftw] };
  const native = sizes.map((n): Contest => {
    const signal = between(0, 1, n);
    return { ...roundTripOf(n, signal), rival: 'FFTW, one thread', goal: 0.8, theirs: fftw(n) };
  });
  return { contests: [...contests, ...native], absent: [] };
}

function roundTripOf(n: number, signal: Float64Array): Pick<Contest, 'name' | 'size' | 'ours'> {
  const spectrum = new Float64Array(n + 2);
  const back = new Float64Array(n);
  return {
    name: `real FFT round trip, 2^${Math.round(Math.log2(n))}`,
    size: n,
    ours: (k) => k.inverseRealFft(k.realFft(signal, spectrum), back),
  };
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
  agree('composition', kernel.composeCyclic([{ pmf, count: 2000 }]).composed, compose(2000), 1e-8);
  return [
    { ...roundTripOf(n, pmf), rival: 'fft.js', goal: 4.5, theirs: roundTrip },
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
