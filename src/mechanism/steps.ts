import { requireCount, requireList, requireProbability, requireWhole, wrongValue } from '../errors.js';
import { shortDecimal } from '../text/decimal.js';
import { requireMechanism, requireTotal } from './checks.js';
import { stepsInOrder } from './fixed-order.js';
import { kindMade, remade, requireMade } from './kind.js';
import type { Mechanism } from './mechanism.js';
import { type Basic, describeMechanism } from './pairs.js';
import { isSingle } from './tries.js';

type Sampling = 'all' | 'poisson' | 'without-replacement';

/** Deepest nesting of mechanisms: deeper ones would overflow the stack, and are refused. */
const MOST_NESTED = 2000;

/** A group of identical steps of a run. */
export interface Step {
  readonly mechanism: Basic;
  readonly sampling: Sampling;
  /** Share of the records that a step sees, (0, 1]; 1 exactly when `sampling` is 'all'. */
  readonly rate: number;
  /** How often the step is executed, at least 1. */
  readonly count: number;
  /** Set if a record's steps or group follow from its place in a fixed order. 'moved': removing another record changes them; 'kept': it does not. */
  readonly places?: 'kept' | 'moved';
  /**
   * Set under replace-one if the record is added or removed in this step, not replaced. The step is accounted in units of added and removed records.
   */
  readonly crosses?: true;
}

/**
 * The distinct steps of a mechanism. Repeats are multiplied out, equal steps merged, and steps that reveal nothing (rate 0, count 0) dropped. As
 * composition commutes, the list is sorted: a history that is split, merged or permuted gives the same list, and hence the same bits.
 *
 * @param taken Checks a release and returns it; by default it refuses one that neither a builder nor the parser made.
 * @throws TypeError | RangeError for a value that is no mechanism, a wrong field, nesting deeper than 2000, or 2⁵³ steps or more.
 */
export function stepsOf(mechanism: Mechanism, taken: (release: Basic) => Basic = requireMade): Step[] {
  const list = new StepList();
  const add = (
    inner: Basic,
    sampling: Sampling,
    rate: number,
    count: number,
    places: Step['places'] = inner.kind === 'matrix-mechanism' ? (inner.places ?? 'moved') : undefined,
  ): void => {
    taken(inner);
    list.add({ mechanism: inner, sampling, rate, count, ...(places !== undefined && { places }) });
  };
  for (const [m, times] of countsOf(mechanism)) {
    switch (m.kind) {
      case 'poisson-subsampled':
        add(onSample(m.inner), 'poisson', requireProbability('rate', m.rate), times);
        break;
      case 'without-replacement': {
        const size = requireWhole('datasetSize', m.datasetSize, 1, Number.MAX_SAFE_INTEGER);
        const share = requireWhole('sampleSize', m.sampleSize, 0, size) / size;
        add(onSample(m.inner), 'without-replacement', share, times);
        break;
      }
      case 'select':
        if (stepsOf(m.inner as Mechanism).length > 0) add(m, 'all', 1, times);
        break;
      case 'fixed-batches':
      case 'tree-aggregation':
      case 'band-mf': {
        const { noise, rate, count, places } = stepsInOrder(m);
        add(noise, 'poisson', rate, times * count, places);
        break;
      }
      default: {
        const release = taken(m as Basic);
        const drawn = kindMade(release.kind).drawn?.(release as never);
        if (drawn === undefined) add(release, 'all', 1, times);
        else add(drawn.mechanism as Basic, 'without-replacement', drawn.share, times);
      }
    }
  }
  return list.steps;
}

/** A step, its count and its sampling rate in a few words. */
export function describeStep({ mechanism, rate, count }: Step): string {
  const sampled = rate < 1 ? `, sampling rate ${shortDecimal(rate)}` : '';
  return `${count > 1 ? `${count} times ` : ''}${describeMechanism(mechanism)}${sampled}`;
}

/** The given steps with equal ones merged, in the order of `stepsOf`. */
export function joinedSteps(steps: readonly Step[]): Step[] {
  const list = new StepList();
  for (const step of steps) list.add(step);
  return list.steps;
}

/** A list of distinct steps, sorted by their fields. */
class StepList {
  private readonly found = new Map<string, { readonly step: Step; readonly key: Key }>();

