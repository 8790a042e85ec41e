import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { timestamp } from '../../lib/base/time.ts';
import { changeEntry } from '../../lib/bugs/change-log/change-log.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { type Bugless, newTable, serve, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { completeIndex } from '../support/complete-index.ts';
import { type Call, type Fate, faults, ReadLimit } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { deleteItems } from '../support/restore-table.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

/** First searches of function instances, which read the search index, on a table that throttles. */

const KEY = 'K'.repeat(40);
const PRODUCTS = ['Alpha', 'Beta'];
const BUGS = 200;
const INSTANCES = 10;

const table = useStarted(async () => {
  const filled = await newTable(
    parseCompleteCatalogue({
      users: [{ login: REPORTER, api_keys: [{ key: KEY }] }],
      products: PRODUCTS.map((name, id) => aProduct(id + 1, name)),
      bugs: times(BUGS, (n) =>
        aBug(n + 1, {
          product: PRODUCTS[n % 2],
          summary: `Bug ${n + 1} ${randomText(n)}`,
          whiteboard: randomText(-n),
        }),
      ),
    }),
  );
  await dateLog(filled);
  return filled;
});

/** Dates the change log earlier, so that a search does not read it again for what may still be written. */
async function dateLog(table: Table): Promise<void> {
  const logged_at = timestamp(new Date(Date.now() - 60_000));
  const items = (await allItems(table)).filter(({ pk, sk }) => pk.startsWith('BUG#') && sk === 'BUG');
  const bugs = items.map((item) => bugItem.parse(item));
  await deleteItems(
    table,
    bugs.map((bug) => changeEntry(bug).key),
  );
  const dated = bugs.flatMap((bug) => {
    const { key, content } = changeEntry({ ...bug, logged_at });
    return [
      { ...bugKey(bug.id), ...bug, logged_at },
      { ...key, ...content },
    ];
  });
  await batchWrite(table, dated);
}

/** Does not compress. */
const randomText = (seed: number) =>
  createHash('sha512').update(String(seed)).digest('base64url') +
  createHash('sha384').update(`${seed}`).digest('base64url');

const SEARCH = '/rest/bug?summary=bug&count_only=1';
const search = (instance: Bugless) => instance.call('GET', SEARCH, { key: KEY });
const isOfLog = ({ body }: Call) => String(body.ExpressionAttributeValues?.[':pk']?.S).startsWith('CHANGED#');
const isOfSegments = ({ operation, body }: Call) =>
  operation === 'BatchGetItem' && JSON.stringify(body).includes('SEGMENT#');

it('one that does not finish before its deadline goes on with the next request', async () => {
  let read = 0;
  let isThrottled = true;
  const decide = (call: Call): Fate => {
    if (!isOfLog(call)) return 'pass';
    if (isThrottled && read >= 10) return faults.throttling;
    read += 1;
    return 'short page';
  };
  const proxy = await useFaultProxy({ decide });
  const settings = { DYNAMODB_ENDPOINT: proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '400', ...SILENT };
  const cold = await serve(table, settings);
  const refused = await search(cold);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  isThrottled = false;
  // What others write meanwhile is found, too.
  const healthy = await serve(table);
  await healthy.call('PUT', '/rest/bug/1', { key: KEY, body: { whiteboard: 'changed meanwhile' } });
  let reply = await search(cold);
  for (let attempt = 0; reply.status === 503 && attempt < 20; attempt += 1) reply = await search(cold);
  expect([reply.status, reply.body]).toEqual([200, { bugs: [], bug_count: BUGS }]);
  const found = await cold.call('GET', '/rest/bug?whiteboard=meanwhile&include_fields=id', { key: KEY });
  expect(found.body).toEqual({ bugs: [{ id: 1 }] });
  // Three entries a page, and an empty one of each of the four ranges; some at a deadline twice.
  expect(read).toBeLessThan(BUGS / 3 + 4 + 20);
});

it('ten at once finish, and do not starve others', async () => {
  await completeIndex(table);
  const readLimit = new ReadLimit(5, 20);
  const proxy = await useFaultProxy({ readLimit });
  const settings = { DYNAMODB_ENDPOINT: proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '100000', ...SILENT };
  const instances: Bugless[] = [];
  for (let n = 0; n < INSTANCES; n += 1) instances.push(await serve(table, settings));
  const other = await serve(table, settings);
  let isDone = false;
  const searches = Promise.all(instances.map(search)).finally(() => {
    isDone = true;
  });
  const statuses: number[] = [];
  for (let bug = 1; !isDone; bug = (bug % BUGS) + 1) {
    statuses.push((await other.call('GET', `/rest/bug/${bug}?include_fields=id`, { key: KEY })).status);
  }
  expect((await searches).map(({ status, body }) => [status, body.bug_count])).toEqual(
    times(INSTANCES, () => [200, BUGS]),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(readLimit.throttled.filter((call) => isOfSegments(call) || isOfLog(call))).not.toEqual([]);
});
