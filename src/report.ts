import { requireNumber, wrongType } from './errors.js';
import { type MeasureOptions, measure } from './measure.js';
import type { Report } from './report-types.js';
import type { ComposedRun } from './run/composed-run.js';
import { VERSION } from './version.js';

export interface ReportOptions extends MeasureOptions {
  /** Heading of the report; default 'Differential privacy report'. */
  readonly title?: string;
  /** δ's at which ε is stated, each in (0, 1); default 1e-5, 1e-6, 1e-9. */
  readonly deltas?: readonly number[];
}

const DEFAULT_DELTAS = [1e-5, 1e-6, 1e-9];
const FALSE_POSITIVE_RATES = [1e-4, 1e-3, 1e-2];
/** The α's of REP's Tier II table. */
const TRADEOFF_ALPHAS = [1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1];

/**
 * Everything a run's guarantee is published with: μ, regret and window, ε at several δ's, attack rates
 * and the tabulated trade-off curve, each number a bracket. Plain data: `formatReport` prints it.
 *
 * @throws TypeError | RangeError naming the option that is wrong.
 */
export function report(run: ComposedRun, options: ReportOptions = {}): Report {
  const { settings } = run;
  const deltas = options.deltas ?? DEFAULT_DELTAS;
  if (!Array.isArray(deltas)) throw wrongType('deltas', 'an array of numbers', deltas);
  for (const delta of deltas) requireNumber('deltas', delta, 'numbers in (0, 1)', (x) => x > 0 && x < 1);
  const title = options.title ?? 'Differential privacy report';
  if (typeof title !== 'string') throw wrongType('title', 'a string', title);
  return {
    title,
    version: VERSION,
    engine: settings.engine,
    adjacency: settings.adjacency,
    sampling: 'poisson',
    mechanism: settings.mechanism,
    tolerance: settings.tolerance,
    ...measure(run, options),
    epsilonAtDelta: deltas.map((delta) => ({ delta, epsilon: run.epsilon(delta) })),
    advantage: run.advantage(),
    truePositiveRate: FALSE_POSITIVE_RATES.map((falsePositiveRate) => ({
      falsePositiveRate,
      truePositiveRate: run.truePositiveRate(falsePositiveRate),
    })),
    tradeoff: TRADEOFF_ALPHAS.map((alpha) => ({ alpha, beta: run.tradeoff(alpha) })),
  };
}
