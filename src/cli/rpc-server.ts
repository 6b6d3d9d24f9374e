import type { WorkerPool } from '../sweep/worker-pool.js';
import type { CommandLine, News } from './apart.js';
import type { Command, CommandAnswer } from './command.js';
import {
  discovery,
  errorMessage,
  messageOf,
  messagesIn,
  RpcError,
  type RpcId,
  type RpcRequest,
  requestIn,
  taskOf,
} from './rpc.js';

export interface RpcHost {
  readonly commands: readonly Command[];
  readonly pool: Pick<WorkerPool<CommandLine, CommandAnswer>, 'run'>;
  /** Sends a line; resolves when more can be sent. */
  readonly write: (line: string) => Promise<void>;
  /** Greatest length of a line in bytes; longer ones are dropped. */
  readonly longestLine: number;
  /** Greatest number of unanswered requests. */
  readonly mostRequests: number;
  /** Greatest number of characters in the lines of unanswered requests. */
  readonly mostBytes: number;
  /** Milliseconds between two notifications on the progress of a request; 0 for none. */
  readonly progressEvery: number;
}

interface UnderWay {
  readonly started: number;
  readonly stop: AbortController;
  fraction?: number;
}

/** Answers requests, one per line, several at a time. */
export class RpcServer {
  /** Requests that can be cancelled, by id; 1 and "1" are different ids. */
  private readonly underWay = new Map<string, UnderWay>();
  private readonly answers = new Set<Promise<void>>();
  private written: Promise<void> = Promise.resolve();
  private requests = 0;
  private bytes = 0;
  private readonly beat: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly host: RpcHost) {
    const { progressEvery } = host;
    if (progressEvery > 0) this.beat = setInterval(() => this.tellProgress(), progressEvery);
  }

  /** Handles a line; resolves when the next one may be passed. */
  async take(text: string | undefined): Promise<void> {
    const { longestLine, mostBytes } = this.host;
    if (text === undefined)
      return this.send(errorMessage(new RpcError('request', `a line is longer than ${longestLine} bytes`)));
    if (text.trim() === '') return;
    let read: ReturnType<typeof messagesIn>;
    try {
      read = messagesIn(text);
    } catch (error) {
      return this.send(errorMessage(error as RpcError));
    }
    const busy = this.bytes + text.length > mostBytes;
    this.bytes += text.length;
    const answers = Promise.all(read.messages.map((message) => this.responseTo(message, busy)));
    const answered = answers.then(async (responses) => {
      this.bytes -= text.length;
      const said = responses.filter((response) => response !== undefined);
      if (said.length > 0) await this.send(read.batch ? said : said[0]);
    });
    this.answers.add(answered);
    void answered.finally(() => this.answers.delete(answered));
    // if the client does not read the answers, no further requests are taken
    await this.written;
  }

  async settled(): Promise<void> {
    await Promise.all(this.answers);
    clearInterval(this.beat);
  }

  private send(message: unknown): Promise<void> {
    this.written = this.host.write(`${JSON.stringify(message)}\n`);
    return this.written;
  }

  /** The response to a message; undefined for a notification. Never rejects. */
  private async responseTo(message: unknown, busy: boolean): Promise<object | undefined> {
    let request: RpcRequest | undefined;
    try {
      request = requestIn(message);
      if (request === undefined) return undefined;
      if (busy || this.requests >= this.host.mostRequests)
        throw new RpcError('busy', 'too many requests are under way', request.id);
      this.requests++;
      const result = await this.resultOf(request).finally(() => this.requests--);
      return request.id === undefined ? undefined : messageOf({ id: request.id, result });
    } catch (error) {
      if (request !== undefined && request.id === undefined) return undefined;
      const known =
        error instanceof RpcError ? error : new RpcError('internal', (error as Error).message, request?.id);
      return errorMessage(known);
    }
  }

  private async resultOf(request: RpcRequest): Promise<unknown> {
    const { id = null, method, params } = request;
    if (method === '$/cancelRequest') return this.cancel(params);
    if (method === 'rpc.discover') return discovery(this.host.commands);
    const command = this.host.commands.find(({ name }) => name === method);
    if (command === undefined)
      throw new RpcError('method', `there is no method "${method.slice(0, 40)}"`, id);
    const task = taskOf(command, request);
    const key = JSON.stringify(id);
    if (request.id !== undefined && this.underWay.has(key))
      throw new RpcError('request', 'a request of this id is under way', id);
    const state: UnderWay = { started: performance.now(), stop: new AbortController() };
    if (request.id !== undefined) this.underWay.set(key, state);
    try {
      const notes: string[] = [];
      const onNews = (said: unknown): void => {
        const news = said as News;
        if ('note' in news) notes.push(news.note);
        else if ('progress' in news) state.fraction = news.progress;
      };
      const answer = await this.host.pool.run(task, { signal: state.stop.signal, onNews });
      return resultFrom(answer, notes, id);
    } finally {
      if (request.id !== undefined) this.underWay.delete(key);
    }
  }

  private cancel({ id }: RpcRequest['params']): boolean {
    const state = this.underWay.get(JSON.stringify(id));
    state?.stop.abort(new RpcError('cancelled', 'cancelled', id as RpcId));
    return state !== undefined;
  }

  private tellProgress(): void {
    for (const [key, { started, fraction }] of this.underWay) {
      const seconds = Math.round(performance.now() - started) / 1000;
      const told = { id: JSON.parse(key), seconds, ...(fraction !== undefined && { fraction }) };
      void this.send(messageOf({ method: '$/progress', params: told }));
    }
  }
}

/** The result of a request, from the answer of the command line. @throws RpcError if the command failed. */
function resultFrom(
  { text, exitCode, failure, files }: CommandAnswer,
  notes: readonly string[],
  id: RpcId,
): object {
  if (failure !== undefined)
    throw new RpcError(exitCode === 2 ? 'params' : 'internal', failure, id, { exitCode, notes });
  const beside = { exitCode, notes, ...(files && { files }) };
  try {
    return { answer: JSON.parse(text), ...beside };
  } catch {
    return { text, ...beside };
  }
}
