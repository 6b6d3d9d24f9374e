import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ChartSpec, chart, frameOf } from '../../chart/chart.js';
import { oneIn, percentUp, settingText, upperText } from '../../text/rounded.js';
import { foundAt, profileChart, type Shown, tradeoffChart } from '../figures.js';
import type { Answer } from '../messages.js';
import { nameOf } from '../setting-name.js';
import { FIELDS, type State, snapRate } from '../state.js';
import type { Store } from '../store.js';
import { drawingNode, Power, Segments } from './parts.js';

const LEAST_WIDTH = 264;

/** Widths come from an observer: reading one between two writes would lay the page out anew at every step of a drag. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(428);
  useLayoutEffect(() => {
    const node = ref.current;
    if (node === null) return;
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.max(LEAST_WIDTH, Math.round(entry.contentRect.width)));
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Kept settings that have an answer, with the words that set them apart. */
function keptShown(store: Store): Shown['kept'] {
  const among = [store.state, ...store.state.kept];
  return store.kept.flatMap(({ setting, answer }) =>
    answer?.lines === undefined ? [] : [{ name: nameOf(setting, among), answer }],
  );
}

/** A drawing whose points can be taken: `drag` gets their data coordinates. */
function Plot({
  spec,
  idle,
  store,
  drag,
  keys,
}: {
  spec: ChartSpec;
  /** The handle that a press anywhere takes. */
  idle: string | undefined;
  store: Store;
  drag: (handle: string, x: number, y: number) => void;
  keys: (handle: string, way: number, large: boolean) => void;
}) {
  const held = useRef<string | undefined>(undefined);
  const move = (event: PointerEvent): void => {
    if (held.current === undefined) return;
    const svg = (event.currentTarget as HTMLElement).querySelector('svg');
    if (svg === null) return;
    const box = svg.getBoundingClientRect();
    const { x, y } = frameOf(spec);
    const scale = spec.width / box.width;
    drag(
      held.current,
      x.invert((event.clientX - box.left) * scale),
      y.invert((event.clientY - box.top) * scale),
    );
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
    // biome-ignore lint/a11y/noStaticElementInteractions: its points are sliders and take the keys
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
  );
}

const held = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

export function Tradeoff({ store, answer }: { store: Store; answer: Answer }) {
  const { ref, width } = useWidth();
  const { scale, alpha } = store.state;
  const found = foundAt(answer, alpha);
  const percent = percentUp(found);
  const kept = keptShown(store);
  return (
    <figure class="figure tradeoff" aria-labelledby="tradeoff-h">
      <div class="head">
        <h2 id="tradeoff-h">Trade-off curve</h2>
        <Segments
          label="Scale"
          value={scale}
          options={[
            ['linear', 'Linear'],
            ['log', 'Log'],
          ]}
          onChange={(next) => store.look({ scale: next })}
        />
      </div>
      <p class="reading">
        At <b>{oneIn(alpha)}</b> false alarms,{' '}
        {percent === '100' ? (
          <>
            an attack that finds every record used is <b>not excluded</b>.
          </>
        ) : (
          <>
            no attack finds more than <b>{percent} %</b> of the records used.
          </>
        )}
      </p>
      <div ref={ref}>
        <Plot
          store={store}
          idle="alpha"
          spec={tradeoffChart({ answer, kept, width }, scale, alpha)}
          drag={(_, x) => store.look({ alpha: snapRate(held(x, 1e-6, 0.999)) }, false)}
          keys={(_, way, large) => {
            const factor = (large ? 10 : 10 ** 0.1) ** way;
            store.look({ alpha: Number(held(alpha * factor, 1e-6, 0.999).toPrecision(2)) });
          }}
        />
      </div>
      <CurveTable answer={answer} />
    </figure>
  );
}

const TABLE = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.25, 0.5];

/** The curve for those who do not see it. */
function CurveTable({ answer }: { answer: Answer }) {
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

const TITLES = {
  delta: 'Privacy profile',
  alpha: 'Gaussian parameter',
  mu: 'Gaussian-DP transform',
  fit: 'What μ hides',
} as const;

export function Profile({ store, answer }: { store: Store; answer: Answer }) {
  const { ref, width } = useWidth();
  const { state } = store;
  const { view, unknown, target, aim } = state;
  const kept = keptShown(store);
  const aimed = unknown !== undefined && target !== undefined ? { aim, target } : undefined;
  const spec = profileChart({ answer, kept, width }, view, aimed);
  const aims =
    aimed !== undefined && ((aim === 'epsilon' && view === 'delta') || (aim === 'mu' && view === 'alpha'));
  const drag = (handle: string, x: number, y: number): void => {
    if (handle === 'delta') store.set({ delta: snapRate(held(y, 1e-12, 0.01)) }, false);
    else store.set({ target: Number(held(aim === 'mu' ? y : x, 0.01, 1e5).toPrecision(2)) }, false);
  };
  const keys = (handle: string, way: number, large: boolean): void => {
    const factor = (large ? 10 : 10 ** 0.1) ** way;
    if (handle === 'delta')
      store.set({ delta: Number(held(state.delta * factor, 1e-12, 0.01).toPrecision(2)) });
    else if (target !== undefined)
      store.set({ target: Number(held(target * (1 + way / 50), 0.01, 1e5).toPrecision(3)) });
  };
  return (
    <figure class="figure profile" aria-labelledby="profile-h">
      <div class="head">
        <h2 id="profile-h">{TITLES[view]}</h2>
        <Segments
          label="Curve"
          value={view}
          options={[
            ['delta', 'δ(ε)'],
            ['alpha', 'μ(α)'],
            ['mu', 'μ(ε)'],
            ['fit', 'Fit'],
          ]}
          onChange={(next) => store.look({ view: next })}
        />
      </div>
      <p class="reading">
        <Reading state={state} answer={answer} aims={aims} />
      </p>
      <div ref={ref}>
        <Plot
          store={store}
          idle={aims ? 'target' : view === 'delta' ? 'delta' : undefined}
          spec={spec}
          drag={drag}
          keys={keys}
        />
      </div>
    </figure>
  );
}

function Reading({ state, answer, aims }: { state: State; answer: Answer; aims: boolean }) {
  const { view, unknown, target, aim } = state;
  if (aims && unknown !== undefined && target !== undefined)
    return (
      <>
        Drag the diamond: the {FIELDS[unknown].label.toLowerCase()} follows.{' '}
        <b>
          {aim === 'mu' ? 'μ' : 'ε'} ≤ {settingText(target)}
        </b>{' '}
        {aim === 'epsilon' && (
          <>
            at δ <Power text={settingText(answer.setting.delta)} />
          </>
        )}
      </>
    );
  if (view === 'alpha')
    return <>The μ of the run at each error rate. A flat line means that one μ is enough.</>;
  if (view === 'mu') return <>The μ with the same δ at each ε. A flat line means that one μ is enough.</>;
  if (view === 'fit')
    return (
      <>
        How many more records an attacker finds under the Gaussian of μ than under this run. Regret is the gap
        along the diagonal.
      </>
    );
  return (
    <>
      At δ ={' '}
      <b>
        <Power text={settingText(answer.setting.delta)} />
      </b>
      , ε is at most <b>{upperText(answer.epsilon.upper)}</b>. Drag the point to read another δ.
    </>
  );
}
