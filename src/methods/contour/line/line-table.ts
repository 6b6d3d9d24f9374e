import { floats } from '../../../kernel/floats.js';
import { U } from '../../../numeric/constants.js';
import type { LogPhiLine } from '../step/spectral-law.js';

/**
 * log M of a run on the vertical line Re z = c, at z = c + i·k·dTau. From this state δ, FPR and TPR near the
 * saddle point c follow by one dot product each. Tables on the same line are added: log M of a composition
 * is the sum of its parts' (`addTables`), and so are the error bounds.
 */
export interface LineTable extends LogPhiLine {
  readonly c: number;
  readonly dTau: number;
  /** log M(c) at the contour's tilt; `logMError` bounds its error. */
  readonly logM: number;
  readonly logMError: number;
  /** log of the P-mass and of the Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** Error of either, besides rounding. */
  readonly massError: number;
}

type Masses = Pick<LineTable, 'logM' | 'logMError' | 'logMassP' | 'logMassQ' | 'massError'>;

/** A table without masses, unless given. */
export function tableOf(
  { logModulus, phase, error, quadrature }: LogPhiLine,
  { c, dTau }: Pick<LineTable, 'c' | 'dTau'>,
  { logM = 0, logMError = 0, logMassP = 0, logMassQ = 0, massError = 0 }: Partial<Masses> = {},
): LineTable {
  return { logModulus, phase, error, quadrature, c, dTau, logM, logMError, logMassP, logMassQ, massError };
}

/**
 * log φ of the composition of two runs, at the same frequencies: a sum. Ensures: errors are those of both, and roundings; where the phase is unknown,
 * log|φ| stays an upper bound.
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
    // an upper bound of a modulus includes the other law's error
    if (error[k] === Infinity)
      logModulus[k] += [a, b].reduce(
        (s, t) => s + (t.error[k] < Infinity ? t.error[k] + t.quadrature[k] : 0),
        0,
      );
  }
  return { logModulus, phase, error, quadrature };
}

/** The table of the composition of two runs, on the same nodes. Ensures: errors of the sum are those of both, and its roundings. */
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
 * The functionals computed along a contour, with their kernels. δ = E_P[(e^L − e^x)⁺] has 1/(z(z−1)), power Q(L > x) has 1/(z−1), and false positives
 * P(L > x) have 1/z. An atom at x counts half.
 */
export type Functional = 'delta' | 'power' | 'falsePositive';
