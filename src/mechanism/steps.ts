import { requireCount, requireProbability, requireWhole, wrongType, wrongValue } from '../errors.js';
import { requireMechanism } from './checks.js';
import { stepsInOrder } from './fixed-order.js';
import { remade, requireMade } from './made.js';
import type { Mechanism, WithoutReplacement } from './mechanism.js';
import type { Basic } from './pairs.js';
import { isSingle } from './tries.js';

/** How the records a step sees are drawn. */
type Sampling = 'all' | 'poisson' | 'without-replacement';

/** Nesting deeper than this runs out of stack somewhere. */
const MOST_NESTED = 2000;

/** A group of identical steps of a run. */
export interface Step {
  readonly mechanism: Basic;
  readonly sampling: Sampling;
  /** Share of the records that a step sees, (0, 1]; 1 exactly when `sampling` is 'all'. */
  readonly rate: number;
  readonly count: number;
  /** Set where chance does not choose a record's steps or group: 'moved' where the removal of another record changes them. */
  readonly places?: 'kept' | 'moved';
}

/**
 * The run as a list of distinct steps: repeats multiplied out, equal steps merged, steps that
 * reveal nothing (rate 0, count 0) dropped. Composition commutes, so the list is put in one canonical
 * order, and a history that is split, merged or permuted gives the same list, hence the same bits.
 *
 * @throws TypeError | RangeError for what is no mechanism, a wrong field of what combines some, nesting too deep to follow, or 2⁵³ steps or more.
 */
export function stepsOf(mechanism: Mechanism): Step[] {
  const steps = new Map<string, Step>();
  const visit = (m: Mechanism, times: number, depth: number): void => {
    requireMechanism('mechanism', m);
    if (depth > MOST_NESTED) throw wrongValue('mechanism', `nested at most ${MOST_NESTED} deep`, m);
    if (times === 0) return;
    if (!Number.isSafeInteger(times)) throw wrongValue('count', 'a total below 2^53 steps', times);
    switch (m.kind) {
      case 'compose':
      case 'joint':
        if (!Array.isArray(m.parts)) throw wrongType('parts', 'an array of mechanisms', m.parts);
        for (const part of m.parts) visit(part, times, depth + 1);
        return;
      case 'repeat':
        visit(m.inner, times * requireCount('count', m.count), depth + 1);
        return;
      case 'poisson-subsampled':
        add(onSample(m.inner), 'poisson', requireProbability('rate', m.rate), times);
        return;
      case 'without-replacement':
        add(onSample(m.inner), 'without-replacement', shareOf(m), times);
        return;
      case 'select':
        if (isSingle(requireMade(m).runs)) visit(m.inner as Mechanism, times, depth + 1);
        else if (stepsOf(m.inner as Mechanism).length > 0) add(m, 'all', 1, times);
        return;
      case 'fixed-batches':
      case 'tree-aggregation':
      case 'band-mf': {
        const { noise, rate, count, places } = stepsInOrder(m);
        add(noise, 'poisson', rate, times * count, places);
        return;
      }
      default:
        add(m, 'all', 1, times);
    }
  };
  const add = (
    inner: Basic,
    sampling: Sampling,
    rate: number,
    count: number,
    places: Step['places'] = inner.kind === 'matrix-mechanism' ? (inner.places ?? 'moved') : undefined,
  ): void => {
    if (rate === 0 || count === 0) return;
    const seen = rate === 1 ? 'all' : sampling;
    const key = JSON.stringify([sortKey(inner), seen, rate, places]);
    const total = (steps.get(key)?.count ?? 0) + count;
    if (!Number.isSafeInteger(total)) throw wrongValue('count', 'a total below 2^53 steps', total);
    const kept = places !== undefined && { places };
    steps.set(key, { mechanism: inner, sampling: seen, rate, count: total, ...kept });
  };
  visit(mechanism, 1, 0);
  const keyed = [...steps.values()].map((step) => ({
    step,
    key: [...sortKey(step.mechanism), step.rate, step.places ?? ''],
  }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ step }) => step);
}

function shareOf(m: WithoutReplacement): number {
  const datasetSize = requireWhole('datasetSize', m.datasetSize, 1, Number.MAX_SAFE_INTEGER);
  return requireWhole('sampleSize', m.sampleSize, 0, datasetSize) / datasetSize;
}

/** What is run on one sample, releases together in one canonical order; Gaussians are one Gaussian. */
function onSample(inner: Basic): Basic {
  requireMechanism('inner', inner);
  if (inner.kind !== 'joint') return inner;
  const steps = stepsOf({ kind: 'compose', parts: inner.parts as readonly Mechanism[] });
  return releaseOf(steps, (parts) => remade(inner, { parts })) ?? remade(inner, { parts: [] });
}

/** Releases on one sample as one, `together` where they are not all Gaussian; undefined where nothing is released. */
export function releaseOf(
  steps: readonly Step[],
  together: (parts: readonly Mechanism[]) => Basic,
): Basic | undefined {
  const [first] = steps;
  if (steps.length === 1 && first.count === 1) return first.mechanism;
  let precision = 0;
  for (const { mechanism, count } of steps) {
    if (mechanism.kind !== 'gaussian') {
      const parts = steps.map(({ mechanism: part, count: times }) => repeated(part, times));
      return together(parts);
    }
    precision += count / (mechanism.noiseMultiplier * mechanism.noiseMultiplier);
  }
  if (precision === 0) return undefined;
  return remade(first.mechanism, { noiseMultiplier: 1 / Math.sqrt(precision) });
}

function repeated(inner: Basic, count: number): Mechanism {
  return count === 1 ? inner : { kind: 'repeat', count, inner };
}

type Key = (string | number)[];

/** What tells basic mechanisms apart: the kind and every number, in the order of the fields' names. */
function sortKey(mechanism: Basic): Key {
  const fields = Object.entries(mechanism).filter(([name]) => name !== 'kind');
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  const values = fields.map(([, value]) => (typeof value === 'number' ? value : JSON.stringify(value)));
  return [mechanism.kind, ...values];
}

/** Numbers as numbers, the rest as text. */
function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return a.length - b.length;
}
