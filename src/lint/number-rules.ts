import { CLASSICAL, type Classical, classicalSigma } from '../gaussian-mechanism/gaussian-noise.js';
import { muOf } from '../measure/measure.js';
import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { down, FEW_ROUNDINGS, LONG_SUM, up } from '../numeric/rounding.js';
import { bracketText, roundDecimal, shortDecimal } from '../text/decimal.js';
import type { Case, Finding, LintRule } from './case.js';
import type { Claim } from './claim.js';

/** Rules on the claimed numbers: each is compared with the bracket of what the run supports. */

const safe = (b: Bracket): string => roundDecimal(b.upper, 'up', { digits: 4 });
const least = (b: Bracket): string => roundDecimal(b.lower, 'down', { digits: 4 });

/** Whether `upper` is above the claimed number by no more than rounding to nearest explains, and by at most 1 %. */
function isRounding(claimed: number, upper: number): boolean {
  return upper <= claimed + Math.min(halfDigit(claimed), 0.01 * claimed);
}

/** Half a unit of the last digit of a number as written. */
function halfDigit(x: number): number {
  const text = String(x);
  const [mantissa, exponent = '0'] = text.split('e');
  const digits = (mantissa.split('.')[1] ?? '').length - Number(exponent);
  return 0.5 * Number(`1e${-digits}`);
}

/** A finding on a number that is too small: an error, or a warning if it was rounded to nearest. */
function tooSmall(
  name: string,
  claimed: number,
  found: Bracket,
  refuted: string,
): Pick<Finding, 'severity' | 'sentence'> {
  return isRounding(claimed, found.upper)
    ? {
        severity: 'warning',
        sentence: `${name} ${shortDecimal(claimed)} was rounded down; the run's is above it`,
      }
    : { severity: 'error', sentence: refuted };
}

/** Methods that can overestimate ε several times, so that a large number is no sign of a wrong setting. */
const LOOSE: readonly string[] = ['rdp', 'zcdp', 'dwork-2006', 'dwork-2014'];

/** Whether the claim states a loader, accumulation, search or microbatching that its ε may include and the run does not. */
function saysOtherwise(given: Case): boolean {
  const { sampling = 'poisson', accumulation = 1, searches = 1, microbatching = false } = given.claim;
  const drawn = sampling === 'poisson' || sampling === 'all';
  return !drawn || accumulation > 1 || searches > 1 || microbatching;
}

/** ε at δ = 0. It is ∞ if the privacy loss has a Gaussian tail. ε at δ = e^{−700} is a lower bound. Ensures: ε at δ = 0 lies in the bracket. */
function pureEpsilon(given: Case): Bracket {
  const run = given.run();
  if (run.settings.tailMu.lower > 0) return exactly(Infinity);
  const pure = run.epsilon(0);
  if (pure.upper < Infinity) return pure;
  return bracket(Math.max(pure.lower, run.epsilonAtLog(-700).lower), Infinity);
}

/** A μ that holds only for error rates above this leaves out rates at which attacks are judged. */
const USUAL_WINDOW = 1e-6;

/** The classical formula that a claim uses, if its numbers are in the range of that formula. */
function classicalOf({ method = 'exact', epsilon = 0, delta = 0 }: Claim) {
  const known = (CLASSICAL as readonly string[]).includes(method) && epsilon >= 1e-12 && delta >= 1e-300;
  return known ? { formula: method as Classical, epsilon, delta } : undefined;
}

