import { joint } from '../mechanism/kinds/joint.js';
import {
  compose,
  type Mechanism,
  type PoissonSubsampled,
  poissonSubsampled,
  repeat,
  type WithoutReplacement,
  withoutReplacement,
} from '../mechanism/mechanism.js';
import { describeMechanism, pairOf } from '../mechanism/pairs.js';
import type { LintRule } from './case.js';

type Drawn = PoissonSubsampled | WithoutReplacement;

/** A composition within a run: whether it is repeated, and how to rebuild the run with another mechanism in its place. */
interface Place {
  readonly parts: readonly Mechanism[];
  readonly repeated: boolean;
  readonly put: (mechanism: Mechanism) => Mechanism;
}

/**
 * Finds two releases that were amplified separately although they may share a sample (docs/proofs/joint.md, 1). They are in one composition, and it
 * is repeated or they differ in kind. Phases of a schedule, each repeated by itself, see different samples and are not found.
 */
export const sampleAmplifiedApart: LintRule = {
  id: 'sample-amplified-apart',
  needs: 'a run of several sampled releases that is no list of phases',
  check(given) {
    if (given.mechanism === undefined) return undefined;
    const places = placesIn(given.mechanism).filter(({ parts }) => parts.filter(isDrawn).length > 1);
    if (places.length === 0) return undefined;
    for (const { parts, repeated, put } of places) {
      const found = apartIn(parts.filter(isDrawn), repeated);
      if (found === undefined) continue;
      const own = new Set<Mechanism>(found.group);
      const inner = joint({ parts: found.group.map((each) => each.inner) });
      const together = put(
        compose([onSample(inner, found.group[0]), ...parts.filter((part) => !own.has(part))]),
      );
      const [first, second] = found.two.map((each) => describeMechanism(each.inner));
      return {
        severity: 'warning',
        sentence: `each step has two releases (${first}; ${second}), amplified by a sample each. If they see one and the same sample, the privacy loss is undercounted`,
        shows: [`${given.epsilonName} with one sample for both`, given.epsilon(together)],
        wayOut:
          'say that the samples are drawn apart, or compose on one sample: kind "joint", in a DpEvent a composition inside PoissonSampledDpEvent',
      };
    }
    return 'fine';
  },
};

/** Families of dominating pairs that the mechanism `joint` can compose on one sample. */
const COMPOSED: readonly string[] = ['gaussian', 'exponential', 'atoms'];

/** The compositions in a run, outer ones first. */
function placesIn(
  mechanism: Mechanism,
  repeated = false,
  put: Place['put'] = (composed) => composed,
): Place[] {
  if (mechanism.kind === 'repeat') {
    const { inner, count } = mechanism;
    return placesIn(inner, repeated || count > 1, (composed) => put(repeat(composed, count)));
  }
  if (mechanism.kind !== 'compose') return [];
  const parts = mechanism.parts.map(once);
  const within = parts.flatMap((part, i) =>
    placesIn(part, repeated, (composed) => put(compose(parts.with(i, composed)))),
  );
  return [{ parts, repeated, put }, ...within];
}

/** The first group of parts, sampled in the same way, of which two may be on one and the same sample; undefined if there is none. */
function apartIn(drawn: readonly Drawn[], repeated: boolean) {
  const groups = new Map<string, Drawn[]>();
  for (const part of drawn) {
    const { inner: _, ...how } = part;
    const key = JSON.stringify(how);
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  for (const group of groups.values()) {
    const [first] = group;
    const differs = ({ inner }: Drawn): boolean => JSON.stringify(inner) !== JSON.stringify(first.inner);
    const other =
      group.find(({ inner: { kind } }) => kind !== first.inner.kind) ??
      (repeated ? group.find(differs) : undefined);
    if (other !== undefined) return { group, two: [first, other] };
  }
  return undefined;
}

/** The mechanism inside `repeat(…, 1)`, however often nested; any other unchanged. */
function once(mechanism: Mechanism): Mechanism {
  return mechanism.kind === 'repeat' && mechanism.count === 1 ? once(mechanism.inner) : mechanism;
}

function isDrawn(mechanism: Mechanism): mechanism is Drawn {
  return (
    (mechanism.kind === 'poisson-subsampled' || mechanism.kind === 'without-replacement') &&
    mechanism.inner.kind !== 'select' &&
    COMPOSED.includes(pairOf(mechanism.inner).family)
  );
}

function onSample(inner: PoissonSubsampled['inner'], like: Drawn): Mechanism {
  if (like.kind === 'poisson-subsampled') return poissonSubsampled(inner, { rate: like.rate });
  const { sampleSize, datasetSize } = like;
  return withoutReplacement(inner, { sampleSize, datasetSize });
}
