import { isInputError, saidBy, wholeAbove } from '../errors.js';
import { typedNumber, underflows } from '../text/typed.js';
import { suggestion } from './suggest.js';

/** Bad usage or bad input: one sentence for the user, exit code 2. */
export class UsageError extends Error {}

/** Runs `read`; errors on the content of a file get its name in front. */
export async function withPlace<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isInputError(error) ? new UsageError(`${name}: ${error.message}`) : error;
  }
}

/** The options that were given: neither undefined nor an empty list. */
export function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const said = Object.entries(options).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(said) as never;
}

export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  /** Whether it is a single number for which a list may be given: the command is then run for each of them. */
  readonly each?: true;
  readonly short?: string;
  /** The placeholder of the value in the help, as in `--delta D[,D...]`. */
  readonly value?: string;
  /** Whether the value is the name of a file that is read, or of one that is written. */
  readonly file?: 'read' | 'written';
  /** One line of help; for several, '\n' between them. */
  readonly help: string;
  /** The allowed numbers, in words. */
  readonly expected?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** Options with whole numbers for which a message suggests to round a fraction up, because a part of a step counts as a step. */
const COUNTED: readonly string[] = ['steps', 'epochs'];
const SHORT_VERSION = ': did you mean "--version"?';

/** The words of a command line. Names of options are checked when it is parsed, values when a command asks for them. */
export class Args {
  private constructor(
    /** Words that are neither options nor their values, after the command's name. */
    readonly operands: readonly string[],
    private readonly values: ReadonlyMap<string, readonly string[] | true>,
    /** The command's name and its options. */
    readonly name: string,
    private readonly flags: Flags,
  ) {}

  /** The first word that is neither an option nor a value of one: the command's name. */
  static commandName(words: readonly string[], known: Flags): string | undefined {
    return tokensOf(words, known).find(({ kind }) => kind === 'operand')?.name;
  }

  /**
   * @param flags Options of the command; `known` those of any command, `command` its name, both for the messages.
   * @throws UsageError with one sentence, for an unknown option, a missing value or one given twice.
   */
  static parse(words: readonly string[], flags: Flags, known: Flags, command: string): Args {
    const tokens = tokensOf(words, { ...known, ...flags });
    const operands: string[] = [];
    const values = new Map<string, string[] | true>();
    for (const token of tokens) {
      const { kind, name, raw, value, inline } = token;
      if (kind === 'operand') {
        operands.push(name);
        continue;
      }
      if (!Object.hasOwn(known, name))
        throw new UsageError(
          `unknown option "${raw}"${raw === '-v' ? SHORT_VERSION : suggestion(name, Object.keys(flags), '--')} (see gdp --help)`,
        );
      if (!Object.hasOwn(flags, name)) {
        throw new UsageError(`"--${name}" has no meaning for gdp ${command}`);
      }
      const flag = flags[name];
      if (flag.type === 'boolean') {
        if (value !== undefined) throw new UsageError(`"${raw}" takes no value, got "${value}"`);
        values.set(name, true);
        continue;
      }
      const missing = value === undefined || value === '' || (!inline && value.startsWith('--'));
      if (missing) throw new UsageError(`"${raw}" needs a value`);
      const before = values.get(name);
      if (before === undefined) values.set(name, [value]);
      else if (flag.multiple && before !== true) before.push(value);
      else throw new UsageError(`"${raw}" is given twice`);
    }
    return new Args(operands, values, command, flags);
  }

  /** These words without the first `count` operands. */
  after(count: number): Args {
    return new Args(this.operands.slice(count), this.values, this.name, this.flags);
  }

  /** This command line with other values of some options; undefined removes an option. */
  with(changed: Readonly<Record<string, string | undefined>>): Args {
    const values = new Map(this.values);
    for (const [flag, text] of Object.entries(changed)) {
      if (text === undefined) values.delete(flag);
      else values.set(flag, [text]);
    }
    return new Args(this.operands, values, this.name, this.flags);
  }

  /** The command line in a fixed order and without some options; words with spaces are quoted. */
  words(without: readonly string[]): string {
    const options = [...this.values]
      .filter(([name]) => !without.includes(name))
      .flatMap(([name, value]) =>
        value === true ? [`--${name}`] : value.flatMap((text) => [`--${name}`, text]),
      );
    return ['gdp', this.name, ...this.operands, ...options]
      .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
      .join(' ');
  }

  has(flag: string): boolean {
    return this.values.has(flag);
  }

