import { type Engine, loadEngine } from '../engine.js';
import type { OpenPort } from './channel.js';
import { answerTo } from './compute.js';
import type { Part, Question, Reply } from './messages.js';

let engine: Promise<Engine> | undefined;

/** Answers one question to the end; a failure is a reply too. */
async function reply(question: Question, send: (reply: Reply) => void): Promise<void> {
  const { id, task } = question;
  const post = (part: Part): void => send({ id, task, ...part } as Reply);
  engine ??= loadEngine();
  const loaded = await engine;
  const began = performance.now();
  try {
    answerTo(loaded, question, post);
  } catch (error) {
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
  post({ kind: 'done', milliseconds: performance.now() - began });
}

/** Makes this thread answer what it is sent. */
export function serve(): void {
  addEventListener('message', ({ data }: MessageEvent<Question>) => {
    void reply(data, (part) => postMessage(part));
  });
}

/**
 * Threads that run the script `source`, which calls `serve` where there is no document; this thread itself, between frames,
 * where no worker may be started.
 */
export function portsFrom(source: string): OpenPort {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  let forbidden = false;
  return (onReply) => {
    const inline = inlinePort(onReply);
    if (forbidden) return inline;
    try {
      const worker = new Worker(url);
      let waiting: Question[] = [];
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        waiting = waiting.filter(({ id }) => id !== data.id);
        onReply(data);
      };
      // one that never answered was not let start
      worker.onerror = (event) => {
        event.preventDefault();
        forbidden = true;
        for (const question of waiting) inline.post(question);
        waiting = [];
      };
      return {
        post(question) {
          if (forbidden) return inline.post(question);
          waiting.push(question);
          worker.postMessage(question);
        },
        close: () => worker.terminate(),
      };
    } catch {
      forbidden = true;
      return inline;
    }
  };
}

function inlinePort(onReply: (reply: Reply) => void): ReturnType<OpenPort> {
  let open = true;
  return {
    post(question) {
      setTimeout(() => {
        if (open) void reply(question, (part) => open && onReply(part));
      });
    },
    close() {
      open = false;
    },
  };
}
