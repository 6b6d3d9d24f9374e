import { type Asked, Channel, type OpenPort } from './channel.js';
import type { Reply } from './messages.js';

/** Questions that each get their reply, one after another: files to read, texts to make. */
export class Requests {
  private readonly channel: Channel;
  private replied: (reply: Reply) => void = () => {};
  private last: Promise<unknown> = Promise.resolve();

  constructor(open: OpenPort) {
    this.channel = new Channel(open, (reply) => this.replied(reply));
  }

  /** The one reply, of that kind; rejects with what was said of a failure. */
  ask<K extends Reply['kind']>(asked: Asked, kind: K): Promise<Reply & { kind: K }> {
    const next = this.last.then(() => this.send(asked, kind));
    this.last = next.catch(() => undefined);
    return next;
  }

  private send<K extends Reply['kind']>(asked: Asked, kind: K): Promise<Reply & { kind: K }> {
    let answer: Reply | undefined;
    return new Promise((resolve, reject) => {
      this.replied = (reply) => {
        if (reply.kind !== 'done') answer = reply;
        else if (answer?.kind === kind) resolve(answer as Reply & { kind: K });
        else reject(new Error(answer?.kind === 'failed' ? answer.message : 'nothing came back'));
      };
      this.channel.ask(asked);
    });
  }
}
