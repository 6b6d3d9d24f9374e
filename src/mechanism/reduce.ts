import { wrongValue } from '../errors.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { greatest } from '../numeric/extremes.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { FEW_ROUNDINGS, ROUNDINGS, up } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import type { Adjacency } from './adjacency.js';
import { type Closeness, made } from './kind.js';
import { GDP_KIND } from './kinds/gaussian.js';
import { REPLACED_GAUSSIAN_KIND } from './kinds/gaussian-mixture.js';
import type { Mechanism } from './mechanism.js';
import { type Basic, kindOf } from './pairs.js';
import { type Step, stepsOf } from './steps.js';
import { adjacenciesOf, type Drawing, THEOREMS } from './theorems.js';

/** Steps in add/remove units. Those that reveal nothing are dropped, and those that compose exactly are merged. */
export function reduceSteps(steps: readonly Step[], adjacency: Adjacency): Step[] {
  return merged(stepsInUnits(steps, adjacency));
}

/** Steps in add/remove units. */
export function stepsInUnits(steps: readonly Step[], adjacency: Adjacency): Step[] {
  for (const given of steps) requireTheorem(given, unitOf(given, adjacency));
  return chainsAsOne(steps)
    .flatMap((step) => inUnits(step, adjacency))
    .map(inSampledForm);
}

/** The releases that together dominate a step under an adjacency, in units of added and removed records; for replace-one, as `replaced` makes them. */
function inUnits(step: Step, adjacency: Adjacency): Step[] {
  const unit = unitOf(step, adjacency);
  const parts = inParts(step, unit);
  return unit === 'replace-one' ? parts.map(replaced) : parts;
}

/** The adjacency of a step: a record that crosses between parts is removed from one and added to the other. */
function unitOf({ crosses }: Step, adjacency: Adjacency): Adjacency {
  return crosses ? 'add-remove' : adjacency;
}

/** Merges steps whose parts are only close to them and concern the same data set: one chain of comparisons is shorter than several. */
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

/** The releases that together dominate a step. */
function inParts(step: Step, adjacency: Adjacency): Step[] {
  // releases on one sample share it, and are not sampled separately
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
 * The total cost of closeness beside the parts of the steps; undefined if there is none.
 *
 * Ensures: the steps and their parts are together (ε, δ)-close.
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
    logDelta = logSum(logDelta, log(count) + closeness.logDelta + ROUNDINGS);
  }
  // each later link may multiply the δ of earlier ones by e^ε
  return epsilon > 0 ? { epsilon, logDelta: logDelta + epsilon + ROUNDINGS } : undefined;
}

/**
 * log of the probability that some step reveals the record beside its pair; −∞ if none does.
 *
 * Ensures: no smaller than that logarithm.
 */
export function logLostOf(steps: readonly Step[], adjacency: Adjacency): number {
  const each = steps.map(
    ({ mechanism, count, sampling }) =>
      log(count) + (kindOf(mechanism).logLost?.(mechanism, adjacency, sampling === 'all') ?? -Infinity),
  );
  return Math.min(0, each.reduce(logSum, -Infinity) + ROUNDINGS);
}

/**
 * Runs that some data set attains, for steps whose pair only dominates, in the units of the run. Each takes one attack on every such step. There are
 * none if the pairs of all steps are attained. A sample of fixed size attains its pair at each ε, but mostly not at all of them at once. A
 * composition would need that (docs/proofs/sampling.md, 14).
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

/** The reduced steps by other pairs that dominate them; undefined if there are none. */
export function alikeSteps(steps: readonly Step[]): Step[] | undefined {
  const isSingle = steps.length === 1 && steps[0].count === 1;
  const others = steps.map((step) => {
    const { mechanism } = step;
    const other = kindOf(mechanism).alike?.(mechanism, isSingle);
    return other ? { ...step, mechanism: other } : step;
  });
  return others.some((step, i) => step !== steps[i]) ? others : undefined;
}

/** Steps that together dominate the given ones, and the logarithm of a probability with which all may be revealed beside; undefined if there are none. */
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
  return { steps: merged(others), logLost: Math.min(0, logLost + ROUNDINGS) };
}

/** A step under each of its attacks, in the units of the run; none if its pair is attained. */
function attackedWays(step: Step, adjacency: Adjacency, several: boolean): Step[][] {
  const attacked = attacksOn(step, adjacency).map((mechanism): Step => ({ ...step, mechanism }));
  const apart = kindOf(step.mechanism).drawnApart?.(step.mechanism) as Basic | undefined;
  if (!(several && step.sampling === 'without-replacement' && apart !== step.mechanism))
    return attacked.map((each) => inParts(each, adjacency));
  // all other records equal the record's replacement
  const poisson = (attacked.length > 0 ? attacked : [replaced(step)]).map((each): Step[] => [
    { ...each, sampling: 'poisson' },
  ]);
  return apart === undefined ? poisson : [poisson[0], [{ ...step, mechanism: apart }]];
}

