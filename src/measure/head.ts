import { requireWatch } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireBoolean, requireNumber, requireOptions, requireWhole, wrongValue } from '../errors.js';
import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { muAbove, muBelow, muGdpBracket, musBeside, reaches, staysBelow } from '../profile/gdp-inverse.js';
import { deltaOf, type Profile, requireEpsilon } from '../profile/profile.js';
import { climb, type Staircase, type StaircaseOptions } from '../profile/staircase.js';
import { logDeltas } from '../run/log-deltas.js';
import { allowanceOf, asProfile, type Subject } from '../tradeoff/subject.js';

/** The head [0, ε_h] that is measured, and how finely. */
export interface HeadOptions {
  /** Right end ε_h of the head [0, ε_h]; default 100, where δ_μ(ε_h), δ_μ the profile of N(0, 1) and N(μ, 1), is negligible for usual μ. */
  readonly epsilonHead?: number;
  /** Resolution c: the bracket of μ has width 1/c where δ is known accurately enough for that; default 1e6. */
  readonly resolution?: number;
  /** Seed of the order in which cells of ε are evaluated; answers depend on it in the last bits alone. Default 1. */
  readonly seed?: number;
  /** Whether to evaluate δ in every cell of ε, instead of skipping ranges that cannot hold the maximum of μ. Default false. */
  readonly exhaustive?: boolean;
  /** Largest number of evaluations of δ and tests, default 1e8; the first thousand are always made. If it does not suffice, the bracket is wider. */
  readonly maxTests?: number;
}

/** Names of the options of a head. */
const HEAD_OPTIONS = ['epsilonHead', 'resolution', 'seed', 'exhaustive', 'maxTests'] as const;

