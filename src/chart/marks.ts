import type { Mark, Point } from './chart.js';

/** Builders of marks. `className` chooses the colour; '' is the colour of the run. */

const named = (className: string): { className?: string } => (className === '' ? {} : { className });

export function line(points: readonly Point[], className = ''): Mark {
  return { type: 'line', points, ...named(className) };
}

/** The area between points and the points that `from` maps them to. */
export function area(points: readonly Point[], from: (point: Point) => Point): Mark {
  return { type: 'area', from: points.map(from), to: points };
}

export function rule(from: Point, to: Point, className = ''): Mark {
  return { type: 'rule', points: [from, to], ...named(className) };
}

/** A label, moved by `dx`, `dy` pixels from a point. With `ends` the text ends there, else it begins there. */
export function label(at: Point, [dx, dy]: Point, text: string, className = '', ends = false): Mark {
  return { type: 'text', at, dx, dy, text, ...(ends && { anchor: 'end' }), ...named(className) };
}

/** The line of guessing: true positive rate = false positive rate. */
export function guessing(low: number, at: number, dx: number): Mark[] {
  const diagonal: Point[] = [
    [low, low],
    [1, 1],
  ];
  return [line(diagonal, 'guess'), label([at, at], [dx, 16], 'guessing')];
}

/** The point of largest advantage with a label, if there is room for it. */
export function advantage(points: readonly Point[], words: string): Mark[] {
  const [alpha, power] = points.reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a));
  const gap = power - alpha;
  if (gap < 0.14) return [];
  return [
    rule([alpha, alpha], [alpha, power], 'quiet'),
    label([alpha, alpha + gap * 0.62], [7, 0], words, 'dark'),
  ];
}

/** A curve over [0, 1] with the area below it, and a label at its peak. */
export function peaked(points: readonly Point[], peak: Point, words: (height: number) => string): Mark[] {
  const right = peak[0] > 0.6;
  return [
    area(points, ([x]) => [x, 0]),
    line(points),
    ...(peak[1] > 0
      ? [{ type: 'dot', at: peak } as const, label(peak, [right ? -8 : 8, -8], words(peak[1]), 'c0', right)]
      : []),
  ];
}
