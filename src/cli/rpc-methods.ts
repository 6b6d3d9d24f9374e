import { VERSION } from '../version.js';
import type { CommandLine } from './apart.js';
import { COMMON_FLAGS, type Command, type Flag } from './command.js';
import { RpcError, type RpcRequest } from './rpc.js';

/** Options that make no sense in a request. */
const NOT_ASKED = ['help', 'version'];

/**
 * The command line of a request. Parameters are the options of `gdp` by their names, with `input` for what FILE holds
 * (a text, or data as JSON) and `operands` for files.
 *
 * @throws RpcError for a value that no option takes; what an option refuses is found when the command runs.
 */
export function taskOf(command: Command, { id = null, params }: RpcRequest): CommandLine {
  const { input, operands = [], json = true, ...options } = params;
  const refuse = (name: string, expected: string) => {
    throw new RpcError('params', `"${name}" must be ${expected}`, id);
  };
  if (!Array.isArray(operands) || !operands.every((each) => typeof each === 'string'))
    refuse('operands', 'an array of strings');
  if (typeof json !== 'boolean') refuse('json', 'true or false');
  const flags = { ...command.flags, ...COMMON_FLAGS };
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (NOT_ASKED.includes(name)) refuse(name, 'left out of a request');
    const flag: Flag | undefined = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag?.type === 'boolean') {
      if (typeof value !== 'boolean') refuse(name, 'true or false');
      return value ? [`--${name}`] : [];
    }
    if (!/^[a-z][a-z-]*$/.test(name)) refuse(name, 'an option of gdp, such as "delta"');
    const values = flag?.multiple && Array.isArray(value) ? value : [value];
    return values.map(
      (each) => `--${name}=${wordOf(each) ?? refuse(name, 'a string, a number or an object')}`,
    );
  });
  const files = operands as string[];
  const read = input === undefined || files.includes('-') ? files : [...files, '-'];
  return {
    argv: [command.name, ...(json ? ['--json'] : []), ...words, ...(read.length > 0 ? ['--', ...read] : [])],
    input: typeof input === 'string' ? input : input === undefined ? '' : JSON.stringify(input),
  };
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}

/** The methods and their parameters as an OpenRPC document, made of the commands' own options. */
export function discovery(commands: readonly Command[]): object {
  return {
    openrpc: '1.3.2',
    info: { title: 'gdp-kernel', version: VERSION },
    methods: commands.map(({ name, summary, flags, operand }) => ({
      name,
      summary,
      paramStructure: 'by-name',
      params: [
        ...(operand === undefined ? [] : [parameter('input', operand, {})]),
        parameter('operands', 'names of files', { type: 'array', items: { type: 'string' } }),
        ...Object.entries({ ...flags, ...COMMON_FLAGS })
          .filter(([flag]) => !NOT_ASKED.includes(flag))
          .map(([flag, each]) => parameter(flag, each.help, schemaOf(each))),
      ],
      result: { name: 'result', schema: RESULT },
    })),
  };
}

function parameter(name: string, description: string, schema: object): object {
  return { name, description: description.replaceAll('\n', ' '), schema };
}

function schemaOf({ type, multiple }: Flag): object {
  if (type === 'boolean') return { type: 'boolean' };
  const one = { type: ['string', 'number', 'object'] };
  return multiple ? { anyOf: [one, { type: 'array', items: one }] } : one;
}

const RESULT = {
  type: 'object',
  properties: {
    answer: { description: 'what gdp --json prints' },
    text: { type: 'string', description: 'what gdp prints, where that is no JSON' },
    exitCode: { enum: [0, 1], description: '1 where the answer is no' },
    notes: { type: 'array', items: { type: 'string' }, description: 'what gdp says on standard error' },
  },
  required: ['exitCode', 'notes'],
};
