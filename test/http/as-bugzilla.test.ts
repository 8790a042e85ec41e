import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';

/** What clients of Bugzilla 5.2 rely on, beside the recorded exchanges. */

const KEY = 'a'.repeat(40);
const ADMIN = 'zoe@example.com';
const TIME = '2024-01-02T03:04:05Z';
const groups = ['editcomponents', 'editbugs', 'creategroups', 'editusers', 'timetrackers', 'taggers'];
const attachment = (id: number, summary: string) => ({
  ...{ id, summary, file_name: 'f', content_type: 'text/plain', creator: REPORTER, data: 'YQ==' },
  ...{ creation_time: TIME, last_change_time: TIME },
});

const CATALOGUE = parseNumbered({
  groups: groups.map((name) => ({ name })),
  users: [
    { login: ADMIN, real_name: 'Adam', groups, api_keys: [{ key: KEY }] },
    { login: REPORTER, real_name: 'Zacharias' },
  ],
  products: [
    aProduct(1, 'Alpha', {
      components: ['With', 'Ünï', 'api', 'Core'].map((name, index) => ({ id: index + 1, name })),
    }),
  ],
  bug_fields: [
    { name: 'cf_when', display_name: 'When', type: 5 },
    { name: 'cf_day', display_name: 'Day', type: 9 },
  ],
  bugs: [
    aBug(1, {
      cf_when: '2023-12-31T23:59:59Z',
      cf_day: '2023-12-31',
      see_also: ['https://bugs.example.org/show_bug.cgi?id=7'],
      assigned_to: ADMIN,
      estimated_time: 10,
      remaining_time: 9,
      comments: [aComment('It worked more than once, cafe\u0301', { work_time: 1 }), aComment('Second')],
    }),
    aBug(2, {
      cf_when: '2020-01-01T00:00:00Z',
      assigned_to: REPORTER,
      attachments: [attachment(1, 'Screenshot')],
      comments: [
        aComment('naïve'),
        aComment('Created attachment 1\nScreenshot\n\nLook', { attachment_id: 1 }),
        aComment('Third'),
      ],
    }),
    aBug(3, { summary: 'nai\u0308ve', assigned_to: ADMIN, estimated_time: 4, remaining_time: 0 }),
  ],
});

const bugless = useStarted(() => startBuglessWithPermissions(CATALOGUE));

const call = (method: string, path: string, body?: unknown) => bugless.call(method, path, { key: KEY, body });
const find = async (parameters: Record<string, string>): Promise<number[]> => {
  const { body } = await call(
    'GET',
    `/rest/bug?${new URLSearchParams({ ...parameters, include_fields: 'id' })}`,
  );
  return body.bugs?.map(({ id }: { id: number }) => id) ?? body.message;
};
const chart = (f1: string, o1: string, v1: string) => find({ f1, o1, v1 });

describe('a search', () => {
  it.each([
    ['2023-12-31 23:59:59', [1]],
    ['2023-12-31T23:59:59Z', [1]],
    ['2023-12-31', []],
    ['soon', []],
  ])('by a custom time finds as a parameter what equals finds: %s', async (given, expected) => {
    expect(await find({ cf_when: given })).toEqual(expected);
    expect(await chart('cf_when', 'equals', given)).toEqual(expected);
  });

  it('by a custom day takes the spellings of days', async () => {
    expect(await find({ cf_day: '2023-12-31' })).toEqual([1]);
    expect(await find({ cf_day: '2023/12/31' })).toEqual([1]);
  });

  it.each([
    ['cf_when', 'lessthan', '-1d', [1, 2]],
    ['cf_when', 'greaterthan', '-2y', []],
    ['cf_day', 'lessthaneq', '1w', [1]],
  ])('by a custom time takes relative times: %s %s %s', async (field, operator, value, expected) => {
    expect(await chart(field, operator, value)).toEqual(expected);
  });

  it.each([
    ['bugs.example.org 7', [1]],
    ['bugs.example.org 8', []],
    ['example', [1]],
    // A letter or digit is beside no word, also of other characters.
    ['?', []],
    ['?id', []],
    ['/ =7', []],
    ['/', [1]],
  ])('by all words of see_also compares words: %s', async (words, expected) => {
    expect(await chart('see_also', 'allwords', words)).toEqual(expected);
  });

  it.each(['naïve', 'nai\u0308ve', 'NAI\u0308VE'])(
    'finds a text in either spelling of its letters: %s',
    async (word) => {
      expect(await find({ summary: word })).toEqual([3]);
      expect(await chart('short_desc', 'regexp', 'na.')).toEqual([3]);
      expect(await find({ longdesc: word })).toEqual([2]);
      expect(await chart('longdesc', 'anywords', word)).toEqual([2]);
      expect(await chart('content', 'matches', word)).toEqual([2, 3]);
      expect(await find({ quicksearch: `ALL ${word}` })).toEqual([2, 3]);
    },
  );

  it('finds a word of a comment that was written with combining marks', async () => {
    expect(await find({ quicksearch: 'ALL café' })).toEqual([1]);
  });

  it.each([
    ['ALL worked more', [1]],
    ['ALL worked than the', [1]],
    ['ALL worked about', [1]],
    ['12345,more.', [1]],
    ['ALL the', []],
    ['ALL created', []],
    ['ALL Screenshot', []],
    ['ALL look', [2]],
  ])('by quicksearch demands words that comments are searched for: %s', async (quicksearch, expected) => {
    expect(await find({ quicksearch })).toEqual(expected);
  });

  it('by content does not know the first lines of a comment on an attachment', async () => {
    expect(await chart('content', 'matches', 'attachment')).toEqual([]);
    expect(await chart('content', 'matches', 'look')).toEqual([2]);
  });

  it.each([
    ['assigned_to_realname,bug_id', [1, 3, 2]],
    ['assigned_to_realname DESC,bug_id', [2, 1, 3]],
    ['map_assigned_to.login_name DESC,bug_id DESC', [3, 1, 2]],
    ['reporter_realname,bug_id DESC', [3, 2, 1]],
    ['qa_contact_realname,bug_id', [1, 2, 3]],
    ['longdescs.count DESC', [2, 1, 3]],
    ['percentage_complete DESC,bug_id', [1, 2, 3]],
  ])('is ordered by %s', async (order, expected) => {
    expect(await find({ order })).toEqual(expected);
    expect(await find({ order, limit: '2' })).toEqual(expected.slice(0, 2));
  });
});

