import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('bugs');

const bugless = useStarted(() => startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS));

const NEW = { product: 'Alpha', component: 'Core', version: 'unspecified', summary: 'New' };

const put = (id: number, body: object, as = 'user') =>
  bugless.call('PUT', `/rest/bug/${id}`, { key: keys.get(as), body });
const post = (body: object, as = 'user') =>
  bugless.call('POST', '/rest/bug', { key: keys.get(as), body: { ...NEW, ...body } });
const bugOf = async (id: number) =>
  (await bugless.call('GET', `/rest/bug/${id}`, { key: keys.get('admin') })).body.bugs[0];
/** The address of a comment of a bug of this deployment. */
const addressOf = (id: number) => `${bugless.url}/show_bug.cgi?id=${id}#c1`;
const create = async (body: object = {}): Promise<number> => (await post(body)).body.id;
/** The changes of a bug's history. */
const changesOf = async (id: number, as = 'tracker'): Promise<object[]> => {
  const { body } = await bugless.call('GET', `/rest/bug/${id}/history`, { key: keys.get(as) });
  return body.bugs[0].history.flatMap((entry: { changes: object[] }) => entry.changes);
};
const comment = (id: number, body: object, as = 'tracker') =>
  bugless.call('POST', `/rest/bug/${id}/comment`, { key: keys.get(as), body });

