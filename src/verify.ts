/**
 * Checks a certificate by another route: δ(ε) by a contour integral computed here from the densities, with the
 * host's own Math functions, a contour and quadratures of its own. Shares no code with what made it.
 */

/** What came of it. 'unsupported' where this route does not reach: losses with atoms, sampling without replacement, very few steps. */
export interface Verification {
  readonly verdict: 'confirmed' | 'refuted' | 'undecided' | 'unsupported';
  /** log δ as found here, and how far it may be off. */
  readonly logDelta?: number;
  readonly error?: number;
  readonly reason: string;
}

interface Phase {
  readonly sigma: number;
  readonly rate: number;
  readonly count: number;
}

/**
 * @param certificate Parsed JSON of a certificate (see `certify`).
 * @throws TypeError if it is not one.
 */
export function verify(certificate: unknown): Verification {
  const { mechanism, adjacency, epsilon, lower, upper } = claimOf(certificate);
  const phases: Phase[] = [];
  const unsupported = flatten(mechanism, 1, adjacency === 'replace-one', phases);
  if (unsupported !== undefined) return { verdict: 'unsupported', reason: unsupported };
  if (phases.length === 0) return { verdict: 'unsupported', reason: 'the run has no steps' };
  const found = [true, false].map((remove) => logDeltaOf(phases, epsilon, remove));
  if (found.some((each) => each === undefined)) {
    return {
      verdict: 'unsupported',
      reason: 'the integral does not settle: too few steps, or noise out of range',
    };
  }
  const best = found.reduce((a, b) => (b!.value > a!.value ? b : a))!;
  const logDelta = best.value;
  const error = Math.max(...found.map((each) => each!.error)) + 1e-12 * (1 + Math.abs(best.value));
  const rest = { logDelta, error };
  if (error > 1e-4)
    return { verdict: 'undecided', reason: 'this route is not accurate enough here', ...rest };
  if (logDelta + error < lower || logDelta - error > upper) {
    return { verdict: 'refuted', reason: 'the value found lies outside the certified bracket', ...rest };
  }
  return { verdict: 'confirmed', reason: 'the value found lies in the certified bracket', ...rest };
}

function claimOf(data: unknown) {
  const given = (data ?? {}) as Record<string, unknown>;
  const { lower, upper } = (given['logDelta'] ?? {}) as Record<string, unknown>;
  const [low, high] = [lower, upper].map((x) => (x === '-Infinity' ? -Infinity : x));
  const { format, version, mechanism, adjacency, epsilon } = given;
  if (format !== 'gdp-kernel-certificate' || version !== 1) {
    throw new TypeError('"format" must be gdp-kernel-certificate and "version" 1: this is not a certificate');
  }
  if (typeof epsilon !== 'number' || typeof low !== 'number' || typeof high !== 'number' || !(low <= high)) {
    throw new TypeError('"epsilon" and "logDelta" must be a number and a bracket {lower, upper}');
  }
  return { mechanism, adjacency, epsilon, lower: low, upper: high };
}

/** The run as phases of (subsampled) Gaussians; or why it is none. */
function flatten(mechanism: unknown, times: number, doubled: boolean, into: Phase[]): string | undefined {
  const m = (mechanism ?? {}) as Record<string, unknown>;
  const noise = (inner: Record<string, unknown>): number | undefined =>
    inner['kind'] === 'gaussian'
      ? (inner['noiseMultiplier'] as number) / (doubled ? 2 : 1)
      : inner['kind'] === 'gdp'
        ? 1 / (inner['mu'] as number)
        : undefined;
  switch (m['kind']) {
    case 'repeat':
      return flatten(m['inner'], times * (m['count'] as number), doubled, into);
    case 'compose':
      for (const part of m['parts'] as unknown[]) {
        const problem = flatten(part, times, doubled, into);
        if (problem !== undefined) return problem;
      }
      return undefined;
    case 'poisson-subsampled':
    case 'gaussian':
    case 'gdp': {
      const sampled = m['kind'] === 'poisson-subsampled';
      const sigma = noise((sampled ? m['inner'] : m) as Record<string, unknown>);
      const rate = sampled ? (m['rate'] as number) : 1;
      if (sigma === undefined || !(sigma >= 0.05 && sigma <= 1e4))
        return 'only Gaussian noise between 0.05 and 1e4';
      if (rate > 0 && times > 0) into.push({ sigma, rate, count: times });
      return undefined;
    }
    default:
      return `a step of kind ${String(m['kind'])} has no density this route knows`;
  }
}