describe('the fields of a response', () => {
  it.each([
    ['include_fields=id,cf_day&exclude_fields=_custom', ['id', 'cf_day']],
    ['include_fields=id,_custom&exclude_fields=cf_day', ['id', 'cf_when']],
    ['include_fields=id,summary&exclude_fields=_default', ['id', 'summary']],
    ['include_fields=id,summary&exclude_fields=_default,summary', ['id']],
    ['include_fields=_default&exclude_fields=_default', []],
    ['include_fields=id&exclude_fields=_all', []],
  ])('are those that are named, though their group is excluded: %s', async (query, expected) => {
    const { body } = await call('GET', `/rest/bug/1?${query}`);
    expect(Object.keys(body.bugs[0]).toSorted()).toEqual(expected.toSorted());
  });

  it('list components by name, whatever their accents', async () => {
    const { body } = await call('GET', '/rest/product/1?include_fields=components.name');
    const names = body.products[0].components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['api', 'Core', 'Ünï', 'With']);
  });
});

describe('a request', () => {
  const given = {
    product: 'Alpha',
    component: 'Core',
    version: '1',
    summary: 's',
    op_sys: 'All',
    platform: 'All',
  };

  it('to create a bug gives the hours that remain, and tags of the description', async () => {
    const more = {
      estimated_time: 8,
      remaining_time: 3,
      comment_tags: ['first-one'],
      type: 'defect',
      attachment_id: 1,
    };
    const { status, body } = await call('POST', '/rest/bug', { ...given, description: 'd', ...more });
    expect([status, body]).toEqual([200, { id: expect.any(Number) }]);
    const { body: read } = await call(
      'GET',
      `/rest/bug/${body.id}?include_fields=estimated_time,remaining_time`,
    );
    expect(read.bugs).toEqual([{ estimated_time: 8, remaining_time: 3 }]);
    const { body: comments } = await call('GET', `/rest/bug/${body.id}/comment`);
    expect(comments.bugs[body.id].comments).toMatchObject([{ text: 'd', tags: ['first-one'] }]);
    const refused = await call('POST', '/rest/bug', { ...given, comment_tags: ['x'] });
    expect([refused.status, refused.body.code]).toEqual([400, 128]);
  });

  it('that gives an open bug an unknown resolution beside its status changes nothing', async () => {
    const body = { resolution: 'nosuch', status: 'CONFIRMED' };
    const { status, body: updated } = await call('PUT', '/rest/bug/3', body);
    expect([status, updated.bugs[0].changes]).toEqual([200, {}]);
  });

  it('that resolves a bug with an unknown resolution, or resolves none, is refused', async () => {
    const closing = await call('PUT', '/rest/bug/3', { status: 'RESOLVED', resolution: 'nosuch' });
    expect([closing.status, closing.body.code]).toEqual([404, 51]);
    const open = await call('PUT', '/rest/bug/3', { resolution: 'FIXED' });
    expect([open.status, open.body.code]).toEqual([400, 122]);
  });

  it.each(['false', 'False', 'FALSE'])('takes the text %s for the boolean', async (text) => {
    const { body } = await call('PUT', '/rest/bug/3', { is_cc_accessible: text });
    expect(body.bugs[0].changes).toEqual({ is_cc_accessible: { removed: '1', added: '0' } });
    await call('PUT', '/rest/bug/3', { is_cc_accessible: 'true' });
  });

  it('for users trims their names', async () => {
    const { body } = await call('GET', `/rest/user?names=%20${REPORTER}%20`);
    expect(body.users).toMatchObject([{ name: REPORTER }]);
  });

  it('that creates a group makes its caller a member', async () => {
    expect((await call('POST', '/rest/group', { name: 'crew', description: 'd' })).status).toBe(201);
    const { body } = await call('GET', `/rest/user?names=${ADMIN}`);
    expect(body.users[0].groups.map(({ name }: { name: string }) => name)).toContain('crew');
    const again = await call('POST', '/rest/group', { name: 'Crew', description: 'd' });
    expect([again.status, again.body.code]).toEqual([400, 801]);
  });
});
