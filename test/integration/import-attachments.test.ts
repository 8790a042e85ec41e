import { describe, expect, it } from 'vitest';
import { ERASED_DATA } from '../../lib/bugs/attachments/erased.ts';
import { newTable, serve, startService } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import {
  addUsers,
  importedTable,
  importInto,
  problemLines,
  required,
  shortCatalogue,
} from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { verifyBoth } from '../support/verifying.ts';

const PRODUCTS = { products: ['Alpha'] };
const time = '2024-05-06T07:08:09Z';
const attachment = (id: number, more: object = {}) => ({
  ...{
    id,
    file_name: `log-${id}.txt`,
    summary: `Log ${id}`,
    content_type: 'text/plain',
    creator: 'admin@example.com',
  },
  ...{ creation_time: time, last_change_time: time, is_patch: 0, is_private: 0, is_obsolete: 0, flags: [] },
  ...{ data: Buffer.from(`data ${id}`).toString('base64'), ...more },
});

/** A Bugzilla whose comments name no attachment, with two attachments of each of some bugs. */
async function startSource(bugs: number[]) {
  const catalogue = shortCatalogue(3);
  for (const { comments } of catalogue.bugs)
    for (const comment of comments) Object.assign(comment, { attachment_id: null });
  const source = await startSimulatedBugzilla(catalogue);
  for (const bug of bugs) {
    source.content.attachments.set(bug, [attachment(10 * bug), attachment(10 * bug + 1, { is_private: 1 })]);
  }
  return source;
}

/** The attachments of all bugs of a table, by bug. */
async function attachmentsIn(table: Awaited<ReturnType<typeof newTable>>) {
  const { bugs } = await exportedCatalogue(table);
  return Object.fromEntries(
    bugs.flatMap(({ id, attachments = [] }: { id: number; attachments?: { id: number; data: string }[] }) =>
      attachments.length === 0
        ? []
        : [[id, attachments.map((one) => [one.id, Buffer.from(one.data, 'base64').toString()])]],
    ),
  );
}

