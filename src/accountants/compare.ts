import { account, dominatingRuns } from '../account/account.js';
import { ACCOUNT_OPTIONS, type AccountOptions } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOptions, wrongType } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { ZCDP_KIND } from '../mechanism/kinds/zcdp.js';
import { made } from '../mechanism/made.js';
import { type Mechanism, withReleases } from '../mechanism/mechanism.js';
import { reduceSteps } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import { exp, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import { gaussianRun } from '../run/gaussian-run.js';
import type { Method } from '../run/method.js';
import { berryEsseenDelta, edgeworthDelta, limitMuOf } from './central-limit.js';
import { advancedEpsilon, basicEpsilon, kairouzEpsilon } from './composition.js';
import { phaseLimits } from './dp-sgd-limits.js';
import { type LossCumulants, lossCumulants } from './loss-moments.js';
import { renyiOfSteps, zcdpRho } from './renyi.js';
import { epsilonFromRenyi, logDeltaFromRenyi, type RenyiConversion } from './renyi-accountant.js';

/** What another accountant says of a run. */
export interface Baseline {
  /** Name of the theorem or approximation. */
  readonly name: string;
  /** A guarantee is a proven upper bound; an approximation may be on either side and proves nothing. */
  readonly kind: 'guarantee' | 'approximation';
  /** ε at the δ asked for, or δ at the ε; ∞ (or 1) where it proves nothing. */
  readonly value: number;
  /** Where it stands. */
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
  /** How this library's bracket was found. */
  readonly method: Method;
  /** What the others say. */
  readonly baselines: readonly Baseline[];
  /** What does not apply to this run. */
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
}

/** One of `delta`, in [1e-300, 1), and `epsilon`, in [0, 1e6]. */
export type CompareAccountantsOptions = AccountOptions &
  ({ readonly delta: number } | { readonly epsilon: number });

type Asked = AccountOptions & { readonly delta?: number; readonly epsilon?: number };

/** An accountant, asked either way; ε(δ) decreasing in δ. */
interface Accountant {
  readonly name: string;
  readonly kind: Baseline['kind'];
  readonly source: string;
  epsilonAt(delta: number): number;
  deltaAt?(epsilon: number): number;
}

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
  const { adjacency, muCeiling } = run.settings;
  const steps = reduceSteps(stepsOf(mechanism), adjacency);
  const { available, unavailable } = accountantsOf(steps, zcdpRho(mechanism, adjacency), muCeiling);
  available.push(...publishedPairs(engine, mechanism, { ...accounting, adjacency }));
  const baselines = available.map((one) => ({
    name: one.name,
    kind: one.kind,
    value: delta !== undefined ? one.epsilonAt(delta) : deltaBy(one, epsilon as number),
    source: one.source,
  }));
  const exact = delta !== undefined ? run.epsilon(delta) : run.delta(epsilon as number);
  return {
    adjacency,
    quantity: delta !== undefined ? 'epsilon' : 'delta',
    at: (delta ?? epsilon) as number,
    exact,
    method: run.methodAt(epsilon ?? exact.upper),
    baselines,
    unavailable,
  };
}

/** Runs of capped Poisson batches by the pairs published for them, which are looser; none where there are no such batches. */
function publishedPairs(engine: Engine, mechanism: Mechanism, options: AccountOptions): Accountant[] {
  let capped = false;
  const by = (published: 'ganesh' | 'google'): Mechanism =>
    withReleases(mechanism, (release) => {
      if (release.kind !== 'capped-poisson') return release;
      capped = true;
      return { ...release, published };
    });
  const accountant = (name: string, source: string, changed: Mechanism): Accountant => {
    let runs: readonly DirectedRun[] | undefined;
    const made = (): readonly DirectedRun[] => {
      runs ??= dominatingRuns(engine, changed, options);
      return runs;
    };
    const tolerance = options.tolerance ?? 1e-6;
    return {
      name,
      kind: 'guarantee',
      source,
      epsilonAt: (delta) => Math.max(...made().map((run) => epsilonOf(run, log(delta), tolerance).upper)),
      deltaAt: (epsilon) =>
        Math.min(
          1,
          Math.max(...made().map((run) => exp(run.logDelta(epsilon, tolerance).upper) * (1 + 1e-15))),
        ),
    };
  };
  const all = [
    accountant('truncated Poisson, published pair', 'Ganesh 2025', by('ganesh')),
    accountant('truncated Poisson, both sides 2 away', 'dp_accounting 2026', by('google')),
  ];
  return capped ? all : [];
}

/** The smallest δ at which an accountant proves ε, from its ε(δ). */
function deltaBy(accountant: Accountant, epsilon: number): number {
  if (accountant.deltaAt) return accountant.deltaAt(epsilon);
  const { high } = turningPoint((logDelta) => accountant.epsilonAt(exp(logDelta)) <= epsilon, {
    guess: -10,
    reach: 5,
    floor: -690,
    ceiling: -1e-9,
    relative: 1e-12,
    absolute: 1e-12,
  });
  return high === Infinity ? 1 : exp(high);
}

/** An accountant, or why it has no answer here. */
type Candidate = Accountant | { readonly name: string; readonly reason: string };

function accountantsOf(
  steps: readonly Step[],
  rho: number,
  muCeiling: number,
): { available: Accountant[]; unavailable: { name: string; reason: string }[] } {
  const candidates: Candidate[] = [
    ...compositionAccountants(steps),
    ...renyiAccountants(steps, rho),
    ...gaussianAccountants(steps, muCeiling),
    ...momentAccountants(steps),
  ];
  const available = candidates.filter((one): one is Accountant => !('reason' in one));
  return { available, unavailable: candidates.filter((one) => 'reason' in one) };
}

