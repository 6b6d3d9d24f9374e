import { describe, expect, it } from 'vitest';
import { type LinePlot, linePlot } from '../../src/plot/index.js';

const plot = (changes: Partial<LinePlot> = {}): LinePlot => ({
  title: 'A plot',
  axes: { x: { label: 'x', min: 0, max: 1 }, y: { label: 'y', min: 0, max: 1 } },
  series: [
    {
      name: 'line',
      points: [
        [0, 0],
        [0.5, 0.75],
        [1, 1],
      ],
    },
  ],
  ...changes,
});

/** Vertices of the first line drawn in colour 0, in pixels. */
function vertices(svg: string): number[][] {
  const path = /<path class="line c0[^"]*" d="([^"]+)"[^>]*stroke="#1a5fb4"/.exec(svg)![1]!;
  return [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

/** Numbers of the axes, horizontal first, with what is raised after '^'. */
function numbers(svg: string): string[] {
  return [...svg.matchAll(/<text class="t"[^>]*>(.*?)<\/text>/g)].map(([, inner]) =>
    inner!.replace(/<tspan class="sup"[^>]*>/, '^').replace(/<[^>]*>|\u200b/g, ''),
  );
}

describe('linePlot', () => {
  it('puts points where their numbers say', async () => {
    const [first, middle, last] = vertices(await linePlot(plot())) as [number[], number[], number[]];
    const width = last[0]! - first[0]!;
    const height = first[1]! - last[1]!;
    expect(width).toBeGreaterThan(350);
    expect(height).toBeGreaterThan(200);
    expect((middle[0]! - first[0]!) / width).toBeCloseTo(0.5, 2);
    expect((first[1]! - middle[1]!) / height).toBeCloseTo(0.75, 2);
  });

  it('spaces decades evenly on logarithmic axes and leaves out what has no logarithm', async () => {
    const svg = await linePlot(
      plot({
        axes: { x: { label: 'x', scale: 'log' }, y: { label: 'y', scale: 'log' } },
        series: [
          {
            name: 'line',
            points: [
              [1e-300, 1e-6],
              [1e-200, 1e-4],
              [1, 1],
              [0, 0.5],
              [-1, 0.5],
            ],
          },
        ],
      }),
    );
    const [first, middle, last, ...rest] = vertices(svg) as number[][];
    expect(rest).toEqual([]);
    expect((middle![0]! - first![0]!) / (last![0]! - first![0]!)).toBeCloseTo(1 / 3, 2);
    expect((first![1]! - middle![1]!) / (first![1]! - last![1]!)).toBeCloseTo(1 / 3, 2);
    expect(numbers(svg)).toEqual([
      '10^−300',
      '10^−250',
      '10^−200',
      '10^−150',
      '10^−100',
      '10^−50',
      '1',
      '10^−6',
      '10^−5',
      '10^−4',
      '10^−3',
      '10^−2',
      '10^−1',
      '1',
    ]);
  });

  it('draws the area of a band', async () => {
    const svg = await linePlot(
      plot({
        bands: [
          {
            name: 'band',
            points: [
              [0, 0, 0.5],
              [1, 0, 0.5],
            ],
          },
        ],
      }),
    );
    const corners = /<path class="area c1" d="([^"]+)"/.exec(svg)![1]!;
    const ys = [...corners.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
    expect(ys).toHaveLength(4);
    const [first, , last] = vertices(svg) as [number[], number[], number[]];
    expect((Math.max(...ys) - Math.min(...ys)) / (first[1]! - last[1]!)).toBeCloseTo(0.5, 2);
  });

  it('breaks a line where a point has no place, and clips what lies beyond the axes', async () => {
    const svg = await linePlot(
      plot({
        series: [
          {
            name: 'line',
            points: [
              [0, 0],
              [0.25, 5],
              [0.5, Number.NaN],
              [0.75, 0.5],
              [1, 1e300],
            ],
          },
        ],
      }),
    );
    const [path] = /<path class="line c0 solid" d="[^"]*"/.exec(svg)!;
    expect(path.match(/M/g)).toHaveLength(2);
    expect(path.match(/L/g)).toHaveLength(2);
    const [, id] = /<clipPath id="([^"]+)"><rect x="44" y="30" width="418" height="256"/.exec(svg)!;
    expect(svg).toContain(`<g clip-path="url(#${id})">${path}`);
    const [, beyond] = vertices(svg) as number[][];
    expect(beyond![1]).toBeLessThan(-900);
    expect(path).not.toContain('e+');
  });

  it('is the same text for the same plot, however many were drawn before', async () => {
    const once = await linePlot(plot());
    await linePlot(plot({ series: [{ name: 'other', points: [[0.1, 0.2]], marks: true }] }));
    expect(await linePlot(plot())).toBe(once);
  });

  it('has ids of its own in a page of several plots', async () => {
    const ids = async (changes: Partial<LinePlot>) =>
      [...(await linePlot(plot(changes))).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const first = await ids({});
    const second = await ids({ series: [{ name: 'line', points: [[0, 1]] }] });
    expect(first.length).toBeGreaterThan(1);
    expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
  });

  it('asks nothing of the network, runs nothing and refers to nothing that is not there', async () => {
    const svg = await linePlot(plot({ bands: [{ name: 'band', points: [[0, 0, 1]] }] }));
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|href|<script|\son\w+=|@import/,
    );
    const ids = new Set([...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, id] of svg.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(id);
    const [, labels] = /aria-labelledby="([^"]+)"/.exec(svg)!;
    for (const id of labels!.split(' ')) expect(ids).toContain(id);
    expect(svg).toContain('role="img"');
  });

  it('escapes every text it is given', async () => {
    const evil = `</title><script>alert("1")</script>&'\u0000`;
    const svg = await linePlot(
      plot({
        title: evil,
        description: evil,
        axes: { x: { label: evil }, y: { label: evil } },
        series: [{ name: evil, points: [[0, 1]] }],
      }),
    );
    expect(svg).not.toMatch(/<script|<\/title><s/);
    expect(svg).not.toContain('\u0000');
    expect(svg).toContain('&lt;script&gt;');
  });

  it('has colours for dark screens only there: paper and other programs see the light ones', async () => {
    const svg = await linePlot(plot());
    expect(svg).toContain('@media screen and (prefers-color-scheme:dark)');
    const [, sheet] = /<style>(.*?)<\/style>/.exec(svg)!;
    expect(sheet).toMatch(/^@media screen and \(prefers-color-scheme:dark\)\{[^@]*\}\}$/);
    expect(sheet).toContain('.chart .line{stroke:#78aefc}');
    expect(svg.replace(sheet!, '')).not.toMatch(/var\(|#78aefc/);
    for (const [drawn] of svg.matchAll(/<(path|line|text)[^>]*>/g))
      expect(drawn).toMatch(/stroke="#|fill="#/);
  });

  it('has ticks at 1, 2 and 5 where a logarithmic axis is short', async () => {
    const axis = { label: 'x', scale: 'log', min: 3, max: 300 } as const;
    const svg = await linePlot(plot({ axes: { x: axis, y: axis } }));
    expect(numbers(svg).slice(0, 6)).toEqual(['5', '10', '20', '50', '100', '200']);
  });

  it('names every line and band in the legend, drawn as it is', async () => {
    const series = [
      { name: 'one', points: [], style: 'dashed' },
      { name: 'two', points: [], marks: true, colour: 4 },
    ] as const;
    const svg = await linePlot(plot({ series, bands: [{ name: 'three', points: [] }] }));
    const [, legend] = svg.split('<path class="line c0 dashed" d="M44');
    expect([...legend!.matchAll(/class="(line|dot|area|name)[^"]*"/g)].map(([, name]) => name)).toEqual([
      'name',
      'line',
      'dot',
      'name',
      'area',
      'name',
    ]);
    expect([...legend!.matchAll(/>(\w+)<\/text>/g)].map(([, name]) => name)).toEqual(['one', 'two', 'three']);
  });

  it('names what is wrong with a plot', async () => {
    const refused = async (changes: object, message: RegExp) =>
      expect(linePlot(plot(changes as Partial<LinePlot>))).rejects.toThrow(message);
    await refused({ title: 1 }, /"title" must be a string, got 1/);
    await refused({ series: [] }, /"series" must be an array of 1 to 50 lines/);
    await refused({ width: 10 }, /"width" must be a whole number from 200 to 4000, got 10/);
    await refused({ axes: { x: { label: 'x' } } }, /"axes.y.label" must be a string/);
    await refused(
      { axes: { x: { label: 'x', scale: 'log', min: 0 }, y: { label: 'y' } } },
      /"axes.x.min" must be a finite number > 0, got 0/,
    );
    await refused({ series: [{ name: 'a', points: 7 }] }, /"series\[0\].points" must be an array/);
    await refused(
      { bands: [{ name: 'line', points: [] }] },
      /"name" must be different for every line and band/,
    );
  });

  it('draws empty, constant and extreme data', async () => {
    for (const points of [
      [],
      [[3, 3]],
      [[0, Number.NaN]],
      [
        [-1e300, 1e300],
        [1e300, -1e-300],
      ],
      [
        [-1.7e308, 5e-324],
        [1.7e308, 1e-323],
      ],
      [
        [1, 5e-324],
        [1 + 1e-15, 1.7e308],
      ],
    ]) {
      for (const scale of ['linear', 'log'] as const) {
        const svg = await linePlot({
          title: 't',
          axes: { x: { label: 'x', scale }, y: { label: 'y', scale } },
          series: [{ name: 'line', points: points as [number, number][] }],
        });
        expect(svg).not.toMatch(/NaN|undefined|Infinity/);
        expect(svg.length).toBeLessThan(50_000);
        for (const axis of svg.split('<g class="axis">').slice(1)) {
          const shown = numbers(axis);
          expect(shown.length).toBeGreaterThan(1);
          expect(new Set(shown).size).toBe(shown.length);
        }
      }
    }
  });
});
