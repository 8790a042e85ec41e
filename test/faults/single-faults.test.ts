import { beforeEach, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { openTable } from '../../lib/table/client.ts';
import { newTable, referenceCatalogue, useStarted } from '../support/bugless.ts';
import { type Call, cancelled, type Fate, faults } from '../support/fault-proxy.ts';
import { onFirst, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { allItems, itemsButCounters } from '../support/table-items.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const bugless = useStarted(() => startFaultyBugless({ DATABASE_REQUEST_TIMEOUT_MS: '400' }));
beforeEach(() => bugless.from(() => 'pass'));

const temporaryFaults: Record<string, Fate | ((call: Call) => Fate)> = {
  ...faults,
  'a connection closed after the call': 'close after',
  'a timeout before the call': 'hang before',
  'a timeout after the call': 'hang after',
};
/** More than the SDK repeats a call. */
const MANY = 6;
const lost = (['close before', 'close after'] as const).map((fate) => ({
  ...{ name: `${MANY} connections closed${fate.replace('close', '')} the call`, fate, times: MANY },
}));

const cancellations = {
  'a conflict with another transaction': (call: Call) => cancelled('TransactionConflict', call),
  'a transaction that is throttled': (call: Call) => cancelled('ThrottlingError', call),
  'a transaction over the throughput': (call: Call) => cancelled('ProvisionedThroughputExceeded', call),
  'a transaction in progress': () => ({ status: 400, error: 'TransactionInProgressException' }),
};

/** For reads it makes no difference whether a call without a response was executed. */
const readFaults = Object.entries(temporaryFaults).filter(([name]) =>
  /^throttling|internal|before/.test(name),
);

const faultCases = [
  ...['Query', 'BatchGetItem'].flatMap((operation) =>
    readFaults.map(([name, fate]) => ({ operation, name, fate })),
  ),
  ...['UpdateItem', 'TransactWriteItems'].flatMap((operation) =>
    Object.entries(temporaryFaults).map(([name, fate]) => ({ operation, name, fate })),
  ),
  ...Object.entries(cancellations).map(([name, fate]) => ({ operation: 'TransactWriteItems', name, fate })),
  ...['BatchGetItem', 'UpdateItem', 'Query', 'TransactWriteItems'].flatMap((operation) =>
    lost.map((one) => ({ operation, ...one })),
  ),
].map((one) => ({ times: 1, ...one }));

async function countOf(text: string): Promise<number> {
  return (await allItems(bugless.healthy.table)).filter((item) => item['text'] === text).length;
}

describe('a comment is written exactly once', () => {
  it.for(faultCases)('despite $name at $operation', async ({ operation, name, fate, times }) => {
    const text = `${operation}, ${name}`;
    const inject = onFirst(operation, fate, times);
    bugless.from(inject);
    const { status, body } = await bugless.faulty.call('POST', '/rest/bug/9/comment', {
      key: keys.plain,
      body: { comment: text },
    });
    expect(status).toBe(201);
    expect(await countOf(text)).toBe(1);
    const read = await bugless.faulty.call('GET', '/rest/bug/9/comment', { key: keys.plain });
    expect(read.body.bugs[9].comments).toContainEqual(expect.objectContaining({ id: body.id, text }));
    expect(inject.left()).toBe(0);
  });

  it('when the response to the commit of the queue is lost', async () => {
    const loses = onFirst('TransactWriteItems', 'close after');
    // Direct writes are stale, so the comments are queued; a commit of the queue removes them from it.
    const isDirect = ({ operation, body }: Call) =>
      operation === 'TransactWriteItems' && !body.TransactItems.some((one: object) => 'Delete' in one);
    bugless.from((call) => (isDirect(call) ? cancelled('ConditionalCheckFailed', call) : loses(call)));
    const texts = [1, 2, 3].map((number) => `together ${number}`);
    const replies = await Promise.all(
      texts.map((comment) =>
        bugless.faulty.call('POST', '/rest/bug/9/comment', { key: keys.plain, body: { comment } }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await Promise.all(texts.map(countOf))).toEqual([1, 1, 1]);
  });
});

describe('other writes happen once', () => {
  let isLost = false;
  /** A lost response, then a conflict: what is written is not to be read again for it. */
  const lostThenConflict = (call: Call): Fate => {
    isLost = !isLost;
    return isLost ? 'close after' : cancelled('TransactionConflict', call);
  };
  const writes = [
    { name: 'a conflict after a lost response', fate: lostThenConflict, times: 2 },
    ...Object.entries({ ...temporaryFaults, ...cancellations })
      .filter(([name]) => /throttling|after|conflict/.test(name))
      .map(([name, fate]) => ({ name, fate, times: 1 })),
    ...lost,
  ];

  it.for(writes)('creating a product succeeds despite $name', async ({ name, fate, times }) => {
    const product = `Created: ${name}`.slice(0, 64);
    bugless.from(onFirst('TransactWriteItems', fate, times));
    const { status, body } = await bugless.faulty.call('POST', '/rest/product', {
      key: keys.editor,
      body: { name: product, description: 'd', version: '1' },
    });
    expect(status).toBe(201);
    const read = await bugless.healthy.call('GET', `/rest/product?names=${encodeURIComponent(product)}`);
    expect(read.body.products).toMatchObject([{ id: body.id, name: product }]);
  });

  it.for(writes)(
    'updating a product succeeds despite $name, and returns the changes',
    async ({ name, fate, times }) => {
      const before = (await bugless.healthy.call('GET', '/rest/product/12')).body.products[0].description;
      bugless.from(onFirst('TransactWriteItems', fate, times));
      const { status, body } = await bugless.faulty.call('PUT', '/rest/product/12', {
        key: keys.editor,
        body: { description: name },
      });
      expect(status).toBe(200);
      expect(body.products).toEqual([{ id: 12, changes: { description: { removed: before, added: name } } }]);
    },
  );

  it('a bug whose change conflicts with others has the time of the attempt that succeeded', async () => {
    const until = Date.now() + 2_000;
    bugless.from((call) =>
      call.operation === 'TransactWriteItems' && Date.now() < until
        ? cancelled('TransactionConflict', call)
        : 'pass',
    );
    const { status, body } = await bugless.faulty.call('PUT', '/rest/bug/9', {
      key: keys.admin,
      body: { whiteboard: 'changed late' },
    });
    expect(status).toBe(200);
    expect(Date.parse(body.bugs[0].last_change_time)).toBeGreaterThan(until - 1_000);
  });

  it.for(writes)('tags are counted despite $name', async ({ name, fate, times }) => {
    const tag = name.replaceAll(/[^a-z]/g, '').slice(0, 24);
    bugless.from(onFirst('TransactWriteItems', fate, times));
    const { status, body } = await bugless.faulty.call('PUT', '/rest/bug/comment/60/tags', {
      key: keys.tagger,
      body: { add: [tag] },
    });
    expect(status).toBe(200);
    expect(body).toContain(tag);
  });

  it('and all of these leave a valid table', () => expectNoViolations(bugless.healthy.table));
});

describe('incomplete batches are completed', () => {
  it('when products are read', async () => {
    const path = `/rest/product?${Array.from({ length: 20 }, (_, id) => `ids=${id}`).join('&')}`;
    const fields = ['', '&include_fields=id,name', '&include_fields=id,description'];
    for (const one of fields) {
      bugless.from(({ operation }) => (operation === 'BatchGetItem' ? 'half' : 'pass'));
      const { status, body } = await bugless.faulty.call('GET', path + one, { key: keys.admin });
      expect(status).toBe(200);
      expect(body).toEqual((await bugless.healthy.call('GET', path + one, { key: keys.admin })).body);
    }
    const halves = bugless.proxy.calls.filter(({ operation }) => operation === 'BatchGetItem');
    expect(halves.length).toBeGreaterThan(5);
  });

  it('when comments and tags are read', async () => {
    bugless.from(({ operation }) => (operation === 'BatchGetItem' ? 'half' : 'pass'));
    const comments = '/rest/bug/comment/25?comment_ids=26&comment_ids=33&comment_ids=1&ids=2';
    for (const path of [comments, '/rest/bug/comment/tags/i']) {
      const { status, body } = await bugless.faulty.call('GET', path, { key: keys.tagger });
      expect(status).toBe(200);
      expect(body).toEqual((await bugless.healthy.call('GET', path, { key: keys.tagger })).body);
    }
  });

  it('when a catalogue is applied', async () => {
    const [expected, actual] = [await newTable(), await newTable()];
    const proxy = await useFaultProxy({
      decide: ({ operation }) => (operation.startsWith('Batch') ? 'half' : 'pass'),
    });
    const reference = referenceCatalogue();
    const catalogue = { ...reference, bugs: reference.bugs.filter(({ comments }) => comments.length < 50) };
    await applyCatalogue(expected, catalogue);
    await applyCatalogue(openTable(actual.name, proxy.endpoint), catalogue);
    expect(countByKind(await itemsButCounters(actual))).toEqual(
      countByKind(await itemsButCounters(expected)),
    );
  });
});

/** Allocated ids depend on the order of concurrent writes; the numbers of items do not. */
function countByKind(items: Record<string, unknown>[]): Record<string, number> {
  // Those that expire have the time of writing in their keys.
  const kinds = items.map(({ pk, sk, expires_at }) =>
    [String(pk).split('#')[0], expires_at === undefined ? String(sk).split('#')[0] : 'expires'].join(' '),
  );
  return kinds.reduce<Record<string, number>>((counts, kind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }, {});
}
