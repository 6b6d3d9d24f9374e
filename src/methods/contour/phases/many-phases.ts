import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { log } from '../../../numeric/scalar.js';
import type { SampledPhase } from '../split/split-lines.js';
import { logMassLeft, lostMass } from '../step/lost-mass.js';
import { stretchOf, windowOf } from '../step/output-window.js';
import { type CutLaw, NO_DECAY, type SpectralLaw, UNKNOWN } from '../step/spectral-law.js';
import { cutFor, isCut, subsampledGaussianSpectrum } from '../step/subsampled-gaussian.js';
import { fewOf, type Phase, varianceNear } from './phase.js';
import { PhaseOutputs, widthFor } from './phase-path.js';
import { PhaseSums } from './phase-sums.js';

/** Phases that stand for all in guesses. Speed and the quality of plans hang on it. */
const COARSE = 64;
const MAX_CUTS = 8;

/**
 * The average of many phases as the law of one step, to be counted as often as there are steps: their sums one by one along outputs that serve them all
 * (docs/proofs/many-phases.md). Undefined where a phase's law is never cut.
 */
export function manyPhases(kernel: Kernel, sampled: readonly SampledPhase[]): SpectralLaw | undefined {
  if (!sampled.every(({ mu, rate }) => isCut(mu, rate))) return undefined;
  // in an order of their own: the same bits however they are listed
  const phases = sampled
    .map(({ mu, rate, count }): Phase => ({ mu, q: rate, count }))
    .sort((a, b) => a.mu - b.mu || a.q - b.q);
  const [mu, q] = (['mu', 'q'] as const).map((of) =>
    phases.reduce((top, phase) => Math.max(top, phase[of]), 0),
  );
  const coarse = fewOf(phases, COARSE);
  const run = { phases, coarse, extremes: { mu, q }, outputs: new PhaseOutputs(kernel, phases) };
  const deviation = Math.sqrt(varianceNear(phases));
  const cuts = new Recent<string, CutLaw>(MAX_CUTS);
  const cut: SpectralLaw['cut'] = (_kernel, logMass, depth) => {
    const width = widthFor(run.extremes, deviation, cutFor(mu, q, logMass));
    if (width === undefined) return undefined;
    const stretch = stretchOf(width);
    const at = cutFor(mu / stretch, q, logMass);
    return cuts.of(`${at}/${width}/${depth}`, () =>
      cutLawOf(phases, at, stretch, new PhaseSums(kernel, run, windowOf(at, width), depth)),
    );
  };
  return { ...wholeLaw(kernel, phases, coarse), cut };
}

/** With the masses that a cut takes from a step and leaves of it, on average. */
function cutLawOf(
  phases: readonly Phase[],
  cut: number,
  stretch: number,
  { law }: { readonly law: SpectralLaw },
): CutLaw {
  let [logMassP, logMassQ, logLostP, logLostQ, all] = [0, 0, -Infinity, -Infinity, 0];
  for (const { mu, q, count } of phases) {
    const lost = lostMass(mu / stretch, q, cut);
    logMassP += count * logMassLeft(lost.logLostP);
    logMassQ += count * logMassLeft(lost.logLostQ);
    logLostP = logSum(logLostP, log(count) + lost.logLostP);
    logLostQ = logSum(logLostQ, log(count) + lost.logLostQ);
    all += count;
  }
  const average = (sum: number): number => {
    const mean = sum - log(all);
    return mean + 4 * U * (phases.length + 4) * (1 + Math.abs(mean));
  };
  const masses = { logMassP: logMassP / all, logMassQ: logMassQ / all };
  return { law: { ...law, ...masses }, logLostP: average(logLostP), logLostQ: average(logLostQ) };
}

/** All outputs of all phases, on the real axis alone: what Chernoff's bounds need where no cut serves. */
function wholeLaw(kernel: Kernel, phases: readonly Phase[], coarse: readonly Phase[]): SpectralLaw {
  const lawsOf = (of: readonly Phase[]): { law: SpectralLaw; own: number }[] =>
    of.map(({ mu, q, count }) => ({ law: subsampledGaussianSpectrum(kernel, 1 / mu, q), own: count }));
  const [every, few] = [new Once(() => lawsOf(phases)), new Once(() => lawsOf(coarse))];
  const all = phases.reduce((sum, { count }) => sum + count, 0);
  const sum = (laws: ReturnType<typeof lawsOf>, c: number, count: number): ReturnType<typeof totalOf> =>
    totalOf(laws.map(({ law, own }) => law.cumulant(c, (count / all) * own)));
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => sum(every.value, c, count),
    near: (tilts, count) => Array.from(tilts, (c) => sum(few.value, c, count)),
    // there are no lines to be planned
    cheap: [Infinity, -Infinity],
    line: () => undefined,
    decay: () => NO_DECAY,
  };
}

function totalOf(cumulants: readonly ReturnType<SpectralLaw['cumulant']>[]): typeof UNKNOWN {
  let [value, error, mean, variance] = [0, 0, 0, 0];
  for (const one of cumulants) {
    value += one.value;
    error += one.error + 4 * U * (Math.abs(value) + Math.abs(one.value));
    mean += one.mean;
    variance += one.variance;
  }
  return error < Infinity ? { value, error, mean, variance } : UNKNOWN;
}
