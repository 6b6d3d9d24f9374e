import { LARGEST_CUT_MU, SMALLEST_CUT_RATE } from '../../../kernel/constants.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { log } from '../../../numeric/scalar.js';
import type { Phase } from '../phases/phase.js';
import { logMassLeft, lostMass } from './lost-mass.js';
import { EVERYTHING, type OutputWindow, stretchOf, windowOf } from './output-window.js';
import { SampledSteps } from './sampled-losses.js';
import type { Decay, SpectralLaw, TruncatedLaw } from './spectral-law.js';
import { largestTilt, WindowedGaussian, WindowedSteps } from './windowed-gaussian.js';

/** Bounds of |φ| kept of one cut law: those of the line at hand. Speed alone hangs on it. */
const KEPT_DECAYS = 4;
/** Cut laws kept of one step, and whole ones. */
const MAX_CUTS = 16;
const MAX_WHOLE = 4;
/** Steps of smaller rates lose much rarely. Only speed and width hang on it. */
const OFTEN = 0.05;
/** Integrals of whole laws are good to e^{−depth} and better; depths are multiples of this. */
const DEPTH = 42;
const UNIT = 4;
/** The width of the window that takes the largest outputs away, where no large tilts are asked for. Speed alone hangs on it. */
const WIDEST = 0.5;
/** Windows end this many widths behind their edge, where they pass e^{−HARD²/2}. */
const HARD = 17;
/** The least that they end behind it, in outputs: the further, the larger the tilts. Speed alone hangs on it. */
const SPAN = 4;

/**
 * The Poisson-subsampled Gaussian pair P = N(0, σ²), Q = (1−q)P + qN(1, σ²), in x = o/σ and μ = 1/σ. The loss is
 * y(x) = log u, u = 1 − q + q e^{s}, s = μx − μ²/2; M(z) = ∫ φ(x) u^z dx.
 */
export function subsampledGaussianSpectrum(kernel: Kernel, sigma: number, rate: number): SpectralLaw {
  const mu = 1 / sigma;
  return sharedSpectra(kernel, [{ mu, q: rate, count: 1 }])[0];
}

/** The laws of several steps, each by itself, whose sums have their outputs in common. */
export function sharedSpectra(kernel: Kernel, phases: readonly Phase[]): SpectralLaw[] {
  const all = new SampledSteps(kernel, phases);
  const windows = new LruCache<string, WindowedSteps>(MAX_CUTS + MAX_WHOLE);
  return phases.map((phase, k) =>
    windowedSpectrum([phase], all, (window, depth) => {
      const { to, width } = window;
      const steps = windows.of(
        `${to}/${width}/${depth}`,
        () => new WindowedSteps(all, window, depth, Infinity),
      );
      return lawOf(new WindowedGaussian(steps, k));
    }),
  );
}

/**
 * The average of sampled Gaussians as the law of one step, whole and without its largest outputs.
 *
 * @param all Steps that have the window in common, these among them.
 * @param under Their law under one window, with integrals good to about e^{−depth}.
 */
export function windowedSpectrum(
  steps: readonly Phase[],
  all: SampledSteps,
  under: (window: OutputWindow, depth: number) => SpectralLaw,
): SpectralLaw {
  const cuts = new LruCache<string, TruncatedLaw>(MAX_CUTS);
  const wholes = new LruCache<number, SpectralLaw>(MAX_WHOLE);
  const cut: SpectralLaw['cut'] = (_kernel, logMass, depth, logFew = logMass, width = WIDEST) => {
    const at = all.cutFor(all.q < OFTEN ? logMass : logFew);
    return cuts.of(`${at}/${width}/${depth}`, () => {
      const window = endedWindow(at, width);
      const { logMassP, logMassQ, ...lost } = takenFrom(steps, at, width);
      const [largest, steepest] = [undefined, depth].map((deep) =>
        steps.reduce((least, step) => Math.min(least, largestTilt(step, window, deep)), Infinity),
      );
      return { ...lost, largest, steepest, law: { ...under(window, depth), logMassP, logMassQ } };
    });
  };
  const wholeAt = (c: number, count: number): SpectralLaw => {
    const depth = UNIT * Math.ceil((DEPTH + log(count) + log(2 + Math.abs(c))) / UNIT);
    return wholes.of(depth, () => under(EVERYTHING, depth));
  };
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => wholeAt(c, count).cumulant(c, count),
    line: (kernel, nodes, count) => wholeAt(nodes.c, count).line(kernel, nodes, count),
    decay: (c) => wholeAt(c, 1).decay(c),
    ...(steps.every((step) => isCut(step.mu, step.q)) && { cut }),
  };
}

/** What truncation takes of a step and leaves of it, on average. It is as much as a sharp cut takes from outputs with the window's noise as well. */
function takenFrom(
  steps: readonly Phase[],
  cut: number,
  width: number,
): Pick<TruncatedLaw, 'logLostP' | 'logLostQ'> & Pick<SpectralLaw, 'logMassP' | 'logMassQ'> {
  let [logMassP, logMassQ, logLostP, logLostQ, all] = [0, 0, -Infinity, -Infinity, 0];
  for (const { mu, q, count } of steps) {
    const lost = lostMass(mu / stretchOf(width), q, cut);
    logMassP += count * logMassLeft(lost.logLostP);
    logMassQ += count * logMassLeft(lost.logLostQ);
    logLostP = logSum(logLostP, log(count) + lost.logLostP);
    logLostQ = logSum(logLostQ, log(count) + lost.logLostQ);
    all += count;
  }
  const logAll = log(all);
  const errorBound = 4 * U * (steps.length + 4);
  const average = (sum: number): number => sum - logAll + errorBound * (1 + Math.abs(sum - logAll));
  return {
    logMassP: (logMassP / all) * (1 + errorBound),
    logMassQ: (logMassQ / all) * (1 + errorBound),
    logLostP: average(logLostP),
    logLostQ: average(logLostQ),
  };
}

/** The law of one step. */
function lawOf(step: WindowedGaussian): SpectralLaw {
  const decays = new LruCache<number, Decay>(KEPT_DECAYS);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => {
      const { log: value, error, mean, variance } = step.moments(c);
      const all = count * value;
      const own = { value: all, mean: count * mean, variance: count * variance };
      return { ...own, error: count * error + U * Math.abs(all) };
    },
    near: (tilts, count) => step.near(tilts, count),
    line: (_kernel, nodes, count) => step.logPhi(nodes, count),
    decay: (c) => decays.of(c, () => step.decay(c)),
  };
}

/** The window of a cut, with an end far behind its edge. */
function endedWindow(cut: number, width: number): OutputWindow {
  const window = windowOf(cut, width);
  return { ...window, end: window.to + Math.max(SPAN, HARD * width) };
}

/** Whether the law of a step is ever cut. */
export function isCut(mu: number, rate: number): boolean {
  return mu <= LARGEST_CUT_MU && rate >= SMALLEST_CUT_RATE;
}
