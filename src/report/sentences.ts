import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Step } from '../mechanism/steps.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import type { Report } from './report-types.js';

/** Words for the question an attack answers, by what neighbouring data sets are. */
const QUESTION: Readonly<
  Record<Report['adjacency'], { given: string; ask: string; yes: string; wrong: string; right: string }>
> = {
  unstated: {
    given: 'two neighbouring data sets, of which one was used, either with probability 1/2,',
    ask: 'which',
    yes: 'says "the first"',
    wrong: 'runs on the second',
    right: 'of the runs on the first',
  },
  'add-remove': {
    given: 'one record, which was used with probability 1/2,',
    ask: 'whether it was',
    yes: 'says "used"',
    wrong: 'runs without the record',
    right: 'of the runs with it',
  },
  'zero-out': {
    given: 'one record, which was left out in its place with probability 1/2,',
    ask: 'whether it was used',
    yes: 'says "used"',
    wrong: 'runs without the record',
    right: 'of the runs with it',
  },
  'replace-one': {
    given: 'two records, of which one was used, either with probability 1/2,',
    ask: 'which',
    yes: 'says "the first"',
    wrong: 'runs with the second',
    right: 'of the runs with the first',
  },
};

/**
 * What the numbers mean to somebody who is not of the field. Each uses the safe end, rounded outwards, and
 * holds for any one record and every attack on what was released, whatever it knows of the other records.
 */
export function riskSentences(report: Report): string[] {
  const { advantage, adjacency } = report;
  const { given, ask, yes, wrong, right } = QUESTION[adjacency];
  const sentences: string[] = [];
  if (advantage.upper >= 1) {
    sentences.push(
      'No guarantee against membership inference is given: an attack that is always right is not excluded.',
    );
  } else {
    const success = percent(halfPlusHalf(advantage.upper), 4);
    sentences.push(
      `An attacker who sees what was released and ${given} guesses ${ask}. No attacker is right more than ${success} % of the time; a coin is right 50 %.`,
    );
  }
  const powerAt = (rate: number): number =>
    report.truePositiveRate.find(({ falsePositiveRate }) => falsePositiveRate === rate)?.truePositiveRate
      .upper ?? 1;
  const detected = powerAt(0.001);
  if (detected < 1) {
    sentences.push(
      `Allowed one false alarm in 1,000 ${wrong}, no attacker ${yes} in more than ${percent(detected, 3)} % ${right}.`,
    );
  }
  const guessed = powerAt(0.01);
  if (guessed < 1) {
    sentences.push(
      `Whoever could guess a secret of one record right with probability 1 % from everything else guesses it right with probability at most ${percent(guessed, 3)} % after seeing what was released.`,
    );
  }
  const subject = sentences.length > 1 ? 'These hold' : 'This holds';
  sentences.push(
    `${subject} for any one record, however unusual, whatever the attack knows of the other records and however much it computes, provided that the run sampled and added noise as stated here.`,
  );
  return sentences;
}

/** x in per cent, rounded up. */
function percent(x: number, digits: number): string {
  return roundDecimal(x, 'up', { digits, shift: 2 });
}

/** (1 + a)/2, never below the exact value: rounded up where the halving or the sum is not exact. */
function halfPlusHalf(advantage: number): number {
  const half = advantage / 2;
  const sum = 0.5 + half;
  const isExact = half * 2 === advantage && sum - 0.5 === half;
  return isExact ? sum : Math.min(1, sum * (1 + 2 ** -52));
}

/** What adding or removing a record means for randomised response, which is defined by changing an answer; else nothing. */
export function answersTaken(steps: readonly Step[], adjacency: Adjacency): string | undefined {
  return adjacency !== 'replace-one' &&
    steps.some(({ mechanism }) => mechanism.kind === 'randomized-response')
    ? 'its epsilon is between two answers of one person (one record replaced); it is taken to hold for a record added, removed or left out'
    : undefined;
}

/** What is wrong with deltas that a data set of `size` records makes too large; nothing if none is. */
export function largeDeltaSentence(deltas: readonly number[], size: number): string | undefined {
  const large = deltas.filter((delta) => delta >= 1 / size).map(shortDecimal);
  return large.length === 0
    ? undefined
    : `Delta ${large.join(', ')} is not below 1/n for the ${size} records: publishing one record in full, drawn at random, is (0, 1/n)-private too. State epsilon at a smaller delta.`;
}

/** Fewest records that a sample of fixed or capped size is drawn from; undefined where nothing says. */
export function datasetSizeOf(mechanism: Mechanism): number | undefined {
  switch (mechanism.kind) {
    case 'without-replacement':
    case 'capped-poisson':
      return mechanism.datasetSize;
    case 'repeat':
      return datasetSizeOf(mechanism.inner);
    case 'compose': {
      const sizes = mechanism.parts.map(datasetSizeOf).filter((size) => size !== undefined);
      return sizes.length > 0 ? sizes.reduce((a, b) => Math.min(a, b)) : undefined;
    }
    default:
      return undefined;
  }
}

/** That a schedule was taken in groups. */
export function groupsSentence(groups: number): string {
  return `the run has more distinct phases than are composed one by one: near-equal ones were taken together in ${groups} groups, each between its worst and its best, and brackets are wider for it`;
}
