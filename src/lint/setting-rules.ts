import { type AuditClaim, audit } from '../audit/index.js';
import { gaussian } from '../mechanism/kinds/index.js';
import { select } from '../mechanism/kinds/select.js';
import { batchPhases, LOADER_NAMES, underLoader } from '../mechanism/loaders.js';
import { compose, type Mechanism, poissonSubsampled, repeat } from '../mechanism/mechanism.js';
import type { Basic } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { adjacenciesOf } from '../mechanism/theorems.js';
import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { greatest, least } from '../numeric/extremes.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import type { Case, Rule } from './case.js';
import type { Claim } from './claim.js';
import { divisorCut } from './divisor-rule.js';
import { sampleAmplifiedApart } from './sample-rule.js';

/** Rules about how the run was set up: what was accounted beside what was done. */

/** Rates are written with few digits. */
const CLOSE = 1e-6;

const samplingRateMismatch: Rule = {
  id: 'sampling-rate-mismatch',
  needs: 'a sampling rate (or a run with one), batchSize and datasetSize',
  applies: (given) => given.expectedRate() !== undefined && rateOf(given) !== undefined,
  check(given) {
    const { lower: expected } = given.expectedRate()!;
    const stated = rateOf(given, expected)!;
    if (Math.abs(stated - expected) <= CLOSE * expected) return undefined;
    const { accumulation = 1 } = given.claim;
    const ratio = accumulation > 1 ? `B*accumulation/N (accumulation ${accumulation})` : 'B/N';
    const low = stated < expected;
    return {
      severity: low ? 'error' : 'warning',
      sentence: `sampling rate ${shortDecimal(stated)} was accounted, but ${ratio} is ${shortDecimal(expected)}${low ? ': the privacy loss is undercounted' : ''}`,
      evidence: { quantity: ratio, bracket: exactly(expected) },
      wayOut: low
        ? `account with the rate of the whole step${corrected(given, expected)}`
        : 'account with the rate that was used; more was accounted than needed, if batch and data set are right',
    };
  },
};

/** The rate accounted that is farthest below `expected`, else the largest. */
function rateOf({ claim, steps }: Case, expected = 0): number | undefined {
  const rates = steps.filter(({ sampling }) => sampling !== 'all').map(({ rate }) => rate);
  if (rates.length === 0) return claim.samplingRate;
  const lowest = least(rates);
  return lowest < expected * (1 - CLOSE) ? lowest : greatest(rates);
}

/** What ε would be at the right rate, where every step has the same. */
function corrected(given: Case, rate: number): string {
  if (given.mechanism === undefined || !(rate <= 1)) return '';
  if (!given.steps.every(({ sampling }) => sampling === 'poisson')) return '';
  const parts = given.steps.map(({ mechanism, count }) =>
    repeat(poissonSubsampled(mechanism, { rate }), count),
  );
  const epsilon = given.epsilon(compose(parts));
  return `: epsilon(${shortDecimal(given.delta)}) is then ${bracketText(epsilon)}`;
}

const stepsTooFew: Rule = {
  id: 'steps-too-few',
  needs: 'epochs, batchSize, datasetSize and the steps (or a run)',
  applies: (given) => expectedSteps(given) !== undefined && countOf(given) !== undefined,
  check(given) {
    const expected = expectedSteps(given)!;
    const counted = countOf(given)!;
    if (counted >= expected) return undefined;
    const epochs = given.claim.epochs ?? given.facts.epochs!;
    return {
      severity: 'error',
      sentence: `${counted} steps were accounted, but ${shortDecimal(epochs)} epochs take ${expected}, the last batch included`,
      evidence: { quantity: 'steps', bracket: exactly(expected) },
      wayOut: `account ${expected} steps: epochs*N/B, rounded up`,
    };
  },
};

function expectedSteps(given: Case): number | undefined {
  const epochs = given.claim.epochs ?? given.facts.epochs;
  const rate = given.expectedRate();
  return epochs === undefined || rate === undefined ? undefined : Math.ceil(epochs / rate.lower - 1e-9);
}

function countOf({ claim, mechanism, steps }: Case): number | undefined {
  if (mechanism !== undefined) return steps.reduce((sum, { count }) => sum + count, 0);
  return claim.steps;
}

