import { allowedOutputs, type Guarantee } from '../law/renyi-profile.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { stepsInUnits } from '../mechanism/reduce.js';
import type { Step } from '../mechanism/steps.js';
import { type LikeSteps, type Ratios, type TwoOutputsBelow, twoOutputsBelow } from './two-outputs.js';

/** Kinds stated by Rényi divergences or mean concentration. */
const KINDS: ReadonlySet<string> = new Set(['rdp', 'zcdp', 'tcdp', 'mcdp']);

/** Identical steps of which only bounds of Rényi divergences, or mean-concentrated DP, are known. */
interface Guaranteed extends LikeSteps {
  readonly guarantee: Guarantee;
}

/** The run as identical steps with one guarantee of `KINDS`, on all records or on Poisson samples; undefined if it is not. */
export function guaranteedSteps(raw: readonly Step[], adjacency: Adjacency): Guaranteed | undefined {
  if (!raw.every(({ mechanism }) => KINDS.has(mechanism.kind))) return undefined;
  const [first, ...others] = stepsInUnits(raw, adjacency);
  if (first === undefined || first.sampling === 'without-replacement' || !KINDS.has(first.mechanism.kind))
    return undefined;
  const own = JSON.stringify(first.mechanism);
  let { count } = first;
  for (const { mechanism, rate, sampling, count: more } of others) {
    if (sampling !== first.sampling || rate !== first.rate || JSON.stringify(mechanism) !== own)
      return undefined;
    count += more;
  }
  return { rate: first.rate, count, guarantee: first.mechanism as Guarantee };
}

/**
 * Lower bounds of the worst adaptive composition of steps with a guarantee. Every step has one pair with two outputs, the best for the ε or δ asked
 * (docs/proofs/renyi.md, 11).
 *
 * Ensures: what `TwoOutputsBelow` states, of steps that meet the guarantee.
 */
export function guaranteedBelow(steps: Guaranteed): TwoOutputsBelow {
  const outputs = allowedOutputs(steps.guarantee);
  return twoOutputsBelow(steps, (place): Ratios | undefined => {
    const pair = outputs.at(place);
    return pair && [-pair.b, pair.a];
  });
}
