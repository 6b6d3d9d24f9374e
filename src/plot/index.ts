/** Plots as SVG text: no document needed, nothing fetched, the same input gives the same text. */
export type { Figure } from '../report/document.js';
export { reportFigures } from '../report/figures.js';
export { linePlot } from './line-plot.js';
export type { Axis, Band, LinePlot, Series } from './lines.js';
export {
  type AuditPlotOptions,
  auditPlot,
  type CurvePlotOptions,
  type GdptPlotOptions,
  gdptPlot,
  type ProfilePlotOptions,
  profilePlot,
  type TradeoffPlotOptions,
  tradeoffPlot,
} from './plots.js';
