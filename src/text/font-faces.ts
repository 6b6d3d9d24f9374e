/** The `@font-face` rules of a style sheet, or of a page that contains one; undefined if there are none. */
export function fontFacesIn(text: string): string | undefined {
  return text.match(/@font-face\{[^}]*\}/g)?.join('\n');
}
