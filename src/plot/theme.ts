/**
 * Colours of the plots. Every colour is written as its light value, which is what programs without CSS
 * (LaTeX converters, editors) and paper show; a style sheet inside the SVG swaps in the dark value on
 * screens that ask for it. Contrast of lines and text with the background is at least 4.5:1 in both.
 */

interface Colour {
  readonly light: string;
  readonly dark: string;
}

export const INK: Colour = { light: '#24292f', dark: '#e6edf3' };
export const GRID: Colour = { light: '#d8dee4', dark: '#3a424c' };

/** Colours of series and bands, in the order in which they are handed out. */
export const PALETTE: readonly Colour[] = [
  { light: '#0b5cad', dark: '#6cb2ff' },
  { light: '#b3541e', dark: '#ff9e64' },
  { light: '#1a7340', dark: '#5fd38d' },
  { light: '#7a3e9d', dark: '#c99bff' },
  { light: '#6b6b00', dark: '#d6c54a' },
  { light: '#b01f4c', dark: '#ff7aa2' },
];

export const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif';

/** Rules that swap the light colours for the dark ones, for a screen with a dark background only. */
export function darkRules(): string {
  const rules = [INK, GRID, ...PALETTE].flatMap(({ light, dark }) =>
    ['fill', 'stroke'].map((name) => `.gdp-plot [${name}="${light}"]{${name}:${dark}}`),
  );
  return `@media screen and (prefers-color-scheme:dark){${rules.join('')}}`;
}
