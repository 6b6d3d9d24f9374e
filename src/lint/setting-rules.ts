import { type AuditClaim, audit } from '../audit/index.js';
import { wholeDivisors } from '../mechanism/kinds/divided-sgd.js';
import { gaussian } from '../mechanism/kinds/index.js';
import { select } from '../mechanism/kinds/select.js';
import { batchPhases, LOADER_NAMES, underLoader } from '../mechanism/loaders.js';
import { compose, poissonSubsampled, repeat, spelledOut, withReleases } from '../mechanism/mechanism.js';
import { kindOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { adjacenciesOf } from '../mechanism/theorems.js';
import { bracket, exactly } from '../numeric/bracket.js';
import { greatest, least } from '../numeric/extremes.js';
import { down, FEW_ROUNDINGS } from '../numeric/rounding.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import type { Case, LintRule } from './case.js';
import { sampleAmplifiedApart } from './sample-rule.js';

/** Rules on the settings of a run: each compares what was accounted with what was done. */

/** Relative difference up to which two numbers agree, as they are written with few digits. */
const CLOSE = 1e-6;

/** The accounted rate that is farthest below `expected`; if none is below, the largest. */
function rateOf({ claim, rates }: Case, expected: number): number | undefined {
  if (rates.length === 0) return claim.samplingRate;
  const lowest = least(rates);
  return lowest < expected * (1 - CLOSE) ? lowest : greatest(rates);
}

/** The end of a sentence: ε with `rate` as the sampling rate of all steps. Empty unless all steps are Poisson samples. */
function corrected(given: Case, rate: number): string {
  if (given.mechanism === undefined || !(rate <= 1)) return '';
  if (!given.steps.every(({ sampling }) => sampling === 'poisson')) return '';
  const steps = given.steps.map(({ mechanism, count }) =>
    repeat(poissonSubsampled(mechanism, { rate }), count),
  );
  const epsilon = given.epsilon(compose(steps));
  return `: ${given.epsilonName} is then ${bracketText(epsilon)}`;
}

/** Number of batches of the run, or as claimed if there is no run; undefined if some steps do not determine it. */
function countOf({ claim, mechanism, steps }: Case): number | undefined {
  const counts = mechanism === undefined ? [claim.steps] : steps.map(batchesOf);
  return counts.includes(undefined) ? undefined : counts.reduce<number>((sum, count) => sum + count!, 0);
}

/** The number of batches in equal steps; undefined where it does not follow: for a search, a stated guarantee, or batches in a fixed order. */
function batchesOf({ mechanism, sampling, count, places }: Step): number | undefined {
  if (mechanism.kind === 'balls-and-bins') return count * (mechanism.visited ?? mechanism.bins);
  if (mechanism.kind === 'shuffled') return count * mechanism.bins;
  const { doubled, drawing } = kindOf(mechanism);
  return places === undefined && (sampling !== 'all' || (doubled ?? drawing)) ? count : undefined;
}

const isSearch = ({ steps }: Case): boolean => steps.some(({ mechanism }) => mechanism.kind === 'select');

/** Words that mention a search of hyper-parameters. */
const SEARCH =
  /grid[ -]?search|hyper-?parameter|random[ -]search|bayesian|\bsweep|\bbest of\b|\btun(?:ed|ing)\b|\btri(?:es|als)\b/i;
/** A number of attempts. */
const TRIED = /(\d+)\s+(?:\w+\s+)?(?:tries|trials|settings|runs|configurations|candidates|combinations)/i;

export const SETTING_RULES: readonly LintRule[] = [
  {
    id: 'sampling-rate-mismatch',
    needs: 'a sampling rate (or a run with one), batchSize and datasetSize',
    check(given) {
      const { expectedRate: expected } = given;
      const stated = expected === undefined ? undefined : rateOf(given, expected);
      if (expected === undefined || stated === undefined) return undefined;
      if (Math.abs(stated - expected) <= CLOSE * expected) return 'fine';
      const { accumulation = 1 } = given.claim;
      const ratio = accumulation > 1 ? `B*accumulation/N (accumulation ${accumulation})` : 'B/N';
      const low = stated < expected;
      return {
        severity: low ? 'error' : 'warning',
        sentence: `sampling rate ${shortDecimal(stated)} was accounted, but ${ratio} is ${shortDecimal(expected)}${low ? ': the privacy loss is undercounted' : ''}`,
        shows: [ratio, exactly(expected)],
        wayOut: low
          ? `account with the rate of the whole step${corrected(given, expected)}`
          : 'account with the rate that was used; more was accounted than needed, if batch and data set are right',
      };
    },
  },
  {
    id: 'sampling-rate-understated',
    needs: 'samplingRate and a run that samples',
    check({ claim: { samplingRate }, rates }) {
      if (samplingRate === undefined || rates.length === 0) return undefined;
      const most = greatest(rates);
      if (samplingRate >= most * (1 - CLOSE)) return 'fine';
      return {
        severity: 'error',
        sentence: `the claim says sampling rate ${shortDecimal(samplingRate)}, but a phase of the run has ${shortDecimal(most)}`,
        shows: ['sampling rates of the run', bracket(least(rates), most)],
        wayOut: 'state the rate of every phase',
      };
    },
  },
  {
    id: 'steps-too-few',
    needs: 'epochs, batchSize, datasetSize and the steps (or a run)',
    check(given) {
      const [epochs, rate] = [given.claim.epochs ?? given.facts.epochs, given.expectedRate];
      const counted = countOf(given);
      if (epochs === undefined || rate === undefined || counted === undefined) return undefined;
      const expected = Math.ceil(epochs / rate - 1e-9);
      if (counted >= expected) return 'fine';
      return {
        severity: 'error',
        sentence: `${counted} steps were accounted, but ${shortDecimal(epochs)} epochs take ${expected}, the last batch included`,
        shows: ['steps', exactly(expected)],
        wayOut: `account ${expected} steps: epochs*N/B, rounded up`,
      };
    },
  },
  {
    id: 'steps-mismatch',
    needs: 'steps and a run from a file',
    check(given) {
      const { steps } = given.claim;
      const counted = countOf(given);
      if (steps === undefined || counted === undefined || given.mechanism === undefined) return undefined;
      if (steps >= counted) return 'fine';
      return {
        severity: 'error',
        sentence: `the claim says ${steps} steps, the run has ${counted}`,
        shows: ['steps', exactly(counted)],
        wayOut: 'count every phase of the run',
      };
    },
  },
  {
    id: 'noise-mismatch',
    needs: 'noiseMultiplier and a run of Gaussian steps',
    check({ claim: { noiseMultiplier }, noises }) {
      if (noiseMultiplier === undefined || noises.length === 0) return undefined;
      const lowest = least(noises);
      if (noiseMultiplier <= lowest * (1 + CLOSE)) return 'fine';
      return {
        severity: 'error',
        sentence: `the claim says noise multiplier ${shortDecimal(noiseMultiplier)}, but a phase of the run has ${shortDecimal(lowest)}`,
        shows: ['noise multipliers of the run', bracket(lowest, greatest(noises))],
        wayOut: 'state the noise of every phase, after halving for microbatching',
      };
    },
  },
  {
    id: 'microbatching-not-halved',
    needs: 'microbatching, noiseMultiplier and a run of Gaussian steps',
    check(given) {
      const { noises } = given;
      const { microbatching, noiseMultiplier } = given.claim;
      if (microbatching !== true || noiseMultiplier === undefined || noises.length === 0) return undefined;
      const half = noiseMultiplier / 2;
      const most = greatest(noises);
      if (most <= half * (1 + CLOSE)) return 'fine';
      const halved = withReleases(spelledOut(given.mechanism!), (release) =>
        release.kind === 'gaussian' ? gaussian({ noiseMultiplier: release.noiseMultiplier / 2 }) : release,
      );
      return {
        severity: 'error',
        sentence: `microbatching doubles the sensitivity, but noise multiplier ${shortDecimal(most)} was accounted where ${shortDecimal(half)} acts`,
        shows: [`${given.epsilonName} with the noise halved`, given.epsilon(halved)],
        wayOut: 'account half the noise multiplier, or clip record by record',
      };
    },
  },
  {
    // finds a divisor of the sum of gradients that depends on a single record: docs/proofs/sampling.md, 12
    id: 'divisor-cut',
    needs: 'datasetSize, add-remove adjacency and a checkpoint of Opacus with Poisson samples',
    check(given) {
      const { steps, datasetSize } = given;
      if (given.facts.divisor !== 'expected-whole' || datasetSize === undefined) return undefined;
      if ((given.claim.adjacency ?? given.adjacency) !== 'add-remove') return undefined;
      if (!given.samples('poisson')) return undefined;
      for (const { sampling, rate } of steps) {
        if (sampling !== 'poisson') continue;
        const [less, own, more] = wholeDivisors(rate, datasetSize);
        if (less === more) continue;
        const [other, change] = less === own ? [more, 'more'] : [less, 'fewer'];
        return {
          severity: 'warning',
          sentence: `Opacus divides by expected_batch_size, q n cut to a whole number: ${own}, but ${other} with one record ${change}. The numbers do not count what that tells`,
          shows: ['expected_batch_size, by one record', bracket(less, more)],
          wayOut:
            'divide by a public constant, or state zero-out neighbours, or account with --divisor expected-whole --parameters D',
        };
      }
      return 'fine';
    },
  },
  sampleAmplifiedApart,
  {
    id: 'shuffled-as-poisson',
    needs: 'sampling, and a run with Poisson samples',
    check(given) {
      const { sampling, epsilon: claimed = -1, delta } = given.claim;
      if (sampling === undefined || !given.samples('poisson')) return undefined;
      if (sampling === 'poisson') return 'fine';
      const exact = sampling === 'balls-and-bins' && adjacenciesOf(sampling).includes(given.adjacency);
      const phases = exact ? batchPhases(given.mechanism!) : undefined;
      const binned = phases && underLoader(phases, sampling);
      const epoch = sampling === 'shuffled' || sampling === 'fixed' || sampling === 'balls-and-bins';
      // an upper bound without amplification: a record takes part in every step that the loader allows
      const epochs = given.steps.map(({ mechanism, sampling: drawn, rate, count }) =>
        repeat(
          mechanism,
          drawn === 'poisson' && epoch ? Math.ceil(down(rate * count, FEW_ROUNDINGS)) : count,
        ),
      );
      const found = given.epsilon(binned ?? compose(epochs));
      if (delta !== undefined && claimed >= found.upper) return 'fine';
      const held = epoch ? 'with each record once per epoch' : 'with every record in every step';
      return {
        severity: 'error',
        sentence: `the loader is "${LOADER_NAMES[sampling]}", but the numbers are for Poisson samples, whose amplification it does not have`,
        shows: [`${given.epsilonName} ${binned === undefined ? held : 'of balls-and-bins epochs'}`, found],
        wayOut:
          binned === undefined
            ? 'draw Poisson samples, or publish the number without amplification, or say that Poisson sampling was assumed'
            : 'account the balls-and-bins epochs that were run',
      };
    },
  },
  {
    id: 'loader-without-theorem',
    needs: 'sampling, and adjacency where no run is given',
    check(given) {
      const { sampling, adjacency } = given.claim;
      if (sampling === undefined || (adjacency === undefined && given.mechanism !== undefined))
        return undefined;
      const proved = adjacenciesOf(sampling);
      if (proved.includes(adjacency ?? 'add-remove')) return 'fine';
      return {
        severity: 'warning',
        sentence: `the loader is "${LOADER_NAMES[sampling]}", which has no theorem for ${adjacency ?? 'add-remove, the usual adjacency'}: state the neighbours`,
        shows: [`${given.epsilonName} of the run as accounted`, given.epsilonOrUnknown()],
        wayOut: `state the claim for ${proved.join(' or ')}, or form batches by another loader (docs/sampling.md)`,
      };
    },
  },
  {
    id: 'adjacency-mismatch',
    needs: 'adjacency and the run',
    check(given) {
      const { adjacency, claim, facts } = given;
      if (claim.adjacency === undefined || given.mechanism === undefined) return undefined;
      const stated = facts.adjacency ?? adjacency;
      if (claim.adjacency === adjacency && stated === adjacency) return 'fine';
      return {
        severity: 'error',
        sentence: `the claim is about ${claim.adjacency} neighbours, but the run was accounted for ${stated}`,
        shows: [`${given.epsilonName} under ${adjacency}`, given.epsilon()],
        wayOut: `say ${stated}, or account for ${claim.adjacency}, where epsilon may be more than twice as large`,
      };
    },
  },
  {
    id: 'search-not-paid',
    needs: 'searches',
    check(given) {
      const { searches, searchesPaid } = given.claim;
      if (searches === undefined) return undefined;
      if (searches === 1 || searchesPaid === true || isSearch(given)) return 'fine';
      const all = given.mechanism && repeat(given.mechanism, searches);
      return {
        severity: 'error',
        sentence: `${searches} runs on the same data were compared, but only the chosen one is counted`,
        shows: [`${given.epsilonName} of all ${searches} runs`, given.epsilonOrUnknown(all)],
        wayOut:
          'count every run, or search on public data, or draw the number of tries in secret and account for it (kind "select")',
      };
    },
  },
  {
    id: 'search-accounted-as-one-run',
    needs: 'tuning and the run',
    check(given) {
      const { tuning, searches, searchesPaid } = given.claim;
      if (tuning === undefined || given.mechanism === undefined) return undefined;
      if (isSearch(given) || searchesPaid === true || searches !== undefined || !SEARCH.test(tuning))
        return 'fine';
      const tried = Number(TRIED.exec(tuning)?.[1] ?? 0);
      const known = tried > 1 && tried <= 1e9;
      const runs = { kind: 'negative-binomial', eta: 1, mean: known ? tried : 10 } as const;
      return {
        severity: 'warning',
        sentence: 'a search for settings is mentioned, but the numbers are those of one run',
        shows: [
          `${given.epsilonName} of the best of ${known ? tried : 'ten'} tries on average, their number secret and geometric`,
          given.epsilon(select({ runs, inner: given.mechanism })),
        ],
        wayOut:
          'search on public data, or count every run, or draw the number of tries in secret and account for it (kind "select")',
      };
    },
  },
  {
    id: 'refuted-by-evidence',
    needs: 'evidence, and epsilon, mu or the run',
    check(given) {
      const { evidence, epsilon, delta = 0, mu, alphaMin } = given.claim;
      if (evidence === undefined) return undefined;
      const claims: [string, AuditClaim][] = [];
      if (epsilon !== undefined) claims.push(['the epsilon claimed', { epsilon, delta }]);
      if (mu !== undefined && alphaMin === undefined) claims.push(['the mu claimed', { mu }]);
      if (given.mechanism !== undefined) claims.push(['the run', given.run()]);
      if (claims.length === 0) return undefined;
      for (const [name, claim] of claims) {
        const found = audit(evidence, { claim, deltas: [delta] });
        if (found.verdict !== 'refuted') continue;
        return {
          severity: 'error',
          sentence: `the evidence refutes ${name} at confidence 0.95: it is not what was implemented`,
          shows: [
            `epsilon(${shortDecimal(delta)}) that the evidence shows, from below`,
            { lower: found.epsilonLower[0].epsilon.lower, upper: Infinity },
          ],
          wayOut:
            'find what the implementation does differently (noise, sampling, clipping) before publishing',
        };
      }
      return 'fine';
    },
  },
];
