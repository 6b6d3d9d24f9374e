import { floats } from '../../../kernel/floats.js';
import { U } from '../../../numeric/constants.js';
import type { LogPhiLine } from '../step/spectral-law.js';

/**
 * log φ(τ) = log M(c + iτ) − log M(c) of a run at τ = k·dTau, k = 0, 1, …, with error bounds. From these values δ, FPR and TPR at losses x near the
 * saddle point's ε follow by one dot product each. Tables of two runs on the same nodes are added to compose the runs (`addTables`).
 */
export interface LineTable extends LogPhiLine {
  readonly c: number;
  readonly dTau: number;
  /** log M(c); `logMError` bounds its error. */
  readonly logM: number;
  readonly logMError: number;
  /** log of the P-mass and of the Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** Absolute error of either log mass, besides rounding. */
  readonly massError: number;
}

type Masses = Pick<LineTable, 'logM' | 'logMError' | 'logMassP' | 'logMassQ' | 'massError'>;

/** A table of log φ(τ) = log M(c + iτ) − log M(c) at the nodes τ = k·dTau. log M(c) and the log masses are 0 unless given. */
export function tableOf(
  { logModulus, phase, error, quadrature }: LogPhiLine,
  { c, dTau }: Pick<LineTable, 'c' | 'dTau'>,
  { logM = 0, logMError = 0, logMassP = 0, logMassQ = 0, massError = 0 }: Partial<Masses> = {},
): LineTable {
  return { logModulus, phase, error, quadrature, c, dTau, logM, logMError, logMassP, logMassQ, massError };
}

/**
 * log φ(τ) = log M(c + iτ) − log M(c) of the composition of two runs at the same frequencies τ: the sum of theirs. Ensures: the error bounds are sums
 * too, with the roundings of the addition. Where the phase of either is unknown (error ∞), log|φ| is an upper bound.
 */
function addLines(a: LogPhiLine, b: LogPhiLine): LogPhiLine {
  const n = a.logModulus.length;
  const logModulus = floats(n);
  const phase = floats(n);
  const error = floats(n);
  const quadrature = floats(n);
  for (let k = 0; k < n; k++) {
    logModulus[k] = a.logModulus[k] + b.logModulus[k];
    phase[k] = a.phase[k] + b.phase[k];
    error[k] = a.error[k] + b.error[k] + U * (Math.abs(logModulus[k]) + Math.abs(phase[k]));
    quadrature[k] = a.quadrature[k] + b.quadrature[k];
    // only an upper bound of log|φ| is wanted here: the run whose value is known adds its error
    if (error[k] === Infinity)
      logModulus[k] += [a, b].reduce(
        (s, t) => s + (t.error[k] < Infinity ? t.error[k] + t.quadrature[k] : 0),
        0,
      );
  }
  return { logModulus, phase, error, quadrature };
}

/**
 * The table of the composition of two runs on the same nodes: log φ, log M(c) and log masses are sums. Ensures: so are the errors, with the
 * roundings of the addition.
 */
export function addTables(a: LineTable, b: LineTable): LineTable {
  if (a.c !== b.c || a.dTau !== b.dTau || a.logModulus.length !== b.logModulus.length)
    throw new RangeError(`"tables" must lie on one line; got c = ${a.c} and ${b.c}`);
  const logM = a.logM + b.logM;
  return tableOf(addLines(a, b), a, {
    logM,
    logMError: a.logMError + b.logMError + U * Math.abs(logM),
    logMassP: a.logMassP + b.logMassP,
    logMassQ: a.logMassQ + b.logMassQ,
    massError: a.massError + b.massError,
  });
}

/**
 * What is computed along a contour. δ(x) = E_P[(e^L − e^x)⁺] has the kernel 1/(z(z−1)). The power Q(L > x) has 1/(z−1), and the false positive rate
 * P(L > x) has 1/z. An atom of the loss at x counts half in the rates.
 */
export type Functional = 'delta' | 'power' | 'falsePositive';
