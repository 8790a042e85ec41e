import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import type { Table } from '../../lib/table/client.ts';
import { adminOf, type CommandResult } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { fileFor, importInto, problemLines, required, shortCatalogue } from '../support/importing.ts';
import { keys } from '../support/keys.ts';
import { sample } from '../support/sample.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { itemsButCounters } from '../support/table-items.ts';

const withKey = (bugzilla: Simulated) =>
  bugzilla.requests.filter(({ target }) => !target.startsWith('/rest/version'));
type Simulated = Awaited<ReturnType<typeof startSimulatedBugzilla>>;

const contentOf = async (table: Table) => (await itemsButCounters(table)).filter(({ sk }) => sk !== 'FORMAT');

const PRIVATE = { products: ['Alpha'] };

describe('the API key of an import', () => {
  it('is sent as a parameter to a Bugzilla 5.2, which ignores the header', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const result = await importInto(table, bugzilla.url);
    expect(result.reader).toBe('admin@example.com');
    const { bugs } = shortCatalogue();
    expect(result.summary.bugs.added).toBe(bugs.length);
    const copied = (await exportedCatalogue(table)).bugs.flatMap(
      ({ comments }: { comments: { is_private: boolean }[] }) => comments,
    );
    const isPrivate = (one: { is_private: boolean }) => one.is_private;
    expect(copied.filter(isPrivate)).toHaveLength(
      bugs.flatMap(({ comments }) => comments).filter(isPrivate).length,
    );
    expect(copied.filter(isPrivate).length).toBeGreaterThan(0);
    const [, first, second] = bugzilla.requests;
    expect([first?.target, first?.headers['x-bugzilla-api-key'], first?.key]).toEqual([
      '/rest/user?ids=1&include_fields=id',
      keys.admin,
      undefined,
    ]);
    expect(second?.target).toBe(`/rest/user?Bugzilla_api_key=${keys.admin}&ids=1&include_fields=id`);
    expect(result.notes.join()).toContain('revoke the key after the last import');
    // Never in both places.
    expect(second?.headers['x-bugzilla-api-key']).toBeUndefined();
  });

  it("is sent as a header to Mozilla's Bugzilla, and never in a URL", async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.readsHeader = true;
    const result = await importInto(await newTable(), bugzilla.url, PRIVATE);
    expect(result.reader).toBe('admin@example.com');
    expect(result.notes.join()).not.toContain('revoke');
    expect(bugzilla.requests.map(({ target }) => target).join()).not.toContain(keys.admin);
  });

  it('is proved by a user whom its owner may not see', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.hiddenUsers = ['admin@example.com', 'plain@example.com'];
    const options = { ...PRIVATE, partial: true };
    const result = await importInto(await newTable(), bugzilla.url, options, { key: keys.insider });
    expect(result.reader).toBe('insider@example.com');
    expect(result.hidden).toContain('at least 2 users');
  });

  it('is proved where Bugzilla requires login', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.requiresLogin = true;
    const table = await newTable();
    const before = await itemsButCounters(table);
    await expect(importInto(table, bugzilla.url, PRIVATE)).rejects.toThrow('requires login');
    expect(await itemsButCounters(table)).toEqual(before);
    expect((await importInto(table, bugzilla.url, { ...PRIVATE, requiresLogin: true })).reader).toBe(
      'admin@example.com',
    );
  });

  it.each([
    ['wrong', keys.unknown, false, 'refuses the API key: it is wrong, or revoked'],
    ['wrong, as a header', keys.unknown, true, 'refuses the API key: it is wrong, or revoked'],
    ['revoked', keys.revoked, false, 'refuses the API key: it is wrong, or revoked'],
    ['that of a disabled user', keys.disabled, false, 'the account of its owner is disabled'],
  ])('ends the run when it is %s', async (_, key, readsHeader, message) => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.readsHeader = readsHeader;
    const table = await newTable();
    const { code, stdout, stderr } = await adminOf(table)(
      ...['import', bugzilla.url, '--rate', '500', '--key', key, '--keep', fileFor(table)],
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(key);
    // Nothing but the version and the proof.
    expect(withKey(bugzilla).map(({ target }) => target.split('?')[0])).toEqual(
      readsHeader ? ['/rest/user'] : ['/rest/user', '/rest/user'],
    );
  });

  it('ends the run when the server reads it nowhere', async () => {
    const { url, stop } = await listen(
      createServer((request, response) => {
        const isVersion = request.url?.startsWith('/rest/version');
        response.writeHead(isVersion ? 200 : 401, { 'content-type': 'application/json' });
        response.end(isVersion ? '{"version":"5.0"}' : '{"error":true,"code":505,"message":"Log in"}');
      }),
    );
    await expect(importInto(await newTable(), url)).rejects.toThrow('ignores the API key');
    await stop();
  });

  it.each(sample(['a+b/c=d&e"f', 'abcdefghij'], 2))('%s is in no output and no file', async (key) => {
    const catalogue = shortCatalogue();
    required(required(catalogue.users[0]).api_keys[0]).key = key;
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const table = await newTable();
    const spelled = [key, encodeURIComponent(key), new URLSearchParams({ key }).toString().slice(4)];
    let refusals = 0;
    // Servers repeat the URL of a request in their errors.
    bugzilla.decide = ({ target }) => {
      if (!/\/bug\/[23]\//.test(target)) return 'answer';
      refusals += 1;
      const message = `${target} ${spelled.join(' ')}`;
      return target.includes('/2/')
        ? { status: 400, body: JSON.stringify({ error: true, code: 100, message }) }
        : { status: 200, body: JSON.stringify({ bugs: message }) };
    };
    const run = (...flags: string[]): Promise<CommandResult> =>
      adminOf(table)(
        ...['import', bugzilla.url, '--rate', '500', '--key', key, '--keep', fileFor(table), ...flags],
      );
    const outputs = [await run(), await run('--json')];
    expect(refusals).toBeGreaterThan(2);
    bugzilla.decide = () => 'cut';
    expect(outputs.map(({ code }) => code)).toEqual([0, 0]);
    const written = [
      ...outputs.map(({ stdout, stderr }) => stdout + stderr),
      await readFile(fileFor(table), 'utf8'),
      JSON.stringify(await itemsButCounters(table)),
    ].join();
    expect(written).toContain('(the API key)');
    for (const one of spelled) expect(written).not.toContain(one);
  });
});

