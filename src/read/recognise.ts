import { InputSyntaxError, requireOneOf, requireOptions, someNames, wrongType } from '../errors.js';
import { ADJACENCIES } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { stepsOf } from '../mechanism/steps.js';
import { decodeText, utf16Of } from '../text/decode.js';
import { type ByteSource, bytesInMemory } from './byte-source.js';
import { checkpointRun, pickleRun } from './checkpoint.js';
import { BREAKPOINTS, curveOfMasses, curveOfTable, isMasses, MASSES } from './curve-data.js';
import { dpEventRun, isEventData, looksLikeEvent } from './dp-event.js';
import { parseJson, startOf } from './json.js';
import { opacusRun } from './opacus.js';
import { besidePhase, historyOfTable, phaseIn } from './phase-row.js';
import { pldProtoRun } from './pld-proto.js';
import { arrayNotes } from './python-numbers.js';
import { parsePythonData } from './python-repr.js';
import { READ_OPTIONS, type ReadOptions, type RecognisedRun, type RunFacts } from './recognised.js';
import { isHistory, notesOf, savedState } from './saved-state.js';
import { isTfFlags, looksLikeFlags, looksLikeStatement, tfFlagsRun, tfStatementRun } from './tf-privacy.js';

/** Greatest size in bytes of a file that is read as a whole. */
const MAX_WHOLE_BYTES: number = 64 * 1024 * 1024;

const KNOWN =
  'an Opacus accountant state or checkpoint, a DpEvent, flags or statement of TF-privacy, a PLD proto or a mechanism';
const EVIDENCE = 'it is evidence of an attack, which states no run: gdp audit reads it';
const STATE = 'privacy_accountant_state_dict';

/**
 * Reads a file that a training run or an accountant saved. That may be an Opacus accountant state (JSON) or checkpoint (.pt), or a
 * DpEvent of dp_accounting (`repr` or named tuple). It may be flags or a statement of TF-privacy, or a serialised privacy loss
 * distribution. It may be a mechanism, report or certificate of this library as JSON. Content decides, not a file's name.
 *
 * @param input Text, bytes, or bytes with random access (a large checkpoint is then not read whole).
 * @param options `allowEmptyHistory`: whether a history without a phase is a run that released nothing.
 * @throws SyntaxError | TypeError | RangeError, in one sentence that says what the file was recognised as and
 * what is wrong with it.
 * @example
 * recognise('{"history": [[9.4, 0.32768, 2000]], "mechanism": "prv"}').format; // 'opacus-state'
 */
export function recognise(input: string | Uint8Array | ByteSource, options: ReadOptions = {}): RecognisedRun {
  requireOptions('recognise', options, READ_OPTIONS);
  const run = typeof input === 'string' ? textRun(input, options) : bytesRun(sourceOf(input), options);
  stepsOf(run.mechanism); // throws for a run whose steps cannot be counted
  return run;
}

function sourceOf(input: unknown): ByteSource {
  if (input instanceof Uint8Array) return bytesInMemory(input);
  if (typeof input === 'object' && input !== null && 'size' in input && 'read' in input) {
    return input as ByteSource;
  }
  throw wrongType('input', 'a text, a Uint8Array or a byte source', input);
}

