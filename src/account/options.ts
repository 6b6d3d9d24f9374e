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
   * Which data sets count as neighbours. Default: the first of add-remove, zero-out and replace-one for which every step of the mechanism has a
   * theorem. `run.settings.adjacency` says which it is.
   */
  readonly adjacency?: Adjacency;
  /** Relative width of ε, δ and μ aimed at, 1e-12 … 0.5; default 1e-6. Brackets hold the exact value at any tolerance. */
  readonly tolerance?: number;
  /** Longest FFT of the grid method, a power of two from 2¹⁰ to 2²² points (about 100 bytes each). Default 2²⁰; 2²¹ for an effort of 2 or more; 2²² for 4 or more. */
  readonly maxGridLength?: number;
  /** Forces a method. Default `'auto'`: a closed form where there is one, else the spectral method where it certifies the tolerance, else the grid. */
  readonly method?: Method | 'auto';
  /**
   * How much work a question may cost, at least 1e-6; default 1, which is about two seconds of CPU. Where the work is spent, brackets still hold but
   * are wider, and `limitedBy` is `'effort'`. Answers have the same bits on every machine. ∞ sets no limit.
   */
  readonly effort?: number;
}

/** Options of an account, and a time limit for all its answers. */
export interface TimedOptions extends AccountOptions {
  /**
   * Milliseconds that all answers of the run may take together; no limit unless given. Questions asked after that are answered from what was computed
   * before: brackets still hold but are wider, and `timedOut` is true. With a time limit, answers depend on the machine and on the questions asked
   * before.
   */
  readonly maxTime?: number;
}

/** Names of the options of an account. */
export const ACCOUNT_OPTIONS = ['adjacency', 'tolerance', 'maxGridLength', 'method', 'effort'] as const;

/** Valid values of the option `method`. */
export const METHODS: readonly (Method | 'auto')[] = ['auto', 'closed-form', 'spectral', 'grid'];

/** Valid tolerances, as error messages state them. */
export const TOLERANCE = 'a number in [1e-12, 0.5]';

/** Valid efforts, as error messages state them. */
export const EFFORT = 'a number >= 1e-6, or Infinity';

/** Returns `value` if it is a valid tolerance. @throws TypeError | RangeError otherwise. */
export function requireTolerance(value: unknown): number {
  return requireNumber('tolerance', value, TOLERANCE);
}

/**
 * Checks the options of an account and fills in defaults.
 *
 * @param mechanism The mechanism accounted for: the default adjacency is the first for which its steps have theorems.
 * @param names Names of the options that may be given.
 * @param steps The steps of the mechanism, if they are known.
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

/**
 * Checks the options of an account in `given`, an object that may have other fields, and fills in defaults for all but the adjacency. @throws
 * TypeError | RangeError naming the option that is wrong.
 */
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

/** Checks the progress callback and the abort signal of a long task. @throws TypeError if one is of another type. */
export function requireWatch({ signal, onProgress }: { signal?: AbortSignal; onProgress?: unknown }): void {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw wrongType('signal', 'an AbortSignal', signal);
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongType('onProgress', 'a function', onProgress);
}
