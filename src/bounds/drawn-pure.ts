/**
 * Adaptive composition of identical ε-DP steps on samples of a fixed size, one record replaced (docs/proofs/bounded-range.md, 6). Four pairs of two or
 * three outputs are the worst steps.
 */
import { kindOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { U } from '../numeric/constants.js';
import { expm1, log, log1p } from '../numeric/scalar.js';
import type { ChosenSteps, Output } from './chosen-steps.js';

/** Identical ε-DP releases on samples of a fixed size. */
interface DrawnPure {
  /** ε of the unsampled release, with a few roundings. */
  readonly epsilon: number;
  /** The share of the records that is drawn. */
  readonly share: number;
  readonly count: number;
  /** Which releases a step may be. 'all': any that is ε-DP. 'binary': those with two outputs. 'some': only ε is known, so there is no lower bound. */
  readonly allowed: 'all' | 'binary' | 'some';
}

/** Largest ε considered: products of two e^ε are doubles. */
const LARGEST = 300;
/** Kinds that are ε-DP and have sharper bounds of their own (`bounded-range.ts`, `two-outputs.ts`). */
const RANGES = new Set(['bounded-range', 'noisy-max']);

/**
 * The run as at least two identical ε-DP releases on samples of a fixed size; undefined if it is not such a run. It is also undefined if the pair of a
 * step is attained, so that its composition is the worst case.
 */
export function drawnPureSteps(steps: readonly Step[]): DrawnPure | undefined {
  const [only] = steps;
  if (only === undefined || steps.length > 1) return undefined;
  const { mechanism, rate: share, count, sampling } = only;
  if (count < 2 || sampling !== 'without-replacement' || RANGES.has(mechanism.kind)) return undefined;
  const { pureDp, drawnApart } = kindOf(mechanism);
  const [over, under] = pureDp?.(mechanism) ?? [0, 1];
  const epsilon = over / under;
  if (!(epsilon > 0 && epsilon <= LARGEST) || drawnApart?.(mechanism) === mechanism) return undefined;
  const isBinary = mechanism.kind === 'randomized-response';
  return {
    epsilon,
    share,
    count,
    allowed: isBinary ? 'binary' : mechanism.kind === 'pure-dp' ? 'all' : 'some',
  };
}

/**
 * Probabilities of an output under the laws A, B and C, as multiples of the least: 1 (false) or e^ε (true). A step is (1 − η)A + ηB against
 * (1 − η)A + ηC, η the share. B is the law with the record, C that with its replacement, and A that with neither.
 */
type Ray = readonly [none: boolean, first: boolean, second: boolean];

/**
 * The four vertices of the linear programme of docs/proofs/bounded-range.md, 6, as lists of outputs of equal weight. In ONE and OTHER one of the records
 * is told from both others; in APART and TOGETHER all three are told from each other.
 */
const ONE: readonly Ray[] = [
  [false, true, false],
  [true, false, true],
];
const OTHER: readonly Ray[] = [
  [false, false, true],
  [true, true, false],
];
const APART: readonly Ray[] = [
  [true, false, false],
  [false, true, false],
  [false, false, true],
];
const TOGETHER: readonly Ray[] = APART.map(([a, b, c]) => [!a, !b, !c]);
const ALL = [ONE, OTHER, APART, TOGETHER];
const BINARY = [ONE, OTHER, ONE, OTHER];

/** The outputs of a step from a vertex, three of them (the last of mass 0 if there are two). Ensures: masses, ratios and losses to a few roundings. */
function outputsOf(rays: readonly Ray[], epsilon: number, share: number): Output[] {
  const larger = expm1(epsilon);
  const high = rays.filter(([none]) => none).length;
  const outputs = rays.map(([none, first, second]) => {
    const [base, own, other] = [none, first, second].map((each) => (each ? larger : 0));
    const p = 1 + (1 - share) * base + share * own;
    const q = 1 + (1 - share) * base + share * other;
    const off = (share * (other - own)) / p;
    const loss = Math.abs(off) < 0.5 ? log1p(off) : log(q / p);
    return { mass: p / (rays.length + high * larger), ratio: q / p, loss };
  });
  return outputs.length < 3 ? [...outputs, { mass: 0, ratio: 1, loss: 0 }] : outputs;
}

/** The worst steps as choices, each a tree of one leaf. The exchanged pair of each is one of them, so one direction suffices. */
export function choicesOfDrawn({ epsilon, share, count, allowed }: DrawnPure): ChosenSteps {
  const solutions = allowed === 'binary' ? BINARY : ALL;
  const [above, below] = [1 + 8 * U, 1 - 8 * U].map((within) =>
    solutions.map((rays) => outputsOf(rays, epsilon * within, share)),
  );
  const leaves = solutions.length;
  return {
    count,
    directions: ['remove'],
    leaves: { most: leaves, least: leaves },
    typical: () => above,
    choices: () => ({
      roots: solutions.map((_, i) => leaves + i),
      leaves,
      outputs: 3,
      above: (node) => above[node - leaves],
      allowed: allowed === 'some' ? undefined : (leaf) => below[leaf - leaves],
    }),
  };
}
