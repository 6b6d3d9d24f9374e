import type { FileRead } from './messages.js';
import type { State } from './state.js';

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
    phases === undefined ? 'no sliders for it' : `${phases.length} phase${phases.length === 1 ? '' : 's'}`;
  const said = notes.length === 0 ? '' : `, ${notes.length} note${notes.length === 1 ? '' : 's'}`;
  return `${FORMATS[format] ?? format}, ${phases?.length === 1 ? 'one phase' : count}${said}`;
}

/** The state with what a file says in place of what was run. */
export function settingFrom({ mechanism, phases, facts }: FileRead, state: State): State {
  const { phases: _p, mechanism: _m, rate: _r, steps: _s, cap: _c, ...rest } = state;
  const said = {
    neighbours: facts.adjacency ?? 'add-remove',
    ...(facts.delta !== undefined && { delta: facts.delta }),
  } as const;
  const base: State = { ...rest, ...said, loader: 'poisson', tries: 1 };
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
