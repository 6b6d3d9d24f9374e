/** An axis of a plot. */
export interface Axis {
  /** What it shows, with its unit. */
  readonly label: string;
  /** Default 'linear'. On a 'log' axis values ≤ 0 have no place and are left out. */
  readonly scale?: 'linear' | 'log';
  /** Left or lower end, in the units of the data; from the data unless given. */
  readonly min?: number;
  /** Right or upper end; from the data unless given. */
  readonly max?: number;
}

/** A line. Points whose coordinates are not finite break it. */
export interface Series {
  /** The name in the legend. */
  readonly name: string;
  /** At most 100 000 points [x, y]. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Default 'solid'. */
  readonly style?: 'solid' | 'dashed' | 'dotted';
  /** Draws a dot at every point. */
  readonly marks?: boolean;
  /** Number of the colour, modulo 6; the position among the series unless given. */
  readonly colour?: number;
}

/** An area between two lines. */
export interface Band {
  /** The name in the legend. */
  readonly name: string;
  /** At most 100 000 points [x, lower, upper], x ascending. */
  readonly points: readonly (readonly [x: number, lower: number, upper: number])[];
  /** Number of the colour, modulo 6; counted on after the series unless given. */
  readonly colour?: number;
}

/** Lines over two axes, as plain data. */
export interface LinePlot {
  /** Accessible name of the plot; a page or paper sets it as a caption, so it is not drawn. */
  readonly title: string;
  /** What the plot shows, for readers who do not see it; default the title and the names of the lines. */
  readonly description?: string;
  /** Horizontal and vertical. */
  readonly axes: { readonly x: Axis; readonly y: Axis };
  /** Lines, drawn in this order. */
  readonly series: readonly Series[];
  /** Areas, drawn below the lines. */
  readonly bands?: readonly Band[];
  /** In CSS pixels, 200 … 4000; default 480. The SVG scales to the width it is given. */
  readonly width?: number;
  /** In CSS pixels, 200 … 4000; default 334, and 22 more for every line and band. */
  readonly height?: number;
}
