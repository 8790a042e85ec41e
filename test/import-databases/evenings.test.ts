import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase, parseAddress } from '../../infra/import/database.ts';
import { importDatabase } from '../../infra/import/run-import.ts';
import type { Table } from '../../lib/table/client.ts';
import { runImport, writableSource } from '../import/source.ts';
import { newTable } from '../support/bugless.ts';
import { exported } from '../support/exported.ts';
import { interruptedTable } from '../support/interrupted-table.ts';
import { isLong } from '../support/sample.ts';

const exchange = (table: string, id: string, name: string, one: number, other: number): string => `
  CREATE TEMPORARY TABLE names AS SELECT ${id} AS id, ${name} AS name FROM ${table} WHERE ${id} IN (${one}, ${other});
  UPDATE ${table} SET ${name} = (SELECT name FROM names WHERE names.id <> ${table}.${id}) WHERE ${id} IN (${one}, ${other});
  DROP TABLE temp.names`;

/** What may happen in an evening; `n` chooses what it happens to. */
const HAPPENINGS: Record<string, (n: number) => string> = {
  'two products exchange their names': (n) => exchange('products', 'id', 'name', 2 + (n % 5), 8 + (n % 5)),
  'two users exchange their logins': (n) =>
    exchange('profiles', 'userid', 'login_name', 2 + (n % 4), 6 + (n % 4)),
  'a user is renamed': (n) =>
    `UPDATE profiles SET login_name = 'renamed-${n}@example.org' WHERE userid = ${2 + (n % 30)}`,
  'a user is disabled': (n) =>
    `UPDATE profiles SET is_enabled = 0, disabledtext = 'Left' WHERE userid = ${2 + (n % 30)}`,
  'a group is renamed': (n) => `UPDATE groups SET name = 'group-${n}' WHERE id = ${19 + (n % 18)}`,
  'a group is deleted': (n) => `DELETE FROM groups WHERE id = ${19 + (n % 18)}`,
  'a user joins a group': (n) => `INSERT INTO user_group_map VALUES (${2 + (n % 30)}, ${19 + (n % 9)}, 0, 0)`,
  'everybody leaves a group': (n) => `DELETE FROM user_group_map WHERE group_id = ${19 + (n % 9)}`,
  'a group is in another one': (n) =>
    `INSERT INTO group_group_map VALUES (${19 + (n % 9)}, ${28 + (n % 9)}, 0)`,
  'the controls of a product change': (n) =>
    `UPDATE group_control_map SET membercontrol = 1, othercontrol = ${n % 4}, entry = ${n % 2} WHERE product_id = ${2 + (n % 14)}`,
  'bugs get a group': (n) =>
    `INSERT INTO bug_group_map SELECT bug_id, ${19 + (n % 9)} FROM bugs WHERE bug_id % 40 = ${n % 40} AND bug_id NOT IN (SELECT bug_id FROM bug_group_map WHERE group_id = ${19 + (n % 9)})`,
  'bugs lose their groups': (n) => `DELETE FROM bug_group_map WHERE bug_id % 20 = ${n % 20}`,
  'a bug is deleted': (n) => `DELETE FROM bugs WHERE bug_id = ${1 + (n % 190)}`,
  'a comment is deleted': (n) => `DELETE FROM longdescs WHERE comment_id = ${1 + (n % 860)}`,
  'the privacy of a comment changes': (n) =>
    `UPDATE longdescs SET isprivate = 1 - isprivate WHERE comment_id = ${1 + (n % 860)}`,
  'an attachment is deleted': (n) => `DELETE FROM attachments WHERE attach_id = ${1 + (n % 50)}`,
  'the data of an attachment changes': (n) =>
    `UPDATE attach_data SET thedata = CAST('the data of another evening, ${n}' AS BLOB) WHERE id = ${1 + (n % 50)}`,
  'a component is deleted': (n) => `DELETE FROM components WHERE id = ${1 + (n % 70)}`,
  'a component is renamed': (n) => `UPDATE components SET name = 'part ${n}' WHERE id = ${1 + (n % 70)}`,
  'a version is renamed': (n) => `UPDATE versions SET value = 'v${n}' WHERE id = ${1 + (n % 70)}`,
  'a flag type is deleted': (n) => `DELETE FROM flagtypes WHERE id = ${1 + (n % 9)}`,
  'a keyword is renamed': (n) => `UPDATE keyworddefs SET name = 'kw${n}' WHERE id = ${1 + (n % 7)}`,
  'a product is deleted with its bugs': (n) =>
    `DELETE FROM bugs WHERE product_id = ${2 + (n % 14)}; DELETE FROM products WHERE id = ${2 + (n % 14)}`,
  'bugs move': (n) =>
    `UPDATE bugs SET product_id = 4, component_id = (SELECT MIN(id) FROM components WHERE product_id = 4) WHERE bug_id % 50 = ${n % 50}`,
  'a status is renamed': (n) =>
    `UPDATE bug_status SET value = 'S${n}' WHERE id = 8; UPDATE bugs SET bug_status = 'S${n}' WHERE bug_status = 'WAITING'`,
  'a custom value is deleted': (n) => `DELETE FROM cf_drop WHERE id = ${2 + (n % 4)}`,
  'a search is shared': (n) => `UPDATE namedquery_group_map SET group_id = ${19 + (n % 9)}`,
  'a watch ends': (n) => `DELETE FROM watch WHERE watcher = ${[2, 10, 23, 28, 41][n % 5]}`,
  'a key is revoked': (n) => `UPDATE user_api_keys SET revoked = 1 WHERE id = ${1 + (n % 17)}`,
};

