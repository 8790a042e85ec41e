import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable } from '../../infra/local/database/create-table.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/table/client.ts';
import { currentCapacity, withConsumption } from '../../lib/table/consumption.ts';
import { aProduct } from '../support/small-catalogue.ts';
import { printTable, rounded } from './print.ts';
import { documents, zipf } from './texts.ts';

const DEFAULT_BUGS = 2_000;
const WORDS_OF_COMMENT = 30;

interface Shape {
  what: string;
  comments: number;
  /** gives the words of comments; absent: they are not indexed */
  words?: () => string;
}

/** Applying a catalogue of bugs: calls to DynamoDB, seconds and CPU. `--to` is the number of bugs of each shape. */
export async function apply(bugs = DEFAULT_BUGS): Promise<void> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const database = await startDynamoDbLocal(undefined, undefined, { isLongRunning: true });
  const shapes: Shape[] = [
    { what: 'one comment a bug', comments: 1, words: await documents() },
    { what: '10 comments a bug, without index of words', comments: 10 },
    { what: '10 comments a bug', comments: 10, words: await documents() },
    { what: '10 comments a bug of independent words', comments: 10, words: zipf() },
  ];
  const folder = await mkdtemp(join(tmpdir(), 'bugless-'));
  const rows: Record<string, string | number>[] = [];
  for (const [at, shape] of shapes.entries()) {
    const file = join(folder, 'catalogue.ndjson');
    await writeCatalogue(file, bugs, shape);
    const opened = openTable(`apply-${at}`, database.endpoint);
    const table = { ...opened, indexesComments: shape.words !== undefined };
    await createTable(table);
    for (const run of ['into an empty table', 'again']) {
      const started = performance.now();
      const cpu = process.cpuUsage();
      const calls = await withConsumption(async () => {
        await applyCatalogue(table, await readCatalogueFile(file));
        return currentCapacity()?.calls ?? 0;
      });
      const { user, system } = process.cpuUsage(cpu);
      rows.push({
        what: `${shape.what}, ${run}`,
        bugs,
        'calls a bug': rounded(calls / bugs),
        'ms a bug': rounded((performance.now() - started) / bugs),
        minutes: rounded((performance.now() - started) / 60_000),
        'CPU ms a bug': rounded((user + system) / 1_000 / bugs),
      });
    }
  }
  await rm(folder, { recursive: true });
  await database.stop();
  printTable('Applying a catalogue (CPU without that of the database)', rows);
}

/** Writes a catalogue file of bugs. */
async function writeCatalogue(
  path: string,
  bugs: number,
  { comments, words = () => 'word' }: Shape,
): Promise<void> {
  const file = await open(path, 'w');
  const products = Array.from({ length: 20 }, (_, p) => aProduct(p + 1, `P${p}`));
  await file.write(`${JSON.stringify({ products })}\n`);
  for (let bug = 0; bug < bugs; bug += 1) {
    const given = {
      id: bug + 1,
      product: `P${bug % 20}`,
      component: 'Core',
      summary: `Summary of bug ${bug}`,
      reporter: `person${bug % 50}@example.org`,
      assigned_to: `person${bug % 7}@example.org`,
      comments: Array.from({ length: comments }, (_, count) => ({
        id: bug * comments + count + 1,
        text: `${bug} ${Array.from({ length: WORDS_OF_COMMENT }, words).join(' ')}`,
        creator: `person${count}@example.org`,
        creation_time: `2024-01-${String(count + 1).padStart(2, '0')}T00:00:00Z`,
      })),
    };
    await file.write(`${JSON.stringify({ bug: given })}\n`);
  }
  await file.close();
}
