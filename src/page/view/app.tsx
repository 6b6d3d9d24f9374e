import { useEffect, useState } from 'preact/hooks';
import { VERSION } from '../../version.js';
import { UNKNOWNS, type Unknown } from '../state.js';
import type { Store } from '../store.js';
import { Bar } from './bar.js';
import { Changes, Compare, Others } from './compare.js';
import { Headline } from './headline.js';
import { Profile, Tradeoff } from './plots.js';
import { Rail } from './rail.js';
import { Specialist, Words } from './words.js';

export function App({ store }: { store: Store }) {
  const [over, setOver] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const listeners = listen(store, setOver, setScrolled);
    return () => {
      for (const [name, listener] of listeners) removeEventListener(name, listener);
    };
  }, [store]);
  const { answer } = store;
  const stale = store.stale !== undefined ? ' stale' : '';
  return (
    <div class={`app${stale}${store.brackets ? ' brackets' : ''}`}>
      <button type="button" class="skip" onClick={() => document.getElementById('answer')?.focus()}>
        Skip to the answer
      </button>
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
      <div class={store.toast === undefined ? 'toast' : 'toast on'} role="status">
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

/** The bracket of the number under the pointer. */
function Tip() {
  const [shown, setShown] = useState<{ bracket: string; left: number; top: number }>();
  useEffect(() => {
    const point = ({ target }: Event): void => {
      const number = (target as Element | null)?.closest?.<HTMLElement>('.num[data-bracket]');
      const bracket = number?.dataset['bracket'];
      if (number === null || number === undefined || bracket === undefined) {
        setShown(undefined);
        return;
      }
      const box = number.getBoundingClientRect();
      setShown({ bracket, left: Math.max(8, Math.min(innerWidth - 332, box.left)), top: box.bottom + 8 });
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

const KEYS = [
  ['K', 'keep this setting'],
  ['1 2 3', 'go back to a kept one'],
  ['L', 'linear or logarithmic'],
  ['B', 'show brackets'],
  ['S', 'solve for the field that has the focus'],
  ['O', 'open a run file'],
  ['E', 'export'],
  ['T', 'light or dark'],
  ['Ctrl Z', 'undo; with Shift redo'],
  ['Arrows', 'move a slider or a point; Shift by ten'],
] as const;

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
      <button type="button" class="button" onClick={onClose}>
        Close
      </button>
    </section>
  );
}

function switchTheme(): void {
  const { dataset } = document.documentElement;
  const dark = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  dataset['theme'] = dark === 'dark' ? 'light' : 'dark';
}

/** Keys, drops and scrolling of the whole window. */
function listen(
  store: Store,
  setOver: (over: boolean) => void,
  setScrolled: (scrolled: boolean) => void,
): readonly (readonly [string, EventListener])[] {
  const listeners = [
    ['keydown', (event) => keyPressed(store, event as KeyboardEvent)],
    [
      'dragover',
      (event) => {
        event.preventDefault();
        setOver(true);
      },
    ],
    ['dragleave', (event) => (event as DragEvent).relatedTarget === null && setOver(false)],
    [
      'drop',
      (event) => {
        event.preventDefault();
        setOver(false);
        void store.open([...((event as DragEvent).dataTransfer?.files ?? [])]);
      },
    ],
    ['scroll', () => setScrolled(scrollY > 120)],
    [
      'pointerdown',
      ({ target }) => {
        if (store.menu && !(target as Element).closest('.menu-place')) store.toggle('menu', false);
      },
    ],
  ] as readonly (readonly [string, EventListener])[];
  for (const [name, listener] of listeners) addEventListener(name, listener, { passive: name === 'scroll' });
  return listeners;
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
  const acts: Readonly<Record<string, () => void>> = {
    k: () => store.keep(),
    1: () => store.swap(0),
    2: () => store.swap(1),
    3: () => store.swap(2),
    l: () => store.look({ scale: store.state.scale === 'log' ? 'linear' : 'log' }),
    b: () => store.toggle('brackets'),
    e: () => store.toggle('menu'),
    t: switchTheme,
    o: () => document.getElementById('file')?.click(),
    s: () => solveFocused(store),
    '?': () => store.toggle('keys'),
  };
  const act = acts[event.key.toLowerCase()];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function solveFocused(store: Store): void {
  if (store.state.loader === 'capped-poisson') return;
  const name = document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset['field'];
  const unknown = UNKNOWNS.find((each) => each === name) ?? 'sigma';
  store.solveFor(unknown as Unknown);
}
