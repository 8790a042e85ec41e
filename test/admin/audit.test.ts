import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { audited as auditedRun } from '../../infra/admin/audit/audited.ts';
import { listen } from '../../infra/local/listen.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import type { BugEvent } from '../../lib/changes/events/event.ts';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { readSettings } from '../../lib/settings.ts';
import { adminOf, type CommandResult, runAdmin } from '../support/admin.ts';
import { afterFile } from '../support/after-file.ts';
import { audited } from '../support/audited.ts';
import { type Bugless, newTable, startBugless } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { startBuglessWithEvents } from '../support/events.ts';
import { exported } from '../support/exported.ts';
import { keys } from '../support/keys.ts';
import { inNewFolder } from '../support/start-process.ts';
import { allItems } from '../support/table-items.ts';

const LOCAL = `${userInfo().username}@${hostname()}`;
const DAY_SECONDS = 86_400;

let bugless: Bugless;
let admin: (...args: string[]) => Promise<CommandResult>;
beforeAll(async () => {
  bugless = await startBugless();
  admin = adminOf(bugless.table);
});

/** The entries of the audit log, newest first, of commands that begin so. */
async function entriesOf(command: string, run = admin) {
  const { code, stdout } = await run('audit', '--json');
  expect(code).toBe(0);
  const all: { command: string; changes?: object[] }[] = JSON.parse(stdout);
  return all.filter((entry) => entry.command.startsWith(command));
}

