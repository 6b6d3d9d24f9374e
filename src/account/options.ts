import { requireNumber, requireOneOf, requireOptions, wrongType } from '../errors.js';
import { type Adjacency, requireAdjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { usualAdjacency } from '../mechanism/reduce.js';
import type { Step } from '../mechanism/steps.js';
import { LONGEST_GRID } from '../numeric/prices.js';
import type { Method } from '../run/method.js';

/** Options of an account besides the mechanism. */
export interface AccountOptions {
  /**
   * Which data sets count as neighbours. Default: add-remove, or where nothing is proved under it the first of zero-out and
   * replace-one that has a theorem. `run.settings.adjacency` says which it is.
   */
  readonly adjacency?: Adjacency;
  /** Relative width of ε, δ and μ aimed at, 1e-12 … 0.5; default 1e-6. Numbers are safe whatever it is. */
  readonly tolerance?: number;
  /** Longest FFT of the grid method, 2¹⁰ … 2²² points (about 100 bytes each); default 2²⁰, and 2²¹ or 2²² from two or four times the usual effort on. */
  readonly maxGridLength?: number;
  /** Forces a method instead of the automatic choice (closed form where there is one, else spectral where it certifies the tolerance, else grid). */
  readonly method?: Method | 'auto';
  /**
   * How much work a question may cost, at least 1e-6; default 1, which is about two seconds of CPU. Where it is spent, brackets hold, are wider, and
   * `limited` says so. Answers are the same bits on every machine; ∞ sets no limit.
   */
  readonly effort?: number;
}

/** What one run may take besides: a limit of the time for its answers. */
export interface TimedOptions extends AccountOptions {
  /**
   * Milliseconds that all answers of the run may take together; no limit unless given. Afterwards they follow from those known by then: brackets hold and are wider, and
   * `timedOut` says so. With a limit answers depend on the machine and on what was asked before.
   */
  readonly maxTime?: number;
}

export const ACCOUNT_OPTIONS = ['adjacency', 'tolerance', 'maxGridLength', 'method', 'effort'] as const;

export const METHODS: readonly (Method | 'auto')[] = ['auto', 'closed-form', 'spectral', 'grid'];

/** Valid tolerances, in words. */
export const TOLERANCE = 'a number in [1e-12, 0.5]';

/** Valid efforts, in words. */
export const EFFORT = 'a number >= 1e-6, or Infinity';

export function requireTolerance(value: unknown): number {
  return requireNumber('tolerance', value, TOLERANCE);
}

/**
 * Checks the options of an account and fills in defaults; the one place that states them.
 *
 * @param mechanism The mechanism accounted for: its usual adjacency is the default.
 * @param names Options that may be given.
 * @param steps Of the mechanism, if they are known.
 * @throws TypeError | RangeError naming the option that is wrong.
 */
export function accountOptions(
  options: TimedOptions | undefined,
  mechanism: Mechanism,
  names: readonly (keyof TimedOptions)[] = ACCOUNT_OPTIONS,
  steps?: Step[],
): Required<AccountOptions> {
  requireOptions('account', options, names);
  const { adjacency = usualAdjacency(mechanism, steps) } = options ?? {};
  return checkedAccount({ ...options, adjacency });
}

/** The options of an account, checked, with defaults, out of data that may have other fields. */
export function checkedAccount(
  given: { readonly [K in keyof AccountOptions]?: unknown } | undefined,
): Required<AccountOptions> {
  const adjacency = requireAdjacency(given?.adjacency);
  const effort = requireNumber('effort', given?.effort ?? 1, EFFORT);
  return {
    adjacency,
    tolerance: requireTolerance(given?.tolerance ?? 1e-6),
    maxGridLength: requireNumber(
      'maxGridLength',
      given?.maxGridLength ?? (effort < 2 ? 2 ** 20 : effort < 4 ? 2 ** 21 : LONGEST_GRID),
      'a power of two from 2^10 to 2^22',
      (x) => Number.isInteger(x) && (x & (x - 1)) === 0 && x >= 2 ** 10 && x <= LONGEST_GRID,
    ),
    method: requireOneOf('method', given?.method ?? 'auto', METHODS),
    effort,
  };
}

/** Progress callback and abort signal of a long task, checked. */
export function requireWatch({ signal, onProgress }: { signal?: AbortSignal; onProgress?: unknown }): void {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw wrongType('signal', 'an AbortSignal', signal);
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongType('onProgress', 'a function', onProgress);
}
