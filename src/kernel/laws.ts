import { type Call, calling, type Loop, results, scratch } from './call.js';
import { LAW_ROOM } from './constants.js';
import { floats } from './floats.js';
import { LOG_PHI_ROWS } from './kernel-table.js';

/** The law of one step without its window (assembly/question/law-calls.ts). */
export interface KernelStep {
  /** μ = sensitivity/σ of a Poisson-subsampled Gaussian; `MIXTURE`, `EXPONENTIAL`, `ATOMS` or `EPOCHS` for others. */
  readonly mu: number;
  /** The sampling rate of such a Gaussian; 0 for others. */
  readonly rate: number;
  /**
   * What else the kind needs. Of mixtures: numbers of components of plus and minus, and for each its shifts and weights. Of exponentials: rate,
   * range, weight and atom. Of atoms: see assembly/law/atoms.ts. Of epochs: see assembly/law/bins.ts.
   */
  readonly own?: Float64Array;
}

/**
 * A step whose outputs are truncated by a smooth window of edge width `width`. It ends at `cut`: for subsampled Gaussians in standard deviations of
 * outputs plus the window's noise, for mixtures in those of outputs. Epochs end at |η| = cut. Both are ∞ where the window keeps all outputs. Integrals
 * over outputs have relative errors of about e^{−depth}.
 */
export interface WindowedStep extends KernelStep {
  readonly cut: number;
  readonly width: number;
  readonly depth: number;
}

/**
 * A window, its cut NaN for none, and logs of upper bounds of the masses of P and of Q that it takes. The largest tilts at which M and contours are
 * worth asking for are approximate.
 */
export interface LawCut {
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

/** The law of a step (assembly/question/law-calls.ts). A call may cost `allowance` units of work; beyond, its bounds are infinite. */
export interface LawKernel {
  /** Heuristic: the window of a given edge width whose truncation takes about e^{logMass} of the mass of Q. */
  lawCut(step: KernelStep, logMass: number, width: number, depth: number): LawCut;
  /** Four numbers for each tilt: log M, a bound of its error, mean and variance of the tilted loss. The bound is ∞ where log M is not known. @param bounded 0 for a few digits without bounds. */
  lawCumulants(law: WindowedStep, tilts: Float64Array, bounded: 0 | 1, allowance: number): Worked;
  /** count·log φ at τ = k·dTau, k < n, in the four rows of `logPhi`. The first number is NaN where that would cost too much. */
  lawLine(
    law: WindowedStep,
    count: number,
    line: { readonly c: number; readonly dTau: number; readonly n: number },
    allowance: number,
  ): Worked;
  /** Upper bounds of log|φ| on the stretches between ascending frequencies, those of `enough` no lower; and A and V with |φ(τ)| ≤ A + V/|τ|. */
  lawDecay(law: WindowedStep, c: number, taus: Float64Array, enough: number, allowance: number): Worked;
  /** Sharper upper bounds of log|φ|, by paths off the axis: each holds at its frequency and beyond. */
  lawFar(law: WindowedStep, c: number, taus: Float64Array, allowance: number): Worked;
}

const numbersOf = ({ mu, rate, cut, width, depth, own }: WindowedStep, allowance: number): Float64Array => {
  const numbers = floats(6 + (own?.length ?? 0));
  numbers.set([mu, rate, cut, width, depth, allowance]);
  if (own !== undefined) numbers.set(own, 6);
  return numbers;
};

/** A call of a function of law-calls.ts: its memory operand precedes the numbers that it gives. */
const worked = (numbers: Float64Array, operands: Call<Worked>['with'], rows = 1): Call<Worked> =>
  calling((work) => ({ numbers, work }), [...operands, scratch(LAW_ROOM), results(numbers, rows)]);

const none = (): number => 0;

export const LAWS: { readonly [K in keyof LawKernel]: Loop<LawKernel[K]> } = {
  lawCut: {
    price: 2000,
    terms: () => 1,
    call(step, logMass, width, depth) {
      const law = numbersOf({ ...step, cut: Infinity, width, depth }, Infinity);
      const made = floats(5);
      return calling((): LawCut => {
        const [cut, logLostP, logLostQ, largest, steepest] = made;
        return { cut, logLostP, logLostQ, largest, steepest };
      }, [law, logMass, scratch(LAW_ROOM), results(made)]);
    },
  },
  lawCumulants: {
    price: 0,
    terms: none,
    call: (law, tilts, bounded, allowance) =>
      worked(floats(4 * tilts.length), [numbersOf(law, allowance), tilts, tilts.length, bounded]),
  },
  lawLine: {
    price: 0,
    terms: none,
    call: (law, count, { c, dTau, n }, allowance) =>
      worked(floats(LOG_PHI_ROWS * n), [numbersOf(law, allowance), count, c, dTau, n], LOG_PHI_ROWS),
  },
  lawDecay: {
    price: 0,
    terms: none,
    call: (law, c, taus, enough, allowance) =>
      worked(floats(taus.length + 1), [numbersOf(law, allowance), c, taus, taus.length, enough]),
  },
  lawFar: {
    price: 0,
    terms: none,
    call: (law, c, taus, allowance) =>
      worked(floats(taus.length), [numbersOf(law, allowance), c, taus, taus.length]),
  },
};
