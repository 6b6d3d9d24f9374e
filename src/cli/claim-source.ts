import { isClaim } from '../lint/claim.js';
import { parseJson } from '../read/json.js';
import { recognise } from '../read/recognise.js';
import { decodeText } from '../text/decode.js';
import { readBytes } from '../text/stream.js';
import { type Args, withPlace } from './args.js';
import type { Context } from './command.js';
import { nameOf } from './files.js';
import { readOptionsOf, readRun, type Source, sourceFrom } from './run-source.js';

/** Greatest size of a claim in bytes; a larger file is taken as the file of a run. */
export const MAX_CLAIM_BYTES: number = 4 * 1024 * 1024;

/** The claim in a file as parsed JSON, or else the run in it. The file is read once, since a pipe can be read only once. */
export async function claimOrRun(
  file: string,
  args: Args,
  context: Context,
): Promise<{ readonly claim?: unknown; readonly source?: Required<Source> }> {
  const name = nameOf(file);
  const { files, stdin } = context;
  if (file !== '-' && (await files.size(file)) > MAX_CLAIM_BYTES)
    return { source: await readRun(file, args, context) };
  const bytes = await readBytes(file === '-' ? stdin : files.bytes(file), name);
  const claim = claimIn(bytes);
  if (claim !== undefined) return { claim };
  const options = readOptionsOf(args);
  return {
    source: await withPlace(name, async () => sourceFrom(recognise(bytes, options), name, context.note)),
  };
}

function claimIn(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_CLAIM_BYTES) return undefined;
  try {
    const value = parseJson(decodeText(bytes));
    return isClaim(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