function given(condition: boolean, reason: string, accountant: Accountant): Candidate {
  return condition ? accountant : { name: accountant.name, reason };
}

function compositionAccountants(steps: readonly Step[]): Candidate[] {
  return [
    {
      name: 'basic composition',
      kind: 'guarantee',
      source: 'Dwork et al. 2006',
      epsilonAt: (delta) => basicEpsilon(steps, delta),
    },
    {
      name: 'advanced composition',
      kind: 'guarantee',
      source: 'Dwork, Rothblum, Vadhan 2010',
      epsilonAt: (delta) => advancedEpsilon(steps, delta),
    },
    given(kairouzEpsilon(steps, 0.5) !== undefined, 'needs steps that are (epsilon, delta)-DP by statement', {
      name: 'optimal composition of (epsilon, delta)-DP',
      kind: 'guarantee',
      source: 'Kairouz, Oh, Viswanath 2015',
      epsilonAt: (delta) => kairouzEpsilon(steps, delta) as number,
    }),
  ];
}

function renyiAccountants(steps: readonly Step[], rho: number): Candidate[] {
  const asZcdp: Step[] = [{ mechanism: made(ZCDP_KIND, { rho }), sampling: 'all', rate: 1, count: 1 }];
  // what is infinite at every order tried says nothing
  const known = [1.5, 2, 8].some((order) => renyiOfSteps(steps, order) < Infinity);
  const reason = 'no Renyi divergence is known here for a step';
  return [
    given(known, reason, renyi('RDP, tight conversion', steps, 'tight')),
    given(known, reason, renyi('RDP, first conversion', steps, 'mironov')),
    given(rho < Infinity, 'no rho is known for a step', {
      ...renyi('zCDP', asZcdp, 'tight'),
      source: 'Bun, Steinke 2016; Canonne, Kamath, Steinke 2020',
    }),
  ];
}

function gaussianAccountants(steps: readonly Step[], muCeiling: number): Candidate[] {
  const limits = phaseLimits(steps);
  const limit = (name: string, mu: number | undefined, source: string): Candidate =>
    given(mu !== undefined, 'needs Gaussian steps on samples', {
      name,
      kind: 'approximation',
      source,
      ...gaussianAnswers(mu ?? 0),
    });
  return [
    given(muCeiling < Infinity, 'a step is not Gaussian-DP for any known mu', {
      name: 'GDP',
      kind: 'guarantee',
      source: 'Dong, Roth, Su 2022, cor. 3.3',
      ...gaussianAnswers(muCeiling),
    }),
    limit('GDP-CLT, Poisson', limits?.poisson, 'Bu, Dong, Long, Su 2020'),
    limit('GDP-CLT, without replacement', limits?.withoutReplacement, 'Dong, Roth, Su 2022, section 5.2'),
  ];
}

function momentAccountants(steps: readonly Step[]): Candidate[] {
  const moments = steps.length > 0 ? lossCumulants(steps) : undefined;
  const known = (accountant: Accountant): Candidate =>
    given(moments !== undefined, 'a step has no finite loss moments known here', accountant);
  return [
    known({
      name: 'CLT of the losses',
      kind: 'approximation',
      source: 'Dong, Roth, Su 2022, thm 3.5',
      ...gaussianAnswers(moments ? limitMuOf(moments) : 0),
    }),
    known({
      name: 'Berry-Esseen',
      kind: 'guarantee',
      source: 'Dong, Roth, Su 2022, thm 3.4, for each law apart',
      ...momentAnswers(moments ?? [], berryEsseenDelta),
    }),
    known({
      name: 'Edgeworth',
      kind: 'approximation',
      source: 'Wang, Gao, Zhang, Su, Shen 2022',
      ...momentAnswers(moments ?? [], edgeworthDelta),
    }),
  ];
}

function renyi(name: string, steps: readonly Step[], conversion: RenyiConversion): Accountant {
  return {
    name,
    kind: 'guarantee',
    source:
      conversion === 'tight'
        ? 'Mironov 2017; Canonne, Kamath, Steinke 2020, prop. 12'
        : 'Mironov 2017, prop. 3',
    epsilonAt: (delta) => (steps.length === 0 ? 0 : epsilonFromRenyi(steps, delta, conversion).value),
    deltaAt: (epsilon) => (steps.length === 0 ? 0 : exp(logDeltaFromRenyi(steps, epsilon, conversion).value)),
  };
}

function gaussianAnswers(mu: number): Pick<Accountant, 'epsilonAt' | 'deltaAt'> {
  return {
    epsilonAt: (delta) => (mu === 0 ? 0 : epsilonOf(gaussianRun(mu), log(delta), 1e-9).upper),
    deltaAt: (epsilon) =>
      mu === 0 ? 0 : Math.min(1, exp(gaussianRun(mu).logDelta(epsilon).upper) * (1 + 1e-15)),
  };
}

/** ε beyond which nothing is looked for, and how finely the first crossing is. */
const SCAN = 400;

function momentAnswers(
  directions: readonly LossCumulants[],
  deltaOf: (moments: LossCumulants, epsilon: number) => number,
): Pick<Accountant, 'epsilonAt' | 'deltaAt'> {
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
          relative: 1e-15,
        }).high;
      }
      return Infinity;
    },
  };
}
