import type { Adjacency } from '../mechanism/adjacency.js';
import { roundDecimal } from '../text/decimal.js';
import type { Report } from './report-types.js';

/** Words for the question an attack answers, by what neighbouring data sets are. */
const QUESTION: Readonly<
  Record<Adjacency, { given: string; ask: string; yes: string; wrong: string; right: string }>
> = {
  'add-remove': {
    given: 'one record, which was used with probability 1/2,',
    ask: 'whether it was',
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
