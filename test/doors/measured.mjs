// A door in a process of its own: it is asked the lines of a file in order and in reverse. CORPUS and OUT are the arguments.
import { readFileSync, writeFileSync } from 'node:fs';

const [corpus, out] = process.argv.slice(2);

/** CPU milliseconds of this process. */
function spent() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const megabytes = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;

/** Opens a door, asks it, and prints what it took as JSON. */
export async function measured(open) {
  const lines = readFileSync(corpus, 'utf8').trimEnd().split('\n');
  const first = lines[0];
  let since = spent();
  const ask = await open();
  const opened = spent() - since;
  since = spent();
  await ask(first);
  const took = { open: opened, first: spent() - since, memory: megabytes() };
  const times = [];
  const answers = [];
  for (const line of lines) {
    since = spent();
    answers.push(await ask(line));
    times.push(spent() - since);
  }
  const reverse = [];
  for (const line of lines.toReversed()) reverse.push(await ask(line));
  writeFileSync(out, JSON.stringify({ answers, reverse: reverse.toReversed() }));
  process.stdout.write(`${JSON.stringify({ ...took, times })}\n`);
}
