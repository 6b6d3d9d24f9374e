/** Characters that no XML or HTML document may contain, and marks that change the direction of text. */
const UNPRINTABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u202a-\u202e\u2066-\u2069]/gu;
/** Characters that move a terminal's cursor, change its colours, or change the direction of text. */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

function withoutControls(text: string): string {
  return text.replace(UNPRINTABLE, '');
}

/** The text on one line for a terminal. Invisible characters, such as escape sequences in a file's name, are spelt out. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
 * Text escaped for one line, or a table cell, of GitHub-flavoured Markdown. It is shown as it is, and never read as markup, HTML
 * or a link target.
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
