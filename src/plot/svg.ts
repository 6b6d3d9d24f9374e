import { escapeXml, withoutControls } from '../text/escape.js';
import { darkRules } from './theme.js';

/**
 * The plotting library's SVG made fit to publish: an accessible name and description, colours for dark
 * screens, no leftovers of interaction, and ids that depend on the content alone, so that the same plot is
 * the same text and several plots may stand in one page.
 *
 * @param title Accessible name; `description` what the plot shows, for those who do not see it.
 */
export function publishable(svg: string, title: string, description: string): string {
  const bare = withoutControls(svg)
    .replace(/<style ?>[\s\S]*?<\/style>/g, '')
    .replace(/ (?:class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
    .replace(/<(\w+)[^<>]* (?:fill-opacity="0"|fill="none")(?![^<>]* stroke="#)[^<>]*><\/\1>\n?/g, '')
    .replace(/ xmlns:xlink="[^"]*"| version="[^"]*"| baseProfile="[^"]*"/g, '');
  const prefix = `plot-${hash(bare.replace(/zr\d+-/g, ''))}-`;
  const named = bare.replace(/zr\d+-/g, prefix);
  const head = [
    ` class="gdp-plot" role="img" aria-labelledby="${prefix}title ${prefix}desc">`,
    `<title id="${prefix}title">${escapeXml(title)}</title>`,
    `<desc id="${prefix}desc">${escapeXml(description)}</desc>`,
    `<style>${darkRules()}</style>`,
  ].join('\n');
  return `${named.replace('>', () => head).trimEnd()}\n`;
}

/** FNV-1a of the text, as eight hexadecimal digits. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return state.toString(16).padStart(8, '0');
}
