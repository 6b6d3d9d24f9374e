import { escapeXml } from '../text/escape.js';

/** An element of a drawing: printed as SVG text, or put into a page. */
export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Element | string)[];
}

export function element(
  tag: string,
  attributes: Element['attributes'] = {},
  ...children: (Element | string)[]
): Element {
  return { tag, attributes, children };
}

/** The element with its children, as XML. */
export function elementText({ tag, attributes, children }: Element): string {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`);
  const inner = children.map((child) =>
    typeof child === 'string' ? (tag === 'style' ? child : escapeXml(child)) : elementText(child),
  );
  return `<${tag}${words.join('')}${inner.length === 0 ? '/>' : `>${inner.join('')}</${tag}>`}`;
}
