import { wrongValue } from '../errors.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { greatest } from '../numeric/extremes.js';
import { logSum, outward } from '../numeric/log-arithmetic.js';
import { FEW_ROUNDINGS, up } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import type { Adjacency } from './adjacency.js';
import { type Closeness, made } from './kind.js';
import { GDP_KIND } from './kinds/gaussian.js';
import { REPLACED_GAUSSIAN_KIND } from './kinds/gaussian-mixture.js';
import type { Mechanism } from './mechanism.js';
import { type Basic, kindOf } from './pairs.js';
import { type Step, stepsOf } from './steps.js';
import { adjacenciesOf, type Drawing, THEOREMS } from './theorems.js';

/**
 * Steps in units of added and removed records: those that reveal nothing are dropped, and those that compose exactly are merged. @throws RangeError
 * if a step has no theorem under the adjacency.
 */
export function reduceSteps(steps: readonly Step[], adjacency: Adjacency): Step[] {
  return merged(stepsInUnits(steps, adjacency));
}

/** Steps in units of added and removed records, not merged: each step as the releases that dominate it. @throws RangeError if a step has no theorem under the adjacency. */
export function stepsInUnits(steps: readonly Step[], adjacency: Adjacency): Step[] {
  for (const given of steps) requireTheorem(given, unitOf(given, adjacency));
  return chainsAsOne(steps)
    .flatMap((step) => inUnits(step, adjacency))
    .map(inSampledForm);
}

/** The releases whose composition dominates a step under an adjacency, in units of added and removed records. For replace-one, `replaced` makes them. */
function inUnits(step: Step, adjacency: Adjacency): Step[] {
  const unit = unitOf(step, adjacency);
  const parts = inParts(step, unit);
  return unit === 'replace-one' ? parts.map(replaced) : parts;
}

/** The adjacency of a step. A record that moves from one disjoint part to another is removed from the one and added to the other. */
function unitOf({ crosses }: Step, adjacency: Adjacency): Adjacency {
  return crosses ? 'add-remove' : adjacency;
}

/** Merges steps that are only (ε, δ)-close to their parts: one comparison for all of them costs less than one for each. */
function chainsAsOne(steps: readonly Step[]): readonly Step[] {
  if (!steps.some(({ mechanism }) => kindOf(mechanism).closeness)) return steps;
  const all: Step[] = [];
  for (const step of steps) {
    const { closeness, sum } = kindOf(step.mechanism);
    if (closeness && sum) addSum(all, sum.times(step.mechanism, step.count));
    else all.push(step);
  }
  return all;
}

/** The releases whose composition dominates a step; the step itself if its kind states none. */
function inParts(step: Step, adjacency: Adjacency): Step[] {
  // parts of a sampled release share one sample, so they cannot be sampled one by one
  if (step.sampling !== 'all') return [step];
  const parts = kindOf(step.mechanism).parts?.(step.mechanism, adjacency);
  if (parts === undefined) return [step];
  return parts.map(({ mechanism, count, rate = 1 }) => ({
    mechanism: mechanism as Basic,
    sampling: rate === 1 ? 'all' : 'poisson',
    rate,
    count: step.count * count,
  }));
}

/**
 * The total (ε, δ)-closeness of steps to their parts: the sums of ε and of δ, times e^ε; undefined if there is none.
 *
 * Ensures: the steps and their parts are together (ε, δ)-close.
 *
 * @param logLost log of the probability that may be neglected.
 */
export function closenessOf(
  steps: readonly Step[],
  adjacency: Adjacency,
  logLost?: number,
): Closeness | undefined {
  let [epsilon, logDelta] = [0, -Infinity];
  for (const { mechanism, count } of chainsAsOne(steps)) {
    const closeness = kindOf(mechanism).closeness?.(mechanism, adjacency, logLost);
    if (closeness === undefined) continue;
    epsilon = up(epsilon + count * closeness.epsilon, FEW_ROUNDINGS);
    logDelta = raised(logSum(logDelta, raised(log(count) + closeness.logDelta)));
  }
  // by the triangle inequality, ε of later steps multiplies the δ of earlier ones
  return epsilon > 0 ? { epsilon, logDelta: raised(logDelta + epsilon) } : undefined;
}

/**
 * log of the probability of the outputs that pairs omit, which count as revealing the record, summed over all steps; −∞ if there are none.
 *
 * Ensures: no smaller than that logarithm.
 */
