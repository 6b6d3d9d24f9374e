import { HALF_LOG_2PI, U } from './constants.js';
import { atan2, log } from './scalar.js';

/** Coefficients of Stirling's series: B_{2k}/(2k(2k − 1)), k = 1 … 8. */
const STIRLING = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
] as const;
const LARGE = 16;
/** Ten times the truncation error of these terms at |w| ≥ 16. */
const OF_SERIES = 1e-17;

/**
 * log Γ(x + iy), x ≥ 1, on the branch that is real for y = 0. `error` bounds the absolute error of either part.
 *
 * Stirling's series at |w| ≥ 16, reached by Γ(w + 1) = wΓ(w). With 8 terms its truncation error is at most 0.18·2⁹/|w|¹⁷ < 1e-18 (DLMF 5.11(ii), Re w
 * > 0).
 */
export function logGamma(x: number, y: number): { re: number; im: number; error: number } {
  let re = 0;
  let im = 0;
  let size = 0;
  let a = x;
  for (; a * a + y * y < LARGE * LARGE; a++) {
    const modulus = 0.5 * log(a * a + y * y);
    re -= modulus;
    im -= atan2(y, a);
    size += Math.abs(modulus) + 2;
  }
  const square = a * a + y * y;
  const modulus = 0.5 * log(square);
  const angle = atan2(y, a);
  re += (a - 0.5) * modulus - y * angle - a + HALF_LOG_2PI;
  im += (a - 0.5) * angle + y * modulus - y;
  size += (a + Math.abs(y)) * (2 + Math.abs(modulus) + Math.abs(angle));
  // Σ c_k w^{1−2k}
  const [inverseRe, inverseIm] = [a / square, -y / square];
  const squareRe = inverseRe * inverseRe - inverseIm * inverseIm;
  const squareIm = 2 * inverseRe * inverseIm;
  let [p, q] = [inverseRe, inverseIm];
  for (const coefficient of STIRLING) {
    re += coefficient * p;
    im += coefficient * q;
    [p, q] = [p * squareRe - q * squareIm, p * squareIm + q * squareRe];
  }
  return { re, im, error: 4 * U * size + OF_SERIES };
}

/** Digamma ψ(x) and trigamma ψ′(x), x > 0, with errors of about 1e-12: approximate. */
export function polygamma(x: number): { digamma: number; trigamma: number } {
  let [digamma, trigamma] = [0, 0];
  let a = x;
  for (; a < 12; a++) {
    digamma -= 1 / a;
    trigamma += 1 / (a * a);
  }
  const s = 1 / (a * a);
  digamma += log(a) - 0.5 / a - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s / 240)));
  trigamma += 1 / a + 0.5 * s + (s / a) * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s / 30)));
  return { digamma, trigamma };
}
