import { useEffect, useRef } from 'preact/hooks';
import { fontFacesIn } from '../../text/font-faces.js';
import { muText, settingText, upperText } from '../../text/rounded.js';
import { codeFault, commandLine, curveFile, fileStem, modelCard, python, reportFault } from '../exports.js';
import { linkFault } from '../fragment.js';
import type { PageAnswer, ReportFormat } from '../messages.js';
import type { Store } from '../store.js';
import { Button, Icon, Power } from './parts.js';

const TRAVEL = [
  ['undo', 'Undo', 'Ctrl Z', 'canUndo'],
  ['redo', 'Redo', 'Ctrl Shift Z', 'canRedo'],
] as const;

export function Bar({ store, scrolled, onTheme }: { store: Store; scrolled: boolean; onTheme: () => void }) {
  const { answer } = store;
  return (
    <header class={scrolled ? 'bar scrolled' : 'bar'}>
      <div class="mark">
        gdp<span>-kernel</span>
      </div>
      <div class="mini" aria-hidden="true">
        {answer !== undefined && (
          <>
            <b>ε ≤ {upperText(answer.epsilon.upper)}</b> at <Power text={settingText(answer.setting.delta)} />
            {answer.measured !== undefined && (
              <span class="wide"> · μ ≤ {muText(answer.measured.mu.upper)}</span>
            )}
          </>
        )}
      </div>
      <div class="actions">
        {TRAVEL.map(([name, label, keys, can]) => (
          <Button
            key={name}
            class="ghost"
            label={label}
            title={`${label} (${keys})`}
            disabled={!store[can]}
            onClick={() => store[name]()}
          >
            <Icon name={name} />
          </Button>
        ))}
        <Button class="ghost theme" label="Light or dark" title="Light or dark (T)" onClick={onTheme}>
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="8" cy="8" r="5.5" />
            <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
          </svg>
        </Button>
        <Button
          class="ghost words"
          title="Copy a link that holds these settings"
          onClick={() => share(store)}
        >
          Copy link
        </Button>
        <Menu store={store} />
      </div>
    </header>
  );
}

function share(store: Store): void {
  const fault = linkFault(store.state);
  if (fault !== undefined) store.say(fault);
  else copy(store, location.href, 'Link copied. It holds the settings, no file.');
}

interface Item {
  readonly title: string;
  readonly kind: string;
  readonly fault?: string | undefined;
  readonly act: () => void | Promise<void>;
}

function itemsOf(store: Store, answer: PageAnswer): Readonly<Record<string, readonly Item[]>> {
  const { scale, alpha, file } = store.state;
  const { setting } = answer;
  const stem = fileStem(answer);
  const report = (format: ReportFormat, ending: string, type: string, kind: string): Item => ({
    title: format === 'certificate' ? 'Certificate' : 'Report',
    kind,
    fault: reportFault(answer),
    act: async () => {
      const title = file === undefined ? 'Privacy report' : `Privacy report of ${file}`;
      const text = await store.exported(format, title, format === 'html' ? fontFaces() : undefined);
      save(store, `${stem}.${ending}`, text, type);
    },
  });
  const saved = (title: string, kind: string, ending: string, type: string, text: () => string): Item => ({
    title,
    kind,
    act: () => save(store, `${stem}.${ending}`, text(), type),
  });
  const code = (title: string, text: () => string): Item => ({
    title,
    kind: 'copy',
    fault: codeFault(answer),
    act: () => copy(store, text(), `${title} copied.`),
  });
  return {
    Publish: [
      report('html', 'html', 'text/html', 'HTML'),
      report('markdown', 'md', 'text/markdown', 'Markdown'),
      report('json', 'json', 'application/json', 'JSON, full brackets'),
      saved('Model-card block', 'YAML', 'yaml', 'text/yaml', () => modelCard(answer)),
      report('certificate', 'certificate.json', 'application/json', 'JSON, verifiable'),
      {
        title: 'Verify here',
        kind: 'by a second method',
        fault: reportFault(answer),
        act: () => verifyHere(store),
      },
    ],
    Paper: [
      saved('Curve', 'SVG', 'svg', 'image/svg+xml', () => curveFile(answer, scale, alpha)),
      { title: 'Curve', kind: 'PNG, 2×', act: () => savePng(store, answer, `${stem}.png`) },
    ],
    Reproduce: [code('Command line', () => commandLine(setting)), code('Python', () => python(setting))],
  };
}

function Menu({ store }: { store: Store }) {
  const { menu, settled, answer } = store;
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (menu) list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true });
  }, [menu]);
  const close = (): void => {
    store.toggle('menu', false);
    button.current?.focus();
  };
  const take = ({ fault, act }: Item): void => {
    if (fault !== undefined) {
      store.say(fault);
      return;
    }
    close();
    void Promise.resolve(act()).catch((error: Error) => store.say(error.message));
  };
  const keys = (event: KeyboardEvent): void => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[
      event.key
    ];
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
    if (next === undefined) return;
    event.preventDefault();
    items[next % items.length]?.focus();
  };
  return (
    <div class="menu-place">
      <button
        type="button"
        class="primary"
        ref={button}
        aria-haspopup="menu"
        aria-expanded={menu}
        onClick={() => store.toggle('menu')}
      >
        Export
      </button>
      {menu && answer !== undefined && (
        <div class="menu" role="menu" tabIndex={-1} aria-label="Export" ref={list} onKeyDown={keys}>
          {!settled && <p>One moment: the sharp answer is on its way.</p>}
          {Object.entries(itemsOf(store, answer)).map(([title, items]) => (
            // biome-ignore lint/a11y/useSemanticElements: a menu has groups, not fieldsets
            <div key={title} role="group" aria-label={title}>
              <p class="title" aria-hidden="true">
                {title}
              </p>
              {items.map((item) => (
                <Button
                  key={item.title + item.kind}
                  role="menuitem"
                  tabIndex={-1}
                  aria-disabled={!settled || item.fault !== undefined}
                  title={item.fault}
                  onClick={() => settled && take(item)}
                >
                  {item.title} <small>{item.kind}</small>
                </Button>
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

async function verifyHere(store: Store): Promise<void> {
  store.say('Verifying by a second method …');
  store.say(`Certificate ${await store.verified()}.`);
}

/** The @font-face rules of the page's style sheet. */
function fontFaces(): string | undefined {
  return fontFacesIn(document.querySelector('style')?.textContent ?? '');
}

function copy(store: Store, text: string, said: string): void {
  // without access to the clipboard the text is shown, so that the user can copy it
  const shown = (): void => store.say(text);
  if (navigator.clipboard === undefined) shown();
  else navigator.clipboard.writeText(text).then(() => store.say(said), shown);
}

function save(store: Store, name: string, content: BlobPart, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  store.say(`Saved ${name}.`);
}

async function savePng(store: Store, answer: PageAnswer, name: string): Promise<void> {
  const svg = curveFile(answer, store.state.scale, store.state.alpha);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser draws no pictures.');
  context.scale(2, 2);
  context.drawImage(image, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('This browser saves no PNG.');
  save(store, name, blob, 'image/png');
}
