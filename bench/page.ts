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

\`npm run bench -- --all\` writes this page. Run it for the figures of your machine. These are of gdp-kernel ${version}, Node ${versions.node}
(V8 ${versions.v8}), ${machine.cpu}, ${machine.cores} processor threads, ${machine.platform} ${machine.arch}. During the run, ${machine.load.toFixed(1)} processes wanted them; above
${machine.cores}, the figures are those of a busy machine. The seed is ${seed}, with ${milliseconds} ms for each function, in turns.

Times are the least seen, and include copies into and out of WebAssembly. **times faster** is the rival's time over ours: above 1, this package is the
faster one. Compare these ratios with those of another machine, not milliseconds.

\`npm run bench -- --compare old.json\` shows what became slower since an older \`bench/results.json\`. [bench/goals.md](../bench/goals.md) has our own goals.

## What it means

${meaningOf(results)}

## Beside what else there is in JavaScript

| | numbers | rival | ms | rival's ms | times faster |
|---|---|---|---|---|---|
${rivals.map(rivalLine).join('\n')}

Rivals are timed in the same run, in turns, each in a loop of its own into an array that is there already; a rival that gives
other numbers ends the run (how far it may differ is in [function-contests.ts](../bench/function-contests.ts): @stdlib's quantile has lost
all digits below 1e-16). @stdlib's functions come from npm as dependencies of the bench alone. FFTW is the library this machine
has, called from [bench/native/fftw.c](../bench/native/fftw.c) by a measured plan (minutes to make, the first time), one thread, after ours, not in turns.
FFT contests go through the public interface, copies into and out of WebAssembly included: a round trip is \`realFft\`, then \`inverseRealFft\`,
with the spectrum in natural order; a convolution (two transforms, a product, the inverse) leaves the spectra in the order the passes end in,
as \`composeCyclic\` does.${absent.map((what) => `\nNot measured: ${what}.`).join('')}

## The two engines

| method | numbers | WebAssembly, ms | reference, ms | times faster |
|---|---|---|---|---|
${kernels.map(engineLine).join('\n')}

The reference engine is the same text compiled to JavaScript, and gives the same bits. It answers where WebAssembly is forbidden.

## Whole jobs

| job | WebAssembly, ms | reference, ms | times faster |
|---|---|---|---|
${jobs.map((row) => `| ${row.name} | ${ms(row, 'wasm')} | ${ms(row, 'reference')} | ${row.ratio.toFixed(2)} |`).join('\n')}

Plans of contours are plain TypeScript in either engine, so the engines are close where contours are chosen.
${sharesSection(shares)}[bench/python/accountants.py](../bench/python/accountants.py) puts dp_accounting and prv_accountant on the same work.

## Start-up

From before \`import\` to the answer, in a new process: ${startUp.gaussian.toFixed(0)} ms for the ε of a Gaussian, ${startUp.cifar10.toFixed(0)} ms for that of the
CIFAR-10 run. \`npm run pack-check\` shows the size of what the import loads, and fails if it grows: 153 kB gzipped for all of the root, and 65 kB for
\`account\`, \`dpSgd\` and \`loadEngine\`. The engine loads when it is asked for: 83 kB in WebAssembly, and 49 kB of methods.

${answersSection(firstAnswers)}
## How costs grow

${costs.map(costSection).join('\n\n')}

## Threads

\`gdp sweep\` gives each worker thread an engine of its own and rows of the grid, a few at a time; workers share nothing,
and the rows are the same bits whatever their number.
`;
}

/** What the ratios of the tables tell a user, in sentences. */
export function meaningOf({
  rivals,
  jobs,
  startUp,
  firstAnswers,
}: Pick<Results, 'rivals' | 'jobs' | 'startUp' | 'firstAnswers'>): string {
  const span = (rows: readonly Row[]): string => {
    const ratios = rows.map(({ ratio }) => ratio).sort((a, b) => a - b);
    return `${ratios[0]?.toPrecision(2)} to ${ratios.at(-1)?.toPrecision(2)}`;
  };
  const against = (test: RegExp): string => span(rivals.filter(({ rival }) => test.test(rival ?? '')));
  const sentences = [
    `Functions of 100,000 numbers are ${against(/@stdlib|Math\./)} times as fast as the same in JavaScript, from npm or in a loop.`,
    `Fourier transforms are ${against(/fft\.js/)} times as fast as those of fft.js.${rivals.some(({ rival }) => /FFTW/.test(rival ?? '')) ? ` Beside FFTW, which is machine code, they are ${against(/FFTW/)} times as fast.` : ''}`,
    `Where WebAssembly is forbidden, whole jobs take ${span(jobs)} times as long, and the answers are the same bits.`,
    `A new process answers with the ε of a training run after ${startUp.cifar10.toFixed(0)} ms.`,
    ...(firstAnswers === undefined
      ? []
      : [
          `In one that runs already, the first ε takes ${firstAnswers.epsilon.toPrecision(2)} ms and another one ${(1000 * firstAnswers.laterEpsilon).toFixed(0)} µs.`,
        ]),
  ];
  return sentences.map((sentence) => `- ${sentence}`).join('\n');
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
  return `In a warm process an account of the CIFAR-10 run, both directions, gives its first δ after ${us(answers.delta)},
its first ε after ${us(answers.epsilon)}; another ε takes ${us(answers.laterEpsilon)}, another δ ${us(answers.laterDelta)}.
`;
}

function rivalLine(row: Row): string {
  return `| ${row.name} | ${row.size} | ${row.rival} | ${ms(row, 'wasm')} | ${ms(row, 'rival')} | ${row.ratio.toFixed(2)} |`;
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
