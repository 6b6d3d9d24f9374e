import type { Requests } from './channel.js';
import type { FileRead } from './messages.js';
import { type State, without } from './state.js';

/** A file that was dropped: what it is, or why it was not read. */
export interface FileChip {
  readonly name: string;
  readonly what: string;
  readonly notes: readonly string[];
  readonly bad: boolean;
}

const MOST_BYTES = 256 * 1024 * 1024;

/** What a dropped file says, or the chip of one that was not read. */
export async function readDropped(file: File, requests: Requests): Promise<FileRead | FileChip> {
  if (file.size > MOST_BYTES)
    return unread(file.name, 'It is larger than 256 MB; use gdp report on the command line');
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return (await requests.ask({ task: 'read', name: file.name, bytes }, 'read')).read;
  } catch (error) {
    return unread(file.name, (error as Error).message);
  }
}

function unread(name: string, why: string): FileChip {
  const what = `${why.slice(0, 1).toUpperCase()}${why.slice(1)}${/[.?!]$/.test(why) ? '' : '.'}`;
  return { name, what, notes: [], bad: true };
}

const FORMATS: Readonly<Record<string, string>> = {
  'opacus-state': 'Opacus state',
  'opacus-checkpoint': 'Opacus checkpoint',
  'dp-event': 'DpEvent',
  'tf-privacy-flags': 'TF-Privacy flags',
  'tf-privacy-statement': 'TF-Privacy statement',
  'pld-proto': 'PLD proto',
  mechanism: 'mechanism',
  report: 'report',
  certificate: 'certificate',
};

export function formatOf({ format, phases, notes }: FileRead): string {
  const count =
    phases === undefined
      ? 'no sliders for it'
      : phases.length === 1
        ? 'one phase'
        : `${phases.length} phases`;
  const said = notes.length === 0 ? '' : `, ${notes.length} note${notes.length === 1 ? '' : 's'}`;
  return `${FORMATS[format] ?? format}, ${count}${said}`;
}

/** The state with what a file says in place of what was run. */
export function settingFrom({ mechanism, phases, facts }: FileRead, state: State): State {
  const rest = without(state, 'phases', 'mechanism', 'rate', 'steps', 'cap');
  const { adjacency: neighbours = 'add-remove', delta = rest.delta } = facts;
  const base: State = { ...rest, neighbours, delta, loader: 'poisson', tries: 1 };
  if (phases === undefined) return { ...base, mechanism };
  const [{ sigma, rate, steps }] = phases;
  if (phases.length > 1) return { ...base, sigma, phases };
  const size = facts.datasetSize ?? (rate > 0 && rest.size >= 1 / rate ? rest.size : undefined);
  const batch = size === undefined ? undefined : rate * size;
  const whole = batch !== undefined && Math.abs(batch - Math.round(batch)) < 1e-9 * batch;
  if (size !== undefined && whole && batch !== undefined && Math.round(batch) / size === rate)
    return { ...base, sigma, size, batch: Math.round(batch), epochs: steps * rate };
  // the fields of a batch are hidden, and a link holds no batch larger than its data set
  const hidden = size === undefined ? {} : { size, batch: Math.min(rest.batch, size) };
  return { ...base, sigma, rate, steps, ...hidden };
}
