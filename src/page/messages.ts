import type { Baseline } from '../accountants/compare.js';
import type { Measurement } from '../measure/measurement.js';
import type { Bracket } from '../numeric/bracket.js';
import type { RecognisedRun } from '../read/index.js';
import type { Alternative } from '../report/report-types.js';
import type { SupportLines } from '../tradeoff/support-lines.js';
import type { Aim, Setting, SettingPhase, SettingUnknown } from './state.js';

/** What the page asks of the engine; `id` orders questions, `since` is the time of the question, in milliseconds. */
export type Question = { readonly id: number; readonly since: number } & (
  | { readonly task: 'coarse'; readonly setting: Setting }
  | { readonly task: 'fine'; readonly setting: Setting; readonly alpha: number }
  | {
      readonly task: 'solve';
      readonly setting: Setting;
      readonly unknown: SettingUnknown;
      readonly aim: Aim;
      readonly target: number;
      readonly alpha: number;
    }
  | { readonly task: 'read'; readonly name: string; readonly bytes: Uint8Array }
  | {
      readonly task: 'export';
      readonly setting: Setting;
      readonly format: ReportFormat;
      readonly title: string;
      /** The @font-face rules of the page's font, for a report in HTML. */
      readonly fontFaces?: string | undefined;
    }
  | { readonly task: 'verify'; readonly certificate: string }
);

export type Task = Question['task'];
export type ReportFormat = 'html' | 'markdown' | 'json' | 'certificate';

/** What is known of one setting, coarse first; every part belongs to that setting. */
export interface PageAnswer {
  readonly setting: Setting;
  readonly epsilon: Bracket;
  /** Supporting lines of the trade-off curve. */
  readonly lines: SupportLines;
  /** At each line of ε ≥ 0, the μ of the Gaussian mechanism with the same δ at ε. Rounding errors are not bounded: it is only drawn. */
  readonly near: readonly number[];
  /** Only upper ends are known: shuffled batches, or groups by the chain rule. */
  readonly bound: boolean;
  /** Whether a report, a certificate and a command can state the setting. */
  readonly stated: boolean;
  readonly fine: boolean;
  readonly engine: 'wasm' | 'reference';
  readonly measured?: MeasuredMu;
  readonly advantage?: Bracket;
  /** Brackets of the true positive rate at some false positive rates. */
  readonly found?: readonly { readonly rate: number; readonly power: Bracket }[];
  readonly smaller?: readonly { readonly delta: number; readonly epsilon: Bracket }[];
  readonly changes?: readonly Change[];
  readonly others?: readonly Other[];
  /** Set if the answer is that of the example, computed when the page was built. */
  readonly made?: true;
}

/** The results of `measure` that the page shows. For a bound only μ and `alphaMin` are known. */
export type MeasuredMu = Pick<Measurement, 'mu' | 'alphaMin'> &
  Partial<Pick<Measurement, 'rates' | 'regret' | 'tier' | 'muAllRates' | 'limitedBy'>>;

export interface Change extends Pick<Alternative, 'change'> {
  readonly epsilon: Bracket;
}

export interface Other extends Pick<Baseline, 'name' | 'kind'> {
  readonly epsilon: number;
}

export interface FileRead extends Omit<RecognisedRun, 'answered'> {
  readonly name: string;
  /** The run as phases that the fields can show; undefined if some step is of another kind. */
  readonly phases?: readonly SettingPhase[];
}

/** Replies to a question: `begun` if the worker has just started, any number of parts, then `done`. */
export type Reply = { readonly id: number; readonly task: Task } & (
  | { readonly kind: 'begun' }
  | { readonly kind: 'answer'; readonly answer: Partial<PageAnswer> }
  | { readonly kind: 'solved'; readonly solved: { readonly unknown: SettingUnknown; readonly value: number } }
  | { readonly kind: 'unreached'; readonly reason: string }
  | { readonly kind: 'read'; readonly read: FileRead }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'done' }
);

type WithoutHead<T> = T extends unknown ? Omit<T, 'id' | 'task'> : never;

/** A reply before it is addressed. */
export type AnswerPart = WithoutHead<Reply>;
