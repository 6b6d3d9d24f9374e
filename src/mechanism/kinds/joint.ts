import { wrongValue } from '../../errors.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { greatest } from '../../numeric/extremes.js';
import type { Adjacency } from '../adjacency.js';
import { requireMechanisms } from '../checks.js';
import type { Joint } from '../joint.js';
import { type CountedRelease, jointPair, standingOf } from '../joint-pair.js';
import { built, type Kind, requireMade } from '../kind.js';
import { type Basic, describeMechanism, kindOf, pairOf } from '../pairs.js';
import { type Step, stepsOf } from '../steps.js';
import { bare } from './gaussian.js';

export type { Joint };

/**
 * Several releases on one and the same sample: put it into `poissonSubsampled` or `withoutReplacement`.
 *
 * @throws TypeError | RangeError if `parts` is not an array of mechanisms that see all records, or is empty.
 * @example
 * const both = joint({ parts: [gaussian({ noiseMultiplier: 2 }), laplace({ scale: 2, sensitivity: 1 })] });
 * account(engine, poissonSubsampled(both, { rate: 0.1 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 0.544783
 */
export function joint(options: Omit<Joint, 'kind' | 'side'>): Joint {
  const mechanism = built(JOINT_KIND, options);
  if (mechanism.parts.length === 0) throw wrongValue('parts', 'one mechanism or more', mechanism.parts);
  for (const { mechanism: release, sampling, places } of releasesOf(mechanism, requireMade)) {
    const { drawing, account } = kindOf(release);
    if (sampling !== 'all' || places !== undefined || drawing !== undefined || account !== undefined)
      throw wrongValue(
        'parts',
        'releases on all records: the sample is drawn once, for all of them',
        release.kind,
      );
  }
  return mechanism;
}

const releasesOf = ({ parts }: Joint, taken = (part: Basic): Basic => part): Step[] =>
  stepsOf({ kind: 'compose', parts: parts as readonly Basic[] }, taken);

/** What is left of a release that is another one by another name. */
function inForm(mechanism: Basic): Basic {
  const same = kindOf(mechanism).sampled?.(mechanism);
  return same === undefined || same.rate < 1 || same.mechanism.kind === mechanism.kind
    ? mechanism
    : inForm(same.mechanism as Basic);
}

function countedOf(m: Joint): CountedRelease[] {
  return releasesOf(m)
    .map(({ mechanism, count }) => ({ mechanism: inForm(mechanism), count }))
    .filter(({ mechanism }) => !kindOf(mechanism).isSilent?.(mechanism));
}

/** Each release the same, whatever it is repeated by. */
function mapped(m: Joint, change: (release: Basic) => Basic): Joint {
  return {
    ...m,
    parts: releasesOf(m).map(({ mechanism, count }) => ({ kind: 'repeat', count, inner: change(mechanism) })),
  };
}

/** What some data set attains of a release, in the units of the adjacency. */
function attainedOf(release: Basic, adjacency: Adjacency): Basic {
  const kind = kindOf(release);
  const [attack] = kind.attacks?.(release, adjacency) ?? [];
  if (attack !== undefined) return attack as Basic;
  const met = (kind.attained?.(release) ?? release) as Basic;
  return adjacency === 'replace-one' ? (kindOf(met).doubled?.(met) ?? met) : met;
}

const isBareRelease = (release: Basic): boolean => kindOf(release).isBare?.(release) ?? false;

/** Of log δ on meshes, about. */
const MESH_WIDTH = 1e-4;

export const JOINT_KIND: Kind<Joint> = {
  name: 'joint',
  families: [ATOMS],
  title: 'Several releases on the same records',
  standing: 'inner',
  adjacency: 'one that all parts share',
  tail: 'mu_t^2 is the sum of those of the parts',
  source: 'docs/proofs/joint.md',
  wide: 'the product of continuous losses is taken on a mesh: about 1e-5 of epsilon',
  fields: { parts: requireMechanisms },
  build: joint,
  describe: (m) =>
    `on the same records: ${releasesOf(m)
      .map(({ mechanism, count }) => `${count > 1 ? `${count} times ` : ''}${describeMechanism(mechanism)}`)
      .join('; ')}`,
  pair: (m) => jointPair(countedOf(m), m.side ?? 'above'),
  doubled: (m) => mapped(m, (release) => kindOf(release).doubled?.(release) ?? release),
  isSilent: (m) => countedOf(m).length === 0,
  sampled: (m) => {
    const releases = countedOf(m);
    if (releases.some(({ mechanism }) => isBareRelease(mechanism))) return bare();
    const [first] = releases;
    if (releases.length === 1 && first.count === 1) return { rate: 1, mechanism: first.mechanism };
    // losses of thousands: as good as no noise
    return releases.length > 0 && standingOf(releases) === 'too-wide' ? bare() : undefined;
  },
  width: (m) => (standingOf(countedOf(m)) === 'exact' ? 0 : MESH_WIDTH),
  attacks: (m, adjacency) => {
    const releases = countedOf(m);
    if (releases.some(({ mechanism }) => isBareRelease(mechanism))) return [];
    const known = releases.length === 0 ? 'exact' : standingOf(releases);
    if (known === 'too-wide') {
      // one of several releases, by itself no worse than all of them
      const mus = releases.map(({ mechanism }) => pairOf(mechanism).gdpMu);
      return [attainedOf(releases[mus.indexOf(greatest(mus))].mechanism, adjacency)];
    }
    // whether each pair is what some data set attains
    const same = releasesOf(m).every(({ mechanism }) => {
      const release = inForm(mechanism);
      const { attacks, attained } = kindOf(release);
      return attained === undefined && (attacks?.(release, adjacency) ?? []).length === 0;
    });
    if (same && known === 'exact') return [];
    return [{ ...mapped(m, (release) => attainedOf(inForm(release), adjacency)), side: 'below' as const }];
  },
};