/** Σ count·log M(c + iτ), M(z) = E[(mixture/base)^z] over the base N(0, σ²); 'add' is M(1 − z). */
function logM(phases: readonly Phase[], c: number, tau: number, remove: boolean): [number, number] {
  let re = 0;
  let im = 0;
  for (const { sigma, rate, count } of phases) {
    const [a, b] = remove ? [c, tau] : [1 - c, -tau];
    const far = Math.max(1, Math.abs(a));
    const h = Math.min(sigma / 6, (2 * Math.PI) / (Math.abs(b) / sigma ** 2 + 14 / sigma));
    const from = Math.floor((Math.min(0, rate === 1 ? a : 0) - 13 * sigma) / h);
    const to = Math.ceil((far + 13 * sigma) / h);
    if (to - from > 2e5) return [Number.NaN, 0];
    // E[(ratio)^z] − 1, each term without cancellation
    let x = 0;
    let y = 0;
    for (let j = from; j <= to; j++) {
      const o = j * h;
      const s = (2 * o - 1) / (2 * sigma * sigma);
      const loss =
        s > 40
          ? s + Math.log(rate) + Math.log1p(((1 - rate) / rate) * Math.exp(-s))
          : Math.log1p(rate * Math.expm1(s));
      const weight = Math.exp((-o * o) / (2 * sigma * sigma)) * (h / (sigma * Math.sqrt(2 * Math.PI)));
      const growth = Math.expm1(a * loss);
      const half = Math.sin((b * loss) / 2);
      x += weight * (growth * Math.cos(b * loss) - 2 * half * half);
      y += weight * (growth + 1) * Math.sin(b * loss);
    }
    re += 0.5 * count * Math.log1p(2 * x + x * x + y * y);
    im += count * Math.atan2(y, 1 + x);
  }
  return [re, im];
}

/** log of (1/π)∫₀^∞ Re[M(z) e^{−(z−1)ε}/(z(z−1))] dτ on Re z = c, by trapezoids halved until they agree. */
function logDeltaOf(
  phases: readonly Phase[],
  epsilon: number,
  remove: boolean,
): { value: number; error: number } | undefined {
  const exponent = (c: number) => logM(phases, c, 0, remove)[0] - (c - 1) * epsilon - Math.log(c * (c - 1));
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
  let dTau = 0.7 / Math.sqrt(curvature);
  let before = Number.NaN;
  for (let round = 0; round < 9; round++) {
    const sum = trapezoid(phases, epsilon, remove, c, dTau, top);
    if (sum === undefined) return undefined;
    const change = Math.abs(sum / before - 1);
    if (change < 1e-11) return { value: top + Math.log(sum), error: 10 * change + 1e-11 };
    before = sum;
    dTau /= 2;
  }
  return undefined;
}

function trapezoid(
  phases: readonly Phase[],
  epsilon: number,
  remove: boolean,
  c: number,
  dTau: number,
  top: number,
): number | undefined {
  let sum = 0;
  let quiet = 0;
  for (let k = 0; k < 3000; k++) {
    const tau = k * dTau;
    const [re, im] = logM(phases, c, tau, remove);
    const size = Math.exp(re - (c - 1) * epsilon - top);
    const angle = im - tau * epsilon;
    const [a, b] = [c * (c - 1) - tau * tau, tau * (2 * c - 1)];
    const term = (size * (a * Math.cos(angle) + b * Math.sin(angle))) / (a * a + b * b);
    if (Number.isNaN(term)) return undefined;
    sum += k === 0 ? term / 2 : term;
    quiet = size / Math.hypot(a, b) < 1e-17 * Math.abs(sum) ? quiet + 1 : 0;
    if (quiet > 30) return (sum * dTau) / Math.PI;
  }
  return undefined;
}
