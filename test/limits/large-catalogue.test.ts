import { createHash, randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { aFile } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';

/** Of attachments, each of one; a run with `RUNS` sets it. */
const { MEGABYTES: GIVEN } = process.env;
const MEGABYTES = Number(GIVEN ?? 28);
const PER_BUG = 14;
/** Less than the file has. */
const HEAP_MEGABYTES = 34;
const AUTHOR = 'a@example.org';
const TIME = '2024-01-01T00:00:00Z';

/** @returns the hash of the data of each attachment, by id */
async function writeCatalogue(path: string): Promise<Map<number, string>> {
  const hashes = new Map<number, string>();
  const file = await open(path, 'w');
  const write = (content: object) => file.write(`${JSON.stringify(content)}\n`);
  await write({ products: [{ name: 'P', components: [{ name: 'C' }] }] });
  for (let bug = 0; bug * PER_BUG < MEGABYTES; bug += 1) {
    const fields = { id: bug + 1, product: 'P', component: 'C', summary: 's', reporter: AUTHOR };
    const comments = [{ id: bug + 1, text: 't', creator: AUTHOR, creation_time: TIME }];
    await write({ bug: { ...fields, comments } });
    for (let at = 0; at < PER_BUG; at += 1) {
      const id = bug * PER_BUG + at + 1;
      const bytes = randomBytes(1_000_000);
      hashes.set(id, hashOf(bytes));
      const data = bytes.toString('base64');
      await write({ attachment: aFile(id, { bug_id: bug + 1, data, creator: AUTHOR }) });
    }
  }
  await file.close();
  return hashes;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it.skipIf(GIVEN === undefined)(
  'attachments of more than the memory are applied and exported',
  { timeout: 1_800_000 },
  async () => {
    const table = await newTable();
    const environment = {
      TABLE_NAME: table.name,
      DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
      // A scan of DynamoDB Local takes longer, the larger the table is.
      DATABASE_RETRY_TIMEOUT_MS: '600000',
      DATABASE_REQUEST_TIMEOUT_MS: '120000',
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}`,
    };
    await inNewFolder(async (folder) => {
      const [given, exported] = [join(folder, 'given.ndjson'), join(folder, 'exported.ndjson')];
      const hashes = await writeCatalogue(given);
      for (const command of [
        ['apply', given],
        ['export', exported],
      ]) {
        const { code, stderr } = await runAdmin(command, environment);
        expect([command, code, code === 0 ? '' : stderr]).toEqual([command, 0, '']);
      }
      const found = new Map<number, string>();
      const { bugs } = await readCatalogueFile(exported);
      for await (const { attachments = [] } of bugs) {
        for (const { id, data } of attachments) found.set(id, hashOf(await data.read()));
      }
      expect([...found].sort(([a], [b]) => a - b)).toEqual([...hashes]);
    });
  },
);
