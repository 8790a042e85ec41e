import { afterEach, describe, expect, it, vi } from 'vitest';
import { messageQueue } from '../../infra/local/events/events.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the queue of messages of npm start', () => {
  it.each([
    ['is left by the function', async (body: string) => [body]],
    ['makes the function fail', async () => Promise.reject(new Error('poison'))],
  ])('delivers the others while one message %s, and that one again', async (_, fail) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ending = new AbortController();
    const delivered: string[] = [];
    const seen = Promise.withResolvers<void>();
    const queue = messageQueue(async (body, attempt) => {
      delivered.push(`${body} ${attempt}`);
      if (body === 'third') seen.resolve();
      return body === 'bad' && attempt < 3 ? fail(body) : [];
    }, ending.signal);
    for (const body of ['first', 'bad', 'second', 'third']) queue.add(body);
    await seen.promise;
    expect(delivered).toEqual(['first 1', 'bad 1', 'second 1', 'third 1']);
    ending.abort();
    await queue.ended();
  });

  it('delivers again with backoff what fails, until it is done', async () => {
    const ending = new AbortController();
    const done = Promise.withResolvers<void>();
    const attempts: number[] = [];
    const queue = messageQueue(async (body, attempt) => {
      attempts.push(attempt);
      if (attempt === 2) done.resolve();
      return attempt < 2 ? [body] : [];
    }, ending.signal);
    queue.add('message');
    await done.promise;
    ending.abort();
    await queue.ended();
    expect(attempts).toEqual([1, 2]);
  });

  it('ends without waiting for messages that failed', async () => {
    const ending = new AbortController();
    const failed = Promise.withResolvers<void>();
    const queue = messageQueue(async (body) => {
      failed.resolve();
      return [body];
    }, ending.signal);
    queue.add('bad');
    queue.add('later');
    await failed.promise;
    ending.abort();
    await queue.ended();
  });
});