export const NUMBER_RULES: readonly LintRule[] = [
  {
    id: 'epsilon-too-small',
    needs: 'epsilon, delta and the run',
    check(given) {
      const { epsilon, delta } = given.claim;
      if (epsilon === undefined || delta === undefined || given.mechanism === undefined) return undefined;
      const found = given.epsilon();
      if (epsilon >= found.lower) return 'fine';
      const refuted = `the run is not (${shortDecimal(epsilon)}, ${shortDecimal(delta)})-DP: its epsilon is at least ${least(found)}`;
      return {
        ...tooSmall('epsilon', epsilon, found, refuted),
        shows: [given.epsilonName, found],
        wayOut: Number.isFinite(found.upper)
          ? `publish epsilon ${safe(found)} at delta ${shortDecimal(delta)}`
          : 'publish no epsilon: none is finite at this delta',
      };
    },
  },
  {
    id: 'epsilon-far-too-large',
    needs: 'epsilon, delta, and the run as the claim has it',
    check(given) {
      const { epsilon, delta, method } = given.claim;
      if (epsilon === undefined || delta === undefined || given.mechanism === undefined) return undefined;
      if (saysOtherwise(given)) return undefined;
      const found = given.epsilon();
      const times = LOOSE.includes(method ?? given.facts.accountant ?? '') ? 10 : 2;
      if (!(epsilon > Math.max(times * found.upper, found.upper + 0.5))) return 'fine';
      return {
        severity: 'warning',
        sentence: `epsilon ${shortDecimal(epsilon)} is true but far too large: the run supports ${safe(found)} at delta ${shortDecimal(delta)}`,
        shows: [given.epsilonName, found],
        wayOut: `publish epsilon ${safe(found)}, or look for a setting that was stated wrongly: noise, rate, steps or delta`,
      };
    },
  },
  {
    id: 'epsilon-without-delta',
    needs: 'epsilon without delta, and the run',
    check(given) {
      const { epsilon, delta } = given.claim;
      if (epsilon === undefined || delta !== undefined || given.mechanism === undefined) return undefined;
      const pure = pureEpsilon(given);
      if (epsilon >= pure.lower) return 'fine';
      const claimed = `epsilon ${shortDecimal(epsilon)} without a delta is pure differential privacy`;
      const withDelta = `state the delta; at ${shortDecimal(given.delta)} epsilon is ${bracketText(given.epsilon())}`;
      const some = pure.upper < Infinity;
      const why = some
        ? `${claimed}, which the run has from epsilon ${least(pure)} on`
        : pure.lower < Infinity
          ? `${claimed}; that of the run, if it has any, needs at least ${least(pure)}`
          : `${claimed}, which the run does not have`;
      return {
        ...tooSmall('epsilon', epsilon, pure, why),
        shows: ['epsilon(0)', pure],
        wayOut: some ? `publish epsilon ${safe(pure)}, or ${withDelta}` : withDelta,
      };
    },
  },
  {
    id: 'mu-too-small',
    needs: 'mu and the run',
    check(given) {
      const { mu } = given.claim;
      if (mu === undefined || given.mechanism === undefined) return undefined;
      const found = given.mu();
      if (mu >= found.lower) return 'fine';
      const window = `for error rates down to ${shortDecimal(given.alphaMin)}`;
      return {
        ...tooSmall('mu', mu, found, `the run is not ${shortDecimal(mu)}-GDP ${window}`),
        shows: [`mu, ${window}`, found],
        wayOut: Number.isFinite(found.upper)
          ? `publish mu ${safe(found)} ${window}`
          : 'publish the trade-off curve',
      };
    },
  },
  {
    id: 'mu-without-window',
    needs: 'mu and the run',
    check(given) {
      const { mu, alphaMin } = given.claim;
      if (mu === undefined || given.mechanism === undefined) return undefined;
      const { tailMu, gaussian } = given.run().settings;
      if (gaussian || alphaMin !== undefined || mu >= tailMu.upper) return 'fine';
      return {
        severity: 'error',
        sentence: `mu ${shortDecimal(mu)} holds for no window that is stated; as error rates go to 0 the run's mu goes to at least ${least(tailMu)}`,
        shows: ['mu without a window', tailMu],
        wayOut: `state the window: for error rates down to ${shortDecimal(given.alphaMin)} mu is ${bracketText(given.mu())}`,
      };
    },
  },
  {
    id: 'mu-window-narrow',
    needs: 'mu with a window from above 1e-6, and the run',
    check(given) {
      const { mu, alphaMin = 0 } = given.claim;
      if (mu === undefined || !(alphaMin > USUAL_WINDOW) || given.mechanism === undefined) return undefined;
      const found = muOf(given.run(), { alphaMin: USUAL_WINDOW });
      if (mu >= found.lower) return 'fine';
      const usual = shortDecimal(USUAL_WINDOW);
      return {
        severity: 'warning',
        sentence: `mu ${shortDecimal(mu)} is claimed for error rates down to ${shortDecimal(alphaMin)} alone; for rates down to ${usual} the run's mu is at least ${least(found)}`,
        shows: [`mu, for error rates down to ${usual}`, found],
        wayOut: `publish mu ${safe(found)} for error rates down to ${usual}, or say why smaller rates do not matter`,
      };
    },
  },
  {
    id: 'rho-too-small',
    needs: 'rho and the run',
    check(given) {
      const { rho } = given.claim;
      if (rho === undefined || given.mechanism === undefined) return undefined;
      // ρ-zCDP gives δ(ε) ≤ e^{−(ε−ρ)²/4ρ}, whose tail is that of μ = √(2ρ): ρ ≥ μ_t²/2 always, with equality for Gaussians, sampled or not
      const { tailMu } = given.run().settings;
      const found = {
        lower: down(tailMu.lower ** 2 / 2, FEW_ROUNDINGS),
        upper: up(tailMu.upper ** 2 / 2, FEW_ROUNDINGS),
      };
      if (rho >= found.lower) return 'fine';
      return {
        severity: 'error',
        sentence: `the run is not ${shortDecimal(rho)}-zCDP: its noise alone gives more${given.samples('poisson') ? ', and sampling does not lower rho' : ''}`,
        shows: ['least rho', found],
        wayOut: Number.isFinite(found.upper)
          ? `a rho below ${least(found)} is impossible; publish epsilon or mu, which sampling does lower`
          : 'the run has no finite rho; publish epsilon and delta',
      };
    },
  },
  {
    id: 'delta-too-large',
    needs: 'delta and the size of the data set',
    check({ claim: { delta }, datasetSize }) {
      if (delta === undefined || datasetSize === undefined) return undefined;
      const limit = 1 / datasetSize;
      if (delta <= up(limit, LONG_SUM)) return 'fine';
      return {
        severity: 'error',
        sentence: `delta ${shortDecimal(delta)} is above 1/${datasetSize}: it would allow a whole record to be published`,
        shows: ['1/N', exactly(limit)],
        wayOut: `state epsilon at a delta well below ${roundDecimal(limit, 'down', { digits: 3 })}`,
      };
    },
  },
  {
    id: 'clt-as-bound',
    needs: 'epsilon or mu, and the method (or the accountant of the file)',
    check(given) {
      const { epsilon, mu, method, approximate } = given.claim;
      const { accountant } = given.facts;
      if ((epsilon ?? mu) === undefined || (method ?? accountant) === undefined) return undefined;
      // the accountant that Opacus calls gdp computes the central-limit approximation of GDP
      const limit = method === undefined && accountant === 'gdp' && given.samples('poisson');
      const isClose = limit || ['clt', 'edgeworth', 'asymptotic'].includes(method ?? '');
      if (!isClose || approximate === true) return 'fine';
      return {
        severity: 'error',
        sentence: `the numbers come from ${limit ? 'the central limit theorem (the accountant gdp)' : `an approximation (${method})`} but are published as a bound; it may lie below the truth`,
        shows: [given.epsilonName, given.epsilonOrUnknown()],
        wayOut: 'publish the upper end of the bracket, or say that the number is approximate',
      };
    },
  },
  {
    id: 'classical-sigma-invalid',
    needs: 'epsilon, delta and a classical formula as method',
    check({ claim }) {
      const classical = classicalOf(claim);
      if (classical === undefined) return undefined;
      const { formula, epsilon, delta } = classical;
      const { warning } = classicalSigma(formula, { epsilon, delta });
      if (warning === undefined) return 'fine';
      const { status } = warning;
      const fails = status === 'invalid';
      return {
        severity: fails ? 'error' : 'warning',
        sentence: fails
          ? `sigma of ${formula} is not (${shortDecimal(epsilon)}, ${shortDecimal(delta)})-DP: the formula fails beyond epsilon ${bracketText(warning.threshold)}`
          : `${formula} is proven up to epsilon 1 only, not for ${shortDecimal(epsilon)}${status === 'unproven' ? '; it does hold here, by another proof' : ''}`,
        shows: [`epsilon(${shortDecimal(delta)}) of that sigma`, warning.epsilon],
        wayOut:
          'take the optimal sigma (optimalSigma, or gdp calibrate), which is smaller wherever the formula holds',
      };
    },
  },
  {
    id: 'noise-below-formula',
    needs: 'epsilon, delta, a classical formula as method and the noise multiplier',
    check({ claim }) {
      const classical = classicalOf(claim);
      const { noiseMultiplier } = claim;
      if (classical === undefined || noiseMultiplier === undefined) return undefined;
      const { formula, ...request } = classical;
      const { sigma } = classicalSigma(formula, request);
      if (noiseMultiplier >= sigma.lower || isRounding(noiseMultiplier, sigma.upper)) return 'fine';
      return {
        severity: 'error',
        sentence: `noise multiplier ${shortDecimal(noiseMultiplier)} is below what ${formula} asks for`,
        shows: [`sigma of ${formula}`, sigma],
        wayOut: 'state the epsilon that the noise gives, or add the noise that epsilon asks for',
      };
    },
  },
];
