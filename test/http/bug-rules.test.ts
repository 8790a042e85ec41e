import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, startBuglessWithPermissions } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('bugs');

let bugless: Bugless;
beforeAll(async () => {
  bugless = await startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS);
});

const NEW = { product: 'Alpha', component: 'Core', version: 'unspecified', summary: 'New' };

const put = (id: number, body: object, as = 'user') =>
  bugless.call('PUT', `/rest/bug/${id}`, { key: keys.get(as), body });
const post = (body: object, as = 'user') =>
  bugless.call('POST', '/rest/bug', { key: keys.get(as), body: { ...NEW, ...body } });
const bugOf = async (id: number) =>
  (await bugless.call('GET', `/rest/bug/${id}`, { key: keys.get('admin') })).body.bugs[0];
const create = async (body: object = {}): Promise<number> => (await post(body)).body.id;

describe('a rule holds for every bug that a request touches', () => {
  it.each<[string, () => ReturnType<typeof put>, number, number]>([
    ['moving one bug', () => put(1, { product: 'NoEntry' }), 401, 106],
    [
      'moving several bugs, one of which is there',
      () => put(1, { product: 'NoEntry', ids: ['2'] }),
      401,
      106,
    ],
    ['a new bug', () => post({ product: 'NoEntry' }), 401, 106],
  ])('a product that the caller may not enter: %s', async (_, send, status, code) => {
    const { status: actual, body } = await send();
    expect([actual, body.code]).toEqual([status, code]);
  });

  it.each<[string, (other: number) => ReturnType<typeof put>]>([
    ['PUT', (other) => put(1, { see_also: { add: [String(other)] } })],
    ['PUT of several', (other) => put(1, { ids: ['2'], see_also: { add: [String(other)] } })],
    ['POST', (other) => post({ see_also: [String(other)] })],
  ])('see_also of a bug that the caller may not see, or not change: %s', async (_, send) => {
    const [hidden, notEditable] = [await send(4), await send(6)];
    expect([hidden.status, hidden.body.code]).toEqual([401, 102]);
    expect([notEditable.status, notEditable.body.code]).toEqual([401, 109]);
    expect((await bugOf(6)).see_also).toEqual([]);
  });

  it('see_also of a bug that others are assigned to takes editbugs', async () => {
    const own = (await post({}, 'noedit')).body.id;
    const { status, body } = await put(own, { see_also: { add: ['2'] } }, 'noedit');
    expect([status, body.code]).toEqual([401, 115]);
    expect((await bugOf(2)).see_also).toEqual([]);
  });

  it.each(['blocks', 'depends_on'])('%s with a bug that the caller does not see', async (field) => {
    const id = await create();
    await put(id, { [field]: { add: ['4'] } }, 'admin');
    for (const change of [{ add: ['4'] }, { remove: ['4'] }, { set: ['4'] }]) {
      const { status, body } = await put(id, { [field]: change });
      expect([status, body.code]).toEqual([401, 102]);
    }
    expect((await put(id, { [field]: { set: ['1'] } })).status).toBe(200);
    expect((await bugOf(id))[field]).toEqual([1, 4]);
  });

  it('a bug is not its own see_also, and does not depend on itself', async () => {
    const id = await create();
    expect((await put(id, { see_also: { add: [String(id)] } })).body.code).toBe(112);
    expect((await put(id, { depends_on: { add: [String(id)] } })).body.code).toBe(116);
  });

  it('a loop of dependencies is refused to an update and to a creation', async () => {
    const [a, b] = [await create(), await create()];
    expect((await put(a, { depends_on: { add: [String(b)] } })).status).toBe(200);
    expect((await put(b, { depends_on: { add: [String(a)] } })).body.code).toBe(116);
    expect((await post({ depends_on: [String(a)], blocks: [String(b)] })).body.code).toBe(116);
    expect((await post({ depends_on: [String(a)], blocks: [String(a)] })).body.code).toBe(116);
  });
});

describe('changes of lists', () => {
  it('a change of case alone is recorded', async () => {
    const id = await create({ alias: 'case-alias' });
    const { body } = await put(id, { alias: { set: ['Case-Alias'] } });
    expect(body.bugs[0].changes.alias).toEqual({ removed: 'case-alias', added: 'Case-Alias' });
    expect((await bugOf(id)).alias).toEqual(['Case-Alias']);
  });

  it('of the same element in add and remove, remove wins', async () => {
    const id = await create();
    const { body } = await put(id, { cc: { add: ['plain@example.com'], remove: ['plain@example.com'] } });
    expect(body.bugs[0].changes).toEqual({});
  });

  it('have at most 100 names', async () => {
    const names = Array.from({ length: 101 }, (_, index) => String(1_000 + index));
    for (const change of [
      { blocks: { remove: names } },
      { see_also: { add: names } },
      { keywords: { add: names } },
    ]) {
      expect((await put(1, change, 'noedit')).body).toMatchObject({ code: 32000 });
    }
  });
});

describe('a bug that is filled with as much as it takes', () => {
  it('can still be commented, closed, depended on and emptied', async () => {
    const id = await create({ whiteboard: 'w'.repeat(65_000), url: `http://x/${'u'.repeat(65_000)}` });
    for (let round = 0; ; round += 1) {
      const add = Array.from(
        { length: 90 },
        (_, index) => `https://example.org/${'x'.repeat(200)}/show_bug.cgi?id=${round * 90 + index + 1}`,
      );
      const { status, body } = await put(id, { see_also: { add } });
      if (status !== 200) {
        expect([status, body.code]).toEqual([400, 32000]);
        expect(body.message).toContain('KB');
        break;
      }
    }
    expect((await put(id, { comment: { body: 'full' }, work_time: 1 }, 'tracker')).status).toBe(200);
    const other = await create({ depends_on: [String(id)] });
    expect((await bugOf(id)).blocks).toEqual([other]);
    expect((await put(id, { whiteboard: '', url: '', status: 'RESOLVED', resolution: 'FIXED' })).status).toBe(
      200,
    );
    await expectNoViolations(bugless.table);
  });
});
