import { escapeXml } from '../text/escape.js';

/** An element of a drawing: what prints it as SVG text and what puts it into a page read the same tree. */
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

/** The element and all below it as XML. */
export function elementText({ tag, attributes, children }: Element): string {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`);
  const inner = children.map((child) =>
    typeof child === 'string' ? (tag === 'style' ? child : escapeXml(child)) : elementText(child),
  );
  return `<${tag}${words.join('')}${inner.length === 0 ? '/>' : `>${inner.join('')}</${tag}>`}`;
}
