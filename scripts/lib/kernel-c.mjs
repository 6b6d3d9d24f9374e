// hosts/kernel: kernel.wasm as C, built in an empty folder by the lines of its README, and asked what conformance/ has of it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askHost, statedVectors } from './kernel-host.mjs';
import { fetchParts, Missing } from './native-parts.mjs';
import { root } from './setup.mjs';

/** @returns {{ asked?: number, unlike?: string[], missing?: string, failed?: string }} */
export function kernelInC(folder) {
  if (spawnSync('cc', ['--version']).status !== 0) return { missing: 'there is no cc' };
  let parts;
  try {
    parts = fetchParts();
  } catch (error) {
    if (error instanceof Missing) return { missing: error.message };
    throw error;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'hosts/kernel'), folder, { recursive: true });
  for (const file of ['native/wasm-rt.h', 'native/wasm-rt.c', 'dist/kernel.wasm'])
    copyFileSync(join(root, file), join(folder, file.split('/').at(-1)));
  const env = {
    ...process.env,
    PATH: `${join(parts.wabt, 'bin')}:${process.env.PATH}`,
    SIMDE: join(parts.simde, '..'),
  };
  const shell = (command) => spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
  for (const command of linesOf(join(root, 'hosts/kernel/README.md'))) {
    const { status, stdout, stderr } = shell(command);
    if (status !== 0) return { failed: `${command}: ${stdout}${stderr.slice(-1000)}` };
  }
  const vectors = statedVectors();
  const line = ({ quantity, at, phases }) =>
    [quantity, at, phases.length, ...phases.flatMap(({ noise, rate, steps }) => [noise, rate, steps])].join(
      ' ',
    );
  writeFileSync(join(folder, 'questions.txt'), `${vectors.map(line).join('\n')}\n`);
  const { status, stdout, stderr } = shell('./example questions.txt');
  if (status !== 0) return { failed: stderr };
  const answers = stdout
    .trim()
    .split('\n')
    .map((text) => text.split(' ').map((number) => (number === 'inf' ? Infinity : Number(number))));
  const unlike = vectors.filter(({ phases, quantity, at }, i) => {
    const { end, lower, upper } = askHost(phases, quantity, at);
    return ![end, lower, upper].every((x, k) => Object.is(x, answers[i]?.[k]));
  });
  return { asked: vectors.length, unlike: unlike.map(({ id }) => id) };
}

/** The commands of the first block of a page. */
function linesOf(page) {
  return /```sh\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8'))[1].trim().split('\n');
}
