import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { chooseDatabase } from '../../infra/local/database/database.ts';
import { embeddedBinary } from '../../infra/local/database/embedded.ts';
import { openTable } from '../../lib/table/client.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { BARE, comment, SOME_DATABASES, useNpmStart } from '../support/npm-start.ts';
import { sample } from '../support/sample.ts';
import { childrenOf, inNewFolder, runs, type Started, startWithNpm } from '../support/start-process.ts';

const { started, startIt } = useNpmStart();

describe.each(SOME_DATABASES)('npm start -- --database $database', ({ database, process: processName }) => {
  const bare = [...BARE, '--database', database];

  /** Ends it by a signal, after which nothing of it runs. */
  async function end(one: Started, signal: NodeJS.Signals): Promise<void> {
    const url = await one.ready();
    const servers = childrenOf(one).filter(({ command }) => command.includes(processName));
    expect(servers).toHaveLength(1);
    one.child.kill(signal);
    expect(await one.ended()).toBe(0);
    expect(servers.filter(({ pid }) => runs(pid))).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
  }

  const server = (one: Started) =>
    childrenOf(one).find(({ command }) => command.includes(processName))?.pid ?? 0;

  it('starts its database again on the same data when it ends, and takes it along when it is killed itself', () =>
    inNewFolder(async (folder) => {
      const one = startIt(['--port', '0', '--events', '--quiet', '--database', database], {}, folder);
      const url = await one.ready();
      expect((await comment(url)).status).toBe(201);
      process.kill(server(one), 'SIGKILL');
      const answer = await fetch(`${url}/rest/bug/1/comment`);
      expect(answer.status).toBe(200);
      // DynamoDB Local writes its file a moment after it has responded.
      expect(await answer.text()).toContain(database === 'embedded' ? 'Seen?' : '"count":0');
      // A line about the stream may follow.
      expect(one.stderr.match(/^The database ended.*$/gm)).toEqual([
        'The database ended (signal SIGKILL). It is started again on the same data.',
      ]);
      const children = childrenOf(one);
      expect(children.map(({ command }) => command)).toContainEqual(expect.stringContaining(processName));
      one.child.kill('SIGKILL');
      await vi.waitFor(() => expect(children.filter(({ pid }) => runs(pid))).toEqual([]), {
        timeout: 60_000,
      });
    }));

  it('ends with its database where the data was in memory, and says so', async () => {
    const one = startIt(bare);
    await one.ready();
    process.kill(server(one), 'SIGKILL');
    expect(await one.ended()).toBe(1);
    expect(one.stderr).toBe(
      'The database ended, and with it its data, which was in memory only: signal SIGKILL\n',
    );
  });

  it('stops its processes when a signal arrives before it is ready', async () => {
    const one = startIt(bare);
    while (childrenOf(one).length === 0 && one.child.exitCode === null) await sleep(1);
    const children = childrenOf(one);
    one.child.kill('SIGTERM');
    await one.ended();
    await vi.waitFor(() => expect(children.filter(({ pid }) => runs(pid))).toEqual([]), { timeout: 60_000 });
  });

  it.skipIf(!SOME_DATABASES.some((one) => one.database === database))(
    'keeps data in .local/, says so in its first line, gives notice of data of the other database, and leaves no processes',
    () =>
      inNewFolder(async (folder) => {
        const [own, other] = database === 'embedded' ? ['embedded', 'dynamodb'] : ['dynamodb', 'embedded'];
        mkdirSync(join(folder, '.local', other), { recursive: true });
        const catalogue = join(folder, 'catalogue.json');
        writeFileSync(catalogue, JSON.stringify({ classifications: [{ name: 'Server' }], products: [KEPT] }));
        const run = async (args: string[], signal: NodeJS.Signals) => {
          const one = startIt(['--port', '0', '--database', database, ...args], {}, folder);
          const answer = await fetch(`${await one.ready()}/rest/product?type=accessible`);
          const { products } = (await answer.json()) as { products: { name: string }[] };
          await end(one, signal);
          return { names: products.map(({ name }) => name), lines: one.stdout.split('\n') };
        };
        const first = await run(['--catalog', catalogue], 'SIGINT');
        expect(first.names).toEqual(['Kept']);
        expect(first.lines[0]).toMatch(new RegExp(`^Database: .*\\.local/${own}$`));
        expect(first.lines[1]).toContain(`.local/${other}. To use it: npm start -- --database`);
        expect(first.lines).toContainEqual(expect.stringMatching(/curl http:.*\/rest\/version/));
        const second = await run(['--empty'], 'SIGTERM');
        expect(second.names).toEqual(['Kept']);
        // Now both databases have data.
        expect(second.lines.filter((line) => line.includes('To use it'))).toEqual([]);
        expect((await run(['--empty', '--memory'], 'SIGINT')).names).toEqual([]);
      }),
  );
});

