/**
 * Checks a certificate by another route: δ(ε) by a contour integral computed here from the densities, with the
 * host's own Math functions, a contour and quadratures of its own. Of what made it, it shares the reading of the
 * mechanism's data and no computation.
 */
import { InputTypeError, requireOneOf, requireStated } from '../errors.js';
import { ADJACENCIES, type Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { flatten, type Phase, sampledLoss } from './phases.js';

/**
 * What came of it. 'unsupported' where `account` has no answer (Poisson sampling under replace-one), and where this route does
 * not reach: steps known by a guarantee alone, atoms without a lattice, very few steps, more than `MAX_WORK`.
 */
export interface Verification {
  /** 'confirmed': the bracket meets what was found here; 'refuted': they are certainly apart. */
  readonly verdict: 'confirmed' | 'refuted' | 'undecided' | 'unsupported';
  /** log δ as found here, and how far it may be off. */
  readonly logDelta?: number;
  /** Bound of the error of `logDelta`. */
  readonly error?: number;
  /** The verdict in one sentence. */
  readonly reason: string;
  /** What the certificate says of how its bracket was found, which is taken on trust. */
  readonly unchecked: readonly string[];
}

/**
 * Takes a second or two at most: the work is bounded.
 *
 * @param certificate Parsed JSON of a certificate (see `certify`).
 * @throws TypeError | RangeError if it is not one: a field that is missing, wrong or unknown, also within its mechanism.
 * @example
 * verify(certify(run, { epsilon: 8 })).verdict; // 'confirmed'
 */
export function verify(certificate: unknown): Verification {
  return { ...verdictOn(claimOf(certificate)), unchecked: UNCHECKED };
}

function verdictOn({ mechanism, adjacency, epsilon, lower, upper }: Claim): Omit<Verification, 'unchecked'> {
  const phases: Phase[] = [];
  const unknown = flatten(mechanism, 1, adjacency, phases);
  if (unknown !== undefined) return { verdict: 'unsupported', reason: unknown };
  if (phases.length === 0) return { verdict: 'unsupported', reason: 'the run has no steps' };
  const work: Work = { left: MAX_WORK };
  const found = [true, false].map((remove) => logDeltaOf(phases, epsilon, remove, work));
  if (work.left < 0)
    return { verdict: 'unsupported', reason: 'the integral takes more work than is spent on one' };
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
  return {
    verdict: 'confirmed',
    reason: 'the certified bracket meets the value found, to its error',
    ...rest,
  };
}

const CHECKED = ['format', 'version', 'mechanism', 'adjacency', 'epsilon', 'logDelta'] as const;
const UNCHECKED = ['method', 'budgets', 'tolerance', 'engine', 'madeBy'] as const;

interface Claim {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  readonly epsilon: number;
  readonly lower: number;
  readonly upper: number;
}

function claimOf(data: unknown): Claim {
  const given = (data ?? {}) as Record<string, unknown>;
  const { format, version, mechanism, adjacency, epsilon, logDelta } = given;
  if (format !== 'gdp-kernel-certificate' || version !== 1)
    throw new InputTypeError(
      '"format" must be gdp-kernel-certificate and "version" 1: this is not a certificate',
    );
  // nothing is confirmed that has fields which nobody looked at
  requireStated('certificate', given, [...CHECKED, ...UNCHECKED], 'a certificate');
  requireStated('logDelta', logDelta as object, ['lower', 'upper'], 'a bracket');
  requireOneOf('adjacency', adjacency, ADJACENCIES);
  const { lower, upper } = logDelta as Record<string, unknown>;
  // JSON has no −∞: the command line writes a text for it, JSON.stringify null
  const [low, high] = [lower, upper].map((x) => (x === '-Infinity' || x === null ? -Infinity : x));
  if (
    !Number.isFinite(epsilon) ||
    typeof low !== 'number' ||
    typeof high !== 'number' ||
    !(low <= high && high <= 0)
  )
    throw new InputTypeError(
      '"epsilon" and "logDelta" must be a number and a bracket {lower, upper} of a log <= 0',
    );
  return {
    mechanism: parseMechanism(mechanism),
    adjacency: adjacency as Adjacency,
    epsilon: epsilon as number,
    lower: low,
    upper: high,
  };
}

/** Outputs summed over, each at a sine, a cosine and more: one to two seconds of them for both directions. */
const MAX_WORK = 2e7;

/** What may still be spent on a certificate; below 0 too much was. */
interface Work {
  left: number;
}

/** Σ count·log M(c + iτ), M(z) = E_base[(other/base)^z; both]; direction 'add' is M(1 − z). */
function logM(
  phases: readonly Phase[],
  c: number,
  tau: number,
  remove: boolean,
  work: Work,
): [number, number] {
  let re = 0;
  let im = 0;
  for (const { outputs, apart = 0, rate, count } of phases) {
    const [a, b] = remove ? [c, tau] : [1 - c, -tau];
    // E[(ratio)^z] − 1, each term without cancellation
    let x = -apart;
    let y = 0;
    const points = outputs(a, b);
    // on the real axis every tilt has quadratures of its own, which take longer to make
    work.left -= (tau === 0 ? 4 : 1) * points.length;
    if (work.left < 0) return [Number.NaN, Number.NaN];
    for (const [mass, s] of points) {
      const loss = sampledLoss(s, rate);
      const growth = Math.expm1(a * loss);
      const half = Math.sin((b * loss) / 2);
      const square = 2 * half * half;
      x += mass * (growth * (1 - square) - square);
      y += mass * (growth + 1) * 2 * half * Math.cos((b * loss) / 2);
    }
    // |M|² − 1 has no digits of a small |M|
    const square = 2 * x + x * x + y * y;
    re += 0.5 * count * (square > -0.5 ? Math.log1p(square) : Math.log((1 + x) ** 2 + y * y));
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

/** Where the least of the exponent is looked for: log(c − 1). */
const [NEAREST, FARTHEST] = [Math.log(1e-4), Math.log(300)];

/**
 * A line a little off the saddle, so that the contour is not the one that was certified, on the side where the integrand is the smaller. None where the
 * saddle is further out: elsewhere the terms turn faster than the spacings of `logDeltaOf` can follow.
 */
function contourOf(exponent: (c: number) => number): number | undefined {
  let [low, high] = [NEAREST, FARTHEST];
  for (let i = 0; i < 60; i++) {
    const [p, q] = [low + (high - low) * 0.382, low + (high - low) * 0.618];
    const [f, g] = [exponent(1 + Math.exp(p)), exponent(1 + Math.exp(q))];
    if (f < g || Number.isNaN(g)) high = q;
    else low = p;
  }
  if (high === FARTHEST) return undefined;
  const [left, right] = [0.95, 1.05].map((share) => 1 + share * Math.exp((low + high) / 2));
  return exponent(left) < exponent(right) ? left : right;
}

/** log δ by trapezoids halved until they agree. */
function logDeltaOf(
  phases: readonly Phase[],
  epsilon: number,
  remove: boolean,
  work: Work,
): { value: number; error: number } | undefined {
  const kernel = kernelFor(phases, epsilon, remove);
  const exponent = (c: number) =>
    logM(phases, c, 0, remove, work)[0] - (c - 1) * epsilon + Math.log(kernel.at(c, 0)[0]);
  const c = contourOf(exponent);
  if (c === undefined) return undefined;
  const top = exponent(c);
  const step = 1e-3 * (c - 1);
  const curvature = (exponent(c + step) - 2 * top + exponent(c - step)) / (step * step);
  if (!(curvature > 0)) return undefined;
  const wide = 0.7 / Math.sqrt(curvature);
  let dTau = kernel.end < Infinity ? kernel.end / Math.ceil(kernel.end / wide) : wide;
  const failing = -Math.expm1(
    phases.reduce((sum, { apart = 0, count }) => sum + count * Math.log1p(-apart), 0),
  );
  // the losses of atoms come into phase at frequencies again and again, those of a lattice whole: how large M is there
  const [smooth, atoms] = [
    phases.filter(({ held }) => held === undefined),
    phases.filter(({ held }) => held! >= 0),
  ];
  const again = atoms.reduce((sum, { held = 1, count, lattice }) => {
    const whole = lattice > 0 && !(lattice * kernel.end < 1.5 * Math.PI);
    return sum + (whole ? 0 : count * Math.log(held));
  }, 0);
  const most = atoms.length === 0 ? -Infinity : again - logM(smooth, c, 0, remove, work)[0];
  const term = (tau: number): Term => {
    const [real, phase] = logM(smooth, c, tau, remove, work);
    const [re, im] = logM(atoms, c, tau, remove, work);
    const size = Math.exp(real + re - (c - 1) * epsilon - top);
    const angle = phase + im - tau * epsilon;
    const [a, b] = kernel.at(c, tau);
    const value = size * (a * Math.cos(angle) - b * Math.sin(angle));
    return [value, size * Math.hypot(a, b), most + real < -58];
  };
  let before = Number.NaN;
  for (let round = 0; round < 9; round++) {
    const found = trapezoid(term, kernel.end, dTau);
    if (found === undefined) return undefined;
    const [sum, whole] = found;
    const change = Math.abs(sum / before - 1);
    if (change < 1e-11) {
      const value = top + Math.log(sum);
      // far from the saddle terms cancel, and what is left has lost its digits
      const error = 10 * change + 1e-11 + TERM * (whole / sum);
      return { value: failing > 0 ? Math.log(Math.exp(value) + failing) : value, error };
    }
    before = sum;
    dTau /= 2;
  }
  return undefined;
}

/** The integrand at a frequency, its size, and whether what has become small there stays so. */
type Term = readonly [value: number, size: number, fades: boolean];

/** Relative error of a term, from above: what the roundings of its exponent come to. */
const TERM = 1e-12;

/** The integral, and that of the size of its integrand. */
function trapezoid(
  term: (tau: number) => Term,
  end: number,
  dTau: number,
): readonly [sum: number, whole: number] | undefined {
  const last = Math.round(end / dTau);
  let sum = 0;
  let whole = 0;
  let quiet = 0;
  for (let k = 0; k <= Math.min(last, 3000); k++) {
    const [value, size, fades] = term(k * dTau);
    if (Number.isNaN(value)) return undefined;
    sum += k === 0 || k === last ? value / 2 : value;
    whole += size;
    quiet = size < 1e-17 * Math.abs(sum) ? quiet + 1 : 0;
    if ((fades && quiet > 30) || k === last) return [(sum * dTau) / Math.PI, (whole * dTau) / Math.PI];
  }
  return undefined;
}
