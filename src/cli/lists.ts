import { typedNumber } from '../text/typed.js';
import { type Args, UsageError } from './args.js';
import type { Command, Context, Flags, Output } from './command.js';
import { row, toJson } from './output.js';

/** Options for output that holds one answer, and so cannot be given with a list. */
const ONE_ANSWER = ['out', 'svg', 'format'];

/**
 * Answers a command once, or once for each value of an option that takes one number and was given a list. The answers follow one
 * another, each under its value. Equal notes are printed once.
 *
 * @throws UsageError if two options have lists, or an option of `ONE_ANSWER` is given too.
 */
export async function answeredEach(
  command: Command,
  args: Args,
  context: Context,
  ask: (args: Args, context: Context) => Promise<Output>,
): Promise<Output> {
  const lists = listsIn(args, command.flags);
  const [flag, other] = lists;
  if (flag === undefined) return ask(args, context);
  if (other !== undefined)
    throw new UsageError(`one list is asked for at a time, got "--${flag}" and "--${other}"`);
  args.without(ONE_ANSWER, `has one answer: give "--${flag}" one number`);
  const values = args
    .text(flag)!
    .split(',')
    .map((text) => text.trim());
  const said = new Set<string>();
  const note = (message: string): void => {
    if (!said.has(message)) context.note(message);
    said.add(message);
  };
  // inherits instead of copying, since the host computes some properties on access; one answer of several reports no progress
  const shared: Context = Object.create(context, {
    note: { value: note },
    stdin: { value: readOnce(context) },
    progress: { value: undefined },
  });
  const outputs: { readonly text: string; readonly exitCode: number }[] = [];
  for (const [i, value] of values.entries()) {
    const output = await ask(args.with({ [flag]: value }), shared);
    outputs.push(typeof output === 'string' ? { text: output, exitCode: 0 } : output);
    context.progress?.((i + 1) / values.length);
  }
  const exitCode = outputs.some((each) => each.exitCode !== 0) ? 1 : 0;
  if (!args.has('json'))
    return { text: outputs.map(({ text }, i) => row(flag, values[i]) + text).join(''), exitCode };
  const name = flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const results = outputs.map(({ text }, i) => ({ [name]: typedNumber(values[i]), ...JSON.parse(text) }));
  return { text: toJson({ results }), exitCode };
}

/** The options with one number for which a list was given. */
function listsIn(args: Args, flags: Flags): string[] {
  return Object.keys(flags).filter((name) => flags[name].each === true && args.text(name)?.includes(','));
}

/** Standard input for several readers: it is read once, by the first of them. */
function readOnce(context: Context): AsyncIterable<Uint8Array> {
  let chunks: Uint8Array[] | undefined;
  return {
    async *[Symbol.asyncIterator]() {
      if (chunks === undefined) {
        chunks = [];
        for await (const chunk of context.stdin) chunks.push(chunk);
      }
      yield* chunks;
    },
  };
}
