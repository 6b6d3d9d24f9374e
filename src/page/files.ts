import type { Requests } from './channel.js';
import type { FileRead } from './messages.js';
import { type State, without } from './state.js';

/** A dropped file: its name and kind, or the reason why it was refused. */
export interface FileChip {
  readonly name: string;
  readonly what: string;
  readonly notes: readonly string[];
  readonly bad: boolean;
}

const MOST_BYTES = 256 * 1024 * 1024;

/** The mechanism read from a dropped file, or the reason why it was refused. */
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

/** The state with the file's mechanism in place of the former one. */
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
  // the fields of the batch are hidden for a file, but a link still checks that the batch fits its data set
  const hidden = size === undefined ? {} : { size, batch: Math.min(rest.batch, size) };
  return { ...base, sigma, rate, steps, ...hidden };
}
