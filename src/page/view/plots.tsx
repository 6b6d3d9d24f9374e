import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ChartSpec, chart, frameOf } from '../../chart/chart.js';
import { oneIn, percentUp, settingText, upperText } from '../../text/rounded.js';
import { foundAt, profileChart, type ShownAnswers, tradeoffChart } from '../figures.js';
import type { PageAnswer } from '../messages.js';
import { nameOf } from '../setting-name.js';
import { FIELDS, type State, snapRate } from '../state.js';
import type { Store } from '../store.js';
import { type Chosen, drawingNode, Rich, Segments } from './parts.js';

const LEAST_WIDTH = 264;

/**
 * Reports the width of a node whenever it changes. Reading it between two writes would cause a new layout of the page at every
 * step of a drag.
 */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(428);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.max(LEAST_WIDTH, Math.round(entry.contentRect.width)));
    });
    observer.observe(ref.current as HTMLDivElement);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Kept settings that have an answer, each with a name of the traits in which it differs from the others. */
function keptShown(store: Store): ShownAnswers['kept'] {
  const among = [store.state, ...store.state.kept];
  return store.kept.flatMap(({ setting, answer }) =>
    answer?.lines === undefined ? [] : [{ name: nameOf(setting, among), answer }],
  );
}

interface Figure<T extends string> {
  readonly name: string;
  readonly title: string;
  readonly choice: Chosen<T>;
  readonly reading: string;
  readonly store: Store;
  readonly spec: (width: number) => ChartSpec;
  /** The draggable point that follows the pointer if the press was not on a point; undefined for none. */
  readonly idle: string | undefined;
  /** Gets the data coordinates of a point that is dragged. */
  readonly drag: (handle: string, x: number, y: number) => void;
  readonly keys: (handle: string, way: number, large: boolean) => void;
  readonly children?: ComponentChildren;
}

/** A chart with draggable points, under its heading and a sentence that states its main value. */
function Figure<T extends string>(props: Figure<T>) {
  const { name, title, choice, reading, store, idle, drag, keys, children } = props;
  const { ref, width } = useWidth();
  const spec = props.spec(width);
  const held = useRef<string | undefined>(undefined);
  const move = (event: PointerEvent): void => {
    if (held.current === undefined) return;
    const box = (event.currentTarget as HTMLElement).querySelector('svg')?.getBoundingClientRect();
    if (box === undefined) return;
    const { x, y } = frameOf(spec);
    const data = (scale: typeof x, place: number) => scale.invert((place * spec.width) / box.width);
    drag(held.current, data(x, event.clientX - box.left), data(y, event.clientY - box.top));
  };
  const down = (event: PointerEvent): void => {
    const handle = (event.target as globalThis.Element).closest<SVGElement>('[data-handle]');
    const id = handle?.dataset['handle'] ?? idle;
    if (id === undefined || event.button !== 0) return;
    held.current = id;
    store.remember();
    store.dragging = true;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    move(event);
    event.preventDefault();
    handle?.focus({ preventScroll: true });
  };
  const up = (): void => {
    if (held.current === undefined) return;
    held.current = undefined;
    store.settle();
  };
  const key = (event: KeyboardEvent): void => {
    const id = (event.target as SVGElement).dataset?.['handle'];
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 4, PageDown: -4 }[
      event.key
    ];
    if (id === undefined || way === undefined) return;
    event.preventDefault();
    keys(id, way, event.shiftKey);
  };
  return (
    <figure class={`figure ${name}`} aria-labelledby={`${name}-h`}>
      <div class="head">
        <h2 id={`${name}-h`}>{title}</h2>
        <Segments {...choice} />
      </div>
      <p class="reading">
        <Rich text={reading} />
      </p>
      <div ref={ref}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: its points are sliders and take the keys */}
        <div
          class="plot"
          onPointerDown={down}
          onPointerMove={move}
          onPointerUp={up}
          onPointerCancel={up}
          onKeyDown={key}
        >
          {drawingNode(chart(spec))}
        </div>
      </div>
      {children}
    </figure>
  );
}

/** A number limited to a range and rounded to `digits` significant digits. */
function held(value: number, least: number, most: number, digits = 2): number {
  return Number(Math.min(most, Math.max(least, value)).toPrecision(digits));
}