const stepsMismatch: Rule = {
  id: 'steps-mismatch',
  needs: 'steps and a run from a file',
  applies: ({ claim, mechanism }) => claim.steps !== undefined && mechanism !== undefined,
  check(given) {
    const counted = countOf(given)!;
    if (given.claim.steps! >= counted) return undefined;
    return {
      severity: 'error',
      sentence: `the claim says ${given.claim.steps} steps, the run has ${counted}`,
      evidence: { quantity: 'steps', bracket: exactly(counted) },
      wayOut: 'count every phase of the run',
    };
  },
};

const noiseMismatch: Rule = {
  id: 'noise-mismatch',
  needs: 'noiseMultiplier and a run of Gaussian steps',
  applies: ({ claim, steps }) => claim.noiseMultiplier !== undefined && noisesOf(steps).length > 0,
  check({ claim, steps }) {
    const noises = noisesOf(steps);
    const lowest = least(noises);
    if (claim.noiseMultiplier! <= lowest * (1 + CLOSE)) return undefined;
    const found = bracket(lowest, greatest(noises));
    return {
      severity: 'error',
      sentence: `the claim says noise multiplier ${shortDecimal(claim.noiseMultiplier!)}, but a phase of the run has ${shortDecimal(lowest)}`,
      evidence: { quantity: 'noise multipliers of the run', bracket: found },
      wayOut: 'state the noise of every phase, after halving for microbatching',
    };
  },
};

const rateUnderstated: Rule = {
  id: 'sampling-rate-understated',
  needs: 'samplingRate and a run that samples',
  applies: ({ claim, steps }) =>
    claim.samplingRate !== undefined && steps.some(({ sampling }) => sampling !== 'all'),
  check({ claim, steps }) {
    const rates = steps.filter(({ sampling }) => sampling !== 'all').map(({ rate }) => rate);
    const most = greatest(rates);
    if (claim.samplingRate! >= most * (1 - CLOSE)) return undefined;
    return {
      severity: 'error',
      sentence: `the claim says sampling rate ${shortDecimal(claim.samplingRate!)}, but a phase of the run has ${shortDecimal(most)}`,
      evidence: { quantity: 'sampling rates of the run', bracket: bracket(least(rates), most) },
      wayOut: 'state the rate of every phase',
    };
  },
};

function noisesOf(steps: readonly Step[]): number[] {
  return steps.flatMap(({ mechanism }) => (mechanism.kind === 'gaussian' ? [mechanism.noiseMultiplier] : []));
}

const microbatchingNotHalved: Rule = {
  id: 'microbatching-not-halved',
  needs: 'microbatching, noiseMultiplier and a run of Gaussian steps',
  applies: ({ claim, steps }) =>
    claim.microbatching === true && claim.noiseMultiplier !== undefined && noisesOf(steps).length > 0,
  check(given) {
    const half = given.claim.noiseMultiplier! / 2;
    const most = greatest(noisesOf(given.steps));
    if (most <= half * (1 + CLOSE)) return undefined;
    const halved = withSteps(given, (mechanism) =>
      mechanism.kind === 'gaussian'
        ? gaussian({ noiseMultiplier: mechanism.noiseMultiplier / 2 })
        : mechanism,
    );
    return {
      severity: 'error',
      sentence: `microbatching doubles the sensitivity, but noise multiplier ${shortDecimal(most)} was accounted where ${shortDecimal(half)} acts`,
      evidence: {
        quantity: `epsilon(${shortDecimal(given.delta)}) with the noise halved`,
        bracket: given.epsilon(halved),
      },
      wayOut: 'account half the noise multiplier, or clip record by record',
    };
  },
};

/** The run with every single mechanism changed. */
function withSteps(given: Case, change: (mechanism: Basic) => Basic): Mechanism {
  return compose(
    given.steps.map(({ mechanism, sampling, rate, count }) =>
      repeat(
        sampling === 'poisson' ? poissonSubsampled(change(mechanism), { rate }) : change(mechanism),
        count,
      ),
    ),
  );
}

