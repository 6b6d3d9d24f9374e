export interface Answered {
  /** Where the expression ends in the code. */
  readonly end: number;
  readonly said: string | undefined;
  readonly is: string;
}

export function runExample(
  code: string,
  scope: Readonly<Record<string, unknown>>,
  round: (x: number, direction: 'up' | 'down', options: { digits: number }) => string,
): Promise<Answered[]>;
