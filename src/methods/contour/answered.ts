import type { WholeRun } from './whole-run.js';

/** Answers about a run as a whole, by one call of the kernel or two. */
export interface WholeAnswers extends Pick<WholeRun, 'epsilon' | 'measure' | 'logDelta' | 'logPower'> {
  /** Number of groups in which similar steps are merged, each replaced by its worst and its best; undefined if none are. */
  readonly groups?: number | undefined;
  /** Set if no other method would narrow the answers of this run. */
  readonly isFinal?: boolean;
}

/** Widths above which a call counts as no answer: relative for ε and μ, absolute for log δ. */
export const UNANSWERED: Readonly<Record<'relative' | 'log', number>> = { relative: 0.5, log: 3 };

/** The width from which on no other method is asked: merging groups leaves less than other methods do. */
export function enoughOf(
  whole: WholeAnswers | undefined,
  width: number,
  of: keyof typeof UNANSWERED = 'relative',
): number {
  return whole?.isFinal ? UNANSWERED[of] : width;
}
