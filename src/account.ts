import { aroundRelative, exactly } from './bracket.js';
import type { Engine } from './engine.js';
import { requireNumber, requireOneOf, wrongValue } from './errors.js';
import type { Mechanism } from './mechanism/mechanism.js';
import { gaussianMu, type Phase, phasesOf } from './mechanism/phases.js';
import { gaussianRun, singleStepRun } from './plrv/closed-form.js';
import { GridRun } from './plrv/grid-run.js';
import type { Adjacency, Method } from './report-types.js';
import { boundingRun } from './run/bounding-run.js';
import { ComposedRun } from './run/composed-run.js';
import type { DirectedRun } from './run/directed-run.js';
import { nothingRun, revealingRun } from './run/trivial-runs.js';
import { expm1, log1p } from './scalar.js';

export interface AccountOptions {
  /** Which data sets count as neighbours. 'replace-one' is answered for unsubsampled Gaussians. */
  readonly adjacency: Adjacency;
  /** Relative width of ε, δ and μ aimed at, 1e-12 … 0.5; default 1e-5. Numbers are safe whatever it is. */
  readonly tolerance?: number;
  /** Longest FFT of the grid method, 2¹⁰ … 2²² points (about 100 bytes each); default 2²⁰. */
  readonly maxGridLength?: number;
  /** Forces a method instead of the automatic choice (closed form where there is one, else grid). */
  readonly method?: Method | 'auto';
}

/**
 * Composes a mechanism into a run that answers questions.
 *
 * Closed form for plain Gaussians (any number, any mixture of σ) and for a single subsampled step; the
 * grid otherwise. The order, grouping and repetition of steps do not change a bit of the answers.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 */
export function account(engine: Engine, mechanism: Mechanism, options: AccountOptions): ComposedRun {
  const adjacency = requireOneOf('adjacency', options?.adjacency, ['add-remove', 'replace-one'] as const);
  const tolerance = requireNumber(
    'tolerance',
    options.tolerance ?? 1e-5,
    'a number in [1e-12, 0.5]',
    (x) => x >= 1e-12 && x <= 0.5,
  );
  const maxLength = requireNumber(
    'maxGridLength',
    options.maxGridLength ?? 2 ** 20,
    'a power of two from 2^10 to 2^22',
    (x) => Number.isInteger(x) && (x & (x - 1)) === 0 && x >= 2 ** 10 && x <= 2 ** 22,
  );
  const method = requireOneOf('method', options.method ?? 'auto', ['auto', 'closed-form', 'grid'] as const);
  const phases = inAddRemoveUnits(phasesOf(mechanism), adjacency);
  const mu = gaussianMu(phases);
  const tailMu =
    mu === 0 || mu === Infinity ? exactly(mu) : aroundRelative(mu, 1e-14 + 2e-16 * phases.length);
  return new ComposedRun(directionsOf(engine, phases, method, { width: tolerance, maxLength }), {
    mechanism,
    adjacency,
    tolerance,
    engine: engine.kernel.name,
    tailMu,
  });
}

/** Outside this range single losses are too large, or too small, for any mesh. */
const SMALLEST_GRID_SIGMA = 1e-3;
const LARGEST_GRID_SIGMA = 1e6;

/** Replacing one record is removing one and adding another: for a sum query, twice the sensitivity. */
function inAddRemoveUnits(phases: Phase[], adjacency: Adjacency): Phase[] {
  if (adjacency === 'add-remove') return phases;
  if (phases.some((phase) => phase.rate < 1)) {
    throw wrongValue('adjacency', 'add-remove for Poisson-subsampled steps', adjacency);
  }
  return phases.map((phase) => ({ ...phase, sigma: phase.sigma / 2 }));
}

function directionsOf(
  engine: Engine,
  phases: readonly Phase[],
  method: Method | 'auto',
  grid: { width: number; maxLength: number },
): DirectedRun[] {
  if (phases.length === 0) return [nothingRun];
  const revealing = phases.filter((phase) => phase.sigma === 0);
  if (revealing.length > 0) {
    let logHidden = 0;
    for (const { rate, count } of revealing) logHidden += count * log1p(-rate);
    return [revealingRun(-expm1(logHidden))];
  }
  const single = phases.length === 1 && phases[0].count === 1;
  if (method !== 'grid') {
    if (phases.every((phase) => phase.rate === 1)) return [gaussianRun(gaussianMu(phases))];
    if (single) {
      const { sigma, rate } = phases[0];
      return [singleStepRun(sigma, rate, 'remove'), singleStepRun(sigma, rate, 'add')];
    }
    if (method === 'closed-form')
      throw wrongValue('method', 'grid or auto for composed subsampled steps', method);
  }
  if (phases.some(({ sigma }) => sigma < SMALLEST_GRID_SIGMA || sigma > LARGEST_GRID_SIGMA)) {
    return [boundingRun(phases, 'remove'), boundingRun(phases, 'add')];
  }
  return [
    new GridRun(engine.kernel, phases, 'remove', grid),
    new GridRun(engine.kernel, phases, 'add', grid),
  ];
}
