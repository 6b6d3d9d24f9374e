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
import { type Basic, describeMechanism, kindOf, pairOf } from '../mechanism/pairs.js';
import { shortDecimal } from '../text/decimal.js';
import type { Rule } from './case.js';

type Drawn = PoissonSubsampled | WithoutReplacement;

/** Releases that stand side by side, each on a sample drawn in the same way, and the run with one sample for them. */
interface Apart {
  readonly drawn: readonly Drawn[];
  readonly together: Mechanism;
}

/**
 * Two releases amplified apart that may share a sample: docs/proofs/joint.md, 1. A step that holds both is repeated, or they differ in kind; phases of a schedule
 * stand behind one another, each repeated by itself.
 */
export const sampleAmplifiedApart: Rule = {
  id: 'sample-amplified-apart',
  needs: 'a run of several sampled releases that is no list of phases',
  applies: ({ mechanism }) => mechanism !== undefined && drawsSeveral(mechanism),
  check(given) {
    const found = apartIn(given.mechanism!, false);
    if (found === undefined) return undefined;
    const { drawn, together } = found;
    const [first, second] = drawn.map(({ inner }) => describeMechanism(inner));
    return {
      severity: 'warning',
      sentence: `each step has two releases (${first}; ${second}), amplified by a sample each. If they see one and the same sample, the privacy loss is undercounted`,
      evidence: {
        quantity: `epsilon(${shortDecimal(given.delta)}) with one sample for both`,
        bracket: given.epsilon(together),
      },
      wayOut:
        'say that the samples are drawn apart, or compose on one sample: kind "joint", in a DpEvent a composition inside PoissonSampledDpEvent',
    };
  },
};

/** Families whose releases `joint` composes. */
const COMPOSED: readonly string[] = ['gaussian', 'exponential', 'atoms'];

/** The first composition in the run of which several parts are drawn in one way. */
function apartIn(mechanism: Mechanism, repeated: boolean): Apart | undefined {
  if (mechanism.kind === 'repeat') {
    const inner = apartIn(mechanism.inner, repeated || mechanism.count > 1);
    return inner && { ...inner, together: repeat(inner.together, mechanism.count) };
  }
  if (mechanism.kind !== 'compose') return undefined;
  const parts = mechanism.parts.map(once);
  const groups = new Map<string, Drawn[]>();
  for (const part of parts) {
    if (!isDrawn(part)) continue;
    const { inner: _, ...how } = part;
    const key = JSON.stringify(how);
    const group = groups.get(key) ?? [];
    group.push(part);
    groups.set(key, group);
  }
  for (const group of groups.values()) {
    const [first] = group;
    const other =
      group.find(({ inner: { kind } }) => kind !== first.inner.kind) ??
      (repeated ? group.find(({ inner }) => !isSame(inner, first.inner)) : undefined);
    if (other === undefined) continue;
    const own = new Set<Mechanism>(group);
    const one = onSample(joint({ parts: group.map(({ inner }) => inner) }), first);
    return { drawn: [first, other], together: compose([one, ...parts.filter((part) => !own.has(part))]) };
  }
  for (const [i, part] of parts.entries()) {
    const inner = apartIn(part, repeated);
    if (inner === undefined) continue;
    return { ...inner, together: compose(parts.map((each, k) => (k === i ? inner.together : each))) };
  }
  return undefined;
}

/** Whether some composition in the run has several parts that are drawn, each once. */
function drawsSeveral(mechanism: Mechanism): boolean {
  if (mechanism.kind === 'repeat') return drawsSeveral(mechanism.inner);
  if (mechanism.kind !== 'compose') return false;
  const parts = mechanism.parts.map(once);
  return parts.filter(isDrawn).length > 1 || parts.some(drawsSeveral);
}

/** What is repeated once, as itself. */
function once(mechanism: Mechanism): Mechanism {
  return mechanism.kind === 'repeat' && mechanism.count === 1 ? once(mechanism.inner) : mechanism;
}

function isDrawn(mechanism: Mechanism): mechanism is Drawn {
  return (
    (mechanism.kind === 'poisson-subsampled' || mechanism.kind === 'without-replacement') &&
    kindOf(mechanism.inner).account === undefined &&
    COMPOSED.includes(pairOf(mechanism.inner).family)
  );
}

function isSame(a: Basic, b: Basic): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function onSample(inner: Basic, like: Drawn): Mechanism {
  if (like.kind === 'poisson-subsampled') return poissonSubsampled(inner, { rate: like.rate });
  const { sampleSize, datasetSize } = like;
  return withoutReplacement(inner, { sampleSize, datasetSize });
}
