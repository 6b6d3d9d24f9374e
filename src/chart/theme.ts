/** Colours of drawings and pages, light and dark. Contrast to the background is at least 4.5 : 1 for text, and 3 : 1 for curves. */
export const LIGHT = {
  bg: '#ffffff',
  line: '#e4e4e1',
  edge: '#8b8f94',
  ink: '#17191c',
  'ink-2': '#474c53',
  'ink-3': '#646a72',
  c0: '#1a5fb4',
  c1: '#b3460f',
  c2: '#00796b',
  c3: '#3a2a66',
  c4: '#b01f4c',
  c5: '#7a3e9d',
  wash: '#1a5fb414',
  hush: '#8a9097',
};

export type Tokens = Readonly<Record<keyof typeof LIGHT, string>>;

export const DARK: Tokens = {
  bg: '#111316',
  line: '#2b2f35',
  edge: '#747b84',
  ink: '#eceef0',
  'ink-2': '#b9bfc7',
  'ink-3': '#949ba4',
  c0: '#78aefc',
  c1: '#f39a6b',
  c2: '#4fc7b5',
  c3: '#e0d24e',
  c4: '#ff7aa2',
  c5: '#c99bff',
  wash: '#78aefc1f',
  hush: '#767d86',
};

/** The colours as declarations of CSS custom properties. */
export function declarations(tokens: Tokens): string {
  return Object.entries(tokens)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** Dashes of the curves after the first, `c0`, so that they differ without colours too. */
const DASHES = { c1: '7 3', c2: '2 3', c3: '9 3 2 3', c4: 'none', c5: 'none' };

const lookOf = (name: string): string => `
.chart .dot.${name}{fill:var(--${name})}
.chart .area.${name}{fill:var(--${name});fill-opacity:.25}
.chart .label.${name}{fill:var(--${name});font-weight:550}`;

/** The styles of a chart's parts, in terms of the colours. Later rules win over earlier ones; each has one or two classes. */
export const CHART_STYLE = `
.chart{font-family:var(--font,Inter,system-ui,"Segoe UI",Roboto,sans-serif)}
.chart .grid{stroke:var(--line)}
.chart .base{stroke:var(--edge)}
.chart .tick{stroke:var(--edge)}
.chart .t{font-size:11.5px;fill:var(--ink-3);font-variant-numeric:tabular-nums}
.chart .name{font-size:12px;fill:var(--ink-2)}
.chart .sup{font-size:.72em}
.chart .line{fill:none;stroke:var(--c0);stroke-width:2.25;stroke-linejoin:round}
.chart .line.guess{stroke:var(--hush);stroke-width:1}
.chart .area{fill:var(--wash)}
.chart .rule{stroke:var(--c0);stroke-width:1;stroke-dasharray:2 3}
.chart .rule.quiet{stroke:var(--ink-3);stroke-dasharray:none}
.chart .dot{fill:var(--c0);stroke:var(--bg);stroke-width:1.5}
.chart .dot.quiet{fill:var(--ink-2);stroke:var(--ink-2)}
.chart .dot.hollow{fill:var(--bg);stroke:var(--ink-2)}
.chart .label{font-size:12px;fill:var(--ink-3);paint-order:stroke;stroke:var(--bg);stroke-width:3.5px;stroke-linejoin:round}
.chart .label.dark{fill:var(--ink-2)}${['c0', ...Object.keys(DASHES)].map(lookOf).join('')}
${Object.entries(DASHES)
  .map(
    ([name, dash]) =>
      `.chart .line.${name}{stroke:var(--${name});stroke-width:1.75;stroke-dasharray:${dash}}`,
  )
  .join('\n')}
.chart .line.solid{stroke-dasharray:none}
.chart .line.dashed{stroke-dasharray:7 4}
.chart .line.dotted{stroke-dasharray:2 3.5}
.chart .handle{cursor:grab;outline:none}
.chart .reach{fill:transparent}
.chart .ring{fill:var(--c0);opacity:0}
.chart .face{fill:var(--c0);stroke:var(--bg);stroke-width:2}`.trim();
