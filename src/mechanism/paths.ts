import { wrongValue } from '../errors.js';
import type { Adjacency } from './adjacency.js';
import type { Rank } from './kind.js';
import { compose, type Mechanism, repeat, withReleases } from './mechanism.js';
import { kindOf, type Parallel, pairOf, rankOf } from './pairs.js';
import { reduceSteps } from './reduce.js';
import { joinedSteps, type Step, stepsOf } from './steps.js';

/** The run that one record meets, where some steps are on disjoint parts of the data. */
export interface Path {
  readonly mechanism: Mechanism;
  /** The steps of that run. For a replaced record, steps of the parts that it leaves and enters are in units of added and removed records. */
  readonly steps: readonly Step[];
}

/** The maximum of `of` over the reduced steps of each path of a record; at least 0. */
export function largestOfPaths(
  mechanism: Mechanism,
  adjacency: Adjacency,
  of: (steps: readonly Step[]) => number,
): number {
  return reducedPaths(mechanism, adjacency).reduce((most, steps) => Math.max(most, of(steps)), 0);
}

/** The reduced steps of each path: one list if no step is on disjoint parts. */
export function reducedPaths(mechanism: Mechanism, adjacency: Adjacency): readonly Step[][] {
  const steps = stepsOf(mechanism);
  const paths = pathsOf(mechanism, steps, adjacency) ?? [{ steps }];
  return paths.map((path) => reduceSteps(path.steps, adjacency));
}

/** One way of a record through releases on disjoint parts. */
interface Choice {
  /** The runs of the parts in which the record stays. */
  readonly run: Mechanism;
  /** The runs of the parts that a replaced record leaves and enters. */
  readonly crossing: readonly Mechanism[];
}

/** Largest number of paths: each is accounted as a run of its own. */
const MOST_PATHS = 256;

/** Whether a step consists of releases on disjoint parts. */
const isParallel = ({ mechanism }: Step): boolean => mechanism.kind === 'parallel';

/**
 * The runs that a record may meet: for each step on disjoint parts one of the parts, and all other steps. Undefined if no step has parts. A part that
 * another part dominates by the order of its kind is left out.
 *
 * Ensures: δ(ε) of the run is the largest of those of the paths (docs/proofs/parallel.md, 1 to 3).
 *
 * @throws RangeError if there are more than 256 paths, or if a replaced record may cross between parts whose losses differ by direction.
 */
export function pathsOf(
  mechanism: Mechanism,
  steps: readonly Step[],
  adjacency: Adjacency,
): readonly Path[] | undefined {
  const parallels = steps.filter(isParallel);
  if (parallels.length === 0) return undefined;
  for (const { sampling } of parallels)
    if (sampling !== 'all')
      throw wrongValue('inner', 'without disjoint parts (put the samples into the parts)', 'parallel');
  const others = withReleases(mechanism, (release) => (release.kind === 'parallel' ? compose([]) : release));
  let choices: Choice[] = [{ run: others, crossing: [] }];
  for (const { mechanism: release, count } of parallels) {
    const each = choicesOf(release as Parallel, adjacency);
    requireFew(choices.length * waysOf(each.length, count));
    choices = choices.flatMap((before) => repeated(each, count).map((more) => joined([before, ...more])));
  }
  const paths = choices.map(({ run, crossing }) => ({
    mechanism: run,
    steps: joinedSteps([
      ...stepsOf(run),
      ...stepsOf(compose(crossing)).map((step): Step => ({ ...step, crosses: true })),
    ]),
  }));
  // sorted, so that the answer does not depend on the order in which parts are stated
  const keyed = new Map(paths.map((path) => [JSON.stringify(path.steps), path]));
  return [...keyed.keys()].sort().map((key) => keyed.get(key) as Path);
}

/** The choices of a record in one release on disjoint parts. */
function choicesOf({ parts }: Parallel, adjacency: Adjacency): Choice[] {
  const runs = parts as readonly Mechanism[];
  if (adjacency !== 'replace-one')
    return undominated(distinct(runs.flatMap((part) => alternativesOf(part, adjacency)))).map(within);
  if (runs.some((part) => stepsOf(part).some(isParallel)))
    throw wrongValue('parts', 'without disjoint parts of their own under replace-one', 'parallel');
  const each = distinct(runs);
  // a record may also move between two parts with the same run
  const several = each.filter(({ times }) => times > 1);
  requireFew((each.length * (each.length - 1)) / 2 + several.length);
  if (runs.length > 1) for (const { run } of each) requireOneLaw(run);
  const crossing = [
    ...each.flatMap(({ run }, i) => each.slice(i + 1).map((other) => [run, other.run])),
    ...several.map(({ run }) => [run, run]),
  ];
  return [
    ...undominated(each).map(within),
    ...crossing.map((pair) => ({ run: compose([]), crossing: pair })),
  ];
}

/** The choice of a record that stays in one part. */
const within = (run: Mechanism): Choice => ({ run, crossing: [] });

