import { describe, expect, it, vi } from 'vitest';
import { Channel, type OpenPort } from '../../src/page/channel.js';
import type { Question, Reply } from '../../src/page/messages.js';
import { EXAMPLE, settingOf } from '../../src/page/state.js';

describe('a channel', () => {
  it('answers the latest question and drops those between', () => {
    const posted: Question[] = [];
    let onReply: (reply: Reply) => void = () => {};
    let closed = 0;
    const open: OpenPort = (listener) => {
      onReply = listener;
      return { post: (question) => posted.push(question), close: () => closed++ };
    };
    const heard: number[] = [];
    const channel = new Channel(open, (reply) => heard.push(reply.id));
    const setting = settingOf(EXAMPLE);
    const first = channel.ask({ task: 'coarse', setting });
    channel.ask({ task: 'coarse', setting });
    const last = channel.ask({ task: 'coarse', setting });
    const done = (id: number) => onReply({ id, task: 'coarse', kind: 'done' });
    done(first);
    done(last);
    done(first);
    expect(posted.map(({ id }) => id)).toEqual([first, last]);
    expect(heard).toEqual([first, last]);
    channel.ask({ task: 'coarse', setting });
    channel.stop();
    done(last + 1);
    expect([closed, heard.length]).toEqual([1, 2]);
  });

  it('give a thread the time to start, and then a question a quarter of a second', () => {
    vi.useFakeTimers();
    try {
      const posted: number[] = [];
      let [opened, closed] = [0, 0];
      let onReply: (reply: Reply) => void = () => {};
      const channel = new Channel(
        (listener) => {
          onReply = listener;
          opened += 1;
          return { post: ({ id }) => posted.push(id), close: () => closed++ };
        },
        () => {},
      );
      const ask = () => channel.ask({ task: 'coarse', setting: settingOf(EXAMPLE) });
      const first = ask();
      ask();
      vi.advanceTimersByTime(5000);
      ask();
      expect([opened, closed]).toEqual([1, 0]);
      onReply({ id: first, task: 'coarse', kind: 'begun' });
      vi.advanceTimersByTime(249);
      expect([opened, closed]).toEqual([1, 0]);
      vi.advanceTimersByTime(2);
      expect([opened, closed]).toEqual([2, 1]);
      expect(posted).toEqual([first, first + 2]);
      channel.stop();
    } finally {
      vi.useRealTimers();
    }
  });
});
