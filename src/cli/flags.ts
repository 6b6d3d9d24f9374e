/** One option of a command. */
export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  readonly short?: string;
  /** What stands for the value in the help, as in `--delta D[,D...]`. */
  readonly value?: string;
  /** Whether the value names a file that is read, or one that is written. */
  readonly file?: 'read' | 'written';
  /** One line of help; for several, '\n' between them. */
  readonly help: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** An option that takes a value, which stands for itself in the help. */
export function value(shown: string, help: string): Flag {
  return { type: 'string', value: shown, help };
}

/** An option that may be given several times, or hold several values. */
export function list(shown: string, help: string): Flag {
  return { ...value(shown, help), multiple: true };
}

/** An option that names a file to read. */
export function input(shown: string, help: string): Flag {
  return { ...value(shown, help), file: 'read' };
}

/** An option that names a file to write. */
export function output(shown: string, help: string): Flag {
  return { ...value(shown, help), file: 'written' };
}

/** An option that is given or not. */
export function toggle(help: string): Flag {
  return { type: 'boolean', help };
}
