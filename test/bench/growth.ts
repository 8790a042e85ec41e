import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createTable } from '../../infra/local/database/create-table.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { type Invoke, openHandlers, USER } from './environment.ts';
import { allOf, type Measured, measure, type Rounds } from './growth/measure.ts';
import { POPULAR_PART, questions } from './growth/operations.ts';
import { plot } from './growth/plot.ts';
import { report } from './growth/report.ts';
import { landmarks } from './growth/targets.ts';
import { makeTracker, type Tracker } from './growth/tracker.ts';
import { type Meter, startMeter } from './meter.ts';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const SEED = 6;
const ROUNDS: Rounds = { warmup: 20, timed: 100 };
const RESULTS = join(import.meta.dirname, 'results');

/** A tracker at one size, and what was measured there. */
export interface Size {
  counts: Tracker['counts'] & { items: number };
  measured: Measured[];
}

/**
 * What every operation takes while a tracker grows to a million items, as `growth.md` and `growth.svg`.
 *
 * @param to the most items
 */
export async function growth(to = Number.POSITIVE_INFINITY): Promise<void> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const { endpoint, stop } = await startDynamoDbLocal();
  const meter = await startMeter(endpoint);
  const sizes: Size[] = [];
  try {
    const wanted = SIZES.filter((size) => size <= to);
    // Once more at the beginning: the code is slow until it has run for a while.
    for (const items of [...wanted.slice(0, 1), ...wanted]) {
      console.log(`${items.toLocaleString('en')} items …`);
      sizes.push(await atSize(items, endpoint, meter));
    }
  } finally {
    await meter.stop();
    await stop();
  }
  sizes.shift();
  const text = report(sizes);
  console.log(text);
  await writeFile(join(RESULTS, 'growth.md'), text);
  await writeFile(join(RESULTS, 'growth.svg'), await plot(sizes.flatMap(({ measured }) => measured)));
}

let tables = 0;

/** Measures in a new table with the same tracker at every size. */
async function atSize(items: number, endpoint: string, meter: Meter): Promise<Size> {
  tables += 1;
  const table = openTable(`growth-${tables}`, endpoint);
  await createTable(table);
  await applyCatalogue(table, landmarks(allOf(ROUNDS)));
  const { catalogue, counts, longest } = makeTracker(SEED, items);
  await applyCatalogue(table, catalogue);
  const described = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
  const [direct, withCapacityTracking] = [
    await openHandlers(table.name, endpoint),
    await openHandlers(table.name, meter.endpoint),
  ];
  const handlers = { direct: direct.invoke, withCapacityTracking: withCapacityTracking.invoke, meter };
  const measured: Measured[] = [];
  const place = { longest, popularTag: await mostUsedTag(direct.invoke) };
  for (const question of questions(place)) {
    measured.push(await measure(handlers, question, items, ROUNDS));
  }
  await table.client.send(new DeleteTableCommand({ TableName: table.name }));
  return { counts: { ...counts, items: described.Table?.ItemCount ?? 0 }, measured };
}

async function mostUsedTag(invoke: Invoke): Promise<string> {
  const request = { method: 'GET', target: `/rest/bug/comment/tags/${POPULAR_PART}?limit=1`, key: USER };
  const [tag] = z.array(z.string()).parse(JSON.parse((await invoke(request)).body));
  if (tag === undefined) throw new Error(`No tag has '${POPULAR_PART}' in it`);
  return tag;
}