export function logLostOf(steps: readonly Step[], adjacency: Adjacency): number {
  const each = steps.map(
    ({ mechanism, count, sampling }) =>
      log(count) + (kindOf(mechanism).logLost?.(mechanism, adjacency, sampling === 'all') ?? -Infinity),
  );
  return raised(each.reduce(logSum, -Infinity));
}

/** The log of a probability, at most 1, rounded up by more than the rounding error of a sum. */
function raised(logP: number): number {
  return outward(Math.min(0, logP), 1);
}

/**
 * Runs that some data set attains, for lower bounds of steps whose pairs only dominate. The i-th run puts the i-th mechanism of `Kind.attacks` in place of
 * each such step; other steps are as `inUnits` gives them. The list is empty if all pairs are attained. Composed samples of fixed size are such steps: each
 * attains its pair at one ε, not at all at once (docs/proofs/sampling.md, 14).
 */
export function attackedSteps(given: readonly Step[], adjacency: Adjacency): Step[][] {
  const steps = chainsAsOne(given);
  const several = steps.reduce((sum, { count }) => sum + count, 0) > 1;
  const ways = steps.map((step) => attackedWays(step, adjacency, several));
  const most = greatest(
    ways.map(({ length }) => length),
    0,
  );
  return Array.from({ length: most }, (_, i) =>
    merged(steps.flatMap((step, k) => ways[k][Math.min(i, ways[k].length - 1)] ?? inUnits(step, adjacency))),
  );
}

/** The reduced steps with sharper pairs (`Kind.alike`); undefined if no kind has one. */
export function alikeSteps(steps: readonly Step[]): Step[] | undefined {
  const isSingle = steps.length === 1 && steps[0].count === 1;
  const others = steps.map((step) => {
    const { mechanism } = step;
    const other = kindOf(mechanism).alike?.(mechanism, isSingle);
    return other ? { ...step, mechanism: other } : step;
  });
  return others.some((step, i) => step !== steps[i]) ? others : undefined;
}

/**
 * Steps with quicker pairs (`Kind.mostly`) that, together with an event of probability e^{logLost} that reveals all, dominate the given ones.
 * Undefined if no kind has one.
 *
 * Ensures: log of that probability is rounded up.
 */
export function mostlySteps(
  steps: readonly Step[],
): { readonly steps: Step[]; readonly logLost: number } | undefined {
  let logLost = -Infinity;
  const others = steps.map((step) => {
    const other = kindOf(step.mechanism).mostly?.(step.mechanism);
    if (other === undefined) return step;
    logLost = logSum(logLost, log(step.count) + other.logLost);
    return inSampledForm({ ...step, mechanism: other.mechanism as Basic });
  });
  if (others.every((step, i) => step === steps[i])) return undefined;
  return { steps: merged(others), logLost: raised(logLost) };
}

/** The step under each of its attacks, in units of added and removed records; an empty list if its pair is attained. */
function attackedWays(step: Step, adjacency: Adjacency, several: boolean): Step[][] {
  const attacked = attacksOn(step, adjacency).map((mechanism): Step => ({ ...step, mechanism }));
  const apart = kindOf(step.mechanism).drawnApart?.(step.mechanism) as Basic | undefined;
  if (!(several && step.sampling === 'without-replacement' && apart !== step.mechanism))
    return attacked.map((each) => inParts(each, adjacency));
  // an attack: all other records equal the record's replacement, so the sample is a Poisson sample of that one record
  const poisson = (attacked.length > 0 ? attacked : [replaced(step)]).map((each): Step[] => [
    { ...each, sampling: 'poisson' },
  ]);
  return apart === undefined ? poisson : [poisson[0], [{ ...step, mechanism: apart }]];
}

/** The attacks that the kind of a step states under an adjacency. */
function attacksOn({ mechanism, sampling }: Step, adjacency: Adjacency): readonly Basic[] {
  return (kindOf(mechanism).attacks?.(mechanism, adjacency, sampling === 'all') ?? []) as readonly Basic[];
}

/** The reduced steps of a run that some data set attains, for steps that are only close to their parts. Undefined if other steps have attacks, or samples are of fixed size. */
export function unchainedSteps(steps: readonly Step[], adjacency: Adjacency): Step[] | undefined {
  const open = steps.some(
    (step) => kindOf(step.mechanism).unchained === undefined && attacksOn(step, adjacency).length > 0,
  );
  if (open || steps.some(({ sampling }) => sampling === 'without-replacement')) return undefined;
  return reduceSteps(
    chainsAsOne(steps).map((step) => {
      const { mechanism } = step;
      return { ...step, mechanism: kindOf(mechanism).unchained?.(mechanism) ?? mechanism };
    }),
    adjacency,
  );
}