describe('attachments that no comment names', () => {
  it.each([
    { what: 'of several bugs in one request', readsOneBug: false, lists: 2 },
    { what: 'where the source returns one bug of a request', readsOneBug: true, lists: 3 },
  ])('are copied, $what', async ({ readsOneBug, lists }) => {
    const source = await startSource([1, 3]);
    source.content.readsOneBug = readsOneBug;
    const table = await newTable();
    const result = await importInto(table, source.url, { ...PRODUCTS, bugsPerPage: 2 });
    expect(problemLines(result, 'parts of products and bugs not copied')).toEqual([]);
    expect(await attachmentsIn(table)).toEqual({
      1: [
        [10, 'data 10'],
        [11, 'data 11'],
      ],
      3: [
        [30, 'data 30'],
        [31, 'data 31'],
      ],
    });
    const asked = source.requests.filter(({ target }) => /^\/rest\/bug\/\d+\/attachment/.test(target));
    expect(asked).toHaveLength(lists);
    expect(asked.every(({ target }) => !/data/.test(target.replace('attachment?', '')))).toBe(true);
    await expectNoViolations(table);
  });

  it('are listed one by one where their data is not returned, and the others are copied', async () => {
    const source = await startSource([1]);
    source.decide = ({ target }) =>
      target.startsWith('/rest/bug/attachment/10')
        ? { status: 404, body: '{"error":true,"code":113,"message":"gone"}' }
        : 'answer';
    const table = await newTable();
    const result = await importInto(table, source.url, PRODUCTS);
    expect(problemLines(result, 'parts of products and bugs not copied')).toEqual([
      'bug 1, attachment 10: gone',
    ]);
    expect(await attachmentsIn(table)).toEqual({ 1: [[11, 'data 11']] });
  });

  it('are copied with a mark where their data was deleted, before the import or since', async () => {
    const source = await startSource([1, 3]);
    const table = await newTable();
    const deleted = { data: null, content_type: 'text/plain', is_patch: 0, is_obsolete: 1 };
    source.content.attachments.set(1, [attachment(10, deleted), attachment(11)]);
    const first = await importInto(table, source.url, PRODUCTS);
    expect(problemLines(first, 'parts of products and bugs not copied')).toEqual([]);
    const [mark, left] = [
      [10, ERASED_DATA.toString()],
      [11, 'data 11'],
    ];
    expect((await attachmentsIn(table))['1']).toEqual([mark, left]);
    source.content.attachments.set(3, [attachment(30, deleted), attachment(31, { is_private: 1 })]);
    source.content.changed.set(3, '2030-01-01T00:00:00Z');
    const second = await importInto(table, source.url, PRODUCTS);
    expect(second.problems).toEqual(first.problems);
    expect(await attachmentsIn(table)).toEqual({
      1: [mark, left],
      3: [
        [30, ERASED_DATA.toString()],
        [31, 'data 31'],
      ],
    });
    await expectNoViolations(table);
    await addUsers(table);
    const { differences } = await verifyBoth(source.url, (await (await serve(table)).listen()).url);
    expect(differences.filter(({ kind }) => kind === 'attachments')).toEqual([]);
  });

  it('keep their data where Bugzilla has lost some of it, and does not say that it was deleted', async () => {
    const source = await startSource([]);
    const ids = [10, 11, 12, 13];
    source.content.attachments.set(
      1,
      ids.map((id) => attachment(id)),
    );
    const table = await importedTable(source, PRODUCTS);
    source.content.attachments.set(1, [
      attachment(10, { data: null }),
      attachment(11, { data: 'ZGE=', size: 7 }),
      attachment(12, { data: '', size: 7 }),
      attachment(13),
    ]);
    source.content.changed.set(1, '2030-01-01T00:00:00Z');
    const second = await importInto(table, source.url, { ...PRODUCTS, everything: true });
    expect(problemLines(second, 'parts of products and bugs not copied')).toEqual([
      expect.stringContaining('bug 1, attachment 10: Bugzilla does not find its data'),
      expect.stringContaining('bug 1, attachment 11: Bugzilla lists 7 bytes, and returns 2'),
      expect.stringContaining('bug 1, attachment 12: Bugzilla lists 7 bytes, and returns 0'),
    ]);
    expect(await attachmentsIn(table)).toEqual({ 1: ids.map((id) => [id, `data ${id}`]) });
  });

  it('are listed where the list of a bug is refused', async () => {
    const source = await startSource([1, 3]);
    source.decide = ({ target }) =>
      /^\/rest\/bug\/\d+\/attachment/.test(target) && /(bug\/1\/|ids=1&)/.test(target)
        ? { status: 400, body: '{"error":true,"code":100,"message":"broken"}' }
        : 'answer';
    const table = await newTable();
    const result = await importInto(table, source.url, PRODUCTS);
    expect(problemLines(result, 'parts of products and bugs not copied')).toEqual([
      'attachments of bug 1: broken',
    ]);
    expect(Object.keys(await attachmentsIn(table))).toEqual(['3']);
  });

  it('are missed by --verify', async () => {
    const source = await startSource([1, 3]);
    const table = await importedTable(source, PRODUCTS);
    await addUsers(table);
    const here = await (await serve(table)).listen();
    source.content.attachments.set(2, [attachment(20)]);
    const { differences } = await verifyBoth(source.url, here.url, { key: keys.admin });
    const missing = differences.find(({ kind }) => kind === 'missing here')?.first ?? [];
    expect(missing.filter((line) => line.includes('attachment'))).toContain(
      'bug 2, attachment 20, id, administrator: there 20, here nothing (--everything mends it)',
    );
    expect(missing.some((line) => /attachment (1|3)\d/.test(line))).toBe(false);
  });

  it('are equal only where both sides return them', async () => {
    const source = await startSource([1]);
    source.decide = ({ target }) =>
      target.startsWith('/rest/bug/attachment/10')
        ? { status: 404, body: '{"error":true,"code":113,"message":"gone"}' }
        : 'answer';
    const { differences } = await verifyBoth(source.url, source.url);
    expect(differences.map(({ kind, first }) => [kind, first])).toEqual([
      [
        'attachments',
        ['administrator', 'anonymous'].map(
          (reader) =>
            `bug 1, attachment 10, sha256, ${reader}: there "not read there: gone", here "not read here: gone" (no import mends it)`,
        ),
      ],
    ]);
  });
});

