/** What the meter records about cached values: their costs, and which of them a question has been charged for. */

/** The cost of a value: its own charges, and the cached values it used, in order. */
export type Price = readonly (number | Touch)[];

/** A cached value that was used: its cache and key, and its cost. */
export interface Touch {
  readonly place: Place;
  readonly key: unknown;
  readonly price: Price;
}

/** Identity of a cache: on its own, or the n-th (`ordinal`) that was created while a value of another cache was computed (`within`). */
export interface Place {
  readonly within: { readonly place: Place; readonly key: unknown } | undefined;
  readonly ordinal: number;
  /**
   * The number of the last question that used the cache, and what that question was charged for in it.
   */
  asked: number;
  paid: Paid | undefined;
}

/** What a question has been charged for, by key. */
export type Paid = Map<unknown, Entry>;

/** Whether a question was charged for a value (`done`), and what it was charged for in caches created while that was computed (`inner`). */
export interface Entry {
  done: boolean;
  inner: Map<unknown, Paid> | undefined;
}
