import { useRef, useState } from 'preact/hooks';
import { typedNumber } from '../../text/typed.js';
import { MOST_RECORDS } from '../fragment.js';
import {
  batchOfSize,
  FIELDS,
  type FieldName,
  fieldFault,
  fieldText,
  fieldValue,
  type SettingUnknown,
  settingOf,
  sliderEnd,
  sliderStop,
  snapped,
  typedIn,
  UNKNOWNS,
} from '../state.js';
import type { Store } from '../store.js';
import { Button, type Chosen, Select } from './parts.js';
import { TypedInput } from './typed-input.js';

export function SliderField({ name, store }: { name: FieldName; store: Store }) {
  const { state } = store;
  const field = FIELDS[name];
  const holding = useRef(false);
  const [fault, setFault] = useState<string>();
  const value = fieldValue(name, state);
  const isSolved = state.unknown === name;
  const text = fieldText(name, value);
  const end = sliderEnd(name, state);
  const [low, high] = [Math.log(field.from), Math.log(end)];
  const place = Math.min(1000, Math.max(0, (1000 * (Math.log(value) - low)) / (high - low)));
  const slide = (at: number): void => {
    if (!holding.current) store.remember();
    holding.current = true;
    store.dragging = true;
    setFault(undefined);
    const wanted = Math.min(end, snapped(name, Math.exp(low + ((high - low) * at) / 1000)));
    store.fields({ [name]: Math.max(sliderStop(name, state), wanted) }, false);
  };
  const settle = (): void => {
    holding.current = false;
    store.settle();
  };
  const commit = (typed: string): boolean => {
    const both = name === 'batch' ? batchOfSize(typed) : undefined;
    const next = both?.batch ?? typedIn(name, typed);
    const found = fieldFault(name, next, { ...settingOf(state), ...both }, typed);
    setFault(found);
    if (found === undefined) store.fields(both ?? { [name]: next });
    return found === undefined;
  };
  // capped batches are not solved for, as each answer takes seconds
  const solvable = (UNKNOWNS as readonly string[]).includes(name) && state.loader !== 'capped-poisson';
  return (
    <div class={isSolved ? 'field solved' : 'field'} data-field={name}>
      <div class="top">
        <label for={name}>
          {field.label} {field.symbol && <i>{field.symbol}</i>}
        </label>
        {solvable && (
          <Button
            class="solve"
            aria-pressed={isSolved}
            title="Find the value that meets a target"
            onClick={() => store.solveFor(name as SettingUnknown)}
          >
            {isSolved ? (store.solving ? 'Solving' : 'Solved') : 'Solve'}
          </Button>
        )}
        <TypedInput
          id={name}
          text={text}
          fault={fault !== undefined}
          onCommit={commit}
          onLeave={() => setFault(undefined)}
        />
      </div>
      <input
        type="range"
        min={0}
        max={1000}
        step={1}
        value={place}
        aria-label={field.label}
        aria-valuetext={text}
        style={{ '--at': `${place / 10}%` }}
        onInput={({ currentTarget }) => slide(Number(currentTarget.value))}
        onChange={settle}
      />
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

export function Choice<T extends string>({ label, ...choice }: Chosen<T>) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: it is within Select
    <label class="row">
      {label}
      <Select {...choice} />
    </label>
  );
}

export function Stepper(props: { label: string; value: number; onChange: (value: number) => void }) {
  const { label, value, onChange } = props;
  const held = (next: number): boolean => {
    const fits = Number.isInteger(next) && next >= 1 && next <= MOST_RECORDS;
    if (fits && next !== value) onChange(next);
    return fits;
  };
  const id = label.toLowerCase().replaceAll(' ', '-');
  return (
    <div class="row">
      <label for={id}>{label}</label>
      <span class="stepper">
        <Button class="small" label={`${label}: one fewer`} onClick={() => held(value - 1)}>
          −
        </Button>
        <TypedInput
          id={id}
          text={String(value)}
          fault={false}
          onCommit={(text) => held(typedNumber(text, { groups: true }))}
        />
        <Button class="small" label={`${label}: one more`} onClick={() => held(value + 1)}>
          +
        </Button>
      </span>
    </div>
  );
}
