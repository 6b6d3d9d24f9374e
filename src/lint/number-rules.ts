import { type Classical, classicalSigma, FORMULAS } from '../gaussian-mechanism/classical.js';
import { muOf } from '../measure/measure.js';
import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { bracketText, roundDecimal, shortDecimal } from '../text/decimal.js';
import type { Case, Rule } from './case.js';

/** Rules about the numbers claimed: each is compared with the bracket of what the run supports. */

const safe = (b: Bracket): string => roundDecimal(b.upper, 'up', { digits: 4 });
const epsilonName = ({ delta }: Case): string => `epsilon(${shortDecimal(delta)})`;

/** Whether `upper` was rounded to nearest, to the digits of `claimed`, and by no more than 1 %. */
function isRounding(claimed: number, upper: number): boolean {
  return upper <= claimed + Math.min(halfDigit(claimed), 0.01 * claimed);
}

/** Half a unit in the last digit that was written. */
function halfDigit(x: number): number {
  const text = String(x);
  const [mantissa, exponent = '0'] = text.split('e');
  const digits = (mantissa.split('.')[1] ?? '').length - Number(exponent);
  return 0.5 * Number(`1e${-digits}`);
}

const epsilonTooSmall: Rule = {
  id: 'epsilon-too-small',
  needs: 'epsilon, delta and the run',
  applies: ({ claim, mechanism }) =>
    claim.epsilon !== undefined && claim.delta !== undefined && mechanism !== undefined,
  check(given) {
    const claimed = given.claim.epsilon!;
    const found = given.epsilon();
    if (claimed >= found.lower) return undefined;
    const rounded = isRounding(claimed, found.upper);
    return {
      severity: rounded ? 'warning' : 'error',
      sentence: rounded
        ? `epsilon ${shortDecimal(claimed)} was rounded down; the run's is above it`
        : `the run is not (${shortDecimal(claimed)}, ${shortDecimal(given.delta)})-DP: its epsilon is at least ${roundDecimal(found.lower, 'down', { digits: 4 })}`,
      evidence: { quantity: epsilonName(given), bracket: found },
      wayOut: Number.isFinite(found.upper)
        ? `publish epsilon ${safe(found)} at delta ${shortDecimal(given.delta)}`
        : 'publish no epsilon: none is finite at this delta',
    };
  },
};

const epsilonWithoutDelta: Rule = {
  id: 'epsilon-without-delta',
  needs: 'epsilon without delta, and the run',
  applies: ({ claim, mechanism }) =>
    claim.epsilon !== undefined && claim.delta === undefined && mechanism !== undefined,
  check(given) {
    const pure = pureEpsilon(given);
    const claimed = given.claim.epsilon!;
    if (claimed >= pure.lower) return undefined;
    return {
      severity: 'error',
      sentence: `epsilon ${shortDecimal(claimed)} without a delta is pure differential privacy, which the run does not have`,
      evidence: { quantity: 'epsilon(0)', bracket: pure },
      wayOut: `state the delta; at ${shortDecimal(given.delta)} epsilon is ${bracketText(given.epsilon())}`,
    };
  },
};

/** ε at δ = 0: ∞ where the losses are unbounded, and never below what a δ of e^{−700} needs. */
function pureEpsilon(given: Case): Bracket {
  const run = given.run();
  if (run.settings.tailMu.lower > 0) return exactly(Infinity);
  return bracket(run.epsilonAtLog(-700).lower, Infinity);
}

const muTooSmall: Rule = {
  id: 'mu-too-small',
  needs: 'mu and the run',
  applies: ({ claim, mechanism }) => claim.mu !== undefined && mechanism !== undefined,
  check(given) {
    const claimed = given.claim.mu!;
    const found = given.mu();
    if (claimed >= found.lower) return undefined;
    const rounded = isRounding(claimed, found.upper);
    const window = `for error rates down to ${shortDecimal(given.alphaMin)}`;
    return {
      severity: rounded ? 'warning' : 'error',
      sentence: rounded
        ? `mu ${shortDecimal(claimed)} was rounded down; the run's is above it`
        : `the run is not ${shortDecimal(claimed)}-GDP ${window}`,
      evidence: { quantity: `mu, ${window}`, bracket: found },
      wayOut: Number.isFinite(found.upper)
        ? `publish mu ${safe(found)} ${window}`
        : 'publish the trade-off curve',
    };
  },
};

