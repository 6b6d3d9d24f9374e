import type { LogPhiLine } from '../step/spectral-law.js';

/**
 * log M of a run on the vertical line Re z = c, at z = c + i·k·dTau: the state from which δ, FPR and TPR near the
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
}

const U = 2 ** -53;

/** The table of nothing composed. */
export function emptyTable(c: number, dTau: number, n: number): LineTable {
  const zeros = (): Float64Array => new Float64Array(n);
  const none = { logM: 0, logMError: 0, logMassP: 0, logMassQ: 0 };
  return { c, dTau, logModulus: zeros(), phase: zeros(), error: zeros(), quadrature: zeros(), ...none };
}

/** The table of two runs one after the other; lines and lengths must be the same. */
export function addTables(a: LineTable, b: LineTable): LineTable {
  const n = a.logModulus.length;
  if (a.c !== b.c || a.dTau !== b.dTau || n !== b.logModulus.length)
    throw new RangeError(`"tables" must lie on one line; got c = ${a.c} and ${b.c}`);
  const logModulus = new Float64Array(n);
  const phase = new Float64Array(n);
  const error = new Float64Array(n);
  const quadrature = new Float64Array(n);
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
  const logM = a.logM + b.logM;
  return {
    c: a.c,
    dTau: a.dTau,
    logModulus,
    phase,
    error,
    quadrature,
    logM,
    logMError: a.logMError + b.logMError + U * Math.abs(logM),
    logMassP: a.logMassP + b.logMassP,
    logMassQ: a.logMassQ + b.logMassQ,
  };
}

/**
 * What is asked of a line: δ = E_P[(e^L − e^x)⁺] with kernel 1/(z(z−1)), power = Q(L > x) with 1/(z−1), or
 * false positives P(L > x) with 1/z (the pair with an atom at x split in half).
 */
export type Functional = 'delta' | 'power' | 'falsePositive';

/** The trapezoidal sum Δ/2π Σ_k M(z_k) r(z_k) e^{−(z_k − a)x}, divided by M(c) e^{−(c−a)x}. */
export interface LineSum {
  readonly sum: number;
  /** Bounds on its error from rounding and from quadrature. */
  readonly roundOff: number;
  readonly quadrature: number;
}

/** sinh x, x ≥ 0, to a few ulp. */
function hyperbolicSine(x: number, exp: (x: number) => number): number {
  if (x > 0.5) return (exp(x) - exp(-x)) / 2;
  const z = x * x;
  return x * (1 + (z / 6) * (1 + (z / 20) * (1 + (z / 42) * (1 + (z / 72) * (1 + z / 110)))));
}

const INVERSE_PI = 0.3183098861837907;

/**
 * One dot product with the table.
 *
 * @param window The mean over [x − window/2, x + window/2] instead of the value at x: r(z) gains the factor
 *   sinh(w)/w, w = (z − a)·window/2.
 */
export function lineSum(
  table: LineTable,
  functional: Functional,
  x: number,
  trig: { exp(x: number): number; sinPi(x: number): number; cosPi(x: number): number },
  window = 0,
): LineSum {
  const { c, dTau, logModulus, phase, error, quadrature } = table;
  const n = logModulus.length;
  const s = c - 1;
  const half = window / 2;
  const across = (functional === 'falsePositive' ? c : s) * half;
  const sinh = hyperbolicSine(across, trig.exp);
  const cosh = (trig.exp(across) + trig.exp(-across)) / 2;
  let sum = 0;
  let roundOff = 0;
  let integration = 0;
  let size = 0;
  for (let k = 0; k < n; k++) {
    const tau = k * dTau;
    const angle = phase[k] - tau * x;
    const amplitude = trig.exp(logModulus[k]) * (k === 0 ? 0.5 : 1);
    if (amplitude === 0) continue;
    // r(z) = conj(d)/|d|², d the denominator
    let re = functional === 'delta' ? c * s - tau * tau : functional === 'power' ? s : c;
    let im = functional === 'delta' ? tau * (c + s) : tau;
    const norm = amplitude / (re * re + im * im);
    let magnitude = norm * Math.sqrt(re * re + im * im);
    const along = tau * half;
    if (window > 0) {
      // r(z) sinh(w)/w, 1/w = conj(w)/|w|²
      const square = across * across + along * along;
      const cos = trig.cosPi(along * INVERSE_PI);
      const sin = trig.sinPi(along * INVERSE_PI);
      const meanRe = (sinh * cos * across + cosh * sin * along) / square;
      const meanIm = (cosh * sin * across - sinh * cos * along) / square;
      [re, im] = [re * meanRe + im * meanIm, im * meanRe - re * meanIm];
      magnitude *= cosh * Math.min(1, 1 / Math.sqrt(square));
    }
    const turn = angle * INVERSE_PI;
    sum += norm * (re * trig.cosPi(turn) + im * trig.sinPi(turn));
    size += magnitude;
    const own =
      error[k] +
      U * (24 + Math.abs(logModulus[k]) + 3 * Math.abs(phase[k]) + 6 * tau * Math.abs(x) + 8 * along) +
      (window > 0 ? 24 * U : 0);
    // e^x − 1 ≤ 1.3x for x ≤ ½
    const sound = own + quadrature[k] < 0.5;
    roundOff += magnitude * (sound ? 1.3 * own : own < Infinity ? 1 + trig.exp(own + quadrature[k]) : 2.1);
    if (sound) integration += magnitude * 1.3 * quadrature[k];
  }
  const unit = dTau * INVERSE_PI;
  return {
    sum: sum * unit,
    roundOff: unit * (roundOff + (n + 8) * U * size),
    quadrature: unit * integration,
  };
}