describe('the owner of the API key of an import', () => {
  it('is named by --as where no record is their own, and proved', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.hidesReader = true;
    const table = await newTable();
    const run = (...flags: string[]) =>
      adminOf(table)(
        ...['import', bugzilla.url, '--rate', '500', '--key', keys.admin, '--keep', fileFor(table), ...flags],
      );
    const unknown = await run();
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('--as LOGIN')]);
    const wrong = await run('--as', 'user@example.com');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("The API key is not one of 'user@example.com'"),
    ]);
    expect(await contentOf(table)).toEqual([]);
    const right = await run('--as', 'admin@example.com', '--product', 'Closed');
    expect([right.code, right.stdout]).toEqual([0, expect.stringContaining('as admin@example.com sees it')]);
  });

  it('needs --partial where something is hidden: nothing is written before', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const run = (...flags: string[]) =>
      adminOf(table)(
        ...['import', bugzilla.url, '--rate', '500', '--key', keys.plain, '--keep', fileFor(table), ...flags],
      );
    const refused = await run();
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('plain@example.com may not see everything. Hidden:\n');
    expect(refused.stderr).toContain('whether users are disabled or get mails, and their groups');
    expect(refused.stderr).toContain('--partial');
    expect(bugzilla.requests.filter(({ target }) => target.includes('/comment'))).toEqual([]);
    expect(await contentOf(table)).toEqual([]);
    const partial = await run('--partial');
    expect(partial.code).toBe(0);
    expect(partial.stdout).toContain(
      'Hidden from plain@example.com:\n  at least 1 bug\n  at least 1 comment\n',
    );
  });

  it.each<[string, (bugzilla: Simulated) => void, string]>([
    [
      'bugs',
      ({ content: { catalogue } }) => {
        const people = { reporter: 'plain@example.com', assigned_to: '', qa_contact: '', cc: [] };
        Object.assign(required(catalogue.bugs.find(({ id }) => id === 3)), people, {
          groups: ['other-team'],
        });
        catalogue.groups.push({ ...required(catalogue.groups[0]), id: 99, name: 'other-team' });
      },
      'at least 1 bug',
    ],
    [
      'comments before others',
      ({ content: { catalogue } }) => {
        for (const user of catalogue.users) user.groups = user.groups.filter((name) => name !== 'insiders');
      },
      'at least 1 comment',
    ],
    [
      'users',
      ({ content }) => Object.assign(content, { hiddenUsers: ['plain@example.com'] }),
      'at least 1 user',
    ],
  ])('needs --partial where an administrator may not see all %s', async (_, hide, line) => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue(3));
    hide(bugzilla);
    const table = await newTable();
    await expect(importInto(table, bugzilla.url)).rejects.toThrow(line);
    expect(await contentOf(table)).toEqual([]);
    const { hidden } = await importInto(table, bugzilla.url, { partial: true });
    expect(hidden).toEqual([line]);
  });

  it('is asked for 200 of the ids that are missing, however many they are', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    required(bugzilla.content.catalogue.bugs.find(({ id }) => id === 3)).id = 900_000_000;
    const { hidden } = await importInto(await newTable(), bugzilla.url);
    const asked = bugzilla.requests
      .flatMap(({ target }) => /\/bug\/(\d+)\?/.exec(target)?.[1] ?? [])
      .map(Number);
    expect([hidden, asked.length, new Set(asked).size, asked[0]]).toEqual([[], 200, 200, 3]);
    expect(Math.max(...asked)).toBeGreaterThan(800_000_000);
  });

  it('may be another one than before: bugs that only some of them saw are read again', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    await importInto(table, bugzilla.url, { ...PRIVATE, partial: true }, { key: keys.plain });
    const again = await newTable();
    const options = { ...PRIVATE, file: fileFor(table) };
    const result = await importInto(again, bugzilla.url, options);
    expect([result.unchangedBugs, result.hidden]).toEqual([0, []]);
    expect(problemLines(result, 'bugs with comments hidden from the API key')).toEqual([]);
    const third = await importInto(again, bugzilla.url, options);
    expect(third.unchangedBugs).toBe(result.summary.bugs.added);
  });
});