const muWithoutWindow: Rule = {
  id: 'mu-without-window',
  needs: 'mu and the run',
  applies: ({ claim, mechanism }) => claim.mu !== undefined && mechanism !== undefined,
  check(given) {
    const { tailMu, gaussian } = given.run().settings;
    if (gaussian || given.claim.alphaMin !== undefined || given.claim.mu! >= tailMu.upper) return undefined;
    const found = given.mu();
    return {
      severity: 'error',
      sentence: `mu ${shortDecimal(given.claim.mu!)} holds for no window that is stated; as error rates go to 0 the run's mu goes to at least ${roundDecimal(tailMu.lower, 'down', { digits: 4 })}`,
      evidence: { quantity: 'mu without a window', bracket: tailMu },
      wayOut: `state the window: for error rates down to ${shortDecimal(given.alphaMin)} mu is ${bracketText(found)}`,
    };
  },
};

/** A window from above this leaves out error rates that attacks are judged by. */
const USUAL_WINDOW = 1e-6;

const muWindowNarrow: Rule = {
  id: 'mu-window-narrow',
  needs: 'mu with a window from above 1e-6, and the run',
  applies: ({ claim, mechanism }) =>
    claim.mu !== undefined && claim.alphaMin! > USUAL_WINDOW && mechanism !== undefined,
  check(given) {
    const claimed = given.claim.mu!;
    const found = muOf(given.run(), { alphaMin: USUAL_WINDOW });
    if (claimed >= found.lower) return undefined;
    const least = shortDecimal(USUAL_WINDOW);
    return {
      severity: 'warning',
      sentence: `mu ${shortDecimal(claimed)} is claimed for error rates down to ${shortDecimal(given.alphaMin)} alone; for rates down to ${least} the run's mu is at least ${roundDecimal(found.lower, 'down', { digits: 4 })}`,
      evidence: { quantity: `mu, for error rates down to ${least}`, bracket: found },
      wayOut: `publish mu ${safe(found)} for error rates down to ${least}, or say why smaller rates do not matter`,
    };
  },
};

/** ρ-zCDP gives δ(ε) ≤ e^{−(ε−ρ)²/4ρ}, whose tail is that of μ = √(2ρ): ρ ≥ μ_t²/2 always, with equality for Gaussians, sampled or not. */
const rhoTooSmall: Rule = {
  id: 'rho-too-small',
  needs: 'rho and the run',
  applies: ({ claim, mechanism }) => claim.rho !== undefined && mechanism !== undefined,
  check(given) {
    const { tailMu } = given.run().settings;
    const least = {
      lower: (tailMu.lower ** 2 / 2) * (1 - 1e-15),
      upper: (tailMu.upper ** 2 / 2) * (1 + 1e-15),
    };
    const claimed = given.claim.rho!;
    if (claimed >= least.lower) return undefined;
    return {
      severity: 'error',
      sentence: `the run is not ${shortDecimal(claimed)}-zCDP: its noise alone gives more${given.samples('poisson') ? ', and sampling does not lower rho' : ''}`,
      evidence: { quantity: 'least rho', bracket: least },
      wayOut: Number.isFinite(least.upper)
        ? `a rho below ${roundDecimal(least.lower, 'down', { digits: 4 })} is impossible; publish epsilon or mu, which sampling does lower`
        : 'the run has no finite rho; publish epsilon and delta',
    };
  },
};

const deltaTooLarge: Rule = {
  id: 'delta-too-large',
  needs: 'delta and the size of the data set',
  applies: ({ claim, datasetSize }) => claim.delta !== undefined && datasetSize !== undefined,
  check({ claim, datasetSize }) {
    const limit = 1 / datasetSize!;
    if (claim.delta! <= limit * (1 + 1e-12)) return undefined;
    return {
      severity: 'error',
      sentence: `delta ${shortDecimal(claim.delta!)} is above 1/${datasetSize}: it would allow a whole record to be published`,
      evidence: { quantity: '1/N', bracket: exactly(limit) },
      wayOut: `state epsilon at a delta well below ${roundDecimal(limit, 'down', { digits: 3 })}`,
    };
  },
};

