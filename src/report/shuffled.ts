import { type Compose, type Mechanism, type Repeat, spelledOut } from '../mechanism/mechanism.js';
import { type Basic, kindOf } from '../mechanism/pairs.js';

/** Consecutive steps of one mechanism with one sampling rate. */
interface Phase {
  readonly mechanism: Basic;
  /** Least number of batches of a pass over the data set: ⌊1/rate⌋. */
  readonly batches: number;
  /** Number of steps. */
  readonly count: number;
  /** Number of times that the phase occurs, if repetitions are not listed one by one; else 1. */
  readonly times: number;
}

/** A mechanism, and the number of its steps in which a record is used. */
interface Met {
  readonly mechanism: Basic;
  readonly steps: number;
}

/** If there are more phases, steps are counted for each phase by itself, which is a weaker bound. */
const MAX_PHASES = 100_000;

/**
 * The most steps, and the worst, in which one record can take part, if batches are cut from shuffled passes over the data set. A
 * record is in at most one batch of a pass, and the run begins with a pass. A pass that begins and ends within a phase has at
 * least ⌊1/rate⌋ batches. A phase may begin with a new pass, or with batches of the pass before it.
 *
 * At most ⌈count/⌊1/rate⌋⌉ passes begin in a phase. Let S be a set of phases. The passes with a batch in S are
 * no more than the sum of these bounds plus the number of exceptional phases. Take a phase of S after one outside S. It is exceptional
 * if an earlier pass can end in it and still as many passes begin in it. This bound is computed for the worst phase alone,
 * for the two worst, and so on. Its increases are the numbers of steps. So each step of a record is matched with a different step
 * of the result, at least as bad. The proof is in docs/accounting.md.
 */
export function worstShuffled(mechanism: Mechanism): Met[] {
  const unrolled = phasesOf(mechanism, true);
  if (unrolled.length > MAX_PHASES) {
    return phasesOf(mechanism, false).map((phase) => ({
      mechanism: phase.mechanism,
      steps: phase.times * (passesBegun(phase) + passesLeftOver(phase)),
    }));
  }
  // Phases whose mechanisms can be ordered by their noise form one chain. Each chain is bounded by itself.
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
    // if the next phase is in the set, it no longer follows a phase outside the set
    const after = counted.has(place + 1) ? passesLeftOver(phases[place + 1]) : 0;
    counted.add(place);
    return { mechanism: phases[place].mechanism, steps: passesBegun(phases[place]) + before - after };
  });
}

/** The number of passes that begin in a phase, if a pass begins with the phase. */
function passesBegun({ count, batches }: Phase): number {
  return quotientUp(count, batches);
}

/** 1 if the phase can begin with the last batch of an earlier pass and still have as many passes begin in it; else 0. */
function passesLeftOver({ count, batches }: Phase): number {
  return 1 + quotientUp(count - 1, batches) - quotientUp(count, batches);
}

/** ⌈a/b⌉ of whole numbers below 2⁵³, exactly. */
function quotientUp(a: number, b: number): number {
  const rest = a % b;
  return (a - rest) / b + (rest > 0 ? 1 : 0);
}

/** Factor that raises the computed 1/rate by more than its rounding error. If the rate is a quotient of whole numbers below 2⁵⁰, the floor is then exact. */
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
