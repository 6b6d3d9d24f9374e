import type { Adjacency } from '../mechanism/adjacency.js';
import { down, LONG_SUM } from '../numeric/rounding.js';
import { settingText } from '../text/rounded.js';
import { LOADERS, NEIGHBOURS, type PageLoader, type Setting, type State } from './setting.js';

/** Loaders and neighbour relations in the words of the page, and which of them can be combined. */

/** Each loader in words: in a claim, as a short name in tables, and how it forms the batches of the steps. */
export const LOADER_WORDS: Readonly<Record<PageLoader, Record<'claim' | 'short' | 'way', string>>> = {
  poisson: { claim: 'Poisson-sampled batches', short: 'Poisson', way: 'each step draws a new batch' },
  'capped-poisson': {
    claim: 'Poisson-sampled batches of at most',
    short: 'capped',
    way: 'each step draws a new batch and keeps at most the cap',
  },
  'balls-and-bins': {
    claim: 'balls-and-bins batches',
    short: 'balls and bins',
    way: 'each record joins one batch of an epoch',
  },
  shuffled: { claim: 'shuffled batches', short: 'shuffled', way: 'each pass uses a record once' },
  all: { claim: 'every record in every step', short: 'full batches', way: 'no sampling' },
};

export const NEIGHBOUR_WORDS: Readonly<
  Record<Adjacency, { readonly choice: string; readonly claim: string; readonly short: string }>
> = {
  'add-remove': { choice: 'add or remove one', claim: 'adding or removing', short: 'add/remove' },
  'zero-out': { choice: 'zero out one', claim: 'zeroing out', short: 'zero-out' },
  'replace-one': { choice: 'replace one', claim: 'replacing', short: 'replace one' },
};

/** How the batches were formed, as a part of a claim. */
export function batchesText(setting: Setting): string {
  const { loader, cap, mechanism } = setting;
  if (mechanism !== undefined) return '';
  const { claim } = LOADER_WORDS[loader];
  if (loader === 'balls-and-bins') return `, ${claim} (${settingText(batchesAnEpoch(setting))} an epoch)`;
  return `, ${claim}${loader === 'capped-poisson' && cap !== undefined ? ` ${settingText(cap)}` : ''}`;
}

/** 'removing one record', 'replacing the 3 records of one person': who is protected, and how. */
export function protectedText({ neighbours, records }: Setting): string {
  const whose = records === 1 ? 'one record' : `the ${records} records of one person`;
  return `${NEIGHBOUR_WORDS[neighbours].claim} ${whose}`;
}

/** Whether the fields show batch, data set and epochs, and not rate and steps. Loaders with whole epochs or a cap need batch, data set and epochs. */
export function byBatch({ rate, steps, phases, mechanism }: Setting): boolean {
  return rate === undefined && steps === undefined && phases === undefined && mechanism === undefined;
}

export function loadersFor(s: Setting): readonly PageLoader[] {
  return byBatch(s)
    ? LOADERS
    : LOADERS.filter((loader) => loader !== 'balls-and-bins' && loader !== 'capped-poisson');
}

/**
 * The neighbour relations for which the loader has a theorem. If batches are cut from a shuffle, or capped, adding a record changes the batches of
 * others, and no theorem covers it.
 */
export function neighboursFor({ loader, mechanism }: Setting): readonly Adjacency[] {
  const cut = (loader === 'shuffled' || loader === 'capped-poisson') && mechanism === undefined;
  return cut ? NEIGHBOURS.filter((each) => each !== 'add-remove') : NEIGHBOURS;
}

/**
 * The number of batches of an epoch. If the batch does not divide the data set, a shuffle ends each epoch with a smaller batch. Balls and bins has
 * ⌊size/batch⌋ bins.
 */
export function batchesAnEpoch({ batch, size, loader }: Setting): number {
  return Math[loader === 'balls-and-bins' ? 'floor' : 'ceil'](size / batch);
}

export function hasWholeEpochs(s: Setting): boolean {
  return byBatch(s) && (s.loader === 'balls-and-bins' || s.loader === 'shuffled');
}

/** The number of epochs, rounded up, for a loader with whole epochs. */
export function wholeEpochs({ epochs }: Setting): number {
  return Math.max(1, Math.ceil(down(epochs, LONG_SUM)));
}

/** The values that were computed with, if they differ from those in the fields; undefined if not. */
export function takenFor(s: Setting): string | undefined {
  const { batch, size, epochs, loader } = s;
  const bins = batchesAnEpoch(s);
  const mean = size / bins;
  const [whole, count] = [wholeEpochs(s), settingText(Number(mean.toPrecision(4)))];
  const parts = [
    // the last batch of an epoch of a shuffle is smaller; the bound holds for any sizes
    ...(loader === 'balls-and-bins' && mean !== batch
      ? [`${count} records a batch on average, not ${settingText(batch)}`]
      : []),
    ...(Math.abs(whole - epochs) > 1e-9 * whole
      ? [`${settingText(whole)} epochs, not ${settingText(epochs)}`]
      : []),
  ];
  return parts.length === 0 ? undefined : `The numbers are for ${parts.join(' and ')}.`;
}

/** The state with a loader, a neighbour relation and a cap that can be combined with its other fields. */
export function agreeing(state: State): State {
  const loader = loadersFor(state).includes(state.loader) ? state.loader : 'poisson';
  const { cap, chosen: before, ...rest } = { ...state, loader };
  const possible = neighboursFor(rest);
  const chosen = before ?? rest.neighbours;
  // a loader can force another neighbour relation. The chosen one is kept, and is restored with a loader that allows it.
  const neighbours = [chosen, rest.neighbours, ...possible].find((each) => possible.includes(each)) ?? chosen;
  const whole = { ...rest, neighbours, ...(neighbours !== chosen && { chosen }) };
  if (loader !== 'capped-poisson') return whole;
  const { unknown: _, ...given } = whole;
  return { ...given, cap: cap ?? Math.min(1e9, Math.ceil(state.batch * 1.1)) };
}
