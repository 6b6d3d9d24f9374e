import { settingText, upperText } from '../text/rounded.js';
import { advantageOf, foundAt } from './figures.js';
import type { Store } from './store.js';

/**
 * A warning is shown if δ times the number of records is above this. A mechanism that publishes each record with probability δ would then publish that
 * many records.
 */
const LARGE_DELTA_TIMES_SIZE = 1;
/** A warning is shown if the true positive rate at the false positive rate 0.01 may be at least this. */
const HOPELESS = 0.999;

export type Noted = Pick<Store, 'answer' | 'state' | 'failure' | 'unreached' | 'notice'>;

/** Warnings beside the claim, the most serious first. */
export function notesOf({ answer, state, failure, unreached, notice }: Noted): string[] {
  const notes: string[] = [];
  if (notice !== undefined) notes.push(notice);
  if (failure !== undefined)
    notes.push(`This setting has no answer: ${failure}. The page still shows the last setting that had one.`);
  if (unreached !== undefined && state.unknown !== undefined) notes.push(unreached);
  if (answer === undefined) return notes;
  const { setting, epsilon } = answer;
  if (epsilon.upper === 0)
    notes.push(
      advantageOf(answer) > 0
        ? `δ is not below the membership advantage, ${upperText(advantageOf(answer))}, so ε = 0 says nothing. Choose a smaller δ.`
        : state.file !== undefined
          ? 'The file says that nothing was run, so ε = 0. That is probably not what you mean.'
          : 'Nothing is revealed at these settings.',
    );
  if (
    setting.mechanism === undefined &&
    setting.rate === undefined &&
    setting.delta * setting.size > LARGE_DELTA_TIMES_SIZE
  )
    notes.push(
      `δ is larger than 1 in ${settingText(setting.size)}: publishing one random record would satisfy that. Choose a smaller δ.`,
    );
  if (setting.loader === 'shuffled' && setting.mechanism === undefined)
    notes.push('An upper bound. Shuffling is not sampling, and no amplification by it is proved here.');
  else if (answer.bound)
    notes.push(
      setting.records > 1
        ? 'An upper bound by the group rule for several records. The true number may be lower.'
        : 'An upper bound that counts a replacement as one removal and one addition. The true number may be lower.',
    );
  if (foundAt(answer, 0.01) >= HOPELESS)
    notes.push('At this setting, an attack may be right nearly every time.');
  return notes;
}
