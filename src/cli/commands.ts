import type { Bracket } from '../bracket.js';
import { shortDecimal } from '../decimal.js';
import {
  account,
  type ComposedRun,
  dpSgd,
  formatReport,
  loadEngine,
  type Mechanism,
  measure,
  parseOpacusState,
  report,
} from '../index.js';
import { readText, readTextFile, UnreadableInput } from '../io/read-text.js';
import { stepsOf } from '../mechanism/steps.js';
import { UsageError } from './errors.js';
import type { Command, Options, Source } from './options.js';
import { line, oneOrMany, toJson } from './output.js';

export interface Input {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Says something beside the result. */
  readonly note: (message: string) => void;
}

/** Runs a checked command and returns what belongs on standard output. */
export async function execute(options: Options, input: Input): Promise<string> {
  const { mechanism, title } = await readMechanism(options.source, input.stdin);
  const engine = await loadEngine({ kernel: options.engine });
  if (engine.fallbackReason !== undefined) {
    input.note(`using the slower reference engine, WebAssembly does not run: ${engine.fallbackReason}`);
  }
  const run = account(engine, mechanism, {
    adjacency: 'add-remove',
    ...(options.tolerance !== undefined && { tolerance: options.tolerance }),
  });
  return ANSWERS[options.command]({ run, title, options });
}

async function readMechanism(
  source: Source,
  stdin: AsyncIterable<Uint8Array>,
): Promise<{ mechanism: Mechanism; title: string }> {
  if (!('file' in source)) return { mechanism: dpSgd(source), title: 'DP-SGD' };
  const name = source.file === '-' ? 'standard input' : source.file;
  try {
    const text = source.file === '-' ? await readText(stdin, name) : await readTextFile(source.file);
    const mechanism = parseOpacusState(text);
    stepsOf(mechanism); // refuses a history whose steps cannot be counted
    return { mechanism, title: name };
  } catch (error) {
    if (error instanceof UnreadableInput) throw new UsageError(error.message);
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) {
      throw new UsageError(`${name}: ${error.message}`);
    }
    throw error;
  }
}

interface Question {
  readonly run: ComposedRun;
  readonly title: string;
  readonly options: Options;
}

const ANSWERS: Readonly<Record<Command, (question: Question) => string>> = {
  report({ run, title, options }) {
    const made = report(run, {
      title: `Privacy report: ${title}`,
      ...(options.deltas.length > 0 && { deltas: options.deltas }),
      ...windowOf(options),
    });
    if (!options.json) return formatReport(made);
    const { delta, epsilon } = made.epsilonAtDelta[0]!;
    return toJson({ ...made, delta, epsilon });
  },

  epsilon(question) {
    const deltas = orDefault(question.options.deltas, [1e-5]);
    const answers = deltas.map((delta) => ({ delta, epsilon: question.run.epsilon(delta) }));
    return answer(question, answers, ({ delta, epsilon }) => [`epsilon(${shortDecimal(delta)})`, epsilon]);
  },

  delta(question) {
    const answers = question.options.epsilons.map((epsilon) => ({
      epsilon,
      delta: question.run.delta(epsilon),
      logDelta: question.run.logDelta(epsilon),
    }));
    return answer(question, answers, ({ epsilon, delta }) => [`delta(${shortDecimal(epsilon)})`, delta]);
  },

  mu(question) {
    const { run, options } = question;
    const measured = measure(run, windowOf(options));
    if (options.json) return toJson({ ...measured, ...provenance(question) });
    return [
      line('mu', measured.mu),
      line('regret', measured.regret),
      line('tail mu', measured.tailMu),
      `${'window'.padEnd(24)}error rates down to ${shortDecimal(measured.alphaMin)}\n`,
      `${'tier'.padEnd(24)}${measured.tier}\n`,
    ].join('');
  },

  tradeoff(question) {
    const alphas = orDefault(question.options.alphas, [1e-4, 1e-3, 1e-2, 1e-1]);
    const answers = alphas.map((alpha) => ({ alpha, beta: question.run.tradeoff(alpha) }));
    return answer(question, answers, ({ alpha, beta }) => [`beta(${shortDecimal(alpha)})`, beta]);
  },
};

function answer<T extends object>(
  question: Question,
  answers: readonly T[],
  describe: (answer: T) => [string, Bracket],
): string {
  if (question.options.json) return toJson(oneOrMany(answers, provenance(question)));
  return answers.map((each) => line(...describe(each))).join('');
}

function provenance({ run }: Question): object {
  const { engine, adjacency } = run.settings;
  return { method: run.method, engine, adjacency };
}

function windowOf({ alphaMin }: Options): { alphaMin?: number } {
  return alphaMin === undefined ? {} : { alphaMin };
}

function orDefault(given: readonly number[], fallback: readonly number[]): readonly number[] {
  return given.length > 0 ? given : fallback;
}
