import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { upgradeTable } from '../../infra/admin/upgrade/upgrade-table.ts';
import { createTable } from '../../infra/local/database/create-table.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { mapConcurrent } from '../../lib/base/collections.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { formatKey, keyOf } from '../../lib/table/keys.ts';
import { anyItem, scanPages } from '../../lib/table/read.ts';
import { batchWrite, deleteItem } from '../../lib/table/write.ts';
import { writeCatalogue } from './apply.ts';
import { printTable, rounded } from './print.ts';
import { documents } from './texts.ts';

const DEFAULT_BUGS = 2_000;
const COMMENTS = 10;

/** Upgrading a table of a version before 1.0.0: seconds and memory of each conversion. `--to` is the number of bugs. */
export async function upgrade(bugs = DEFAULT_BUGS): Promise<void> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const database = await startDynamoDbLocal(undefined, undefined, { isLongRunning: true });
  const folder = await mkdtemp(join(tmpdir(), 'bugless-'));
  const file = join(folder, 'catalogue.ndjson');
  const shape = { what: '', comments: COMMENTS, words: await documents() };
  await writeCatalogue(file, bugs, shape);
  const table = openTable('upgrade', database.endpoint, { requestTimeoutMs: 10_000 });
  await createTable(table);
  await applyCatalogue({ ...table, indexesComments: false }, await readCatalogueFile(file));
  await makeFormer(table);
  const rows: Record<string, string | number>[] = [];
  let [conversion, started] = ['', performance.now()];
  const end = () => {
    if (conversion !== '') {
      rows.push({
        conversion,
        seconds: rounded((performance.now() - started) / 1_000),
        'MB of memory': Math.round(process.memoryUsage.rss() / 1e6),
      });
    }
  };
  const begin = (next: string) => {
    end();
    [conversion, started] = [next, performance.now()];
  };
  const report = { begin, pause: () => undefined, scan: () => undefined };
  await upgradeTable(table, report, async () => undefined);
  end();
  await rm(folder, { recursive: true });
  await database.stop();
  printTable(`Upgrading a table of ${bugs} bugs with ${COMMENTS} comments each`, rows);
}

/** Makes of a table one as a version before 1.0.0 left it: without words, and with a search index of another kind. */
async function makeFormer(table: Table): Promise<void> {
  for await (const page of scanPages(table, anyItem)) {
    const unknown = page.filter(({ pk }) => /^(USERINDEX|SEARCHINDEX|SEGMENT#)/.test(pk));
    await mapConcurrent(unknown, (item) => deleteItem(table, keyOf(item)));
    const changes = page.filter(({ pk }) => pk.startsWith('CHANGED#')).map(({ pk, sk }) => ({ pk, sk }));
    const entries = page
      .filter(({ sk }) => sk === 'BUG')
      .map(({ pk }) => ({ pk: 'PRODUCTBUGS#1#OPEN', sk: pk, bug_id: 1, summary: 'A summary' }));
    await batchWrite(table, [...changes, ...entries]);
  }
  await deleteItem(table, formatKey);
}
