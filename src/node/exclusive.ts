import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnwritableOutput } from '../errors.js';
import { asOutput, targetOf, tellUnfinished } from './whole-file.js';

/** The process that writes a file, described so that another process of the machine can tell whether it still runs. */
interface Writer {
  readonly pid: number;
  /** When the process began, in clock ticks of the kernel: process numbers are reused. Linux only. */
  readonly started?: string | undefined;
  readonly host: string;
  /** The id of the machine's last boot. Linux only. */
  readonly boot?: string | undefined;
  /** The namespace of process numbers, as a container has its own. Linux only. */
  readonly space?: string | undefined;
}

/** Greatest number of attempts when two writers begin at the same time: both withdraw, and wait for different times. */
const ATTEMPTS = 5;
/** Greatest time between two attempts, in milliseconds. */
const LONGEST_WAIT = 200;

/**
 * Makes this process the only writer of a file. The function that the promise resolves to ends this.
 *
 * Each writer creates a claim of its own beside the output, and then looks for claims of others. Of two writers the later to look sees the other's claim,
 * so at most one goes on. The claim of a process that has ended does not count and is removed: a killed process leaves nothing to clear up. Whether a
 * process of another machine or container still runs cannot be known, so its claim counts.
 *
 * @throws UnwritableOutput, which names the other writer, or says what the file system refuses.
 */
export async function claimFile(path: string): Promise<() => Promise<void>> {
  const target = await targetOf(path);
  const folder = dirname(target);
  const prefix = `.${basename(target)}.`;
  const own = `${prefix}${process.pid}-${randomBytes(6).toString('hex')}.lock`;
  const file = join(folder, own);
  const release = async () => {
    await rm(file, { force: true });
    tellUnfinished(file, false);
  };
  for (let attempt = 1; ; attempt++) {
    tellUnfinished(file, true);
    await asOutput(path, async () => {
      // the file appears with its content, by renaming
      await writeFile(`${file}.new`, JSON.stringify(thisProcess()));
      await rename(`${file}.new`, file);
    });
    const other = await asOutput(path, () => otherWriter(folder, prefix, own));
    if (other === undefined) return release;
    await release();
    if (attempt === ATTEMPTS) throw taken(path, other);
    await sleep(LONGEST_WAIT * Math.random());
  }
}

interface Claim {
  readonly file: string;
  readonly writer: Writer;
}

function taken(path: string, { file, writer }: Claim): UnwritableOutput {
  const { pid, host } = writer;
  const who = isSameSpace(writer)
    ? `process ${pid}`
    : `process ${pid} on ${host}; if that has ended, remove "${file}"`;
  return new UnwritableOutput(`${path}: it is being written by another gdp: ${who}`);
}

/** The claim of another process that may be running; those of processes that are gone are removed. */
async function otherWriter(folder: string, prefix: string, own: string): Promise<Claim | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !/^\d+-[0-9a-f]{12}\.lock$/.test(name.slice(prefix.length))) continue;
    if (name === own) continue;
    const file = join(folder, name);
    const text = await readFile(file, 'utf8').catch(() => '');
    // a claim that has just been released cannot be read
    const writer = known((): Writer => JSON.parse(text));
    if (writer === undefined) continue;
    if (!isGone(writer)) return { file, writer };
    await rm(file, { force: true });
  }
  return undefined;
}

/** Whether a writer is known to have ended. */
function isGone(writer: Writer): boolean {
  const { host, boot } = thisProcess();
  // the machine was restarted since the claim was made
  if (writer.host === host && writer.boot !== boot) return true;
  return isSameSpace(writer) && !(isRunning(writer.pid) && writer.started === startOf(writer.pid));
}

function isSameSpace(writer: Writer): boolean {
  const { host, boot, space } = thisProcess();
  return writer.host === host && writer.boot === boot && writer.space === space;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function thisProcess(): Writer {
  return {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
    boot: known(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    space: known(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** When a process began: field 22 of its line in /proc. The second field is in parentheses and may contain spaces. */
function startOf(pid: number): string | undefined {
  const line = known(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}

/** The result of `read`; undefined if it throws. */
function known<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
