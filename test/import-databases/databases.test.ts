import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runImport, sqliteSource, temporaryFolder } from '../import/source.ts';
import { adminOf, runAdmin, spawnAdminInTerminal } from '../support/admin.ts';
import { afterFile } from '../support/after-file.ts';
import { newTable } from '../support/bugless.ts';
import { missingMariadb, missingPostgres, startMariadb, startPostgres } from '../support/database-servers.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { exported } from '../support/exported.ts';
import { type Evening, paramsOf, recordedFile } from '../support/recorded-databases.ts';
import { TLS } from '../support/tls-certificate.ts';

/** What an import from SQLite makes of an evening. */
async function fromSqlite(evening: Evening): Promise<string[]> {
  const source = sqliteSource();
  source.become(evening);
  const table = await newTable();
  expect((await runImport(table, source, evening)).code).toBe(0);
  return linesOf(await exported(table));
}

/** Forwards a port to the socket of a server, as long as `accepts` what the server sends. */
async function forwardTo({ address }: { address: string }, accepts = (_data: Buffer): boolean => true) {
  const socket = new URL(address).searchParams.get('socket') ?? '';
  const line = createServer((client) => {
    const upstream = connect(socket);
    client.on('error', () => upstream.destroy()).pipe(upstream);
    upstream
      .on('error', () => client.destroy())
      .on('end', () => client.end())
      .on('data', (data: Buffer) => (accepts(data) ? client.write(data) : client.destroy()));
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  return { line, port: z.object({ port: z.number() }).parse(line.address()).port };
}

/** Zero dates are 1901 in SQLite and PostgreSQL. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !/"id":1010,/.test(line))
    .sort();

describe.skipIf(missingMariadb !== '')('with MariaDB', () => {
  const folder = temporaryFolder();
  const server = startMariadb();
  afterFile(async () => (await server).stop());
  const sourceOf = async (database: string) => ({ address: (await server).address(database), folder });

  it.each<Evening>(['A', 'B'])('an import of %s is that from SQLite', async (evening) => {
    (await server).load(evening, recordedFile(`${evening}.sql`));
    const table = await newTable();
    const result = await runImport(table, await sourceOf(evening), evening);
    expect([result.code, result.stderr.includes('TestPassw0rd')]).toEqual([0, false]);
    expect(linesOf(await exported(table))).toEqual(await fromSqlite(evening));
    expect((await runImport(table, await sourceOf(evening), evening, '--verify')).code).toBe(0);
  });

  it('an old installation with other encodings, of a server in New York, and of one that requires login', async () => {
    (await server).load('C', recordedFile('C.sql'));
    const table = await newTable();
    const { address } = await sourceOf('C');
    const args = ['import', address, '--params', paramsOf('C'), '--keep', join(folder, 'c.ndjson')];
    const run = (...more: string[]) => adminOf(table)(...args, '--timezone', 'America/New_York', ...more);
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('REQUIRE_LOGIN') });
    process.env['REQUIRE_LOGIN'] = 'true';
    process.env['INSIDER_GROUP'] = 'insider-people';
    try {
      const { code, stdout } = await run();
      expect([code, stdout]).toEqual([0, expect.stringContaining('times that the clock skipped')]);
      expect((await run('--verify')).code).toBe(0);
    } finally {
      delete process.env['REQUIRE_LOGIN'];
      delete process.env['INSIDER_GROUP'];
    }
    const bugs = linesOf(await exported(table));
    expect(bugs.find((line) => line.startsWith('{"bug":{"id":187,'))).toContain('06:30:00Z');
    expect(bugs.find((line) => line.startsWith('{"bug":{"id":186,'))).toContain('T07:00:00Z');
  });

  it('a lost connection ends in words, and the repeated run goes on', async () => {
    (await server).load('lost', recordedFile('A.sql'));
    const table = await newTable();
    const { address } = await sourceOf('lost');
    const wrong = address.replace('/lost', '/nowhere');
    expect(await runImport(table, { address: wrong, folder }, 'A')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read: Unknown database'),
    });
    // A line that is cut in the middle of what the database sends.
    let left = 300_000;
    const { line, port } = await forwardTo(await sourceOf('lost'), (data) => {
      left -= data.length;
      return left >= 0;
    });
    const there = { address: `mysql://root@127.0.0.1:${port}/lost`, folder };
    const cut = await runImport(table, there, 'A');
    expect(left).toBeLessThan(0);
    expect([cut.code, cut.stderr.trim().split('\n').at(-1)]).toEqual([
      2,
      expect.stringContaining('cannot be read: '),
    ]);
    left = Number.POSITIVE_INFINITY;
    expect((await runImport(table, there, 'A')).code).toBe(0);
    expect((await runImport(table, there, 'A', '--verify')).code).toBe(0);
    line.close();
  });

  it('reads by TLS with a password that is asked for, and shows it nowhere', async () => {
    (await server).load('tls', recordedFile('A.sql'));
    const password = 'p@ss "word';
    (await server).load(
      'tls',
      `CREATE USER reader@localhost IDENTIFIED BY '${password}' REQUIRE SSL; GRANT SELECT ON tls.* TO reader@localhost`,
    );
    const { line, port } = await forwardTo(await sourceOf('tls'));
    const table = await newTable();
    const certificate = join(folder, 'certificate.pem');
    writeFileSync(certificate, TLS.cert);
    const file = join(folder, 'tls.ndjson');
    const run = async (host: string, options: string, environment: NodeJS.ProcessEnv) => {
      const args = ['import', `mysql://reader@${host}:${port}/tls${options}`, '--params', paramsOf('A')];
      const child = spawnAdminInTerminal([...args, '--timezone', 'UTC', '--keep', file], {
        ...{ TABLE_NAME: table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() },
        ...environment,
      });
      let shown = '';
      child.stdout.setEncoding('utf8').on('data', (data: string) => {
        shown += data;
        if (data.includes('Password of reader: ')) child.stdin.write(`${password}\n`);
      });
      const [code] = await once(child, 'close');
      expect(shown).not.toContain(password);
      return { code, shown };
    };
    const trusted = { NODE_EXTRA_CA_CERTS: certificate };
    expect(await run('localhost', '', trusted)).toMatchObject({
      shown: expect.stringContaining('Access denied'),
    });
    expect(await run('localhost', '?ssl=true', {})).toMatchObject({
      shown: expect.stringMatching(/self.signed certificate/),
    });
    const { code, shown } = await run('localhost', '?ssl=true', trusted);
    expect([code, shown]).toEqual([0, expect.stringMatching(/bugs: 220 /)]);
    expect(await readFile(file, 'utf8')).not.toContain(password);
    line.close();
  });

  it("another program's database ends in one line", async () => {
    (await server).load('other', 'CREATE TABLE pages (id INT)');
    const { address } = await sourceOf('other');
    const environment = { TABLE_NAME: (await newTable()).name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
    // As a process, which ends only when the connection does.
    const result = await runAdmin(['import', address, '--params', paramsOf('A')], environment, {});
    expect([result.code, result.stderr.trim().split('\n')]).toEqual([
      2,
      [expect.stringContaining('is no database of a Bugzilla')],
    ]);
  });
});

describe.skipIf(missingPostgres !== '')('with PostgreSQL', () => {
  it('an import of A is that from SQLite', async () => {
    const server = await startPostgres();
    afterFile(server.stop);
    server.load('a', recordedFile('A.pg.sql'));
    const source = { address: server.address('a'), folder: temporaryFolder() };
    const table = await newTable();
    expect(await runImport(table, source, 'A')).toMatchObject({ code: 0 });
    expect(linesOf(await exported(table))).toEqual(await fromSqlite('A'));
    expect((await runImport(table, source, 'A', '--verify')).code).toBe(0);
  });
});

it.runIf(missingMariadb !== '' || missingPostgres !== '')(
  'says how to install what is missing',
  (context) => {
    context.skip([missingMariadb, missingPostgres].filter((one) => one !== '').join('; '));
  },
);

it('a truncated file ends in words', async () => {
  const source = sqliteSource();
  const whole = recordedFile('A.sqlite');
  writeFileSync(source.path, whole.subarray(0, 1_500_000));
  const table = await newTable();
  const { code, stderr } = await runImport(table, source, 'A');
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be read: ')]);
  writeFileSync(source.path, whole);
  expect((await runImport(table, source, 'A')).code).toBe(0);
  expect((await runImport(table, source, 'A', '--verify')).code).toBe(0);
});
