import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseDatabase } from '../../infra/local/database/database.ts';
import { hasJava } from '../../infra/local/database/dynamodb-local.ts';
import { embeddedBinary } from '../../infra/local/database/embedded.ts';
import { listen } from '../../infra/local/listen.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { runAdmin } from '../support/admin.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { challengeOf } from '../support/sign-in.ts';
import {
  childrenOf,
  inNewFolder,
  runs,
  type Started,
  start,
  startWithNpm,
} from '../support/start-process.ts';

const started: Started[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) {
    if (one.child.exitCode === null) one.child.kill('SIGTERM');
    await one.ended();
  }
});

function startIt(args: string[], environment?: NodeJS.ProcessEnv, folder?: string): Started {
  const one = start(args, environment, folder);
  started.push(one);
  return one;
}

const ADMIN_KEY = 'AdminDemoKey0000000000000000000000000000';
const BARE = ['--port', '0', '--memory', '--empty'];

/** The databases that `npm start` can start on this machine, with the name of their process. */
const DATABASES = [
  { database: 'embedded', process: 'dynoxide', isThere: embeddedBinary() !== undefined },
  { database: 'dynamodb-local', process: 'java', isThere: hasJava() },
].filter(({ isThere }) => isThere);

/** `npm test` uses the first, `test:long` each. */
const SOME_DATABASES = process.env['RUNS'] === undefined ? DATABASES.slice(0, 1) : DATABASES;

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

describe.each(SOME_DATABASES)('the data of one --database $database', ({ database }) => {
  const kept = ['--port', '0', '--empty', '--quiet', '--database', database];

  it('is used by one npm start at a time, which npm run admin finds', () =>
    inNewFolder(async (folder) => {
      const one = startIt(kept, {}, folder);
      await one.ready();
      const announced = () => readFileSync(join(folder, '.local/service.json'), 'utf8');
      const before = announced();
      const second = startIt(kept, {}, folder);
      expect(await second.ended()).toBe(1);
      expect(second.stderr).toMatch(/^Another npm start uses the data in .*\. Stop it, or keep no data/);
      const third = startIt([...BARE, '--database', database], {}, folder);
      await third.ready();
      expect(third.stdout).toContain('npm run admin uses the service that was started before in this folder');
      third.child.kill('SIGTERM');
      await third.ended();
      expect(announced()).toBe(before);
      one.child.kill('SIGTERM');
      await one.ended();
      await startIt(kept, {}, folder).ready();
    }));

  const rounds = Math.min(60, Math.ceil(Number(process.env['RUNS'] ?? 20) / 10));
  it('is used by one of three that start at once after one was killed', { timeout: rounds * 60_000 }, () =>
    inNewFolder(async (folder) => {
      let before = startIt(kept, {}, folder);
      for (let round = 1; round <= rounds; round += 1) {
        await before.ready();
        before.child.kill('SIGKILL');
        const three = [1, 2, 3].map(() => startIt(kept, {}, folder));
        const outcomes = await Promise.all(
          three.map((one) => Promise.race([one.ended(), one.ready().catch(() => 1)])),
        );
        expect(outcomes.filter((outcome) => outcome !== 1)).toEqual([expect.stringMatching(/^http/)]);
        const refused = three.filter((_, at) => outcomes[at] === 1).map(({ stderr }) => stderr);
        expect(refused).toEqual([1, 2].map(() => expect.stringContaining('Another npm start uses the data')));
        before = three.find((_, at) => outcomes[at] !== 1) ?? before;
      }
    }),
  );
});

describe.each(SOME_DATABASES)('the data of --database $database', ({ database }) => {
  const kept = ['--port', '0', '--empty', '--quiet', '--database', database];
  const file = database === 'embedded' ? 'embedded/bugless.sqlite' : 'dynamodb/shared-local-instance.db';

  it('is not replaced where its file was emptied', () =>
    inNewFolder(async (folder) => {
      const one = startIt(kept, {}, folder);
      await one.ready();
      one.child.kill('SIGTERM');
      await one.ended();
      writeFileSync(join(folder, '.local', file), '');
      const again = startIt(kept, {}, folder);
      expect(await again.ended()).toBe(1);
      expect(again.stderr).toContain(`${file} is empty: its data is lost. Restore it from a backup`);
      expect(readFileSync(join(folder, '.local', file), 'utf8')).toBe('');
    }));
});

