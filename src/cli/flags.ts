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
