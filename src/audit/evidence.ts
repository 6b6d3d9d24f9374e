import {
  InputRangeError,
  InputSyntaxError,
  requireFields,
  requireKind,
  requireList,
  requireNumber,
  requireText,
  requireWhole,
  wrongValue,
} from '../errors.js';
import { MOST_TRIALS } from '../numeric/binomial.js';

/**
 * Counts of an attack with a threshold fixed before its scores were seen, over independent runs: of `nonMembers` runs
 * without the record it said "member" in `falsePositives`, of `members` runs with it in `truePositives`.
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
 * Scores of an attack, one for each of independent runs without and with the record; a larger one says "member". The thresholds
 * are taken from the scores themselves, and all that could have been taken are paid for. Where `thresholds` were fixed
 * beforehand, each of them is paid for. With `split`, so many first scores of each list choose one threshold, and the others are
 * counted there.
 */
export interface ScoresEvidence {
  readonly kind: 'scores';
  /** Scores of runs without the record. */
  readonly nonMembers: readonly number[];
  /** Scores of runs with it. */
  readonly members: readonly number[];
  /** Thresholds fixed beforehand, instead of all that the scores could give. */
  readonly thresholds?: readonly number[];
  /** How many scores of each kind choose the threshold; the others are then counted at it. */
  readonly split?: { readonly nonMembers: number; readonly members: number };
}

/**
 * One run with `canaries` records, each included by its own fair coin: the attack guessed `guesses` of the coins, a number fixed
 * before it saw its scores, and was right in `correct`.
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

/** The kinds of evidence that an audit takes, by name. */
export const EVIDENCE_KINDS = ['threshold', 'scores', 'one-run'] as const;

/** More are refused: a second of work, about. */
const MOST_SCORES = 1_000_000;
const MOST_THRESHOLDS = 1000;
/** The recursion of a one-run audit takes as many steps as guesses were right. */
const MOST_GUESSES = 100_000;

/**
 * Checks evidence read from elsewhere. `$schema` is let pass.
 *
 * @throws TypeError | RangeError naming what is wrong.
 * @example
 * parseEvidence({ kind: 'one-run', canaries: 1000, guesses: 100, correct: 70 }).kind; // 'one-run'
 */
export function parseEvidence(value: unknown): Evidence {
  const kind = requireKind('evidence', value, EVIDENCE_KINDS);
  const { $schema: _, ...given } = value as Record<string, unknown>;
  switch (kind) {
    case 'threshold':
      return thresholdOf(given);
    case 'scores':
      return scoresOf(given);
    case 'one-run':
      return oneRunOf(given);
  }
}

function thresholdOf(given: Record<string, unknown>): ThresholdEvidence {
  requireFields('evidence', given, ['kind', 'falsePositives', 'nonMembers', 'truePositives', 'members']);
  const nonMembers = requireWhole('evidence.nonMembers', given['nonMembers'], 0, MOST_TRIALS);
  const members = requireWhole('evidence.members', given['members'], 0, MOST_TRIALS);
  return {
    kind: 'threshold',
    falsePositives: requireWhole('evidence.falsePositives', given['falsePositives'], 0, nonMembers),
    nonMembers,
    truePositives: requireWhole('evidence.truePositives', given['truePositives'], 0, members),
    members,
  };
}

function oneRunOf(given: Record<string, unknown>): OneRunEvidence {
  requireFields('evidence', given, ['kind', 'canaries', 'guesses', 'correct']);
  const canaries = requireWhole('evidence.canaries', given['canaries'], 0, MOST_TRIALS);
  const guesses = requireWhole('evidence.guesses', given['guesses'], 0, Math.min(canaries, MOST_GUESSES));
  const correct = requireWhole('evidence.correct', given['correct'], 0, guesses);
  return { kind: 'one-run', canaries, guesses, correct };
}

function scoresOf(given: Record<string, unknown>): ScoresEvidence {
  requireFields('evidence', given, ['kind', 'nonMembers', 'members', 'thresholds', 'split']);
  const nonMembers = numbersOf('evidence.nonMembers', given['nonMembers'], MOST_SCORES);
  const members = numbersOf('evidence.members', given['members'], MOST_SCORES);
  const { thresholds, split } = given;
  if (thresholds !== undefined && split !== undefined)
    throw wrongValue('evidence.split', 'left out where "thresholds" are fixed', split);
  if (thresholds !== undefined) {
    const fixed = numbersOf('evidence.thresholds', thresholds, MOST_THRESHOLDS);
    if (fixed.length === 0) throw wrongValue('evidence.thresholds', 'at least one threshold', thresholds);
    return { kind: 'scores', nonMembers, members, thresholds: fixed };
  }
  if (split === undefined) return { kind: 'scores', nonMembers, members };
  requireFields('evidence.split', split, ['nonMembers', 'members']);
  const first = split as { nonMembers?: unknown; members?: unknown };
  const made = {
    nonMembers: requireWhole('evidence.split.nonMembers', first.nonMembers, 1, nonMembers.length - 1),
    members: requireWhole('evidence.split.members', first.members, 1, members.length - 1),
  };
  requireUnsorted('evidence.nonMembers', nonMembers);
  requireUnsorted('evidence.members', members);
  return { kind: 'scores', nonMembers, members, split: made };
}

function numbersOf(place: string, value: unknown, most: number): readonly number[] {
  const given = requireList(place, value, 'numbers', 0, most);
  return Array.from(given, (one, i) => requireNumber(`${place}[${i}]`, one, 'a number'));
}

/** A split of sorted scores is no split at random: twenty in order are no accident. */
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
 * Scores from CSV: a heading with the columns `score` and `member` (1 or true for runs with the record, 0 or false for
 * those without), others are let pass.
 *
 * @throws SyntaxError naming the line that is wrong.
 * @example
 * parseScoresCsv('score,member\n0.1,0\n0.9,1\n').members; // [ 0.9 ]
 */
export function parseScoresCsv(text: string): ScoresEvidence {
  requireText('text', text);
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const names = (lines[0] ?? '').split(',').map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  const [score, member] = [names.indexOf('score'), names.indexOf('member')];
  if (score < 0 || member < 0)
    throw new InputSyntaxError('its first line must name the columns "score" and "member"');
  const scores: { nonMembers: number[]; members: number[] } = { nonMembers: [], members: [] };
  lines.forEach((line, i) => {
    if (i === 0 || line.trim() === '') return;
    const cells = line.split(',').map((cell) => cell.trim());
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cells[score] ?? '')
      ? Number(cells[score])
      : Number.NaN;
    const role = cells[member]?.toLowerCase();
    if (Number.isNaN(value)) throw new InputSyntaxError(`line ${i + 1}: "score" must be a number`);
    if (role === '1' || role === 'true') scores.members.push(value);
    else if (role === '0' || role === 'false') scores.nonMembers.push(value);
    else throw new InputSyntaxError(`line ${i + 1}: "member" must be 1, 0, true or false`);
  });
  return parseEvidence({ kind: 'scores', ...scores }) as ScoresEvidence;
}
