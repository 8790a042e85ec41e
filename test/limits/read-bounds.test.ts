import { beforeAll, expect, it } from 'vitest';
import { divide } from '../../lib/bugs/attachments/data.ts';
import { attachmentKey, attachmentPartKey, commentKey } from '../../lib/table/keys.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { type Meter, startMeter } from '../bench/meter.ts';
import { afterFile } from '../support/after-file.ts';
import { type Bugless, newTable, serve } from '../support/bugless.ts';
import { copyBug } from '../support/copy-bug.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { parseNumbered } from '../support/numbered.ts';
import { isLong } from '../support/sample.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';

/** What one request reads, whoever sends it, however it names what it reads. */

const KEY = 'K'.repeat(40);
const MAX_CALLS = 2_000;
const MAX_UNITS = 4_000;
/** Bugs with many small files, and with long private comments. */
const FILES = times(100, (n) => 1_000 + n);
const PRIVATE = times(12, (n) => 2_000 + n);
const FILES_OF_BUG = 100;
const TIME = '2024-01-02T03:04:05Z';

let bugless: Bugless;
let meter: Meter;
beforeAll(async () => {
  meter = await startMeter(dynamoDbEndpoint());
  afterFile(() => meter.stop());
  const table = await newTable(
    parseNumbered({
      groups: ['editbugs', 'editusers', 'creategroups'].map((name, index) => ({ id: index + 1, name })),
      users: [
        { login: REPORTER, groups: ['editbugs', 'editusers', 'creategroups'], api_keys: [{ key: KEY }] },
      ],
      products: [{ ...aProduct(), flag_types: [{ id: 1, name: 'review', target: 'bug' }] }],
      bugs: [aBug(1, { aliases: ['one'], comments: [aComment('first'), aComment('second')] })],
    }),
  );
  await copyBug(table, FILES, { attachment_count: FILES_OF_BUG });
  await copyBug(table, PRIVATE, {});
  const [data] = await divide(Buffer.from('abc'));
  const files = FILES.slice(0, 12).flatMap((bug) =>
    times(FILES_OF_BUG, (n) => {
      const id = bug * FILES_OF_BUG + n;
      const attachment = {
        ...{ id, bug_id: bug, file_name: 'f', summary: 's', content_type: 'text/plain', size: 3, parts: 1 },
        ...{ creator: REPORTER, creation_time: TIME, last_change_time: TIME, revision: 0, flags: [] },
        ...{ is_patch: false, is_private: false, is_obsolete: false },
      };
      return [
        { ...attachmentKey(bug, id), ...attachment },
        { ...attachmentPartKey(id, 0), attachment_id: id, written_at: TIME, data },
      ];
    }),
  );
  const comments = PRIVATE.flatMap((bug) =>
    times(6, (n) => {
      const comment = { bug_id: bug, creation_time: TIME, count: n + 1 };
      const text = 'x'.repeat(300_000);
      return {
        ...commentKey(comment),
        ...{ ...comment, id: bug * 10 + n, creator: REPORTER, text, is_private: true, tags: [] },
        ...{ attachment_id: null, work_time: 0, revision: 0 },
      };
    }),
  );
  await batchWrite(table, [...files.flat(), ...comments]);
  bugless = await serve(table, { DYNAMODB_ENDPOINT: meter.endpoint });
});

/** A request, with what it takes. */
async function measured(path: string, key?: string) {
  meter.take();
  const response = await bugless.fetch(path, {
    headers: key === undefined ? {} : { 'x-bugzilla-api-key': key },
  });
  const text = await response.text();
  const calls = meter.take();
  const units = calls.reduce((sum, { readUnits }) => sum + readUnits, 0);
  return { status: response.status, text, calls: calls.length, units };
}

const repeated = (count: number, spell: (n: number) => string) => times(count, spell);
/** Spellings of the same number. */
const zeros = (n: number) => `${'0'.repeat(n % 60)}1`;

