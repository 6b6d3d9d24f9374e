import { useEffect, useState } from 'preact/hooks';
import { VERSION } from '../../version.js';
import { UNKNOWNS } from '../state.js';
import type { Store } from '../store.js';
import { Bar } from './bar.js';
import { Changes, Compare, Others } from './compare.js';
import { Headline } from './headline.js';
import { Button } from './parts.js';
import { Profile, Tradeoff } from './plots.js';
import { Rail } from './rail.js';
import { Specialist, Words } from './words.js';

export function App({ store }: { store: Store }) {
  const [over, setOver] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => listen(store, setOver, setScrolled), [store]);
  const { answer } = store;
  const stale = store.stale !== undefined ? ' stale' : '';
  return (
    <div class={`app${stale}${store.brackets ? ' brackets' : ''}`}>
      <Button class="skip" onClick={() => document.getElementById('answer')?.focus()}>
        Skip to the answer
      </Button>
      <Bar store={store} scrolled={scrolled} onTheme={switchTheme} />
      <main class="page">
        <Headline store={store} />
        <Rail store={store} over={over} />
        {answer !== undefined && (
          <>
            <Tradeoff store={store} answer={answer} />
            <Profile store={store} answer={answer} />
            <Words store={store} answer={answer} />
            <Specialist answer={answer} />
            <div class="side">
              <Changes answer={answer} />
              <Compare store={store} answer={answer} />
            </div>
            <Others answer={answer} />
          </>
        )}
      </main>
      <footer class="foot">
        <span>{engineText(store)}</span>
        <span>
          Every number is the safe end of a proven interval. Press <kbd>B</kbd> to see brackets, <kbd>?</kbd>{' '}
          for keys.
        </span>
      </footer>
      <Tip />
      {store.keys && <Keys onClose={() => store.toggle('keys', false)} />}
      <div class="toast" role="status">
        {store.toast}
      </div>
    </div>
  );
}

function engineText({ answer }: Store): string {
  const name = `gdp-kernel ${VERSION}`;
  if (answer === undefined || answer.made) return name;
  return answer.engine === 'wasm'
    ? `${name}, WebAssembly, no network`
    : `${name}. WebAssembly is forbidden here: the slower reference engine answers, with the same digits.`;
}

/** A tooltip with the bracket of the number under the pointer. */
function Tip() {
  const [shown, setShown] = useState<{ bracket: string; left: number; top: number }>();
  useEffect(() => {
    const point = ({ target }: Event): void => {
      const number = (target as Element | null)?.closest?.<HTMLElement>('.num[data-bracket]');
      const bracket = number?.dataset['bracket'];
      const box = number?.getBoundingClientRect();
      setShown(
        bracket && box
          ? { bracket, left: Math.max(8, Math.min(innerWidth - 332, box.left)), top: box.bottom + 8 }
          : undefined,
      );
    };
    addEventListener('pointerover', point);
    return () => removeEventListener('pointerover', point);
  }, []);
  if (shown === undefined) return null;
  const { bracket, left, top } = shown;
  return (
    <div class="tip" role="tooltip" style={{ left: `${left}px`, top: `${top}px` }}>
      <b>{bracket}</b>
      {bracket.startsWith('[0, ')
        ? 'An upper bound, rounded up. The true value may be much lower.'
        : 'The exact value lies between. Shown: the upper end, rounded up.'}
    </div>
  );
}

/** The keys, what each does, and its handler. Keys without a handler are handled elsewhere, and only listed. */
const KEYS: readonly (readonly [keys: string, what: string, act?: (store: Store, key: string) => void])[] = [
  ['K', 'keep this setting', (store) => store.keep()],
  ['1 2 3', 'go back to a kept one', (store, key) => store.swap(Number(key) - 1)],
  [
    'L',
    'linear or logarithmic',
    (store) => store.look({ scale: store.state.scale === 'log' ? 'linear' : 'log' }),
  ],
  ['B', 'show brackets', (store) => store.toggle('brackets')],
  ['S', 'solve for the field that has the focus', solveFocused],
  ['O', 'open a run file', () => document.getElementById('file')?.click()],
  ['E', 'export', (store) => store.toggle('menu')],
  ['T', 'light or dark', switchTheme],
  ['Ctrl Z', 'undo; with Shift redo'],
  ['Arrows', 'move a slider or a point; Shift by ten'],
];

function Keys({ onClose }: { onClose: () => void }) {
  return (
    <section class="keys" aria-label="Keys">
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Button class="button" onClick={onClose}>
        Close
      </Button>
    </section>
  );
}

function switchTheme(): void {
  const { dataset } = document.documentElement;
  const dark = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  dataset['theme'] = dark === 'dark' ? 'light' : 'dark';
}

/** Keys, drops and scrolling of the whole window. */
function listen(store: Store, setOver: (is: boolean) => void, setScrolled: (is: boolean) => void) {
  const over = (event: Event, is: boolean): void => {
    event.preventDefault();
    setOver(is);
  };
  const handlers: { readonly [K in keyof WindowEventMap]?: (event: WindowEventMap[K]) => void } = {
    keydown: (event) => keyPressed(store, event),
    dragover: (event) => over(event, true),
    dragleave: (event) => event.relatedTarget === null && setOver(false),
    drop: (event) => {
      over(event, false);
      void store.open([...(event.dataTransfer?.files ?? [])]);
    },
    scroll: () => setScrolled(scrollY > 120),
    pointerdown: ({ target }) => {
      if (store.menu && !(target as Element).closest('.menu-place')) store.toggle('menu', false);
    },
  };
  const listeners = Object.entries(handlers) as [string, EventListener][];
  for (const [name, listener] of listeners) addEventListener(name, listener, { passive: name === 'scroll' });
  return () => {
    for (const [name, listener] of listeners) removeEventListener(name, listener);
  };
}

function keyPressed(store: Store, event: KeyboardEvent): void {
  const target = event.target as HTMLInputElement;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== 'range';
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === 'z' && !typing) {
    event.preventDefault();
    if (event.shiftKey) store.redo();
    else store.undo();
    return;
  }
  if (event.key === 'Escape') {
    if (store.keys) store.toggle('keys', false);
    else if (store.menu) store.toggle('menu', false);
    else if (store.state.unknown !== undefined) store.solveFor(undefined);
    return;
  }
  if (typing || command || event.altKey) return;
  const key = event.key.toLowerCase();
  const [, , act] = KEYS.find(([keys]) => keys.toLowerCase().split(' ').includes(key)) ?? [];
  if (act === undefined && key !== '?') return;
  event.preventDefault();
  if (act === undefined) store.toggle('keys');
  else act(store, key);
}

function solveFocused(store: Store): void {
  if (store.state.loader === 'capped-poisson') return;
  const name = document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset['field'];
  store.solveFor(UNKNOWNS.find((each) => each === name) ?? 'sigma');
}