function attacksOn({ mechanism, sampling }: Step, adjacency: Adjacency): readonly Basic[] {
  return (kindOf(mechanism).attacks?.(mechanism, adjacency, sampling === 'all') ?? []) as readonly Basic[];
}

/** A run that some data set attains for steps with closeness, without it; undefined if other steps have attacks of their own. */
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

/** Steps without those that reveal nothing, where those that compose exactly are merged. */
function merged(steps: readonly Step[]): Step[] {
  const reduced: Step[] = [];
  const square = new CompensatedSum();
  for (const given of steps) {
    const step = inSampledForm(given);
    const kind = kindOf(step.mechanism);
    // a copy, independent of later changes of the caller's object
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

/** The step under replacement of one record: twice the sensitivity; on a Poisson sample a pair of its own. */
function replaced(step: Step): Step {
  const { mechanism, rate } = step;
  if (step.sampling === 'poisson') {
    // without noise the sample is revealed, and with it the record
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

/** A step that is equivalent to a Poisson sample, as that. */
function inSampledForm(step: Step): Step {
  const same = kindOf(step.mechanism).sampled?.(step.mechanism);
  if (same === undefined) return step;
  const mechanism = same.mechanism as Basic;
  if (same.rate === 1) return { ...step, mechanism };
  if (step.sampling === 'without-replacement') return step;
  const rate = step.rate * same.rate;
  return { ...step, mechanism, rate, sampling: rate === 1 ? 'all' : 'poisson' };
}

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

/** How the records of the step are chosen. */
export function drawingOf({ mechanism, sampling, places }: Step): Drawing {
  const own = kindOf(mechanism).drawing ?? sampling;
  if (places === undefined || own === 'without-replacement') return own;
  const order = own === 'poisson' ? 'cyclic-poisson' : 'fixed';
  return places === 'kept' ? `${order}-kept` : order;
}

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

/**
 * The adjacencies for which all steps have a theorem, the usual one first.
 * @param steps Of the mechanism, if they are known.
 */
export function provedAdjacencies(mechanism: Mechanism, steps = stepsOf(mechanism)): Adjacency[] {
  const proved = steps.map(provedUnder);
  return USUAL.filter((adjacency) => proved.every((each) => each.includes(adjacency)));
}

const USUAL: readonly Adjacency[] = ['add-remove', 'zero-out', 'replace-one'];

/** The default adjacency: add-remove, or else the first for which there is a theorem. */
export function usualAdjacency(mechanism: Mechanism, steps?: Step[]): Adjacency {
  return provedAdjacencies(mechanism, steps)[0] ?? 'add-remove';
}

/** @throws RangeError naming the adjacencies for which the step has a theorem. */
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

/** Explains where a mixture comes from that the user did not state. */
const SEVERAL_RECORDS =
  'a person of several records or another mixture of sensitivities (for one replaced, group privacy of one record holds)';

const NAMES: Readonly<Partial<Record<Drawing, string>>> = {
  'without-replacement': 'steps sampled without replacement',
  'with-replacement': 'steps sampled with replacement',
  fixed: 'batches in a fixed order',
  divided: 'steps divided by an expected size',
  'cyclic-poisson': 'cyclic Poisson samples of groups in a fixed order',
};

/**
 * Whether some step's dominating pair does not meet its guarantee. Guarantees by zCDP, Rényi divergence and bounded range have no mechanism that is
 * worst at every ε at once. For one release δ(ε) is exact nevertheless, as it is asked one ε at a time; so is one release on a sample. Compositions
 * of such pairs are above the worst adaptive composition of what is allowed; compositions of `attained` steps are below it.
 */
export function needsAttained(steps: readonly Step[]): boolean {
  return steps.some(({ mechanism }) => attainedRelease(mechanism) !== mechanism);
}

/** The steps, with a mechanism that meets the guarantee in place of each such one. */
export function attained(steps: readonly Step[]): Step[] {
  return steps.map((step) => ({ ...step, mechanism: attainedRelease(step.mechanism) }));
}

/** A mechanism that meets the guarantee, for a release whose pair does not; else the release. */
export function attainedRelease(mechanism: Basic): Basic {
  return kindOf(mechanism).attained?.(mechanism) ?? mechanism;
}

/**
 * The ρ of ρ-zCDP for a run whose steps see all records and have one. A plain Gaussian has μ²/2, bounded range ε²/8 (Cesar, Rogers 2021), and a
 * discrete Gaussian that of the continuous one. Otherwise undefined.
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
