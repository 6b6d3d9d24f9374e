/** What no XML or HTML document may hold, and marks that turn the direction of the text around them. */
const UNPRINTABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u202a-\u202e\u2066-\u2069]/gu;
/** What moves a terminal's cursor, changes its colours or turns the direction of the text around it. */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

function withoutControls(text: string): string {
  return text.replace(UNPRINTABLE, '');
}

/** Text on one line for a terminal: what is unseen, such as the escape sequences of a file's name, is spelt out. */
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