describe('npm start', () => {
  it('stops everything when npm gets the signal, and prints only that it is ready when it is quiet', async () => {
    const npm = startWithNpm([...BARE, '--quiet']);
    started.push(npm);
    const url = await npm.ready();
    expect(npm.stdout).toMatch(/^\n> .*\n> .*\n\nready .*\n$/);
    npm.child.kill('SIGTERM');
    await npm.ended();
    await expect(fetch(url)).rejects.toThrow();
  });

  it.skipIf(embeddedBinary() === undefined)(
    'needs no Java where the embedded database is installed',
    async () => {
      const one = startIt(BARE, { PATH: '/nowhere' });
      await one.ready();
      expect(one.stdout).toMatch(/^Database: embedded \(Dynoxide\), in memory\n/);
    },
  );
});

it.each([
  [undefined, undefined, true, 'embedded'],
  [undefined, undefined, false, 'dynamodb-local'],
  [undefined, '', false, 'dynamodb-local'],
  [undefined, 'http://db:8000', true, 'http://db:8000'],
  ['http://other:1', 'http://db:8000', true, 'http://other:1'],
  ['dynamodb-local', 'http://db:8000', true, 'dynamodb-local'],
  ['embedded', undefined, false, 'embedded'],
])(
  'the database for --database %s, DYNAMODB_ENDPOINT %s, embedded installed: %s is %j',
  (option, endpoint, installed, choice) => {
    expect(chooseDatabase(option, endpoint, installed)).toEqual(choice);
  },
);

const KEPT = {
  name: 'Kept',
  description: 'Still there',
  classification: 'Server',
  versions: [{ name: '1' }],
};

