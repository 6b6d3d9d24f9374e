import { createReferenceKernel } from '../bindings/reference-kernel.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { Contest } from './contests.js';
import { sideDelta } from './workloads.js';

/** Contours of a typical run beside the same in plain TypeScript, by the engine that the library falls back to. */
export function sumContests(kernel: Kernel): Contest[] {
  const reference = createReferenceKernel();
  return Object.entries({ sideDelta }).map(([name, ours]) => {
    const [mine, theirs] = [ours(kernel), ours(reference)];
    if (mine.some((x, i) => x !== theirs[i])) throw new Error(`${name}: the engines differ`);
    return {
      name: `${name}, 1000 sampled steps`,
      size: 1,
      rival: 'the same in TypeScript',
      goal: 4,
      ours,
      theirs: () => ours(reference),
    };
  });
}
