import { type Compose, type Mechanism, type Repeat, spelledOut } from '../mechanism/mechanism.js';
import { type Basic, kindOf } from '../mechanism/pairs.js';

/** Steps of one mechanism on one share of the records that follow each other, so often. */
interface Phase {
  readonly mechanism: Basic;
  /** Batches that a pass over the data set has at least: whole samples that fit into it. */
  readonly batches: number;
  readonly count: number;
  readonly times: number;
}

/** A mechanism and how many of its steps use the record. */
interface Met {
  readonly mechanism: Basic;
  readonly steps: number;
}

/** Runs of more phases are taken phase by phase. */
const MAX_PHASES = 100_000;

/**
 * Steps that no record of a run can meet more or worse than, where batches are cut from shuffled passes over the data set. It
 * assumes that a record is in at most one batch of a pass, and that the run begins with a pass. A pass that begins in a phase and
 * ends before it does has at least ⌊1/rate⌋ batches. A phase may begin with a new pass or with the rest of the one before.
 *
 * Passes begin in a phase at most ⌈count/⌊1/rate⌋⌉ times. Take a set S of phases. The passes with a batch in it are at most the
 * sum of these over S, and one more for some phases of S. Those follow a phase outside S, and their first batch can be the rest
 * of a pass while as many passes begin after it. Count this for the worst phase, for the two worst phases, and so on; each adds
 * the number of its steps. Any steps a record can meet are paired with these, each with one at least as bad. The proof is in
 * docs/accounting.md.
 */
export function worstShuffled(mechanism: Mechanism): Met[] {
  const unrolled = phasesOf(mechanism, true);
  if (unrolled.length > MAX_PHASES) {
    return phasesOf(mechanism, false).map((phase) => ({
      mechanism: phase.mechanism,
      steps: phase.times * (passesBegun(phase) + passesLeftOver(phase)),
    }));
  }
  // releases of one rank of a kind are ordered by their noise; what is not known to be ordered is a chain of its own
  const chains = new Map<string, { place: number; strength: number }[]>();
  for (const [place, { mechanism: release }] of unrolled.entries()) {
    const rank = kindOf(release).rank?.(release) ?? { common: JSON.stringify(release), order: 0 };
    const chain = `${release.kind} ${rank.common}`;
    const members = chains.get(chain) ?? [];
    chains.set(chain, members);
    members.push({ place, strength: rank.order });
  }
  return [...chains.values()].flatMap((members) => {
    const worstFirst = members.sort((a, b) => b.strength - a.strength);
    return worstOfChain(
      unrolled,
      worstFirst.map(({ place }) => place),
    );
  });
}

/** What the phases at `places`, the worst first, each add to the passes that have a batch in them. */
function worstOfChain(phases: readonly Phase[], places: readonly number[]): Met[] {
  const counted = new Set<number>();
  return places.map((place) => {
    const before = place > 0 && !counted.has(place - 1) ? passesLeftOver(phases[place]) : 0;
    // the phase after it no longer follows one outside
    const after = counted.has(place + 1) ? passesLeftOver(phases[place + 1]) : 0;
    counted.add(place);
    return { mechanism: phases[place].mechanism, steps: passesBegun(phases[place]) + before - after };
  });
}

/** Passes that begin in a phase, the first of them with it. */
function passesBegun({ count, batches }: Phase): number {
  return quotientUp(count, batches);
}

/** 1 where as many more passes can begin after a batch of a pass that began before the phase. */
function passesLeftOver({ count, batches }: Phase): number {
  return 1 + quotientUp(count - 1, batches) - quotientUp(count, batches);
}

/** ⌈a/b⌉ of whole numbers below 2⁵³, exactly. */
function quotientUp(a: number, b: number): number {
  const rest = a % b;
  return (a - rest) / b + (rest > 0 ? 1 : 0);
}

/** Lifts 1/rate past its own rounding: ⌊1/rate⌋ is then that of a share of two whole numbers below 2⁵⁰. */
const ROUNDED = 1 + 2 ** -51;

/** The phases of a run in its order, up to a few more than `MAX_PHASES`; without unrolling, each once and how often it comes. */
function phasesOf(mechanism: Mechanism, unroll: boolean): Phase[] {
  const phases: Phase[] = [];
  const add = (m: Exclude<Mechanism, Compose | Repeat>, count: number, times: number): void => {
    const [inner, rate] = drawn(m);
    if (rate > 0 && count > 0)
      phases.push({ mechanism: inner, batches: Math.floor((1 / rate) * ROUNDED), count, times });
  };
  const visit = (m: Mechanism, times: number): void => {
    if (m.kind === 'compose') {
      for (const part of m.parts) visit(part, times);
    } else if (m.kind !== 'repeat') {
      add(m, 1, times);
    } else if (m.inner.kind !== 'compose' && m.inner.kind !== 'repeat') {
      add(m.inner, m.count, times);
    } else if (!unroll) {
      if (m.count > 0) visit(m.inner, times * m.count);
    } else {
      for (let i = 0; i < m.count && phases.length <= MAX_PHASES; i++) {
        const before = phases.length;
        visit(m.inner, times);
        if (phases.length === before) break;
      }
    }
  };
  visit(spelledOut(mechanism), 1);
  return phases;
}

/** One release and the share of the records that it sees. */
function drawn(m: Exclude<Mechanism, Compose | Repeat>): [inner: Basic, rate: number] {
  if (m.kind === 'poisson-subsampled') return [m.inner, m.rate];
  return m.kind === 'without-replacement' ? [m.inner, m.sampleSize / m.datasetSize] : [m as Basic, 1];
}
