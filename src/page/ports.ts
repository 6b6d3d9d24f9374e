import type { OpenPort } from './channel.js';
import type { Question, Reply } from './messages.js';
import type { Answering } from './worker.js';

/** Threads that run the script `library`; this thread itself, between frames, where no worker may be started. */
export function portsFrom(library: string): OpenPort {
  let address: string | undefined;
  let forbidden = false;
  return (onReply) => {
    address ??= URL.createObjectURL(new Blob([library], { type: 'text/javascript' }));
    const url = address;
    const inline = inlinePort(url, onReply);
    if (forbidden) return inline;
    try {
      const worker = new Worker(url);
      let waiting: Question[] = [];
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        waiting = waiting.filter(({ id }) => id > data.id);
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

let loaded: Promise<Answering> | undefined;

/** The library in this thread. */
function libraryFrom(url: string): Promise<Answering> {
  loaded ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = () => resolve((globalThis as unknown as { gdpAnswering: Answering }).gdpAnswering);
    script.onerror = () => reject(new Error('neither a worker nor a script of its own may run here'));
    script.src = url;
    document.head.append(script);
  });
  return loaded;
}

function inlinePort(url: string, onReply: (reply: Reply) => void): ReturnType<OpenPort> {
  let latest = 0;
  return {
    post(question) {
      latest = question.id;
      const newest = (): boolean => latest === question.id;
      setTimeout(() => {
        libraryFrom(url).then(
          (answer) => answer(question, (part) => newest() && onReply(part), newest),
          ({ message }: Error) => onReply({ ...question, kind: 'failed', message }),
        );
      });
    },
    close() {
      latest = 0;
    },
  };
}
