import { type ComponentChildren, type ComponentProps, h, type VNode } from 'preact';
import type { Element } from '../../chart/element.js';
import type { Bracket } from '../../numeric/bracket.js';
import { bracketText } from '../../text/decimal.js';
import { powerOfTen } from '../../text/rounded.js';

/** '1e-5' with its exponent raised; anything else as it is. */
export function Power({ text }: { text: string }) {
  const power = powerOfTen(text);
  if (power === undefined) return <>{text}</>;
  return (
    <>
      {power.factor}10<sup>{power.exponent}</sup>
    </>
  );
}

/** Words with **strong** and _slanted_ parts, and powers of ten raised. */
export function Rich({ text }: { text: string }): VNode {
  const parts = text.split(/(\*\*.+?\*\*|_.+?_|\d[\d.]*e[+-]?\d+)/);
  const shown = (part: string) => {
    if (part.startsWith('**')) return h('b', {}, h(Rich, { text: part.slice(2, -2) }));
    return part.startsWith('_') ? <i>{part.slice(1, -1)}</i> : <Power text={part} />;
  };
  return <>{parts.map((part, i) => (i % 2 === 1 ? shown(part) : part))}</>;
}

/** A number that shows its bracket when the pointer is on it. */
export function Num({ text, of, shift = 0 }: { text: string; of?: Bracket | undefined; shift?: number }) {
  return (
    <span class="num" data-bracket={of === undefined ? undefined : bracketText(of, shift)}>
      <Power text={text} />
    </span>
  );
}

/** A drawing's tree as elements of the page. Draggable points have keys, so that they keep the focus when the drawing changes. */
export function drawingNode({ tag, attributes, children }: Element): VNode {
  const { 'data-handle': handle } = attributes;
  const inner = children.map((child) => (typeof child === 'string' ? child : drawingNode(child)));
  return h(tag, { ...attributes, ...(handle === undefined ? {} : { key: handle }) }, ...inner);
}

export function Button({ label, ...rest }: ComponentProps<'button'> & { label?: string }) {
  return <button type="button" aria-label={label} {...rest} />;
}

export function Close({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button class="small" label={label} onClick={onClick}>
      <Icon name="close" />
    </Button>
  );
}

export function Section(props: { name: string; title: ComponentChildren; children: ComponentChildren }) {
  const { name, title, children } = props;
  return (
    <section class={name} aria-labelledby={`${name}-h`}>
      <h2 id={`${name}-h`}>{title}</h2>
      {children}
    </section>
  );
}

/** A choice of one value: its label, the possible values with their texts, the chosen value, and the handler of changes. */
export interface Chosen<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: ComponentChildren])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Select<T extends string>({ label, options, value, onChange }: Partial<Chosen<T>>) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value as T)}
    >
      {options?.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** One of a few, by click or arrows. */
export function Segments<T extends string>({ label, options, value, onChange }: Chosen<T>) {
  const move = (event: KeyboardEvent): void => {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const at = options.findIndex(([each]) => each === value);
    const group = event.currentTarget as HTMLElement;
    onChange(options.at((at + way) % options.length)![0]);
    requestAnimationFrame(() => group.querySelector<HTMLElement>('[aria-checked=true]')?.focus());
  };
  return (
    <span class="segments" role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map(([each, text]) => (
        // biome-ignore lint/a11y/useSemanticElements: a row of words, not of circles
        <button
          key={each}
          type="button"
          role="radio"
          aria-checked={each === value}
          tabIndex={each === value ? 0 : -1}
          onClick={() => onChange(each)}
        >
          {text}
        </button>
      ))}
    </span>
  );
}

const ICONS = {
  undo: 'M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7',
  redo: 'M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9',
  close: 'M4 4l8 8M12 4l-8 8',
} as const;

export function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