/** Steps without those that reveal nothing. Plain Gaussians are merged into one of μ = √Σ count·μ², others if their kind composes exactly. */
function merged(steps: readonly Step[]): Step[] {
  const reduced: Step[] = [];
  const square = new CompensatedSum();
  for (const given of steps) {
    const step = inSampledForm(given);
    const kind = kindOf(step.mechanism);
    // a copy, so that later changes of the caller's object have no effect
    const mechanism = { ...step.mechanism };
    if (kind.revealsNothing?.(mechanism)) continue;
    const mu = step.sampling === 'all' ? kind.gaussianMu?.(mechanism) : undefined;
    if (mu !== undefined && mu < Infinity) {
      square.add(step.count * mu * mu);
    } else if (step.sampling === 'all' && kind.sum) addSum(reduced, kind.sum.times(mechanism, step.count));
    else {
      const { sampling, rate, count } = step;
      reduced.push({ mechanism, sampling, rate, count });
    }
  }
  // any number of plain Gaussians is one Gaussian (GDP cor. 3.3)
  if (square.value > 0) reduced.push(once(made(GDP_KIND, { mu: Math.sqrt(square.value) })));
  return reduced;
}

/**
 * The step in units of added and removed records under replacement of one record: at twice the sensitivity. Gaussian noise on a Poisson sample has a
 * pair of its own (docs/proofs/sampling.md, 3).
 */
function replaced(step: Step): Step {
  const { mechanism, rate } = step;
  if (step.sampling === 'poisson') {
    // without noise the sample reveals the record
    if (mechanism.kind !== 'gaussian' || mechanism.noiseMultiplier === 0) return step;
    const { noiseMultiplier } = mechanism;
    return {
      ...step,
      mechanism: made(REPLACED_GAUSSIAN_KIND, { noiseMultiplier, rate }),
      sampling: 'all',
      rate: 1,
    };
  }
  return { ...step, mechanism: kindOf(mechanism).doubled?.(mechanism) ?? mechanism };
}

/** The step as the Poisson sample that it is equivalent to, if its kind states one; otherwise the step. */
function inSampledForm(step: Step): Step {
  const same = kindOf(step.mechanism).sampled?.(step.mechanism);
  if (same === undefined) return step;
  const mechanism = same.mechanism as Basic;
  if (same.rate === 1) return { ...step, mechanism };
  if (step.sampling === 'without-replacement') return step;
  const rate = step.rate * same.rate;
  return { ...step, mechanism, rate, sampling: rate === 1 ? 'all' : 'poisson' };
}

/** A step that is one release on all records. */
function once(mechanism: Basic): Step {
  return { mechanism, sampling: 'all', rate: 1, count: 1 };
}

/** Merges `mechanism` with the first step with which it composes exactly, or appends it. */
function addSum(steps: Step[], mechanism: Basic): void {
  for (const [i, { mechanism: other, sampling }] of steps.entries()) {
    if (sampling !== 'all' || other.kind !== mechanism.kind) continue;
    const sum = kindOf(mechanism).sum?.plus(other, mechanism);
    if (sum === undefined) continue;
    steps[i] = once(sum);
    return;
  }
  steps.push(once(mechanism));
}

/** The way in which the records of a step are drawn. */
export function drawingOf({ mechanism, sampling, places }: Step): Drawing {
  const own = kindOf(mechanism).drawing ?? sampling;
  if (places === undefined || own === 'without-replacement') return own;
  const order = own === 'poisson' ? 'cyclic-poisson' : 'fixed';
  return places === 'kept' ? `${order}-kept` : order;
}

/** The adjacencies under which a step has a theorem. */
function provedUnder(step: Step): Adjacency[] {
  const { mechanism, sampling } = step;
  if (mechanism.kind === 'select') return provedAdjacencies(mechanism.inner as Mechanism);
  if (mechanism.kind === 'parallel') {
    const each = mechanism.parts.map((part) => provedAdjacencies(part as Mechanism));
    return USUAL.filter((adjacency) => each.every((proved) => proved.includes(adjacency)));
  }
  const { drawing, unsampled, adjacencies } = kindOf(mechanism);
  if ((drawing !== undefined || unsampled) && sampling !== 'all') return [];
  const noise = drawing !== undefined || mechanism.kind === 'gaussian' ? 'gaussian' : 'other';
  return adjacenciesOf(drawingOf(step), noise).filter((each) => adjacencies?.includes(each) ?? true);
}

