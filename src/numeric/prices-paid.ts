/** What the meter remembers of cached values: what they cost, and which of them a question has paid. */

/** What a value cost to make: its own charges, and the values it touched, in order. */
export type Price = readonly (number | Touch)[];

/** A value that was touched: where it stands, and what it costs. */
export interface Touch {
  readonly place: Place;
  readonly key: unknown;
  readonly price: Price;
}

/** Where a cache stands: by itself, or as the n-th that the making of another cache's value made. */
export interface Place {
  readonly within: { readonly place: Place; readonly key: unknown } | undefined;
  readonly ordinal: number;
  /** What the question that looked last, known by its number, has paid here. A place that outlives a question must not hold what that knew. */
  asked: number;
  paid: Paid | undefined;
}

/** What a question has paid, by key. */
export type Paid = Map<unknown, Entry>;

/** Whether a value is paid, and what is paid in the caches that its making made. There are many, most without caches. */
export interface Entry {
  done: boolean;
  inner: Map<unknown, Paid> | undefined;
}
