// node conformance/run.mjs [--seconds S] [--only GROUP] NAME=COMMAND ...: puts accountants to the pack and prints a table.
// A command reads {"id", "run", "adjacency", "quantity", "at"}, a line each, and answers {"id", "lower", "upper"}, or {"id", "value"} for a number that claims
// to be on the safe side, or {"id", "error"} for what it refuses. A command that ends at once with exit code 3 is not installed.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { verdict } from './score.mjs';

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    only: { type: 'string' },
    list: { type: 'boolean' },
  },
  allowPositionals: true,
});
const folder = new URL('vectors/', import.meta.url);
const vectors = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl') && (values.only === undefined || name === `${values.only}.jsonl`))
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line));

const COLUMNS = ['sharp', 'contained', 'below', 'refused', 'slow', 'wrong', 'bad refused', 'bad accepted'];
/** A child that answers one question at a time; one that does not in time is ended and started again. */
class Accountant {
  constructor(command) {
    this.command = command;
  }

  start() {
    this.child = spawn(this.command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.child.stdin.on('error', () => {});
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
  }

  async ask(question, seconds) {
    if (this.child === undefined) this.start();
    this.child.stdin.write(`${JSON.stringify(question)}\n`);
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, 1000 * seconds, 'slow');
    });
    const line = this.lines.next().then(({ value, done }) => (done ? 'ended' : value));
    const said = await Promise.race([line, late]);
    clearTimeout(timer);
    if (said === 'ended') {
      const code = await this.ended;
      this.child = undefined;
      return code === 3 ? 'missing' : { wrong: `it ended with exit code ${code}` };
    }
    if (said === 'slow') {
      this.end();
      return 'slow';
    }
    try {
      const answer = JSON.parse(said);
      return answer.id === question.id ? answer : { wrong: 'the answer to another question' };
    } catch {
      return { wrong: 'no JSON' };
    }
  }

  end() {
    if (this.child === undefined) return;
    try {
      process.kill(-this.child.pid);
    } catch {}
    this.child = undefined;
  }
}

async function countsOf(name, command) {
  const counts = {};
  const accountant = new Accountant(command);
  for (const vector of vectors) {
    const { id, run, adjacency, quantity, at } = vector;
    const answer = await accountant.ask({ id, run, adjacency, quantity, at }, Number(values.seconds));
    if (answer === 'missing') return undefined;
    const plain = answer === 'slow' ? 'slow' : verdict(vector, answer);
    const bad = vector.expect === 'refused';
    const kind = bad && plain === 'refused' ? 'bad refused' : plain === 'accepted' ? 'bad accepted' : plain;
    counts[kind] = (counts[kind] ?? 0) + 1;
    const failed = !['sharp', 'contained', 'refused', 'bad refused'].includes(kind);
    if (failed || values.list) process.stderr.write(`${name}: ${id} ${kind} ${JSON.stringify(answer)}\n`);
  }
  accountant.end();
  return counts;
}

process.stdout.write(
  `| accountant | ${COLUMNS.join(' | ')} | seconds |\n|---|${'---|'.repeat(COLUMNS.length + 1)}\n`,
);
for (const each of positionals) {
  const at = each.indexOf('=');
  const [name, command] = [each.slice(0, at), each.slice(at + 1)];
  const start = performance.now();
  const counts = await countsOf(name, command);
  const cells =
    counts === undefined ? COLUMNS.map(() => 'not installed') : COLUMNS.map((column) => counts[column] ?? 0);
  process.stdout.write(
    `| ${name} | ${cells.join(' | ')} | ${((performance.now() - start) / 1000).toFixed(0)} |\n`,
  );
}
