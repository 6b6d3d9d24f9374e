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
  /** log M(c), and a bound on its error. */
  readonly logM: number;
  readonly logMError: number;
  /** log of the P- and Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** What either may be off by, beside roundings of itself. */
  readonly massError: number;
}

type Masses = Pick<LineTable, 'logM' | 'logMError' | 'logMassP' | 'logMassQ' | 'massError'>;

/** A line at its place, of which no masses are known unless given. */
export function tableOf(
  { logModulus, phase, error, quadrature }: LogPhiLine,
  { c, dTau }: Pick<LineTable, 'c' | 'dTau'>,
  { logM = 0, logMError = 0, logMassP = 0, logMassQ = 0, massError = 0 }: Partial<Masses> = {},
): LineTable {
  return { logModulus, phase, error, quadrature, c, dTau, logM, logMError, logMassP, logMassQ, massError };
}

/** The table of nothing composed. */
export function emptyTable(c: number, dTau: number, n: number): LineTable {
  const [logModulus, phase, error, quadrature] = [0, 1, 2, 3].map(() => floats(n));
  return tableOf({ logModulus, phase, error, quadrature }, { c, dTau });
}

/** log φ of two runs one after the other, at the same frequencies. */
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
    // a modulus that is only bounded takes the other's error into the bound
    if (error[k] === Infinity)
      logModulus[k] += [a, b].reduce(
        (s, t) => s + (t.error[k] < Infinity ? t.error[k] + t.quadrature[k] : 0),
        0,
      );
  }
  return { logModulus, phase, error, quadrature };
}

/** The table of two runs one after the other; lines and lengths must be the same. */
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
 * What is asked of a line. δ = E_P[(e^L − e^x)⁺] has the kernel 1/(z(z−1)), power = Q(L > x) has 1/(z−1), and
 * false positives P(L > x) have 1/z. The pair has an atom at x split in half.
 */
export type Functional = 'delta' | 'power' | 'falsePositive';
