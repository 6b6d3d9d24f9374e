import { h, render } from 'preact';
import type { PageAnswer } from './messages.js';
import { portsFrom } from './ports.js';
import { Store } from './store.js';
import { App } from './view/app.js';
import { work } from './worker.js';

// one script serves both: with a document it is the page, without one a worker
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
  // the example's answer is painted before the workers start, because they load the script again
  if (store.answer === undefined) store.start();
  else setTimeout(() => store.start());
  draw();
  addEventListener('hashchange', () => location.hash.startsWith('#v=') && location.reload());
  // what the browser tests read
  Object.assign(globalThis, { gdpPage: store });
}

/** Follows the system's light or dark colours until the reader chooses; the choice lasts for the visit. Printing uses the light ones. */
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
