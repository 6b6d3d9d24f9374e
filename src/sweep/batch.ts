import { InputRangeError, InputTypeError, isInputError } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { usualAdjacency } from '../mechanism/reduce.js';
import { stepsOf } from '../mechanism/steps.js';
import { crc32 } from '../numeric/crc32.js';
import { Heavy } from '../numeric/lru-cache.js';
import { numberIn, phaseIn, phaseInCells, phaseNames } from '../read/phase-row.js';
import { recognise } from '../read/recognise.js';
import { VERSION } from '../version.js';
import { columnOf, known, type SweepCell, type SweepColumn, type SweepRow } from './columns.js';
import { parseSweepGrid, type SweepGrid } from './grid.js';
import { checkOf } from './intact.js';
import type { SweepPool } from './pool.js';
import { sweepColumns } from './rows.js';
import { unlessAborted } from './sweep.js';

/** Two of the three numbers of a phase, and the ε for which the third is solved; δ is the first that is asked for unless given. */
export interface BatchTarget {
  readonly epsilon: number;
  readonly delta?: number;
  readonly noiseMultiplier?: number;
  readonly samplingRate?: number;
  readonly steps?: number;
}

/** Solves for the number that a row leaves out. @throws TypeError | RangeError naming what is wrong with the row; RangeError if no number meets the target. */
export type Solver = (target: BatchTarget) => { readonly value: number; readonly mechanism: Mechanism };

export interface HistoryRow {
  /** The id: a text, null, or a number if it is printed as it was written. */
  readonly id: string | number | null;
  /** The description of the run. Rows with the same text have the same answer. */
  readonly text: string;
  /** The reason why the row could not be read. */
  readonly error?: string;
  /** The target for the number that the row leaves out, if it does not describe a whole run. */
  readonly target?: BatchTarget;
}

/** What is asked of every history: the fields of a grid of a sweep. */
interface BatchQuestions
  extends Partial<Pick<SweepGrid, 'delta' | 'epsilon' | 'measure' | 'alphaMin' | 'tolerance'>> {
  /** Default: what a history states, else the first relation with a theorem for it, which is add-remove for most. */
  readonly adjacency?: Adjacency | undefined;
  readonly method?: string;
  /** Whether a history without a phase is a run that released nothing, and not a row without an answer. */
  readonly allowEmptyHistory?: boolean;
}

/** Limit of the memory for cached answers, as the number of characters of their keys with 300 for each answer. */
const MOST_CHARACTERS = 64 * 2 ** 20;
const weigh = (_: unknown, { length }: string): number => length + 300;
/** Number of rows that are asked for at once. It affects speed alone. */
const TOGETHER = 128;
/** Number of answered rows that may wait for earlier ones. It affects speed and memory alone. */
const ROWS_AHEAD = 512;

/** Greatest number of histories in one task of a worker. It affects speed alone. */
const IN_A_TASK = 16;

/** A history that waits for its answer. */
interface Asked {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  readonly resolve: (cells: readonly SweepCell[]) => void;
}

/** Answers histories. Each canonical form is answered once, however often it occurs and however it was spelt. */
export class Batch {
  readonly columns: readonly SweepColumn[];
  /** Number of different histories answered. */
  distinct = 0;
  private readonly template: Omit<SweepGrid, 'axes' | 'mechanism'>;
  private readonly digest: number;
  private readonly answerColumns: readonly SweepColumn[];
  private readonly waiting: Asked[] = [];
  private readonly texts = new Heavy<string, Promise<readonly SweepCell[]>>(MOST_CHARACTERS, weigh);
  private readonly histories = new Heavy<string, Promise<readonly SweepCell[]>>(MOST_CHARACTERS, weigh);

  /**
   * @param idType The type of the column `id`: whole numbers up to 2^53 − 1, or text.
   * @throws TypeError | RangeError for a question that cannot be asked.
   */
  constructor(
    private readonly pool: SweepPool,
    private readonly questions: BatchQuestions,
    private readonly idType: 'integer' | 'text',
    /** Solves for the missing number of a row; its result is in the column "solved". */
    private readonly solver?: Solver,
  ) {
    const { adjacency, allowEmptyHistory: _allowed, ...asked } = questions;
    // checked as a grid with one combination
    const grid = parseSweepGrid({
      measure: false,
      ...asked,
      adjacency: adjacency ?? 'add-remove',
      over: { mechanism: [{ kind: 'gaussian', noiseMultiplier: 1 }] },
      mechanism: '$mechanism',
    });
    const { axes: _, mechanism: __, digest: ___, ...rest } = grid;
    this.digest = crc32(utf8(JSON.stringify({ ...rest, adjacency: adjacency ?? null })));
    this.template = { ...rest, digest: this.digest };
    const columns = sweepColumns(grid);
    this.answerColumns = columns.slice(columnOf(columns, 'method'), -1);
    this.columns = [
      ...known('index'),
      { name: 'id', type: idType },
      ...known('row_digest', 'batch', 'tolerance', 'version', 'adjacency'),
      ...(solver === undefined ? [] : known('solved')),
      ...this.answerColumns,
      ...known('check'),
    ];
  }

