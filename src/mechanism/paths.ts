import { wrongValue } from '../errors.js';
import type { Adjacency } from './adjacency.js';
import type { Rank } from './kind.js';
import { compose, type Mechanism, repeat, withReleases } from './mechanism.js';
import { kindOf, type Parallel, pairOf, rankOf } from './pairs.js';
import { reduceSteps } from './reduce.js';
import { joinedSteps, type Step, stepsOf } from './steps.js';

/** A run that a record may go through, where some steps have disjoint parts. */
export interface Path {
  readonly mechanism: Mechanism;
  /** Those of the mechanism, and of the parts that a replaced record leaves and enters: these are in add/remove units. */
  readonly steps: readonly Step[];
}

/** The largest over the paths of a record of what is made of their reduced steps: one path where nothing is on disjoint parts. */
export function largestOfPaths(
  mechanism: Mechanism,
  adjacency: Adjacency,
  of: (steps: readonly Step[]) => number,
): number {
  return reducedPaths(mechanism, adjacency).reduce((most, steps) => Math.max(most, of(steps)), 0);
}

/** The steps of each path, reduced: one list where nothing is on disjoint parts. */
export function reducedPaths(mechanism: Mechanism, adjacency: Adjacency): readonly Step[][] {
  const steps = stepsOf(mechanism);
  const paths = pathsOf(mechanism, steps, adjacency) ?? [{ steps }];
  return paths.map((path) => reduceSteps(path.steps, adjacency));
}

interface Choice {
  readonly run: Mechanism;
  /** What a replaced record leaves and enters. */
  readonly crossing: readonly Mechanism[];
}

/** Paths beyond this are refused: each is a run of its own. */
const MOST_PATHS = 256;

const isParallel = ({ mechanism }: Step): boolean => mechanism.kind === 'parallel';

/**
 * The runs that a record may go through: one part of each step with disjoint parts, and all other steps. Undefined where no step has any. Where a part is certain to be
 * no worse than another one, it is left out.
 *
 * Ensures: δ(ε) of the run is the largest of those of the paths (docs/proofs/parallel.md, 1 to 3).
 *
 * @throws RangeError if there are more than 256, or if a replaced record may cross between parts whose losses differ by direction.
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
  // neither the order of parts nor that of steps changes a bit
  const keyed = new Map(paths.map((path) => [JSON.stringify(path.steps), path]));
  return [...keyed.keys()].sort().map((key) => keyed.get(key) as Path);
}

/** What may become of a record in one release on disjoint parts. */
function choicesOf({ parts }: Parallel, adjacency: Adjacency): Choice[] {
  const runs = parts as readonly Mechanism[];
  if (adjacency !== 'replace-one')
    return undominated(distinct(runs.flatMap((part) => alternativesOf(part, adjacency)))).map(within);
  if (runs.some((part) => stepsOf(part).some(isParallel)))
    throw wrongValue('parts', 'without disjoint parts of their own under replace-one', 'parallel');
  const each = distinct(runs);
  // two parts of one run are left and entered, too
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

const within = (run: Mechanism): Choice => ({ run, crossing: [] });

/** The runs of a part, which may have disjoint parts of its own. */
function alternativesOf(part: Mechanism, unit: Adjacency): Mechanism[] {
  return pathsOf(part, stepsOf(part), unit)?.map(({ mechanism }) => mechanism) ?? [part];
}

interface Distinct {
  readonly run: Mechanism;
  readonly steps: readonly Step[];
  /** Parts that it is the run of. */
  times: number;
}

/** Each run once, by its steps. */
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

/** @throws RangeError where a record that is removed and one that is added have different losses. */
function requireOneLaw(part: Mechanism): void {
  for (const { mechanism, sampling } of stepsOf(part)) {
    const { doubled, closeness, attacks, drawing } = kindOf(mechanism);
    // what is stated under replacement says nothing of a record that leaves
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

function requireFew(paths: number): void {
  if (paths > MOST_PATHS)
    throw wrongValue('parts', `such that a record has at most ${MOST_PATHS} ways through all steps`, paths);
}

/** Multisets of `count` of `n`. */
function waysOf(n: number, count: number): number {
  let ways = 1;
  for (let i = 1; i < n; i++) ways *= (count + i) / i;
  return Math.round(ways);
}

/** Each choice of `count` of them, in any order. */
function repeated(each: readonly Choice[], count: number): Choice[][] {
  const [first, ...rest] = each;
  const times = (n: number): Choice[] =>
    n === 0 ? [] : [{ run: repeat(first.run, n), crossing: first.crossing.map((part) => repeat(part, n)) }];
  if (rest.length === 0) return [times(count)];
  return Array.from({ length: count + 1 }, (_, n) =>
    repeated(rest, count - n).map((others) => [...times(n), ...others]),
  ).flat();
}

function joined(choices: readonly Choice[]): Choice {
  return {
    run: compose(choices.map(({ run }) => run)),
    crossing: choices.flatMap(({ crossing }) => crossing),
  };
}

/** Runs without those that another one is certain to be no better than. */
function undominated(runs: readonly Distinct[]): Mechanism[] {
  const ranked = runs.map(({ run, steps }): Ranked => {
    const [step] = steps.length === 1 ? steps : [];
    return { run, step, rank: step && rankOf(step) };
  });
  // whatever is below another one comes after it
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

interface Ranked {
  readonly run: Mechanism;
  /** Where it is a single one. */
  readonly step: Step | undefined;
  readonly rank: Rank | undefined;
}

/** Whether a single step is no worse than another one, by what orders their kind by privacy. */
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
