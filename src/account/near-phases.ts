import { type Basic, rankOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { charge } from '../numeric/meter.js';
import { expm1 } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { hullRun } from '../run/hull-run.js';
import { blended } from './blended-steps.js';

/**
 * Two runs of few steps between which a run of many distinct steps lies. Similar steps form a group; in `worse` all members count as the worst of
 * their group (largest loss, largest rate), in `better` as the best.
 *
 * The better step is a channel's output of the worse one, the same channel for both data sets: noise added, or the sampling rate lowered. So δ(ε) of
 * the run lies between those of the two (docs/proofs/near-phases.md, 1 to 4).
 */
export interface Grouped {
  readonly worse: readonly Step[];
  readonly better: readonly Step[];
}

/** A step with the numbers by which its family orders it: see `Rank`. */
interface Ranked {
  readonly step: Step;
  readonly order: number;
  readonly size: number;
  /** The rate of the Poisson sample: that which the mechanism draws itself, or that of the step. */
  readonly rate: number;
}

/** Number of groups for each family that no parameter orders by privacy (`blended-steps.ts`). Only speed and tightness depend on it. */
const BLENDS = 24;

/** A group of steps of one family and sampling. */
interface Group {
  readonly members: readonly Ranked[];
  /** Heuristic: the cost of merging the members, as a variance of the loss. */
  readonly spread: number;
}

/**
 * The run as `room` groups of steps, or slightly more if there are more families; undefined if nothing is merged. Steps of one kind and sampling that
 * share `Rank.common` form a family; families are split where merging costs most (a heuristic).
 *
 * Ensures: `worse` dominates the run, and the run dominates `better` (docs/proofs/near-phases.md, 1 to 5).
 */
export function groupedSteps(steps: readonly Step[], room: number): Grouped | undefined {
  const families = new Map<string, Ranked[]>();
  const blends = new Set<string>();
  steps.forEach((step, i) => {
    const { mechanism, sampling } = step;
    const rank = rankOf(step);
    const { common, order, size, blended: between } = rank ?? { order: 0, size: 0 };
    const key = rank === undefined ? `${i}` : `${mechanism.kind} ${common} ${sampling}`;
    if (between) blends.add(key);
    const ranked = { step, order, size, rate: rank?.rate ?? step.rate };
    const known = families.get(key);
    if (known === undefined) families.set(key, [ranked]);
    else known.push(ranked);
  });
  const [between, ordered]: [Group[], Group[]] = [[], []];
  for (const [key, members] of families) (blends.has(key) ? between : ordered).push(groupOf(members));
  const groups = splitInto(ordered, Math.max(room - between.length, 1));
  const curves = between.flatMap((group) => splitInto([group], BLENDS));
  if (groups.length + curves.length >= steps.length) return undefined;
  const ends = curves.map(blend);
  return {
    worse: [...groups.map((group) => together(group, 1)), ...ends.map(({ worse }) => worse)],
    better: [...groups.map((group) => together(group, -1)), ...ends.map(({ better }) => better)],
  };
}

/**
 * Splits the group with the largest cost of merging in two, again and again, until there are `room` groups or no cost is left. Heuristic: groups only
 * decide the width of brackets.
 */
function splitInto(groups: readonly Group[], room: number): Group[] {
  const split = [...groups];
  while (split.length < room && split.length > 0) {
    const widest = split.reduce((best, { spread }, i) => (spread > split[best].spread ? i : best), 0);
    if (!(split[widest].spread > 0)) break;
    split.splice(widest, 1, ...inTwo(split[widest].members));
  }
  return split;
}

/**
 * A group of a family that no parameter orders, as two steps: of the largest δ of all members, and of their least power (`blended`). Ensures: `worse`
 * dominates each, and each dominates `better`.
 */
function blend(group: Group): { readonly worse: Step; readonly better: Step } {
  const [worse, better] = [together(group, 1), together(group, -1)];
  const distinct = [...new Set(group.members.map(({ step }) => step.mechanism))];
  if (distinct.length === 1) return { worse, better };
  const ends = blended(distinct);
  return { worse: { ...worse, mechanism: ends.worse }, better: { ...better, mechanism: ends.better } };
}

/** Steps as a group, with the cost of merging them; 0 if all are equal. */
function groupOf(members: readonly Ranked[]): Group {
  const [first] = members;
  const alike = members.every(({ rate, size }) => size === first.size && rate === first.rate);
  return { members, spread: alike ? 0 : lossesOf(members)[members.length - 1] };
}

/**
 * Heuristic cost of merging `count` steps: how much variances of the loss differ within a group. They are about count·q²(e^{s²} − 1) at rate q and
 * loss s; `least` and `most` are pairs [s, q]. At least the smallest double, so never 0.
 */
function spreadOf(least: readonly [number, number], most: readonly [number, number], count: number): number {
  const variance = ([size, rate]: readonly [number, number]) =>
    rate * rate * expm1(Math.min(size * size, 50));
  return Math.max(Number.MIN_VALUE, count * (variance(most) - variance(least)));
}

/** Heuristic: a group split in two. Members are ordered by loss or by rate, and cut where merging both parts costs least. */
function inTwo(members: readonly Ranked[]): Group[] {
  const orders = [
    (a: Ranked, b: Ranked) => a.size - b.size || a.rate - b.rate,
    (a: Ranked, b: Ranked) => a.rate - b.rate || a.size - b.size,
  ];
  // charges the work counted so far
  charge(0);
  let [best, end, least]: [readonly Ranked[], number, number] = [members, 0, Infinity];
  for (const order of orders) {
    const sorted = [...members].sort(order);
    const fromLeft = lossesOf(sorted);
    const fromRight = lossesOf([...sorted].reverse());
    for (let at = 1; at < sorted.length; at++) {
      const lost = fromLeft[at - 1] + fromRight[sorted.length - at - 1];
      if (lost < least) [best, end, least] = [sorted, at, lost];
    }
  }
  return [best.slice(0, end), best.slice(end)].map(groupOf);
}

/** Heuristic: the cost of merging the first k members, for each k ≥ 1. */
function lossesOf(sorted: readonly Ranked[]): Float64Array {
  let [leastSize, mostSize, leastRate, mostRate, count] = [Infinity, 0, Infinity, 0, 0];
  return Float64Array.from(sorted, ({ step, size, rate }) => {
    leastSize = Math.min(leastSize, size);
    mostSize = Math.max(mostSize, size);
    leastRate = Math.min(leastRate, rate);
    mostRate = Math.max(mostRate, rate);
    count += step.count;
    return spreadOf([leastSize, leastRate], [mostSize, mostRate], count);
  });
}

/**
 * All members of a group replaced by the worst (side 1) or the best (side −1). That is the largest or the least rate, and the mechanism of the
 * largest or the least `Rank.order`. Exact: nothing is rounded.
 *
 * Ensures: the step for side 1 dominates each member, and each dominates that for side −1 (docs/proofs/near-phases.md, 3).
 */
function together({ members }: Group, side: 1 | -1): Step {
  const [{ step }] = members;
  let { mechanism } = step;
  let [extreme, rate, count] = [members[0].order, members[0].rate, 0];
  for (const { step: each, order, rate: own } of members) {
    count += each.count;
    if (side * (own - rate) > 0) rate = own;
    if (side * (order - extreme) > 0) [extreme, mechanism] = [order, each.mechanism];
  }
  if (rankOf(step)?.rate === undefined) return { ...step, mechanism, rate, count };
  return { ...step, mechanism: { ...mechanism, rate } as Basic, count };
}

/**
 * The run between `better` and `worse`, in each direction: upper bounds are those of the worse run, lower bounds and tests those of the better.
 *
 * Ensures: each bracket holds the answer of every run between the two.
 *
 * @param groups Number of groups, which the run reports.
 */
export function runsBetween(
  better: readonly DirectedRun[],
  worse: readonly DirectedRun[],
  groups: number,
): DirectedRun[] {
  if (better.length !== worse.length) return [enclosedRun(hullRun(worse), hullRun(better), { groups })];
  return worse.map((run, i) => enclosedRun(run, better[i], { groups }));
}