/** Options of `measureHeadAsync`: those of `measureHead`, and a way to stop. */
export interface AsyncHeadOptions extends HeadOptions {
  /** Ends the measurement: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with the share of the head that is decided, 0 … 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** μ over a head [0, ε_h] and beyond it. */
export interface HeadMeasurement extends Omit<Staircase, 'lower' | 'upper' | 'at'> {
  /** The largest μ_GDP(ε, δ(ε)) over ε ≤ ε_h. The profile is (ε_h, μ)-head GDP for this μ and all larger ones, and for no smaller one. */
  readonly headMu: Bracket;
  /** The ε at which the lower end of `headMu` is attained. */
  readonly epsilonAtMu: number;
  /** ε_h: the head is [0, ε_h]. */
  readonly epsilonHead: number;
  /** Upper bound of μ_GDP(ε, δ(ε)) over ε > ε_h; ∞ where none is known. */
  readonly tailCeiling: number;
  /** A μ for which the profile is μ-GDP at all ε; ∞ where none is known. */
  readonly gdpMu: number;
  /** Bracket of the least μ for which the profile is μ-GDP at all ε. It is at least that of the head and the tail limit, at most `gdpMu`. */
  readonly muAllRates: Bracket;
  /** δ(ε_h): head GDP is GDP but for failures of at most this probability (IAM §4.2). */
  readonly failure: Bracket;
  /** Whether the profile is exact, a bound, or values of a function that the caller gave. */
  readonly standing: Profile['standing'];
  /** Number of cells into which [0, ε_h] is divided. */
  readonly cells: number;
}

/** Default ε_h: for usual runs δ(ε_h) is negligible. */
const DEFAULT_HEAD = 100;

/**
 * Measures the head of a profile (IAM §4): the smallest μ for which δ(ε) ≤ δ_μ(ε) on [0, ε_h]. Here δ_μ is the profile of N(0, 1) and N(μ, 1), and
 * μ_GDP(ε, δ) the μ with δ_μ(ε) = δ. The staircase algorithm bounds μ_GDP(ε, δ(ε)) by step functions with n = ⌈√(8π) c ε_h⌉ + 1 breakpoints, c the
 * resolution.
 *
 * Ensures: the supremum over the head lies in `headMu`, and that over all ε in `muAllRates`.
 *
 * @throws TypeError | RangeError for a wrong option, or a callback that is no profile.
 * @example
 * const laplaceRelease = account(engine, laplace({ scale: 0.5, sensitivity: 1 }), { adjacency: 'add-remove' });
 * measureHead(engine, laplaceRelease, { epsilonHead: 3, resolution: 100 }).headMu.upper; // 1.80229
 */
export function measureHead(engine: Engine, subject: Subject, options: HeadOptions = {}): HeadMeasurement {
  requireOptions('measureHead', options, HEAD_OPTIONS);
  return question(subject, options)(() => measureHeadAbove(engine, subject, options));
}

/** Asks one question about [0, ε_h] in parts. Its work is limited, but for `exhaustive` measurements. */
function question(subject: Subject, { exhaustive }: HeadOptions): <T>(part: () => T) => T {
  return allowanceOf(subject).inParts(exhaustive ? Infinity : undefined);
}

/** `measureHead` where μ of the head is known to be at least `least`. */
export function measureHeadAbove(
  engine: Engine,
  subject: Subject,
  options: HeadOptions,
  least?: number,
): HeadMeasurement {
  const job = prepare(engine, subject, options, least === undefined ? {} : { least });
  return job.result(drained(job.steps));
}

/** The result of a generator that is run to its end. */
function drained(steps: Generator<number, Staircase, void>): Staircase {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Milliseconds of work between two pauses for the host. */
const SLICE = 25;

/**
 * As `measureHead`, with pauses for the host between slices of work.
 *
 * @throws TypeError | RangeError for a wrong option, or a callback that is no profile; the signal's reason when it is aborted.
 * @example
 * (await measureHeadAsync(engine, gaussianTradeoff(1), { epsilonHead: 3, resolution: 100 })).headMu.upper; // 1
 */
export async function measureHeadAsync(
  engine: Engine,
  subject: Subject,
  options: AsyncHeadOptions = {},
): Promise<HeadMeasurement> {
  requireOptions('measureHeadAsync', options, [...HEAD_OPTIONS, 'signal', 'onProgress']);
  requireWatch(options);
  const { signal, onProgress, ...head } = options;
  const asked = question(subject, head);
  const job = asked(() => prepare(engine, subject, head));
  let since = Date.now();
  for (;;) {
    signal?.throwIfAborted();
    const step = asked(() => job.steps.next());
    if (step.done) {
      onProgress?.(1);
      return asked(() => job.result(step.value));
    }
    if (Date.now() - since >= SLICE) {
      onProgress?.(step.value);
      await new Promise((resolve) => setTimeout(resolve));
      since = Date.now();
    }
  }
}

/** Step functions around μ_GDP(ε, δ(ε)) that are being computed, and the measurement that follows from them. */
interface Job {
  readonly steps: Generator<number, Staircase, void>;
  result(found: Staircase): HeadMeasurement;
}

/** Checked options of a head, with defaults. */
function settingsOf(options: HeadOptions): Omit<StaircaseOptions, 'threshold' | 'least'> {
  const epsilonHead = requireNumber(
    'epsilonHead',
    options.epsilonHead ?? DEFAULT_HEAD,
    'a number in (0, 1e6]',
  );
  const resolution = requireNumber('resolution', options.resolution ?? 1e6, 'a number in (0, 1e12]');
  // the lower and upper step functions are at most √(2π)·d apart for cells of width d; they are to be 1/(2c) apart, c the resolution
  const cells = Math.ceil(Math.sqrt(8 * Math.PI) * resolution * epsilonHead);
  const seed = requireWhole('seed', options.seed ?? 1, 0, 2 ** 32 - 1);
  const budget = requireWhole('maxTests', options.maxTests ?? 1e8, 1, Number.MAX_SAFE_INTEGER);
  const exhaustive = requireBoolean('exhaustive', options.exhaustive ?? false);
  const most = exhaustive ? 2 ** 30 : 2 ** 52;
  if (cells > most) {
    throw wrongValue('resolution', `such that √(8π)·resolution·epsilonHead is at most ${most}`, resolution);
  }
  return { epsilonHead, cells, seed, exhaustive, budget };
}

/** The step functions around μ_GDP(ε, δ(ε)) on [0, ε_h], not yet computed, and the measurement that will follow from them. */
function prepare(
  engine: Engine,
  subject: Subject,
  options: HeadOptions,
  start: Pick<StaircaseOptions, 'threshold' | 'least'> = {},
): Job {
  requireEngine(engine);
  const profile = asProfile(subject);
  const settings = settingsOf(options);
  const { epsilonHead, cells } = settings;
  if (profile.standing === 'estimate') requireFalling(profile, epsilonHead);
  const steps =
    profile.gaussianMu === undefined
      ? climb(engine.kernel, profile, { ...settings, ...start })
      : known(profile.gaussianMu);
  return {
    steps,
    result: ({ lower, upper, at, ...visit }) => {
      const tailCeiling = profile.gaussianMu?.upper ?? profile.tail.ceiling(epsilonHead);
      const gdpMu = Math.max(upper, tailCeiling);
      const least = Math.max(lower, profile.tail.mu?.lower ?? 0);
      return {
        headMu: bracket(lower, upper),
        epsilonAtMu: at,
        epsilonHead,
        tailCeiling,
        gdpMu,
        muAllRates: bracket(least, Math.max(least, gdpMu)),
        failure: deltaOf(profile, epsilonHead),
        standing: profile.standing,
        cells,
        ...visit,
      };
    },
  };
}

// biome-ignore lint/correctness/useYield: a Gaussian trade-off function has the same μ at all ε, so nothing is evaluated
function* known({ lower, upper }: Bracket): Generator<number, Staircase, void> {
  return { lower, upper, at: 0, tests: 0, inversions: 0, finished: true };
}

/** Checks at 256 points that a function given by the caller does not rise. @throws RangeError if it does. */
function requireFalling(profile: Profile, epsilonHead: number): void {
  let before = Infinity;
  for (let i = 0; i <= 256; i++) {
    const here = profile.logDelta((epsilonHead * i) / 256);
    if (here.lower > before) {
      throw wrongValue(
        'profile',
        'a function that does not rise',
        `a rise before ${(epsilonHead * i) / 256}`,
      );
    }
    before = here.upper;
  }
}

/**
 * G(ε) = μ_GDP(ε, δ(ε)), the Gaussian-DP transformation of a profile (IAM def. 4.1).
 *
 * Ensures: G(ε) lies in the bracket.
 *
 * @throws TypeError | RangeError if `epsilon` is not a number ≥ 0.
 * @example
 * gdpTransform(gaussianTradeoff(1), 2).upper; // 1.0000001
 */
export function gdpTransform(subject: Subject, epsilon: number): Bracket {
  return muGdpBracket(requireEpsilon(epsilon), asProfile(subject).logDelta(epsilon));
}

/** The Gaussian-DP transformation G(ε) of a profile at evenly spaced ε, and step functions below and above it. */
export interface TransformCurve {
  /** ε's, ascending and evenly spaced from 0, at which `mu` brackets G. */
  readonly epsilon: readonly number[];
  /** Bracket of G(ε) at each point. */
  readonly mu: readonly Bracket[];
  /** Between ε[i] and ε[i+1] G lies in steps[i], from the lower to the upper step function. */
  readonly steps: readonly Bracket[];
}

/**
 * The transformation G(ε) = μ_GDP(ε, δ(ε)) as data for a plot: its values, and step functions that bound it between them.
 *
 * Ensures: G lies in `mu` at each point, and in `steps` between neighbours.
 *
 * @param options.epsilonHead Right end of the curve; `points` from 2 to 1e5 (default 201). `engine`: its kernel computes all points at once; the
 * answer is the same without.
 * @throws TypeError | RangeError for a wrong option.
 * @example
 * transformCurve(gaussianTradeoff(1), { epsilonHead: 3, points: 4 }).epsilon; // [ 0, 1, 2, 3 ]
 */
export function transformCurve(
  subject: Subject,
  options: { epsilonHead: number; points?: number; engine?: Engine },
): TransformCurve {
  requireOptions('transformCurve', options, ['epsilonHead', 'points', 'engine']);
  const end = requireNumber('epsilonHead', options?.epsilonHead, 'a number in (0, 1e6]');
  if (options.engine !== undefined) requireEngine(options.engine);
  const kernel = options.engine?.kernel;
  const profile = asProfile(subject);
  const points = requireWhole('points', options.points ?? 201, 2, 1e5);
  const epsilon = new Float64Array(points);
  for (let i = 0; i < points; i++) epsilon[i] = (end * i) / (points - 1);
  const { lower, upper } = allowanceOf(subject).ask(() => logDeltas(profile, epsilon, kernel));
  const above = musBeside(muAbove, epsilon, upper, kernel);
  const below = musBeside(muBelow, epsilon, lower, kernel);
  // over a cell, μ_GDP is largest for δ of its left end and ε of its right end, and smallest for the reverse
  const [left, right] = [epsilon.subarray(0, -1), epsilon.subarray(1)];
  const most = musBeside(muAbove, right, upper.subarray(0, -1), kernel);
  const least = musBeside(muBelow, left, lower.subarray(1), kernel);
  return {
    epsilon: [...epsilon],
    mu: Array.from(above, (mu, i) => ordered(below[i], mu)),
    steps: Array.from(most, (mu, i) => ordered(least[i], mu)),
  };
}

/**
 * Whether δ(ε) ≤ δ_μ(ε) for all ε ≤ ε_h: (ε_h, μ)-head GDP (IAM def. 3.1). 'undecided' where the bracket of μ
 * holds the one asked for.
 *
 * Ensures: 'yes' and 'no' are proved.
 *
 * @throws TypeError | RangeError for a wrong option, or a callback that is no profile.
 * @example
 * isHeadGdp(engine, gaussianTradeoff(1), { epsilonHead: 3, mu: 1.1 }); // 'yes'
 */
export function isHeadGdp(
  engine: Engine,
  subject: Subject,
  options: HeadOptions & { epsilonHead: number; mu: number },
): 'yes' | 'no' | 'undecided' {
  requireOptions('isHeadGdp', options, [...HEAD_OPTIONS, 'mu']);
  const mu = requireNumber('mu', options?.mu, 'a number >= 0');
  const found = question(
    subject,
    options,
  )(() => drained(prepare(engine, subject, options, { threshold: mu }).steps));
  if (found.upper <= mu) return 'yes';
  return found.lower > mu ? 'no' : 'undecided';
}

/** Number of points ε_t·2^{i/8} at which `isTailGdp` looks for a counterexample. */
const TAIL_PROBES = 160;

/**
 * Whether δ(ε) ≤ δ_μ(ε) for all ε > ε_t: (ε_t, μ)-tail GDP (IAM def. 3.2). 'yes' is proved by a theorem on the profile's tail beyond some ε, and by
 * comparison on short intervals up to there. 'no' is proved by a counterexample or by the tail limit μ_t = lim ε/√(−2 log δ(ε)).
 *
 * Ensures: 'yes' and 'no' are proved.
 *
 * @throws TypeError | RangeError if `epsilonTail` is not ≥ 0 or `mu` not ≥ 0.
 * @example
 * isTailGdp(account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' }), { epsilonTail: 3, mu: 0.6 }); // 'yes'
 */
export function isTailGdp(
  subject: Subject,
  options: { epsilonTail: number; mu: number },
): 'yes' | 'no' | 'undecided' {
  requireOptions('isTailGdp', options, ['epsilonTail', 'mu']);
  const profile = asProfile(subject);
  const epsilonTail = requireNumber('epsilonTail', options?.epsilonTail, 'a number >= 0');
  const mu = requireNumber('mu', options.mu, 'a number >= 0');
  return allowanceOf(subject).ask(() => tailOf(profile, epsilonTail, mu));
}

/** The verdict of `isTailGdp`. */
function tailOf(profile: Profile, epsilonTail: number, mu: number): 'yes' | 'no' | 'undecided' {
  if (profile.tail.ceiling(epsilonTail) <= mu) return 'yes';
  if (profile.gaussianMu !== undefined && profile.gaussianMu.upper <= mu) return 'yes';
  if ((profile.tail.mu?.lower ?? 0) > mu) return 'no';
  for (let i = 1; i <= TAIL_PROBES; i++) {
    const epsilon = Math.max(epsilonTail, 1e-3) * 2 ** (i / 8);
    const { lower } = profile.logDelta(epsilon);
    if (staysBelow(mu, epsilon, lower) && !reaches(mu, epsilon, lower)) return 'no';
  }
  return tailBySteps(profile, epsilonTail, mu) ? 'yes' : 'undecided';
}

/** TAIL_DOUBLINGS: largest number of doublings of ε until a theorem on the tail applies. TAIL_CELLS: largest number of cells up to there. */
const TAIL_DOUBLINGS = 40;
const TAIL_CELLS = 20_000;

/**
 * Whether a theorem on the tail proves δ ≤ δ_μ beyond some ε, and comparisons on intervals prove it up to there. δ_μ is the profile of N(0, 1) and
 * N(μ, 1). Over a cell [a, b], δ ≤ δ(a) and δ_μ ≥ δ_μ(b), so δ(a) ≤ δ_μ(b) suffices; cells are halved until it holds.
 *
 * Ensures: where it is true, δ(ε) ≤ δ_μ(ε) for every ε > ε_t.
 */
function tailBySteps(profile: Profile, epsilonTail: number, mu: number): boolean {
  let end = Math.max(2 * epsilonTail, 1);
  for (let i = 0; i < TAIL_DOUBLINGS && profile.tail.ceiling(end) > mu; i++) end *= 2;
  if (profile.tail.ceiling(end) > mu) return false;
  const cells: [number, number][] = [[epsilonTail, end]];
  for (let seen = 0; cells.length > 0; seen++) {
    const [a, b] = cells.pop()!;
    if (reaches(mu, b, profile.logDelta(a).upper)) continue;
    const middle = (a + b) / 2;
    if (seen > TAIL_CELLS || !(middle > a && middle < b)) return false;
    cells.push([middle, b], [a, middle]);
  }
  return true;
}
