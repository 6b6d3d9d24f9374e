/** An axis of a plot. */
export interface Axis {
  /** What it shows, with its unit. */
  readonly label: string;
  /** Default 'linear'. On a 'log' axis values ≤ 0 have no place and are left out. */
  readonly scale?: 'linear' | 'log';
  /** Ends of the axis, in the units of the data; those of the data unless given. */
  readonly min?: number;
  /** Right or upper end; from the data unless given. */
  readonly max?: number;
}

/** A line. Points whose coordinates are not finite break it. */
export interface Series {
  /** What the label says. */
  readonly name: string;
  /** At most 100 000 points [x, y]. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Default 'solid'. */
  readonly style?: 'solid' | 'dashed' | 'dotted';
  /** Draws a dot at every point. */
  readonly marks?: boolean;
  /** Which colour, 0 … 5; counted up from 0 unless given. */
  readonly colour?: number;
}

/** An area between two lines. */
export interface Band {
  /** What the label says. */
  readonly name: string;
  /** At most 100 000 points [x, lower, upper], x ascending. */
  readonly points: readonly (readonly [x: number, lower: number, upper: number])[];
  /** Number of a colour, that of the series of that number. */
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
  /** CSS pixels, 200 … 4000; default 480 × 334 and a row of 22 for every line. The SVG scales to the width it is given. */
  readonly width?: number;
  /** In pixels. */
  readonly height?: number;
}
