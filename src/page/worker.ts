import { loadEngine } from '../account/load-engine.js';
import type { Engine } from '../engine.js';
import { answerTo } from './compute.js';
import type { AnswerPart, Question, Reply } from './messages.js';

let engine: Promise<Engine> | undefined;

/** Answers one question, to the end or until a newer one is there; a failure is a reply too. */
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

/** Lets what came in the meantime be heard. */
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

/** Answers what the page sends to this worker. */
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
