import type { Answer } from './messages.js';
import { type Setting, settingKey } from './state.js';

/** A kept setting and what is known of it. */
export interface Kept {
  readonly setting: Setting;
  readonly answer?: Answer;
}

/** Answers of the settings that are kept to compare. */
export class KeptAnswers {
  private readonly known = new Map<string, Answer>();

  of(kept: readonly Setting[]): readonly Kept[] {
    return kept.map((setting) => {
      const answer = this.known.get(settingKey(setting));
      return answer === undefined ? { setting } : { setting, answer };
    });
  }

  /** An answer, if its setting is one of those kept. */
  add(answer: Answer, kept: readonly Setting[]): void {
    const key = settingKey(answer.setting);
    if (kept.some((each) => settingKey(each) === key)) this.known.set(key, answer);
  }

  /** More of an answer, to what is known of it. */
  complete(answer: Partial<Answer>): void {
    if (answer.setting === undefined) return;
    const key = settingKey(answer.setting);
    this.known.set(key, { ...this.known.get(key), ...answer } as Answer);
  }

  /** The first setting without an answer. */
  missing(kept: readonly Setting[]): Setting | undefined {
    return kept.find((each) => !this.known.has(settingKey(each)));
  }
}
