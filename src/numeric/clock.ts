/** A limit of time that binds beside the allowance: whether it is over. */
export interface Clock {
  readonly over: boolean;
  readonly start: () => void;
  readonly stop: () => void;
}
