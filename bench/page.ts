import { mkdirSync, writeFileSync } from 'node:fs';
import { linePlot } from '../src/plot/index.js';
import type { Cost } from './costs.js';
import type { Results, Row } from './results.js';
import type { FirstAnswers } from './start-up.js';

/** Writes performance.md and its plots into a folder. */
export async function writePage(results: Results, folder: URL): Promise<void> {
  const plots = new URL('performance/', folder);
  mkdirSync(plots, { recursive: true });
  for (const [i, cost] of results.costs.entries()) {
    writeFileSync(new URL(`cost-${i + 1}.svg`, plots), await plotOf(cost));
  }
  writeFileSync(new URL('performance.md', folder), pageOf(results));
}

function plotOf({ quantity, of, unit, points }: Cost): Promise<string> {
  return linePlot({
    title: `${of}: ${unit} over ${quantity}`,
    axes: { x: { label: quantity, scale: 'log' }, y: { label: unit, scale: 'log' } },
    series: [{ name: of, points, marks: true }],
  });
}

function pageOf(results: Results): string {
  const {
    machine,
    versions,
    seed,
    milliseconds,
    version,
    startUp,
    firstAnswers,
    kernels,
    rivals,
    absent,
    jobs,
    shares,
    costs,
  } = results;
  return `# Performance

Written by \`npm run bench -- --page\`; nothing here is typed in by hand. Run it to put your own figures in place of
these. gdp-kernel ${version}, Node ${versions.node} (V8 ${versions.v8}), ${machine.cpu}, ${machine.cores} processor threads,
${machine.platform} ${machine.arch}, ${machine.load.toFixed(1)} processes wanting them during the run (above ${machine.cores}, the figures are those of a
busy machine); seed ${seed}, ${milliseconds} ms for each function, in turns. Times are the least seen, copies into and
out of WebAssembly included: compare ratios, not milliseconds, with another machine's.

\`npm run bench -- --compare old.json\` tells what became slower since an older \`bench/results.json\`.

[How long users wait](latency.md) has the percentiles of whole jobs over random runs.

## Beside what else there is in JavaScript

| | numbers | rival | ms | rival's ms | times faster | goal |
|---|---|---|---|---|---|---|
${rivals.map(rivalLine).join('\n')}

Rivals are timed in the same run, in turns, each in a loop of its own into an array that is there already; a rival that gives
other numbers ends the run (how far it may differ is in [function-contests.ts](../bench/function-contests.ts): @stdlib's quantile has lost
all digits below 1e-16). @stdlib's functions come from npm as dependencies of the bench alone. FFTW is the library this machine
has, called from [bench/native/fftw.c](../bench/native/fftw.c) by a measured plan (minutes to make, the first time), one thread, after ours, not in turns.
FFT contests go through the public interface, copies into and out of WebAssembly included: a round trip is \`realFft\`, then \`inverseRealFft\`,
with the spectrum in natural order; a convolution (two transforms, a product, the inverse) leaves the spectra in the order the passes end in,
as \`composeCyclic\` does.${absent.map((what) => `\nNot measured: ${what}.`).join('')}

Why goals are missed, where they are:

- \`log\`, where it is near its goal: two lanes without fused multiply-add take some 55 instructions a pair, four in each cycle; what is left
  is fewer instructions. Kept: 256 cells and a polynomial of degree 6, each table pair by one load, constants loaded once a call, the cell read
  from the number's bytes in memory in place of its lane, one test of range for eight numbers; together 2.1 times as fast as before (\`exp\`,
  in the same way, 1.6 times). Tried: four pairs interleaved (V8 has sixteen registers and spills the rest: slower than two).
- FFT against FFTW: its loops have four lanes, WebAssembly two. Of a round trip at 2^12 the passes are 14.1 µs of 18.0, the order and the unpacking
  beside that in place 1.2, copies 2.7; FFTW takes 8.6 for all. A butterfly in four (22 sums on two ports: 11 cycles) takes 14 to 15. At 2^20
  natural order and copies, bound by memory, are two fifths of the time, and convolutions, without the order, are ahead.
  Kept: twiddles in memory, loaded again for each butterfly (V8 moves what a loop does not change into it: 19 to 25 cycles before), products formed behind
  the stores of the butterfly before (no spills), one loop over all blocks of a level, blocks of 16 kB, natural order and unpacking in one pass by
  cache lines, from 2^19 on in place (1.07 to 1.19 times as fast). Tried: two butterflies a step (backward 1.02 times as
  fast, kept; forward slower, V8 spills), all three products ahead, tiles out of place, rows apart in memory, the order of the lines (no gain).
  Radix 8 and split radix save products, hardly sums.

## The two engines

| method | numbers | WebAssembly, ms | reference, ms | times faster |
|---|---|---|---|---|
${kernels.map(engineLine).join('\n')}

The reference engine takes the same steps to the same bits, and V8 compiles them well: two lanes give 2 to 5 times its speed, copies
into and out of WebAssembly included (least where a branch of a pair is taken for either lane), not the 8 times that were the goal of \`muGdpLog\` and the scans. \`muGdpLog\` takes a step in plain numbers and two evaluations of the profile in
double-double a number, several pairs in flight (one pair at a time was 1.6 times slower); \`suffixScan\` waits for one product and one sum in every
four numbers, in either engine.

## Whole jobs

| job | WebAssembly, ms | reference, ms | times faster |
|---|---|---|---|
${jobs.map((row) => `| ${row.name} | ${ms(row, 'wasm')} | ${ms(row, 'reference')} | ${row.ratio.toFixed(2)} |`).join('\n')}

Plans of contours are plain TypeScript in either engine, so the engines are close where contours are chosen.
${sharesSection(shares)}[bench/python/accountants.py](../bench/python/accountants.py) puts dp_accounting and prv_accountant on the same work.

## Start-up

From before \`import\` to the answer, in a new process: ${startUp.gaussian.toFixed(0)} ms for the ε of a Gaussian, ${startUp.cifar10.toFixed(0)} ms for that of the
CIFAR-10 run. \`npm run pack-check\` tells the size of what the import loads, and fails where it grows: 210 kB gzipped now, where the goal is 120 kB. Rolldown keeps 166 kB of it for an account with its engine.

${answersSection(firstAnswers)}
## How costs grow

${costs.map(costSection).join('\n\n')}

## Threads

\`gdp sweep\` gives each worker thread an engine of its own and rows of the grid, a few at a time; workers share nothing,
and the rows are the same bits whatever their number.
`;
}

