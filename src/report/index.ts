/** Reports: what a guarantee is published with, as text, Markdown, HTML or JSON. */

export { alternatives } from './alternatives.js';
export type { CompleteDetails, Details } from './details.js';
export type { Figure, ReportStyle } from './document.js';
export { reportFigures } from './figures.js';
export { reportHtml } from './html.js';
export {
  type LoaderOptions,
  type LoaderRow,
  type LoaderTable,
  type RecordsRow,
  sameNoise,
} from './loaders.js';
export { reportMarkdown } from './markdown.js';
export { type ReportOptions, report, reportJson } from './report.js';
export type { ReportInput, ReportMade } from './report-types.js';
export { formatReport } from './text.js';
