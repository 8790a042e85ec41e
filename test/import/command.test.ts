import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { lockImportFile } from '../../infra/import/run-import.ts';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
import { paramsOf } from '../support/recorded-databases.ts';
import { runImport, sqliteSource, writableSource } from './source.ts';

const SECRET = 'geheim';
/** What the first message to PostgreSQL asks for. */
const SSL_REQUEST = 80_877_103;
const PROTOCOL_3 = 196_608;
const source = sqliteSource();
source.become('A');

describe('an import', () => {
  it('says nothing of the password, where the database cannot be reached', async () => {
    const address = `mysql://reader:${SECRET}@127.0.0.1:1/bugs`;
    const { code, stdout, stderr } = await runImport(await newTable(), { ...source, address }, 'A');
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringContaining('mysql://127.0.0.1:1/bugs cannot'),
    ]);
    expect(stderr).not.toContain(SECRET);
  });

  it.each([
    ['', undefined, false],
    ['?ssl=true', undefined, true],
    ['', 'require', true],
  ])(
    'asks PostgreSQL for TLS with the options %j and PGSSLMODE %j: %j',
    async (options, mode, asksForTls) => {
      vi.stubEnv('PGSSLMODE', mode);
      const asked: number[] = [];
      const server = createServer((socket) =>
        socket.once('data', (message) => {
          asked.push(message.readInt32BE(4));
          socket.destroy();
        }),
      ).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = z.object({ port: z.int() }).parse(server.address());
      const address = `postgres://reader:${SECRET}@127.0.0.1:${port}/bugs${options}`;
      const { code } = await runImport(await newTable(), { ...source, address }, 'A');
      server.close();
      vi.unstubAllEnvs();
      expect([code, asked]).toEqual([2, [asksForTls ? SSL_REQUEST : PROTOCOL_3]]);
    },
  );

  it('closes the table until --final, has entries of the audit log, and does not begin again without --again', async () => {
    const table = await newTable();
    const { stdout: told } = await runImport(table, source, 'A');
    expect(told).toContain('are refused with 503');
    expect(told).toContain("tables that are not Bugzilla's own: ext_empty, ext_stats, moz_old_backup");
    expect(told).toContain(
      "columns that are not Bugzilla's own: bugs.ext_note, bugs.ext_rank, products.ext_owner, profiles.mfa, profiles.nickname",
    );
    const bugless = await serve(table);
    const { stdout } = await adminOf(table)('key', 'create', 'ben@bugless.example', '--json');
    const { key } = JSON.parse(stdout);
    const comment = () => bugless.call('POST', '/rest/bug/1/comment', { key, body: { comment: 'x' } });
    expect((await comment()).status).toBe(503);
    // A key that was made here stays, and nothing else differs.
    expect((await runImport(table, source, 'A', '--final')).stdout).toContain(
      '0 replaced, 0 removed, 220 as',
    );
    expect((await serve(table)).call).toBeDefined();
    const open = await serve(table);
    expect((await open.call('POST', '/rest/bug/1/comment', { key, body: { comment: 'x' } })).status).toBe(
      201,
    );
    const again = await runImport(table, source, 'A');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--again')]);
    expect((await runImport(table, source, 'A', '--verify')).code).toBe(1);
    const list = await auditRepository(table).list('', 100);
    expect(list.filter(({ command }) => command.startsWith('import')).length).toBe(3);
  });

  it('needs to know who may see what, and refuses a deployment that shows more', async () => {
    const admin = adminOf(await newTable());
    expect(await admin('import', source.address)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--params FILE, or --param insidergroup='),
    });
    const args = ['import', source.address, '--params', paramsOf('A'), '--timezone', 'UTC'];
    expect(await admin(...args, '--param', 'requirelogin=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('REQUIRE_LOGIN'),
    });
    expect(await admin(...args, '--param', 'insidergroup=others')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Bugzilla's insidergroup is 'others'"),
    });
    expect(await admin(...args, '--timezone', 'EST')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--timezone'),
    });
  });

  it('ends where another one writes the same file', async () => {
    const table = await newTable();
    using _lock = await lockImportFile(`${source.folder}/${table.name}.ndjson`);
    expect(await runImport(table, source, 'A')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Another import writes'),
    });
  });

  it('leaves out who has rights where that is asked for', async () => {
    const table = await newTable();
    const { stderr } = await runImport(table, source, 'A', '--without-rights');
    expect(stderr).toContain('without their members:\n  admin: admin@bugless.example, gone1@example.org\n');
    const { stdout } = await adminOf(table)('user', 'list', '--json');
    const all: { login: string; groups: string[] }[] = JSON.parse(stdout);
    expect(all.find(({ login }) => login === 'admin@bugless.example')?.groups).not.toContain('admin');
  });
});

it.each([
  [
    '4.4',
    `ALTER TABLE bugs ADD COLUMN alias TEXT; UPDATE bugs SET alias = (SELECT MIN(alias) FROM bugs_aliases WHERE bugs_aliases.bug_id = bugs.bug_id);
       ${['bugs_aliases', 'bug_user_last_visit', 'email_bug_ignore', 'longdescs_tags', 'longdescs_tags_activity', 'user_api_keys'].map((table) => `DROP TABLE ${table};`).join('')}`,
    { aliases: 1, login: 'plain@example.org' },
  ],
  [
    '5.1',
    `ALTER TABLE profiles ADD COLUMN email TEXT; UPDATE profiles SET email = login_name;
       UPDATE profiles SET login_name = 'plain' WHERE login_name = 'plain@example.org';
       ALTER TABLE keyworddefs ADD COLUMN is_active INTEGER; ALTER TABLE longdescs ADD COLUMN is_markdown INTEGER;
       ALTER TABLE user_api_keys ADD COLUMN app_id TEXT; CREATE TABLE email_rates (id INTEGER)`,
    { aliases: 3, login: 'plain@example.org' },
  ],
])('the schema of %s is read, and what it lacks is empty', async (_, change, { aliases, login }) => {
  const other = writableSource();
  other.database.exec(change);
  const table = await newTable();
  const { code, stdout } = await runImport(table, other, 'A', '--final');
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('email_rates')]);
  expect((await runImport(table, other, 'A', '--verify')).code).toBe(0);
  const { call } = await serve(table);
  const { body } = await call('GET', '/rest/bug/6?include_fields=alias');
  expect(body.bugs[0].alias.length).toBe(aliases);
  expect((await adminOf(table)('key', 'create', login)).code).toBe(0);
});
