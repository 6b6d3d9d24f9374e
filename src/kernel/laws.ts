import { type Call, calling, type Loop, results, scratch } from './call.js';
import { LAW_ROOM } from './constants.js';
import { floats } from './floats.js';
import { LOG_PHI_ROWS } from './kernel-table.js';

/** The law of one step, untruncated (assembly/question/law-calls.ts). */
export interface KernelStep {
  /** μ = sensitivity/σ of a Poisson-subsampled Gaussian; the constant `MIXTURE`, `EXPONENTIAL`, `ATOMS` or `EPOCHS` for other kinds. */
  readonly mu: number;
  /** The sampling rate of such a Gaussian; 0 for others. */
  readonly rate: number;
  /**
   * Parameters of the other kinds. Mixtures: numbers of components of plus and minus, and for each its shifts and weights. Exponentials: rate,
   * range ε₀, weight and atom. Atoms: see assembly/law/atoms.ts. Epochs: see assembly/law/bins.ts.
   */
  readonly own?: Float64Array;
}

/**
 * A step whose outputs are truncated smoothly: output x is kept with probability Φ((cut − x)/width), or in other units for other kinds. Epochs keep
 * outputs with |η| ≤ cut, log(1 + η) the loss without its Gaussian part. Both numbers are ∞ where all outputs are kept. Integrals over outputs have
 * relative errors of about e^{−depth}.
 */
export interface WindowedStep extends KernelStep {
  readonly cut: number;
  readonly width: number;
  readonly depth: number;
}

/**
 * A truncation (cut NaN for none), and logs of upper bounds of the masses of P and of Q that it removes. `largest` is about the largest tilt at
 * which M is known, `steepest` that at which contours are computed; they enter no bound.
 */
export interface LawCut {
  readonly cut: number;
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly largest: number;
  readonly steepest: number;
}

/** Numbers that a call found, and its work in units (docs/effort.md), which the caller charges to the meter. */
export interface Worked {
  readonly numbers: Float64Array;
  readonly work: number;
}

/**
 * The law of a step (assembly/question/law-calls.ts). A call may cost `allowance` units of work; where that does not suffice, its bounds are
 * infinite.
 */
export interface LawKernel {
  /**
   * A truncation with an edge of the given width that removes about e^{logMass} of the mass of Q. Where it cuts is heuristic; the masses removed
   * are bounded.
   */
  lawCut(step: KernelStep, logMass: number, width: number, depth: number): LawCut;
  /**
   * Four numbers for each tilt: log M, a bound of its error, mean and variance of the tilted loss. The bound is ∞ where log M is not known.
   * @param bounded 0 for a few digits without bounds.
   */
  lawCumulants(law: WindowedStep, tilts: Float64Array, bounded: 0 | 1, allowance: number): Worked;
  /**
   * count·log φ(τ), φ(τ) = M(c + iτ)/M(c), at τ = k·dTau, k < n. Four rows: log|φ|, arg φ, and bounds of the rounding and of the quadrature error.
   * The first number is NaN where that would cost too much.
   */
  lawLine(
    law: WindowedStep,
    count: number,
    line: { readonly c: number; readonly dTau: number; readonly n: number },
    allowance: number,
  ): Worked;
  /**
   * Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| between consecutive ascending frequencies, not improved below `enough`. Then A and V with |φ(τ)|
   * ≤ A + V/|τ|.
   */
  lawDecay(law: WindowedStep, c: number, taus: Float64Array, enough: number, allowance: number): Worked;
  /** Tighter upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)|, from integrals off the real axis of outputs: each holds at its frequency and beyond. */
  lawFar(law: WindowedStep, c: number, taus: Float64Array, allowance: number): Worked;
}

/** The law of a step as the kernel reads it: six numbers, then the kind's own. */
const numbersOf = ({ mu, rate, cut, width, depth, own }: WindowedStep, allowance: number): Float64Array => {
  const numbers = floats(6 + (own?.length ?? 0));
  numbers.set([mu, rate, cut, width, depth, allowance]);
  if (own !== undefined) numbers.set(own, 6);
  return numbers;
};

/** A call of a function of law-calls.ts, whose last operands are its memory and the room for `numbers`; it returns its work. */
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
