import {
  InputTypeError,
  isPlain,
  requireCount,
  requireList,
  requireNumber,
  requireProbability,
  someNames,
  wrongType,
  wrongValue,
} from '../errors.js';
import { type Compose, compose, dpSgd, type Repeat } from '../mechanism/mechanism.js';
import { parseJson } from './json.js';
import type { RecognisedRun } from './recognised.js';

/** Phases a history may have; more is a broken file, not a training run. */
export const MAX_PHASES = 100_000;

const EMPTY =
  'its history is empty, so every loss is 0: if training did take place, this state was saved before it';

const PHASE = '[noise_multiplier, sample_rate, num_steps]';
const SHAPE = `{"history": [${PHASE}, …]}`;

/**
 * Reads the JSON of an Opacus accountant state, `accountant.state_dict()`:
 * `{"history": [[noise_multiplier, sample_rate, num_steps], …], "mechanism": "prv"}`.
 * Every phase counts. An empty history is a run that released nothing. `mechanism` names the
 * accountant Opacus used and does not change what the run did; other keys are named in a note.
 *
 * @throws SyntaxError if the text is not JSON; TypeError or RangeError, naming the place, if it is
 * not such a history.
 * @example
 * parseOpacusState('{"history": [[9.4, 0.32768, 2000]], "mechanism": "prv"}').parts.length; // 1
 */
export function parseOpacusState(text: string): Compose {
  return opacusRun(parseJson(text)).mechanism;
}

/** As `parseOpacusState`, for a state that has been parsed already; with the accountant's name. */
export function opacusRun(state: unknown): RecognisedRun & { readonly mechanism: Compose } {
  if (!isPlain(state)) {
    throw wrongType('state', `an object ${SHAPE}`, state);
  }
  const { history, mechanism, ...others } = state as { history?: unknown; mechanism?: unknown };
  if (mechanism !== undefined && typeof mechanism !== 'string') {
    throw wrongType('mechanism', "a string, the name of Opacus' accountant", mechanism);
  }
  if (history === undefined) {
    throw new InputTypeError(`"history" is missing: an Opacus accountant state is ${SHAPE}`);
  }
  const phases = requireList('history', history, PHASE, 0, MAX_PHASES);
  const unread = Object.keys(others);
  return {
    format: 'opacus-state',
    mechanism: compose(phases.map(parsePhase)),
    facts: { sampling: 'poisson', ...(mechanism !== undefined && { accountant: mechanism }) },
    notes: [
      ...(phases.length > 0 ? [] : [EMPTY]),
      // it may have been meant to change the run
      ...(unread.length > 0 ? [`not read: ${someNames(unread)}`] : []),
    ],
  };
}

function parsePhase(phase: unknown, index: number): Repeat {
  const place = `history[${index}]`;
  if (!Array.isArray(phase)) throw wrongType(place, PHASE, phase);
  if (phase.length !== 3) throw wrongValue(place, PHASE, phase);
  return dpSgd({
    noiseMultiplier: requireNumber(`${place}[0] (noise_multiplier)`, phase[0], 'a finite number >= 0'),
    samplingRate: requireProbability(`${place}[1] (sample_rate)`, phase[1]),
    steps: requireCount(`${place}[2] (num_steps)`, phase[2]),
  });
}
