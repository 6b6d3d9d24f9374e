import { type Call, calling, giving, type Loop, results, scratch } from './call.js';
import { LAW_ROOM } from './constants.js';
import { floats } from './floats.js';
import { LOG_PHI_ROWS } from './kernel-table.js';

/**
 * One step of a Poisson-subsampled Gaussian, μ = sensitivity/σ. Its outputs are truncated by a smooth window of edge width `width`, which ends at
 * `cut` standard deviations of outputs plus the window's noise. Both are ∞ where the window keeps all outputs. Integrals over outputs have relative
 * errors of about e^{−depth}.
 */
export interface SampledLaw {
  readonly mu: number;
  readonly q: number;
  readonly cut: number;
  readonly width: number;
  readonly depth: number;
}

/**
 * A window, and logs of upper bounds of the masses of P and of Q that it takes. The largest tilts at which M and contours are worth asking for are
 * approximate.
 */
export interface SampledCut {
  readonly cut: number;
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly largest: number;
  readonly steepest: number;
}

/** Numbers that a call found, and its work in units; the caller charges that to the meter. */
export interface Worked {
  readonly numbers: Float64Array;
  readonly work: number;
}

/** The law of a sampled Gaussian step (assembly/law-calls.ts). A call may cost `allowance` units of work; beyond, its bounds are infinite. */
export interface LawKernel {
  /** A plan: the window of a given edge width whose truncation takes about e^{logMass} of the mass of Q. */
  sampledCut(step: Pick<SampledLaw, 'mu' | 'q'>, logMass: number, width: number, depth: number): SampledCut;
  /** Four numbers for each tilt: log M, a bound of its error, mean and variance of the tilted loss. The bound is ∞ where log M is not known. @param bounded 0 for a few digits without bounds. */
  sampledCumulants(law: SampledLaw, tilts: Float64Array, bounded: 0 | 1, allowance: number): Worked;
  /** count·log φ at τ = k·dTau, k < n, in the four rows of `logPhi`. The first number is NaN where that would cost too much. */
  sampledLine(
    law: SampledLaw,
    count: number,
    line: { readonly c: number; readonly dTau: number; readonly n: number },
    allowance: number,
  ): Worked;
  /** Upper bounds of log|φ| on the stretches between ascending frequencies, those of `enough` no lower; and V with |φ(τ)| ≤ V/|τ|. */
  sampledDecay(law: SampledLaw, c: number, taus: Float64Array, enough: number, allowance: number): Worked;
  /** Sharper upper bounds of log|φ|, by paths off the axis: each holds at its frequency and beyond. */
  sampledFar(law: SampledLaw, c: number, taus: Float64Array, allowance: number): Worked;
}

const numbersOf = ({ mu, q, cut, width, depth }: SampledLaw, allowance: number): Float64Array =>
  Float64Array.of(mu, q, cut, width, depth, allowance);

/** A call of a function of law-calls.ts: its memory operand precedes the numbers that it gives. */
const worked = (numbers: Float64Array, operands: Call<Worked>['with'], rows = 1): Call<Worked> =>
  calling((work) => ({ numbers, work }), [...operands, scratch(LAW_ROOM), results(numbers, rows)]);

const none = (): number => 0;

export const LAWS: { readonly [K in keyof LawKernel]: Loop<LawKernel[K]> } = {
  sampledCut: {
    price: 2000,
    terms: () => 1,
    call({ mu, q }, logMass, width, depth) {
      const { with: operands, into } = giving(floats(5), mu, q, logMass, width, depth);
      const made = into as Float64Array;
      const gives = (): SampledCut => {
        const [cut, logLostP, logLostQ, largest, steepest] = made;
        return { cut, logLostP, logLostQ, largest, steepest };
      };
      return { with: operands, gives, into };
    },
  },
  sampledCumulants: {
    price: 0,
    terms: none,
    call: (law, tilts, bounded, allowance) =>
      worked(floats(4 * tilts.length), [numbersOf(law, allowance), tilts, tilts.length, bounded]),
  },
  sampledLine: {
    price: 0,
    terms: none,
    call: (law, count, { c, dTau, n }, allowance) =>
      worked(floats(LOG_PHI_ROWS * n), [numbersOf(law, allowance), count, c, dTau, n], LOG_PHI_ROWS),
  },
  sampledDecay: {
    price: 0,
    terms: none,
    call: (law, c, taus, enough, allowance) =>
      worked(floats(taus.length), [numbersOf(law, allowance), c, taus, taus.length, enough]),
  },
  sampledFar: {
    price: 0,
    terms: none,
    call: (law, c, taus, allowance) =>
      worked(floats(taus.length), [numbersOf(law, allowance), c, taus, taus.length]),
  },
};
