import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Bugless, GatewayReply } from '../support/bugless.ts';
import { type Call, cancelled, type Fate } from '../support/fault-proxy.ts';
import { type FaultyBugless, SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';
import { expectSearchToAgree } from '../support/tags.ts';

let bugless: FaultyBugless;
beforeAll(async () => {
  bugless = await startFaultyBugless(2_000, SILENT);
});

const times = <T>(count: number, work: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, number) => work(number));

/** A process that ends after `calls` calls: whatever it would have asked next, DynamoDB never hears of it. */
const endsAfter =
  (calls: number, notFound: (call: Call) => Fate = () => 'pass') =>
  (call: Call): Fate =>
    call.number <= calls ? notFound(call) : 'close before';

/**
 * Lets an operation end after no call, after one, after two, … until it comes through, each time in a fresh
 * place, and looks after each what it left.
 */
async function crashEverywhere(
  operation: (on: Bugless, place: number) => Promise<GatewayReply>,
  look: (place: number) => Promise<void>,
  notFound?: (call: Call) => Fate,
): Promise<number> {
  for (let place = 0; ; place += 1) {
    bugless.from(endsAfter(place, notFound));
    const { status } = await operation(bugless.faulty, place);
    await look(place);
    if (status < 300) return place;
    expect(status).toBe(503);
  }
}