describe('a bug without comments', () => {
  it('is copied with an empty description, and listed', async () => {
    const source = await startSource([3]);
    required(source.content.catalogue.bugs.find(({ id }) => id === 3)).comments = [];
    source.content.changed.set(3, time);
    const table = await newTable();
    const result = await importInto(table, source.url, PRODUCTS);
    expect(result.hidden).toEqual([]);
    expect(problemLines(result, 'bugs with changed comments')).toContain(
      'bug 3: Bugzilla has no comments of it: its description is empty here',
    );
    const { bugs } = await exportedCatalogue(table);
    const bug = bugs.find(({ id }: { id: number }) => id === 3);
    expect(bug.comments).toMatchObject([{ id: 1_000_000_003, text: '', creation_time: time }]);
    expect(bug.attachments).toHaveLength(2);
    await expectNoViolations(table);
    source.content.changed.set(3, '2024-06-06T07:08:09Z');
    const again = await importInto(table, source.url, PRODUCTS);
    expect(again.summary.bugs).toMatchObject({ added: 0, changed: 1 });
  });

  it('has lost those that an earlier run has read', async () => {
    const source = await startSource([]);
    const table = await importedTable(source, PRODUCTS);
    required(source.content.catalogue.bugs.find(({ id }) => id === 3)).comments = [];
    source.content.changed.set(3, '2030-01-01T00:00:00Z');
    await expect(importInto(table, source.url, PRODUCTS)).rejects.toThrow('1 bugs have fewer comments: 3');
  });
});

it('comments of one second, and those of users who are disabled, are copied in the order of their ids', async () => {
  const catalogue = shortCatalogue(3);
  const bug = required(catalogue.bugs.find(({ id }) => id === 3));
  const [first] = bug.comments;
  const creator = required(catalogue.users.find(({ disabled }) => disabled !== undefined)).login;
  bug.comments = [9, 5, 7].map((id) => ({
    ...required(first),
    ...{ id: 9_000 + id, text: `Comment ${id}`, creator, creation_time: time, tags: [], attachment_id: null },
  }));
  const source = await startSimulatedBugzilla(catalogue);
  const table = await newTable();
  const result = await importInto(table, source.url, PRODUCTS);
  expect(problemLines(result, 'bugs not copied')).toEqual([]);
  const { bugs } = await exportedCatalogue(table);
  const copied = bugs.find(({ id }: { id: number }) => id === 3).comments;
  expect(copied.map((one: { id: number; creator: string }) => [one.id, one.creator])).toEqual(
    [5, 7, 9].map((id) => [9_000 + id, creator]),
  );
  await expectNoViolations(table);
  await addUsers(table);
  const { differences } = await verifyBoth(source.url, (await (await serve(table)).listen()).url);
  expect(differences.filter(({ kind }) => /comment/.test(kind))).toEqual([]);
});

it('a Bugless as the source has attachments in batches, too', async () => {
  const source = await startService(shortCatalogue(3));
  const { status, body } = await source.call('GET', '/rest/bug/1/attachment?ids=2&ids=3', {
    key: keys.admin,
  });
  expect([status, Object.keys(body.bugs)]).toEqual([200, ['1', '2', '3']]);
});
