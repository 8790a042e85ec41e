import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { newTable, referenceCatalogue } from '../support/bugless.ts';
import { type Call, cancelled, type Fate, faults, startFaultProxy } from '../support/fault-proxy.ts';
import { type FaultyBugless, onFirst, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';

let bugless: FaultyBugless;
beforeAll(async () => {
  bugless = await startFaultyBugless(1_600);
});
beforeEach(() => bugless.from(() => 'pass'));

const passing: Record<string, Fate | ((call: Call) => Fate)> = {
  ...faults,
  'a connection that ends before the call': 'close before',
  'a connection that ends after the call': 'close after',
  'no answer, and nothing done': 'hang before',
  'no answer, but all done': 'hang after',
};

const cancellations = {
  'a conflict with another transaction': (call: Call) => cancelled('TransactionConflict', call),
  'a transaction that is throttled': (call: Call) => cancelled('ThrottlingError', call),
  'a transaction over the throughput': (call: Call) => cancelled('ProvisionedThroughputExceeded', call),
  'a transaction in progress': () => ({ status: 400, error: 'TransactionInProgressException' }),
};

/** A read that is done or not comes to the same; only a write can be done and not be known of. */
const ofReads = Object.entries(passing).filter(([name]) => /^throttling|internal|before|nothing/.test(name));

const harm = [
  ...['GetItem', 'BatchGetItem'].flatMap((operation) =>
    ofReads.map(([name, fate]) => ({ operation, name, fate })),
  ),
  ...['UpdateItem', 'TransactWriteItems'].flatMap((operation) =>
    Object.entries(passing).map(([name, fate]) => ({ operation, name, fate })),
  ),
  ...Object.entries(cancellations).map(([name, fate]) => ({ operation: 'TransactWriteItems', name, fate })),
];

async function countOf(text: string): Promise<number> {
  return (await allItems(bugless.healthy.table)).filter((item) => item['text'] === text).length;
}

describe('a comment is written exactly once', () => {
  it.for(harm)('in spite of $name at $operation', async ({ operation, name, fate }) => {
    const text = `${operation}, ${name}`;
    bugless.from(onFirst(operation, fate));
    const { status, body } = await bugless.faulty.call('POST', '/rest/bug/9/comment', {
      key: keys.plain,
      body: { comment: text },
    });
    expect(status).toBe(201);
    expect(await countOf(text)).toBe(1);
    const read = await bugless.healthy.call('GET', `/rest/bug/comment/${body.id}`);
    expect(read.body.comments[body.id].text).toBe(text);
    await expectNoViolations(bugless.healthy.table);
  });

  it('when every answer of every kind of call gets lost once', async () => {
    const lost = ['GetItem', 'BatchGetItem', 'UpdateItem', 'TransactWriteItems', 'Query', 'PutItem'].map(
      (operation) => onFirst(operation, 'close after'),
    );
    bugless.from((call) => lost.map((fate) => fate(call)).find((fate) => fate !== 'pass') ?? 'pass');
    const text = 'every answer lost once';
    const { status } = await bugless.faulty.call('POST', '/rest/bug/9/comment', {
      key: keys.plain,
      body: { comment: text },
    });
    expect([status, await countOf(text)]).toEqual([201, 1]);
    await expectNoViolations(bugless.healthy.table);
  });

  it('when it has to be written together with others, and that answer gets lost', async () => {
    const loses = onFirst('TransactWriteItems', 'close after');
    // Who writes for one comes too late; who writes the row takes several actions more.
    const isAlone = ({ operation, body }: Call) =>
      operation === 'TransactWriteItems' && body.TransactItems.length === 3;
    bugless.from((call) => (isAlone(call) ? cancelled('ConditionalCheckFailed', call) : loses(call)));
    const texts = [1, 2, 3].map((number) => `together ${number}`);
    const replies = await Promise.all(
      texts.map((comment) =>
        bugless.faulty.call('POST', '/rest/bug/9/comment', { key: keys.plain, body: { comment } }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await Promise.all(texts.map(countOf))).toEqual([1, 1, 1]);
    await expectNoViolations(bugless.healthy.table);
  });
});

describe('other writes happen once', () => {
  const writes = Object.entries({ ...passing, ...cancellations })
    .filter(([name]) => /throttling|after|all done|conflict/.test(name))
    .map(([name, fate]) => ({ name, fate }));

  it.for(writes)('a product is made in spite of $name', async ({ name, fate }) => {
    const product = `Made: ${name}`.slice(0, 64);
    bugless.from(onFirst('TransactWriteItems', fate));
    const { status, body } = await bugless.faulty.call('POST', '/rest/product', {
      key: keys.editor,
      body: { name: product, description: 'd', version: '1' },
    });
    expect(status).toBe(201);
    const read = await bugless.healthy.call('GET', `/rest/product?names=${encodeURIComponent(product)}`);
    expect(read.body.products).toMatchObject([{ id: body.id, name: product }]);
    await expectNoViolations(bugless.healthy.table);
  });

  it.for(writes)('a product is changed in spite of $name, and the answer says so', async ({ name, fate }) => {
    const before = (await bugless.healthy.call('GET', '/rest/product/12')).body.products[0].description;
    bugless.from(onFirst('TransactWriteItems', fate));
    const { status, body } = await bugless.faulty.call('PUT', '/rest/product/12', {
      key: keys.editor,
      body: { description: name },
    });
    expect(status).toBe(200);
    expect(body.products).toEqual([{ id: 12, changes: { description: { removed: before, added: name } } }]);
  });

  it.for(writes)('tags are counted in spite of $name', async ({ name, fate }) => {
    const tag = name.replaceAll(/[^a-z]/g, '').slice(0, 24);
    bugless.from(onFirst('TransactWriteItems', fate));
    const { status, body } = await bugless.faulty.call('PUT', '/rest/bug/comment/60/tags', {
      key: keys.tagger,
      body: { add: [tag] },
    });
    expect(status).toBe(200);
    expect(body).toContain(tag);
    await expectNoViolations(bugless.healthy.table);
  });
});

describe('batches that DynamoDB leaves half done are completed', () => {
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
    const [whole, halved] = [await newTable(), await newTable()];
    const proxy = await startFaultProxy({
      target: inject('dynamoDbEndpoint'),
      decide: ({ operation }) => (operation.startsWith('Batch') ? 'half' : 'pass'),
    });
    const reference = referenceCatalogue();
    const catalogue = { ...reference, bugs: reference.bugs.filter(({ comments }) => comments.length < 50) };
    await applyCatalogue(whole, catalogue);
    await applyCatalogue(openTable(halved.name, proxy.endpoint), catalogue);
    await proxy.stop();
    expect(comparable(await allItems(halved))).toEqual(comparable(await allItems(whole)));
  });
});

/** Ids that were not given may differ with the order of the work; how much there is of each kind does not. */
function comparable(items: Record<string, unknown>[]): Record<string, number> {
  const kinds = items.map(({ pk, sk }) => `${String(pk).split('#')[0]} ${String(sk).split('#')[0]}`);
  return kinds.reduce<Record<string, number>>((counts, kind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }, {});
}
