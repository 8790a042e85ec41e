import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressBar } from '../../infra/admin/progress.ts';

/** A stream that keeps what is written. */
function streamOf(isTTY: boolean) {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const terminal = Object.assign(stream, { isTTY }) as unknown as WriteStream;
  return { terminal, text: () => text };
}

beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

describe('progress', () => {
  it('is a line a minute where there is no terminal, whatever the steps are', () => {
    const { terminal, text } = streamOf(false);
    const bar = progressBar(terminal, false);
    for (let second = 1; second <= 150; second += 1) {
      vi.setSystemTime(second * 1_000);
      const kind = second < 30 ? 'products' : 'bugs requested';
      bar.report({ kind, done: second, total: second < 30 ? 29 : 300 });
    }
    bar.end();
    expect(text()).toBe(
      'bugs requested: 60 of 300, about 4 min left\nbugs requested: 120 of 300, about 3 min left\n',
    );
  });

  it('has no total before it is known', () => {
    const { terminal, text } = streamOf(false);
    const bar = progressBar(terminal, false);
    vi.setSystemTime(60_000);
    bar.report({ kind: 'users', done: 7, total: undefined });
    expect(text()).toBe('users: 7 so far\n');
  });

  it('is a bar for each step on a terminal', () => {
    const { terminal, text } = streamOf(true);
    const bar = progressBar(terminal, false);
    vi.setSystemTime(1_000);
    bar.report({ kind: 'products', done: 1, total: 1 });
    bar.report({ kind: 'bugs', done: 1, total: 2 });
    bar.end();
    expect(text()).toMatch(/^\rproducts +█{30} 1 of 1\S+\n/);
    expect(text()).not.toContain('bugs');
  });

  it('is nothing for programs', () => {
    const { terminal, text } = streamOf(false);
    const bar = progressBar(terminal, true);
    vi.setSystemTime(120_000);
    bar.report({ kind: 'bugs', done: 1, total: 2 });
    bar.note('Asking');
    expect(text()).toBe('');
  });
});
