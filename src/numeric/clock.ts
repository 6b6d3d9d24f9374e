/** A limit of time, in addition to that of counted work: `over` tells whether it has passed since `start`. */
export interface Clock {
  readonly over: boolean;
  readonly start: () => void;
  readonly stop: () => void;
}