const shuffledAsPoisson: Rule = {
  id: 'shuffled-as-poisson',
  needs: 'sampling, and a run with Poisson samples',
  applies: (given) => given.claim.sampling !== undefined && given.samples('poisson'),
  check(given) {
    const sampling = given.claim.sampling!;
    if (sampling === 'poisson') return undefined;
    const exact = sampling === 'balls-and-bins' && adjacenciesOf(sampling).includes(given.adjacency);
    const phases = exact ? batchPhases(given.mechanism!) : undefined;
    const binned = phases && underLoader(phases, sampling);
    const epoch = sampling === 'shuffled' || sampling === 'fixed' || sampling === 'balls-and-bins';
    // without amplification: a record takes part in every step it may be in
    const epochs = given.steps.map(({ mechanism, sampling: drawn, rate, count }) =>
      repeat(mechanism, drawn === 'poisson' && epoch ? Math.ceil(rate * count) : count),
    );
    const found = given.epsilon(binned ?? compose(epochs));
    if (given.claim.delta !== undefined && (given.claim.epsilon ?? -1) >= found.upper) return undefined;
    const held = epoch ? 'with each record once per epoch' : 'with every record in every step';
    return {
      severity: 'error',
      sentence: `the loader is "${LOADER_NAMES[sampling]}", but the numbers are for Poisson samples, whose amplification it does not have`,
      evidence: {
        quantity: `epsilon(${shortDecimal(given.delta)}) ${binned === undefined ? held : 'of balls-and-bins epochs'}`,
        bracket: found,
      },
      wayOut:
        binned === undefined
          ? 'draw Poisson samples, or publish the number without amplification, or say that Poisson sampling was assumed'
          : 'account the balls-and-bins epochs that were run',
    };
  },
};

const loaderWithoutTheorem: Rule = {
  id: 'loader-without-theorem',
  needs: 'sampling, and adjacency where no run is given',
  applies: ({ claim, mechanism }) =>
    claim.sampling !== undefined && (claim.adjacency !== undefined || mechanism === undefined),
  check(given) {
    const { sampling, adjacency } = given.claim;
    const proved = adjacenciesOf(sampling!);
    if (proved.includes(adjacency ?? 'add-remove')) return undefined;
    return {
      severity: 'warning',
      sentence: `the loader is "${LOADER_NAMES[sampling!]}", which has no theorem for ${adjacency ?? 'add-remove, the usual adjacency'}: state the neighbours`,
      evidence: {
        quantity: `epsilon(${shortDecimal(given.delta)}) of the run as accounted`,
        bracket: given.epsilonOrUnknown(),
      },
      wayOut: `state the claim for ${proved.join(' or ')}, or form batches by another loader (docs/sampling.md)`,
    };
  },
};

const adjacencyMismatch: Rule = {
  id: 'adjacency-mismatch',
  needs: 'adjacency and the run',
  applies: ({ claim, mechanism }) => claim.adjacency !== undefined && mechanism !== undefined,
  check(given) {
    const { adjacency } = given;
    if (given.claim.adjacency === adjacency && (given.facts.adjacency ?? adjacency) === adjacency) {
      return undefined;
    }
    const stated = given.facts.adjacency ?? adjacency;
    return {
      severity: 'error',
      sentence: `the claim is about ${given.claim.adjacency} neighbours, but the run was accounted for ${stated}`,
      evidence: {
        quantity: `epsilon(${shortDecimal(given.delta)}) under ${adjacency}`,
        bracket: given.epsilon(),
      },
      wayOut: `say ${stated}, or account for ${given.claim.adjacency}, where epsilon may be more than twice as large`,
    };
  },
};

const searchNotPaid: Rule = {
  id: 'search-not-paid',
  needs: 'searches',
  applies: ({ claim }) => claim.searches !== undefined,
  check(given) {
    const { searches, searchesPaid } = given.claim;
    if (searches === 1 || searchesPaid === true) return undefined;
    if (given.steps.some(({ mechanism }) => mechanism.kind === 'select')) return undefined;
    const all: Bracket =
      given.mechanism === undefined
        ? given.epsilonOrUnknown()
        : given.epsilon(repeat(given.mechanism, searches!));
    return {
      severity: 'error',
      sentence: `${searches} runs on the same data were compared, but only the chosen one is counted`,
      evidence: { quantity: `epsilon(${shortDecimal(given.delta)}) of all ${searches} runs`, bracket: all },
      wayOut:
        'count every run, or search on public data, or draw the number of tries in secret and account for it (kind "select")',
    };
  },
};

