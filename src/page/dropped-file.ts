import type { FileRead } from './messages.js';
import type { Requests } from './requests.js';

/** A file that was dropped: what it is, or why it was not read. */
export interface FileChip {
  readonly name: string;
  readonly what: string;
  readonly notes: readonly string[];
  readonly bad: boolean;
}

const MOST_BYTES = 256 * 1024 * 1024;

/** What a dropped file says, or the chip of one that was not read. */
export async function readDropped(
  file: File,
  requests: Requests,
): Promise<{ read?: FileRead | undefined; chip?: FileChip }> {
  if (file.size > MOST_BYTES)
    return { chip: unread(file.name, 'It is larger than 256 MB; use gdp report on the command line') };
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const reply = await requests.ask({ task: 'read', name: file.name, bytes });
    return { read: reply.kind === 'read' ? reply.read : undefined };
  } catch (error) {
    return { chip: unread(file.name, (error as Error).message) };
  }
}

function unread(name: string, why: string): FileChip {
  const what = `${why.slice(0, 1).toUpperCase()}${why.slice(1)}${/[.?!]$/.test(why) ? '' : '.'}`;
  return { name, what, notes: [], bad: true };
}
