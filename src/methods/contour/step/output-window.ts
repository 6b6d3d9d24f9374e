import type { WindowEdges } from '../../../kernel/windows.js';

/**
 * A smooth window on outputs, W(x) = Φ((x − from)/width) − Φ((x − to)/width): the indicator of [from, to] convolved with
 * N(0, width²). It is entire; as an integral of the normal density over [x − to, x − from],
 * |W(x + iy)| ≤ e^{y²/2width²} W(x). Windows that share their ends add up to 1.
 */
export interface OutputWindow extends WindowEdges {
  /** Outputs beyond it are none of the window's, however little it passes there: so far out u^c of a steep tilt would pass more than the window stops. */
  readonly end?: number;
}

export const EVERYTHING: OutputWindow = { from: -Infinity, to: Infinity, width: Infinity };
