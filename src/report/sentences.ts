import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { drawingOf } from '../mechanism/reduce.js';
import type { Step } from '../mechanism/steps.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import { upperText } from '../text/rounded.js';
import type { Report } from './report-types.js';

const WITH_AND_WITHOUT = {
  yes: 'says "used"',
  wrong: 'runs without the record',
  right: 'of the runs with it',
};

/** The question that an attack answers, in words, for each neighbour relation. */
const QUESTION: Readonly<
  Record<Report['adjacency'], { given: string; ask: string; yes: string; wrong: string; right: string }>
> = {
  unstated: {
    given: 'two neighbouring data sets, one of which was used (each with probability 1/2),',
    ask: 'which',
    yes: 'says "the first"',
    wrong: 'runs on the second',
    right: 'of the runs on the first',
  },
  'add-remove': {
    given: 'one record that was used with probability 1/2,',
    ask: 'whether it was',
    ...WITH_AND_WITHOUT,
  },
  'zero-out': {
    given: 'one record that was zeroed out with probability 1/2,',
    ask: 'whether it was used',
    ...WITH_AND_WITHOUT,
  },
  'replace-one': {
    given: 'two records, one of which was used (each with probability 1/2),',
    ask: 'which',
    yes: 'says "the first"',
    wrong: 'runs with the second',
    right: 'of the runs with the first',
  },
};

/**
 * The guarantee in plain language. Each sentence states an upper end, rounded outwards, and holds for any one record. It holds for every attack on
 * the outputs, with any knowledge of the other records.
 */
export function riskSentences(report: Report): string[] {
  const { advantage, adjacency } = report;
  const { given, ask, yes, wrong, right } = QUESTION[adjacency];
  const sentences: string[] = [];
  if (advantage.upper >= 1) {
    sentences.push(
      'This gives no guarantee against membership inference. An attack that is always right is possible.',
    );
  } else {
    const success = percent(halfPlusHalf(advantage.upper), 4);
    sentences.push(
      `An attacker sees the release and ${given} and guesses ${ask}. No attacker is right more than ${success} % of the time. A coin is right 50 % of the time.`,
    );
  }
  const powerAt = (rate: number): number =>
    report.truePositiveRate.find(({ falsePositiveRate }) => falsePositiveRate === rate)?.truePositiveRate
      .upper ?? 1;
  const detected = powerAt(0.001);
  if (detected < 1) {
    sentences.push(
      `With one false alarm in 1,000 ${wrong}, no attacker ${yes} in more than ${percent(detected, 3)} % ${right}.`,
    );
  }
  const guessed = powerAt(0.01);
  if (guessed < 1) {
    sentences.push(
      `Someone who had a 1 % chance of guessing a secret in one record has at most ${percent(guessed, 3)} % after seeing the release.`,
    );
  }
  const [first] = report.epsilonAtDelta;
  const size = first === undefined ? '' : `${sizeSentence(first.epsilon.upper)} `;
  const subject = sentences.length > 1 ? 'These bounds hold' : 'This holds';
  sentences.push(
    `${size}${subject} for every record, even an unusual one. The attacker may know all other records and compute without limit. The run must have sampled and added noise as stated here.`,
  );
  return sentences;
}

/** A sentence on the size of ε, by the three ranges of Ponomareva et al. 2023, section 5.2. */
function sizeSentence(epsilon: number): string {
  const text = epsilon < Infinity ? upperText(epsilon) : 'infinite';
  const range =
    epsilon <= 1 ? 'strong (up to 1)' : epsilon <= 10 ? 'reasonable (1 to 10)' : 'weak (above 10)';
  return `Ponomareva et al. (2023) call epsilon ${text} ${range}.`;
}

function percent(x: number, digits: number): string {
  return roundDecimal(x, 'up', { digits, shift: 2 });
}

/** Ensures: no less than (1 + a)/2. It is rounded up where the halving or the sum is not exact. */
function halfPlusHalf(advantage: number): number {
  const half = advantage / 2;
  const sum = 0.5 + half;
  const isExact = half * 2 === advantage && sum - 0.5 === half;
  return isExact ? sum : Math.min(1, sum * (1 + 2 ** -52));
}

/** A remark for reports where a record is added, removed or zeroed out: the ε of randomised response is defined for a changed answer. */
export function answersTaken(steps: readonly Step[], adjacency: Adjacency): string | undefined {
  return adjacency !== 'replace-one' &&
    steps.some(({ mechanism }) => mechanism.kind === 'randomized-response')
    ? 'its epsilon compares two answers of one person (one record replaced); here it also stands for a record added, removed or zeroed out'
    : undefined;
}

/** A warning on δs that are too large for a data set of `size` records; undefined if there are none. */
export function largeDeltaSentence(deltas: readonly number[], size: number): string | undefined {
  const large = deltas.filter((delta) => delta >= 1 / size).map(shortDecimal);
  return large.length === 0
    ? undefined
    : `Delta ${large.join(', ')} is not below 1/n for the ${size} records. Publishing one random record in full would be (0, 1/n)-private too. State epsilon at a smaller delta.`;
}

/** The least size of a data set stated by a part of the mechanism; undefined if none is stated. */
export function datasetSizeOf(mechanism: Mechanism): number | undefined {
  if ('datasetSize' in mechanism) return mechanism.datasetSize;
  if ('inner' in mechanism) return datasetSizeOf(mechanism.inner as Mechanism);
  const parts = 'parts' in mechanism ? (mechanism.parts as readonly Mechanism[]) : [];
  const sizes = parts.map(datasetSizeOf).filter((size) => size !== undefined);
  return sizes.length > 0 ? sizes.reduce((a, b) => Math.min(a, b)) : undefined;
}

export function groupsSentence(groups: number): string {
  return `the run has many distinct phases, so similar ones were combined in ${groups} groups. Each is bounded by its worst and its best phase, and brackets are wider`;
}

/** The divisor of a batch's sum of gradients; undefined if no batches are drawn, or the steps are not known. */
export function dividedBy(steps: readonly Step[], adjacency: Adjacency): string | undefined {
  const cuts = steps.flatMap(({ mechanism }) => (mechanism.kind === 'divided-sgd' ? [mechanism] : []));
  if (steps.every((step) => drawingOf(step) === 'all')) return undefined;
  const silent = 'not stated. The numbers assume a public constant';
  const [first] = cuts;
  if (first === undefined) return silent;
  const size = cuts.some(({ divisor }) => divisor === 'expected-whole') ? 'cut to a whole number' : 'not cut';
  const said = `the expected size of a batch, q n, ${size}. ${adjacency === 'add-remove' ? 'What a record changes of it is counted' : 'Neighbours have the same one'}`;
  return cuts.length === steps.length ? said : `of some phases, ${said}. Of the others, ${silent}`;
}
