import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { indexCopies } from '../support/index-copies.ts';
import { keys } from '../support/keys.ts';
import { times } from '../support/times.ts';

/** A few more than a search examines. */
const BUGS = 10_020;
const FIRST = 20_001;
/** A few more than are read whole. */
const STORED = 3_210;
/** beta */
const PRODUCT = 12;

describe('10,020 bugs in a product', () => {
  let bugless: Bugless;
  beforeAll(async () => {
    bugless = await startBugless();
    const ids = times(BUGS, (n) => FIRST + n);
    await indexCopies(bugless.table, ids, { product_id: PRODUCT }, STORED);
  });

  const page = (query: string) =>
    bugless.call('GET', `/rest/bug?product=beta&include_fields=id&${query}`, { key: keys.admin });

  it('are found by pages', async () => {
    const { body } = await page('limit=3&offset=10010');
    expect(body.bugs.map(({ id }: { id: number }) => id)).toEqual([30_011, 30_012, 30_013]);
    expect((await page('limit=10&offset=10020')).body.bugs).toEqual([]);
  });

  it('are 10,000 at most in a response, and all of them in a count', async () => {
    expect((await page('')).body.bugs).toHaveLength(10_000);
    expect((await page('count_only=1')).body).toEqual({ bugs: [], bug_count: BUGS });
  });

  it('are an error where more of them would have to be read', async () => {
    const { status, body } = await page('f1=assigned_to_realname&o1=equals&v1=nobody');
    expect([status, body.code]).toEqual([400, 32000]);
  });

  it('are found by anonymous callers as far as that reads 3,200 whole bugs', async () => {
    const statusOf = async (query: string, key?: string) =>
      (await bugless.call('GET', `/rest/bug?product=beta&${query}`, { key })).status;
    const query = 'include_fields=id,flags';
    expect(await statusOf(`${query}&limit=3200`)).toBe(200);
    expect(await statusOf(`${query}&limit=3201`)).toBe(400);
    expect(await statusOf(`${query}&limit=3201`, keys.admin)).toBe(200);
    expect(await statusOf('include_fields=id,summary&limit=3201')).toBe(200);
    expect(await statusOf('count_only=1')).toBe(200);
  });
});