it.each<[what: string, path: string, parameter: string, spell?: (n: number) => string]>([
  ['bugs', '/rest/bug/1?', 'ids'],
  ['comments', '/rest/bug/1/comment?', 'ids'],
  ['the newest comment', '/rest/bug/1/comment?limit=1&order=newest', 'ids'],
  ['histories', '/rest/bug/1/history?', 'ids'],
  ['the newest change', '/rest/bug/1/history?limit=1&order=newest', 'ids'],
  ['attachments', '/rest/bug/1/attachment?', 'ids'],
  ['XML', '/rest/bugless/bug.xml?id=1', 'id'],
  ['a search', '/rest/bug?id=1', 'id'],
  ['products', '/rest/product?ids=1', 'ids'],
  ['users', '/rest/user?ids=1', 'ids'],
  ['users by name', `/rest/user?names=${REPORTER}`, 'names', () => REPORTER],
  ['comments by alias', '/rest/bug/one/comment?', 'ids', (n) => ['ONE', '1', 'one'][n % 3] ?? ''],
  ['groups', '/rest/group?ids=1', 'ids'],
  ['last visits', '/rest/bug_user_last_visit/1?', 'ids'],
])(
  'a request takes as much for a hundred spellings of a name as for one %s',
  async (_, path, parameter, spell = zeros) => {
    await measured(path, KEY);
    const once = await measured(path, KEY);
    const often = await measured(
      `${path}&${repeated(99, spell)
        .map((name) => `${parameter}=${name}`)
        .join('&')}`,
      KEY,
    );
    expect(often.status).toBe(200);
    // A bug is there once for each name.
    if (!path.startsWith('/rest/bug/1?')) expect(often.text).toBe(once.text);
    expect(often.calls).toBeLessThanOrEqual(once.calls + 1);
    expect(often.units).toBeLessThanOrEqual(once.units + 4);
  },
);

const idsOf = (name: string, ids: readonly number[]) => ids.map((id) => `${name}=${id}`).join('&');
// Both callers in a run with `RUNS`.
it.each<[what: string, path: string, key: string | undefined]>([
  [
    'the files of one bug a hundred times',
    `/rest/bugless/bug.xml?field=attachmentdata&id=${times(100, () => 1_000).join()}`,
    undefined,
  ],
  ['many small files as XML', `/rest/bugless/bug.xml?field=attachmentdata&id=${FILES.join()}`, KEY],
  ['many small files', `/rest/bug/1000/attachment?${idsOf('ids', FILES.slice(1))}`, undefined],
  ['long private comments as XML', `/rest/bugless/bug.xml?id=${PRIVATE.join()}`, KEY],
  ['long private comments', `/rest/bug/2000/comment?${idsOf('ids', PRIVATE)}`, undefined],
])('a request is refused before it reads too much, whoever sends it %s', async (_, path, caller) => {
  for (const key of isLong ? [undefined, KEY] : [caller]) {
    const { status, calls, units, text } = await measured(path, key);
    expect(calls).toBeLessThanOrEqual(MAX_CALLS);
    // The call that exceeds the bound may take a page more.
    expect(units).toBeLessThanOrEqual(MAX_UNITS + 256);
    if (status !== 200)
      expect([status, text]).toEqual([expect.any(Number), expect.stringMatching(/id|field/)]);
  }
});

it('XML names the first of many files whose data it leaves out, in a header that API Gateway takes', async () => {
  const response = await bugless.fetch(`/rest/bugless/bug.xml?id=${FILES.slice(0, 6).join()}`);
  expect(response.status).toBe(200);
  const header = response.headers.get('x-bugless-left-out') ?? '';
  expect(header).toMatch(/^attachmentdata \d+(, \d+){19}, and 80 more$/);
});

it('groups without words in a search for words are met by nothing, and cost what they take', async () => {
  const query = (value: string) =>
    `/rest/bug?count_only=1&f1=content&o1=notmatches&v1=${encodeURIComponent(value)}`;
  const found = await measured(query('nothing -(()(()))'));
  expect([found.status, JSON.parse(found.text).bug_count > 0]).toEqual([200, true]);
  const refused = await measured(query(`nothing -(${'()'.repeat(3_000)})`));
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, 32000]);
});