/** The adjacencies for which all steps have a theorem, in the order add-remove, zero-out, replace-one. @param steps The steps of the mechanism, if they are known. */
export function provedAdjacencies(mechanism: Mechanism, steps = stepsOf(mechanism)): Adjacency[] {
  const proved = steps.map(provedUnder);
  return USUAL.filter((adjacency) => proved.every((each) => each.includes(adjacency)));
}

/** Adjacencies in the order in which they are taken as the default. */
const USUAL: readonly Adjacency[] = ['add-remove', 'zero-out', 'replace-one'];

/** The default adjacency: add-remove, or else the first for which there is a theorem. */
export function usualAdjacency(mechanism: Mechanism, steps?: Step[]): Adjacency {
  return provedAdjacencies(mechanism, steps)[0] ?? 'add-remove';
}

/** Checks that a step has a theorem under an adjacency. @throws RangeError naming those for which it has one. */
function requireTheorem(step: Step, adjacency: Adjacency): void {
  const { mechanism, sampling } = step;
  const known = provedUnder(step);
  if (mechanism.kind === 'select' || known.includes(adjacency)) return;
  if (known.length === 0) {
    const asked =
      kindOf(mechanism).drawing === undefined
        ? 'a release with a theorem under this way of drawing'
        : 'a single release, not an epoch that samples itself';
    throw wrongValue('inner', asked, mechanism.kind);
  }
  const drawing = drawingOf(step);
  const { standing, by } = THEOREMS[drawing][adjacency];
  const ofKind = mechanism.kind === 'gaussian-mixture' ? SEVERAL_RECORDS : mechanism.kind;
  const what = NAMES[drawing] ?? (drawing === 'all' ? ofKind : drawing);
  const gaussianOnly =
    sampling === 'poisson' && standing === 'gaussian'
      ? 'Poisson-subsampled steps that are not Gaussian noise (the report of the add-remove run bounds replace-one)'
      : undefined;
  const reason = standing === 'none' ? ` (${by})` : '';
  throw wrongValue('adjacency', `${known.join(' or ')} for ${gaussianOnly ?? what}${reason}`, adjacency);
}

/** What a mixture of Gaussians stands for, in messages. */
const SEVERAL_RECORDS =
  'a person of several records or another mixture of sensitivities (for one replaced, group privacy of one record holds)';

/** Names of ways of drawing, in messages. */
const NAMES: Readonly<Partial<Record<Drawing, string>>> = {
  'without-replacement': 'steps sampled without replacement',
  'with-replacement': 'steps sampled with replacement',
  fixed: 'batches in a fixed order',
  divided: 'steps divided by an expected size',
  'cyclic-poisson': 'cyclic Poisson samples of groups in a fixed order',
};

/**
 * Whether the dominating pair of some step does not meet the stated guarantee. For zCDP, Rényi DP and bounded range no mechanism is the worst at
 * every ε at once. δ(ε) of one release, on a sample or not, is exact nevertheless, as each ε is asked alone. A composition of such pairs is above the
 * worst adaptive composition of what is allowed, and one of `attained` steps is below it.
 */
export function needsAttained(steps: readonly Step[]): boolean {
  return steps.some(({ mechanism }) => attainedRelease(mechanism) !== mechanism);
}

/** The steps, with a mechanism that meets the guarantee in place of each whose pair does not. */
export function attained(steps: readonly Step[]): Step[] {
  return steps.map((step) => ({ ...step, mechanism: attainedRelease(step.mechanism) }));
}

/** A mechanism that meets the guarantee of a release, if the release's pair does not; else the release. */
export function attainedRelease(mechanism: Basic): Basic {
  return kindOf(mechanism).attained?.(mechanism) ?? mechanism;
}

/**
 * The ρ for which a run is ρ-zCDP, the sum over its steps. Gaussians, continuous or discrete, have μ²/2, bounded range ε²/8 (Cesar, Rogers 2021),
 * others what they state. Undefined if a step is sampled or has no ρ. Rounded up.
 *
 * Ensures: the run is ρ-zCDP for the ρ returned.
 */
export function concentrated(steps: readonly Step[]): number | undefined {
  let rho = 0;
  for (const { mechanism, sampling, count } of steps) {
    const one = sampling === 'all' ? kindOf(mechanism).rho?.(mechanism) : undefined;
    if (one === undefined) return undefined;
    rho += count * one;
  }
  return up(rho, FEW_ROUNDINGS * (2 + steps.length));
}
