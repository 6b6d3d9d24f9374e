import { requireTolerance } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { isPlain, requireOptions, wrongType } from '../errors.js';
import type { RecognisedRun } from '../read/recognised.js';
import { Case, type Finding, type LintRule } from './case.js';
import { type Claim, parseClaim } from './claim.js';
import { NUMBER_RULES } from './number-rules.js';
import { SETTING_RULES } from './setting-rules.js';

const RULES: readonly LintRule[] = [...NUMBER_RULES, ...SETTING_RULES];

/** The rules, by id, in the order they are tried. */
export const LINT_RULES: readonly string[] = RULES.map(({ id }) => id);

/** The run against which a claim is checked, and the width of the brackets. */
export interface LintOptions {
  /** The run as recognised from a file; without it, the one that the claim itself describes. */
  readonly run?: RecognisedRun;
  /** Relative width of the brackets to aim at, 1e-12 … 0.5; default 1e-4. */
  readonly tolerance?: number;
}

/** Result of `lint`. */
export interface LintResult {
  /** What was found, in the order of the rules. */
  readonly findings: readonly Finding[];
  /** Rules for which all facts were known. */
  readonly checked: readonly string[];
  /** Rules for which a fact was unknown, and the facts that they need. */
  readonly skipped: readonly { readonly id: string; readonly needs: string }[];
}

/**
 * Checks a published claim against what a run supports. A claimed number is called too small only if it is below the
 * lower end of a bracket, so that finding is a fact. No finding means that the rules listed as checked found
 * nothing, not that the claim is right.
 *
 * @throws TypeError | RangeError naming a field of the claim that is wrong, or steps that have no theorem.
 * @example
 * lint(engine, { epsilon: 0.72, delta: 1e-5 }, { run: recognise('{"history": [[9.4, 0.32768, 2000]]}') }).findings[0].id; // 'epsilon-too-small'
 */
export function lint(engine: Engine, claim: Claim, options: LintOptions = {}): LintResult {
  requireEngine(engine);
  requireOptions('lint', options, ['run', 'tolerance']);
  const { run, tolerance = 1e-4 } = options;
  if (run !== undefined) requireRecognised(run);
  const given = new Case(engine, parseClaim(claim), run, requireTolerance(tolerance));
  const said = RULES.map(({ id, needs, check }) => ({ id, needs, found: check(given) }));
  return {
    findings: said.flatMap(({ id, found }) => {
      if (found === undefined || found === 'fine') return [];
      const { severity, sentence, shows, wayOut } = found;
      return [{ id, severity, sentence, evidence: { quantity: shows[0], bracket: shows[1] }, wayOut }];
    }),
    checked: said.filter(({ found }) => found !== undefined).map(({ id }) => id),
    skipped: said.filter(({ found }) => found === undefined).map(({ id, needs }) => ({ id, needs })),
  };
}

/**
 * What a file claims by itself. For TF-privacy these are the numbers printed beside its run. For an answer of this library these
 * are the upper ends of brackets, and for a report those at its first δ.
 *
 * @throws TypeError if it is not what `recognise` makes.
 * @example
 * claimOf(recognise('{"history": [[9.4, 0.32768, 2000]], "mechanism": "prv"}')); // {}
 */
export function claimOf(run: RecognisedRun): Claim {
  requireRecognised(run);
  const { facts, answered = {} } = run;
  const epsilon = safeEnd(answered['epsilon']) ?? facts.statedEpsilon;
  const delta = safeEnd(answered['delta']) ?? facts.delta;
  const mu = safeEnd(answered['mu']);
  const alphaMin = safeEnd(answered['alphaMin']) ?? 0;
  return {
    // without a δ, as in a certificate, the ε would be taken as one of pure DP
    ...(delta !== undefined &&
      delta < 1 && { delta, ...(epsilon !== undefined && Number.isFinite(epsilon) && { epsilon }) }),
    // an `alphaMin` that underflowed to 0 cannot be claimed
    ...(mu !== undefined && Number.isFinite(mu) && alphaMin > 0 && { mu, alphaMin }),
  };
}

/** A number, or the upper end of a bracket. */
function safeEnd(value: unknown): number | undefined {
  const end = isPlain(value) && 'upper' in value ? value.upper : value;
  return typeof end === 'number' ? end : undefined;
}

function requireRecognised(run: RecognisedRun): void {
  if (!isPlain(run?.facts) || typeof run.mechanism?.kind !== 'string')
    throw wrongType('run', 'a run that was recognised', run);
}
