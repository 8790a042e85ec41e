import { beforeAll, describe, expect, it } from 'vitest';
import { bugKey, productBugKey } from '../../lib/dynamodb/keys.ts';
import { anyItem, type Item, readItem } from '../../lib/dynamodb/read.ts';
import { batchWrite } from '../../lib/dynamodb/write.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

/** A few more than a search examines. */
const BUGS = 10_020;
const FIRST = 20_001;
/** beta */
const PRODUCT = 12;

describe('10,020 bugs in a product', () => {
  let bugless: Bugless;
  beforeAll(async () => {
    bugless = await startBugless();
    const bug = await readItem(bugless.table, bugKey(1), anyItem);
    if (bug === undefined) throw new Error('Bug 1 is missing');
    const items = Array.from({ length: BUGS }, (_, n) => FIRST + n).flatMap((id): Item[] => [
      { ...bug, ...bugKey(id), id, aliases: [], product_id: PRODUCT },
      { ...productBugKey(PRODUCT, true, id), bug_id: id },
    ]);
    const portions = Array.from({ length: items.length / 40 }, (_, n) => items.slice(n * 40, n * 40 + 40));
    await mapConcurrent(portions, (portion) => batchWrite(bugless.table, portion));
  });

  const page = (query: string) =>
    bugless.call('GET', `/rest/bug?product=beta&include_fields=id&${query}`, { key: keys.admin });

  it('are found by pages, up to 10,000', async () => {
    const { body } = await page('limit=3&offset=9990');
    expect(body.bugs.map(({ id }: { id: number }) => id)).toEqual([29_991, 29_992, 29_993]);
  });

  it('are an error beyond, not an empty page', async () => {
    const { status, body } = await page('limit=10&offset=10005');
    expect([status, body.code]).toEqual([400, 32000]);
    expect((await page('')).body.code).toBe(32000);
  });
});
