import { createReferenceKernel } from '../bindings/reference-kernel.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { KernelTable } from '../src/kernel/kernel-table.js';
import type { Contest } from './contests.js';

/** Losses of an output in a typical step, nodes of a typical line. */
const SIZE = 96;

/** Sums over tables beside the same sums in plain TypeScript, by the engine that the library falls back to. */
export function sumContests(
  kernel: Kernel,
  between: (low: number, high: number, n: number) => Float64Array,
): Contest[] {
  const reference = createReferenceKernel();
  const weights = new KernelTable(between(-1, 1, 6 * SIZE));
  const own = (low: number, high: number): Float64Array => between(low, high, SIZE);
  const line = {
    logModulus: own(-30, 0),
    phase: own(-9, 9),
    error: own(0, 1e-12),
    quadrature: own(0, 1e-12),
  };
  const one = between(0, 20, 1);
  const many = between(0, 20, 32);
  const sums = new Float64Array(3 * 32);
  const single = new Float64Array(3);
  const jobs: [name: string, ours: (k: Kernel) => Float64Array][] = [
    ['contourWeights', (k) => k.contourWeights(line, 0.3, 1.7, 0).table.values],
    ['contourSumsUniform, 32 x', (k) => k.contourSumsUniform(0.3, weights, many, sums)],
    ['contourSumsUniform, 1 x', (k) => k.contourSumsUniform(0.3, weights, one, single)],
  ];
  return jobs.map(([name, ours]) => {
    const [mine, theirs] = [ours(kernel).slice(), ours(reference)];
    if (mine.length !== theirs.length || mine.some((x, i) => x !== theirs[i]))
      throw new Error(`${name}: the engines differ`);
    return {
      name: `${name}, ${SIZE} nodes`,
      size: SIZE,
      rival: 'the same in TypeScript',
      goal: 4,
      ours,
      theirs: () => ours(reference),
    };
  });
}
