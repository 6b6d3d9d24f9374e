/** JSON as Python writes it. */

import { InputSyntaxError } from '../errors.js';

/**
 * @throws SyntaxError, in one sentence, if the text is not JSON. NaN and Infinity, which Python writes bare,
 * become the strings 'NaN' and 'Infinity': no check of a number lets them pass, and each says where they stand.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new InputSyntaxError('it is empty, expected JSON');
  try {
    return JSON.parse(text);
  } catch (error) {
    const complaint = /NaN|Infinity/.test(text) ? parsePythonJson(text) : { error };
    if ('state' in complaint) return complaint.state;
    throw new InputSyntaxError(`it is not valid JSON: ${describe(text, complaint.error)}`);
  }
}

function parsePythonJson(text: string): { state: unknown } | { error: unknown } {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
  try {
    return { state: JSON.parse(quoted) };
  } catch (error) {
    return { error };
  }
}

/** What is wrong with JSON text; the position, where the engine's message has one, tells a cut from a slip. */
function describe(text: string, error: unknown): string {
  if (text.startsWith('PK')) {
    return 'it looks like a PyTorch checkpoint; save json.dumps(accountant.state_dict()) instead';
  }
  const message = error instanceof Error ? error.message : '';
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  if (/end of JSON input|Unterminated string/.test(message) || position >= text.trimEnd().length) {
    return `it ends too early, after ${text.length} characters; is it truncated?`;
  }
  return `it starts with ${startOf(text)}`;
}

/** The first characters of a text, quoted. */
export function startOf(text: string): string {
  const start = text.trimStart();
  return JSON.stringify(start.length > 24 ? `${start.slice(0, 24)}…` : start);
}