function bytesRun(source: ByteSource, options: ReadOptions): RecognisedRun {
  const start = source.read(0, Math.min(4, source.size));
  if (start[0] === 0x50 && start[1] === 0x4b) return checkpointRun(source, options);
  if (source.size > MAX_WHOLE_BYTES) {
    throw new InputSyntaxError(
      `it is larger than ${MAX_WHOLE_BYTES / 2 ** 20} MiB and no zip archive: neither ${KNOWN}`,
    );
  }
  const bytes = source.read(0, source.size);
  if (start[0] === 0x80 && start[1] <= 5) {
    if (start[2] === 0x8a && start[3] === 10) {
      throw new InputSyntaxError(
        'it is a checkpoint of PyTorch before 1.6: save it anew, or its accountant state alone',
      );
    }
    return pickleRun(bytes, options);
  }
  if (isOldPickle(bytes)) return pickleRun(bytes, options);
  if (String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-')
    throw new InputSyntaxError('it is a PDF document, which holds no run: give what training saved');
  const text = textOf(bytes);
  if (text !== undefined) return textRun(text, options);
  // 0x0a: field 1 of a protocol buffer, length-delimited
  if (start[0] === 0x0a) return pldProtoRun(bytes);
  throw new InputSyntaxError(`it is neither UTF-8 text nor ${KNOWN}`);
}

/** Whether bytes begin like a pickle of protocol 0 or 1, which state no version: with a name, a dictionary or a list. */
function isOldPickle(bytes: Uint8Array): boolean {
  const start = String.fromCharCode(...bytes.subarray(0, 40));
  return (
    /^c(?:collections|copy_reg|opacus|gdp_kernel)[\w.]*\n\w+\n/.test(start) ||
    /^(?:\((?:dp?\d|lp?\d)|[\]}]q|[\]}]\()/.test(start)
  );
}

function textOf(bytes: Uint8Array): string | undefined {
  for (const byte of utf16Of(bytes) ? [] : bytes.subarray(0, 4096))
    if (byte < 32 && (byte < 9 || byte > 13)) return undefined;
  try {
    return decodeText(bytes);
  } catch {
    return undefined;
  }
}

function textRun(text: string, options: ReadOptions): RecognisedRun {
  if (text.trim() === '') throw new InputSyntaxError('it is empty, expected JSON');
  const data = dataOf(text);
  if (data !== undefined) return printed(dataRun(data, options), text);
  const curve = curveOfTable(text);
  if (curve !== undefined) return { ...mechanismRun(curve.mechanism), notes: curve.notes };
  if (/^\s*"?score"?\s*,\s*"?member"?\s*$/im.test(text.split('\n', 1)[0]))
    throw new InputSyntaxError(EVIDENCE);
  const history = historyOfTable(text);
  if (history !== undefined) return opacusRun(history, options);
  if (looksLikeEvent(text)) return printed(dpEventRun(text), text);
  if (looksLikeStatement(text)) return tfStatementRun(text);
  if (looksLikeFlags(text)) return tfFlagsRun(text);
  parseJson(text); // throws if the text is not JSON; else it is a scalar
  throw new InputSyntaxError(`it is JSON, but ${startOf(text)} is neither ${KNOWN}`);
}

/** A run with notes on the precision of numbers that Python printed. */
function printed(run: RecognisedRun, text: string): RecognisedRun {
  return { ...run, notes: [...run.notes, ...arrayNotes(text)] };
}

