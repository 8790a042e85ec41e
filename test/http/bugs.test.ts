import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';

const key = (name: string) => `${name}Key`.padEnd(40, '0');
const [ADMIN, USER, PLAIN, SECRET] = ['Admin', 'User', 'Plain', 'Secret'].map(key);

const bugless = useStarted(startBugless);

const get = (path: string, as?: string) => bugless.call('GET', path, { key: as });
const post = (body: object, as = USER) => bugless.call('POST', '/rest/bug', { key: as, body });
const put = (path: string, body: object, as = USER) =>
  bugless.call('PUT', `/rest/bug/${path}`, { key: as, body });

describe('GET /rest/bug', () => {
  const idsOf = async (query: string, as?: string) => {
    const { status, body } = await get(`/rest/bug?${query}&include_fields=id`, as);
    expect(status).toBe(200);
    return body.bugs.map(({ id }: { id: number }) => id);
  };

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

  it.each([
    ['f1=priority&o1=resembles&v1=x', 400, 32000],
    ['f1=constructor&o1=equals&v1=x', 400, 108],
    ['f1=__proto__&o1=equals&v1=x', 400, 108],
    ['f1=assigned_to&o1=resembles&v1=%25reporter%25', 400, 32000],
    ['f1=assigned_to&o1=toString&v1=%25user%25', 400, 32000],
    ['f1=short_desc&o1=regexp&v1=(', 400, 32000],
    ['f1=short_desc&o1=regexp&v1=(x%2Bx%2B)%2By&summary=x', 200, undefined],
    ['quicksearch="open', 400, 32000],
    ['assigned_to=%25user%25', 401, 410],
  ])('answers %s with %i and code %s', async (query, status, code) => {
    const reply = await get(`/rest/bug?${query}`);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });
});

describe('POST /rest/bug', () => {
  it('adds bugs of a restricted product to its groups', async () => {
    const bug = { product: 'DropBox', component: 'Main', summary: 's', version: 'unspecified' };
    const { body } = await post(bug, PLAIN);
    expect((await get(`/rest/bug/${body.id}`, USER)).body.code).toBe(102);
    expect((await get(`/rest/bug/${body.id}`, SECRET)).body.bugs[0].groups).toEqual(['secret-team']);
    expect((await get(`/rest/bug/${body.id}`, PLAIN)).status).toBe(200);
  });

  it.each([
    [{ description: 'D', comment: 'C' }, 'C'],
    [{ comment: '', description: 'D' }, 'D'],
    [{ comment: ' ', description: 'D' }, 'D'],
    [{ comment: null, description: 'D' }, 'D'],
    [{ comment: 'C' }, 'C'],
  ])('takes the description of %j', async (given, text) => {
    const { body } = await post({
      product: 'Alpha',
      component: 'Core',
      version: '1.0',
      summary: 's',
      ...given,
    });
    const { bugs } = (await get(`/rest/bug/${body.id}/comment`, USER)).body;
    expect(bugs[body.id].comments[0].text).toBe(text);
  });

  it.each([
    [{ summary: 's'.repeat(256) }, 400, 104],
    [{ summary: 's', cc: ['unknown@example.com'] }, 401, 504],
    [{ summary: 's', description: 'd'.repeat(65_536) }, 400, 114],
  ])('refuses %j with %i and code %i', async (wrong, status, code) => {
    const reply = await post({ product: 'Alpha', component: 'Core', version: '1.0', ...wrong });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
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

  it.each([
    ['+1', 52],
    ['1e1', 52],
    ['-0.001', 55],
    ['99999.991', 54],
    [1e21, 54],
    ['2.345', undefined],
    [1e-7, undefined],
  ])('takes hours that are estimated, and that were worked, by one rule: %j', async (hours, code) => {
    const id = await create();
    const { body: estimated } = await put(`${id}`, { estimated_time: hours }, ADMIN);
    const { body: worked } = await put(`${id}`, { work_time: hours }, ADMIN);
    expect([estimated.code, worked.code]).toEqual([code, code === 55 ? undefined : code]);
  });

  it('resets the assignee to that of the component after a move', async () => {
    const id = await create({ product: 'beta', component: 'Main', assigned_to: 'user@example.com' });
    const move = { product: 'Comma, Inc.', reset_assigned_to: true };
    expect((await put(`${id}`, move, ADMIN)).status).toBe(200);
    expect(await bugOf(id)).toMatchObject({ product: 'Comma, Inc.', assigned_to: 'admin@example.com' });
  });
});
