import type { Results, Row } from './results.js';

/** Slower by more than this is told as a regression. */
const TOLERATED = 1.15;

/**
 * What changed between two results.json: of each row the ratio to its rival in the same run, which a slower or busier
 * machine changes little, and the time itself.
 */
export function comparison(old: Results, now: Results): string {
  const rowsOf = ({ kernels, rivals, jobs }: Results) =>
    new Map(
      [...kernels, ...jobs, ...rivals].map((row) => [
        `${row.name}${row.rival === undefined ? '' : ` / ${row.rival}`}`,
        row,
      ]),
    );
  const before = rowsOf(old);
  const lines = ['\nsince the older results: ratio to the rival (more is better), time (less is better)\n'];
  let regressions = 0;
  for (const [name, row] of rowsOf(now)) {
    const was = before.get(name);
    if (was === undefined) {
      lines.push(`  ${name}: new\n`);
      continue;
    }
    before.delete(name);
    const worse = was.ratio / row.ratio > TOLERATED;
    if (worse) regressions++;
    const time = leastOf(row) / leastOf(was);
    const ratios = `${was.ratio.toFixed(2)} -> ${row.ratio.toFixed(2)}`;
    lines.push(
      `${worse ? '! ' : '  '}${name.padEnd(60)}${ratios.padStart(18)}   time x ${time.toFixed(2)}\n`,
    );
  }
  for (const name of before.keys()) lines.push(`  ${name}: gone\n`);
  const verdict = regressions === 0 ? 'no regressions' : `${regressions} regressions, marked !`;
  lines.push(`${verdict} (a ratio worse by more than ${Math.round((TOLERATED - 1) * 100)} %)\n`);
  return lines.join('');
}

function leastOf(row: Row): number {
  return row.times['wasm']!.least;
}
