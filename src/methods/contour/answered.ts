import type { WholeRun } from './whole-run.js';

/** What a call of the kernel, or two, say of a run as a whole. */
export interface WholeAnswers extends Pick<WholeRun, 'epsilon' | 'measure' | 'logDelta' | 'logPower'> {
  /** How many groups similar steps are combined in, each between its worst and its best; undefined where none are. */
  readonly groups?: number | undefined;
  /** Whether others would not narrow what it answers. */
  readonly isFinal?: boolean;
}

/** Widths, of ε and μ relative and of log δ, above which a call has not answered. */
export const UNANSWERED: Readonly<Record<'relative' | 'log', number>> = { relative: 0.5, log: 3 };

/** The width from which on no other method is asked: what groups leave is less than others do. */
export function enoughOf(
  whole: WholeAnswers | undefined,
  width: number,
  of: keyof typeof UNANSWERED = 'relative',
): number {
  return whole?.isFinal ? UNANSWERED[of] : width;
}
