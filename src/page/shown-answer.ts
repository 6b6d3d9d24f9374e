import type { PageAnswer, Reply } from './messages.js';
import { settingKey } from './state.js';

/** The answer to show after a reply; undefined if the shown answer stays. */
export function shownAfter(
  before: PageAnswer | undefined,
  { answer, task }: Extract<Reply, { kind: 'answer' }>,
  wanted: string | undefined,
): PageAnswer | undefined {
  if (answer.setting === undefined) return undefined;
  const key = settingKey(answer.setting);
  const shown = before === undefined ? undefined : settingKey(before.setting);
  // while a slider moves, a coarse answer for an earlier position still replaces an older answer, but never one for the wanted setting
  if (key !== wanted && (task !== 'coarse' || shown === wanted)) return undefined;
  const same = shown === key;
  if (same && before?.fine === true && task === 'coarse') return undefined;
  if (!same && answer.lines === undefined) return undefined;
  const { made: _, ...known } = (same ? before : undefined) ?? ({} as PageAnswer);
  return { ...known, ...answer } as PageAnswer;
}
