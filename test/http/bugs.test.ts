import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';

const key = (name: string) => `${name}Key`.padEnd(40, '0');
const [ADMIN, USER, PLAIN, SECRET, TRACKER, INSIDER] = [
  'Admin',
  'User',
  'Plain',
  'Secret',
  'Tracker',
  'Insider',
].map(key);

const bugless = useStarted(startBugless);

const get = (path: string, as?: string) => bugless.call('GET', path, { key: as });
const post = (body: object, as = USER) => bugless.call('POST', '/rest/bug', { key: as, body });
const put = (path: string, body: object, as = USER) =>
  bugless.call('PUT', `/rest/bug/${path}`, { key: as, body });

describe('GET /rest/bug/<id or alias>', () => {
  it('returns a bug by id, and by alias in any case', async () => {
    const { status, body } = await get('/rest/bug/ALPHA-bug');
    expect(status).toBe(200);
    expect(body.faults).toEqual([]);
    expect(body.bugs).toMatchObject([
      {
        id: 1,
        alias: ['alpha-bug'],
        product: 'Alpha',
        component: 'UI',
        version: 'unspecified',
        summary: 'First bug with alias',
        creator: 'user@example.com',
        assigned_to: 'user@example.com',
        assigned_to_detail: { id: 2, name: 'user@example.com', real_name: 'Ursula User' },
        qa_contact: 'insider@example.com',
        cc: [],
        groups: [],
        creation_time: '2024-01-02T00:00:00Z',
        last_change_time: '2024-01-02T08:00:00Z',
        status: 'CONFIRMED',
        is_open: true,
      },
    ]);
    expect((await get('/rest/bug/1')).body).toEqual(body);
  });

  it.each([
    ['99999', undefined, 404, 101],
    ['no-such', undefined, 400, 100],
    ['4', undefined, 401, 102],
    ['4', USER, 401, 102],
    ['4', SECRET, 200, undefined],
  ])('answers %s to %s with %i and code %s', async (name, as, status, code) => {
    const reply = await get(`/rest/bug/${name}`, as);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('does not shadow the routes of comments', async () => {
    expect((await get('/rest/bug/comment/10')).body.comments['10'].id).toBe(10);
    expect((await get('/rest/bug/1/comment')).body.bugs['1'].comments).toHaveLength(8);
  });
});

describe('GET /rest/bug', () => {
  const idsOf = async (query: string, as?: string) => {
    const { status, body } = await get(`/rest/bug?${query}&include_fields=id`, as);
    expect(status).toBe(200);
    return body.bugs.map(({ id }: { id: number }) => id);
  };

  it.each([
    ['id=1,2', [1, 2]],
    ['id=2&id=1&id=1', [1, 2]],
    ['id=1&alias=alpha-bug', [1]],
    ['id=3&alias=alpha-bug', []],
    ['id=1,4,99999,nothing', [1]],
    ['id=5,3,2&limit=2', [2, 3]],
  ])('answers the bugs that the caller may see: %s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it('finds a bug immediately after its creation and after an update', async () => {
    const made = { product: 'beta', component: 'Main', version: 'unspecified', summary: 'Here and there' };
    const { body } = await post({ ...made, cc: ['plain@example.com'] });
    const since = (await get(`/rest/bug/${body.id}`)).body.bugs[0].last_change_time;
    for (const query of [
      'product=beta&status=__open__',
      'assigned_to=admin@example.com&summary=there',
      'creator=user@example.com&summary=there',
      'cc=plain@example.com',
      `last_change_time=${since}`,
      'quicksearch=there',
    ]) {
      expect(await idsOf(query), query).toContain(body.id);
    }
    await put(`${body.id}`, {
      status: 'RESOLVED',
      resolution: 'FIXED',
      assigned_to: 'tracker@example.com',
      cc: { remove: ['plain@example.com'] },
    });
    expect(await idsOf('product=beta&status=__closed__')).toEqual([body.id]);
    expect(await idsOf('assigned_to=tracker')).toEqual([body.id]);
    expect(await idsOf('cc=plain@example.com')).toEqual([]);
    expect(await idsOf('quicksearch=there')).toEqual([]);
  });

  it.each([
    ['f1=assigned_to&o1=equals&v1=%25reporter%25', [1, 5, 6]],
    ['f1=assigned_to&o1=notequals&v1=%25reporter%25', [2, 3, 7, 8, 9]],
    ['f1=reporter&o1=anyexact&v1=%25assignee%25', [1, 5, 6]],
    ['f1=reporter&o1=equals&v1=%25qacontact%25', []],
    ['f1=qa_contact&o1=regexp&v1=^$', [2, 3, 6, 7, 8, 9]],
    ['f1=qa_contact&o1=regexp&v1=.*', [1, 2, 3, 5, 6, 7, 8, 9]],
    ['f1=qa_contact&o1=regexp&v1=^in', [1, 5]],
    ['f1=product&o1=regexp&v1=^alpha$', [1, 2, 3, 7, 8, 9]],
    ['f1=product&o1=notregexp&v1=^alpha$', [5, 6]],
  ])('compares with people and patterns: %s', async (query, ids) => {
    expect((await idsOf(query)).filter((id: number) => id <= 9)).toEqual(ids);
  });

  it.each([
    ['status=constructor&id=1', [1]],
    ['status=__proto__&status=toString&id=1', [1]],
    ['order=constructor&id=2,1', [1, 2]],
    ['id=0x1,2e0,,003', [3]],
    ['f1=blocked&o1=anyexact&v1=0x2', []],
    ['limit=99999999999999999999&id=1', [1]],
    ['limit=99999999999999999999&product=Alpha&priority=none', []],
    ['limit=99999999999999999999&order=changeddate&priority=none', []],
    ['limit=1&offset=99999999999999999999&product=Alpha', []],
    ['limit=99999999999999999999&offset=99999999999999999999&product=Alpha', []],
  ])('takes unusual names and numbers: %s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it('pages by offset and by the time of the last change, each bug once', async () => {
    const all = await idsOf('last_change_time=1970-01-01&order=changeddate,bug_id');
    const pages = await Promise.all(
      [0, 3, 6].map((offset) =>
        idsOf(`last_change_time=1970-01-01&order=changeddate,bug_id&limit=3&offset=${offset}`),
      ),
    );
    expect(pages.flat()).toEqual(all.slice(0, 9));
    expect(await idsOf('order=changeddate DESC,bug_id&limit=3')).toEqual(
      (await idsOf('order=changeddate DESC,bug_id')).slice(0, 3),
    );
  });

  it('returns restricted bugs to permitted users only, by any condition', async () => {
    for (const query of [
      'product=Secret',
      'id=4',
      'assigned_to=admin',
      'order=changeddate',
      'quicksearch=ALL Vault',
    ]) {
      expect(await idsOf(query, USER), query).not.toContain(4);
      expect(await idsOf(query, SECRET), query).toContain(4);
    }
  });

  it.each([
    ['limit=two', 400, 52],
    ['offset=1', 400, 50],
    ['creation_time=2024-02-30', 400, 56],
    ['f1=nosuch&o1=equals&v1=x', 400, 108],
    ['f1=priority&o1=resembles&v1=x', 400, 32000],
    ['f1=constructor&o1=equals&v1=x', 400, 108],
    ['f1=__proto__&o1=equals&v1=x', 400, 108],
    ['f1=assigned_to&o1=resembles&v1=%25reporter%25', 400, 32000],
    ['f1=assigned_to&o1=toString&v1=%25user%25', 400, 32000],
    ['f1=short_desc&o1=regexp&v1=(', 400, 32000],
    ['f1=short_desc&o1=regexp&v1=(x%2Bx%2B)%2By&summary=x', 200, undefined],
    ['quicksearch=%20', 400, 1000],
    ['quicksearch="open', 400, 32000],
    ['assigned_to=%25user%25', 401, 410],
  ])('answers %s with %i and code %s', async (query, status, code) => {
    const reply = await get(`/rest/bug?${query}`);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });
});