describe('npm run admin in the folder of npm start', () => {
  it('uses its table, and its names of the groups that give rights', () =>
    inNewFolder(async (folder) => {
      await startIt(BARE, { INSIDER_GROUP: 'wizards' }, folder).ready();
      const add = (group: string) =>
        runAdmin(['user', 'add', `${group}@example.com`, '--group', group], {}, { folder });
      expect((await add('wizards')).stdout).toContain('[wizards]');
      expect((await add('insiders')).stderr).toContain("There is no group 'insiders'");
    }));

  it('says that none runs where its process is another one by now, which the next npm start replaces', () =>
    inNewFolder(async (folder) => {
      const gone = await listen(createHttpServer());
      await gone.stop();
      const file = join(folder, '.local/service.json');
      mkdirSync(join(folder, '.local'));
      const left = { pid: process.pid, url: gone.url, endpoint: gone.url, table: 'bugless' };
      writeFileSync(file, JSON.stringify(left));
      const { code, stderr } = await runAdmin(['user', 'list'], {}, { folder });
      expect([code, stderr]).toEqual([1, expect.stringContaining('no npm start runs in this folder')]);
      const url = await startIt(BARE, {}, folder).ready();
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url });
    }));

  it.each([[], ['--events']])(
    'invites who has no key, who then signs in by mail: npm start %s',
    (...events) =>
      inNewFolder(async (folder) => {
        const one = startIt([...BARE, ...events], {}, folder);
        const url = await one.ready();
        await runAdmin(['user', 'add', 'ann@example.com'], {}, { folder });
        const invited = await runAdmin(['key', 'create', '--all', '--send'], {}, { folder });
        expect(invited.stdout.trim()).toBe('ann@example.com');
        const printed = async (pattern: RegExp) => {
          while (!pattern.test(one.stdout)) await once(one.child.stdout ?? one.child, 'data');
          return pattern.exec(one.stdout)?.[1] ?? '';
        };
        await printed(/^mail {2}ann@example.com {2}.*-invitation-/m);
        const post = async (path: string, body: object) => {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
          return (await response.json()) as { login?: string };
        };
        const verifier = 'x'.repeat(40);
        await post('/rest/bugless/sign_in', { login: 'ann@example.com', challenge: challengeOf(verifier) });
        const code = await printed(/^sign in as ann@example.com: http\S+\/#sign-in=(\w+)\./m);
        expect((await post('/rest/bugless/session', { code, verifier })).login).toBe('ann@example.com');
      }),
  );
});

const comment = (url: string) =>
  fetch(`${url}/rest/bug/1/comment`, {
    method: 'POST',
    headers: { 'x-bugzilla-api-key': ADMIN_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ comment: 'Seen?' }),
  });

describe.each(SOME_DATABASES)('events with --database $database', ({ database }) => {
  it('go to the webhooks of the command line, again until they are accepted, and mails into files', () =>
    inNewFolder(async (folder) => {
      const bodies: string[] = [];
      const received = Promise.withResolvers<void>();
      const receiver = createHttpServer(async (request, response) => {
        bodies.push(await text(request));
        response.writeHead(bodies.length === 1 ? 503 : 204).end();
        if (bodies.length === 2) received.resolve();
      });
      const { url: hook, stop } = await listen(receiver);
      try {
        const one = startIt(['--port', '0', '--database', database, '--webhook', `${hook}/x`], {}, folder);
        await comment(await one.ready());
        await received.promise;
        const [body = '', again] = bodies;
        expect(JSON.parse(body)).toMatchObject({
          ...{ webhook_id: 1, webhook_name: 'local-1' },
          ...{ event: { routing_key: 'comment.create' }, bug: { id: 1, comment: { body: 'Seen?' } } },
        });
        expect(again).toBe(body);
        await vi.waitFor(() => expect(one.stdout.match(/^mail {2}.*$/gm)?.length).toBe(2), {
          timeout: 60_000,
        });
        expect(one.stdout).toMatch(/^event {2}bug 1 {2}comment\.create$/m);
        const file = /^mail {2}dev@bugless\.example {2}(\S+)$/m.exec(one.stdout)?.[1] ?? '';
        expect(readFileSync(join(folder, file), 'utf8')).toContain('--- Comment #4 from Ada Admin');
      } finally {
        await stop();
      }
    }));

  it('of what was written just before a stop are sent after the next start', () =>
    inNewFolder(async (folder) => {
      const bodies: string[] = [];
      const received = Promise.withResolvers<void>();
      const receiver = createHttpServer(async (request, response) => {
        bodies.push(await text(request));
        response.writeHead(204).end();
        if (bodies.some((body) => body.includes('"Seen?"'))) received.resolve();
      });
      const { url: hook, stop } = await listen(receiver);
      try {
        const args = ['--port', '0', '--database', database, '--webhook', hook];
        const one = startIt(args, {}, folder);
        expect((await comment(await one.ready())).status).toBe(201);
        one.child.kill('SIGTERM');
        expect(await one.ended()).toBe(0);
        const two = startIt(args, {}, folder);
        await two.ready();
        await received.promise;
        two.child.kill('SIGTERM');
        await two.ended();
      } finally {
        await stop();
      }
    }));
});

