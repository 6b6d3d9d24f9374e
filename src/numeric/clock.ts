/** A time limit, beside the allowance of work. */
export interface Clock {
  readonly over: boolean;
  readonly start: () => void;
  readonly stop: () => void;
}