/** A dictionary or a list, from JSON or as Python prints it. */
function dataOf(text: string): object | undefined {
  const bare = text.replace(/^\uFEFF/, '');
  if (/^\s*(?:(?:collections\.)?OrderedDict\(|\{\s*'\w+'\s*:|\()/.test(bare)) return parsePythonData(bare);
  if (!/^\s*[{[]/.test(bare)) return undefined;
  try {
    return parseJson(bare) as object;
  } catch (error) {
    // signs that Python and not JSON wrote it: tuples, single quotes, None, True, False
    if (!/[(']|\b(?:None|True|False)\b/.test(bare)) throw error;
    try {
      return parsePythonData(bare);
    } catch {
      throw error;
    }
  }
}

function dataRun(data: object, options: ReadOptions): RecognisedRun {
  if (isEventData(data)) return dpEventRun(data);
  const object = (Array.isArray(data) ? {} : data) as Record<string, unknown>;
  const has = (key: string) => Object.hasOwn(object, key);
  if (has(STATE)) return opacusRun(object[STATE], options);
  if (has('history') || isHistory(data)) return stateRun(data, options) ?? opacusRun(object, options);
  if (/^(?:threshold|scores|one-run)$/.test(String(object['kind']))) throw new InputSyntaxError(EVIDENCE);
  if (has('kind') && object['kind'] !== 'loss-pmf') return mechanismRun(object);
  if (isMasses(object)) return { ...mechanismRun(curveOfMasses(object['x'], object['y'])), notes: [MASSES] };
  if (has('format') && has('mechanism')) return publishedRun(object);
  const answered = answeredRun(object);
  if (answered !== undefined) return answered;
  if (isTfFlags(object)) return tfFlagsRun(object);
  const phase = phaseIn(object);
  if (phase !== undefined) return opacusRun({ ...besidePhase(object), history: [phase] }, options);
  const state = stateRun(data, options);
  if (state !== undefined) return state;
  if (has('group') && has('method'))
    throw new InputSyntaxError('it is an answer for groups of records, which states no run: give the run');
  throw new InputSyntaxError(
    `it is JSON with ${keysOf(data)}. A run has "history" (Opacus), "kind" (a mechanism), "class_name" (a DpEvent), or "noise_multiplier" and "batch_size" (TF-privacy)`,
  );
}

/** The run of an accountant's state that is somewhere in the data; undefined if there is none. */
function stateRun(data: object, options: ReadOptions): RecognisedRun | undefined {
  const found = savedState(data);
  if (found === undefined) return undefined;
  const run = opacusRun(found.state, options);
  return { ...run, notes: [...notesOf(found), ...run.notes] };
}

function mechanismRun(data: object): RecognisedRun {
  const mechanism = parseMechanism(data);
  const plain = mechanism.kind === 'trade-off' && !('linear' in data);
  const notes = plain && mechanism.points.length > 1 ? [BREAKPOINTS] : [];
  return { format: 'mechanism', mechanism, facts: factsOf(mechanism), notes };
}

/** The mechanism or the guarantee in an answer of another command of this library. */
function answeredRun(object: Record<string, unknown>): RecognisedRun | undefined {
  const told = object['mechanism'] ?? object['guarantee'];
  if (typeof told !== 'object' || told === null) return undefined;
  const read = mechanismRun(told);
  const { adjacency } = object;
  const stated = adjacency !== undefined && { adjacency: requireOneOf('adjacency', adjacency, ADJACENCIES) };
  const facts = { ...read.facts, ...stated };
  // numbers of one direction, or of an amplified run, belong to another mechanism
  const own = !('direction' in object || 'rate' in object);
  return { ...read, facts, format: 'answer', ...(own && { answered: object }) };
}

const PUBLISHED = { 'gdp-kernel-report/1': 'report', 'gdp-kernel-certificate': 'certificate' } as const;

/** The mechanism of a report or certificate of this library; its numbers are computed again. */
function publishedRun(data: Record<string, unknown>): RecognisedRun {
  const { format, mechanism: stated, adjacency, delta } = data;
  if (stated === null)
    throw new InputSyntaxError('it is the report of a curve that was given, which states no mechanism');
  const known = requireOneOf('format', format, Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[]);
  const mechanism = parseMechanism(stated);
  const facts = {
    ...factsOf(mechanism),
    adjacency: requireOneOf('adjacency', adjacency, ADJACENCIES),
    ...(typeof delta === 'number' && delta > 0 && delta < 1 && { delta }),
  };
  return { format: PUBLISHED[known], mechanism, facts, notes: [], answered: data };
}

function factsOf(mechanism: Mechanism): RunFacts {
  const samplings = new Set(stepsOf(mechanism).map(({ sampling }) => sampling));
  if (samplings.has('without-replacement')) {
    return { sampling: 'without-replacement', adjacency: 'replace-one' };
  }
  return samplings.has('poisson') ? { sampling: 'poisson' } : {};
}

function keysOf(data: unknown): string {
  if (Array.isArray(data)) return 'a list at its top';
  const keys = Object.keys(data as object);
  if (keys.length === 0) return 'no keys';
  return `the key${keys.length > 1 ? 's' : ''} ${someNames(keys)}`;
}