describe.each(SOME_DATABASES)('events, with --database $database', ({ database }) => {
  it('are taken from the service itself only', () =>
    inNewFolder(async (folder) => {
      const one = startIt(['--port', '0', '--memory', '--events', '--database', database], {}, folder);
      await one.ready();
      const { bus } = JSON.parse(readFileSync(join(folder, '.local/service.json'), 'utf8'));
      const headers = {
        ...{ 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' },
      };
      const entry = { Source: 'other', DetailType: 'x', EventBusName: 'local' };
      const detail = { id: '1', revision: 1, event: { routing_key: 'x' }, bug: { id: 1 } };
      const body = JSON.stringify({ Entries: [{ ...entry, Detail: JSON.stringify(detail) }] });
      const put = async (url: string, changed: Record<string, string>) =>
        (await fetch(url, { method: 'POST', headers: { ...headers, ...changed }, body })).status;
      expect(await put(bus, {})).toBe(200);
      expect(await put(new URL('/', bus).href, {})).toBe(403);
      expect(await put(bus, { origin: 'https://evil.example' })).toBe(403);
      expect(await put(bus, { 'content-type': 'text/plain' })).toBe(403);
      expect(await put(bus, { 'x-amz-target': 'AWSEvents.ListRules' })).toBe(403);
    }));

  it('of a wrong token are sent once, with the header of the command line; the webhook is listed', () =>
    inNewFolder(async (folder) => {
      const given: unknown[] = [];
      const receiver = createHttpServer(async (request, response) => {
        given.push(request.headers['x-api-key']);
        response.writeHead(401).end();
      });
      const { url: hook, stop } = await listen(receiver);
      try {
        const header = ['--webhook', `${hook}/x`, '--webhook-header', 'X-Api-Key: wrong token'];
        const one = startIt(['--port', '0', '--memory', '--database', database, ...header], {}, folder);
        const url = await one.ready();
        await comment(url);
        await vi.waitFor(() => expect(one.stdout).toMatch(/^webhook {2}local-1 .* 401 /m), {
          timeout: 60_000,
        });
        one.child.kill('SIGTERM');
        expect(await one.ended()).toBe(0);
        expect(given).toEqual(['wrong token']);
      } finally {
        await stop();
      }
    }));

  it('are off without --events, --webhook or a stage file, which a line says', async () => {
    const one = startIt(['--port', '0', '--memory', '--database', database]);
    const url = await one.ready();
    expect((await comment(url)).status).toBe(201);
    const list = await fetch(`${url}/rest/webhooks/list`, { headers: { 'x-bugzilla-api-key': ADMIN_KEY } });
    expect(await list.json()).toEqual({ webhooks: [] });
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
    expect(one.stdout).toMatch(/^Events, webhooks and mails: off; npm start -- --events turns them on/m);
    expect(one.stdout).not.toMatch(/^(event|mail) {2}/m);
  });

  it('are printed nowhere when it is quiet', async () => {
    const one = startIt(['--port', '0', '--memory', '--events', '--quiet', '--database', database]);
    expect((await comment(await one.ready())).status).toBe(201);
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
    expect([one.stdout.split('\n').length, one.stderr]).toEqual([2, '']);
  });
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

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'with --workers serves one port by several processes, which %s ends',
    async (signal) => {
      const one = startIt(['--port', '0', '--memory', '--workers', '2']);
      const url = await one.ready();
      const workers = childrenOf(one).filter(({ command }) => !/guard|dynoxide|java/.test(command));
      expect(workers).toHaveLength(2);
      const create = (name: string) =>
        fetch(`${url}/rest/bug/2/comment`, {
          method: 'POST',
          // A connection each, which the workers get in turn.
          headers: {
            connection: 'close',
            'x-bugzilla-api-key': ADMIN_KEY,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ comment: name }),
        });
      const answers = await Promise.all(['one', 'two', 'three', 'four'].map(create));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      one.child.kill(signal);
      expect(await one.ended()).toBe(0);
      expect(workers.filter(({ pid }) => runs(pid))).toEqual([]);
      await expect(fetch(url)).rejects.toThrow();
    },
  );

  it.skipIf(embeddedBinary() === undefined)(
    'needs no Java where the embedded database is installed',
    async () => {
      const one = startIt(BARE, { PATH: '/nowhere' });
      await one.ready();
      expect(one.stdout).toMatch(/^Database: embedded \(Dynoxide\), in memory\n/);
    },
  );
});

describe('the database', () => {
  it.each([
    [undefined, undefined, true, 'embedded'],
    [undefined, undefined, false, 'dynamodb-local'],
    [undefined, '', false, 'dynamodb-local'],
    [undefined, 'http://db:8000', true, 'http://db:8000'],
    ['http://other:1', 'http://db:8000', true, 'http://other:1'],
    ['dynamodb-local', 'http://db:8000', true, 'dynamodb-local'],
    ['embedded', undefined, false, 'embedded'],
  ])(
    'for --database %s, DYNAMODB_ENDPOINT %s, embedded installed: %s is %j',
    (option, endpoint, installed, choice) => {
      expect(chooseDatabase(option, endpoint, installed)).toEqual(choice);
    },
  );
});

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
    [
      [['--prot', '1'], '--prot'],
      [['--port', '65536'], "'65536'"],
      [['--port', 'x'], "'x'"],
      [['--port'], '--port'],
      [['3001'], 'too many arguments'],
      [['--empty', '--catalog', 'x'], '--catalog'],
      [['--database', 'mysql'], "'mysql'"],
      [['--workers', '0'], "'0'"],
      [['--workers', '2', '--bundled'], '--bundled'],
    ].filter((_, index) => process.env['RUNS'] !== undefined || index % 3 === 0) as [string[], string][],
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
