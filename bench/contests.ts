import type { Kernel } from '../src/kernel/kernel.js';
import { fftContests } from './fft-contests.js';
import { functionContests } from './function-contests.js';
import { sumContests } from './sum-contests.js';
import type { Timing } from './timing.js';
import { difference, SEED, seeded } from './workloads.js';

/** A kernel method beside what a JavaScript programmer would write or install instead. */
export interface Contest {
  readonly name: string;
  readonly size: number;
  /** What it is compared with, and how many times faster it is to be, if there is a goal. */
  readonly rival: string;
  readonly goal?: number;
  readonly ours: (kernel: Kernel) => unknown;
  readonly theirs: Rival;
}

/** A function to call, or a program that times itself. */
export type Rival = (() => unknown) | { readonly measure: (milliseconds: number) => Timing };

export interface Contests {
  readonly contests: readonly Contest[];
  /** Rivals that are not on this machine, and why. */
  readonly absent: readonly string[];
}

/** @throws Error if a rival's result is another. */
export function contestsOf(kernel: Kernel): Contests {
  const random = seeded(SEED);
  const between = (low: number, high: number, n: number) =>
    Float64Array.from({ length: n }, () => low + (high - low) * random());
  const functions = functionContests(kernel, between);
  const { contests, absent } = fftContests(kernel, between);
  return { contests: [...functions, ...sumContests(kernel), ...contests], absent };
}

export function agree(what: string, ours: Float64Array, theirs: Float64Array, allowed: number): void {
  const gap = difference(ours, theirs);
  if (!(gap <= allowed)) throw new Error(`${what}: the rival differs by ${gap}`);
}