/** Words of a search, and a number of what was tried. */
const SEARCH =
  /grid[ -]?search|hyper-?parameter|random[ -]search|bayesian|\bsweep|\bbest of\b|\btun(?:ed|ing)\b|\btri(?:es|als)\b/i;
const TRIED = /(\d+)\s+(?:\w+\s+)?(?:tries|trials|settings|runs|configurations|candidates|combinations)/i;

const searchMentioned: Rule = {
  id: 'search-accounted-as-one-run',
  needs: 'tuning and the run',
  applies: ({ claim, mechanism }) => claim.tuning !== undefined && mechanism !== undefined,
  check(given) {
    const { tuning, searches, searchesPaid } = given.claim;
    const accounted = given.steps.some(({ mechanism }) => mechanism.kind === 'select');
    if (accounted || searchesPaid === true || searches !== undefined || !SEARCH.test(tuning!))
      return undefined;
    const tried = Number(TRIED.exec(tuning!)?.[1] ?? 0);
    const known = tried > 1 && tried <= 1e9;
    const runs = { kind: 'negative-binomial', eta: 1, mean: known ? tried : 10 } as const;
    const found = given.epsilon(select({ runs, inner: given.mechanism! }));
    return {
      severity: 'warning',
      sentence: 'a search for settings is mentioned, but the numbers are those of one run',
      evidence: {
        quantity: `epsilon(${shortDecimal(given.delta)}) of the best of ${known ? tried : 'ten'} tries on average, their number secret and geometric`,
        bracket: found,
      },
      wayOut:
        'search on public data, or count every run, or draw the number of tries in secret and account for it (kind "select")',
    };
  },
};

const refutedByEvidence: Rule = {
  id: 'refuted-by-evidence',
  needs: 'evidence, and epsilon, mu or the run',
  applies: ({ claim, mechanism }) =>
    claim.evidence !== undefined &&
    (mechanism !== undefined || claim.epsilon !== undefined || plainMu(claim) !== undefined),
  check(given) {
    const { claim } = given;
    const claims: [string, AuditClaim][] = [
      ...(claim.epsilon === undefined
        ? []
        : [
            ['the epsilon claimed', { epsilon: claim.epsilon, delta: claim.delta ?? 0 }] as [
              string,
              AuditClaim,
            ],
          ]),
      ...(plainMu(claim) === undefined
        ? []
        : [['the mu claimed', { mu: claim.mu! }] as [string, AuditClaim]]),
      ...(given.mechanism === undefined ? [] : [['the run', given.run()] as [string, AuditClaim]]),
    ];
    for (const [name, about] of claims) {
      const found = audit(claim.evidence!, { claim: about, deltas: [claim.delta ?? 0] });
      if (found.verdict !== 'refuted') continue;
      return {
        severity: 'error',
        sentence: `the evidence refutes ${name} at confidence 0.95: it is not what was implemented`,
        evidence: {
          quantity: `epsilon(${shortDecimal(claim.delta ?? 0)}) that the evidence shows, from below`,
          bracket: { lower: found.epsilonLower[0].epsilon.lower, upper: Infinity },
        },
        wayOut: 'find what the implementation does differently (noise, sampling, clipping) before publishing',
      };
    }
    return undefined;
  },
};

/** A μ that is claimed without a window. */
function plainMu({ mu, alphaMin }: Claim): number | undefined {
  return alphaMin === undefined ? mu : undefined;
}

export const SETTING_RULES: readonly Rule[] = [
  samplingRateMismatch,
  rateUnderstated,
  stepsTooFew,
  stepsMismatch,
  noiseMismatch,
  microbatchingNotHalved,
  divisorCut,
  sampleAmplifiedApart,
  shuffledAsPoisson,
  loaderWithoutTheorem,
  adjacencyMismatch,
  searchNotPaid,
  searchMentioned,
  refutedByEvidence,
];
