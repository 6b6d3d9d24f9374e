import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LOADER_NAMES } from '../../mechanism/loaders.js';
import { shortDecimal } from '../../text/decimal.js';
import { visible } from '../../text/escape.js';
import { roughText, settingText } from '../../text/rounded.js';
import { typedNumber } from '../../text/typed.js';
import type { FileChip } from '../files.js';
import {
  batchesAnEpoch,
  byBatch,
  hasWholeEpochs,
  LOADER_WORDS,
  loadersFor,
  NEIGHBOUR_WORDS,
  neighboursFor,
  takenFor,
  wholeEpochs,
} from '../loaders.js';
import { type Aim, type FieldName, phaseOf, phasesOf, type State, without } from '../state.js';
import type { Store } from '../store.js';
import { Choice, SliderField, Stepper } from './fields.js';
import { Button, Close, Rich, Select } from './parts.js';
import { Phases } from './phases.js';
import { TypedInput } from './typed-input.js';

export function Rail({ store, over }: { store: Store; over: boolean }) {
  const { state } = store;
  const free = state.mechanism === undefined;
  return (
    <aside class="rail" aria-label="Settings" ref={useHeight()}>
      <Doors store={store} over={over} />
      {free && (
        <fieldset>
          <legend>Training</legend>
          <Target store={store} />
          {state.phases === undefined ? <Fields store={store} /> : <Phases store={store} />}
          <Derived state={state} />
          <EnteredAs store={store} />
        </fieldset>
      )}
      <fieldset>
        <legend>Who is protected, from what</legend>
        <SliderField name="delta" store={store} />
        {free && (
          <Choice
            label="Batches"
            value={state.loader}
            options={loadersFor(state).map((each) => [each, LOADER_NAMES[each]])}
            onChange={(loader) => store.set({ loader })}
          />
        )}
        <Choice
          label="Neighbours"
          value={state.neighbours}
          options={neighboursFor(state).map((each) => [each, NEIGHBOUR_WORDS[each].choice])}
          onChange={(neighbours) => store.set({ neighbours, chosen: undefined })}
        />
        <Stepper
          label="Records per person"
          value={state.records}
          onChange={(records) => store.set({ records })}
        />
        <Stepper label="Tries" value={state.tries} onChange={(tries) => store.set({ tries })} />
      </fieldset>
    </aside>
  );
}

/** Sets the height of the column of settings as a CSS property. With it the style sheet keeps the end of a tall column in view. */
function useHeight() {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const rail = ref.current;
    if (rail === null) return;
    const observer = new ResizeObserver(() => rail.style.setProperty('--rail', `${rail.offsetHeight}px`));
    observer.observe(rail);
    return () => observer.disconnect();
  }, []);
  return ref;
}

/** Two buttons side by side: open the file of a run that took place, or plan a run. */
function Doors({ store, over }: { store: Store; over: boolean }) {
  const { state } = store;
  const plans = state.unknown !== undefined;
  return (
    <div>
      <div class="doors">
        <label class={over ? 'door pick hit' : 'door pick'}>
          <input
            type="file"
            id="file"
            multiple
            onChange={({ currentTarget }) => {
              void store.open([...(currentTarget.files ?? [])]);
              currentTarget.value = '';
            }}
          />
          <b>Open a run</b> or drop its file
        </label>
        <Button
          class="door plan"
          aria-pressed={plans}
          disabled={state.mechanism !== undefined || state.loader === 'capped-poisson'}
          onClick={() => store.solveFor(plans ? undefined : 'sigma')}
        >
          <b>Plan a run</b> find its noise
        </Button>
      </div>
      <p class="kinds">Reads .pt, .json, DpEvents and TF-Privacy statements. Files stay on this computer.</p>
      {store.files.map((file) => (
        <Chip key={file.name} file={file} onClose={() => store.closeFile(file.name)} />
      ))}
    </div>
  );
}

