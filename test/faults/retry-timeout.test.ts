import { describe, expect, it } from 'vitest';
import { useStarted } from '../support/bugless.ts';
import { type Call, cancelled, type Fate } from '../support/fault-proxy.ts';
import { SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';

const RETRY_TIMEOUT_MS = 3_000;
/** Removing a comment from the queue takes up to a quarter more; the rest is tolerance for a busy machine. */
const MAX_RESPONSE_MS = 1.5 * RETRY_TIMEOUT_MS;

const bugless = useStarted(() =>
  startFaultyBugless({
    DATABASE_RETRY_TIMEOUT_MS: String(RETRY_TIMEOUT_MS),
    DATABASE_REQUEST_TIMEOUT_MS: String(RETRY_TIMEOUT_MS / 4),
    ...SILENT,
  }),
);

const failingComment = { method: 'POST', path: '/rest/bug/9/comment', body: { comment: 'fails' } };
const writes = [
  { what: 'a comment', ...failingComment },
  { what: 'a tag', method: 'PUT', path: '/rest/bug/comment/60/tags', body: { add: ['fail'] } },
  {
    what: 'many tags',
    method: 'PUT',
    path: '/rest/bug/comment/61/tags',
    body: { add: Array.from({ length: 8 }, (_, number) => `fail-long-tag-number-${number}`) },
  },
  { what: 'a product', method: 'PUT', path: '/rest/product/12', body: { description: 'fails' } },
];

interface Write {
  method: string;
  path: string;
  body: object;
}

async function send({ method, path, body }: Write) {
  const start = performance.now();
  const { status } = await bugless.faulty.call(method, path, { key: keys.admin, body });
  return { status, milliseconds: performance.now() - start };
}

/** Transactions fail for one reason during most of the retry timeout, then for another. */
function failThen(early: (call: Call) => Fate, later: (call: Call) => Fate): (call: Call) => Fate {
  const until = Date.now() + 0.8 * RETRY_TIMEOUT_MS;
  return (call) => {
    if (call.operation !== 'TransactWriteItems') return 'pass';
    return Date.now() < until ? early(call) : later(call);
  };
}

const conflict = (call: Call) => cancelled('TransactionConflict', call);
const stale = (call: Call) => cancelled('ConditionalCheckFailed', call);

describe('503 within the retry timeout', () => {
  // Together, because each takes as long as the timeout.
  it(`for each of ${writes.map(({ what }) => what).join(', ')} with stale reads, then transaction conflicts`, async () => {
    bugless.from(failThen(stale, conflict));
    const replies = await Promise.all(writes.map(send));
    expect(replies.map(({ status }) => status)).toEqual(writes.map(() => 503));
    for (const { milliseconds } of replies) expect(milliseconds).toBeLessThan(MAX_RESPONSE_MS);
  });

  it('for a comment with stale reads, then timeouts', async () => {
    bugless.from(failThen(stale, () => 'hang before'));
    const { status, milliseconds } = await send(failingComment);
    expect(status).toBe(503);
    // At the deadline up to two calls are in progress, each of which may take a quarter of the timeout.
    expect(milliseconds).toBeLessThan(MAX_RESPONSE_MS + RETRY_TIMEOUT_MS / 2);
  });

  it('for a comment with conflicts, also in the queue, from which it is removed', async () => {
    const isRemoval = ({ body }: Call) => body.TransactItems.length === 1;
    const isDirect = ({ body }: Call) => !body.TransactItems.some((one: object) => 'Delete' in one);
    const inQueue = (call: Call) =>
      isRemoval(call) ? 'pass' : isDirect(call) ? stale(call) : conflict(call);
    bugless.from(failThen(conflict, inQueue));
    const { status, milliseconds } = await send({ ...failingComment, body: { comment: 'removed' } });
    expect(status).toBe(503);
    expect(milliseconds).toBeLessThan(MAX_RESPONSE_MS);
    const items = await allItems(bugless.healthy.table);
    expect(items.filter(({ text }) => text === 'removed')).toEqual([]);
  });
});
