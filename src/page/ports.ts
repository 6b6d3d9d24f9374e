import type { OpenPort } from './channel.js';
import type { Question, Reply } from './messages.js';
import { reply } from './worker.js';

/** Opens workers that run the script at `url`. If no worker may be started, this thread answers instead, between frames. */
export function portsFrom(url: string): OpenPort {
  let forbidden = false;
  return (onReply) => {
    const inline = inlinePort(onReply);
    if (forbidden) return inline;
    try {
      const worker = new Worker(url);
      let waiting: Question[] = [];
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        waiting = waiting.filter(({ id }) => id > data.id);
        onReply(data);
      };
      // a worker that fails before its first reply was not allowed to start
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
  let latest = 0;
  return {
    post(question) {
      latest = question.id;
      const newest = (): boolean => latest === question.id;
      setTimeout(() => reply(question, (part) => newest() && onReply(part), newest));
    },
    close() {
      latest = 0;
    },
  };
}
