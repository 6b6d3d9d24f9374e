import { wrongValue } from '../errors.js';
import type { Adjacency } from './adjacency.js';
import { compose, type Mechanism, repeat, withReleases } from './mechanism.js';
import { type Basic, kindOf, type Parallel, pairOf } from './pairs.js';
import { reduceSteps } from './reduce.js';
import { joinedSteps, type Step, stepsOf } from './steps.js';

/** A run that a record may go through, where some steps have disjoint parts. */
export interface Path {
  readonly mechanism: Mechanism;
  /** Those of the mechanism, and of the parts that a replaced record leaves and enters: these are in add/remove units. */
  readonly steps: readonly Step[];
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

const isParallel = ({ mechanism }: Step): boolean => kindOf(mechanism).alternatives !== undefined;

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
  const runs = (unit: Adjacency): Mechanism[][] =>
    (parts as readonly Mechanism[]).map((part) => alternativesOf(part, unit));
  const within = undominated(runs(adjacency).flat()).map((run) => ({ run, crossing: [] }));
  if (adjacency !== 'replace-one' || parts.length < 2) return within;
  const left = runs('add-remove');
  const crossing = left.flatMap((ones, i) =>
    ones.flatMap((one) =>
      left
        .slice(i + 1)
        .flat()
        .map((other) => ({ run: compose([]), crossing: [one, other] })),
    ),
  );
  requireFew(within.length + crossing.length);
  for (const each of left.flat()) requireOneLaw(each);
  return [...within, ...crossing];
}

/** The runs of a part, which may have disjoint parts of its own. */
function alternativesOf(part: Mechanism, unit: Adjacency): Mechanism[] {
  const steps = stepsOf(part);
  if (unit === 'replace-one' && steps.some(isParallel))
    throw wrongValue('parts', 'without disjoint parts of their own under replace-one', 'parallel');
  return pathsOf(part, steps, unit)?.map(({ mechanism }) => mechanism) ?? [part];
}

/** @throws RangeError where a record that is removed and one that is added have different losses. */
function requireOneLaw(part: Mechanism): void {
  for (const { mechanism, sampling } of stepsOf(part)) {
    const { doubled, closeness, attacks, drawing } = kindOf(mechanism);
    // what is stated under replacement says nothing of a record that leaves
    const isStated = doubled !== undefined && closeness === undefined && attacks === undefined;
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
function undominated(runs: readonly Mechanism[]): Mechanism[] {
  const known = runs.map((run) => ({ run, step: soleStep(run) }));
  return known
    .filter(({ step }, i) => !known.some((other, j) => isBelow(step, other.step, j < i)))
    .map(({ run }) => run);
}

function soleStep(run: Mechanism): Step | undefined {
  const steps = stepsOf(run);
  return steps.length === 1 ? steps[0] : undefined;
}

/** Whether a step is no worse than another one, by what orders their kind by privacy. @param also Where they are equal. */
function isBelow(a: Step | undefined, b: Step | undefined, also: boolean): boolean {
  if (a === undefined || b === undefined || a === b || a.mechanism.kind !== b.mechanism.kind) return false;
  if (a.sampling !== b.sampling || a.rate !== b.rate || a.places !== b.places) return false;
  const [own, other] = [a, b].map(({ mechanism }) => rankOf(mechanism));
  if (own === undefined || other === undefined || own.blended || other.blended) return false;
  if (own.common !== other.common || own.order > other.order || a.count > b.count) return false;
  return own.order < other.order || a.count < b.count || also;
}

function rankOf(mechanism: Basic): ReturnType<NonNullable<ReturnType<typeof kindOf>['rank']>> | undefined {
  return kindOf(mechanism).rank?.(mechanism);
}
