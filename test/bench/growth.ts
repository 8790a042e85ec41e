import { parseCatalogue } from '../../infra/admin/catalogue.ts';
import type { Table } from '../../lib/db/client.ts';
import {
  catalogueKey,
  commentKey,
  commentPointerKey,
  type Key,
  tagKey,
  tagSuffixKeys,
} from '../../lib/db/keys.ts';
import { inParallel } from '../../lib/db/reading.ts';
import { writeBatch } from '../../lib/db/writing.ts';
import { timestamp } from '../../lib/time.ts';
import { type Asked, openGround, openHandlers, printTable, rounded, timed, USER } from './ground.ts';
import { startMeter } from './meter.ts';

const SIZES = [100, 1_000, 10_000, 100_000];
const ANSWERS = 10;
const MOST_PRODUCTS = 10_000;
const LOGIN = 'user@example.com';
const START = Date.parse('2024-01-01T00:00:00Z');

/** What the same answer costs while the table grows: a bug with ever more comments, a tracker with ever more tags. */
export async function growth(): Promise<void> {
  const ground = await openGround(startCatalogue());
  const meter = await startMeter(ground.endpoint);
  const { invoke } = await openHandlers(ground.table.name, meter.endpoint);
  const rows: Record<string, string | number>[] = [];
  let size = 1;
  for (const next of SIZES) {
    await addComments(ground.table, size, next);
    await addTags(ground.table, size, next);
    if (next <= MOST_PRODUCTS) await addProducts(ground.table, size, next);
    size = next;
    for (const [operation, asked] of Object.entries(questions(size))) {
      meter.take();
      const { statusCode, body } = await invoke(asked);
      const calls = meter.take();
      if (statusCode !== 200) throw new Error(`${operation}: ${statusCode} ${body}`);
      const { median } = await timed(() => invoke(asked), 20);
      rows.push({
        operation,
        'items in all': size,
        calls: calls.length,
        'read units': rounded(
          calls.reduce((sum, { readUnits }) => sum + readUnits, 0),
          1,
        ),
        ms: rounded(median, 1),
      });
    }
  }
  const byOperation = rows.toSorted((a, b) => String(a['operation']).localeCompare(String(b['operation'])));
  printTable(
    `What answers cost as the table grows: the same ${ANSWERS} comments, ${ANSWERS} tags and 1 comment, and all ids of products`,
    byOperation,
  );
  await meter.stop();
  await ground.stop();
}

const timeOf = (count: number) => timestamp(new Date(START + count * 60_000));

function questions(size: number): Record<string, Asked> {
  const since = timeOf(size - 1 - ANSWERS);
  return {
    'comment by id': { method: 'GET', target: `/rest/bug/comment/${Math.ceil(size / 2)}`, key: USER },
    'comments since': { method: 'GET', target: `/rest/bug/1/comment?new_since=${since}`, key: USER },
    'tag search': { method: 'GET', target: '/rest/bug/comment/tags/needle', key: USER },
    ...(size > MOST_PRODUCTS
      ? {}
      : { 'ids of all products': { method: 'GET', target: '/rest/product_accessible', key: USER } }),
  };
}

function startCatalogue() {
  const tags = Array.from({ length: ANSWERS }, (_, at) => `x-needle-${at}`);
  const comment = { id: 1, text: 'It began', creator: LOGIN, creation_time: timeOf(0), tags };
  return parseCatalogue({
    groups: [{ name: 'taggers' }],
    users: [{ login: LOGIN, groups: ['taggers'], api_keys: [{ key: USER }] }],
    products: [{ name: 'P', components: [{ name: 'C' }], versions: [{ name: '1' }] }],
    bugs: [{ id: 1, product: 'P', component: 'C', summary: 's', reporter: LOGIN, comments: [comment] }],
  });
}

type Item = Key & Record<string, unknown>;

async function addComments(table: Table, from: number, to: number): Promise<void> {
  const items: Item[] = [];
  for (let count = from; count < to; count += 1) {
    const [id, creation_time] = [count + 1, timeOf(count)];
    const place = { bug_id: 1, creation_time, count };
    const comment = {
      id,
      text: `Comment ${count}`,
      creator: LOGIN,
      is_private: false,
      attachment_id: null,
      work_time: 0,
      tags: [],
    };
    items.push({ ...commentKey(1, creation_time, count), ...place, ...comment });
    items.push({ ...commentPointerKey(id), ...place });
  }
  await writeAll(table, items);
}

/** As the catalogue has them: what listing reads. */
async function addProducts(table: Table, from: number, to: number): Promise<void> {
  const items = Array.from({ length: to - from }, (_, at): Item => {
    const id = from + at + 1;
    return { ...catalogueKey(id), id, name: `Product number ${id}`, takes_bugs: true, group_controls: [] };
  });
  await writeAll(table, items);
}

/** Tags of five characters, which is six items each. */
async function addTags(table: Table, from: number, to: number): Promise<void> {
  const items: Item[] = [];
  for (let count = from; count < to; count += 1) {
    const tag = count.toString(36).padStart(5, '0');
    items.push({ ...tagKey(tag), tag, uses: 1 }, ...tagSuffixKeys(tag).map((key) => ({ ...key })));
  }
  await writeAll(table, items);
}

async function writeAll(table: Table, items: Item[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, at) =>
    items.slice(at * 25, at * 25 + 25),
  );
  await inParallel(batches, (batch) => writeBatch(table, batch));
}
