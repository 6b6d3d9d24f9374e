import type { Adjacency } from '../mechanism/adjacency.js';
import type { Loader as AnyLoader } from '../mechanism/loaders.js';
import type { Mechanism } from '../mechanism/mechanism.js';

/** Loaders that the page has fields for, in the order of its menu. */
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

/** A mechanism, a neighbour relation and δ, on which all numbers depend. */
export interface Setting {
  readonly sigma: number;
  readonly batch: number;
  readonly size: number;
  readonly epochs: number;
  /** Sampling rate, given with `steps` in place of `batch`, `size` and `epochs`. */
  readonly rate?: number;
  readonly steps?: number;
  /** Given in place of the fields if there is more than one phase. */
  readonly phases?: readonly SettingPhase[];
  /** A mechanism read from a file, for which there are no fields. */
  readonly mechanism?: Mechanism;
  readonly loader: PageLoader;
  /** Largest size of a capped batch. */
  readonly cap?: number;
  readonly neighbours: Adjacency;
  /** Records of one person. */
  readonly records: number;
  /** Runs of these settings on the same data, as in a search for hyper-parameters: the account is of all. */
  readonly tries: number;
  readonly delta: number;
}

/** All that undo restores and a link states. */
export interface State extends Setting {
  /** False positive rate at which the curve is read off. */
  readonly alpha: number;
  readonly scale: (typeof SCALES)[number];
  readonly view: (typeof VIEWS)[number];
  readonly unknown?: SettingUnknown;
  readonly aim: Aim;
  readonly target?: number;
  /** The file that the settings came from; absent for the example and for settings typed in. */
  readonly file?: string;
  /** The neighbour relation chosen by the user, if the chosen loader has no theorem for it. */
  readonly chosen?: Adjacency | undefined;
  /** Settings kept for comparison, at most three. */
  readonly kept: readonly Setting[];
}
