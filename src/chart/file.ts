import { type ChartSpec, chart } from './chart.js';
import { type Element, element, elementText } from './element.js';
import { CHART_STYLE, DARK, LIGHT, type Tokens } from './theme.js';

/** The rules of the style sheet, each with the classes that it needs and its declarations [property, value]. */
const RULES: readonly { names: string[]; look: string[][] }[] = [
  ...CHART_STYLE.matchAll(/\.chart(?: \.([\w.-]+))?\{([^}]*)\}/g),
].map(([, names, look]) => ({
  names: (names ?? 'chart').split('.'),
  look: look.split(';').map((words) => words.split(':')),
}));

function valueIn(tokens: Tokens, value: string): string {
  return value.replace(/var\(--([\w-]+),?([^)]*)\)/, (_, name: string, other: string) =>
    Object.hasOwn(tokens, name) ? tokens[name as keyof Tokens] : other,
  );
}

/** The element with its light colours as attributes, for paper and for programs without style sheets. */
function painted({ tag, attributes, children }: Element): Element {
  const own = String(attributes['class'] ?? '').split(' ');
  const looks = RULES.filter(({ names }) => names.every((name) => own.includes(name)));
  const look = looks.flatMap(({ look }) => look.map(([name, value]) => [name, valueIn(LIGHT, value)]));
  return {
    tag,
    attributes: { ...attributes, ...Object.fromEntries(look) },
    children: children.map((child) => (typeof child === 'string' ? child : painted(child))),
  };
}

/** A chart as an SVG file of its own. `below` comes before the drawing: a background, or a style for dark screens. */
export function chartFile(spec: ChartSpec, below: Element): string {
  const { tag, attributes, children } = painted(chart(spec));
  const [title, words, ...drawing] = children;
  return elementText({ tag, attributes, children: [title, words, below, ...drawing] });
}

export function whiteGround({ width, height }: Pick<ChartSpec, 'width' | 'height'>): Element {
  return element('rect', { width, height, fill: LIGHT.bg });
}

/** A style element that replaces the light colours on dark screens. */
export function darkScreen(): Element {
  const rules = RULES.flatMap(({ names, look }) =>
    look
      .filter(([, value]) => valueIn(LIGHT, value) !== valueIn(DARK, value))
      .map(([name, value]) => `.chart .${names.join('.')}{${name}:${valueIn(DARK, value)}}`),
  );
  return element('style', {}, `@media screen and (prefers-color-scheme:dark){${rules.join('')}}`);
}
