import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import { formatKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite, deleteItem } from '../../lib/table/write.ts';
import { newTable, serve } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { RECORDED_SETTINGS } from '../support/recordings.ts';
import { isLong } from '../support/sample.ts';

interface Recorded {
  as?: string;
  path: string;
  status: number;
  body: Record<string, unknown>;
}

const readBinary = (_: string, value: { $binary?: string } | null) =>
  value?.$binary === undefined ? value : Buffer.from(value.$binary, 'base64');

const lines = zstdDecompressSync(readFileSync(join(import.meta.dirname, '1.2.0.zst')))
  .toString()
  .split('\n')
  .map((line) => JSON.parse(line, readBinary));
const items: Item[] = lines.flatMap(({ item }) => item ?? []);
const responses: Recorded[] = lines.flatMap(({ response }) => response ?? []);
const keys = new Map(lines.flatMap((line) => Object.entries<string>(line.keys ?? {})));

/** A run with `RUNS` repeats all reads, another one each seventh. */
const STEP = isLong ? 1 : 7;

/** Reads that this version answers otherwise on purpose, and why. */
const INTENDED: [pattern: RegExp, why: string][] = [
  [/\/rest\/(time|version)$/, 'of now'],
  [/include_fields=id,duplicates$/, 'there was no such field'],
  [/\/rest\/field\/bug(\/cf_\w+)?$/, 'inactive values of custom fields say so'],
];

/** A table that 1.2.0 wrote, with what it responded to reads of it: test/README.md says how it was made. */
describe('a table that 1.2.0 wrote', () => {
  let table: Table;
  beforeAll(async () => {
    table = await newTable();
    await deleteItem(table, formatKey);
    await batchWrite(table, items);
  });

  it('is read as 1.2.0 read it, and has no violations', async () => {
    const { call } = await serve(table, RECORDED_SETTINGS);
    const differing: string[] = [];
    for (const { as, path, status, body } of responses.filter((_, index) => index % STEP === 0)) {
      const reply = await call('GET', path, { key: keys.get(as ?? '') });
      if (reply.status !== status || !isDeepStrictEqual(reply.body, body)) differing.push(`${as} ${path}`);
    }
    expect(differing.filter((read) => !INTENDED.some(([pattern]) => pattern.test(read)))).toEqual([]);
    expect(responses.length).toBeGreaterThan(1_200);
    await expectNoViolations(table);
  });

  it('is exported to a file that an empty table takes', async () => {
    const catalogue = await exportedCatalogue(table);
    const copy = await newTable();
    await applyCatalogue(copy, parseCatalogue(catalogue));
    expect(await exportedCatalogue(copy)).toEqual(catalogue);
    await expectNoViolations(copy);
  });
});
