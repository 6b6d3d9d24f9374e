import type { ComposedRun } from '../account/composed-run.js';
import type { Figure } from '../report/document.js';
import type { Report } from '../report/report-types.js';
import { linePlot } from './line-plot.js';
import { gdptPlot, profilePlot, tradeoffPlot } from './plots.js';

/**
 * The drawings of a report: the trade-off curve on linear and logarithmic axes with its Gaussian fit and
 * regret band, the privacy profile, and the Gaussian-DP transform. For `reportHtml`.
 */
export async function reportFigures(run: ComposedRun, report: Report): Promise<Figure[]> {
  const measurement = report;
  const plots = [
    tradeoffPlot(run, { measurement }),
    tradeoffPlot(run, { measurement, scale: 'log' }),
    profilePlot(run, { measurement }),
    gdptPlot(run, { measurement }),
  ];
  return Promise.all(
    plots.map(async (plot) => ({
      title: plot.title,
      description: plot.description ?? '',
      svg: await linePlot(plot),
    })),
  );
}
