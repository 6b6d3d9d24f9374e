import { roughText, settingText } from '../../text/rounded.js';
import { type FieldName, fieldFault, fieldText, type SettingPhase, typedIn, without } from '../state.js';
import type { Store } from '../store.js';
import { Button, Close } from './parts.js';
import { TypedInput } from './typed-input.js';

const SHOWN = 6;
const COLUMNS = [
  ['sigma', 'σ'],
  ['rate', 'rate'],
  ['steps', 'steps'],
] as const satisfies readonly (readonly [FieldName & keyof SettingPhase, string])[];

/** Phases in place of the fields: editable, the first few shown. */
export function Phases({ store }: { store: Store }) {
  const { phases = [], unknown } = store.state;
  const solved = unknown === 'sigma';
  const put = (next: readonly SettingPhase[]): void => {
    const rest = without(store.state, 'phases', 'unknown');
    const [first] = next;
    store.replace({ ...rest, ...(next.length > 1 ? { sigma: first.sigma, phases: next } : first) });
  };
  const edit = (index: number, name: keyof SettingPhase, text: string): boolean => {
    const value = typedIn(name, text);
    const fault = fieldFault(name, value, store.state, text);
    if (fault !== undefined) store.say(fault);
    else put(phases.map((phase, i) => (i === index ? { ...phase, [name]: value } : phase)));
    return fault === undefined;
  };
  return (
    <div>
      <table class="phases">
        <thead>
          <tr>
            <th scope="col">Phase</th>
            {COLUMNS.map(([name, title]) => (
              <th scope="col" key={name}>
                {title}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {phases.slice(0, SHOWN).map((phase, i) => (
            <tr key={i}>
              <th scope="row">{i + 1}</th>
              {COLUMNS.map(([name, title]) => (
                <td key={name}>
                  <TypedInput
                    id={`phase-${i}-${name}`}
                    label={`Phase ${i + 1}, ${title}`}
                    text={name === 'rate' ? roughText(phase.rate, 6) : fieldText(name, phase[name])}
                    fault={false}
                    onCommit={(text) => edit(i, name, text)}
                  />
                </td>
              ))}
              <td>
                <Close
                  label={`Remove phase ${i + 1}`}
                  onClick={() => put(phases.filter((_, j) => j !== i))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {phases.length > SHOWN && <p class="derived">and {settingText(phases.length - SHOWN)} more</p>}
      <p class="links">
        <Button class="plain" onClick={() => put([...phases, phases[phases.length - 1]])}>
          Add a phase
        </Button>
        <Button class="plain" aria-pressed={solved} onClick={() => store.solveFor('sigma')}>
          {solved ? (store.solving ? 'Solving' : 'Solved') : 'Solve for the noise of all'}
        </Button>
      </p>
    </div>
  );
}
