import { type Basic, rankOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { charge } from '../numeric/meter.js';
import { expm1 } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { hullRun } from '../run/hull-run.js';
import { blended } from './blended-steps.js';

/**
 * Bounds of a run with many distinct steps by two runs with few. Similar steps are grouped; all count as the worst of them (largest loss, largest
 * rate), or as the best.
 *
 * Post-processing the same for both directions adds noise and lowers a sampling rate, also step by step in a composition. So the run lies between the
 * two (docs/proofs/near-phases.md).
 */
export interface Grouped {
  readonly worse: readonly Step[];
  readonly better: readonly Step[];
}

interface Ranked {
  readonly step: Step;
  readonly order: number;
  readonly size: number;
  /** The rate of the Poisson sample: the mechanism's own, or that of the step. */
  readonly rate: number;
}

/** Groups for each family that no number orders. Only speed and tightness depend on it. */
const BLENDS = 24;

/** A group of steps of one family and sampling. */
interface Group {
  readonly members: readonly Ranked[];
  /** Approximate cost of merging the members, as a variance of the loss. */
  readonly spread: number;
}

/**
 * The run as `room` groups of steps, or slightly more if there are more families; undefined if nothing is merged. Ensures: `worse` dominates the run,
 * and the run dominates `better`.
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

/** Splits the group with the largest cost, where that saves most, until there are enough. */
function splitInto(groups: readonly Group[], room: number): Group[] {
  const split = [...groups];
  while (split.length < room && split.length > 0) {
    const widest = split.reduce((best, { spread }, i) => (spread > split[best].spread ? i : best), 0);
    if (!(split[widest].spread > 0)) break;
    split.splice(widest, 1, ...inTwo(split[widest].members));
  }
  return split;
}

/** A group as two steps, of the largest δ and of the least power of all members. Ensures: `worse` dominates each, and each dominates `better`. */
function blend(group: Group): { readonly worse: Step; readonly better: Step } {
  const [worse, better] = [together(group, 1), together(group, -1)];
  const distinct = [...new Set(group.members.map(({ step }) => step.mechanism))];
  if (distinct.length === 1) return { worse, better };
  const ends = blended(distinct);
  return { worse: { ...worse, mechanism: ends.worse }, better: { ...better, mechanism: ends.better } };
}

function groupOf(members: readonly Ranked[]): Group {
  const [first] = members;
  const alike = members.every(({ rate, size }) => size === first.size && rate === first.rate);
  return { members, spread: alike ? 0 : lossesOf(members)[members.length - 1] };
}

/** Difference of the variances of losses, count·q²(e^{s²} − 1), between the most and the least; never 0. */
function spreadOf(least: readonly [number, number], most: readonly [number, number], count: number): number {
  const variance = ([size, rate]: readonly [number, number]) =>
    rate * rate * expm1(Math.min(size * size, 50));
  return Math.max(Number.MIN_VALUE, count * (variance(most) - variance(least)));
}

/** Heuristic: the two halves of a group, split by loss or by rate, with the least cost of merging. */
function inTwo(members: readonly Ranked[]): Group[] {
  const orders = [
    (a: Ranked, b: Ranked) => a.size - b.size || a.rate - b.rate,
    (a: Ranked, b: Ranked) => a.rate - b.rate || a.size - b.size,
  ];
  // charges what was counted so far; sorting is not counted
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

/** Heuristic: the costs of merging the first 1, 2, … members. */
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

/** All members replaced by the worst of them (side 1) or the best (side −1): the extreme rate and the extreme mechanism. Exact. */
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
 * The run between `better` and `worse`: upper ends are those of the worse, lower ends and tests those of the better.
 *
 * Ensures: each bracket holds the answer of every run between the two.
 */
export function runsBetween(
  better: readonly DirectedRun[],
  worse: readonly DirectedRun[],
  groups: number,
): DirectedRun[] {
  if (better.length !== worse.length) return [enclosedRun(hullRun(worse), hullRun(better), { groups })];
  return worse.map((run, i) => enclosedRun(run, better[i], { groups }));
}
