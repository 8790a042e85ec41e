import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkTable } from '../../infra/admin/check/check-table.ts';
import { eraser } from '../../lib/bugs/store/erase.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
import { startBuglessWithEvents } from '../support/events.ts';
import { exported, exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { interruptedTable } from '../support/interrupted-table.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment, aFile, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems, itemsButCounters } from '../support/table-items.ts';

const MARK = '(This text was erased by an administrator.)';
const admin = {
  login: 'admin@example.com',
  groups: ['admin', 'insiders', 'editbugs'],
  api_keys: [{ key: keys.admin }],
};
const groups = ['admin', 'insiders', 'editbugs'].map((name) => ({ name }));
const users = [admin, { login: REPORTER }];
const LATER = '2024-01-03T00:00:00Z';

const catalogueOf = (...bugs: object[]) => parseNumbered({ groups, users, products: [aProduct()], bugs });

/** Three bugs, so that words are packed, of which bug 1 tells a secret twice, once in private. */
const given = () =>
  catalogueOf(
    aBug(1, {
      comments: [
        aComment('Description', { id: 1 }),
        aComment('The plutonium is in zanzibar', { id: 2, creation_time: LATER }),
        aComment('Everybody knows zanzibar', { id: 3, creation_time: LATER, is_private: true }),
      ],
    }),
    aBug(2, { comments: [aComment('About plutonium in general', { id: 4 })] }),
    aBug(3, { comments: [aComment('About zanzibar in general', { id: 5 })] }),
  );

async function found(table: Table, word: string, key?: string): Promise<number[]> {
  const { call } = await serve(table);
  const { body } = await call(
    'GET',
    `/rest/bug?longdesc=${word}&longdesc_type=allwordssubstr&include_fields=id`,
    { key },
  );
  const words = await call('GET', `/rest/bug?content=${word}&include_fields=id`, { key });
  const idsOf = (bugs: { id: number }[]) => bugs.map(({ id }) => id).sort();
  expect(idsOf(words.body.bugs)).toEqual(idsOf(body.bugs));
  return idsOf(body.bugs);
}

/** The items that have a text, or are under a key with it. */
const itemsWith = async (table: Table, text: string) =>
  (await allItems(table))
    .filter((item) => JSON.stringify(item).toLowerCase().includes(text))
    .map(({ pk }) => pk);

describe('npm run admin -- comment erase', () => {
  it('tells nothing of a private comment to those who do not see it', async () => {
    const table = await newTable(given());
    const { call } = await serve(table);
    const read = async () => (await call('GET', '/rest/bug/1?include_fields=last_change_time')).body;
    const before = await read();
    expect((await adminOf(table)('comment', 'erase', '3')).code).toBe(0);
    expect((await call('GET', '/rest/bug/1/history')).body.bugs[0].history).toEqual([]);
    expect(await read()).toEqual(before);
    const { body } = await call('GET', '/rest/bug/1/comment', { key: keys.admin });
    expect(body.bugs['1'].comments[2].text).toBe(MARK);
    expect((await checkTable(table)).found).toEqual([]);
  });

  it('leaves a mark, the words that other comments have, a line of history, and says what it cannot reach', async () => {
    const table = await newTable(given());
    const run = adminOf(table);
    const before = await itemsButCounters(table);
    expect((await run('comment', 'erase', '2', '--as', 'unknown@example.com')).code).toBe(2);
    expect(await itemsButCounters(table)).toEqual(before);
    const { code, stdout } = await run('comment', 'erase', '2', '--as', 'admin@example.com');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^The text of comment 2 of bug 1 is erased\.\nIt is out of reach in:\n/),
    ]);
    for (const place of ['mails', 'set aside, for up to 14 days', '35 days', 'exports', '24 hours']) {
      expect(stdout).toContain(place);
    }
    const { call } = await serve(table);
    const { body } = await call('GET', '/rest/bug/1/comment', { key: keys.admin });
    expect(
      body.bugs['1'].comments.map(({ id, count, text }: Record<string, unknown>) => [id, count, text]),
    ).toEqual([
      [1, 0, 'Description'],
      [2, 1, MARK],
      [3, 2, 'Everybody knows zanzibar'],
    ]);
    const { body: history } = await call('GET', '/rest/bug/1/history', { key: keys.admin });
    expect(history.bugs[0].history).toMatchObject([
      {
        who: 'admin@example.com',
        changes: [{ field_name: 'longdesc', removed: 'text of comment 2', added: 'erased' }],
      },
    ]);
    expect(await found(table, 'plutonium', keys.admin)).toEqual([2]);
    expect(await found(table, 'zanzibar', keys.admin)).toEqual([1, 3]);
    expect(await found(table, 'zanzibar')).toEqual([3]);
    expect(await found(table, 'erased')).toEqual([1]);
    const left = (await allItems(table)).filter(({ pk }) => pk === 'WORD#plutonium');
    expect(JSON.stringify(left)).not.toMatch(/"bug_id":1\b|"(packed":"|\\n)1 /);
    expect((await run('audit')).stdout).toContain('comment erase 2 --as admin@example.com');
    const { found: findings } = await checkTable(table);
    expect(findings).toEqual([]);

    const again = await run('comment', 'erase', '2');
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining('comment 2 of bug 1 was erased before'),
    ]);
    expect(await run('comment', 'erase', '99')).toMatchObject({
      code: 1,
      stderr: 'There is no comment 99\n',
    });
    expect((await run('comment', 'erase', '2x')).code).toBe(2);
  });

  it('leaves nothing of a comment that a request wrote, wherever it is', async () => {
    const table = await newTable(given());
    const { call } = await serve(table);
    const body = { comment: 'My passphrase is correcthorse' };
    const { body: created } = await call('POST', '/rest/bug/3/comment', {
      key: keys.admin,
      body,
      headers: { 'idempotency-key': 'once' },
    });
    expect(await found(table, 'correcthorse', keys.admin)).toEqual([3]);
    await adminOf(table)('comment', 'erase', String(created.id));
    expect(await itemsWith(table, 'correcthorse')).toEqual([]);
    await expectNoViolations(table);
  });

  it('makes no event, and events that wait tell the mark', async () => {
    const bugless = await startBuglessWithEvents(given());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    bugless.wrap((next) => async (records) => {
      await held;
      return next(records);
    });
    const key = keys.admin;
    const { body } = await bugless.call('POST', '/rest/bug/1/comment', {
      key,
      body: { comment: 'correcthorse' },
    });
    await adminOf(bugless.table)('comment', 'erase', String(body.id));
    await bugless.call('POST', '/rest/bug/1/comment', { key, body: { comment: 'next' } });
    release();
    const events = await bugless.take(2);
    const bodies = events.map((event) => JSON.stringify(event));
    expect(bodies[0]).toContain(MARK);
    expect(bodies[1]).toContain('next');
    expect(bodies.join()).not.toContain('correcthorse');
    expect(bugless.received).toEqual([]);
  });

  it('is not undone by an older catalogue, nor refuses the rest of it', async () => {
    const table = await newTable(given());
    const file = JSON.parse(JSON.stringify(given()));
    await adminOf(table)('comment', 'erase', '2');
    const { custom: _, ...first } = file.bugs[0];
    const added = aComment('New', { id: 900, creation_time: '2025-01-01T00:00:00Z' });
    const later = { ...first, summary: 'Renamed', comments: [...first.comments, added] };
    const summary = await applyCatalogue(table, parseCatalogue({ bugs: [later] }));
    expect([summary.bugs.changed, summary.comments]).toEqual([1, { added: 1, changed: 0, unchanged: 3 }]);
    const bug = (await exportedCatalogue(table)).bugs.find(({ id }: { id: number }) => id === 1);
    expect([bug.summary, ...bug.comments.map(({ text }: { text: string }) => text)]).toEqual([
      'Renamed',
      'Description',
      MARK,
      'Everybody knows zanzibar',
      'New',
    ]);
    expect(await itemsWith(table, 'the plutonium is')).toEqual([]);
    await expectNoViolations(table);
  });

  it('keeps the heading of a comment on an attachment', async () => {
    const comments = [aComment('Created attachment 7\nA log\n\ncorrecthorse', { id: 1, attachment_id: 7 })];
    const table = await newTable(
      catalogueOf(aBug(1, { comments, attachments: [attachment(7, Buffer.from('x'))] })),
    );
    await adminOf(table)('comment', 'erase', '1');
    const [bug] = (await exportedCatalogue(table)).bugs;
    expect(bug.comments[0].text).toBe(`Created attachment 7\nA log\n\n${MARK}`);
    expect(await itemsWith(table, 'correcthorse')).toEqual([]);
  });
});