  add({ mechanism, sampling, rate, count, places, crosses }: Step): void {
    if (rate === 0 || count === 0) return;
    const seen = rate === 1 ? 'all' : sampling;
    const own = sortKey(mechanism);
    const key = JSON.stringify([own, seen, rate, places, crosses]);
    const total = requireTotal((this.found.get(key)?.step.count ?? 0) + count);
    const kept = { ...(places !== undefined && { places }), ...(crosses && { crosses }) };
    own.push(rate, places ?? '', crosses ? 1 : 0);
    this.found.set(key, { step: { mechanism, sampling: seen, rate, count: total, ...kept }, key: own });
  }

  get steps(): Step[] {
    const keyed = [...this.found.values()];
    return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ step }) => step);
  }
}

/** The mechanisms without parts that `whole` is made of, with the number of times each is executed. An object that occurs in several places is visited once. */
export function countsOf(whole: Mechanism): Map<Mechanism, number> {
  const counts = new Map<Mechanism, number>();
  const within = new Set<Mechanism>();
  const combined: [Mechanism, readonly Mechanism[]][] = [];
  const visit = (m: Mechanism, depth: number): void => {
    requireMechanism('mechanism', m);
    if (depth > MOST_NESTED || within.has(m))
      throw wrongValue('mechanism', `nested at most ${MOST_NESTED} deep`, m);
    if (counts.has(m)) return;
    counts.set(m, 0);
    const parts = partsOf(m);
    if (parts === undefined) return;
    within.add(m);
    for (const part of parts) visit(part, depth + 1);
    within.delete(m);
    combined.push([m, parts]);
  };
  visit(whole, 0);
  counts.set(whole, 1);
  // in this order mechanisms come before their parts
  for (const [m, parts] of combined.reverse()) {
    const times = requireTotal(counts.get(m)! * (m.kind === 'repeat' ? requireCount('count', m.count) : 1));
    counts.delete(m);
    for (const part of parts) counts.set(part, requireTotal(counts.get(part)! + times));
  }
  return counts;
}

/** The mechanisms that `m` composes on all records; undefined if it has no parts to be composed. */
function partsOf(m: Mechanism): readonly Mechanism[] | undefined {
  if (m.kind === 'repeat') return [m.inner];
  if (m.kind === 'select') return isSingle(requireMade(m).runs) ? [m.inner as Mechanism] : undefined;
  if (m.kind !== 'compose' && m.kind !== 'joint') return undefined;
  return requireList('parts', m.parts, 'mechanisms') as readonly Mechanism[];
}

/** The mechanism that runs on one sample: of a joint release, the parts in sorted order, or one Gaussian if all are Gaussian. */
function onSample(inner: Basic): Basic {
  requireMechanism('inner', inner);
  if (inner.kind !== 'joint') return inner;
  requireMade(inner);
  const steps = stepsOf({ kind: 'compose', parts: inner.parts as readonly Mechanism[] }, (part) => part);
  return releaseOf(steps, (parts) => remade(inner, { parts })) ?? remade(inner, { parts: [] });
}

/** The releases on one sample as a single release: one Gaussian of noise multiplier (Σ count/σ²)^(−1/2) if all are Gaussian, else `together`. Undefined if nothing is released. */
export function releaseOf(
  steps: readonly Step[],
  together: (parts: readonly Mechanism[]) => Basic,
): Basic | undefined {
  const [first] = steps;
  if (steps.length === 1 && first.count === 1) return first.mechanism;
  let precision = 0;
  for (const { mechanism, count } of steps) {
    if (mechanism.kind !== 'gaussian') {
      return together(
        steps.map(({ mechanism: inner, count: times }) =>
          times === 1 ? inner : { kind: 'repeat', count: times, inner },
        ),
      );
    }
    precision += count / (mechanism.noiseMultiplier * mechanism.noiseMultiplier);
  }
  if (precision === 0) return undefined;
  return remade(first.mechanism, { noiseMultiplier: 1 / Math.sqrt(precision) });
}

type Key = (string | number)[];

/** A sort key of a release: its kind and then its fields in the order of their names. */
function sortKey(mechanism: Basic): Key {
  const fields = Object.entries(mechanism).filter(([name]) => name !== 'kind');
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  const values = fields.map(([, value]) => (typeof value === 'number' ? value : JSON.stringify(value)));
  return [mechanism.kind, ...values];
}

/** Compares two keys entry by entry, by `<`. */
function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return a.length - b.length;
}
