import { type Element, element } from './element.js';
import { RULES, valueIn } from './file.js';
import { DARK, LIGHT } from './theme.js';

/** The colours of a chart's file on a dark screen, over its attributes. */
export function darkScreen(): Element {
  const rules = RULES.flatMap(({ names, look }) =>
    look
      .filter(([, value]) => valueIn(LIGHT, value) !== valueIn(DARK, value))
      .map(([name, value]) => `.chart .${names.join('.')}{${name}:${valueIn(DARK, value)}}`),
  );
  return element('style', {}, `@media screen and (prefers-color-scheme:dark){${rules.join('')}}`);
}
