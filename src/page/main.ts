import { h, render } from 'preact';
import type { Answer } from './messages.js';
import { portsFrom } from './ports.js';
import { Store } from './store.js';
import { App } from './view/app.js';

// the example's claim stands in the page: the frame that shows it comes first
if (document.querySelector('h1') === null) start();
else requestAnimationFrame(() => setTimeout(start));

function start(): void {
  const [root, library, example] = ['app', 'library', 'example'].map((id) => document.getElementById(id));
  if (!root || !library || !example) throw new Error('the page is not whole');
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
  const made = { ...JSON.parse(example.textContent), made: true } as Answer;
  const store = new Store(portsFrom(library.textContent), changed, made);
  // what is there to be seen comes before the threads, which take the library's text in
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
