import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rival } from './contests.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Compiles bench/native/fftw.c against the FFTW of this machine; or says why that failed. */
export function fftwProgram(): ((n: number, ...job: 'convolve'[]) => Rival) | string {
  mkdirSync(`${ROOT}build`, { recursive: true });
  const program = `${ROOT}build/fftw`;
  const args = ['-O2', '-o', program, `${ROOT}bench/native/fftw.c`, '-lfftw3', '-lm'];
  const { status } = spawnSync('cc', args, { encoding: 'utf8' });
  if (status !== 0) return 'FFTW (bench/native/fftw.c did not compile: it needs cc, fftw3.h and libfftw3)';
  return (n, ...job) => ({
    measure: (milliseconds) => {
      const args = [String(n), String(milliseconds), `${ROOT}build/fftw.wisdom`, ...job];
      const run = spawnSync(program, args, { encoding: 'utf8' });
      if (run.status !== 0) throw new Error(`fftw ${n}: ${run.error?.message ?? run.stderr}`);
      const [least, median] = run.stdout.split(' ').map(Number);
      return { least: least!, median: median! };
    },
  });
}
