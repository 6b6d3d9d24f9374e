import {
  InputSyntaxError,
  InputTypeError,
  isPlain,
  requireCount,
  requireList,
  requireNumber,
  requireOptions,
  requireProbability,
  someNames,
  wrongType,
  wrongValue,
} from '../errors.js';
import { type Compose, compose, dpSgd, type Repeat } from '../mechanism/mechanism.js';
import { parseJson } from './json.js';
import { accountantOf, MechanismMethod } from './opaque.js';
import { READ_OPTIONS, type ReadOptions, type RecognisedRun } from './recognised.js';

/** Greatest number of phases of a history: a file with more is broken. */
export const MAX_PHASES = 100_000;

const EMPTY =
  'its history is empty, as before training. GaussianAccountant of Opacus 1.1 to 1.3 also empties its history when it is asked for epsilon: save the state before asking. If nothing was released, allow an empty history';
const UNSURE =
  'GaussianAccountant of Opacus 1.1 to 1.3 forgets its steps when it is asked for epsilon. If it was asked during training, steps are missing';
const ADAPTIVE =
  'With clipping="adaptive" Opacus 1.4 to 1.5 leave the noise of the count of clipped gradients out of the history. Use the noise multiplier that the training was given';

const PHASE = '[noise_multiplier, sample_rate, num_steps]';
const SHAPE = `{"history": [${PHASE}, …]}`;

/**
 * Reads the JSON of an Opacus accountant state, `accountant.state_dict()`:
 * `{"history": [[noise_multiplier, sample_rate, num_steps], …], "mechanism": "prv"}`.
 * Every phase counts. `mechanism` names the accountant Opacus used and does not change what the run did; other keys are
 * named in a note.
 *
 * @param options `allowEmptyHistory`: whether a history without a phase is a run that released nothing.
 * @throws SyntaxError if the text is not JSON, or its history is empty; TypeError or RangeError, naming the place, if it
 * is not such a history.
 * @example
 * parseOpacusState('{"history": [[9.4, 0.32768, 2000]], "mechanism": "prv"}').parts.length; // 1
 */
export function parseOpacusState(text: string, options: ReadOptions = {}): Compose {
  requireOptions('parseOpacusState', options, READ_OPTIONS);
  return opacusRun(parseJson(text), options).mechanism;
}

/** As `parseOpacusState`, for parsed JSON; the result also has the accountant's name and notes. */
export function opacusRun(
  state: unknown,
  { allowEmptyHistory = false }: ReadOptions,
): RecognisedRun & { readonly mechanism: Compose } {
  if (!isPlain(state)) {
    throw wrongType('state', `an object ${SHAPE}`, state);
  }
  const { history, mechanism, ...others } = state as { history?: unknown; mechanism?: unknown };
  const method = methodOf(mechanism);
  const accountant = method === undefined ? mechanism : accountantOf(method.className);
  if (accountant !== undefined && typeof accountant !== 'string') {
    throw wrongType('mechanism', "a string, the name of Opacus' accountant", mechanism);
  }
  if (history === undefined) {
    throw new InputTypeError(`"history" is missing: an Opacus accountant state is ${SHAPE}`);
  }
  const phases = requireList('history', history, PHASE, 0, MAX_PHASES);
  if (phases.length === 0 && !allowEmptyHistory) throw new InputSyntaxError(EMPTY);
  const unread = Object.keys(others);
  return {
    format: 'opacus-state',
    mechanism: compose(phases.map(parsePhase)),
    facts: { sampling: 'poisson', ...(accountant !== undefined && { accountant }) },
    notes: [
      // files of Opacus 1.6 have the name of the accountant in place of its method, and need no warning of it
      ...(method === undefined ? [] : accountant === 'gdp' ? [UNSURE, ADAPTIVE] : [ADAPTIVE]),
      // an unknown key may have been meant to change the run
      ...(unread.length > 0 ? [`not read: ${someNames(unread)}`] : []),
    ],
  };
}

/** The method of an accountant that Opacus 1.1 to 1.5 saved in place of the accountant's name, as an object or as printed text. */
function methodOf(mechanism: unknown): MechanismMethod | undefined {
  if (mechanism instanceof MechanismMethod) return mechanism;
  return typeof mechanism === 'string' ? MechanismMethod.printed(mechanism) : undefined;
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
