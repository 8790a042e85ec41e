import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { putItem } from '../../lib/table/write.ts';
import { type Bugless, type GatewayReply, referenceCatalogue, serve } from '../support/bugless.ts';
import { type Call, cancelled, type Fate } from '../support/fault-proxy.ts';
import { type FaultyBugless, SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';
import { expectConsistentTagSearch } from '../support/tags.ts';
import { times } from '../support/times.ts';

/** What these tests change: after each crash all items are checked. */
function catalogue(): CatalogueSource {
  const { bugs, products, ...others } = referenceCatalogue();
  const changed = bugs.filter(({ id }) => id === 8 || id === 9);
  return {
    ...others,
    products: products.filter(({ id }) => id === 2 || id === 12),
    bugs: changed.map((bug) => ({
      ...bug,
      comments: bug.comments.filter(({ id = 0 }) => id < 25 || (id >= 60 && id < 80)),
    })),
  };
}

let bugless: FaultyBugless;
beforeAll(async () => {
  // The response to a crashed request comes when the retry budget is used up.
  bugless = await startFaultyBugless({ DATABASE_RETRY_TIMEOUT_MS: '100', ...SILENT }, catalogue());
});

/** Simulates a crash after `calls` calls: no later call reaches DynamoDB. */
const crashAfter =
  (calls: number, decide: (call: Call) => Fate = () => 'pass') =>
  (call: Call): Fate =>
    call.number <= calls ? decide(call) : 'close before';

/**
 * Crashes an operation after 0, 1, 2, … calls until it succeeds, and verifies the table after each crash.
 *
 * @param operation gets the number of calls, to use new data for each crash
 * @returns the number of crashes
 */
async function crashEverywhere(
  operation: (on: Bugless, calls: number) => Promise<GatewayReply>,
  verify: (calls: number) => Promise<void>,
  decide?: (call: Call) => Fate,
): Promise<number> {
  for (let calls = 0; ; calls += 1) {
    bugless.from(crashAfter(calls, decide));
    const { status } = await operation(bugless.faulty, calls);
    await verify(calls);
    if (status < 300) return calls;
    expect(status).toBe(503);
  }
}

/** @param work_time hours do not go through the queue */
const comment = (on: Bugless, text: string, work_time = 0) =>
  on.call('POST', '/rest/bug/9/comment', { key: keys.tracker, body: { comment: text, work_time } });

async function textsOf(bug: number): Promise<string[]> {
  const { body } = await bugless.healthy.call('GET', `/rest/bug/${bug}/comment`);
  return body.bugs[bug].comments.map(({ text }: { text: string }) => text);
}

describe('a crash', () => {
  it('while creating a product leaves a complete product or none', async () => {
    const create = (on: Bugless, calls: number) =>
      on.call('POST', '/rest/product', {
        key: keys.editor,
        body: { name: `Crash ${calls}`, description: 'd', version: '1' },
      });
    const crashes = await crashEverywhere(create, async (calls) => {
      await expectNoViolations(bugless.healthy.table);
      const { body } = await bugless.healthy.call('GET', `/rest/product?names=Crash%20${calls}`);
      const again = await create(bugless.healthy, calls);
      expect([again.status, again.body.code]).toEqual(
        body.products.length === 0 ? [201, undefined] : [400, 702],
      );
    });
    expect(crashes).toBeGreaterThanOrEqual(5);
  });

  it('while updating products leaves all or none of them updated', async () => {
    const ids = await Promise.all(
      times(3, async (number) => {
        const { body } = await bugless.healthy.call('POST', '/rest/product', {
          key: keys.editor,
          body: { name: `Together ${number}`, description: 'd', version: '1' },
        });
        return body.id;
      }),
    );
    const update = (on: Bugless, calls: number) =>
      on.call('PUT', `/rest/product/${ids[0]}`, {
        key: keys.editor,
        body: { ids, description: `changed ${calls}`, is_open: calls % 2 === 0 },
      });
    await crashEverywhere(update, async (calls) => {
      await expectNoViolations(bugless.healthy.table);
      const { body } = await bugless.healthy.call('GET', `/rest/product?ids=${ids.join('&ids=')}`);
      const found = body.products.map((product: { description: string; is_active: boolean }) =>
        JSON.stringify([product.description, product.is_active]),
      );
      expect(new Set(found).size).toBe(1);
      expect((await update(bugless.healthy, calls)).status).toBe(200);
    });
  });

  it('while renaming a product leaves it under its old or its new name', async () => {
    const rename = (on: Bugless, calls: number) =>
      on.call('PUT', '/rest/product/12', { key: keys.editor, body: { name: `beta ${calls}` } });
    await crashEverywhere(rename, async (calls) => {
      await expectNoViolations(bugless.healthy.table);
      expect((await rename(bugless.healthy, calls)).status).toBe(200);
    });
  });

  it('while creating a comment leaves a complete comment or none, and further comments can be added', async () => {
    const crashes = await crashEverywhere(
      (on, calls) => comment(on, `crash ${calls}`, 1),
      async (calls) => {
        await expectNoViolations(bugless.healthy.table);
        expect((await comment(bugless.healthy, `after crash ${calls}`)).status).toBe(201);
      },
    );
    await expectNoViolations(bugless.healthy.table);
    expect(crashes).toBeGreaterThanOrEqual(4);
    const texts = await textsOf(9);
    expect(texts).toEqual([...new Set(texts)]);
  });

  const setTags = (on: Bugless, id: number, change: { add?: string[]; remove?: string[] }) =>
    on.call('PUT', `/rest/bug/comment/${id}/tags`, { key: keys.tagger, body: change });

  const tagChanges = [
    { what: 'adding a tag', tags: (calls: number) => [`added-${calls}`] },
    {
      what: 'adding more tags than fit into one transaction',
      tags: (calls: number) => times(8, (n) => `long-tag-number-${calls}.${n}`),
    },
  ];
  for (const { what, tags } of tagChanges) {
    it(`while ${what} leaves all or none of them, and a consistent tag search`, async () => {
      const crashes = await crashEverywhere(
        (on, calls) => setTags(on, 60 + calls, { add: tags(calls) }),
        async (calls) => {
          const { body } = await bugless.healthy.call('GET', `/rest/bug/comment/${60 + calls}`);
          const on = body.comments[60 + calls].tags.length;
          expect([0, tags(calls).length]).toContain(on);
          await expectConsistentTagSearch(bugless.healthy, 'a');
          await expectNoViolations(bugless.healthy.table);
          expect((await setTags(bugless.healthy, 60 + calls, { add: tags(calls) })).status).toBe(200);
        },
      );
      await expectNoViolations(bugless.healthy.table);
      expect(crashes).toBeGreaterThanOrEqual(3);
    });

    it(`while undoing ${what} leaves all or none of them, and a consistent tag search`, async () => {
      await crashEverywhere(
        async (on, calls) => {
          await setTags(bugless.healthy, 60 + calls, { add: tags(calls) });
          bugless.from(crashAfter(calls));
          return setTags(on, 60 + calls, { remove: tags(calls) });
        },
        async (calls) => {
          const { status } = await setTags(bugless.healthy, 60 + calls, { remove: tags(calls) });
          expect(status).toBe(200);
          await expectConsistentTagSearch(bugless.healthy, 'a');
          await expectNoViolations(bugless.healthy.table);
        },
      );
    });
  }
});

describe('a crash of the head of the queue', () => {
  /** With the same faults, for requests that succeed. */
  let patient: Bugless;
  beforeAll(async () => {
    bugless = await startFaultyBugless(SILENT, catalogue());
    patient = bugless.faulty;
    // A comment in the queue expires after three retry budgets: not before other comments meet it.
    const ending = { DATABASE_RETRY_TIMEOUT_MS: '500', ...SILENT };
    const faulty = await serve(bugless.healthy.table, {
      DYNAMODB_ENDPOINT: bugless.proxy.endpoint,
      ...ending,
    });
    bugless = { ...bugless, faulty };
  });

  /** The commit of the queue, which removes its comments from it. */
  const isQueueCommit = ({ operation, body }: Call) =>
    operation === 'TransactWriteItems' && body.TransactItems.some((action: object) => 'Delete' in action);

  /** Fails direct writes of comments, so that they are queued. */
  const forceQueue = (call: Call): Fate =>
    call.operation === 'TransactWriteItems' && !isQueueCommit(call)
      ? cancelled('ConditionalCheckFailed', call)
      : 'pass';

  it('while committing the queue leaves a complete comment or none', async () => {
    const crashes = await crashEverywhere(
      (on, calls) => comment(on, `queued crash ${calls}`),
      async (calls) => {
        await expectNoViolations(bugless.healthy.table);
        expect((await comment(bugless.healthy, `after queued crash ${calls}`)).status).toBe(201);
      },
      forceQueue,
    );
    await expectNoViolations(bugless.healthy.table);
    expect(crashes).toBeGreaterThanOrEqual(8);
    const texts = await textsOf(9);
    expect(texts).toEqual([...new Set(texts)]);
  });

  it('leaves no queued comment that is committed after its expiry', async () => {
    let isQueued = false;
    bugless.from((call) => {
      if (isQueued) return 'close before';
      isQueued = call.operation === 'PutItem';
      return forceQueue(call);
    });
    expect((await comment(bugless.faulty, 'expired')).status).toBe(503);
    const left = (await allItems(bugless.healthy.table)).filter(({ sk }) => String(sk).startsWith('QUEUED#'));
    expect(left.map(({ text }) => text)).toContain('expired');
    for (const item of left) await putItem(bugless.healthy.table, { ...item, expires_at: 1 });

    bugless.from(forceQueue);
    expect((await comment(patient, 'active')).status).toBe(201);
    const texts = await textsOf(9);
    expect(texts.at(-1)).toBe('active');
    expect(texts).not.toContain('expired');
    await expectNoViolations(bugless.healthy.table);
    const queue = (await allItems(bugless.healthy.table)).filter(({ sk }) =>
      String(sk).startsWith('QUEUED#'),
    );
    expect(queue).toEqual([]);
  });

  it('does not leave a queued comment: after a 503 it is removed from the queue', async () => {
    bugless.from((call) =>
      call.operation === 'TransactWriteItems' ? cancelled('ConditionalCheckFailed', call) : 'pass',
    );
    expect((await comment(bugless.faulty, 'given up')).status).toBe(503);
    const items = await allItems(bugless.healthy.table);
    expect(items.filter(({ text }) => text === 'given up')).toEqual([]);
  });

  it('of the connection after the commit of the queue still gives 201', async () => {
    bugless.from((call) => (isQueueCommit(call) ? 'close after' : forceQueue(call)));
    expect((await comment(bugless.faulty, 'lost response')).status).toBe(201);
    expect((await textsOf(9)).filter((text) => text === 'lost response')).toHaveLength(1);
  });
});
