/** Stands for what a pickle would have built by running code: named, never built. */
export class Opaque {
  /** The attributes it would be given. */
  state: PickleValue = null;

  constructor(
    readonly name: string,
    /** What it would be called with; of few bytes, the bytes. */
    readonly parts: readonly PickleValue[] = [],
  ) {}
}

export type PickleValue =
  | null
  | boolean
  | number
  | string
  | Opaque
  | PickleValue[]
  | Map<PickleValue, PickleValue>;
