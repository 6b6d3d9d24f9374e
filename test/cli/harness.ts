import { run } from '../../src/cli/main.js';
import { visible } from '../../src/text/escape.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `gdp` in this process with the given standard input. */
export async function gdp(argv: readonly string[], stdin = '', piped = false): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  async function* input() {
    yield new TextEncoder().encode(stdin);
  }
  const code = await run(argv, {
    stdin: input(),
    piped,
    write: async (text) => {
      stdout += text;
    },
    note: (message) => {
      stderr += `gdp: ${visible(message)}\n`;
    },
  });
  return { code, stdout, stderr };
}

/** A run whose exact ε(1e-5), δ(8) and more are known. */
export const CIFAR = 'examples/cifar10-wrn40.json';
export const CIFAR_FLAGS = ['--noise-multiplier', '9.4', '--sampling-rate', '0.32768', '--steps', '2000'];
