import type { Question, Reply, Task } from './messages.js';

/** A question without its number, which `ask` gives it. */
export type Unnumbered = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, 'id' | 'since'>
    : never
  : never;

/** Takes questions and sends replies: a worker, or this thread if no worker may be started. */
interface Port {
  post(question: Question): void;
  close(): void;
}

export type OpenPort = (onReply: (reply: Reply) => void) => Port;

/**
 * Milliseconds after which a running question is cancelled for a newer one by ending its worker. The time in which a worker starts is not
 * counted, as otherwise a slow machine would only start workers.
 */
const PATIENCE = 250;

let count = 0;

/**
 * Sends questions to one worker; only the latest question matters. A new question waits until the worker has sent the next part of the running answer,
 * and then replaces it. If that takes longer than `PATIENCE`, the worker is ended and a new one started. Replies to a replaced question are dropped.
 */
export class Channel {
  private port: Port | undefined;
  private busy: { question: Question; since: number; answered: boolean } | undefined;
  private next: Question | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the worker has sent a reply, which shows that it has started. */
  private started = false;

  constructor(
    private readonly open: OpenPort,
    private readonly onReply: (reply: Reply, asked: Question) => void,
  ) {}

  /** Sends the question, and returns its number. */
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

  /** Drops the waiting question, and ends the worker if the running one has used up `PATIENCE`. */
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

  /** Ends the worker when the running question has used up `PATIENCE`. */
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

/** Sends requests (read a file, write a report) one after another; each has one reply. */
export class Requests {
  private readonly channel: Channel;
  private replied: (reply: Reply) => void = () => {};
  private last: Promise<unknown> = Promise.resolve();

  constructor(open: OpenPort) {
    this.channel = new Channel(open, (reply) => this.replied(reply));
  }

  /** The reply, which is of the kind asked for; the promise rejects with the message of a failure. */
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