describe('npm start with DYNAMODB_ENDPOINT', () => {
  const environment = () => ({ DYNAMODB_ENDPOINT: dynamoDbEndpoint() });
  /** Only table names after this one, because those of all tests do not fit into one page. */
  const tablesAfter = async (name: string) => {
    const { client } = openTable('any', dynamoDbEndpoint());
    return (await client.send(new ListTablesCommand({ ExclusiveStartTableName: name }))).TableNames ?? [];
  };

  it('uses that DynamoDB, and starts none', async () => {
    const TABLE_NAME = `start-${process.pid}`;
    const one = startIt(['--port', '0', '--empty'], { ...environment(), TABLE_NAME });
    const url = await one.ready();
    expect((await fetch(`${url}/rest/product_accessible`)).status).toBe(200);
    expect(childrenOf(one)).toEqual([]);
    expect(await tablesAfter('start')).toContain(TABLE_NAME);
  });

  it('deletes its table with --memory', async () => {
    const TABLE_NAME = `memory-${process.pid}`;
    const one = startIt(BARE, { ...environment(), TABLE_NAME });
    await one.ready();
    const own = (await tablesAfter('memory')).filter((name) => name.startsWith(TABLE_NAME));
    expect(own).toHaveLength(1);
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
    expect(await tablesAfter('memory')).not.toContain(own[0]);
  });

  it('reports an endpoint that does not respond', async () => {
    const one = startIt(BARE, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' });
    expect(await one.ended()).toBe(1);
    expect(one.stderr).toContain('http://127.0.0.1:9');
  });
});

describe('npm start refuses', () => {
  it.each(
    sample<[string[], string]>(
      [
        [['--prot', '1'], '--prot'],
        [['--port', '65536'], "'65536'"],
        [['--port', 'x'], "'x'"],
        [['--port'], '--port'],
        [['3001'], 'too many arguments'],
        [['--empty', '--catalog', 'x'], '--catalog'],
        [['--database', 'mysql'], "'mysql'"],
        [['--events', '--bundled'], '--bundled'],
      ],
      3,
    ),
  )('%j with the usage and exit code 2', async (args, named) => {
    const one = startIt(args);
    expect(await one.ended()).toBe(2);
    expect(one.stderr).toContain(named);
    expect(one.stderr).toContain('Usage: npm start -- [options]');
    expect(one.stdout).toBe('');
  });

  it('a port in use, before it starts anything', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const one = startIt(['--port', String(port), '--memory', '--empty']);
    expect(await one.ended()).toBe(1);
    expect(one.stderr).toContain(`Port ${port} is in use`);
    expect(one.stderr).not.toContain('    at ');
    server.close();
  });

  it('DynamoDB Local without Java, naming the alternatives', async () => {
    const one = startIt([...BARE, '--database', 'dynamodb-local'], { PATH: '/nowhere' });
    expect(await one.ended()).toBe(1);
    expect(one.stderr).toContain('Java 17');
    expect(one.stderr).toContain('--database embedded');
    expect(one.stderr).toContain('DYNAMODB_ENDPOINT=');
    expect(one.stderr).not.toContain('    at ');
  });

  it('to keep data where none can be written, but not to keep none', () =>
    inNewFolder(async (folder) => {
      writeFileSync(join(folder, '.local'), 'This is no folder.');
      const one = startIt(['--port', '0', '--empty', '--quiet'], {}, folder);
      expect(await one.ended()).toBe(1);
      expect(one.stderr).toMatch(/^No data can be kept in .*\. To keep none: npm start -- --memory\n$/);
      const other = startIt(BARE, {}, folder);
      await other.ready();
      expect(other.stdout).toContain(
        '.local/service.json cannot be written: npm run admin needs DYNAMODB_ENDPOINT=',
      );
    }));

  // Root may write anything.
  it.skipIf(process.getuid?.() === 0)('to keep data beside what cannot be written', () =>
    inNewFolder(async (folder) => {
      const data = join(folder, '.local/embedded');
      mkdirSync(data, { recursive: true });
      writeFileSync(join(data, 'bugless.sqlite'), 'data', { mode: 0o444 });
      const one = startIt(['--port', '0', '--quiet', '--database', 'embedded'], {}, folder);
      expect(await one.ended()).toBe(1);
      expect(one.stderr).toMatch(
        /^No data can be kept in .*EACCES.*\. To keep none: npm start -- --memory\n$/,
      );
    }),
  );

  it('data that is damaged, naming the folder', () =>
    inNewFolder(async (folder) => {
      const data = join(folder, '.local/embedded');
      mkdirSync(data, { recursive: true });
      writeFileSync(join(data, 'bugless.sqlite'), 'x'.repeat(10_000));
      const one = startIt(['--port', '0', '--quiet', '--database', 'embedded'], {}, folder);
      expect(await one.ended()).toBe(1);
      expect(one.stderr).toMatch(/Where its data is damaged, restore .*embedded from a backup, or remove it/);
    }));

  it.each([['--events'], ['--webhook', 'http://127.0.0.1:1/'], ['--webhook-header', 'X-Key: a']])(
    'events of bundles, of which the stage decides: %s',
    async (...options) => {
      const one = startIt([...BARE, '--bundled', ...options]);
      expect(await one.ended()).toBe(2);
      expect(one.stderr).toContain("cannot be used with option '--bundled'");
    },
  );

  it('invalid settings, naming each', async () => {
    const one = startIt(BARE, { REQUIRE_LOGIN: 'maybe', DOCUMENTATION_URL: 'x' });
    expect(await one.ended()).toBe(1);
    expect(one.stderr).toMatch(/REQUIRE_LOGIN[\s\S]*DOCUMENTATION_URL/);
  });

  it('an invalid or missing catalogue, naming the place', () =>
    inNewFolder(async (folder) => {
      const catalogue = join(folder, 'catalogue.json');
      writeFileSync(catalogue, JSON.stringify({ users: [{ login: '' }] }));
      const wrong = startIt(['--port', '0', '--memory', '--catalog', catalogue]);
      expect(await wrong.ended()).toBe(1);
      expect(wrong.stderr).toContain('$.users[0].login');
      const absent = startIt(['--port', '0', '--memory', '--catalog', join(folder, 'absent.json')]);
      expect(await absent.ended()).toBe(1);
      expect(absent.stderr).toContain('absent.json');
    }));

  it('nothing with --help', async () => {
    const one = startIt(['--help']);
    expect(await one.ended()).toBe(0);
    expect(one.stdout).toContain('--catalog <FILE>');
  });
});
