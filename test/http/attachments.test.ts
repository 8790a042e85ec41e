import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { attachmentKey, attachmentPartKey } from '../../lib/table/keys.ts';
import { anyItem, readItem } from '../../lib/table/read.ts';
import { deleteItem, putItem, setItem, updateItem } from '../../lib/table/write.ts';
import { startBugless, startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { clientOf, FILE } from '../support/client.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { aBug, aFile, aProduct } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';

const { catalogue, keys } = openRecording('extras');

const bugless = useStarted(() =>
  startBuglessWithPermissions(catalogue(), {
    ...RECORDED_SETTINGS,
    MAX_ATTACHMENT_BYTES: '4000000',
  }),
);

const client = clientOf(bugless, keys, 'user');
const { call, outcome } = client;
const attach = async (bug: number, given: object = {}, as = 'user'): Promise<number> => {
  const body = await client.done('POST', `/rest/bug/${bug}/attachment`, { ...FILE, ...given }, as);
  expect(body).toEqual({ ids: [expect.any(Number)] });
  return body.ids[0];
};
const read = async (id: number, as = 'user') =>
  (await client.read(`/rest/bug/attachment/${id}`, as)).attachments?.[id];
const put = (id: number, body: object, as = 'user') => call('PUT', `/rest/bug/attachment/${id}`, body, as);
/** The texts of the comments of a bug. */
const textsOf = async (bug: number, as: string | undefined = 'user'): Promise<string[]> => {
  const { bugs } = await client.read(`/rest/bug/${bug}/comment`, as);
  return bugs[bug].comments.map(({ text }: { text: string }) => text);
};

describe('an upload', () => {
  const half = 100;
  const retryTimeout = 4_000;
  const upload = async (bytes: number, ids: number[] = []) => {
    const paced = await startBugless(catalogue(), {
      ...RECORDED_SETTINGS,
      MAX_WRITE_REQUEST_UNITS: String(2 * half),
      DATABASE_RETRY_TIMEOUT_MS: String(retryTimeout),
    });
    const data = randomBytes(bytes).toString('base64');
    const body = { file_name: 'a', summary: 's', content_type: 'image/png', data, ids };
    const partsOf = async () => (await allItems(paced.table)).filter(({ sk }) => sk === 'PART').length;
    const before = await partsOf();
    const response = await paced.call('POST', '/rest/bug/55/attachment', { key: keys.get('user'), body });
    return { ...response, parts: (await partsOf()) - before };
  };
  const fitting = (half * retryTimeout) / 4;

  it('that half of the write limit allows in time is stored', async () => {
    expect(await upload(fitting / 2, [56])).toMatchObject({ status: 201, parts: 2 });
  });

  it.each([
    { what: 'one bug', bytes: 5 * fitting, ids: [] },
    { what: 'all its bugs together', bytes: 2 * fitting, ids: [56, 57] },
  ])('that takes longer for $what is refused before anything is written', async ({ bytes, ids }) => {
    expect(await upload(bytes, ids)).toMatchObject({
      status: 400,
      body: { code: 32_000, message: expect.stringContaining('KB of compressed data') },
      parts: 0,
    });
  });
});

describe('an attachment', () => {
  const ASKED = [{ name: 'ui-patch', status: '?', requestee: 'insider@example.com' }];

  describe('that is refused after its data was written', () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => `qx${n}`).join(' ');

    it.each([
      ['the words of its comments', [1, 41], words(2_000)],
      ['the number of its bugs', Array.from({ length: 14 }, (_, n) => n + 1), ''],
    ])('leaves no data: %s', async (_, ids, comment) => {
      const partsOf = async () => (await allItems(bugless.table)).filter(({ sk }) => sk === 'PART').length;
      const before = await partsOf();
      const file = { ...FILE, ids, comment };
      expect(await outcome('POST', '/rest/bug/55/attachment', file)).toEqual([400, 32_000]);
      expect(await partsOf()).toBe(before);
    });
  });

  it('of several parts has the bytes that were sent', async () => {
    let seed = 1;
    const bytes = Buffer.from(
      Array.from({ length: 800_000 }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed & 0xff;
      }),
    );
    const id = await attach(55, { data: bytes.toString('base64'), content_type: 'image/png' });
    const { data, size } = await read(id);
    expect(size).toBe(bytes.length);
    expect(Buffer.from(data, 'base64').equals(bytes)).toBe(true);
    const download = await bugless.fetch(`/attachment.cgi?id=${id}`);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('shows its present summary in its comments', async () => {
    const id = await attach(56, { comment: 'See line 3.' });
    await put(id, { summary: 'Better', comment: 'Renamed.' });
    const texts = await textsOf(56);
    expect(texts).toContain(`Created attachment ${id}\nBetter\n\nSee line 3.`);
    expect(texts).toContain(`Comment on attachment ${id}\nBetter\n\nRenamed.`);
  });

  it('has comments as long as others, with their first lines, so that a catalogue takes them', async () => {
    const id = await attach(56);
    const comment = (length: number) => ({ comment: 'c'.repeat(length) });
    for (const [method, path, given] of [
      ['POST', '/rest/bug/56/attachment', FILE],
      ['PUT', `/rest/bug/attachment/${id}`, {}],
    ] as const) {
      expect((await call(method, path, { ...given, ...comment(65_535) })).body.code).toBe(114);
      expect((await call(method, path, { ...given, ...comment(65_400) })).status).toBeLessThan(300);
    }
    const catalogue = await exportedCatalogue(bugless.table);
    expect(() => parseCompleteCatalogue(catalogue)).not.toThrow();
  });

  it('has flags that who was asked for another one cannot change', async () => {
    const id = await attach(45);
    const change = (flags: object[], as: string) => put(id, { flags }, as);
    const asked = { name: 'ui-patch', status: '?', requestee: 'noedit@example.com' };
    expect((await change([asked, { name: 'review', status: '+' }], 'user')).status).toBe(200);
    const { flags } = await read(id);
    const flagOf = (name: string) => flags.find((flag: { name: string }) => flag.name === name);
    const [own, other] = [flagOf('ui-patch'), flagOf('review')];
    for (const named of [
      { id: other.id },
      { id: other.id, name: own.name },
      { id: other.id, type_id: own.type_id },
      { type_id: other.type_id, name: own.name },
      { name: other.name },
    ]) {
      expect((await change([{ ...named, status: 'X' }], 'noedit')).body.code).toBe(32000);
    }
    expect((await change([{ id: own.id, name: other.name, status: '+' }], 'noedit')).status).toBe(200);
    expect((await read(id)).flags).toHaveLength(2);
  });

  it.each([
    ['insider', 'Secret'],
    ['user', 'Secret'],
    ['noedit', 'A file'],
    ['nobody', 'A file'],
  ])('that became private shows its present summary to %s: %s', async (as, summary) => {
    const id = await attach(56);
    expect((await put(id, { is_private: true, summary: 'Secret' }, 'insider')).status).toBe(200);
    expect((await textsOf(56, as)).at(-1)).toBe(`Created attachment ${id}\n${summary}`);
  });

  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml'])(
    'of the type %s is downloaded, and runs no script',
    async (content_type) => {
      const id = await attach(57, { content_type, file_name: 'ä"<script>.html' });
      const { headers, status } = await bugless.fetch(`/attachment.cgi?id=${id}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''%C3%A4/,
      );
      expect(headers.get('content-security-policy')).toContain('sandbox');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it.each([
    ['move.txt', 'text/plain', 'inline; filename="move.txt"'],
    ["a b'(1)%41;.zip", 'application/zip', 'attachment; filename="a b\'(1)%41;.zip"'],
    ['a"b.txt', 'text/plain', 'inline; filename="a\\"b.txt"'],
    ['ä.txt', 'text/plain', 'inline; filename="_.txt"; filename*=UTF-8\'\'%C3%A4.txt'],
  ])('named %s has its name as 5.2 sends it', async (file_name, content_type, expected) => {
    const id = await attach(57, { content_type, file_name });
    const { headers } = await bugless.fetch(`/attachment.cgi?id=${id}`);
    expect(headers.get('content-disposition')).toBe(expected);
  });

  describe('with a content type that cannot be sent', () => {
    const long = `text/${'x'.repeat(250)}`;
    const types = [
      'text/plain; charset=漢',
      'text/plain; x=\u0001',
      'text/plain; a=,text/html',
      'text/plain; charset=utf-8; charset=utf-8',
      'text/plain; charset="utf-8"',
      'text/plain\r\nx: y',
      'text/plainſ',
      'text',
      `${long}x`,
      'x'.repeat(500_000),
    ];

    it.each(types)('is refused, of one and of several, and by a catalogue: %#', async (content_type) => {
      const [one, other] = [await attach(55), await attach(56)];
      const changed = `/rest/bug/attachment/${one}`;
      for (const several of [false, true]) {
        const file = { ...FILE, content_type, ids: several ? [56] : [] };
        expect(await outcome('POST', '/rest/bug/55/attachment', file)).toEqual([400, 601]);
        const change = { content_type, ids: several ? [other] : [] };
        expect(await outcome('PUT', changed, change)).toEqual([400, 601]);
      }
      const bug = aBug(1, { attachments: [aFile(1, { content_type })] });
      expect(() => parseNumbered({ products: [aProduct()], bugs: [bug] })).toThrow(
        '$.bugs[0].attachments[0].content_type',
      );
    });

    it('is downloaded as bytes where the table has it', async () => {
      for (const content_type of types.slice(0, -1)) {
        const id = await attach(55);
        const key = attachmentKey(55, id);
        const values = { ':type': content_type };
        await updateItem(bugless.table, { update: key, set: 'SET content_type = :type', values });
        const { status, headers } = await bugless.fetch(`/attachment.cgi?id=${id}`);
        expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
      }
    });

    it.each([long, 'TEXT/Plain;charset=UTF-8', 'text/plain ; charset=iso-8859-1', 'image/svg+xml'])(
      'is not one such as %s',
      async (content_type) => {
        expect((await read(await attach(55, { content_type }))).content_type).toBe(content_type);
      },
    );
  });

  it('is sent inline with its type and character set alone', async () => {
    const id = await attach(55, { content_type: 'text/plain ; charset=iso-8859-1' });
    const { headers } = await bugless.fetch(`/attachment.cgi?id=${id}`);
    expect(headers.get('content-type')).toBe('text/plain; charset=iso-8859-1');
  });

  it('keeps the line breaks of its summary, which is cut at 255 characters', async () => {
    const summary = `First\nSecond ${'ä'.repeat(300)}`;
    const id = await attach(55, { summary, comment: 'My words' });
    const kept = summary.slice(0, 255);
    expect((await read(id)).summary).toBe(kept);
    expect((await textsOf(55)).at(-1)).toBe(`Created attachment ${id}\n${kept}\n\nMy words`);
    expect(await client.found('f1=longdesc&o1=equals&v1=My%20words')).toEqual([55]);
  });

  it('that becomes obsolete loses a request, whatever else is said of it', async () => {
    const id = await attach(55, { flags: [{ name: 'review', status: '?' }] });
    const [{ id: flag }] = (await read(id, 'admin')).flags;
    await put(id, { is_obsolete: true, flags: [{ id: flag, status: '-' }] }, 'admin');
    expect(await read(id, 'admin')).toMatchObject({ is_obsolete: 1, flags: [] });
  });

  it('is not obsolete when it is created, whatever the request says', async () => {
    expect(await read(await attach(55, { is_obsolete: true }))).toMatchObject({ is_obsolete: 0 });
  });

  it('has its summary changed as description, beside its own id and a type that is ignored', async () => {
    const id = await attach(55);
    const body = { description: 'Other', attachment_id: id, type: 'x', comment: '  indented\n  more ' };
    const { status, body: changed } = await put(id, body);
    expect([status, Object.keys(changed.attachments[0].changes)]).toEqual([200, ['summary']]);
    const text = `Comment on attachment ${id}\nOther\n\nindented\n  more`;
    expect((await textsOf(55)).at(-1)).toBe(text);
    expect((await put(id, { attachment_id: id + 1 })).body.code).toBe(53);
  });

  it.each([
    [{ is_patch: true }, 'image/png'],
    [{ is_patch: true, content_type: 'a/b' }, 'text/plain'],
    [{ content_type: 'text/css' }, 'text/css'],
  ])('that is made %j is of type %s', async (change, type) => {
    const id = await attach(55, { content_type: 'image/png' });
    expect((await put(id, change)).status).toBe(200);
    expect(await read(id)).toMatchObject({ content_type: type, is_patch: Number('is_patch' in change) });
  });

  it('that does not exist cannot be downloaded, which says nothing of changing it', async () => {
    const { status, body } = await call('GET', '/attachment.cgi?id=99999');
    expect([status, body.code, body.message]).toEqual([400, 32_000, "There is no attachment '99999'."]);
  });

  it.each([
    ['lost', (id: number) => deleteItem(bugless.table, attachmentPartKey(id, 0))],
    ['empty', (id: number) => setItem(bugless.table, attachmentPartKey(id, 0), { data: undefined })],
    ['of another kind', (id: number) => setItem(bugless.table, attachmentPartKey(id, 0), { data: 'text' })],
  ])('whose data is %s hides no other one of its bug, and is an error that names it', async (_, damage) => {
    const [good, bad] = [await attach(53), await attach(53)];
    const part = await readItem(bugless.table, attachmentPartKey(bad, 0), anyItem);
    await damage(bad);
    const { status, body } = await call('GET', '/rest/bug/53/attachment?exclude_fields=flags');
    expect(status).toBe(200);
    const shown = body.bugs[53].map(({ id, data }: { id: number; data?: string }) => [id, data]);
    expect(shown).toEqual(
      expect.arrayContaining([
        [good, 'aGVsbG8K'],
        [bad, undefined],
      ]),
    );
    const fault = { id: bad, faultCode: 32_000, faultString: expect.stringContaining(String(bad)) };
    expect(body.faults).toEqual([fault]);
    for (const path of [`/rest/bug/attachment/${bad}`, `/attachment.cgi?id=${bad}`]) {
      const broken = await call('GET', path);
      expect([broken.status, broken.body.message]).toEqual([500, fault.faultString]);
    }
    const both = await client.read(`/rest/bug/attachment/${bad}?attachment_ids=${good}&exclude_fields=flags`);
    expect(both).toMatchObject({ attachments: { [good]: { data: 'aGVsbG8K' } }, faults: [fault] });
    const xml = await bugless.fetch(`/show_bug.cgi?ctype=xml&id=53&field=attachment&field=attachmentdata`);
    expect([xml.status, await xml.text()]).toEqual([200, expect.stringContaining('aGVsbG8K')]);
    const without = await client.read('/rest/bug/53/attachment?exclude_fields=data');
    expect(Object.keys(without)).toEqual(['bugs', 'attachments']);
    const query = 'f1=attach_data.thedata&o1=substring&v1=hello&bug_id=53';
    expect(await client.found(query)).toEqual([53]);
    if (part !== undefined) await putItem(bugless.table, part);
    expect((await client.read('/rest/bug/53/attachment')).faults).toBeUndefined();
  });

  it('that is private is for insiders and its creator, also in searches, histories and downloads', async () => {
    const id = await attach(58, { is_private: true, summary: 'zebra crossing' }, 'insider');
    await put(id, { is_obsolete: true }, 'insider');
    expect(await read(id, 'insider')).toMatchObject({ is_private: 1, is_obsolete: 1 });
    expect(await read(id)).toBeUndefined();
    const query = 'f1=attachments.description&o1=substring&v1=zebra+cross';
    expect([await client.found(query, 'insider'), await client.found(query)]).toEqual([[58], []]);
    const named = async (as: string) =>
      JSON.stringify(await client.read('/rest/bug/58/history', as)).includes(`"attachment_id":${id}`);
    expect([await named('insider'), await named('user')]).toEqual([true, false]);
    expect((await bugless.fetch(`/attachment.cgi?id=${id}`)).status).toBe(401);
    expect(await textsOf(58)).toHaveLength(1);
  });

  it('is listed without data where that is left out, and refused with more than a response takes', async () => {
    const data = 'A'.repeat(3_200_000);
    for (let count = 0; count < 2; count += 1) await attach(59, { data });
    const { status, body } = await call('GET', '/rest/bug/59/attachment');
    expect([status, body.code]).toEqual([400, 32000]);
    expect(body.message).toContain('exclude_fields=data');
    const list = await client.read('/rest/bug/59/attachment?exclude_fields=data');
    expect(list.bugs[59]).toHaveLength(2);
  });

  it.each([
    [true, 'insider', [expect.objectContaining({ attachment_id: expect.any(Number) })]],
    [true, 'noedit', []],
    [false, 'noedit', [expect.objectContaining({ removed: 'ui-patch?(insider@example.com)' })]],
  ])(
    'that moves with its bug, private: %s, loses flags in the history that %s reads',
    async (is_private, as, lost) => {
      const bug = await client.create();
      await attach(bug, { is_private, flags: ASKED }, 'insider');
      const moved = await client.put(bug, { component: 'Core' });
      expect('flagtypes.name' in moved.body.bugs[0].changes).toBe(!is_private);
      const { changes } = (await client.read(`/rest/bug/${bug}/history`, as)).bugs[0].history.at(-1);
      expect(changes.filter((one: { field_name: string }) => one.field_name === 'flagtypes.name')).toEqual(
        lost,
      );
    },
  );

  it('that becomes private hides the flags that it lost when its bug moved', async () => {
    const bug = await client.create();
    const id = await attach(bug, { flags: ASKED }, 'insider');
    await client.put(bug, { component: 'Core' });
    await put(id, { is_private: true }, 'insider');
    const historyAs = async (as: string) => JSON.stringify(await client.read(`/rest/bug/${bug}/history`, as));
    expect(await historyAs('insider')).toContain('ui-patch?');
    expect(await historyAs('noedit')).not.toContain('ui-patch?');
  });

  it('that moves with its bug loses flags that do not apply there', async () => {
    const { body } = await client.put(45, { component: 'Core' });
    expect(body.bugs[0].changes['flagtypes.name'].removed).toContain('ui-patch');
    const names = (await read(1)).flags.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['review', 'superreview']);
  });

  it.each([
    ['a\u0000b\u001b[1m.txt', 'a b [1m.txt'],
    [`dir/ x`, 'x'],
    [`${'y'.repeat(10)} ${'x'.repeat(254)}`, 'x'.repeat(254)],
    ['C:\\files\\x.txt', 'x.txt'],
  ])('has a name that clients can write: %j', async (file_name, stored) => {
    const id = await attach(56, { file_name });
    expect((await read(id)).file_name).toBe(stored);
    const changed = await attach(56);
    await put(changed, { file_name });
    expect((await read(changed)).file_name).toBe(stored);
  });

  it.each(['..', '.', 'a/..', ' \u0000 '])('has a name at all: %j', async (file_name) => {
    const file = { ...FILE, file_name };
    expect((await call('POST', '/rest/bug/56/attachment', file)).body.code).toBe(603);
    expect((await put(await attach(56), { file_name })).status).toBe(400);
  });

  it('has flags of 8 KB at most, so that all attachments of a bug can be listed', async () => {
    const asked = { name: 'review', status: '?', requestee: 'user@example.com', new: true };
    const flags = Array.from({ length: 100 }, () => asked);
    const { status, body } = await call('POST', '/rest/bug/56/attachment', { ...FILE, flags });
    expect([status, body.message]).toEqual([400, expect.stringContaining('8 KB of flags')]);
  });

  it('leaves the table without violations', async () => {
    await expectNoViolations(bugless.table);
  });
});
