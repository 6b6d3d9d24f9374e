import { type Compose, type Mechanism, type Repeat, spelledOut } from '../mechanism/mechanism.js';
import { type Basic, kindOf } from '../mechanism/pairs.js';

/** Steps in a row of one mechanism with one sampling rate, and their number. */
interface Phase {
  readonly mechanism: Basic;
  /** Least number of batches of a pass over the data set: ⌊1/rate⌋. */
  readonly batches: number;
  readonly count: number;
  readonly times: number;
}

/** A mechanism, and the number of its steps in which a record is used. */
interface Met {
  readonly mechanism: Basic;
  readonly steps: number;
}

/** Above so many phases, steps are counted for each phase by itself. */
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
  // steps of one kind are ordered by their noise. Mechanisms that cannot be compared form chains of their own.
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

/** For the phases at `places`, the worst first: by how much each one increases the number of passes with a batch in one of them. */
function worstOfChain(phases: readonly Phase[], places: readonly number[]): Met[] {
  const counted = new Set<number>();
  return places.map((place) => {
    const before = place > 0 && !counted.has(place - 1) ? passesLeftOver(phases[place]) : 0;
    // the phase after it no longer follows one outside the set
    const after = counted.has(place + 1) ? passesLeftOver(phases[place + 1]) : 0;
    counted.add(place);
    return { mechanism: phases[place].mechanism, steps: passesBegun(phases[place]) + before - after };
  });
}

/** The number of passes that begin in a phase, if one begins with it. */
function passesBegun({ count, batches }: Phase): number {
  return quotientUp(count, batches);
}

/** 1 if the phase can begin with the rest of an earlier pass and still have as many passes begin in it; else 0. */
function passesLeftOver({ count, batches }: Phase): number {
  return 1 + quotientUp(count - 1, batches) - quotientUp(count, batches);
}

/** ⌈a/b⌉ of whole numbers below 2⁵³, exactly. */
function quotientUp(a: number, b: number): number {
  const rest = a % b;
  return (a - rest) / b + (rest > 0 ? 1 : 0);
}

/** Raises 1/rate above its rounding. For a rate that is a quotient of whole numbers below 2⁵⁰, its floor is then ⌊1/rate⌋. */
const ROUNDED = 1 + 2 ** -51;

/**
 * The phases of a mechanism in order, up to a few more than `MAX_PHASES`. Without `unroll` a repeated phase is listed once, with the number of its
 * repetitions.
 */
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

/** The mechanism of a step, and its sampling rate. */
function drawn(m: Exclude<Mechanism, Compose | Repeat>): [inner: Basic, rate: number] {
  if (m.kind === 'poisson-subsampled') return [m.inner, m.rate];
  return m.kind === 'without-replacement' ? [m.inner, m.sampleSize / m.datasetSize] : [m as Basic, 1];
}
