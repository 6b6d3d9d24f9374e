import type { PageAnswer, Reply } from './messages.js';
import { settingKey } from './state.js';

/** The answer to show after a reply; undefined where the one that is shown stays. */
export function shownAfter(
  before: PageAnswer | undefined,
  { answer, task }: Extract<Reply, { kind: 'answer' }>,
  wanted: string | undefined,
): PageAnswer | undefined {
  if (answer.setting === undefined) return undefined;
  const key = settingKey(answer.setting);
  const shown = before === undefined ? undefined : settingKey(before.setting);
  // while a slider moves, an answer of its position a moment ago replaces the shown one: it is newer, and complete
  if (key !== wanted && (task !== 'coarse' || shown === wanted)) return undefined;
  const same = shown === key;
  if (same && before?.fine === true && task === 'coarse') return undefined;
  if (!same && answer.lines === undefined) return undefined;
  const { made: _, ...known } = (same ? before : undefined) ?? ({} as PageAnswer);
  return { ...known, ...answer } as PageAnswer;
}
