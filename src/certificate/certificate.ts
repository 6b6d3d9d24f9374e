import { type ComposedRun, requireRun } from '../account/composed-run.js';
import { requireNumber, requireOptions } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';
import type { ErrorBudget, Method } from '../run/method.js';
import { VERSION } from '../version.js';

/**
 * One certified answer, δ(ε) of a run, with all that is needed to check it. That is the mechanism, the adjacency, the question, the bracket and the
 * method. `verify` checks it by an independent computation.
 */
export interface Certificate {
  readonly format: 'gdp-kernel-certificate';
  readonly version: 1;
  /** The mechanism that was run. */
  readonly mechanism: Mechanism;
  /** Which data sets count as neighbours. */
  readonly adjacency: Adjacency;
  /** The ε of the question, in nats. */
  readonly epsilon: number;
  /** Bracket of log δ(ε), the larger of the directions. */
  readonly logDelta: Bracket;
  /** The method that found the bracket. */
  readonly method: Method;
  /** Bounds of the error by cause, relative to δ, for each direction; null where the method states none. */
  readonly budgets: readonly (ErrorBudget | null)[];
  /** Relative width that was aimed at. */
  readonly tolerance: number;
  /** The engine that computed it. */
  readonly engine: 'wasm' | 'reference';
  /** Name and version of the library. */
  readonly madeBy: string;
}

/**
 * Certifies δ(ε) of a run.
 *
 * @throws TypeError | RangeError if `epsilon` is not a finite number.
 * @example
 * certify(run, { epsilon: 8 }).method; // 'spectral'
 */
export function certify(run: ComposedRun, question: { epsilon: number }): Certificate {
  requireRun(run);
  requireOptions('certify', question, ['epsilon']);
  const epsilon = requireNumber('epsilon', question?.epsilon, 'a finite number');
  const { mechanism, adjacency, tolerance, engine } = run.settings;
  return {
    format: 'gdp-kernel-certificate',
    version: 1,
    mechanism,
    adjacency,
    epsilon,
    logDelta: run.logDelta(epsilon),
    method: run.methodAt(epsilon),
    budgets: run.explain(epsilon).map((budget) => budget ?? null),
    tolerance,
    engine,
    madeBy: `gdp-kernel ${VERSION}`,
  };
}
