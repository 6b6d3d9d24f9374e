import { InputSyntaxError, someNames } from '../errors.js';
import type { ByteSource } from './byte-source.js';
import { opacusRun } from './opacus.js';
import { Opaque, type PickleValue } from './opaque.js';
import type { RecognisedRun } from './recognised.js';
import { unpickle } from './unpickle.js';
import { readZipEntry, zipEntries } from './zip.js';

/** Size of a checkpoint's data.pkl, which holds names and shapes but no weights. */
const MAX_PICKLE_BYTES = 16 * 1024 * 1024;
const STATE = 'privacy_accountant_state_dict';

/**
 * Reads the accountant's history out of a PyTorch checkpoint (the zip format of PyTorch ≥ 1.6) as Opacus'
 * `PrivacyEngine.save_checkpoint` writes it, or out of one that is the accountant's state itself. Of the archive
 * only its directory and data.pkl are read; of the pickle nothing is run.
 *
 * @throws SyntaxError | TypeError | RangeError, in one sentence, if there is no such history, or it is broken.
 */
export function checkpointRun(source: ByteSource): RecognisedRun {
  const found = zipEntries(source).filter(({ name }) => /(^|\/)data\.pkl$/.test(name));
  if (found.length !== 1) {
    throw new InputSyntaxError(`it is a zip archive with ${found.length} data.pkl, so no PyTorch checkpoint`);
  }
  return pickleRun(readZipEntry(source, found[0], MAX_PICKLE_BYTES));
}

/** The history in the pickle alone, as `pickle.dump(accountant.state_dict(), file)` writes it. */
export function pickleRun(bytes: Uint8Array): RecognisedRun {
  if (bytes.length > MAX_PICKLE_BYTES) {
    throw new InputSyntaxError(`it is a pickle of more than ${MAX_PICKLE_BYTES / 2 ** 20} MiB`);
  }
  const top = unpickle(bytes);
  if (!(top instanceof Map)) {
    throw new InputSyntaxError(`it is a pickle, but of ${typeName(top)} and not of a dictionary`);
  }
  const state = top.get(STATE) ?? top;
  if (!(state instanceof Map) || (state === top && !top.has('history'))) {
    const keys = someNames([...top.keys()].map((key) => String(plain(key)))) || 'nothing';
    throw new InputSyntaxError(
      `it is a checkpoint without "${STATE}" (it has ${keys}); PrivacyEngine.save_checkpoint of Opacus writes it`,
    );
  }
  const history = state.get('history');
  const run = opacusRun({
    // two levels of lists, and what they hold as far as a history has it
    history: Array.isArray(history)
      ? history.map((phase) => (Array.isArray(phase) ? phase.map(plain) : plain(phase)))
      : plain(history),
    mechanism: plain(state.get('mechanism')) ?? undefined,
  });
  // PrivacyEngine alone writes this name, and it sets expected_batch_size = int(len(dataset) * sample_rate)
  const byEngine = state !== top && { divisor: 'expected-whole' as const };
  return { ...run, format: 'opacus-checkpoint', facts: { ...run.facts, ...byEngine } };
}

function plain(value: PickleValue | undefined): unknown {
  return value instanceof Opaque ? value.name : value;
}

function typeName(value: PickleValue): string {
  if (value instanceof Opaque) return value.name;
  return Array.isArray(value) ? 'a list' : value === null ? 'None' : `a ${typeof value}`;
}
