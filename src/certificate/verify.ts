/**
 * Checks a certificate by another route: δ(ε) by a contour integral computed here from the densities, with the
 * host's own Math functions, a contour and quadratures of its own. Shares no code with what made it.
 */
import { flatten, type Phase, sampledLoss } from './phases.js';

/** What came of it. 'unsupported' where this route does not reach: steps known by a guarantee alone, atoms without a lattice, very few steps. */
export interface Verification {
  readonly verdict: 'confirmed' | 'refuted' | 'undecided' | 'unsupported';
  /** log δ as found here, and how far it may be off. */
  readonly logDelta?: number;
  readonly error?: number;
  readonly reason: string;
}

/**
 * @param certificate Parsed JSON of a certificate (see `certify`).
 * @throws TypeError if it is not one.
 */
export function verify(certificate: unknown): Verification {
  const { mechanism, adjacency, epsilon, lower, upper } = claimOf(certificate);
  const phases: Phase[] = [];
  const unknown = flatten(mechanism, 1, adjacency === 'replace-one' ? 2 : 1, phases);
  if (unknown !== undefined) return { verdict: 'unsupported', reason: unknown };
  if (phases.length === 0) return { verdict: 'unsupported', reason: 'the run has no steps' };
  const found = [true, false].map((remove) => logDeltaOf(phases, epsilon, remove));
  if (found.some((each) => each === undefined)) {
    const reason = 'the integral does not settle: too few steps, atoms, or noise out of range';
    return { verdict: 'unsupported', reason };
  }
  const logDelta = Math.max(...found.map((each) => each!.value));
  const error = Math.max(...found.map((each) => each!.error)) + 1e-12 * (1 + Math.abs(logDelta));
  const rest = { logDelta, error };
  if (!(error <= 1e-4))
    return { verdict: 'undecided', reason: 'this route is not accurate enough here', ...rest };
  if (logDelta + error < lower || logDelta - error > upper)
    return { verdict: 'refuted', reason: 'the value found lies outside the certified bracket', ...rest };
  return { verdict: 'confirmed', reason: 'the value found lies in the certified bracket', ...rest };
}

function claimOf(data: unknown) {
  const given = (data ?? {}) as Record<string, unknown>;
  const { lower, upper } = (given['logDelta'] ?? {}) as Record<string, unknown>;
  const [low, high] = [lower, upper].map((x) => (x === '-Infinity' ? -Infinity : x));
  const { format, version, mechanism, adjacency, epsilon } = given;
  if (format !== 'gdp-kernel-certificate' || version !== 1)
    throw new TypeError('"format" must be gdp-kernel-certificate and "version" 1: this is not a certificate');
  if (typeof epsilon !== 'number' || typeof low !== 'number' || typeof high !== 'number' || !(low <= high))
    throw new TypeError('"epsilon" and "logDelta" must be a number and a bracket {lower, upper}');
  return { mechanism, adjacency, epsilon, lower: low, upper: high };
}

/** Σ count·log M(c + iτ), M(z) = E_base[(other/base)^z; both]; direction 'add' is M(1 − z). */
function logM(phases: readonly Phase[], c: number, tau: number, remove: boolean): [number, number] {
  let re = 0;
  let im = 0;
  for (const { outputs, apart = 0, rate, count } of phases) {
    const [a, b] = remove ? [c, tau] : [1 - c, -tau];
    // E[(ratio)^z] − 1, each term without cancellation
    let x = -apart;
    let y = 0;
    for (const [mass, s] of outputs(a, b)) {
      const loss = sampledLoss(s, rate);
      const growth = Math.expm1(a * loss);
      const half = Math.sin((b * loss) / 2);
      x += mass * (growth * Math.cos(b * loss) - 2 * half * half);
      y += mass * (growth + 1) * Math.sin(b * loss);
    }
    re += 0.5 * count * Math.log1p(2 * x + x * x + y * y);
    im += count * Math.atan2(y, 1 + x);
  }
  return [re, im];
}

/** δ = (1/π)∫₀ Re[M(z) e^{−(z−1)ε} k(z)] dτ on Re z = c: k = 1/(z(z − 1)) to ∞, or the sum over a lattice of losses to π/spacing. */
interface Kernel {
  readonly end: number;
  at(c: number, tau: number): [number, number];
}

