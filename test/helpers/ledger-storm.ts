import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { seeded } from './random.js';

const script = fileURLToPath(new URL('./ledger-spender.mjs', import.meta.url));

/** One process in so many is killed while it opens the ledger, if it does not come to pay before. */
const OPENING = 5;
/** A process lives on for a part of so many releases, or milliseconds: so that it dies anywhere in one. */
const [RELEASES, MILLISECONDS] = [2, 4];

export interface Storm {
  /** Names of the releases that some process was told are paid. */
  readonly paid: string[];
  readonly kills: number;
  /** Those of processes that were paying. */
  readonly landed: number;
}

/**
 * Two processes pay from the ledger at once, each killed and started again until it has nothing left to do. When one dies depends
 * on what it has paid and on how long that took, so that machines of any speed kill alike.
 */
export async function storm(
  path: string,
  options: {
    total: number;
    mu: string;
    seed: number;
    /** Releases that a process pays before it is killed. */
    pays: readonly [least: number, most: number];
    /** Of each of the two, at most. */
    kills: number;
  },
): Promise<Storm> {
  const paid: string[] = [];
  let [kills, landed] = [0, 0];
  const random = seeded(options.seed);
  const [least, most] = options.pays;
  const spender = async (name: string) => {
    let opening = Infinity;
    for (let left = options.kills; ; left--) {
      const child = spawn(process.execPath, [script, path, name, String(options.total), options.mu], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const start = performance.now();
      const early = left > 0 && opening < Infinity && random() * OPENING < 1;
      const timers = early ? [killIn(child, random() * opening)] : [];
      const enough = left > 0 ? least + random() * (most - least) : Infinity;
      let [out, err, lines] = ['', '', 0];
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk;
        if (lines === 0) opening = Math.min(opening, performance.now() - start);
        const before = lines;
        lines = out.split('\n').length - 1;
        if (lines < enough || before >= enough) return;
        const pause = (performance.now() - start - opening) / lines;
        timers.push(killIn(child, random() * Math.max(MILLISECONDS, RELEASES * pause)));
      });
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk;
      });
      const [code] = (await once(child, 'close')) as [number | null];
      for (const timer of timers) clearTimeout(timer);
      const told = out
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.startsWith(`${name}-`));
      paid.push(...told);
      if (code !== null && code !== 0) throw new Error(`a spender failed: ${err}`);
      if (code === 0) return;
      kills++;
      if (told.length > 0) landed++;
    }
  };
  await Promise.all(['a', 'b'].map(spender));
  return { paid, kills, landed };
}

function killIn(child: ChildProcess, milliseconds: number): NodeJS.Timeout {
  return setTimeout(() => child.kill('SIGKILL'), milliseconds);
}
