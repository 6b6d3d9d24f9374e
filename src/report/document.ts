import { requireBoolean, requireOptions, requireWhole } from '../errors.js';
import type { Shown } from '../text/rounded.js';

/** A report before it is printed as text, Markdown or HTML. Its strings are plain, without any escapes. */
export interface ReportDocument {
  readonly title: string;
  readonly headline: Headline;
  readonly sections: readonly Section[];
}

/** The claim that is published, and the conditions under it. */
export interface Headline {
  readonly claim: string;
  readonly under: string;
}

export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** 'figures' marks the place of the charts, in formats that can show them. */
export type Block = Paragraph | Fields | Table | { readonly kind: 'figures' };

interface Paragraph {
  readonly kind: 'paragraph';
  readonly text: string;
}

export interface Fields {
  readonly kind: 'fields';
  readonly rows: readonly (readonly [name: string, value: string])[];
}

export interface Table {
  readonly kind: 'table';
  readonly caption: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** A number for each row; the HTML page draws it as a dot on an axis from 0. */
  readonly dots?: readonly number[];
}

/** A drawing and what it shows. */
export interface Figure {
  /** Heading. */
  readonly title: string;
  /** What it shows, for those who cannot see it. */
  readonly description: string;
  /** SVG text, put into the page as it stands. */
  readonly svg: string;
}

/** How a report prints numbers. The claim and the sentences state the upper end in any style. */
export interface ReportStyle extends Shown {
  /** Also prints the trade-off curve as one row, with a column for each α of `tradeoff` and one for α* = f(α*). */
  readonly paperColumns?: boolean;
}

/** @throws TypeError | RangeError naming the option that is wrong. */
export function requireStyle<T extends ReportStyle>(
  taker: string,
  style: T,
  others: readonly (keyof T & string)[] = [],
): T {
  requireOptions(taker, style, ['digits', 'brackets', 'paperColumns', ...others]);
  const { digits, brackets, paperColumns } = style;
  if (digits !== undefined) requireWhole('digits', digits, 1, 17);
  for (const [name, value] of Object.entries({ brackets, paperColumns }))
    if (value !== undefined) requireBoolean(name, value);
  return style;
}

export const paragraph = (text: string): Paragraph => ({ kind: 'paragraph', text });

export const fields = (rows: Fields['rows']): Fields => ({ kind: 'fields', rows });

export function table(caption: string, header: readonly string[], rows: Table['rows']): Table {
  return { kind: 'table', caption, header, rows };
}

/** The fields that have a value, each a name and a text. */
export function stated(
  ...rows: readonly (readonly [name: string, value: string | undefined])[]
): Fields['rows'] {
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
