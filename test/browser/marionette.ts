import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Firefox is, if anywhere. */
export const firefoxPath =
  process.env['FIREFOX'] ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

/** Firefox as its makers drive it: commands of WebDriver as lines of JSON over a socket, without a driver between. */
export class Firefox {
  private next = 0;
  private rest = Buffer.alloc(0);
  private readonly waiting = new Map<
    number,
    { resolve: (value: never) => void; reject: (error: Error) => void }
  >();

  private constructor(
    private readonly child: ChildProcess,
    private readonly socket: Socket,
    private readonly profile: string,
  ) {
    socket.on('data', (data) => this.take(data));
  }

  static async start(): Promise<Firefox> {
    const port = await freePort();
    const profile = mkdtempSync(join(tmpdir(), 'gdp-firefox-'));
    const settings = { 'marionette.port': port, 'browser.shell.checkDefaultBrowser': false };
    const lines = Object.entries(settings).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(profile, 'user.js'), lines.join(''));
    const words = ['--headless', '--marionette', '--no-remote', '--profile', profile];
    const child = spawn(firefoxPath!, words, { stdio: 'ignore', env: { ...process.env, HOME: profile } });
    const firefox = new Firefox(child, await connected(port, child), profile);
    await firefox.send('WebDriver:NewSession', {});
    return firefox;
  }

  /** @throws Error with what Firefox says is wrong. */
  send<T>(command: string, parameters: object): Promise<T> {
    const id = this.next++;
    const text = Buffer.from(JSON.stringify([0, id, command, parameters]));
    this.socket.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
  }

  /** What an expression of the page is; `page` is its global object. */
  async ask<T>(expression: string): Promise<T> {
    const script = `const page = window.wrappedJSObject ?? window; return ${expression};`;
    const { value } = await this.send<{ value: T }>('WebDriver:ExecuteScript', { script, args: [] });
    return value;
  }

  async find(selector: string): Promise<string> {
    const found = await this.send<{ value: Record<string, string> }>('WebDriver:FindElement', {
      using: 'css selector',
      value: selector,
    });
    return Object.values(found.value)[0]!;
  }

  async end(): Promise<void> {
    this.socket.destroy();
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.profile, { recursive: true, force: true });
  }

  /** Messages are their length in bytes, a colon and JSON. */
  private take(data: Buffer): void {
    this.rest = Buffer.concat([this.rest, data]);
    for (;;) {
      const colon = this.rest.indexOf(':');
      const length = Number(this.rest.subarray(0, colon).toString());
      if (colon < 0 || this.rest.length < colon + 1 + length) return;
      const message = JSON.parse(this.rest.subarray(colon + 1, colon + 1 + length).toString());
      this.rest = this.rest.subarray(colon + 1 + length);
      // the first is a greeting
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === null) asked?.resolve(result as never);
      else asked?.reject(new Error(`${error.error}: ${error.message}`));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function connected(port: number, child: ChildProcess): Promise<Socket> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Firefox ended with code ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return socket;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