const attachment = (id: number, data: Buffer) => {
  const of = { file_name: 'log.bin', summary: 'A log', content_type: 'application/octet-stream' };
  return aFile(id, { ...of, creation_time: LATER, last_change_time: LATER, data: data.toString('base64') });
};

describe('npm run admin -- attachment erase', () => {
  it('leaves a text in the place of data of several items, which an older catalogue does not bring back', async () => {
    const data = randomBytes(1_000_000);
    const older = catalogueOf(
      aBug(1, { attachments: [attachment(7, data), attachment(8, Buffer.from('kept'))] }),
    );
    const table = await newTable(older);
    const parts = async () =>
      (await allItems(table)).filter(({ pk }) => pk.startsWith('ATTACHMENTDATA#7#')).length;
    expect(await parts()).toBe(3);
    const run = adminOf(table);
    const { code, stdout } = await run('attachment', 'erase', '7');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('The data of attachment 7 of bug 1 is erased.'),
    ]);
    expect(stdout).toContain('its file name, its summary');
    const expectErased = async () => {
      expect(await parts()).toBe(1);
      const { call } = await serve(table);
      const { body } = await call('GET', '/rest/bug/1/attachment', { key: keys.admin });
      expect(body.bugs['1']).toMatchObject([
        { id: 7, file_name: 'log.bin', content_type: 'text/plain', size: 48 },
        { id: 8, content_type: 'application/octet-stream', data: Buffer.from('kept').toString('base64') },
      ]);
      expect(Buffer.from(body.bugs['1'][0].data, 'base64').toString()).toBe(
        'This attachment was erased by an administrator.\n',
      );
      await expectNoViolations(table);
    };
    await expectErased();
    expect((await applyCatalogue(table, older)).bugs).toEqual({ added: 0, changed: 0, unchanged: 1 });
    await expectErased();
    // Of the size of the mark.
    const same = catalogueOf(
      aBug(1, { attachments: [attachment(7, Buffer.alloc(48, 'x')), attachment(8, Buffer.from('kept'))] }),
    );
    await applyCatalogue(table, same);
    await expectErased();
    expect(await exported(table)).toContain(REPORTER);
    const { call } = await serve(table);
    const { body } = await call('GET', '/rest/bug/1/history', { key: keys.admin });
    expect(body.bugs[0].history[0]).toMatchObject({
      who: 'operator',
      changes: [{ field_name: 'attach_data.thedata', attachment_id: 7, added: 'erased' }],
    });
    expect((await run('attachment', 'erase', '7')).stdout).toContain('was erased before');
    expect((await run('attachment', 'erase', '9')).stderr).toBe('There is no attachment 9\n');
  });

  it('is completed when it was interrupted', async () => {
    const table = await newTable(
      catalogueOf(aBug(1, { attachments: [attachment(7, randomBytes(800_000))] })),
    );
    let deleted = 0;
    const failing = interruptedTable(table, (command) => {
      if (command === 'DeleteCommand') deleted += 1;
      return deleted > 1;
    });
    await expect(eraser(failing, 'administrator').attachment(7)).rejects.toThrow('interrupted');
    expect(await eraser(table, 'administrator').attachment(7)).toEqual({ bug: 1, isRepeated: false });
    await expectNoViolations(table);
  });
});
