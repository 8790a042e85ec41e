import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runAdmin } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { numbered } from '../support/numbered.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';
import { times } from '../support/times.ts';

/** Together of more than the 16 MB that one BatchGetItem returns. */
const BUGS = 46;
const text = (n: number, character: string, length = 65_000) => `${n}${character.repeat(length)}`;
/** Bugs of about 370 KB. */
const catalogue = {
  users: [{ login: REPORTER }],
  bug_fields: [{ name: 'cf_notes', display_name: 'Notes', type: 4 }],
  products: [aProduct()],
  bugs: times(BUGS, (n) =>
    aBug(n + 1, { whiteboard: text(n, 'w'), url: text(n, 'u'), cf_notes: text(n, 'n', 240_000) }),
  ),
};

it('apply writes bugs with the longest texts, and its repetition changes nothing', () =>
  inNewFolder(async (folder) => {
    const table = await newTable();
    const file = join(folder, 'catalogue.json');
    writeFileSync(file, JSON.stringify(numbered(catalogue)));
    const environment = { TABLE_NAME: table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
    for (const outcome of [{ added: BUGS }, { added: 0, unchanged: BUGS }]) {
      const { code, stdout, stderr } = await runAdmin(['--json', 'apply', file], environment);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(stdout).bugs).toMatchObject(outcome);
    }
    const { call } = await serve(table, SILENT);
    expect((await call('GET', '/rest/bug?summary=bug&count_only=1')).body).toEqual({
      bugs: [],
      bug_count: BUGS,
    });
    expect((await runAdmin(['check'], environment)).code).toBe(0);
  }));
