import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { IMPORTED } from '../../lib/people/schema.ts';
import { adminOf, runAdmin } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { fileFor, importedTable, importInto, shortCatalogue } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';

describe('npm run admin -- import', () => {
  it('prints what was copied and what was not, without the API key', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const environment = {
      TABLE_NAME: table.name,
      DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
      BUGZILLA_API_KEY: keys.admin,
    };
    const args = [
      'import',
      `${bugzilla.url}/rest/`,
      '--rate',
      '500',
      '--product',
      'Alpha',
      '--product',
      'Secret',
      '--keep',
      fileFor(table),
    ];
    const { code, stdout, stderr } = await runAdmin(args, environment);
    expect(code).toBe(0);
    expect(stdout).toContain(`From Bugzilla 5.2+ at ${bugzilla.url}, as admin@example.com sees it, with `);
    expect(stdout).toContain('products: 2 added, 0 changed, 0 unchanged\nbugs: 4 added');
    expect(stdout).toContain(`The catalogue is in ${fileFor(table)}`);
    expect(stdout).toContain("2 products with inferred access:\n  product 'Secret': ");
    expect(stdout).toContain('Not copied:\n  API keys and passwords');
    // Neither bars nor lines in less than a minute.
    expect(stderr).toBe(`Asking ${bugzilla.url}\n`);
    expect(stdout + stderr).not.toContain(keys.admin);

    const again = await runAdmin([...args, '--json'], environment);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      unchangedBugs: 4,
      summary: { products: { unchanged: 2 } },
    });
  });

  it('prints an error and exits with code 1', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const admin = adminOf(await newTable());
    const wrong = await admin('import', bugzilla.url, '--key', keys.unknown);
    expect(wrong).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Asking ${bugzilla.url}\n${bugzilla.url} refuses the API key: it is wrong, or revoked\n`,
    });
    bugzilla.decide = () => 'cut';
    const cut = await admin('import', '--public', bugzilla.url);
    expect(cut).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${bugzilla.url} does not answer`),
    });
  });
});

describe('an import that is interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s says how to go on, and goes on', async (signal, exitCode) => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue(9));
    const table = await newTable();
    const environment = {
      TABLE_NAME: table.name,
      DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
      BUGZILLA_API_KEY: keys.admin,
    };
    const args = ['import', bugzilla.url, '--rate', '500', '--product', 'Alpha', '--keep', fileFor(table)];
    let child: ChildProcess | undefined;
    let bugs = 0;
    bugzilla.decide = ({ target }) => {
      if (!target.includes('/comment')) return 'answer';
      bugs += 1;
      // The first ones are complete, and in the file.
      if (bugs === 5) child?.kill(signal);
      return bugs > 4 ? 'hang' : 'answer';
    };
    const { code, stdout, stderr } = await runAdmin(args, environment, {
      onStart: (started) => {
        child = started;
      },
    });
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toBe(
      `Asking ${bugzilla.url}\nInterrupted. Run the same command again: it goes on where it ended. ` +
        `What was read is in ${fileFor(table)}.\n`,
    );
    bugzilla.decide = () => 'answer';
    bugzilla.requests.length = 0;
    const again = await runAdmin(args, environment);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('bugs: 6 added')]);
    expect(bugzilla.requests.filter(({ target }) => target.includes('/comment'))).toHaveLength(2);
  });
});

describe('the users of an import', () => {
  it('are added under their ids, and cannot log in before they get a key', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const admin = adminOf(table);
    // Takes an id that a user of the source has.
    await admin('user', 'add', 'admin@example.net');
    await importInto(table, bugzilla.url, { products: ['Closed'] });
    const accounts = accountRepository(table);
    const users = new Map((await accounts.listUsers()).map((user) => [user.login, user]));
    expect(users.get('user@example.com')).toEqual({
      ...{ id: 2, login: 'user@example.com', real_name: 'Ursula User' },
      ...{ groups: ['bz_canusewhines'], disabled: IMPORTED },
    });
    expect(users.get('admin@example.com')?.id).not.toBe(1);
    await expectNoViolations(table);

    await admin('user', 'change', 'user@example.com', '--name', '=Formula, "quoted"');
    const { code, stdout } = await admin('key', 'create', '--all');
    expect(code).toBe(0);
    const line = stdout.split('\n').find((one) => one.startsWith('user@example.com'));
    const [, key = ''] = /^user@example\.com,"'=Formula, ""quoted""",(\w+)$/.exec(line ?? '') ?? [];
    const { call } = await serve(table);
    expect((await call('GET', '/rest/whoami', { key })).body.name).toBe('user@example.com');
    expect((await admin('key', 'create', '--all')).stdout).toBe('');
  });

  it('stay as they are when the import is repeated', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const options = { products: ['Closed'] };
    const table = await importedTable(bugzilla, options);
    const admin = adminOf(table);
    await admin('key', 'create', 'user@example.com');
    await admin('user', 'change', 'user@example.com', '--name', 'Renamed');
    await importInto(table, bugzilla.url, { ...options, everything: true });
    const account = await accountRepository(table).read('user@example.com');
    expect([account?.user.real_name, account?.user.disabled]).toEqual(['Renamed', undefined]);
  });
});

describe('an import that cannot begin', () => {
  it('is refused without a key, unless only public data is wanted', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const { code, stderr } = await adminOf(await newTable())('import', bugzilla.url);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--public')]);
    expect(bugzilla.requests).toEqual([]);
  });

  it.each([
    ['a web page', { status: 200, body: '<html>Welcome</html>' }, 'has no REST interface', 'a web page'],
    ['no such page', { status: 404, body: '<html>Not found</html>' }, 'since version 5.0', 'a web page'],
    ['an error of the server', { status: 500, body: 'oops' }, 'Look into the log of its web server', '500'],
  ])('says what to do about %s', async (_, response, ...texts) => {
    const source = await startSource(response);
    const { code, stderr } = await adminOf(await newTable())('import', '--public', source.url);
    await source.stop();
    expect(code).toBe(1);
    for (const text of texts) expect(stderr).toContain(text);
  });
});

/** A server that responds to everything in one way. */
const startSource = ({ status, body }: { status: number; body: string }) =>
  listen(createServer((_, response) => response.writeHead(status).end(body)));