export function Tradeoff({ store, answer }: { store: Store; answer: PageAnswer }) {
  const { scale, alpha } = store.state;
  const percent = percentUp(foundAt(answer, alpha));
  const kept = keptShown(store);
  const found =
    percent === '100'
      ? 'an attack that finds every record used is **not excluded**'
      : `no attack finds more than **${percent} %** of the records used`;
  return (
    <Figure
      name="tradeoff"
      title="Trade-off curve"
      choice={{
        label: 'Scale',
        value: scale,
        options: Object.entries({ linear: 'Linear', log: 'Log' }) as ['linear' | 'log', string][],
        onChange: (next) => store.look({ scale: next }),
      }}
      reading={`At **${oneIn(alpha)}** false alarms, ${found}.`}
      store={store}
      idle="alpha"
      spec={(width) => tradeoffChart({ answer, kept, width }, scale, alpha)}
      drag={(_, x) => store.look({ alpha: snapRate(Math.min(0.999, Math.max(1e-6, x))) }, false)}
      keys={(_, way, large) => store.look({ alpha: held(alpha * factorOf(way, large), 1e-6, 0.999) })}
    >
      <CurveTable answer={answer} />
    </Figure>
  );
}

/** The factor by which a key moves a value: `way` tenths of a power of ten, or with `large` whole powers. */
function factorOf(way: number, large: boolean): number {
  return (large ? 10 : 10 ** 0.1) ** way;
}

const TABLE = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.25, 0.5];

/** The trade-off curve as a table, for readers who cannot see the chart. */
function CurveTable({ answer }: { answer: PageAnswer }) {
  return (
    <div class="unseen">
      <table>
        <caption>Trade-off curve: the most that any attack finds</caption>
        <thead>
          <tr>
            <th scope="col">False alarms</th>
            <th scope="col">Records found, at most</th>
          </tr>
        </thead>
        <tbody>
          {TABLE.map((alpha) => (
            <tr key={alpha}>
              <th scope="row">{oneIn(alpha)}</th>
              <td>{percentUp(foundAt(answer, alpha))} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const VIEWS = {
  delta: ['δ(ε)', 'Privacy profile'],
  alpha: ['μ(α)', 'Gaussian parameter'],
  mu: ['μ(ε)', 'Gaussian-DP transform'],
  fit: ['Fit', 'What μ hides'],
} as const;

export function Profile({ store, answer }: { store: Store; answer: PageAnswer }) {
  const { state } = store;
  const { view, unknown, target, aim } = state;
  const kept = keptShown(store);
  const aimed = unknown !== undefined && target !== undefined ? { aim, target } : undefined;
  const aims =
    aimed !== undefined && ((aim === 'epsilon' && view === 'delta') || (aim === 'mu' && view === 'alpha'));
  return (
    <Figure
      name="profile"
      title={VIEWS[view][1]}
      choice={{
        label: 'Curve',
        value: view,
        options: Object.entries(VIEWS).map(([name, [text]]) => [name as keyof typeof VIEWS, text]),
        onChange: (next) => store.look({ view: next }),
      }}
      reading={readingOf(state, answer, aims)}
      store={store}
      idle={aims ? 'target' : view === 'delta' ? 'delta' : undefined}
      spec={(width) => profileChart({ answer, kept, width }, view, aimed)}
      drag={(handle, x, y) => {
        if (handle === 'delta') store.set({ delta: snapRate(Math.min(0.01, Math.max(1e-12, y))) }, false);
        else store.set({ target: held(aim === 'mu' ? y : x, 0.01, 1e5) }, false);
      }}
      keys={(handle, way, large) => {
        if (handle === 'delta') store.set({ delta: held(state.delta * factorOf(way, large), 1e-12, 0.01) });
        else if (target !== undefined) store.set({ target: held(target * (1 + way / 50), 0.01, 1e5, 3) });
      }}
    />
  );
}

function readingOf({ view, unknown, target, aim }: State, answer: PageAnswer, aims: boolean): string {
  const delta = settingText(answer.setting.delta);
  if (aims && unknown !== undefined && target !== undefined) {
    const wanted = `**${aim === 'mu' ? 'μ' : 'ε'} ≤ ${settingText(target)}**`;
    const field = FIELDS[unknown].label.toLowerCase();
    return `Drag the diamond: the ${field} follows. ${wanted}${aim === 'epsilon' ? ` at δ ${delta}` : ''}`;
  }
  return {
    delta: `At δ = **${delta}**, ε is at most **${upperText(answer.epsilon.upper)}**. Drag the point to read another δ.`,
    alpha: 'The μ of the run at each error rate. A flat line means that one μ is enough.',
    mu: 'The μ with the same δ at each ε. A flat line means that one μ is enough.',
    fit: 'How many more records an attacker finds under the Gaussian of μ than under this run. Regret is the gap along the diagonal.',
  }[view];
}