/** The runs that a record in a part may meet: several if the part has disjoint parts of its own. */
function alternativesOf(part: Mechanism, unit: Adjacency): Mechanism[] {
  return pathsOf(part, stepsOf(part), unit)?.map(({ mechanism }) => mechanism) ?? [part];
}

/** A run of some parts of the data. */
interface Distinct {
  readonly run: Mechanism;
  readonly steps: readonly Step[];
  /** Number of disjoint parts of the data with this run. */
  times: number;
}

/** The distinct runs, compared by their steps. */
function distinct(runs: readonly Mechanism[]): Distinct[] {
  const found = new Map<string, Distinct>();
  for (const run of runs) {
    const steps = stepsOf(run);
    const key = JSON.stringify(steps);
    const known = found.get(key);
    if (known === undefined) found.set(key, { run, steps, times: 1 });
    else known.times++;
  }
  return [...found.values()];
}

/** Checks that adding and removing a record have the same δ(ε) for each step, unsampled and stated in these units. @throws RangeError otherwise. */
function requireOneLaw(part: Mechanism): void {
  for (const { mechanism, sampling } of stepsOf(part)) {
    const { doubled, closeness, attacks, drawing } = kindOf(mechanism);
    // a guarantee stated for a replaced record does not bound one that is only removed
    const isAttained = (attacks?.(mechanism, 'replace-one', true) ?? []).length === 0;
    const isStated = doubled !== undefined && closeness === undefined && isAttained;
    if (isStated && drawing === undefined && sampling === 'all' && !pairOf(mechanism).asymmetric) continue;
    throw wrongValue(
      'adjacency',
      `add-remove or zero-out for disjoint parts with ${sampling === 'all' ? mechanism.kind : sampling} (a replaced record may leave one part and enter another: that takes noise on all records of a part)`,
      'replace-one',
    );
  }
}

/** @throws RangeError if there are more than 256 paths. */
function requireFew(paths: number): void {
  if (paths > MOST_PATHS)
    throw wrongValue('parts', `such that a record has at most ${MOST_PATHS} ways through all steps`, paths);
}

/** Number of multisets of size `count` from n elements: the binomial coefficient of count + n − 1 over n − 1. */
function waysOf(n: number, count: number): number {
  let ways = 1;
  for (let i = 1; i < n; i++) ways *= (count + i) / i;
  return Math.round(ways);
}

/** All multisets of size `count` of the choices in `each`, each with repetitions as repeated mechanisms. */
function repeated(each: readonly Choice[], count: number): Choice[][] {
  const [first, ...rest] = each;
  const times = (n: number): Choice[] =>
    n === 0 ? [] : [{ run: repeat(first.run, n), crossing: first.crossing.map((part) => repeat(part, n)) }];
  if (rest.length === 0) return [times(count)];
  return Array.from({ length: count + 1 }, (_, n) =>
    repeated(rest, count - n).map((others) => [...times(n), ...others]),
  ).flat();
}

/** Several choices, one for each release, as one. */
function joined(choices: readonly Choice[]): Choice {
  return {
    run: compose(choices.map(({ run }) => run)),
    crossing: choices.flatMap(({ crossing }) => crossing),
  };
}

/** The runs without those that another run dominates by `isBelow`. */
function undominated(runs: readonly Distinct[]): Mechanism[] {
  const ranked = runs.map(({ run, steps }): Ranked => {
    const [step] = steps.length === 1 ? steps : [];
    return { run, step, rank: step && rankOf(step) };
  });
  // sorted so that dominated runs come after those that dominate them
  const orderOf = ({ rank }: Ranked): number => rank?.order ?? -Number.MAX_VALUE;
  ranked.sort((a, b) => orderOf(b) - orderOf(a) || (b.step?.count ?? 0) - (a.step?.count ?? 0));
  const kept: Ranked[] = [];
  for (const one of ranked) {
    if (kept.some((other) => isBelow(one, other))) continue;
    kept.push(one);
    requireFew(kept.length);
  }
  return kept.map(({ run }) => run);
}

/** A run with its place in the order of its kind, if it is a single step with one. */
interface Ranked {
  readonly run: Mechanism;
  /** The run's only step, if it has one. */
  readonly step: Step | undefined;
  readonly rank: Rank | undefined;
}

/** Whether a run of a single step is dominated by another one: of one kind and sampling, by `Rank.order` and by the count. */
function isBelow(a: Ranked, b: Ranked): boolean {
  const [own, other] = [a.step, b.step];
  if (!own || !other || !a.rank || !b.rank || a.rank.blended || b.rank.blended) return false;
  const isAlike =
    own.mechanism.kind === other.mechanism.kind &&
    own.sampling === other.sampling &&
    own.rate === other.rate &&
    own.places === other.places &&
    a.rank.common === b.rank.common;
  return isAlike && a.rank.order <= b.rank.order && own.count <= other.count;
}
