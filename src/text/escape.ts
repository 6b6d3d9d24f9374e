/** What no XML or HTML document may hold. */
const UNPRINTABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export function withoutControls(text: string): string {
  return text.replace(UNPRINTABLE, '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in XML and HTML, between tags or in a quoted attribute; control characters are dropped. */
export function escapeXml(text: string): string {
  return withoutControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/**
 * Text as it may stand on one line, or in a table cell, of GitHub-flavoured Markdown: shown as it is, never
 * read as markup, HTML or a link target.
 */
export function escapeMarkdown(text: string): string {
  return withoutControls(text)
    .replace(/\s+/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_~|]/g, (character) => `\\${character}`)
    .replace(/\]([([:])/g, ']\\$1')
    .replace(/^(\s*)(#|[-+=](?= |$)|\d+[.)](?= |$))/, (_, space: string, mark: string) =>
      mark.length > 1 ? `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}` : `${space}\\${mark}`,
    );
}
