import { account } from '../account/account.js';
import { brought } from '../account/brought.js';
import type { ComposedRun } from '../account/composed-run.js';
import { ACCOUNT_OPTIONS, type AccountOptions } from '../account/options.js';
import { advancedEpsilon, basicEpsilon, kairouzEpsilon } from '../bounds/composition.js';
import { renyiOfSteps, zcdpRho } from '../bounds/renyi.js';
import { epsilonFromRenyi, logDeltaFromRenyi, type RenyiConversion } from '../bounds/renyi-accountant.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOptions, wrongType, wrongValue } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { made, remade } from '../mechanism/kind.js';
import { ZCDP_KIND } from '../mechanism/kinds/renyi.js';
import { type Mechanism, withReleases } from '../mechanism/mechanism.js';
import { reducedPaths } from '../mechanism/paths.js';
import type { Step } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import { isLimited } from '../numeric/meter.js';
import { FEW_ROUNDINGS, TO_12_DIGITS, TO_LAST_DIGITS, up } from '../numeric/rounding.js';
import { exp, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import { gaussianRun } from '../run/gaussian-run.js';
import type { Method } from '../run/method.js';
import { allowanceOf } from '../tradeoff/subject.js';
import { berryEsseenDelta, edgeworthDelta, limitMuOf, phaseLimits } from './central-limit.js';
import { type LossCumulants, lossCumulants } from './loss-moments.js';

/** The result of another accountant for a run. */
export interface Baseline {
  /** Name of the theorem or approximation. */
  readonly name: string;
  /** A guarantee is a proven upper bound; an approximation may be on either side and proves nothing. */
  readonly kind: 'guarantee' | 'approximation';
  /** ε at the δ asked for, or δ at the ε; ∞ (or 1) where it proves nothing. */
  readonly value: number;
  /** The publication it comes from. */
  readonly source: string;
}

/** One question to all accountants. */
export interface AccountantComparison {
  /** Which data sets count as neighbours. */
  readonly adjacency: Adjacency;
  /** What was asked for: ε at the δ given, or δ at the ε given. */
  readonly quantity: 'epsilon' | 'delta';
  /** δ if `quantity` is 'epsilon', ε if it is 'delta'. */
  readonly at: number;
  /** This library's own answer. */
  readonly exact: Bracket;
  /** The method of this library's bracket. */
  readonly method: Method;
  /** The results of the other accountants. */
  readonly baselines: readonly Baseline[];
  /** Accountants that do not apply to this run, each with the reason. */
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
}

/** One of `delta`, in [1e-300, 1), and `epsilon`, in [0, 1e6]. */
export type CompareAccountantsOptions = AccountOptions &
  ({ readonly delta: number } | { readonly epsilon: number });

type Asked = AccountOptions & { readonly delta?: number; readonly epsilon?: number };

/** The two functions of an accountant: ε(δ), which decreases in δ, and δ(ε). */
interface Answers {
  epsilonAt(delta: number): number;
  deltaAt?(epsilon: number): number;
}

/** An accountant: its functions for this run, or the reason why it does not apply. */
type Accountant = readonly [
  name: string,
  kind: Baseline['kind'],
  source: string,
  answers: Answers | { readonly reason: string },
];

/**
 * The composition theorems and approximations in use elsewhere, beside this library's bracket.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 * @example
 * compareAccountants(engine, dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 }),
 *   { adjacency: 'add-remove', delta: 1e-5 }).baselines[0].name; // 'basic composition'
 */
export function compareAccountants(
  engine: Engine,
  mechanism: Mechanism,
  options: CompareAccountantsOptions,
): AccountantComparison {
  requireEngine(engine);
  const { delta, epsilon, ...accounting } = (options ?? {}) as Asked;
  requireOptions<Asked>('compareAccountants', options, [...ACCOUNT_OPTIONS, 'delta', 'epsilon']);
  if ((delta === undefined) === (epsilon === undefined)) {
    throw wrongType('options', 'an object with either delta or epsilon', options);
  }
  if (delta !== undefined) requireNumber('delta', delta, 'a number in [1e-300, 1)');
  if (epsilon !== undefined) requireNumber('epsilon', epsilon, 'a number in [0, 1e6]');
  const run = account(engine, mechanism, accounting);
  // computed as a question of its own, so that the limit on work leaves enough for the others
  const exact = delta !== undefined ? run.epsilon(delta) : run.delta(epsilon as number);
  return allowanceOf(run).askAll(() => compared(engine, { run, exact }, options));
}

/** The run, and this library's answer. */
interface Answered {
  readonly run: ComposedRun;
  readonly exact: Bracket;
}

/** The answers of all accountants to one question about a run. */
function compared(engine: Engine, { run, exact }: Answered, options: Asked): AccountantComparison {
  const { delta, epsilon } = options;
  const { adjacency, mechanism, muCeiling } = run.settings;
  const tolerance = Math.max(run.settings.tolerance, PAIR_TOLERANCE);
  const [steps, ...others] = reducedPaths(mechanism, adjacency);
  if (others.length > 0)
    throw wrongValue('mechanism', 'without disjoint parts (compare the parts one by one)', 'parallel');
  const method = run.methodAt(epsilon ?? exact.upper);
  const accountants = [
    ...compositionAccountants(steps),
    ...renyiAccountants(steps, zcdpRho(mechanism, adjacency)),
    ...gaussianAccountants(steps, muCeiling),
    ...momentAccountants(steps),
    ...publishedPairs(engine, mechanism, { ...options, adjacency, tolerance }),
  ];
  const baselines = accountants.flatMap(([name, kind, source, answers]) => {
    if ('reason' in answers) return [];
    const value = delta !== undefined ? answers.epsilonAt(delta) : deltaBy(answers, epsilon as number);
    return [{ name, kind, value, source }];
  });
  const unavailable = accountants.flatMap(([name, , , answers]) =>
    'reason' in answers ? [{ name, reason: answers.reason }] : [],
  );
  return {
    adjacency,
    quantity: delta !== undefined ? 'epsilon' : 'delta',
    at: (delta ?? epsilon) as number,
    exact,
    method,
    baselines,
    unavailable,
  };
}

/** Least relative width of the brackets by published pairs. Only width and speed depend on it. */
const PAIR_TOLERANCE = 1e-3;

type PairsAsked = Asked & { readonly tolerance: number };

/** Accountants of capped Poisson batches by the dominating pairs published for them, which give larger bounds; none for a run without such batches. */
function publishedPairs(
  engine: Engine,
  mechanism: Mechanism,
  { delta, epsilon, ...options }: PairsAsked,
): Accountant[] {
  let capped = false;
  const by = (published: 'ganesh' | 'google'): Mechanism =>
    withReleases(mechanism, (release) => {
      if (release.kind !== 'capped-poisson') return release;
      capped = true;
      return remade(release, { published });
    });
  const answers = (changed: Mechanism): Accountant[3] => {
    const runs = brought().dominatingRuns(engine, changed, options);
    const { tolerance } = options;
    const upper = (run: DirectedRun): number =>
      delta !== undefined
        ? epsilonOf(run, log(delta), tolerance).upper
        : Math.min(1, up(exp(run.logDelta(epsilon as number, tolerance).upper), FEW_ROUNDINGS));
    const value = Math.max(...runs.map(upper));
    // once work is limited, the bound may come from other theorems than the pair
    return isLimited()
      ? { reason: 'takes more work than the question may cost' }
      : { epsilonAt: () => value, deltaAt: () => value };
  };
  const [ganesh, google] = [by('ganesh'), by('google')];
  if (!capped) return [];
  return [
    ['truncated Poisson, published pair', 'guarantee', 'Ganesh 2025', answers(ganesh)],
    ['truncated Poisson, both sides 2 away', 'guarantee', 'dp_accounting 2026', answers(google)],
  ];
}

/** δ(ε) of an accountant: its own, or the smallest δ with ε(δ) ≤ ε, by bisection; 1 if there is none. */
function deltaBy(answers: Answers, epsilon: number): number {
  if (answers.deltaAt) return answers.deltaAt(epsilon);
  const { high } = turningPoint((logDelta) => answers.epsilonAt(exp(logDelta)) <= epsilon, {
    guess: -10,
    reach: 5,
    floor: -690,
    ceiling: -1e-9,
    relative: TO_12_DIGITS,
    absolute: TO_12_DIGITS,
  });
  return high === Infinity ? 1 : exp(high);
}

/** Composition theorems for steps of which (εᵢ, δᵢ)-DP is known: guarantees. */
function compositionAccountants(steps: readonly Step[]): Accountant[] {
  const optimal =
    kairouzEpsilon(steps, 0.5) === undefined
      ? { reason: 'needs steps that are (epsilon, delta)-DP by statement' }
      : { epsilonAt: (delta: number) => kairouzEpsilon(steps, delta) as number };
  const advanced = 'Dwork, Rothblum, Vadhan 2010';
  const named = 'optimal composition of (epsilon, delta)-DP';
  return [
    ['basic composition', 'guarantee', 'Dwork et al. 2006', { epsilonAt: (d) => basicEpsilon(steps, d) }],
    ['advanced composition', 'guarantee', advanced, { epsilonAt: (d) => advancedEpsilon(steps, d) }],
    [named, 'guarantee', 'Kairouz, Oh, Viswanath 2015', optimal],
  ];
}

/** Accountants by Rényi divergences and by ρ-zCDP: guarantees. */
function renyiAccountants(steps: readonly Step[], rho: number): Accountant[] {
  const asZcdp: Step[] = [{ mechanism: made(ZCDP_KIND, { rho }), sampling: 'all', rate: 1, count: 1 }];
  // an accountant whose divergences are infinite at all orders tried proves nothing
  const known = [1.5, 2, 8].some((order) => renyiOfSteps(steps, order) < Infinity);
  const by = (conversion: RenyiConversion) =>
    known ? renyi(steps, conversion) : { reason: 'no Renyi divergence is known here for a step' };
  const ofZcdp = rho < Infinity ? renyi(asZcdp, 'tight') : { reason: 'no rho is known for a step' };
  const tight = 'Mironov 2017; Canonne, Kamath, Steinke 2020, prop. 12';
  return [
    ['RDP, tight conversion', 'guarantee', tight, by('tight')],
    ['RDP, first conversion', 'guarantee', 'Mironov 2017, prop. 3', by('mironov')],
    ['zCDP', 'guarantee', 'Bun, Steinke 2016; Canonne, Kamath, Steinke 2020', ofZcdp],
  ];
}

/** Gaussian differential privacy: the guarantee that ignores sampling, and two limit theorems for DP-SGD, which are approximations. */
function gaussianAccountants(steps: readonly Step[], muCeiling: number): Accountant[] {
  const limits = phaseLimits(steps);
  const by = (mu: number | undefined) =>
    mu === undefined ? { reason: 'needs Gaussian steps on samples' } : gaussianAnswers(mu);
  const reason = 'a step is not Gaussian-DP for any known mu';
  const ceiling = muCeiling < Infinity ? gaussianAnswers(muCeiling) : { reason };
  const drawn = 'Dong, Roth, Su 2022, section 5.2';
  return [
    ['GDP, μ over all rates', 'guarantee', 'Dong, Roth, Su 2022, cor. 3.3', ceiling],
    ['GDP-CLT, Poisson', 'approximation', 'Bu, Dong, Long, Su 2020', by(limits?.poisson)],
    ['GDP-CLT, without replacement', 'approximation', drawn, by(limits?.withoutReplacement)],
  ];
}

/** Accountants by moments of the privacy loss: the central limit theorem, the bound of Berry and Esseen, and Edgeworth's expansion. */
function momentAccountants(steps: readonly Step[]): Accountant[] {
  const moments = steps.length > 0 ? lossCumulants(steps) : undefined;
  const by = (answers: (moments: readonly LossCumulants[]) => Answers) =>
    moments === undefined ? { reason: 'a step has no finite loss moments known here' } : answers(moments);
  const limit = by((known) => gaussianAnswers(limitMuOf(known)));
  const berryEsseen = by((known) => momentAnswers(known, berryEsseenDelta));
  const edgeworth = by((known) => momentAnswers(known, edgeworthDelta));
  return [
    ['CLT of the losses', 'approximation', 'Dong, Roth, Su 2022, thm 3.5', limit],
    ['Berry-Esseen', 'guarantee', 'Dong, Roth, Su 2022, thm 3.4, for each law apart', berryEsseen],
    ['Edgeworth', 'approximation', 'Wang, Gao, Zhang, Su, Shen 2022', edgeworth],
  ];
}

/** ε(δ) and δ(ε) by the Rényi divergences of steps and a conversion theorem. */
function renyi(steps: readonly Step[], conversion: RenyiConversion): Answers {
  return {
    epsilonAt: (delta) => (steps.length === 0 ? 0 : epsilonFromRenyi(steps, delta, conversion).value),
    deltaAt: (epsilon) => (steps.length === 0 ? 0 : exp(logDeltaFromRenyi(steps, epsilon, conversion).value)),
  };
}

/** ε(δ) and δ(ε) of the Gaussian pair with μ, upper ends. */
function gaussianAnswers(mu: number): Answers {
  return {
    epsilonAt: (delta) => (mu === 0 ? 0 : epsilonOf(gaussianRun(mu), log(delta), 1e-9).upper),
    deltaAt: (epsilon) =>
      mu === 0 ? 0 : Math.min(1, up(exp(gaussianRun(mu).logDelta(epsilon).upper), FEW_ROUNDINGS)),
  };
}

/** Number of ε that `momentAnswers` scans, denser near 0. */
const SCAN = 400;

/** δ(ε) by moments, the larger of the directions, and ε(δ): the first ε of a scan with δ(ε) ≤ δ, refined by bisection. δ(ε) need not be monotone. */
function momentAnswers(
  directions: readonly LossCumulants[],
  deltaOf: (moments: LossCumulants, epsilon: number) => number,
): Answers {
  const deltaAt = (epsilon: number): number => Math.max(...directions.map((one) => deltaOf(one, epsilon)));
  return {
    deltaAt,
    epsilonAt: (delta) => {
      const top = Math.max(...directions.map(({ underQ }) => underQ.mean + 40 * Math.sqrt(underQ.variance)));
      let before = 0;
      for (let i = 0; i <= SCAN; i++) {
        const epsilon = (top * i * i) / (SCAN * SCAN);
        if (deltaAt(epsilon) > delta) {
          before = epsilon;
          continue;
        }
        if (epsilon === 0) return 0;
        return turningPoint((x) => !(deltaAt(x) > delta), {
          guess: epsilon,
          reach: epsilon - before,
          floor: before,
          ceiling: epsilon,
          relative: TO_LAST_DIGITS,
        }).high;
      }
      return Infinity;
    },
  };
}
