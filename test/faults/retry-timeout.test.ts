import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, cancelled, type Fate } from '../support/fault-proxy.ts';
import { type FaultyBugless, SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';

const PATIENCE = 3_000;
/** A waiting comment leaves the row within a quarter more; the rest is for a busy machine. */
const MAX_TAG_LENGTH = 1.5 * PATIENCE;

let bugless: FaultyBugless;
beforeAll(async () => {
  bugless = await startFaultyBugless(PATIENCE, SILENT);
});

const inVain = { method: 'POST', path: '/rest/bug/9/comment', body: { comment: 'in vain' } };
const writes = [
  { what: 'a comment', ...inVain },
  { what: 'a tag', method: 'PUT', path: '/rest/bug/comment/60/tags', body: { add: ['vain'] } },
  {
    what: 'many tags',
    method: 'PUT',
    path: '/rest/bug/comment/61/tags',
    body: { add: Array.from({ length: 8 }, (_, number) => `vain-long-tag-number-${number}`) },
  },
  { what: 'a product', method: 'PUT', path: '/rest/product/12', body: { description: 'in vain' } },
];

interface Write {
  method: string;
  path: string;
  body: object;
}

async function ask({ method, path, body }: Write) {
  const began = performance.now();
  const { status } = await bugless.faulty.call(method, path, { key: keys.admin, body });
  return { status, milliseconds: performance.now() - began };
}

/** Others always come first at the beginning; later on, transactions fail for another reason. */
function first(others: (call: Call) => Fate, later: (call: Call) => Fate): (call: Call) => Fate {
  const until = Date.now() + 0.8 * PATIENCE;
  return (call) => {
    if (call.operation !== 'TransactWriteItems') return 'pass';
    return Date.now() < until ? others(call) : later(call);
  };
}

const conflict = (call: Call) => cancelled('TransactionConflict', call);
const tooLate = (call: Call) => cancelled('ConditionalCheckFailed', call);

describe('is answered 503 in time:', () => {
  it.for(writes)('$what, which comes too late again and again, then conflicts with others', async (write) => {
    bugless.from(first(tooLate, conflict));
    const { status, milliseconds } = await ask(write);
    expect(status).toBe(503);
    expect(milliseconds).toBeLessThan(MAX_TAG_LENGTH);
  });

  it('a comment, which comes too late again and again, then is not answered', async () => {
    bugless.from(first(tooLate, () => 'hang before'));
    const { status, milliseconds } = await ask(inVain);
    expect(status).toBe(503);
    // Two calls that are under way when the time has passed are waited for, for a quarter of it each.
    expect(milliseconds).toBeLessThan(MAX_TAG_LENGTH + PATIENCE / 2);
  });

  it('a comment, which conflicts until it is too late, and again in the row: it has left that', async () => {
    const isLeaving = ({ body }: Call) => body.TransactItems.length === 1;
    const isAlone = ({ body }: Call) => body.TransactItems.length === 3;
    const inRow = (call: Call) => (isLeaving(call) ? 'pass' : isAlone(call) ? tooLate(call) : conflict(call));
    bugless.from(first(conflict, inRow));
    const { status, milliseconds } = await ask({ ...inVain, body: { comment: 'patient' } });
    expect(status).toBe(503);
    expect(milliseconds).toBeLessThan(MAX_TAG_LENGTH);
    const items = await allItems(bugless.healthy.table);
    expect(items.filter(({ text }) => text === 'patient')).toEqual([]);
  });
});