describe('a rule holds for every bug that a request touches', () => {
  it.each<[string, () => ReturnType<typeof put>, number, number]>([
    ['moving one bug', () => put(1, { product: 'NoEntry' }), 401, 106],
    ['a new bug', () => post({ product: 'NoEntry' }), 401, 106],
  ])('a product that the caller may not enter: %s', async (_, send, status, code) => {
    const { status: actual, body } = await send();
    expect([actual, body.code]).toEqual([status, code]);
  });

  it.each<[string, (product: string) => ReturnType<typeof put>]>([
    ['a new bug', (product) => post({ product })],
    ['moving one bug', (product) => put(1, { product })],
    ['flag types', (product) => bugless.call('GET', `/rest/flag_type/${product}`)],
    ['flag types of a component', (product) => bugless.call('GET', `/rest/flag_type/${product}/Vault`)],
    ['a longer path', (product) => bugless.call('GET', `/rest/flag_type/${product}/Vault/Main`)],
  ])('a hidden product is as one that does not exist: %s', async (_, send) => {
    const [hidden, unknown] = [await send('sEcReT'), await send('nosuch')];
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.body).toEqual(JSON.parse(JSON.stringify(unknown.body).replaceAll('nosuch', 'sEcReT')));
  });

  it.each<[string, (other: number) => ReturnType<typeof put>]>([
    ['PUT', (other) => put(1, { see_also: { add: [String(other)] } })],
    ['POST', (other) => post({ see_also: [String(other)] })],
    ['PUT of an address', (other) => put(1, { see_also: { add: [addressOf(other)] } })],
    ['POST of an address', (other) => post({ see_also: [addressOf(other)] })],
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

  it('see_also of a bug that the caller does not see any more stays when it is removed at this end', async () => {
    const [own, other] = [await create(), (await post({}, 'admin')).body.id];
    await put(own, { see_also: { add: [String(other)] } });
    const move = { product: 'Secret', component: 'Vault', version: 'unspecified' };
    expect((await put(other, move, 'admin')).status).toBe(200);
    const { see_also } = await bugOf(own);
    expect((await put(own, { see_also: { remove: see_also } })).status).toBe(200);
    expect([(await bugOf(own)).see_also, (await bugOf(other)).see_also]).toEqual([[], [expect.any(String)]]);
  });

  it.each(['blocks', 'depends_on'])('%s with a bug that the caller does not see', async (field) => {
    const id = await create();
    await put(id, { [field]: { add: ['4'] } }, 'admin');
    for (const change of [{ add: ['4'] }, { remove: ['4'] }, { set: ['4'] }]) {
      const { status, body } = await put(id, { [field]: change });
      expect([status, body.code]).toEqual([401, 102]);
    }
    expect((await put(id, { [field]: { set: ['1'], add: ['4'], remove: ['4'] } })).status).toBe(200);
    expect((await bugOf(id))[field]).toEqual([1, 4]);
  });

  it('a hidden bug that is removed and not there changes nothing', async () => {
    const id = await create();
    for (const field of ['blocks', 'depends_on']) {
      const { status, body } = await put(id, { [field]: { remove: ['4', '9999'] } });
      expect([status, body.bugs[0].changes]).toEqual([200, {}]);
    }
  });

  it('a bug is not its own see_also, and does not depend on itself', async () => {
    const id = await create();
    for (const given of [String(id), addressOf(id)]) {
      expect((await put(id, { see_also: { add: [given] } })).body.code).toBe(112);
    }
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

it.each([
  ['a duplicate', async () => ({ dupe_of: await create() }), 'user'],
  ['hours', async () => ({ work_time: 1 }), 'admin'],
])('%s comments on a bug: an invalid tag for the comment changes nothing', async (_, change, as) => {
  const id = await create();
  const before = await bugOf(id);
  const { body } = await put(id, { ...(await change()), comment_tags: ['not a tag'] }, as);
  expect([body.code, await bugOf(id)]).toEqual([126, before]);
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
      { comment_is_private: Object.fromEntries(names.map((name) => [name, true])) },
    ]) {
      expect((await put(1, change, 'noedit')).body).toMatchObject({ code: 32000 });
    }
  });
});

it('a bug with as much as it takes can still be commented, closed, depended on and emptied', async () => {
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

describe('as Bugzilla reads values', () => {
  it.each<[string, object, object]>([
    [
      'keywords as a text with commas',
      { keywords: { set: 'regression, security' } },
      { keywords: ['regression', 'security'] },
    ],
    ['keywords as a text with spaces', { keywords: { add: 'perf  easy' } }, { keywords: ['easy', 'perf'] }],
    [
      'dependencies as a text',
      { blocks: { add: '2 3' }, depends_on: { set: '5,7' } },
      { blocks: [2, 3], depends_on: [5, 7] },
    ],
    ['a date of single digits', { deadline: '2031-1-2' }, { deadline: '2031-01-02' }],
    ['control characters of a summary', { summary: 'a\u0001\tb\u007fc\u0085d' }, { summary: 'a b c d' }],
    [
      'no internal names but that of the status',
      {
        ...{ short_desc: 'x', bug_severity: 'minor', status_whiteboard: 'x' },
        ...{ bug_status: 'RESOLVED', resolution: 'FIXED' },
      },
      {
        ...{ summary: 'New', severity: 'enhancement', whiteboard: '' },
        ...{ status: 'RESOLVED', resolution: 'FIXED' },
      },
    ],
    [
      'an alias in see_also',
      { see_also: { add: ['second'] } },
      { see_also: [expect.stringMatching(/show_bug\.cgi\?id=\d+$/)] },
    ],
  ])('PUT takes %s', async (_, change, expected) => {
    await post({ alias: 'second' });
    const id = await create();
    expect((await put(id, change, 'admin')).status).toBe(200);
    expect(await bugOf(id)).toMatchObject(expected);
  });

  it('null empties an alias', async () => {
    const id = await create({ alias: ['to-be-gone', 'to-be-gone-too'] });
    expect((await put(id, { alias: null })).status).toBe(200);
    expect((await bugOf(id)).alias).toEqual([]);
  });

  it('POST takes keywords and dependencies as a text, and internal names', async () => {
    const id = await create({
      keywords: 'perf regression',
      blocks: '2, 3',
      short_desc: undefined,
      status_whiteboard: 'w',
    });
    expect(await bugOf(id)).toMatchObject({
      keywords: ['perf', 'regression'],
      blocks: [2, 3],
      whiteboard: 'w',
    });
  });

  it.each([
    ['2031-01-02 10:00:00'],
    ['2031-01-02T00:00:00Z'],
    ['2031/01/02'],
    ['20310102'],
    ['2031-02-30'],
    ['31-1-2'],
    ['tomorrow'],
  ])('a deadline is no more than a date: %s', async (deadline) => {
    for (const { status, body } of [await put(1, { deadline }, 'admin'), await post({ deadline }, 'admin')]) {
      expect([status, body.code, body.message]).toEqual([400, 56, expect.stringContaining('YYYY-MM-DD')]);
    }
  });

  it.each([
    ['nonsense', 400, 100],
    ['alpha-bug', 400, 112],
    ['foo bar', 400, 112],
    ['ftp://example.org/show_bug.cgi?id=1', 400, 112],
    ['999999', 404, 101],
  ])('see_also %j is no bug', async (given, status, code) => {
    const add = [given];
    for (const reply of [await put(1, { see_also: { add } }), await post({ see_also: add })])
      expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it.each(['include_fields', 'exclude_fields'])('POST knows no %s', async (name) => {
    const { status, body } = await post({ [name]: 'id' });
    expect([status, body.code]).toEqual([400, 53]);
  });

  it('histories have hours as they were stored, and as they were given', async () => {
    const id = await create();
    await put(id, { estimated_time: 5 }, 'admin');
    await put(id, { estimated_time: '7.50', work_time: 1.5, comment: 'worked' }, 'admin');
    expect(await changesOf(id, 'admin')).toEqual(
      expect.arrayContaining([
        { field_name: 'estimated_time', removed: '0.00', added: '5' },
        { field_name: 'estimated_time', removed: '5.00', added: '7.5' },
        { field_name: 'work_time', removed: '', added: '1.50' },
      ]),
    );
  });

  it('a key in the query wins over one in the body', async () => {
    const [good, bad] = [String(keys.get('admin')), 'x'.repeat(40)];
    const send = (query: string, body: string) =>
      bugless.call('POST', `/rest/bug?api_key=${query}`, { body: { ...NEW, Bugzilla_api_key: body } });
    expect((await send(good, bad)).status).toBe(200);
    expect((await send(bad, good)).body.code).toBe(306);
  });
});

it.each<[string, string, number | undefined, string | undefined]>([
  ['confirm', 'RESOLVED', 123, undefined],
  ['confirm', 'IN_PROGRESS', undefined, 'IN_PROGRESS'],
  ['editor', 'RESOLVED', 123, undefined],
  ['editor', 'IN_PROGRESS', undefined, 'IN_PROGRESS'],
  ['noedit', 'RESOLVED', undefined, 'UNCONFIRMED'],
])(
  'the status of a new bug is obeyed for those who may confirm bugs, as in Bugzilla: %s, %s',
  async (as, status, code, expected) => {
    const { body } = await post({ status }, as);
    expect(body.code).toBe(code);
    if (expected !== undefined) expect((await bugOf(body.id)).status).toBe(expected);
  },
);

it('a component whose default assignee is disabled assigns to the first enabled one of the product', async () => {
  const made = await bugless.call('POST', '/rest/component', {
    key: keys.get('admin'),
    body: { name: 'Left', product: 'Alpha', description: 'd', default_assignee: 'disabled@example.com' },
  });
  expect(made.status).toBe(201);
  const ids = [await create({ component: 'Left' }), await create({ assigned_to: 'plain@example.com' })];
  const move = { component: 'Left', reset_assigned_to: true };
  expect((await put(ids[1] ?? 0, move)).status).toBe(200);
  for (const id of ids) {
    expect((await bugOf(id)).assigned_to).toBe('user@example.com');
    // Who names somebody means them.
    expect((await put(id, { assigned_to: 'disabled@example.com' })).status).toBe(200);
  }
});

describe('the values of a field', () => {
  const valuesOf = async (path: string) =>
    (await bugless.call('GET', `/rest/field/bug/${path}`, { key: keys.get('admin') })).body.values;

  it.each([
    ['status', 'bug_status'],
    ['Severity', 'bug_severity'],
    ['PLATFORM', 'rep_platform'],
  ])('are found under the name of the interface, in any case: %s', async (name, internal) => {
    const values = await valuesOf(`${name}/values`);
    expect(values.length).toBeGreaterThan(3);
    expect(values).toEqual(await valuesOf(`${internal}/values`));
  });

  it('of a product are found by a parameter, too; versions in natural order', async () => {
    const values = await valuesOf('version/values?product_id=2');
    expect(values).toEqual(['0.9', '1.0', '2.0', '2.0rc1', '10.0', 'unspecified']);
    expect(values).toEqual(await valuesOf('version/2/values'));
  });
});

it('a bug that moves to a component of the same name has the component among its changes', async () => {
  const { body: created } = await post({ product: 'beta', component: 'Main', version: 'unspecified' });
  const to = { component: 'Main', version: 'unspecified', target_milestone: '---' };
  const { status, body } = await put(created.id, { product: 'Comma, Inc.', ...to });
  expect(status).toBe(200);
  const component = { removed: 'Main', added: 'Main' };
  const product = { removed: 'beta', added: 'Comma, Inc.' };
  expect(body.bugs[0].changes).toEqual({ component, product });
  const { body: read } = await bugless.call('GET', `/rest/bug/${created.id}/history`);
  expect(read.bugs[0].history[0].changes).toContainEqual({ field_name: 'component', ...component });
});

describe('the resolution that an update gives', () => {
  it.each([
    { of: 'an open bug', given: { resolution: 'nosuch' }, expected: [404, 51] },
    { of: 'an open bug', given: { resolution: '' }, expected: [400, 50] },
    { of: 'an open bug', given: { resolution: '---' }, expected: [404, 51] },
    { of: 'an open bug', given: { resolution: 7 }, expected: [404, 51] },
    { of: 'an open bug', given: { resolution: 'FIXED' }, expected: [400, 122] },
    { of: 'an open bug', given: { resolution: 'nosuch', status: 'IN_PROGRESS' }, expected: [200, undefined] },
    { of: 'an open bug', given: { resolution: 'FIXED', status: 'CONFIRMED' }, expected: [200, undefined] },
    { of: 'an open bug', given: { resolution: '', status: 'IN_PROGRESS' }, expected: [200, undefined] },
    { of: 'an open bug', given: { resolution: 'nosuch', status: 'RESOLVED' }, expected: [404, 51] },
    { of: 'an open bug', given: { resolution: '', status: 'RESOLVED' }, expected: [400, 121] },
    { of: 'a closed bug', given: { resolution: 'nosuch' }, expected: [404, 51] },
    { of: 'a closed bug', given: { resolution: '' }, expected: [400, 121] },
    { of: 'a closed bug', given: { resolution: 'nosuch', status: 'CONFIRMED' }, expected: [200, undefined] },
  ])('of $of as $given is answered with $expected', async ({ of, given, expected }) => {
    const id = await create();
    if (of === 'a closed bug') await put(id, { status: 'RESOLVED', resolution: 'FIXED' });
    const { status, body } = await put(id, given);
    expect([status, body.code]).toEqual(expected);
    if (status === 200) expect((await bugOf(id)).resolution).toBe('');
  });
});

it('the privacy of a comment that an update gives takes no right where it changes nothing', async () => {
  const id = await create({ description: 'Text' });
  const { body } = await bugless.call('GET', `/rest/bug/${id}/comment`);
  const comment = body.bugs[id].comments[0].id;
  // It is named twice.
  const send = (isPrivate: boolean, whiteboard: string, of = comment) =>
    put(id, { ids: [String(id)], comment_is_private: { [of]: isPrivate }, whiteboard });
  expect((await send(false, '[same]')).status).toBe(200);
  const changed = await send(true, '[changed]');
  expect([changed.status, changed.body.code]).toEqual([401, 113]);
  const unknown = await send(false, '[changed]', 999_999);
  expect([unknown.status, unknown.body.code]).toEqual([400, 117]);
  expect((await bugOf(id)).whiteboard).toBe('[same]');
});

it.each<[string, (other: number) => string]>([
  ['an id', String],
  ['its address', (other) => `${bugless.url}/show_bug.cgi?id=${other}`],
  ['its address under the other scheme', (other) => addressOf(other).replace('http:', 'https:')],
])(
  'see_also of a bug of this service has the scheme that it runs under, at both ends: %s',
  async (_, given) => {
    const other = await create();
    const [created, updated] = [await create({ see_also: [given(other)] }), await create()];
    await put(updated, { see_also: { add: [given(other)] } });
    const urlOf = (id: number) => `${bugless.url}/show_bug.cgi?id=${id}`;
    for (const id of [created, updated]) expect((await bugOf(id)).see_also).toEqual([urlOf(other)]);
    expect((await bugOf(other)).see_also).toEqual(expect.arrayContaining([created, updated].map(urlOf)));
  },
);

describe('hours worked', () => {
  it.each<[string, (id: number) => ReturnType<typeof put>]>([
    ['PUT of one', (id) => put(id, { work_time: 0.5 }, 'tracker')],
    ['PUT with a comment', (id) => put(id, { work_time: 0.5, comment: { body: 'Half.' } }, 'tracker')],
    ['POST of a comment', (id) => comment(id, { comment: 'Half.', work_time: 0.5 })],
  ])('have two decimals in histories: %s', async (_, send) => {
    const id = await create();
    expect((await send(id)).status).toBeLessThan(300);
    const worked = { field_name: 'work_time', removed: '', added: '0.50' };
    expect(await changesOf(id)).toContainEqual(worked);
  });

  it.each<[string, (id: number, work_time: number) => ReturnType<typeof put>]>([
    ['PUT', (id, work_time) => put(id, { work_time }, 'tracker')],
    ['POST of a comment', (id, work_time) => comment(id, { comment: 'Worked.', work_time })],
  ])(
    'are added up, and lessen those that remain, down to none, and raise them where they are taken back: %s',
    async (_, send) => {
      const id = await create();
      await put(id, { estimated_time: 8, remaining_time: 8 }, 'admin');
      for (const [hours, remaining_time, actual_time] of [
        [2, 6, 2],
        [7, 0, 9],
        [-3, 3, 6],
      ] as const) {
        expect((await send(id, hours)).status).toBeLessThan(300);
        const { body } = await bugless.call('GET', `/rest/bug/${id}`, { key: keys.get('tracker') });
        expect(body.bugs[0]).toMatchObject({ remaining_time, actual_time });
      }
      const changes = await changesOf(id);
      expect(changes).toContainEqual({ field_name: 'remaining_time', removed: '8.00', added: '6' });
      expect(changes).toContainEqual({ field_name: 'work_time', removed: '', added: '-3.00' });
    },
  );
});
