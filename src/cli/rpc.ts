import { requireOneMeaning } from '../read/json-names.js';

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
    /** The request's id, where it could be told. */
    readonly id: RpcId = null,
    readonly data?: object,
  ) {
    super(message);
  }
}

/** A line of JSON as it came: one message, or several in an array. @throws RpcError if it is neither. */
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

/** Ids that come back as they were sent: of a larger number the last digits would not. */
function isId(id: unknown): id is RpcId {
  return typeof id === 'string' || id === null || Number.isSafeInteger(id);
}

/**
 * A request with its parameters by name; nothing for a notification with wrong ones, which no answer can refuse.
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

/** A message of JSON-RPC: a response or a notification, by what it holds. */
export function messageOf(holds: object): object {
  return { jsonrpc: '2.0', ...holds };
}

export function errorMessage({ kind, message, id, data }: RpcError): object {
  return messageOf({ id, error: { code: CODES[kind], message, ...(data !== undefined && { data }) } });
}
