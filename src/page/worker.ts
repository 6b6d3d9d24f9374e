import { loadEngine } from '../account/load-engine.js';
import type { Engine } from '../engine.js';
import { answerTo } from './compute.js';
import type { AnswerPart, Question, Reply } from './messages.js';

let engine: Promise<Engine> | undefined;

/** Answers a question in parts until all parts are sent or a newer question arrives. An error is sent as a reply too. */
export async function reply(
  question: Question,
  send: (reply: Reply) => void,
  newest: () => boolean,
): Promise<void> {
  const { id, task } = question;
  const post = (part: AnswerPart): void => send({ id, task, ...part } as Reply);
  const isNew = engine === undefined;
  engine ??= loadEngine();
  const loaded = await engine;
  if (isNew) post({ kind: 'begun' });
  try {
    for (const part of answerTo(loaded, question)) {
      if (part !== undefined) post(part);
      else await others();
      if (!newest()) return;
    }
  } catch (error) {
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
  post({ kind: 'done' });
}

/** Returns to the event loop once, so that messages received in the meantime are handled. */
function others(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/** Answers the questions that the page sends to this worker. */
export function work(): void {
  let latest = 0;
  addEventListener('message', ({ data }: MessageEvent<Question>) => {
    latest = data.id;
    void reply(
      data,
      (part) => postMessage(part),
      () => latest === data.id,
    );
  });
}