const happening = fc.tuple(fc.constantFrom(...Object.keys(HAPPENINGS)), fc.nat(1_000));

/** The lines of an export; users and groups in any order, and who is on CC. */
const sortedLines = async (table: Table): Promise<string[]> =>
  (await exported(table))
    .split('\n')
    .map((line) =>
      line.replace(/"cc":\["([^\]]*)"\]/, (_, cc) => `"cc":["${cc.split('","').sort().join('","')}"]`),
    )
    .sort();

it('a second run after a random evening makes the table what a first one makes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 12 }), async (evening) => {
      const source = writableSource();
      const [table, fresh] = [await newTable(), await newTable()];
      expect((await runImport(table, source, 'A')).code).toBe(0);
      for (const [name, n] of evening) source.database.exec(HAPPENINGS[name]?.(n) ?? '');
      for (const [onto, ...options] of [[table], [fresh], [table, '--verify']] as const) {
        const { code, stdout, stderr } = await runImport(onto, source, 'A', ...options);
        expect([code, code === 0 ? '' : stdout.slice(-2_000) + stderr.slice(-500)]).toEqual([0, '']);
      }
      const [one, other] = [await sortedLines(table), await sortedLines(fresh)];
      // A line has all of a bug: the message has where the first one differs.
      const at = one.findIndex((line, index) => line.startsWith('{"bug"') && line !== other[index]);
      const [here, there] = [one[at] ?? '', other[at] ?? ''];
      const from = [...here].findIndex((char, index) => char !== there[index]);
      expect([here.slice(0, 20), here.slice(from, from + 80)]).toEqual([
        there.slice(0, 20),
        there.slice(from, from + 80),
      ]);
    }),
    {
      numRuns: isLong ? 12 : 1,
      endOnFailure: true,
      ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }),
    },
  );
});

it('an import that is interrupted anywhere is completed by the next one', async () => {
  const source = writableSource();
  const table = await newTable();
  const run = async (onto: Table) => {
    const database = await openDatabase(parseAddress(source.address), undefined);
    return importDatabase(onto, {
      ...{ database, params: new Map(), timezone: 'UTC', attachments: undefined },
      deployed: {
        ...{ INSIDER_GROUP: '', TIMETRACKING_GROUP: '', COMMENT_TAGGERS_GROUP: '', WEBHOOKS_GROUP: '' },
        REQUIRE_LOGIN: false,
      },
      ...{ givesRights: () => false, withoutRights: false, report: () => undefined, note: () => undefined },
      ...{ file: `${source.path}.ndjson`, final: false, again: false, placeholder: '---' },
      wait: async () => undefined,
    });
  };
  const together = isLong ? 10 : 20;
  for (const [index, evening] of Object.entries(HAPPENINGS).entries()) {
    source.database.exec(evening[1](index));
    if (index % together !== together - 1) continue;
    for (const commands of [5, 60, 300]) {
      let left = commands;
      const interrupted = interruptedTable(table, (command) => {
        if (!/Put|Update|Delete|Transact|BatchWrite/.test(command)) return false;
        left -= 1;
        return left < 0;
      });
      await run(interrupted).catch((error: Error) => expect(error.message).toBe('interrupted'));
    }
    await run(table);
    const fresh = await newTable();
    await run(fresh);
    expect(await sortedLines(table)).toEqual(await sortedLines(fresh));
  }
});

it('a history of a million rows, NULs and a column of another type end no import', async () => {
  const source = writableSource();
  const rows = isLong ? 1_000_000 : 120_000;
  source.database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO bugs_activity SELECT 100000 + i, 1, NULL, 2, datetime(1100000000 + i, 'unixepoch'), 2, 'a' || i, 'b', NULL FROM n;
    UPDATE longdescs SET thetext = 'a' || char(0) || 'b' WHERE comment_id = 2;
    INSERT INTO attach_data VALUES (60000, zeroblob(60000000));
    INSERT INTO attachments SELECT 60000, 1, creation_ts, modification_time, 'large', mimetype, 0, 'large', submitter_id, 0, 0 FROM attachments WHERE attach_id = 1;
  `);
  const table = await newTable();
  const { code, stdout } = await runImport(table, source, 'A');
  expect([code, stdout]).toEqual([0, expect.stringContaining('bug 1: all but the latest 100000 changes')]);
  expect(stdout).toContain('bug 1, attachment 60000: 60000000 bytes');
  source.database.exec("UPDATE bugs SET product_id = 'none' WHERE bug_id = 5");
  expect(await runImport(await newTable(), source, 'A')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The column product_id of bugs has the value 'none', which is no number"),
  });
});