describe('POST /rest/bug', () => {
  const bug = {
    product: 'Alpha',
    component: 'Core',
    summary: ' It breaks ',
    version: '1.0',
    description: 'Loudly.\r\n',
  };

  it('deduplicates aliases and users', async () => {
    const twice = { alias: ['Twice', ' twice', ''], cc: ['plain@example.com', 'PLAIN@example.com', ''] };
    const { status, body } = await post({ ...bug, ...twice });
    expect(status).toBe(200);
    const [made] = (await get(`/rest/bug/${body.id}`)).body.bugs;
    expect([made.alias, made.cc]).toEqual([['Twice'], ['plain@example.com']]);
  });

  it('creates a bug with its description, readable immediately', async () => {
    const { status, body } = await post({ ...bug, alias: 'Loud', cc: ['PLAIN@example.com'], op_sys: 'All' });
    expect(status).toBe(200);
    const made = (await get('/rest/bug/loud')).body.bugs[0];
    expect(made).toMatchObject({
      id: body.id,
      alias: ['Loud'],
      product: 'Alpha',
      component: 'Core',
      version: '1.0',
      summary: 'It breaks',
      creator: 'user@example.com',
      assigned_to: 'admin@example.com',
      cc: ['plain@example.com'],
      status: 'CONFIRMED',
    });
    const { comments } = (await get('/rest/bug/loud/comment')).body.bugs[body.id];
    expect(comments).toMatchObject([{ count: 0, text: 'Loudly.', creator: 'user@example.com' }]);
    expect((await get(`/rest/bug/comment/${comments[0].id}`)).status).toBe(200);
  });

  it('adds bugs of a restricted product to its groups', async () => {
    const { body } = await post(
      { product: 'DropBox', component: 'Main', summary: 's', version: 'unspecified' },
      PLAIN,
    );
    expect((await get(`/rest/bug/${body.id}`, USER)).body.code).toBe(102);
    expect((await get(`/rest/bug/${body.id}`, SECRET)).body.bugs[0].groups).toEqual(['secret-team']);
    expect((await get(`/rest/bug/${body.id}`, PLAIN)).status).toBe(200);
  });

  it.each([
    [{ product: 'Nope' }, 401, 106],
    [{ product: 'Secret' }, 401, 106],
    [{ product: 'Closed', component: 'Main' }, 401, 106],
    [{ component: '' }, 400, 105],
    [{ component: 'Nope' }, 404, 51],
    [{ component: 'Legacy' }, 400, 32000],
    [{ version: '' }, 400, 50],
    [{ version: '77' }, 404, 51],
    [{ version: '0.9' }, 400, 32000],
    [{ summary: ' ' }, 400, 107],
    [{ summary: 's'.repeat(256) }, 400, 104],
    [{ alias: '12' }, 400, 103],
    [{ alias: 'alpha-bug' }, 400, 103],
    [{ assigned_to: 'unknown@example.com' }, 404, 51],
    [{ cc: ['unknown@example.com'] }, 401, 504],
    [{ nosuch: 1 }, 400, 53],
    [{ status: 'RESOLVED' }, 400, 123],
    [{ groups: ['secret-team'] }, 401, 120],
    [{ comment_is_private: true }, 401, 113],
    [{ description: 'd'.repeat(65_536) }, 400, 114],
    [{ summary: ['a'] }, 400, 53],
  ])('refuses %j with %i and code %i', async (wrong, status, code) => {
    const reply = await post({ ...bug, ...wrong });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('requires authentication', async () => {
    const { status, body } = await bugless.call('POST', '/rest/bug', { body: bug });
    expect([status, body.code]).toEqual([401, 410]);
  });
});

describe('PUT /rest/bug/<id or alias>', () => {
  it('reports invalid comments', async () => {
    for (const comment of [[], { body: {} }]) {
      const { status, body } = await put('7', { comment });
      expect([status, body.code]).toEqual([400, 53]);
      expect(body.message).toMatch(/'comment'.*object with a body/);
    }
  });

  const lastComment = async (bug: number) =>
    (await get(`/rest/bug/${bug}/comment`, ADMIN)).body.bugs[bug].comments.at(-1);

  it('adds a comment, by either name of its text', async () => {
    const { status, body } = await put('7', {
      ids: [7],
      comment: { comment: 'by comment', is_private: false },
    });
    expect(status).toBe(200);
    expect(body.bugs).toMatchObject([{ id: 7, alias: ['write-bug'], changes: {} }]);
    expect((await lastComment(7)).text).toBe('by comment');
    await put('write-bug', { comment: { body: 'by body', is_private: true } }, INSIDER);
    expect(await lastComment(7)).toMatchObject({ text: 'by body', is_private: true });
  });

  it('adds a comment to every bug of the path and of ids, once', async () => {
    const { body } = await put('7', { ids: [7, 'write-bug', 2], comment: { body: 'to two' } });
    expect(body.bugs.map(({ id }: { id: number }) => id)).toEqual([7, 2]);
    const texts = (await get('/rest/bug/7/comment')).body.bugs[7].comments.map(
      ({ text }: { text: string }) => text,
    );
    expect(texts.filter((text: string) => text === 'to two')).toHaveLength(1);
    expect((await lastComment(2)).text).toBe('to two');
  });

  it('adds hours worked with a comment', async () => {
    expect((await put('7', { comment: { body: 'worked' }, work_time: '1.5' }, TRACKER)).status).toBe(200);
    const reply = await put('7', { comment: { body: 'worked' }, work_time: 'much' }, TRACKER);
    expect([reply.status, reply.body.code]).toEqual([400, 52]);
  });

  it.each([
    [{ comment: { body: 'x' }, status: 'RESOLVED' }, 400, 121],
    [{ comment: { body: 'x' }, priority: 'P1' }, 404, 51],
    [{ comment: { body: 'x' }, ids: [7, 99999] }, 404, 101],
    [{ comment: { body: 'x' }, ids: [4] }, 401, 102],
    [{ comment: ['x'] }, 400, 53],
    [{ comment: { body: 'x', is_private: true } }, 401, 113],
  ])('refuses %j with %i and code %i, and changes nothing', async (body, status, code) => {
    const before = await lastComment(7);
    const reply = await put('7', body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(await lastComment(7)).toEqual(before);
  });

  it('ignores empty changes and blank comments', async () => {
    const before = await lastComment(7);
    for (const body of [{}, { comment: { body: ' ' } }, { nosuch: 1 }]) {
      expect((await put('7', body)).body.bugs).toMatchObject([{ id: 7, changes: {} }]);
    }
    expect(await lastComment(7)).toEqual(before);
  });

  it('changes all bugs or none', async () => {
    const body = { ids: [2, 4], whiteboard: 'all or none' };
    expect((await put('7', body)).body.code).toBe(102);
    expect((await get('/rest/bug/7')).body.bugs[0].whiteboard).toBe('');
    expect((await put('7', { ids: [2], whiteboard: 'both' })).body.bugs).toMatchObject([
      { id: 7, changes: { whiteboard: { removed: '', added: 'both' } } },
      { id: 2, changes: { whiteboard: { removed: '', added: 'both' } } },
    ]);
  });

  it('records every change with user and time; time tracking fields are for time trackers', async () => {
    await put('3', { priority: 'High', comment: { body: 'with words' } });
    await put('3', { estimated_time: 3, work_time: 1 }, TRACKER);
    const { history } = (await get('/rest/bug/3/history', TRACKER)).body.bugs[0];
    expect(history).toMatchObject([
      { who: 'user@example.com', changes: [{ field_name: 'priority', removed: '---', added: 'High' }] },
      {
        who: 'tracker@example.com',
        changes: [
          { field_name: 'estimated_time', removed: '0.00', added: '3' },
          { field_name: 'work_time', removed: '', added: '1' },
        ],
      },
    ]);
    expect((await get('/rest/bug/3/history')).body.bugs[0].history).toHaveLength(1);
  });

  it('tags the added comment, for comment taggers', async () => {
    await put('2', { comment: 'Tag me', comment_tags: ['tagged-at-once'] });
    expect((await lastComment(2)).tags).toEqual(['tagged-at-once']);
  });

  it('changes nothing when a tag for the comment is invalid', async () => {
    const before = await lastComment(2);
    const tags = ['ok-tag', 'not a tag'];
    expect((await put('2', { comment: 'Not written', comment_tags: tags })).body.code).toBe(126);
    expect(await lastComment(2)).toEqual(before);
  });

  it('updates both bugs of a dependency', async () => {
    await put('2', { depends_on: { add: [3] } });
    expect((await get('/rest/bug/3')).body.bugs[0].blocks).toEqual([2]);
    expect((await put('3', { depends_on: { add: [2] } })).body.code).toBe(116);
    await put('3', { blocks: { set: [] } });
    expect((await get('/rest/bug/2')).body.bugs[0].depends_on).toEqual([]);
  });
});

describe('changes of bugs at their limits', () => {
  let created = 0;
  const create = async (more: object = {}): Promise<number> => {
    created += 1;
    const bug = { product: 'Alpha', component: 'UI', version: 'unspecified', summary: `Limit ${created}` };
    const { status, body } = await post({ ...bug, ...more }, ADMIN);
    expect(status).toBe(200);
    return body.id;
  };
  const bugOf = async (id: number) => (await get(`/rest/bug/${id}`, ADMIN)).body.bugs[0];

  it('refuses a comment that is too long with the text about the duplicate', async () => {
    const [id, other] = [await create(), await create()];
    const { status, body } = await put(`${id}`, { comment: 'x'.repeat(65_535), dupe_of: other }, ADMIN);
    expect([status, body.code]).toEqual([400, 114]);
    expect((await bugOf(id)).dupe_of).toBeNull();
  });

  it('limits texts in bytes, so that their history fits an item', async () => {
    const id = await create();
    const [long, longer] = ['€'.repeat(21_845), '€'.repeat(21_846)];
    expect((await put(`${id}`, { whiteboard: longer }, ADMIN)).body.code).toBe(53);
    for (const text of [long, long.replaceAll('€', '☃')]) {
      expect((await put(`${id}`, { whiteboard: text, url: text }, ADMIN)).status).toBe(200);
    }
  });

  it('refuses a change of more than a transaction may have', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await create());
    const text = '€'.repeat(21_845);
    const change = { ids: ids.slice(1), whiteboard: text, url: text, comment: { body: '€'.repeat(65_535) } };
    const { status, body } = await put(`${ids[0]}`, change, ADMIN);
    expect([status, body.code]).toEqual([400, 32000]);
    expect((await bugOf(ids[0] ?? 0)).whiteboard).toBe('');
  });

  it('takes the last of two spellings of a comment id', async () => {
    const comment_is_private = { '10': true, '010': false };
    expect((await put('1', { comment_is_private }, ADMIN)).status).toBe(200);
  });

  it('refuses a see_also of an unknown bug, and stores each once', async () => {
    const id = await create();
    expect((await put(`${id}`, { see_also: { add: ['999999'] } }, ADMIN)).body.code).toBe(101);
    const linked = await create({ see_also: [`${id}`, `0${id}`] });
    expect((await bugOf(linked)).see_also).toHaveLength(1);
    expect((await bugOf(id)).see_also).toHaveLength(1);
  });

  it.each([
    ['dupe_of', (alias: string) => ({ blocks: { add: [alias] }, dupe_of: ` ${alias.toUpperCase()} ` }), 200],
    [
      'depends_on',
      (alias: string) => ({ blocks: { add: [alias] }, depends_on: { add: [alias.toUpperCase()] } }),
      400,
    ],
  ])('recognizes a bug that %s names in another spelling', async (field, changeOf, expected) => {
    const alias = `spelled-${field}`;
    const other = await create({ alias });
    const id = await create();
    const { status } = await put(`${id}`, changeOf(alias), ADMIN);
    expect(status).toBe(expected);
    expect((await bugOf(id)).dupe_of).toBe(expected === 200 ? other : null);
  });

  it('refuses a remaining time that work time raises over the maximum', async () => {
    const id = await create({ estimated_time: '99999.99' });
    const { body } = await put(`${id}`, { work_time: '-1' }, ADMIN);
    expect(body.code).toBe(54);
  });

  it('resets the assignee to that of the component after a move', async () => {
    const id = await create({ product: 'beta', component: 'Main', assigned_to: 'user@example.com' });
    const move = { product: 'Comma, Inc.', reset_assigned_to: true };
    expect((await put(`${id}`, move, ADMIN)).status).toBe(200);
    expect(await bugOf(id)).toMatchObject({ product: 'Comma, Inc.', assigned_to: 'admin@example.com' });
  });
});