function kernelFor(phases: readonly Phase[], epsilon: number, remove: boolean): Kernel {
  const spacing = Math.min(...phases.map(({ lattice }) => lattice));
  const shared = phases.every(
    ({ lattice }) => Math.abs(lattice / spacing - Math.round(lattice / spacing)) < 1e-12,
  );
  if (!(spacing > 0 && shared)) {
    const at = (c: number, tau: number): [number, number] => {
      const [a, b] = [c * (c - 1) - tau * tau, tau * (2 * c - 1)];
      return [a / (a * a + b * b), -b / (a * a + b * b)];
    };
    return { end: Infinity, at };
  }
  const loss = phases.reduce(
    (sum, { outputs, rate, count }) => sum + count * sampledLoss(outputs(0, 0)[0][1], rate),
    0,
  );
  const place = ((remove ? loss : -loss) - epsilon) / spacing;
  // from ε to the next loss above
  const gap = (place - Math.floor(place)) * spacing;
  // e^{−w·gap}/(1 − e^{−w·spacing}) for w = a + iτ
  const geometric = (a: number, tau: number): [number, number] => {
    const share = Math.exp(-a * spacing);
    const [x, y] = [1 - share * Math.cos(tau * spacing), share * Math.sin(tau * spacing)];
    const size = Math.exp(-a * gap) / (x * x + y * y);
    const [p, q] = [Math.cos(tau * gap), -Math.sin(tau * gap)];
    return [size * (p * x + q * y), size * (q * x - p * y)];
  };
  const at = (c: number, tau: number): [number, number] => {
    const [first, second] = [geometric(c - 1, tau), geometric(c, tau)];
    return [spacing * (first[0] - second[0]), spacing * (first[1] - second[1])];
  };
  return { end: Math.PI / spacing, at };
}

/** log δ by trapezoids halved until they agree. */
function logDeltaOf(
  phases: readonly Phase[],
  epsilon: number,
  remove: boolean,
): { value: number; error: number } | undefined {
  const kernel = kernelFor(phases, epsilon, remove);
  const exponent = (c: number) =>
    logM(phases, c, 0, remove)[0] - (c - 1) * epsilon + Math.log(kernel.at(c, 0)[0]);
  let [low, high] = [Math.log(1e-4), Math.log(300)];
  for (let i = 0; i < 60; i++) {
    const [p, q] = [low + (high - low) * 0.382, low + (high - low) * 0.618];
    const [f, g] = [exponent(1 + Math.exp(p)), exponent(1 + Math.exp(q))];
    if (f < g || Number.isNaN(g)) high = q;
    else low = p;
  }
  // a little off the saddle, so that the contour is not the one that was certified
  const c = 1 + 1.05 * Math.exp((low + high) / 2);
  const top = exponent(c);
  const step = 1e-3 * (c - 1);
  const curvature = (exponent(c + step) - 2 * top + exponent(c - step)) / (step * step);
  if (!(curvature > 0)) return undefined;
  const wide = 0.7 / Math.sqrt(curvature);
  let dTau = kernel.end < Infinity ? kernel.end / Math.ceil(kernel.end / wide) : wide;
  const failing = -Math.expm1(
    phases.reduce((sum, { apart = 0, count }) => sum + count * Math.log1p(-apart), 0),
  );
  let before = Number.NaN;
  for (let round = 0; round < 9; round++) {
    const sum = trapezoid(phases, epsilon, remove, kernel, c, dTau, top);
    if (sum === undefined) return undefined;
    const change = Math.abs(sum / before - 1);
    if (change < 1e-11) {
      const value = top + Math.log(sum);
      return { value: failing > 0 ? Math.log(Math.exp(value) + failing) : value, error: 10 * change + 1e-11 };
    }
    before = sum;
    dTau /= 2;
  }
  return undefined;
}

function trapezoid(
  phases: readonly Phase[],
  epsilon: number,
  remove: boolean,
  kernel: Kernel,
  c: number,
  dTau: number,
  top: number,
): number | undefined {
  const last = Math.round(kernel.end / dTau);
  let sum = 0;
  let quiet = 0;
  for (let k = 0; k <= Math.min(last, 3000); k++) {
    const tau = k * dTau;
    const [re, im] = logM(phases, c, tau, remove);
    const size = Math.exp(re - (c - 1) * epsilon - top);
    const angle = im - tau * epsilon;
    const [a, b] = kernel.at(c, tau);
    const term = size * (a * Math.cos(angle) - b * Math.sin(angle));
    if (Number.isNaN(term)) return undefined;
    sum += k === 0 || k === last ? term / 2 : term;
    quiet = size * Math.hypot(a, b) < 1e-17 * Math.abs(sum) ? quiet + 1 : 0;
    if (quiet > 30 || k === last) return (sum * dTau) / Math.PI;
  }
  return undefined;
}