function Chip({ file, onClose }: { file: FileChip; onClose: () => void }) {
  // marks that change the direction of text would make the name look like another
  const name = visible(file.name);
  return (
    <div class={file.bad ? 'chip bad' : 'chip'} role={file.bad ? 'alert' : undefined}>
      <span>
        <b>{file.bad ? `${name} was not read.` : name}</b>
        <br />
        {file.bad ? `${file.what} Nothing changed.` : file.what}
        {file.notes.length > 0 && (
          <details>
            <summary>What was assumed</summary>
            {file.notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
          </details>
        )}
      </span>
      <Close label={`Close ${name}`} onClick={onClose} />
    </div>
  );
}

const AIM_NAMES: readonly (readonly [Aim, string])[] = [
  ['epsilon', 'ε'],
  ['mu', 'μ'],
  ['advantage', 'advantage'],
  ['found', 'found at α'],
];

function Target({ store }: { store: Store }) {
  const { unknown, target, aim, delta, alpha } = store.state;
  const [fault, setFault] = useState(false);
  if (unknown === undefined || target === undefined) return null;
  const commit = (text: string): boolean => {
    const value = typedNumber(text);
    const most = aim === 'advantage' || aim === 'found' ? 1 : 1e6;
    const bad = !(value > 0 && value < most) || (aim === 'found' && value <= alpha);
    setFault(bad);
    if (!bad) store.set({ target: value });
    return !bad;
  };
  return (
    <div class="target">
      <span>so that</span>
      <Select
        label="What is aimed at"
        value={aim}
        options={AIM_NAMES}
        onChange={(next) => {
          const value = { epsilon: 3, mu: 1, advantage: 0.3, found: Math.min(0.9, 20 * alpha) }[next];
          store.set({ aim: next, target: Number(value.toPrecision(2)) });
        }}
      />
      <span>≤</span>
      <TypedInput
        id="aim"
        label={`Target ${aim}`}
        text={shortDecimal(target)}
        fault={fault}
        onCommit={commit}
        onLeave={() => setFault(false)}
      />
      <span>
        {aim === 'epsilon' && <Rich text={`at δ ${settingText(delta)}`} />}
        {aim === 'found' && `at ${settingText(alpha)}`}
      </span>
      <Button class="plain" onClick={() => store.solveFor(undefined)}>
        Done
      </Button>
    </div>
  );
}

function Fields({ store }: { store: Store }) {
  const cap = store.state.loader === 'capped-poisson' ? (['cap'] as const) : [];
  const names: readonly FieldName[] = byBatch(store.state)
    ? ['sigma', 'batch', ...cap, 'size', 'epochs']
    : ['sigma', 'rate', 'steps'];
  return (
    <>
      {names.map((name) => (
        <SliderField key={name} name={name} store={store} />
      ))}
    </>
  );
}

function Derived({ state }: { state: State }) {
  const steps = phasesOf(state).reduce((sum, phase) => sum + phase.steps, 0);
  const { way } = LOADER_WORDS[state.loader];
  const counted = (count: number, what: string): string =>
    `**${settingText(count)}** ${what}${count === 1 ? '' : 's'}`;
  const { rate } = phaseOf(state);
  const taken = hasWholeEpochs(state) ? takenFor(state) : undefined;
  const text =
    state.phases !== undefined
      ? `**${settingText(steps)}** steps in all; every phase counts.`
      : hasWholeEpochs(state)
        ? `${counted(wholeEpochs(state), 'whole epoch')} of **${settingText(batchesAnEpoch(state))}** batches; ${way}.`
        : `Sampling rate **${state.loader === 'all' ? '1' : roughText(rate, 4)}**, ${counted(steps, 'step')}; ${way}.`;
  return (
    <p class="derived">
      <Rich text={text} />
      {taken !== undefined && <strong class="taken"> {taken}</strong>}
    </p>
  );
}

function EnteredAs({ store }: { store: Store }) {
  const { state } = store;
  // loaders with epochs or a cap need batch, data set and epochs
  if (state.phases !== undefined || !['poisson', 'all'].includes(state.loader)) return null;
  const byRate = !byBatch(state);
  const change = (): void => {
    const rest = without(state, 'rate', 'steps', 'unknown');
    const { rate, steps } = phaseOf(state);
    const batch = Math.min(rest.size, Math.max(1, Math.round(rate * rest.size)));
    const entered = byRate ? { batch, epochs: (steps * batch) / rest.size } : { rate, steps };
    store.replace({ ...rest, ...entered });
  };
  return (
    <p class="links">
      <Button class="plain" onClick={change}>
        {byRate ? 'Enter batch, data and epochs instead' : 'Enter rate and steps instead'}
      </Button>
      <Button class="plain" onClick={() => store.set({ phases: [phaseOf(state), phaseOf(state)] })}>
        Add a phase
      </Button>
    </p>
  );
}