describe('a command that writes', () => {
  it.each<[command: string, args: string[], counts: Record<string, number>]>([
    [
      'group add staff --description "Late shift"',
      ['group', 'add', 'staff', '--description', 'Late shift'],
      { groups: 1 },
    ],
    [
      'user add eve@example.com --group staff',
      ['user', 'add', 'eve@example.com', '--group', 'staff'],
      { users: 1 },
    ],
    [
      'user change eve@example.com --no-mail',
      ['user', 'change', 'eve@example.com', '--no-mail'],
      { users: 1 },
    ],
    ['key create eve@example.com', ['key', 'create', 'eve@example.com'], { keys: 1 }],
    ['check --repair', ['check', '--repair'], {}],
  ])('has an entry: %s', async (command, args, counts) => {
    expect(await admin(...args)).toMatchObject({ code: 0 });
    const entries = (await entriesOf(command)).map(({ changes: _, ...entry }) => entry);
    expect(entries).toEqual([
      {
        ...{ command, counts, state: 'done', who: LOCAL },
        time: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
    ]);
  });

  it('has the values before and after of users, groups and parts of products', async () => {
    await admin('group', 'add', 'night', '--description', 'Night shift');
    await admin('user', 'add', 'zoe@example.com', '--name', 'Zoe');
    const zoo = { product: 'Alpha', name: 'Zoo', description: 'd', default_assignee: 'zoe@example.com' };
    await bugless.call('POST', '/rest/component', { key: keys.admin, body: zoo });
    await admin('user', 'change', 'zoe@example.com', '--disable', 'Left', '--hand-over', 'user@example.com');
    const body = { name: 'Park', is_open: false };
    await bugless.call('PUT', '/rest/component/Alpha/Zoo', { key: keys.admin, body });
    const changesOf = async (name: string) =>
      (await audited(bugless.table, name)).map(([, ...changes]) => changes);
    expect(await changesOf('night')).toEqual([['group night: description "Night shift", is_active "1"']]);
    expect(await changesOf('zoe@example.com')).toEqual([
      ['user zoe@example.com: full_name "Zoe"'],
      [
        'user zoe@example.com: is_enabled "1" → "0", login_denied_text "Left"',
        'component Alpha / Zoo: default_assignee "zoe@example.com" → "user@example.com"',
      ],
    ]);
    expect(await changesOf('Alpha / Park')).toEqual([
      ['component Alpha / Park: is_open "1" → "0", name "Zoo" → "Park"'],
    ]);
    expect((await admin('audit', '--of', 'alpha / zoo')).stdout).toContain('name "Zoo" → "Park"');
  });

  it('has an entry for a revoked key, with the beginning of its hash', async () => {
    const { stdout } = await admin('key', 'list', 'eve@example.com', '--json');
    const [{ hash }] = JSON.parse(stdout);
    await admin('key', 'revoke', 'eve@example.com', hash.slice(0, 8));
    expect(await entriesOf('key revoke')).toMatchObject([
      { command: `key revoke eve@example.com ${hash.slice(0, 8)}`, counts: { keys: 1 } },
    ]);
  });

  it('has an entry for an applied file, with what it added and changed', () =>
    inNewFolder(async (folder) => {
      const file = join(folder, 'catalogue.json');
      await writeFile(
        file,
        JSON.stringify({ users: [{ login: 'new@example.com' }], groups: [{ name: 'g' }] }),
      );
      await admin('apply', file);
      expect(await entriesOf('apply')).toMatchObject([
        { command: `apply ${file}`, counts: { 'users added': 1, 'groups added': 1 } },
      ]);
    }));

  it('has an entry for a replay, with the number of events', async () => {
    const { table, bus, call, take } = await startBuglessWithEvents();
    await call('POST', '/rest/bug/1/comment', { key: keys.admin, body: { comment: 'More' } });
    const [detail] = (await take(1)).map((event) => event.detail as BugEvent);
    process.env['EVENT_BUS_NAME'] = 'test';
    process.env['EVENTS_ENDPOINT'] = bus;
    const run = adminOf(table);
    try {
      const replayed = await run('events', 'replay', '--since', detail?.event.time ?? '');
      expect(replayed).toMatchObject({ code: 0, stdout: 'Sent 1 events\n' });
    } finally {
      delete process.env['EVENT_BUS_NAME'];
      delete process.env['EVENTS_ENDPOINT'];
    }
    expect(await entriesOf('events replay', run)).toMatchObject([{ counts: { events: 1 } }]);
  });

  it('that fails has an entry that says so', async () => {
    expect(await admin('key', 'create', 'nobody@example.com')).toMatchObject({ code: 2 });
    expect(await entriesOf('key create nobody')).toMatchObject([{ state: 'failed' }]);
    expect((await entriesOf('key create nobody'))[0]).not.toHaveProperty('counts');
  });

  it('that is interrupted has an entry that says that it began', async () => {
    const settings = readSettings({ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() });
    const context = { table: bugless.table, settings, command: 'apply interrupted.json' };
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    void auditedRun(context, () => {
      begin();
      return new Promise<void>(() => undefined);
    });
    await begun;
    expect(await entriesOf('apply interrupted.json')).toMatchObject([{ state: 'begun' }]);
  });

  it('with many arguments has an entry of at most 1,000 characters', async () => {
    const groups = Array.from({ length: 200 }, (_, index) => ['--group', `group-${index}`]).flat();
    await admin('user', 'add', 'many@example.com', ...groups);
    const [entry] = await entriesOf('user add many');
    expect(entry?.command).toMatch(/^user add many@example.com --group group-0 .*…$/);
    expect(entry?.command).toHaveLength(1_000);
  });
});

describe('the audit log', () => {
  it('has no entries for commands that only read', async () => {
    const run = adminOf(await newTable());
    for (const args of [['user', 'list'], ['group', 'list'], ['check'], ['export'], ['audit'], ['schema']]) {
      expect(await run(...args)).toMatchObject({ code: 0 });
    }
    expect((await run('audit')).stdout).toBe('No commands\n');
  });

  it('is listed newest first, from a time on, and no more than asked for', async () => {
    const table = await newTable();
    const run = adminOf(table);
    const { put } = auditRepository(table);
    for (const [index, time] of ['2026-01-01', '2026-01-02', '2026-01-03'].entries()) {
      const entry = {
        who: 'ann@laptop',
        version: '1.2.0',
        state: 'done' as const,
        counts: { bugs: index + 1 },
      };
      await put({ ...entry, time: `${time}T00:00:00Z`, command: `apply ${index}.json` }, 'token');
    }
    expect((await run('audit')).stdout.split('\n')).toEqual([
      '2026-01-03T00:00:00Z  done    ann@laptop  apply 2.json  3 bugs',
      '2026-01-02T00:00:00Z  done    ann@laptop  apply 1.json  2 bugs',
      '2026-01-01T00:00:00Z  done    ann@laptop  apply 0.json  1 bugs',
      '',
    ]);
    const some = await run('audit', '--since', '2026-01-02', '--limit', '1');
    expect(some.stdout).toBe('2026-01-03T00:00:00Z  done    ann@laptop  apply 2.json  3 bugs\n');
    for (const args of [
      ['--limit', '0'],
      ['--limit', '10001'],
      ['--since', 'then'],
    ]) {
      expect(await run('audit', ...args)).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('expires after 400 days, is no violation, and is not exported', async () => {
    const table = await newTable();
    const run = adminOf(table);
    await run('group', 'add', 'once', '--description', 'd');
    const [item, ...others] = (await allItems(table)).filter(({ pk }) => pk === 'AUDIT');
    expect(others).toEqual([]);
    const begun = Date.parse(String(item?.['time'])) / 1_000;
    expect(item?.['expires_at']).toBe(begun + 400 * DAY_SECONDS);
    expect(await run('check')).toMatchObject({ code: 0 });
    expect(await exported(table)).not.toMatch(/AUDIT|group add/);
  });
});

it.each([
  [200, `arn:aws:sts::123456789012:assumed-role/Admin/ann (${LOCAL})`],
  [403, LOCAL],
])('who ran a command is the identity in AWS, where it responds with %i: %s', async (status, who) => {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(
      '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>' +
        '<Arn>arn:aws:sts::123456789012:assumed-role/Admin/ann</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>',
    );
  });
  const { url, stop } = await listen(server);
  afterFile(stop);
  const table = await newTable();
  const environment = {
    ...LOCAL_CREDENTIALS,
    ...{ AWS_ENDPOINT_URL_STS: url, AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint(), TABLE_NAME: table.name },
  };
  expect(await runAdmin(['group', 'add', 'staff', '--description', 'd'], environment)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await entriesOf('group add', adminOf(table))).toMatchObject([{ who }]);
});
