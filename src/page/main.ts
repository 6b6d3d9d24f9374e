import { h, render } from 'preact';
import type { PageAnswer } from './messages.js';
import { portsFrom } from './ports.js';
import { Store } from './store.js';
import { App } from './view/app.js';
import { work } from './worker.js';

// one script is the page and, where there is no document, its workers
if (typeof document === 'undefined') work();
else start();

function start(): void {
  const { src } = document.currentScript as HTMLScriptElement;
  const [root, example] = ['app', 'example'].map((id) => document.getElementById(id));
  if (!root || !example) throw new Error('the page is not whole');
  followTheme();
  let wanted = false;
  const draw = (): void => {
    wanted = false;
    render(h(App, { store }), root);
    store.drawn();
  };
  const changed = (): void => {
    if (!wanted) requestAnimationFrame(draw);
    wanted = true;
  };
  const made = { ...JSON.parse(example.textContent), made: true } as PageAnswer;
  const store = new Store(portsFrom(src), changed, made);
  // what is there to be seen comes before the threads, which read the script again
  if (store.answer === undefined) store.start();
  else setTimeout(() => store.start());
  draw();
  addEventListener('hashchange', () => location.hash.startsWith('#v=') && location.reload());
  // what the browser tests read
  Object.assign(globalThis, { gdpPage: store });
}

/** The system's colours until the reader chooses others for the visit; on paper always the light ones. */
function followTheme(): void {
  const { dataset } = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): void => {
    dataset['theme'] = dark.matches ? 'dark' : 'light';
  };
  follow();
  dark.addEventListener('change', follow);
  let before: string | undefined;
  addEventListener('beforeprint', () => {
    before = dataset['theme'];
    dataset['theme'] = 'light';
  });
  addEventListener('afterprint', () => {
    dataset['theme'] = before;
  });
}