  /** The first cells of a row, known before it is answered. */
  given({ id, text }: HistoryRow, index: number): SweepCell[] {
    return [index, this.idOf(id) ?? null, crc32(utf8(text)), this.digest, this.template.tolerance, VERSION];
  }

  /**
   * The rows of answers, in the order of `blocks`, up to `TOGETHER` at a time. A history that cannot be answered has the reason in `error`.
   *
   * @param first The index of the first row.
   * @throws whatever `blocks` throws, and `signal.reason` when aborted.
   */
  async *answers(
    blocks: AsyncIterable<readonly HistoryRow[]>,
    first: number,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly SweepRow[], void, undefined> {
    const ahead: Promise<readonly SweepRow[]>[] = [];
    let [index, yielded] = [first, first];
    for await (const block of blocks) {
      for (let from = 0; from < block.length; from += TOGETHER) {
        signal?.throwIfAborted();
        const some = block.slice(from, from + TOGETHER);
        const answered = Promise.all(some.map((row, i) => this.rowOf(row, index + i)));
        answered.catch(() => {});
        ahead.push(answered);
        index += some.length;
        while (index - yielded > ROWS_AHEAD) {
          const rows = await unlessAborted(ahead.shift()!, signal);
          yielded += rows.length;
          yield rows;
        }
      }
    }
    for (const rows of ahead) yield await unlessAborted(rows, signal);
  }

  private rowOf(row: HistoryRow, index: number): Promise<SweepRow> | SweepRow {
    const { text, error } = row;
    const cells = this.texts.of(text, () =>
      error === undefined ? this.cellsOf(row) : Promise.resolve(this.failed(error)),
    );
    const start = this.given(row, index);
    const whole = (answers: readonly SweepCell[]) => {
      const row = [...start, ...answers];
      return [...row, checkOf(this.columns, row)];
    };
    if (this.idOf(row.id) === undefined)
      return whole(
        this.failed(
          `"id" must be ${this.idType === 'integer' ? 'a whole number' : 'a text'} as in the first row`,
        ),
      );
    return cells.then(whole);
  }

  /** The id as a cell of its column; undefined if the column cannot hold it. */
  private idOf(id: HistoryRow['id']): SweepCell | undefined {
    if (id === null) return null;
    if (this.idType === 'text') return String(id);
    return Number.isSafeInteger(id) ? id : undefined;
  }

  /** The cells from `adjacency` to `error`. */
  private async cellsOf({ text, target }: HistoryRow): Promise<readonly SweepCell[]> {
    let mechanism: Mechanism;
    let solved: number | null = null;
    let stated: Adjacency | undefined;
    try {
      if (target !== undefined) {
        if (this.solver === undefined)
          throw new InputRangeError(
            '"target_epsilon" must stand in the first rows, where others are to have it',
          );
        ({ mechanism, value: solved } = this.solver(target));
      } else {
        const read = recognise(text, { allowEmptyHistory: this.questions.allowEmptyHistory === true });
        mechanism = read.mechanism;
        stated = read.facts.adjacency;
      }
    } catch (error) {
      if (!isInputError(error)) throw error;
      return this.failed(error.message);
    }
    const adjacency = this.questions.adjacency ?? stated ?? usualAdjacency(mechanism);
    const key = JSON.stringify([adjacency, stepsOf(mechanism)]);
    const cells = await this.histories.of(key, () => {
      this.distinct++;
      return new Promise((resolve) => this.ask({ mechanism, adjacency, resolve }));
    });
    return solved === null ? cells : [cells[0], solved, ...cells.slice(2)];
  }

  /** Asks for the answer to a history, together with others that are asked for in the same turn of the event loop. */
  private ask(history: Asked): void {
    if (this.waiting.length === 0) queueMicrotask(() => this.askAll());
    this.waiting.push(history);
  }

  private askAll(): void {
    const waiting = this.waiting.splice(0);
    for (let from = 0, to = 0; from < waiting.length; from = to) {
      const { adjacency } = waiting[from];
      while (to < from + IN_A_TASK && waiting[to]?.adjacency === adjacency) to++;
      this.askPool(waiting.slice(from, to));
    }
  }

  /**
   * Sends histories of one adjacency to the pool. If their worker ends, each is sent again alone: one history that ends its worker must not cost the
   * answers to others.
   */
  private askPool(group: readonly Asked[]): void {
    const [{ adjacency }] = group;
    const axes = [
      { name: 'mechanism', values: group.map(({ mechanism }) => mechanism), type: 'text' },
    ] as const;
    const grid: SweepGrid = { ...this.template, adjacency, axes, mechanism: '$mechanism' };
    this.pool.run(grid, [...group.keys()]).then(
      (rows) => {
        for (const [i, { resolve }] of group.entries())
          resolve([adjacency, ...this.unsolved, ...rows[i].slice(-1 - this.answerColumns.length, -1)]);
      },
      (error: Error) => {
        if (group.length === 1) group[0].resolve(this.failed(error.message, adjacency));
        else for (const history of group) this.askPool([history]);
      },
    );
  }

  private failed(reason: string, adjacency: string | null = null): SweepCell[] {
    const nothing = this.answerColumns.map(() => null);
    return [adjacency, ...this.unsolved, ...nothing.slice(1), reason.replace(/\s+/g, ' ')];
  }

  private get unsolved(): readonly null[] {
    return this.solver === undefined ? [] : [null];
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * The history in a row of a file. Beside its `id`, the row has anything that `recognise` reads, or a `mechanism`, or the numbers
 * of one phase.
 *
 * @param cells Whether the row is of a table, all of whose rows have the same columns. An empty cell is then an error.
 */
export function historyRow(fields: Readonly<Record<string, unknown>>, cells = false): HistoryRow {
  const { id = null, ...given } = fields;
  const rest = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
  const text = JSON.stringify(rest);
  try {
    if (!isId(id)) throw new InputTypeError('"id" must be a text or a number');
    const target = targetIn(cells ? given : rest);
    if (target !== undefined) {
      requireAlone(target.beside);
      return { id, text: JSON.stringify(target.asked), target: target.asked };
    }
    const known =
      cells && Object.keys(phaseNames(given)).length > 0 && !OTHER_FORMS.some((name) => name in given);
    const phase = known ? phaseInCells(given) : phaseIn(rest);
    if ('history' in rest || phase !== undefined) requireAlone(rest);
    return { id, text: phase === undefined ? text : JSON.stringify({ history: [phase] }) };
  } catch (error) {
    if (!isInputError(error)) throw error;
    return { id: isId(id) ? id : null, text, error: error.message };
  }
}

/** Columns that describe a run in another way than by noise, rate and steps. */
const OTHER_FORMS: readonly string[] = ['history', 'mechanism', 'kind', 'batch_size', 'class_name'];

/**
 * The two numbers of a phase in a row, and the target for the third; undefined if the row has no target.
 * @throws SyntaxError if a cell is no such number.
 */
function targetIn(fields: Readonly<Record<string, unknown>>) {
  const { target_epsilon: epsilon, target_delta: delta, ...rest } = fields;
  if (epsilon === undefined || epsilon === null) return undefined;
  const names = phaseNames(
    Object.fromEntries(Object.entries(rest).filter(([, cell]) => cell !== null && cell !== '')),
  );
  const known = Object.entries({
    noiseMultiplier: 'noise_multiplier',
    samplingRate: 'sample_rate',
    steps: 'steps',
  } as const).flatMap(([option, number]) => {
    const name = names[number];
    return name === undefined ? [] : [[option, numberIn(name, rest[name])]];
  });
  if (known.length !== 2)
    throw new InputTypeError(
      '"target_epsilon" needs two of noise_multiplier, sample_rate and steps: it is for the third',
    );
  const asked = {
    epsilon: numberIn('target_epsilon', epsilon),
    ...(delta !== undefined && delta !== null && { delta: numberIn('target_delta', delta) }),
    ...Object.fromEntries(known),
  };
  return { asked: asked as BatchTarget, beside: rest };
}

/** Fields that would change the run of a history, each with the only value that is accepted, as it changes nothing. */
const OTHERWISE: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['sampling', 'poisson'],
  ['records_per_person', 1],
  ['tries', 1],
]);

/** @throws RangeError if a field beside a history would change its answer. */
function requireAlone(fields: Readonly<Record<string, unknown>>): void {
  for (const name of ['delta', 'epsilon', 'adjacency'])
    if (name in fields) throw new InputRangeError(`"${name}" is asked of all rows alike: give --${name}`);
  for (const [name, value] of Object.entries(fields)) {
    const plain = OTHERWISE.get(name.replace(/[A-Z]/g, '_$&').replace(/-/g, '_').toLowerCase());
    if (plain !== undefined && value !== plain)
      throw new InputRangeError(
        `"${name}" must be ${JSON.stringify(plain)} or left out of a table: gdp epsilon answers other runs one by one`,
      );
  }
}

function isId(id: unknown): id is HistoryRow['id'] {
  return id === null || typeof id === 'string' || typeof id === 'number';
}
