import type { Baseline } from '../accountants/compare.js';
import type { Measurement } from '../measure/measurement.js';
import type { Bracket } from '../numeric/bracket.js';
import type { RecognisedRun } from '../read/index.js';
import type { Alternative } from '../report/report-types.js';
import type { SupportLines } from '../tradeoff/support-lines.js';
import type { Aim, Setting, SettingPhase, SettingUnknown } from './state.js';

/** What the page asks of the engine; `id` orders questions, `since` is when it was asked, in milliseconds. */
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
      /** The page's own type, for a report in HTML. */
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
  /** μ_GDP(ε, δ(ε)) at the lines of ε ≥ 0, uncertified. */
  readonly near: readonly number[];
  /** Only upper ends are known: shuffled batches, or groups by the chain rule. */
  readonly bound: boolean;
  /** Whether a report, a certificate and a command can say it. */
  readonly stated: boolean;
  readonly fine: boolean;
  readonly engine: 'wasm' | 'reference';
  readonly measured?: MeasuredMu;
  readonly advantage?: Bracket;
  /** Exact attack rates. */
  readonly found?: readonly { readonly rate: number; readonly power: Bracket }[];
  readonly smaller?: readonly { readonly delta: number; readonly epsilon: Bracket }[];
  readonly changes?: readonly Change[];
  readonly others?: readonly Other[];
  /** Computed when the page was made, for its example. */
  readonly made?: true;
}

/** `rates`: whether the run has error rates of at least alphaMin. */
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
  /** What was run as phases of the fields; nothing where some step is of another kind. */
  readonly phases?: readonly SettingPhase[];
}

/** What comes back: `begun` from a thread that is new, any number of parts, then `done`. */
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
