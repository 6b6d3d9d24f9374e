import type { Adjacency } from '../mechanism/adjacency.js';
import type { Loader as AnyLoader } from '../mechanism/loaders.js';
import type { Mechanism } from '../mechanism/mechanism.js';

/** Those that the page has fields for, in the order of its choice. */
export const LOADERS = [
  'poisson',
  'capped-poisson',
  'balls-and-bins',
  'shuffled',
  'all',
] as const satisfies readonly AnyLoader[];

export type PageLoader = (typeof LOADERS)[number];

export const NEIGHBOURS: readonly Adjacency[] = ['add-remove', 'zero-out', 'replace-one'];

/** One phase of training: noise over clipping norm, sampling rate, steps. */
export type SettingPhase = Required<Pick<Setting, 'sigma' | 'rate' | 'steps'>>;

export const SCALES = ['linear', 'log'] as const;
export const VIEWS = ['delta', 'alpha', 'mu', 'fit'] as const;
export const UNKNOWNS = ['sigma', 'batch', 'epochs'] as const;
export const AIMS = ['epsilon', 'mu', 'advantage', 'found'] as const;

export type SettingUnknown = (typeof UNKNOWNS)[number];
export type Aim = (typeof AIMS)[number];

/** What was run and who is protected: all that the numbers depend on beside δ. */
export interface Setting {
  readonly sigma: number;
  readonly batch: number;
  readonly size: number;
  readonly epochs: number;
  /** Entered instead of batch, data set and epochs. */
  readonly rate?: number;
  readonly steps?: number;
  /** More than one phase, in place of the fields. */
  readonly phases?: readonly SettingPhase[];
  /** A mechanism that has no fields, as a file stated it. */
  readonly mechanism?: Mechanism;
  readonly loader: PageLoader;
  /** Most records that a capped batch keeps. */
  readonly cap?: number;
  readonly neighbours: Adjacency;
  /** Records of one person. */
  readonly records: number;
  /** Runs of these settings on the data, all counted. */
  readonly tries: number;
  readonly delta: number;
}

/** Everything that undo goes back over and a link holds. */
export interface State extends Setting {
  /** False positive rate at which the curve is read. */
  readonly alpha: number;
  readonly scale: (typeof SCALES)[number];
  readonly view: (typeof VIEWS)[number];
  readonly unknown?: SettingUnknown;
  readonly aim: Aim;
  readonly target?: number;
  /** Whether the settings are the example's, the reader's or a file's. */
  readonly file?: string;
  /** Neighbours that were chosen, where a loader of which they are not proved stands in their way. */
  readonly chosen?: Adjacency | undefined;
  /** Settings kept to compare, at most three. */
  readonly kept: readonly Setting[];
}