function sharesSection(shares: Results['shares'] = []): string {
  if (shares.length === 0) return '';
  const lines = shares.map(
    ({ verb, milliseconds, share, calls }) =>
      `| ${verb} | ${milliseconds.toFixed(1)} | ${(100 * share).toFixed(0)} % | ${calls} |`,
  );
  return `How much of a verb's time the kernel has, copies into and out of its memory included:

| verb | ms | in the kernel | calls |
|---|---|---|---|
${lines.join('\n')}

`;
}

function answersSection(answers: FirstAnswers | undefined): string {
  if (answers === undefined) return '';
  const us = (milliseconds: number) => `${(1000 * milliseconds).toFixed(0)} µs`;
  const goal = (milliseconds: number, most: number) =>
    `goal ≤ ${1000 * most}: ${milliseconds <= most ? 'met' : 'missed'}`;
  return `In a warm process an account of the CIFAR-10 run, both directions, gives its first δ after ${us(answers.delta)} (${goal(answers.delta, 0.05)}),
its first ε after ${us(answers.epsilon)}; another ε takes ${us(answers.laterEpsilon)} (${goal(answers.laterEpsilon, 0.1)}), another δ ${us(answers.laterDelta)}.
Of the time to the first δ a third walks along tilts and makes stages of them, a fifth lays a line out (spacing, bounds of what it leaves out), a
tenth makes it, a fifteenth sums it, and a seventh is memory: most of it are plans, in plain TypeScript.
`;
}

function rivalLine(row: Row): string {
  const goal = row.goal === undefined ? '' : `≥ ${row.goal}: ${row.ratio >= row.goal ? 'met' : 'missed'}`;
  return `| ${row.name} | ${row.size} | ${row.rival} | ${ms(row, 'wasm')} | ${ms(row, 'rival')} | ${row.ratio.toFixed(2)} | ${goal} |`;
}

function engineLine(row: Row): string {
  return `| \`${row.name}\` | ${row.size} | ${ms(row, 'wasm')} | ${ms(row, 'reference')} | ${row.ratio.toFixed(2)} |`;
}

function ms({ times }: Row, engine: string): string {
  return times[engine]!.least.toPrecision(3);
}

function costSection({ quantity, of, unit, points }: Cost, i: number): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return `### ${quantity}: ${of}

![${unit} over ${quantity}](performance/cost-${i + 1}.svg)

${line([quantity, ...points.map(([x]) => x)])}
${line(['---', ...points.map(() => '---')])}
${line([unit, ...points.map(([, cost]) => cost.toPrecision(3))])}`;
}
