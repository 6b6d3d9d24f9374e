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

  /** The one reply; rejects with what was said of a failure. */
  ask(asked: Asked): Promise<Reply> {
    const next = this.last.then(() => this.send(asked));
    this.last = next.catch(() => undefined);
    return next;
  }

  /** The reply of a question whose answer is a text. */
  async text(asked: Asked): Promise<string> {
    const reply = await this.ask(asked);
    return reply.kind === 'text' ? reply.text : '';
  }

  private send(asked: Asked): Promise<Reply> {
    let answer: Reply | undefined;
    return new Promise((resolve, reject) => {
      this.replied = (reply) => {
        if (reply.kind !== 'done') answer = reply;
        else if (answer === undefined) reject(new Error('nothing came back'));
        else if (answer.kind === 'failed') reject(new Error(answer.message));
        else resolve(answer);
      };
      this.channel.ask(asked);
    });
  }
}
