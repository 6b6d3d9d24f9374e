import { InputSyntaxError, someNames } from '../errors.js';
import type { ByteSource } from './byte-source.js';
import { opacusRun } from './opacus.js';
import { MechanismMethod, Opaque, type PickleValue } from './opaque.js';
import { phaseIn } from './phase-row.js';
import type { ReadOptions, RecognisedRun } from './recognised.js';
import { fieldsOf, notesOf, savedState } from './saved-state.js';
import { tensorNumber } from './tensor-number.js';
import { unpickle } from './unpickle.js';
import { readZipEntry, zipEntries } from './zip.js';

/** Largest data.pkl of a checkpoint: it holds names and shapes, no weights. */
const MAX_PICKLE_BYTES = 16 * 1024 * 1024;
const STATE = 'privacy_accountant_state_dict';

/** Returns the bytes of a tensor's storage by its key; storages of more than eight bytes are not read. */
type Storage = (key: string) => Uint8Array | undefined;

/**
 * Reads the accountant's history out of a PyTorch checkpoint (the zip format of PyTorch ≥ 1.6). Opacus'
 * `PrivacyEngine.save_checkpoint` writes it; a file with the accountant's state alone is read too. Of the archive only its
 * directory, data.pkl and what a number in the history is kept in are read; of the pickle nothing is run.
 *
 * @throws SyntaxError | TypeError | RangeError, in one sentence, if there is no such history, or it is broken.
 */
export function checkpointRun(source: ByteSource, options: ReadOptions): RecognisedRun {
  const entries = zipEntries(source);
  const found = entries.filter(({ name }) => /(^|\/)data\.pkl$/.test(name));
  if (found.length !== 1) {
    throw new InputSyntaxError(`it is a zip archive with ${found.length} data.pkl, so no PyTorch checkpoint`);
  }
  const prefix = found[0].name.slice(0, -'data.pkl'.length);
  const beside = (name: string): Uint8Array | undefined => {
    const entry = entries.find((each) => each.name === prefix + name);
    return entry !== undefined && entry.size <= 8 ? readZipEntry(source, entry, 8) : undefined;
  };
  const isBig = new TextDecoder().decode(beside('byteorder')) === 'big';
  return pickleRun(readZipEntry(source, found[0], MAX_PICKLE_BYTES), options, (key) =>
    isBig ? undefined : beside(`data/${key}`),
  );
}

/** The accountant's history from a pickle alone: `pickle.dump(accountant.state_dict(), file)`, or one of the accountant itself. */
export function pickleRun(
  bytes: Uint8Array,
  options: ReadOptions,
  storage: Storage = () => undefined,
): RecognisedRun {
  if (bytes.length > MAX_PICKLE_BYTES) {
    throw new InputSyntaxError(`it is a pickle of more than ${MAX_PICKLE_BYTES / 2 ** 20} MiB`);
  }
  const top = unpickle(bytes);
  // only PrivacyEngine writes this name, and it sets expected_batch_size = int(len(dataset) * sample_rate)
  const byEngine = top instanceof Map && top.has(STATE);
  const { state, notes } = stateOf(byEngine ? top.get(STATE) : top, storage);
  const run = opacusRun(state, options);
  return {
    ...run,
    format: 'opacus-checkpoint',
    facts: { ...run.facts, ...(byEngine && { divisor: 'expected-whole' as const }) },
    notes: [...notes, ...run.notes],
  };
}

/** The accountant's state in an unpickled value as plain data, with two levels of lists. */
function stateOf(top: PickleValue | undefined, storage: Storage) {
  const { state, notes } = foundIn(top);
  const plain = (value: unknown): unknown =>
    value instanceof Opaque ? (tensorNumber(value, storage) ?? value.name) : value;
  const { history, mechanism } = state;
  return {
    state: {
      history: Array.isArray(history)
        ? history.map((phase) => (Array.isArray(phase) ? phase.map(plain) : plain(phase)))
        : plain(history),
      mechanism: mechanism instanceof MechanismMethod ? mechanism : (plain(mechanism) ?? undefined),
    },
    notes,
  };
}

function foundIn(top: PickleValue | undefined) {
  const found = savedState(top);
  if (found !== undefined) return { state: found.state, notes: notesOf(found) };
  const fields = typeof top === 'object' && top !== null ? fieldsOf(top) : undefined;
  if (fields === undefined)
    throw new InputSyntaxError(`it is a pickle, but of ${typeName(top)} and not of a dictionary`);
  if (fields.has('history')) return { state: Object.fromEntries(fields), notes: [] };
  const phase = phaseIn(Object.fromEntries(fields));
  if (phase !== undefined) return { state: { history: [phase] }, notes: [] };
  throw new InputSyntaxError(
    `it is a checkpoint without "${STATE}" (it has ${someNames([...fields.keys()]) || 'nothing'}); PrivacyEngine.save_checkpoint of Opacus writes it`,
  );
}

function typeName(value: PickleValue | undefined): string {
  if (value instanceof Opaque) return value.name;
  return Array.isArray(value) ? 'a list' : value === null ? 'None' : `a ${typeof value}`;
}
