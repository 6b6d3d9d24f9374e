import { h, render } from 'preact';
import { Store } from './store.js';
import { App } from './view/app.js';
import { portsFrom, serve } from './worker.js';

/** One script for the page and for its workers: a worker runs the page's own text and finds no document. */
if (typeof document === 'undefined') serve();
else start();

function start(): void {
  const root = document.getElementById('app');
  const source = document.currentScript?.textContent;
  if (root === null || source === null || source === undefined) throw new Error('the page is not whole');
  followTheme();
  let wanted = false;
  const draw = (): void => {
    wanted = false;
    render(h(App, { store }), root);
  };
  const store = new Store(portsFrom(source), () => {
    if (!wanted) requestAnimationFrame(draw);
    wanted = true;
  });
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
