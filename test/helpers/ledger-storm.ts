import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { seeded } from './random.js';

const script = fileURLToPath(new URL('./ledger-spender.mjs', import.meta.url));

export interface Storm {
  /** Names of the releases that some process was told are paid. */
  readonly paid: string[];
  readonly kills: number;
  readonly endings: string[];
}

/** Two processes pay from the ledger at once, each killed and started again at random until it has nothing left to do. */
export async function storm(
  path: string,
  options: {
    total: number;
    mu: string;
    seed: number;
    alive: readonly [least: number, most: number];
    kills: number;
  },
): Promise<Storm> {
  const paid: string[] = [];
  const endings: string[] = [];
  let kills = 0;
  const random = seeded(options.seed);
  const spender = async (name: string) => {
    for (let left = options.kills; ; left--) {
      const child = spawn(process.execPath, [script, path, name, String(options.total), options.mu], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      const [least, most] = options.alive;
      const timer =
        left > 0 ? setTimeout(() => child.kill('SIGKILL'), least + random() * (most - least)) : undefined;
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(timer);
      const lines = out.split('\n').slice(0, -1);
      const ending = lines.at(-1);
      paid.push(...lines.filter((line) => line.startsWith(`${name}-`)));
      if (code !== null && code !== 0) throw new Error(`a spender failed: ${err}`);
      if (code === 0) {
        endings.push(ending ?? '');
        return;
      }
      kills++;
    }
  };
  await Promise.all(['a', 'b'].map(spender));
  return { paid, kills, endings };
}