  /** @throws UsageError if one of these options, which would have no effect, is given. The message ends with `isSo`. */
  without(flags: readonly string[], isSo: string): void {
    const first = flags.find((flag) => this.has(flag));
    if (first !== undefined) throw new UsageError(`"--${first}" ${isSo}`);
  }

  text(flag: string): string | undefined {
    const value = this.values.get(flag);
    return Array.isArray(value) ? value[0] : undefined;
  }

  texts(flag: string): readonly string[] {
    const value = this.values.get(flag);
    return Array.isArray(value) ? value : [];
  }

  /** @throws UsageError if the value is not one of `allowed`. */
  oneOf<T extends string>(flag: string, allowed: readonly T[]): T | undefined {
    const text = this.text(flag);
    if (text === undefined || (allowed as readonly string[]).includes(text)) return text as T | undefined;
    const meant = suggestion(text, allowed);
    throw new UsageError(`"--${flag}" must be one of ${allowed.join(', ')}, got "${text}"${meant}`);
  }

  /** @throws UsageError if the value is not an allowed number; `expected` says in words which are, if that depends on other options. */
  number(flag: string, expected?: string): number | undefined {
    const text = this.text(flag);
    return text === undefined ? undefined : this.numberOf(flag, text, expected);
  }

  /** The numbers of an option that may be repeated or hold comma-separated lists; `otherwise` if it is absent. */
  numbers(flag: string, otherwise: readonly number[] = []): readonly number[] {
    const parts = this.texts(flag).flatMap((text) => text.split(','));
    return parts.length > 0 ? parts.map((text) => this.numberOf(flag, text.trim())) : otherwise;
  }

  private numberOf(flag: string, text: string, expected = this.flags[flag].expected ?? ''): number {
    const x = typedNumber(text);
    if (Number.isNaN(x) || underflows(x, text) || !saidBy(expected)(x)) {
      const next = COUNTED.includes(flag) ? wholeAbove(x) : undefined;
      const hint = next === undefined ? '' : `; rounded up it is ${next}`;
      throw new UsageError(`"--${flag}" must be ${expected}, got "${text}"${hint}`);
    }
    return x;
  }

  /** The value of a required option. */
  required<T>(value: T | undefined, flag: string, why: string): T {
    if (value === undefined) throw new UsageError(`"--${flag}" is needed: ${why}`);
    return value;
  }

  /** The one operand FILE, or none. */
  file(): string | undefined {
    const [file, extra] = this.operands;
    if (extra !== undefined) throw new UsageError(`one FILE is expected, got "${file}" and "${extra}"`);
    if (file === '') throw new UsageError('FILE is an empty name');
    return file;
  }
}

interface Word {
  readonly kind: 'option' | 'operand';
  /** The name of an option without dashes; of a known short option its long name. */
  readonly name: string;
  /** The word as it was typed. */
  readonly raw: string;
  readonly value?: string;
  /** Whether the value is in the same word. */
  readonly inline: boolean;
}

/** Words as POSIX and GNU read them: `--name value`, `--name=value`, `-hV`, and `--` before operands alone. */
function tokensOf(typed: readonly string[], flags: Flags): Word[] {
  const words = joinNegativeNumbers(typed);
  const end = words.indexOf('--');
  const found: Word[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (i === end) continue;
    if ((end >= 0 && i > end) || word === '-' || !word.startsWith('-')) {
      found.push({ kind: 'operand', name: word, raw: word, inline: false });
    } else if (word.startsWith('--')) {
      const [, raw, given] = /^(--[^=]*)(?:=(.*))?$/s.exec(word)!;
      const name = raw.slice(2);
      const takes = given === undefined && Object.hasOwn(flags, name) && flags[name].type === 'string';
      const value = takes ? words.at(i + 1) : given;
      if (takes && value !== undefined) i++;
      found.push({ kind: 'option', name, raw, ...(value !== undefined && { value }), inline: !takes });
    } else {
      for (const letter of word.slice(1)) {
        const [long] = Object.entries(flags).find(([, { short }]) => short === letter) ?? [letter];
        found.push({ kind: 'option', name: long, raw: `-${letter}`, inline: false });
      }
    }
  }
  return found;
}

/** `--epsilon -1` to `--epsilon=-1`: a negative number is a value, not an option. */
function joinNegativeNumbers(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (/^-\.?\d/.test(word) && before !== undefined && /^--[a-z-]+$/.test(before)) {
      joined[joined.length - 1] = `${before}=${word}`;
    } else {
      joined.push(word);
    }
  }
  return joined;
}
