import { requireOneMeaning } from '../read/json-names.js';
import { bytesOfBase64 } from '../text/base64.js';
import { VERSION } from '../version.js';
import type { CommandLine } from './apart.js';
import { COMMON_FLAGS, type Command, type Flag } from './command.js';

export type RpcId = string | number | null;

/** A request that is well formed; without an id it is a notification, which is not answered. */
export interface RpcRequest {
  readonly id?: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Codes of JSON-RPC 2.0, and two of the range it leaves to servers. */
const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  busy: -32000,
  cancelled: -32800,
} as const;

export class RpcError extends Error {
  constructor(
    readonly kind: keyof typeof CODES,
    message: string,
    /** The id of the request, if it could be read. */
    readonly id: RpcId = null,
    readonly data?: object,
  ) {
    super(message);
  }
}

/**
 * The messages in a line of JSON: one, or several in an array.
 * @throws RpcError if it is neither.
 */
export function messagesIn(text: string): { readonly messages: readonly unknown[]; readonly batch: boolean } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RpcError('parse', 'the line is not valid JSON');
  }
  try {
    requireOneMeaning(text);
  } catch (error) {
    const { id } = (value ?? {}) as Record<string, unknown>;
    throw new RpcError('request', (error as Error).message, isId(id) ? id : null);
  }
  if (!Array.isArray(value)) return { messages: [value], batch: false };
  if (value.length === 0) throw new RpcError('request', 'the array of requests is empty');
  return { messages: value, batch: true };
}

/** Whether a value may be an id. Whole numbers above 2⁵³ may not: reading and writing them changes their last digits. */
function isId(id: unknown): id is RpcId {
  return typeof id === 'string' || id === null || Number.isSafeInteger(id);
}

/**
 * A request with its parameters by name; undefined for a notification with parameters of another form, as it gets no answer.
 *
 * @throws RpcError unless it is a request of JSON-RPC 2.0.
 */
export function requestIn(message: unknown): RpcRequest | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new RpcError('request', 'a request is a JSON object');
  const { jsonrpc, id, method, params = {} } = message as Record<string, unknown>;
  if (id !== undefined && !isId(id))
    throw new RpcError('request', '"id" must be a string, a whole number up to 2^53 - 1, or null');
  const own = id ?? null;
  if (jsonrpc !== '2.0') throw new RpcError('request', '"jsonrpc" must be "2.0"', own);
  if (typeof method !== 'string') throw new RpcError('request', '"method" must be a string', own);
  const named = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (!named && id === undefined) return undefined;
  if (!named) throw new RpcError('params', '"params" must be an object: parameters have names', own);
  return { ...(id !== undefined && { id: own }), method, params: params as Record<string, unknown> };
}

/** A message of JSON-RPC with the given members. */
export function messageOf(holds: object): object {
  return { jsonrpc: '2.0', ...holds };
}

export function errorMessage({ kind, message, id, data }: RpcError): object {
  return messageOf({ id, error: { code: CODES[kind], message, ...(data !== undefined && { data }) } });
}

/** Options that a request cannot have. */
const NOT_ASKED = ['help', 'version'];

/**
 * The command line of a request. Parameters are the options of `gdp` by their names, with `input` for what FILE holds
 * (a text, or data as JSON; `inputBase64` its bytes), `operands` for files, and `files` for what these hold.
 *
 * @throws RpcError for a value that no option takes; what an option refuses is found when the command runs.
 */
export function taskOf(command: Command, { id = null, params }: RpcRequest): CommandLine {
  const { input, inputBase64, files: held, operands = [], json = true, ...options } = params;
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
    const numbers = flag?.each && Array.isArray(value) && value.every((one) => typeof one === 'number');
    const values = flag?.multiple && Array.isArray(value) ? value : [numbers ? value.join(',') : value];
    return values.map(
      (each) => `--${name}=${wordOf(each) ?? refuse(name, 'a string, a number or an object')}`,
    );
  });
  const bytes = typeof inputBase64 === 'string' ? bytesOfBase64(inputBase64) : undefined;
  if (inputBase64 !== undefined && (bytes === undefined || input !== undefined))
    refuse('inputBase64', 'the bytes of one file as base64, in place of "input"');
  const given = bytes ?? input;
  const holding = bytesByName(held) ?? refuse('files', 'the bytes of each file as base64, by name');
  const files = operands as string[];
  const read = given === undefined || files.includes('-') ? files : [...files, '-'];
  return {
    argv: [command.name, ...(json ? ['--json'] : []), ...words, ...(read.length > 0 ? ['--', ...read] : [])],
    input: bytes ?? (typeof input === 'string' ? input : input === undefined ? '' : JSON.stringify(input)),
    ...(held !== undefined && { files: holding }),
  };
}

/** The bytes of files by name, from base64; undefined if some text is not base64. */
function bytesByName(files: unknown = {}): Record<string, Uint8Array> | undefined {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) return undefined;
  const held = Object.entries(files).map(([name, text]) => [
    name,
    typeof text === 'string' ? bytesOfBase64(text) : undefined,
  ]);
  return held.every(([, bytes]) => bytes !== undefined) ? Object.fromEntries(held) : undefined;
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
        ...(operand === undefined
          ? []
          : [
              parameter('input', operand, {}),
              parameter('inputBase64', 'the bytes of such a file', { type: 'string' }),
            ]),
        parameter('operands', 'names of files', { type: 'array', items: { type: 'string' } }),
        parameter('files', 'what these and other files hold as base64, by name', {
          type: 'object',
          additionalProperties: { type: 'string' },
        }),
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

function schemaOf({ type, multiple, each }: Flag): object {
  if (type === 'boolean') return { type: 'boolean' };
  const one = { type: ['string', 'number', 'object'] };
  if (each) return { anyOf: [one, { type: 'array', items: { type: 'number' } }] };
  return multiple ? { anyOf: [one, { type: 'array', items: one }] } : one;
}

const RESULT = {
  type: 'object',
  properties: {
    answer: { description: 'what gdp --json prints' },
    text: { type: 'string', description: 'what gdp prints, where that is no JSON' },
    exitCode: { enum: [0, 1], description: '1 where the answer is no' },
    notes: { type: 'array', items: { type: 'string' }, description: 'what gdp says on standard error' },
    files: { type: 'object', description: 'what it wrote, by name, where there are no files' },
  },
  required: ['exitCode', 'notes'],
};
