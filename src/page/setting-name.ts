import { roughText, settingText } from '../text/rounded.js';
import { LOADER_WORDS, NEIGHBOUR_WORDS } from './loaders.js';
import { fieldValue, type Setting } from './state.js';

/** The traits in which two settings can differ: the name of each, the value that is compared, and its text. */
function traitsOf(s: Setting): readonly (readonly [name: string, value: unknown, words: string])[] {
  const entered = s.rate === undefined && s.steps === undefined;
  const fields = entered
    ? ([
        ['batch', s.batch, `batch ${settingText(s.batch)}`],
        ['size', s.size, `n ${settingText(s.size)}`],
        ['epochs', s.epochs, `${roughText(s.epochs, 3)} epochs`],
      ] as const)
    : ([
        ['rate', fieldValue('rate', s), `q ${roughText(fieldValue('rate', s), 3)}`],
        ['steps', fieldValue('steps', s), `${settingText(fieldValue('steps', s))} steps`],
      ] as const);
  return [
    ['sigma', s.sigma, `σ ${roughText(s.sigma, 3)}`],
    ...fields,
    ['loader', s.loader, LOADER_WORDS[s.loader].short],
    ['cap', s.cap, `cap ${s.cap}`],
    ['neighbours', s.neighbours, NEIGHBOUR_WORDS[s.neighbours].short],
    ['records', s.records, `${s.records} records`],
    ['tries', s.tries, `${s.tries} tries`],
    ['delta', s.delta, `δ ${settingText(s.delta)}`],
  ];
}

/** A name for a setting, of the traits in which it differs from those it is compared with: 'σ 6', or 'σ 6, batch 256'. */
export function nameOf(setting: Setting, among: readonly Setting[]): string {
  if (setting.mechanism !== undefined) return 'a mechanism';
  if (setting.phases !== undefined) return `${setting.phases.length} phases`;
  const others = among.map((other) => new Map(traitsOf(other).map(([name, value]) => [name, value])));
  const traits = traitsOf(setting);
  const apart = traits.filter(([name, value]) => others.some((other) => other.get(name) !== value));
  const shown = apart.length > 0 ? apart.slice(0, 2) : traits.slice(0, 1);
  return shown.map(([, , words]) => words).join(', ');
}
