// The hosts of hosts/: each is built in an empty folder by the lines of its README, and answers the lines of a file.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const LIBRARY = ['build/native/libgdp.so', 'build/native/gdp.h'];
const MODULE = ['dist/gdp.wasm'];

/** What a host needs, the commands that build it, and the one that answers a file of requests. */
const HOSTS = {
  c: {
    needs: ['cc', '--version'],
    files: LIBRARY,
    build: [
      'cc -O2 -Wall -Wextra -I. example.c gdp_epsilon.c -L. -lgdp -Wl,-rpath,. -o example',
      './example | grep -q 1.5153619166',
    ],
    answer: (corpus) => `./example ${corpus}`,
  },
  go: {
    needs: ['go', 'version'],
    files: MODULE,
    build: [
      'go mod init example.org/gdp',
      'go get github.com/tetratelabs/wazero@v1.12.0',
      'CGO_ENABLED=0 go test',
    ],
    answer: (corpus) =>
      `GDP_CORPUS=${corpus} GDP_ANSWERS=answers.jsonl CGO_ENABLED=0 go test -timeout 0 -run Corpus >&2 && cat answers.jsonl`,
  },
  java: {
    needs: ['mvn', '--version'],
    files: LIBRARY,
    build: ['mvn -q -B package'],
    answer: (corpus) => `java -cp 'target/classes:target/libs/*' org.gdpkernel.Example ./libgdp.so ${corpus}`,
  },
  rust: {
    needs: ['cargo', '--version'],
    files: MODULE,
    build: ['cargo build -q --release --example epsilon'],
    answer: (corpus) => `target/release/examples/epsilon gdp.wasm ${corpus}`,
  },
};

export const HOST_NAMES = Object.keys(HOSTS);

/**
 * The answers of a host to the lines of a file.
 *
 * @returns {{ answers?: string[], missing?: string, failed?: string }}
 */
export function answersOfHost(name, corpus, folder) {
  const { needs, files, build, answer } = HOSTS[name];
  if (spawnSync(needs[0], needs.slice(1)).status !== 0) return { missing: `there is no ${needs[0]}` };
  const unbuilt = files.find((file) => !existsSync(join(root, file)));
  if (unbuilt !== undefined) return { missing: `${unbuilt} is not built` };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'hosts', name), folder, { recursive: true });
  for (const file of files) copyFileSync(join(root, file), join(folder, file.split('/').at(-1)));
  for (const command of build) {
    const { status, stdout, stderr } = shell(command, folder);
    if (status !== 0) return { failed: `${command}: ${stdout.slice(-1000)}${stderr.slice(-1000)}` };
  }
  const { status, stdout, stderr } = shell(answer(corpus), folder);
  if (status !== 0) return { failed: stderr.slice(-1000) };
  return { answers: stdout.trimEnd().split('\n') };
}

function shell(command, cwd) {
  return spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
}
