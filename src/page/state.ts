import type { Unknown as Solved } from '../calibrate/goal.js';
import { U } from '../numeric/constants.js';
import { shortDecimal } from '../text/decimal.js';
import { settingText } from '../text/rounded.js';
import { hasDoubtfulComma, typedNumber } from '../text/typed.js';
import { batchesAnEpoch, byBatch, hasWholeEpochs, wholeEpochs } from './loaders.js';
import type { Setting, SettingPhase, SettingUnknown, State } from './setting.js';

export * from './setting.js';

export const MOST_KEPT = 3;

export const EXAMPLE: State = {
  ...{ sigma: 9.4, batch: 16384, size: 50000, epochs: 655.36, delta: 1e-5 },
  loader: 'poisson',
  neighbours: 'add-remove',
  records: 1,
  tries: 1,
  alpha: 1e-3,
  scale: 'linear',
  view: 'delta',
  aim: 'epsilon',
  kept: [],
};

interface Field extends Pick<Solved, 'least' | 'most' | 'whole'> {
  readonly label: string;
  readonly symbol?: string;
  /** Least and greatest value of the slider; a typed number may lie beyond, between `least` and `most`. */
  readonly from: number;
  readonly to: number;
}

export type FieldName = 'sigma' | 'batch' | 'size' | 'epochs' | 'cap' | 'rate' | 'steps' | 'delta';

export const FIELDS: Readonly<Record<FieldName, Field>> = {
  sigma: { label: 'Noise multiplier', symbol: 'σ', from: 0.3, to: 50, least: 1e-3, most: 1e6 },
  batch: { label: 'Batch size', from: 1, to: 1e8, least: 1, most: 1e12, whole: true },
  size: { label: 'Data set size', from: 100, to: 1e8, least: 1, most: 1e12, whole: true },
  epochs: { label: 'Epochs', from: 0.1, to: 5000, least: 1e-9, most: 1e9 },
  cap: { label: 'Batch cap', from: 1, to: 1e8, least: 1, most: 1e9, whole: true },
  rate: { label: 'Sampling rate', symbol: 'q', from: 1e-6, to: 1, least: 1e-12, most: 1 },
  steps: { label: 'Steps', from: 1, to: 1e6, least: 1, most: 1e12, whole: true },
  delta: { label: 'Delta', symbol: 'δ', from: 1e-12, to: 1e-2, least: 1e-300, most: 0.5 },
};

/** The greatest value of a field's slider; for batch and cap it is the size of the data set. */
export function sliderEnd(name: FieldName, { size }: Setting): number {
  return name === 'batch' || name === 'cap' ? Math.max(2, size) : FIELDS[name].to;
}

/** The least value at which a dragged slider stops: a data set is no smaller than its batch. */
export function sliderStop(name: FieldName, s: Setting): number {
  return name === 'size' && byBatch(s) ? s.batch : 0;
}

/** The value of a field. Rate and steps may also follow from batch, data set and epochs. */
export function fieldValue(name: FieldName, s: Setting): number {
  if (name === 'rate' || name === 'steps') return phaseOf(s)[name];
  return name === 'cap' ? (s.cap ?? s.batch) : s[name];
}

/** Sampling rate and steps of the fields: the least whole number of steps that completes the epochs. */
export function phaseOf({ sigma, batch, size, epochs, rate, steps }: Setting): SettingPhase {
  const share = rate ?? Math.min(1, batch / size);
  // for example 655.36/0.32768 is 2000, but its double need not be
  const wanted = rate === undefined ? (epochs * Math.max(size, batch)) / batch : epochs / rate;
  const whole = Math.round(wanted);
  // a number within eight roundings of a whole one is taken as that
  const least = Math.abs(wanted - whole) <= 8 * U * wanted ? whole : Math.ceil(wanted);
  return { sigma, rate: share, steps: steps ?? Math.max(1, least) };
}

export function phasesOf(s: Setting): readonly SettingPhase[] {
  return s.phases ?? [phaseOf(s)];
}

const ASKED: readonly (keyof Setting)[] = [
  ...(['sigma', 'batch', 'size', 'epochs', 'loader', 'neighbours', 'records', 'tries', 'delta'] as const),
  ...(['cap', 'rate', 'steps', 'phases', 'mechanism'] as const),
];

