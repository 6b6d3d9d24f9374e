/** Colours of drawings and pages, light and dark: text at least 4.5 : 1, curves at least 3 : 1 against their ground. */
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
  wash: '#1a5fb414',
  hush: '#8a9097',
};

type Tokens = Readonly<Record<keyof typeof LIGHT, string>>;

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
  wash: '#78aefc1f',
  hush: '#767d86',
};

/** Declarations of the tokens as custom properties. */
export function declarations(tokens: Tokens): string {
  return Object.entries(tokens)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** How the parts of a chart look, in the tokens around them. */
export const CHART_STYLE = `
.chart{font-family:var(--font,Inter,system-ui,"Segoe UI",Roboto,sans-serif)}
.chart .grid line{stroke:var(--line)}
.chart .base,.chart .tick{stroke:var(--edge)}
.chart .t{font-size:11.5px;fill:var(--ink-3);font-variant-numeric:tabular-nums}
.chart .name{font-size:12px;fill:var(--ink-2)}
.chart .sup{font-size:.72em}
.chart .line{fill:none;stroke:var(--c0);stroke-width:2.25;stroke-linejoin:round}
.chart .line.c1{stroke:var(--c1);stroke-width:1.75;stroke-dasharray:7 3}
.chart .line.c2{stroke:var(--c2);stroke-width:1.75;stroke-dasharray:2 3}
.chart .line.c3{stroke:var(--c3);stroke-width:1.75;stroke-dasharray:9 3 2 3}
.chart .line.guess{stroke:var(--hush);stroke-width:1}
.chart .area{fill:var(--wash)}
.chart .rule{stroke:var(--c0);stroke-width:1;stroke-dasharray:2 3}
.chart .rule.quiet{stroke:var(--ink-3);stroke-dasharray:none}
.chart .dot{fill:var(--c0);stroke:var(--bg);stroke-width:1.5}
.chart .dot.hollow{fill:var(--bg);stroke:var(--ink-2)}
.chart .label{font-size:12px;fill:var(--ink-3);paint-order:stroke;stroke:var(--bg);stroke-width:3.5px;stroke-linejoin:round}
.chart .label.dark{fill:var(--ink-2)}
.chart .label.l0{fill:var(--c0);font-weight:550}
.chart .label.l1{fill:var(--c1);font-weight:550}
.chart .label.l2{fill:var(--c2);font-weight:550}
.chart .label.l3{fill:var(--c3);font-weight:550}
.chart .handle{cursor:grab;outline:none}
.chart .reach{fill:transparent}
.chart .ring{fill:var(--c0);opacity:0}
.chart .face{fill:var(--c0);stroke:var(--bg);stroke-width:2}`.trim();

/** The style of a drawing that stands alone. */
export function fileStyle(tokens: Tokens = LIGHT): string {
  return `:root,.chart{${declarations(tokens)}}\n${CHART_STYLE}`;
}
