import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A page at / with nothing on it, and this project's modules; a .js that is only there as .ts loses its types. */
export async function serveProject(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const body = path === '/' ? '<!doctype html><title>probe</title>' : moduleText(join(root, path));
    if (body === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': path === '/' ? 'text/html' : 'text/javascript' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

function moduleText(path: string): string | undefined {
  if (!path.startsWith(root) || !path.endsWith('.js')) return undefined;
  if (existsSync(path)) return readFileSync(path, 'utf8');
  const source = path.replace(/\.js$/, '.ts');
  if (!existsSync(source)) return undefined;
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  };
  return ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions }).outputText;
}
