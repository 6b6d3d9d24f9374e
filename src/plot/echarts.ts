/**
 * The one file that names the plotting library, with the parts of it that are used. It is loaded when the
 * first plot is drawn and not before; everything else of the package works without it.
 */
import { CustomChart, type CustomSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([LineChart, CustomChart, GridComponent, LegendComponent, SVGRenderer]);

export type ChartOption = ComposeOption<
  LineSeriesOption | CustomSeriesOption | GridComponentOption | LegendComponentOption
>;

/** Draws `option` as SVG text of width × height CSS pixels; needs no document. */
export function drawSvg(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