/** The fields of a setting on which the answer depends, without the others. */
export function settingOf(s: Setting): Setting {
  return Object.fromEntries(
    ASKED.flatMap((name) => (s[name] === undefined ? [] : [[name, s[name]]])),
  ) as never;
}

/** A text that is equal for settings with the same answer. */
export function settingKey(s: Setting): string {
  // loaders of whole epochs depend on batches an epoch and on epochs, capped ones on the cap and the size of the data
  const epochs = hasWholeEpochs(s) ? [batchesAnEpoch(s), wholeEpochs(s)] : [];
  const what = s.mechanism ?? [phasesOf(s), ...(s.loader === 'capped-poisson' ? [s.size, s.cap] : epochs)];
  return JSON.stringify([what, s.loader, s.neighbours, s.records, s.tries, s.delta]);
}

/** A slider's value rounded to three digits, or to a whole number below 1000 if the field is a count; δ is rounded by `snapRate`. */
export function snapped(name: FieldName, value: number): number {
  if (FIELDS[name].whole && value < 1000) return Math.max(1, Math.round(value));
  return name === 'delta' ? snapRate(value) : Number(value.toPrecision(3));
}

/** Rounds to 1, 2 or 5 times a power of ten if that is near, else to two digits. */
export function snapRate(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const near = [1, 2, 5, 10].find((n) => Math.abs(value / power / n - 1) < 0.07);
  return Number(((near ?? value / power) * power).toPrecision(2));
}

/** The number typed into a field. Counts may have their digits in groups of three, as the page prints them. */
export function typedIn(name: FieldName, text: string): number {
  return typedNumber(text, { groups: FIELDS[name].whole === true });
}

/** A field's value as the text of its input, which `typedIn` reads back. */
export function fieldText(name: FieldName, value: number): string {
  const rounded = Number(value.toPrecision(10));
  return FIELDS[name].whole ? settingText(rounded) : shortDecimal(rounded);
}

/** The reason why a number is not valid in a field; undefined if it is. `text` is what was typed. */
export function fieldFault(name: FieldName, value: number, s: Setting, text = ''): string | undefined {
  const { least, most, label, whole } = FIELDS[name];
  if (Number.isNaN(value) && hasDoubtfulComma(text))
    return whole
      ? `${label} must be a whole number; commas may only stand between groups of three digits.`
      : `${label} must be written with a decimal point and without commas, as 1.5.`;
  if (Number.isNaN(value)) return `${label} must be a number.`;
  if (value < least || value > most) return `${label} must be from ${least} to ${most}.`;
  if (whole && !Number.isInteger(value)) return `${label} must be a whole number.`;
  if (name === 'batch' && value > s.size) return 'A batch is no larger than the data set.';
  if (name === 'size' && value < s.batch && byBatch(s))
    return `The data set is no smaller than a batch, which has ${settingText(s.batch)} records.`;
  return undefined;
}

/** Reads `256/60000`, typed in the field of the batch, as batch and data set. */
export function batchOfSize(text: string): { readonly batch: number; readonly size: number } | undefined {
  const [batch, size, more] = text.split('/').map((part) => typedNumber(part, { groups: true }));
  const whole = more === undefined && Number.isInteger(batch) && Number.isInteger(size);
  return whole && size >= batch ? { batch, size } : undefined;
}

/** The setting with the unknown field set to a value. With several phases all noise multipliers are scaled by the same factor. */
export function at<T extends Setting>(setting: T, unknown: SettingUnknown, value: number): T {
  if (setting.phases === undefined || unknown !== 'sigma') return { ...setting, [unknown]: value };
  const scale = value / setting.phases[0].sigma;
  const phases = setting.phases.map((phase) => ({ ...phase, sigma: phase.sigma * scale }));
  return { ...setting, sigma: value, phases };
}

/** The state without the optional fields named. */
export function without(
  state: State,
  ...names: readonly ('unknown' | 'file' | 'rate' | 'steps' | 'phases' | 'mechanism' | 'cap')[]
): State {
  const rest: Record<string, unknown> = { ...state };
  for (const name of names) delete rest[name];
  return rest as unknown as State;
}
