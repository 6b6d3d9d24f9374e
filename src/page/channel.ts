import type { Question, Reply, Task } from './messages.js';

/** A question before it has its number. */
export type Unnumbered = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, 'id' | 'since'>
    : never
  : never;

/** Where questions go and replies come from: a worker, or this thread where there is none. */
interface Port {
  post(question: Question): void;
  close(): void;
}

export type OpenPort = (onReply: (reply: Reply) => void) => Port;

/** A question that has run so long is given up for a newer one; how long its thread takes to start does not count, or a slow machine would start threads alone. */
const PATIENCE = 250;

let count = 0;

/**
 * The latest question wins. It waits for a part of the answer to the previous question, which is then cancelled. A slow one loses
 * its thread. Replies to a question that was given up never arrive.
 */
export class Channel {
  private port: Port | undefined;
  private busy: { question: Question; since: number; answered: boolean } | undefined;
  private next: Question | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the port has said anything. */
  private started = false;

  constructor(
    private readonly open: OpenPort,
    private readonly onReply: (reply: Reply, asked: Question) => void,
  ) {}

  /** The number of the question. */
  ask(asked: Unnumbered): number {
    count += 1;
    const question = { ...asked, id: count, since: performance.now() } as Question;
    if (this.busy === undefined || this.busy.answered) this.send(question);
    else {
      this.next = question;
      this.wait();
    }
    return count;
  }

  get task(): Task | undefined {
    return this.busy?.question.task;
  }

  /** Forgets what waits, and what is computed if it has taken long: a second on yesterday's question is a second late. */
  drop(): void {
    this.next = undefined;
    clearTimeout(this.timer);
    if (this.started && this.busy !== undefined && performance.now() - this.busy.since > PATIENCE)
      this.restart();
  }

  stop(): void {
    this.next = undefined;
    this.restart();
  }

  /** Until patience with the question under way is over. */
  private wait(): void {
    clearTimeout(this.timer);
    if (this.busy === undefined || !this.started) return;
    const left = PATIENCE - (performance.now() - this.busy.since);
    this.timer = setTimeout(() => this.giveUp(), Math.max(0, left));
  }

  private giveUp(): void {
    const { next } = this;
    if (next === undefined || this.busy === undefined) return;
    this.restart();
    this.send(next);
  }

  private restart(): void {
    this.port?.close();
    this.port = undefined;
    this.started = false;
    this.busy = undefined;
  }

  private send(question: Question): void {
    this.next = undefined;
    this.port ??= this.open((reply) => this.receive(reply));
    this.busy = { question, since: performance.now(), answered: false };
    this.port.post(question);
  }

  private receive(reply: Reply): void {
    const { busy } = this;
    if (!this.started) {
      this.started = true;
      if (busy !== undefined) busy.since = performance.now();
      if (this.next !== undefined) this.wait();
    }
    if (busy === undefined || reply.id !== busy.question.id || reply.kind === 'begun') return;
    if (reply.kind === 'done') this.busy = undefined;
    else busy.answered = true;
    clearTimeout(this.timer);
    this.onReply(reply, busy.question);
    if (this.next !== undefined) this.send(this.next);
  }
}

/** Questions that each get their reply, one after another: files to read, texts to make. */
export class Requests {
  private readonly channel: Channel;
  private replied: (reply: Reply) => void = () => {};
  private last: Promise<unknown> = Promise.resolve();

  constructor(open: OpenPort) {
    this.channel = new Channel(open, (reply) => this.replied(reply));
  }

  /** The one reply, of that kind; rejects with what was said of a failure. */
  ask<K extends Reply['kind']>(asked: Unnumbered, kind: K): Promise<Reply & { kind: K }> {
    const next = this.last.then(async () => {
      let answer: Reply | undefined;
      await new Promise<void>((resolve) => {
        this.replied = (reply) => {
          if (reply.kind === 'done') resolve();
          else answer = reply;
        };
        this.channel.ask(asked);
      });
      if (answer?.kind === kind) return answer as Reply & { kind: K };
      throw new Error(answer?.kind === 'failed' ? answer.message : 'nothing came back');
    });
    this.last = next.catch(() => undefined);
    return next;
  }
}
