/** What the meter records about cached values: their costs, and which of them a question has been charged for. */

/** The cost of a value: its own charges, and the cached values it used, in order. */
export type Price = readonly (number | Touch)[];

/** A cached value that was used: its cache and key, and its cost. */
export interface Touch {
  readonly place: Place;
  readonly key: unknown;
  readonly price: Price;
}

/** Identity of a cache: independent, or the n-th created while another cache's value was computed. */
export interface Place {
  readonly within: { readonly place: Place; readonly key: unknown } | undefined;
  readonly ordinal: number;
  /**
   * The number of the question that used it last, and what that was charged for. A cache that outlives a question must not keep that question's data.
   */
  asked: number;
  paid: Paid | undefined;
}

/** What a question has been charged for, by key. */
export type Paid = Map<unknown, Entry>;

/** Whether a value was charged for, and what was charged for in the caches created with it. There are many, most without caches. */
export interface Entry {
  done: boolean;
  inner: Map<unknown, Paid> | undefined;
}
