import type { Kernel } from '../../../kernel/kernel.js';
import { Recent } from '../../../numeric/recent.js';
import { log } from '../../../numeric/scalar.js';
import { CutGaussian } from './cut-gaussian.js';
import { logMassLeft, lostMass } from './lost-mass.js';
import type { CutLaw, Decay, SpectralLaw } from './spectral-law.js';

/** Bounds of |φ| kept of one cut law: those of the line at hand. Speed alone hangs on it. */
const KEPT_DECAYS = 4;
/** Cut laws kept of one step, and whole ones. */
const MAX_CUTS = 16;
const MAX_WHOLE = 4;
/** Losses of less noise turn too fast for panels of outputs, and smaller rates need lines too long for any: their laws are not cut. */
const LARGEST_CUT_MU = 8;
const SMALLEST_CUT_RATE = 1e-7;
/** Steps of smaller rates lose much rarely. Only speed and width hang on it. */
const OFTEN = 0.05;
/** Integrals of whole laws are good to e^{−depth} and better; depths are multiples of this, and so are the outputs where panels end. */
const DEPTH = 42;
const UNIT = 4;

/**
 * The Poisson-subsampled Gaussian pair P = N(0, σ²), Q = (1−q)P + qN(1, σ²), in x = o/σ and μ = 1/σ: loss
 * y(x) = log u, u = 1 − q + q e^{s}, s = μx − μ²/2, and M(z) = ∫ φ(x) u^z dx. The whole law is that of `CutGaussian` with panels as far out as a tilt needs.
 */
export function subsampledGaussianSpectrum(kernel: Kernel, sigma: number, rate: number): SpectralLaw {
  const mu = 1 / sigma;
  const step = { mu, q: rate };
  const cuts = new Recent<string, CutLaw>(MAX_CUTS);
  const wholes = new Recent<string, CutGaussian>(MAX_WHOLE);
  const cut: SpectralLaw['cut'] = (_kernel, logMass, depth, logFew = logMass) => {
    const at = cutFor(mu, rate, rate < OFTEN ? logMass : logFew);
    return cuts.of(`${at}/${depth}`, () => cutLaw(new CutGaussian(kernel, step, at, depth)));
  };
  const wholeAt = (c: number, count: number): CutGaussian => {
    const depth = unitsAbove(DEPTH + log(count) + log(2 + Math.abs(c)));
    // φ and φu as well as φu^c
    const end = unitsAbove(mu * Math.max(1, c) + Math.sqrt(2 * depth) + 1);
    return wholes.of(
      `${end}/${depth}`,
      () => new CutGaussian(kernel, { mu, q: rate, whole: true }, end, depth),
    );
  };
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => wholeAt(c, count).cumulant(c, count),
    line: (_kernel, nodes, count) => wholeAt(nodes.c, count).line(nodes, count),
    decay: (c) => wholeAt(c, 1).decay(c),
    ...(isCut(mu, rate) && { cut }),
  };
}

function unitsAbove(x: number): number {
  return UNIT * Math.ceil(x / UNIT);
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

function cutLaw(law: CutGaussian): CutLaw {
  const { logLostP, logLostQ } = law.lost;
  const decays = new Recent<number, Decay>(KEPT_DECAYS);
  return {
    logLostP,
    logLostQ,
    law: {
      logMassP: logMassLeft(logLostP),
      logMassQ: logMassLeft(logLostQ),
      cumulant: (c, count) => law.cumulant(c, count),
      near: (tilts, count) => law.near(tilts, count),
      above: (c, count) => law.above(c, count),
      cheap: [law.leastCheap, Infinity],
      line: (_kernel, nodes, count) => law.line(nodes, count),
      decay: (c) => decays.of(c, () => law.decay(c)),
    },
  };
}
