import {
  type Check,
  type Checks,
  dataOf,
  InputRangeError,
  InputSyntaxError,
  requireKind,
  requireList,
  requireNumber,
  requireText,
  requireWhole,
  wrongValue,
} from '../errors.js';
import { MOST_TRIALS } from '../numeric/binomial.js';
import { tableIn } from '../text/decode.js';

/**
 * Counts of an attack over independent runs, with a threshold fixed before its scores were seen. It said "member" in
 * `falsePositives` of `nonMembers` runs without the record. It said so in `truePositives` of `members` runs with the record.
 */
export interface ThresholdEvidence {
  readonly kind: 'threshold';
  /** At most `nonMembers`. */
  readonly falsePositives: number;
  /** Runs without the record. */
  readonly nonMembers: number;
  /** At most `members`. */
  readonly truePositives: number;
  /** Runs with the record. */
  readonly members: number;
}

/**
 * Scores of an attack, one for each of independent runs without and with the record; a larger one says "member". Thresholds are
 * taken from the scores themselves, and the error level is shared among all that could have been taken. If `thresholds` were fixed
 * beforehand, it is shared among them. With `split`, the first scores of each list choose one threshold, and the others are
 * counted at it.
 */
export interface ScoresEvidence {
  readonly kind: 'scores';
  /** Scores of runs without the record. */
  readonly nonMembers: readonly number[];
  /** Scores of runs with the record. */
  readonly members: readonly number[];
  /** Thresholds fixed beforehand, instead of all that the scores could give. */
  readonly thresholds?: readonly number[];
  /** How many scores of each kind choose the threshold; the others are then counted at it. */
  readonly split?: { readonly nonMembers: number; readonly members: number };
}

/**
 * One run with `canaries` records, each included by its own fair coin. The attack guessed `guesses` of the coins and was right in
 * `correct`. The number of guesses was fixed before it saw its scores.
 */
export interface OneRunEvidence {
  readonly kind: 'one-run';
  /** Records whose inclusion was drawn. */
  readonly canaries: number;
  /** How many were guessed, at most `canaries`. */
  readonly guesses: number;
  /** How many guesses were right, at most `guesses`. */
  readonly correct: number;
}

/** What an attack found. */
export type Evidence = ThresholdEvidence | ScoresEvidence | OneRunEvidence;

/** The kinds of evidence that an audit takes. */
export const EVIDENCE_KINDS = ['threshold', 'scores', 'one-run'] as const;

/** Greatest number of scores of either kind: they take about a second. */
const MOST_SCORES = 1_000_000;
const MOST_THRESHOLDS = 1000;
/** The recursion of a one-run audit takes as many steps as guesses were right. */
const MOST_GUESSES = 100_000;

/**
 * Checks evidence read from elsewhere. A field `$schema` is ignored.
 *
 * @throws TypeError | RangeError naming what is wrong.
 * @example
 * parseEvidence({ kind: 'one-run', canaries: 1000, guesses: 100, correct: 70 }).kind; // 'one-run'
 */
export function parseEvidence(value: unknown): Evidence {
  const kind = requireKind('evidence', value, EVIDENCE_KINDS);
  const { $schema: _, ...given } = value as Record<string, unknown>;
  return dataOf('evidence', given, { kind: [kind], ...FIELDS[kind] });
}

const TRIALS = `a whole number from 0 to ${MOST_TRIALS}`;
const scores: Check = (name, value) => numbersOf(name, value, MOST_SCORES);

/** The fields of evidence of each kind, with their checks. A check may use the fields before its own. */
const FIELDS: Readonly<Record<Evidence['kind'], Checks>> = {
  threshold: {
    nonMembers: TRIALS,
    falsePositives: (name, value, { nonMembers }) => requireWhole(name, value, 0, nonMembers),
    members: TRIALS,
    truePositives: (name, value, { members }) => requireWhole(name, value, 0, members),
  },
  scores: {
    nonMembers: scores,
    members: scores,
    'thresholds?': (name, value) => numbersOf(name, value, MOST_THRESHOLDS, 1),
    'split?': splitOf,
  },
  'one-run': {
    canaries: TRIALS,
    guesses: (name, value, { canaries }) => requireWhole(name, value, 0, Math.min(canaries, MOST_GUESSES)),
    correct: (name, value, { guesses }) => requireWhole(name, value, 0, guesses),
  },
};

function splitOf(place: string, value: unknown, scored: Readonly<Record<string, unknown>>): unknown {
  const { nonMembers, members, thresholds } = scored as unknown as ScoresEvidence;
  if (thresholds !== undefined) throw wrongValue(place, 'left out where "thresholds" are fixed', value);
  const split = dataOf(place, value, {
    nonMembers: `a whole number from 1 to ${nonMembers.length - 1}`,
    members: `a whole number from 1 to ${members.length - 1}`,
  });
  requireUnsorted('evidence.nonMembers', nonMembers);
  requireUnsorted('evidence.members', members);
  return split;
}

function numbersOf(place: string, value: unknown, most: number, least = 0): readonly number[] {
  const given = requireList(place, value, 'numbers', least, most);
  return Array.from(given, (one, i) => requireNumber(`${place}[${i}]`, one, 'a number'));
}

/** Refuses sorted scores, as a split of them is not random. Fewer than twenty may be sorted by chance. */
function requireUnsorted(place: string, scores: readonly number[]): void {
  if (scores.length < 20) return;
  const rises = scores.every((score, i) => i === 0 || score >= scores[i - 1]);
  const falls = scores.every((score, i) => i === 0 || score <= scores[i - 1]);
  if (rises || falls)
    throw new InputRangeError(
      `"${place}" must be in an order that does not depend on the scores for a split, got them sorted`,
    );
}

/**
 * Scores from CSV, whose heading has the columns `score` and `member`. Member is 1 or true for runs with the record, 0 or false
 * for runs without. Other columns are ignored.
 *
 * @throws SyntaxError naming the line that is wrong.
 * @example
 * parseScoresCsv('score,member\n0.1,0\n0.9,1\n').members; // [ 0.9 ]
 */
export function parseScoresCsv(text: string): ScoresEvidence {
  requireText('text', text);
  const { names, rows } = tableIn(text);
  const [score, member] = [names.indexOf('score'), names.indexOf('member')];
  if (score < 0 || member < 0)
    throw new InputSyntaxError('its first line must name the columns "score" and "member"');
  const scores: { nonMembers: number[]; members: number[] } = { nonMembers: [], members: [] };
  for (const { number, cells } of rows()) {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cells[score] ?? '')
      ? Number(cells[score])
      : Number.NaN;
    const role = cells[member]?.toLowerCase();
    if (Number.isNaN(value)) throw new InputSyntaxError(`line ${number}: "score" must be a number`);
    if (role === '1' || role === 'true') scores.members.push(value);
    else if (role === '0' || role === 'false') scores.nonMembers.push(value);
    else throw new InputSyntaxError(`line ${number}: "member" must be 1, 0, true or false`);
  }
  return parseEvidence({ kind: 'scores', ...scores }) as ScoresEvidence;
}
