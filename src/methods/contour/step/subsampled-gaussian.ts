import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { log } from '../../../numeric/scalar.js';
import { logMassLeft, lostMass } from './lost-mass.js';
import { EVERYTHING, type OutputWindow, stretchOf, windowOf } from './output-window.js';
import { TurnedLosses } from './sampled-losses.js';
import type { CutLaw, Decay, Guess, SpectralLaw } from './spectral-law.js';
import { WindowedGaussian } from './windowed-gaussian.js';

/** Bounds of |φ| kept of one cut law: those of the line at hand. Speed alone hangs on it. */
const KEPT_DECAYS = 4;
/** Cut laws kept of one step, and whole ones. */
const MAX_CUTS = 16;
const MAX_WHOLE = 4;
/** Losses of less noise turn too fast for sums over outputs, and smaller rates need lines too long for any: their laws are not cut. */
const LARGEST_CUT_MU = 8;
const SMALLEST_CUT_RATE = 1e-7;
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
 * The Poisson-subsampled Gaussian pair P = N(0, σ²), Q = (1−q)P + qN(1, σ²), in x = o/σ and μ = 1/σ: loss
 * y(x) = log u, u = 1 − q + q e^{s}, s = μx − μ²/2, and M(z) = ∫ φ(x) u^z dx.
 */
export function subsampledGaussianSpectrum(kernel: Kernel, sigma: number, rate: number): SpectralLaw {
  const mu = 1 / sigma;
  const losses = new TurnedLosses(kernel, mu, rate);
  const cuts = new Recent<string, CutLaw>(MAX_CUTS);
  const wholes = new Recent<number, SpectralLaw>(MAX_WHOLE);
  const cut: SpectralLaw['cut'] = (_kernel, logMass, depth, logFew = logMass, width = WIDEST) => {
    const at = cutFor(mu, rate, rate < OFTEN ? logMass : logFew);
    return cuts.of(`${at}/${width}/${depth}`, () => {
      // what a sharp cut takes from outputs with the window's noise as well
      const { logLostP, logLostQ } = lostMass(mu / stretchOf(width), rate, at);
      const step = new WindowedGaussian(losses, endedWindow(at, width), depth, Infinity);
      return {
        logLostP,
        logLostQ,
        largest: step.largest,
        steepest: step.steepest,
        law: { ...lawOf(step), logMassP: logMassLeft(logLostP), logMassQ: logMassLeft(logLostQ) },
      };
    });
  };
  const wholeAt = (c: number, count: number): SpectralLaw => {
    const depth = UNIT * Math.ceil((DEPTH + log(count) + log(2 + Math.abs(c))) / UNIT);
    return wholes.of(depth, () => lawOf(new WindowedGaussian(losses, EVERYTHING, depth, Infinity)));
  };
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => wholeAt(c, count).cumulant(c, count),
    line: (_kernel, nodes, count) => wholeAt(nodes.c, count).line(kernel, nodes, count),
    decay: (c) => wholeAt(c, 1).decay(c),
    ...(isCut(mu, rate) && { cut }),
  };
}

function lawOf(step: WindowedGaussian): SpectralLaw {
  const decays = new Recent<number, Decay>(KEPT_DECAYS);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => {
      const { log: value, error, mean, variance } = step.moments(c);
      const own = counted({ value, mean, variance }, count);
      return { ...own, error: count * error + U * Math.abs(own.value) };
    },
    near: (tilts, count) => step.near(tilts).map((guess) => counted(guess, count)),
    line: (_kernel, nodes, count) => step.logPhi(nodes, count),
    decay: (c) => decays.of(c, () => step.decay(c)),
  };
}

function counted({ value, mean, variance }: Guess, count: number): Guess {
  return { value: count * value, mean: count * mean, variance: count * variance };
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

/** The least multiple of ¼ that outputs exceed with at most e^{logMass} of P and of Q. */
export function cutFor(mu: number, q: number, logMass: number): number {
  const enough = (cut: number): boolean => lostMass(mu, q, cut).logLostQ <= logMass;
  let low = 0;
  // where most lie
  let high = 8;
  while (!enough(high)) [low, high] = [high, 2 * high];
  while (high - low > 0.25) {
    const middle = (low + high) / 2;
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
