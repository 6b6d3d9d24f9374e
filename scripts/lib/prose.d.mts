/** A sentence and its number of words. */
export interface Sentence {
  readonly words: number;
  readonly text: string;
}
/** The sentences of a text. */
export function sentences(text: string): Sentence[];
/** Those of a page in Markdown, without code, tables and headings. */
export function proseOfMarkdown(text: string): Sentence[];
/** Those in the cells of its tables. */
export function cellsOfMarkdown(text: string): Sentence[];
/** Those of its comments. */
export function commentsOfSource(source: string): Sentence[];
/** Those in the strings and JSX of a source. */
export function proseOfSource(path: string, source: string): Sentence[];
/** The middle of the numbers. */
export function median(numbers: readonly number[]): number;