const cltAsBound: Rule = {
  id: 'clt-as-bound',
  needs: 'epsilon or mu, and the method (or the accountant of the file)',
  applies: ({ claim, facts }) =>
    (claim.epsilon !== undefined || claim.mu !== undefined) &&
    (claim.method !== undefined || facts.accountant !== undefined),
  check(given) {
    const { claim, facts } = given;
    // the accountant that Opacus calls gdp is the central limit theorem of GDP
    const limit = claim.method === undefined && facts.accountant === 'gdp' && given.samples('poisson');
    const approximate = ['clt', 'edgeworth', 'asymptotic'].includes(claim.method ?? '');
    if (!(limit || approximate) || claim.approximate === true) return undefined;
    return {
      severity: 'error',
      sentence: `the numbers come from ${limit ? 'the central limit theorem (the accountant gdp)' : `an approximation (${claim.method})`} but are published as a bound; it may lie below the truth`,
      evidence: { quantity: epsilonName(given), bracket: given.epsilonOrUnknown() },
      wayOut: 'publish the upper end of the bracket, or say that the number is approximate',
    };
  },
};

const classicalInvalid: Rule = {
  id: 'classical-sigma-invalid',
  needs: 'epsilon, delta and a classical formula as method',
  applies: ({ claim }) =>
    isClassical(claim.method) && (claim.epsilon ?? 0) >= 1e-12 && (claim.delta ?? 0) >= 1e-300,
  check({ claim }) {
    const formula = claim.method as Classical;
    const [epsilon, delta] = [claim.epsilon!, claim.delta!];
    const { warning } = classicalSigma(formula, { epsilon, delta });
    if (warning === undefined) return undefined;
    const valid = warning.status === 'unproven';
    return {
      severity: valid ? 'warning' : 'error',
      sentence: valid
        ? `${formula} is proven up to epsilon 1 only, not for ${shortDecimal(epsilon)}; it does hold here, by another proof`
        : `sigma of ${formula} is not (${shortDecimal(epsilon)}, ${shortDecimal(delta)})-DP: the formula fails beyond epsilon ${bracketText(warning.threshold)}`,
      evidence: { quantity: `epsilon(${shortDecimal(delta)}) of that sigma`, bracket: warning.epsilon },
      wayOut:
        'take the optimal sigma (optimalSigma, or gdp calibrate), which is smaller wherever the formula holds',
    };
  },
};

function isClassical(method: string | undefined): boolean {
  return (FORMULAS as readonly string[]).includes(method ?? '');
}

const noiseBelowFormula: Rule = {
  id: 'noise-below-formula',
  needs: 'epsilon, delta, a classical formula as method and the noise multiplier',
  applies: (given) => classicalInvalid.applies(given) && given.claim.noiseMultiplier !== undefined,
  check({ claim }) {
    const { sigma } = classicalSigma(claim.method as Classical, {
      epsilon: claim.epsilon!,
      delta: claim.delta!,
    });
    const claimed = claim.noiseMultiplier!;
    if (claimed >= sigma.lower || isRounding(claimed, sigma.upper)) return undefined;
    return {
      severity: 'error',
      sentence: `noise multiplier ${shortDecimal(claimed)} is below what ${claim.method} asks for`,
      evidence: { quantity: `sigma of ${claim.method}`, bracket: bracket(sigma.lower, sigma.upper) },
      wayOut: 'state the epsilon that the noise gives, or add the noise that epsilon asks for',
    };
  },
};

export const NUMBER_RULES: readonly Rule[] = [
  epsilonTooSmall,
  epsilonWithoutDelta,
  muTooSmall,
  muWithoutWindow,
  muWindowNarrow,
  rhoTooSmall,
  deltaTooLarge,
  cltAsBound,
  classicalInvalid,
  noiseBelowFormula,
];