describe('a process that ends in the middle of', () => {
  it('creating a product leaves a whole one or none, and the name can be taken or is', async () => {
    const create = (on: Bugless, place: number) =>
      on.call('POST', '/rest/product', {
        key: keys.editor,
        body: { name: `Crash ${place}`, description: 'd', version: '1' },
      });
    const crashes = await crashEverywhere(create, async (place) => {
      await expectNoViolations(bugless.healthy.table);
      const { body } = await bugless.healthy.call('GET', `/rest/product?names=Crash%20${place}`);
      const again = await create(bugless.healthy, place);
      expect([again.status, again.body.code]).toEqual(
        body.products.length === 0 ? [201, undefined] : [400, 702],
      );
    });
    expect(crashes).toBeGreaterThanOrEqual(5);
  });

  it('updating products leaves all of them changed or none', async () => {
    const ids = await Promise.all(
      times(3, async (number) => {
        const { body } = await bugless.healthy.call('POST', '/rest/product', {
          key: keys.editor,
          body: { name: `Together ${number}`, description: 'd', version: '1' },
        });
        return body.id;
      }),
    );
    const update = (on: Bugless, place: number) =>
      on.call('PUT', `/rest/product/${ids[0]}`, {
        key: keys.editor,
        body: { ids, description: `changed ${place}`, is_open: place % 2 === 0 },
      });
    await crashEverywhere(update, async (place) => {
      await expectNoViolations(bugless.healthy.table);
      const { body } = await bugless.healthy.call('GET', `/rest/product?ids=${ids.join('&ids=')}`);
      const found = body.products.map((product: { description: string; is_active: boolean }) =>
        JSON.stringify([product.description, product.is_active]),
      );
      expect(new Set(found).size).toBe(1);
      expect((await update(bugless.healthy, place)).status).toBe(200);
    });
  });

  it('renaming a product leaves it under its old name or its new one', async () => {
    const rename = (on: Bugless, place: number) =>
      on.call('PUT', '/rest/product/12', { key: keys.editor, body: { name: `beta ${place}` } });
    await crashEverywhere(rename, async (place) => {
      await expectNoViolations(bugless.healthy.table);
      expect((await rename(bugless.healthy, place)).status).toBe(200);
    });
  });

  const comment = (on: Bugless, text: string) =>
    on.call('POST', '/rest/bug/9/comment', { key: keys.tracker, body: { comment: text, work_time: 1 } });

  async function textsOf(bug: number): Promise<string[]> {
    const { body } = await bugless.healthy.call('GET', `/rest/bug/${bug}/comment`);
    return body.bugs[bug].comments.map(({ text }: { text: string }) => text);
  }

  it('creating a comment leaves a whole one or none, and the next comment follows it', async () => {
    const crashes = await crashEverywhere(
      (on, place) => comment(on, `crash ${place}`),
      async (place) => {
        await expectNoViolations(bugless.healthy.table);
        expect((await comment(bugless.healthy, `after crash ${place}`)).status).toBe(201);
      },
    );
    await expectNoViolations(bugless.healthy.table);
    expect(crashes).toBeGreaterThanOrEqual(4);
    const texts = await textsOf(9);
    expect(texts).toEqual([...new Set(texts)]);
  });

  /** Others always seem to be first with a comment of their own, so that it goes into the row. */
  const crowded = (call: Call): Fate =>
    call.operation === 'TransactWriteItems' && call.body.TransactItems.length === 4
      ? cancelled('ConditionalCheckFailed', call)
      : 'pass';

  it('creating a comment among many leaves a whole one or none', async () => {
    const crashes = await crashEverywhere(
      (on, place) => comment(on, `crowded crash ${place}`),
      async (place) => {
        await expectNoViolations(bugless.healthy.table);
        expect((await comment(bugless.healthy, `after crowded crash ${place}`)).status).toBe(201);
      },
      crowded,
    );
    await expectNoViolations(bugless.healthy.table);
    expect(crashes).toBeGreaterThanOrEqual(8);
    const texts = await textsOf(9);
    expect(texts).toEqual([...new Set(texts)]);
  });

  it('leaves no comment that others write long afterwards', async () => {
    bugless.from(endsAfter(6, crowded));
    expect((await comment(bugless.faulty, 'forsaken')).status).toBe(503);
    const left = (await allItems(bugless.healthy.table)).filter(({ sk }) => String(sk).startsWith('QUEUED#'));
    expect(left.map(({ text }) => text)).toContain('forsaken');
    for (const { pk, sk } of left) await lapse({ pk, sk });

    bugless.from(crowded);
    expect((await comment(bugless.faulty, 'of the living')).status).toBe(201);
    const texts = await textsOf(9);
    expect(texts.at(-1)).toBe('of the living');
    expect(texts).not.toContain('forsaken');
    await expectNoViolations(bugless.healthy.table);
    const row = (await allItems(bugless.healthy.table)).filter(({ sk }) => String(sk).startsWith('QUEUED#'));
    expect(row).toEqual([]);
  });

  it('leaves no comment behind that was answered 503, while DynamoDB can be asked', async () => {
    bugless.from((call) =>
      call.operation === 'TransactWriteItems' ? cancelled('ConditionalCheckFailed', call) : 'pass',
    );
    expect((await comment(bugless.faulty, 'given up')).status).toBe(503);
    const items = await allItems(bugless.healthy.table);
    expect(items.filter(({ text }) => text === 'given up')).toEqual([]);
  });

  it('knows of a comment that was written although no answer ever said so', async () => {
    const isRow = ({ operation, body }: Call) =>
      operation === 'TransactWriteItems' && body.TransactItems.length > 4;
    bugless.from((call) => (isRow(call) ? 'close after' : crowded(call)));
    expect((await comment(bugless.faulty, 'written in silence')).status).toBe(201);
    expect((await textsOf(9)).filter((text) => text === 'written in silence')).toHaveLength(1);
  });

  const setTags = (on: Bugless, id: number, change: { add?: string[]; remove?: string[] }) =>
    on.call('PUT', `/rest/bug/comment/${id}/tags`, { key: keys.tagger, body: change });

  const tagChanges = [
    { what: 'adding a tag', tags: (place: number) => [`added-${place}`] },
    {
      what: 'adding more tags than fit into one transaction',
      tags: (place: number) => times(8, (n) => `long-tag-number-${place}.${n}`),
    },
  ];
  for (const { what, tags } of tagChanges) {
    it(`${what} leaves all or none, and a search that agrees`, async () => {
      const crashes = await crashEverywhere(
        (on, place) => setTags(on, 60 + place, { add: tags(place) }),
        async (place) => {
          const { body } = await bugless.healthy.call('GET', `/rest/bug/comment/${60 + place}`);
          const on = body.comments[60 + place].tags.length;
          expect([0, tags(place).length]).toContain(on);
          await expectSearchToAgree(bugless.healthy, 'a');
          await expectNoViolations(bugless.healthy.table);
          expect((await setTags(bugless.healthy, 60 + place, { add: tags(place) })).status).toBe(200);
        },
      );
      await expectNoViolations(bugless.healthy.table);
      expect(crashes).toBeGreaterThanOrEqual(4);
    });

    it(`the reverse of ${what} leaves all or none, and a search that agrees`, async () => {
      await crashEverywhere(
        async (on, place) => {
          await setTags(bugless.healthy, 60 + place, { add: tags(place) });
          bugless.from(endsAfter(place));
          return setTags(on, 60 + place, { remove: tags(place) });
        },
        async (place) => {
          const { status } = await setTags(bugless.healthy, 60 + place, { remove: tags(place) });
          expect(status).toBe(200);
          await expectSearchToAgree(bugless.healthy, 'a');
          await expectNoViolations(bugless.healthy.table);
        },
      );
    });
  }
});

/** Lets a waiting comment have waited for too long. */
async function lapse(key: { pk: unknown; sk: unknown }): Promise<void> {
  const { client, name } = bugless.healthy.table;
  await client.send(
    new UpdateCommand({
      TableName: name,
      Key: key,
      UpdateExpression: 'SET expires_at = :past',
      ExpressionAttributeValues: { ':past': 1 },
    }),
  );
}
