import { requireCount, requireNumber, requireProbability, wrongType, wrongValue } from '../errors.js';
import { type Compose, compose, dpSgd, type Repeat } from '../mechanism/mechanism.js';

/** Phases a history may have; more is a broken file, not a training run. */
export const MAX_PHASES = 100_000;

const SHAPE = '{"history": [[noise_multiplier, sample_rate, num_steps], …]}';

/**
 * Reads the JSON of an Opacus accountant state, `accountant.state_dict()`:
 * `{"history": [[noise_multiplier, sample_rate, num_steps], …], "mechanism": "prv"}`.
 * Every phase counts. An empty history is a run that released nothing. `mechanism` names the
 * accountant Opacus used and does not change what the run did; other keys are ignored.
 *
 * @throws SyntaxError if the text is not JSON; TypeError or RangeError, naming the place, if it is
 * not such a history.
 * @example
 * parseOpacusState('{"history": [[9.4, 0.32768, 2000]], "mechanism": "prv"}')
 */
export function parseOpacusState(text: string): Compose {
  const state = parseJson(text);
  if (typeof state !== 'object' || state === null || Array.isArray(state)) {
    throw wrongType('state', `an object ${SHAPE}`, state);
  }
  const { history, mechanism } = state as { history?: unknown; mechanism?: unknown };
  if (mechanism !== undefined && typeof mechanism !== 'string') {
    throw wrongType('mechanism', "a string, the name of Opacus' accountant", mechanism);
  }
  if (history === undefined) {
    throw new TypeError(`"history" is missing: an Opacus accountant state is ${SHAPE}`);
  }
  if (!Array.isArray(history)) {
    throw wrongType('history', 'an array of [noise_multiplier, sample_rate, num_steps]', history);
  }
  if (history.length > MAX_PHASES) {
    throw wrongValue('history', `at most ${MAX_PHASES} phases long`, history);
  }
  return compose(history.map(parsePhase));
}

function parsePhase(phase: unknown, index: number): Repeat {
  const place = `history[${index}]`;
  const expected = '[noise_multiplier, sample_rate, num_steps]';
  if (!Array.isArray(phase)) throw wrongType(place, expected, phase);
  if (phase.length !== 3) throw wrongValue(place, expected, phase);
  return dpSgd({
    noiseMultiplier: requireNumber(
      `${place}[0] (noise_multiplier)`,
      phase[0],
      'a finite number >= 0',
      (x) => x >= 0 && x < Infinity,
    ),
    samplingRate: requireProbability(`${place}[1] (sample_rate)`, phase[1]),
    steps: requireCount(`${place}[2] (num_steps)`, phase[2]),
  });
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new SyntaxError('it is empty, expected JSON');
  try {
    return JSON.parse(text);
  } catch (error) {
    const complaint = /NaN|Infinity/.test(text) ? parsePythonJson(text) : { error };
    if ('state' in complaint) return complaint.state;
    throw new SyntaxError(`it is not valid JSON: ${describe(text, complaint.error)}`);
  }
}

/**
 * Python's json module writes NaN and Infinity bare. Neither can be accepted, but as strings they
 * reach the checks above, which say where they stand.
 */
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
  const start = text.trimStart();
  return `it starts with ${JSON.stringify(start.length > 24 ? `${start.slice(0, 24)}…` : start)}`;
}
