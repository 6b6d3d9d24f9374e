import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMON_FLAGS } from '../../src/cli/command.js';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { mutated } from '../helpers/mutate.js';
import { seeded } from '../helpers/random.js';
import { gdp, type Outcome } from './harness.js';

/** Values that mean something to some option, and many that do not; what is valid is quick to answer. */
const VALUES =
  '0 1 2 -1 0.5 1e-5 1e-400 1e999 NaN Infinity 0x10 1,2 , "" - -- é 1e-3,0.1 add-remove closed-form grid auto reference text json 1/2 0/1 3/3 __proto__ steps \u001b[2J \u202e'.split(
    ' ',
  );

/** What is wrong with an answer of the command line; nothing if it is an answer, or a refusal in one sentence. */
export function complaintAbout({ code, stdout, stderr }: Outcome): string | undefined {
  if (![0, 1, 2].includes(code)) return `exit code ${code}`;
  if (/internal error|\bat .*\.(ts|js):\d+|\[object |undefined/.test(stderr)) return stderr;
  if (/NaN/.test(stdout)) return 'NaN';
  if (code === 2 && (stdout !== '' || !/^gdp: [^\n]+\n$/.test(stderr.slice(stderr.lastIndexOf('gdp: '))))) {
    return `not one sentence: ${JSON.stringify(stderr)}`;
  }
  return /[\p{Cc}\u202a-\u202e]/u.test(stderr.replaceAll('\n', '')) ? 'a control character' : undefined;
}

/** `count` random command lines; `place` is a folder with run.json, in which files may be written. */
export async function fuzzArguments(count: number, place: string, seed: number) {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const run = '{"kind": "gaussian", "noiseMultiplier": 2}';
  writeFileSync(join(place, 'run.json'), run);
  const files = ['run.json', 'absent.json', 'no/file.html', 'out.html', 'out.csv', 'out.svg', '.'];
  const values = [...VALUES, ...files.map((name) => join(place, name))];
  const failures: string[] = [];
  const codes = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const { name, flags } = pick(COMMANDS);
    const words = random() < 0.9 ? [name] : [pick(values)];
    for (let k = Math.floor(random() * 5); k > 0; k--) {
      const own = Object.keys(random() < 0.8 ? flags : COMMON_FLAGS);
      const flag = own.length > 0 ? pick(own) : 'json';
      words.push(
        ...pick([[`--${flag}`, pick(values)], [`--${flag}`], [`--${flag}=${pick(values)}`], [pick(values)]]),
      );
    }
    if (random() < 0.5) words.push(join(place, 'run.json'));
    const outcome = await gdp(words, random() < 0.5 ? run : pick(VALUES));
    const complaint = complaintAbout(outcome);
    if (complaint !== undefined) failures.push(`${JSON.stringify(words)}: ${complaint}`);
    else codes[outcome.code]++;
    if (readFileSync(join(place, 'run.json'), 'utf8') !== run) {
      failures.push(`${JSON.stringify(words)}: wrote onto its input`);
      writeFileSync(join(place, 'run.json'), run);
    }
  }
  return { codes, failures };
}

/** Goes on in `count` mutations of each table of a grid: one is refused and stays as it is, or ends as the whole table. */
export async function fuzzTables(
  count: number,
  grid: string,
  tables: readonly string[],
  out: string,
  seed: number,
) {
  const random = seeded(seed);
  const failures: string[] = [];
  let [refused, same] = [0, 0];
  for (const table of tables) {
    const ending = table.slice(table.lastIndexOf('.'));
    const damaged = `${out}-damaged${ending}`;
    const whole = readFileSync(table);
    for (let i = 0; i < count; i++) {
      const bytes = Buffer.from(mutated(whole, random));
      writeFileSync(damaged, bytes);
      const outcome = await gdp(['sweep', grid, '--out', damaged, '--workers', '1']);
      const found = readFileSync(damaged);
      const complaint = complaintAbout(outcome);
      if (complaint !== undefined) failures.push(`${ending} ${i}: ${complaint}`);
      else if (outcome.code === 2) {
        refused++;
        if (!found.equals(bytes)) failures.push(`${ending} ${i}: refused and changed`);
      } else {
        same++;
        const text = (of: Buffer) => of.toString('latin1').replaceAll('\r\n', '\n');
        // of Parquet its metadata alone are read
        if (ending === '.parquet' ? !found.equals(bytes) : text(found) !== text(whole))
          failures.push(`${ending} ${i}: it ends as another table`);
      }
    }
  }
  return { refused, same, failures };
}

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Kills a sweep of the built command after each of `delays` milliseconds, then lets it end. How often it was killed. */
export async function killedSweep(grid: string, out: string, delays: readonly number[]): Promise<number> {
  let killed = 0;
  for (const delay of [...delays, undefined]) {
    const child = spawn(process.execPath, [CLI, 'sweep', grid, '--out', out, '--workers', '2'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
      child.on('close', (code, signal) => resolve(signal ?? code)),
    );
    const timer = delay === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), delay);
    const end = await ended;
    clearTimeout(timer);
    if (end === 'SIGKILL') killed++;
    else if (end !== 0) throw new Error(`the sweep ended with ${end}: ${stderr}`);
  }
  if (!existsSync(out)) throw new Error('the sweep left nothing');
  return killed;
}
