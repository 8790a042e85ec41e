import { describe, expect, it } from 'vitest';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { applyCatalogue, planCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { newTable, serve, startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { exported } from '../support/exported.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';

/** A team's own statuses and transitions, as Bugzillas before 4.0 have them, with one of its own. */

const [KEY, OTHER] = ['k'.repeat(40), 'o'.repeat(40)];
const to = (...names: string[]) => names.map((name) => ({ name }));
const STATUSES = [
  { name: '', can_change_to: to('NEW', 'ASSIGNED', 'UNCONFIRMED') },
  { name: 'UNCONFIRMED', can_change_to: to('NEW', 'CLOSED') },
  { name: 'NEW', can_change_to: to('ASSIGNED', 'CLOSED', 'Shipped', 'NEEDINFO') },
  { name: 'ASSIGNED', can_change_to: [{ name: 'CLOSED', comment_required: true }, { name: 'NEW' }] },
  { name: 'REOPENED', can_change_to: to('ASSIGNED', 'CLOSED') },
  { name: 'NEEDINFO', is_active: false, can_change_to: to('NEW') },
  { name: 'CLOSED', is_open: false, can_change_to: to('REOPENED', 'Shipped') },
  { name: 'Shipped', is_open: false, can_change_to: to('REOPENED') },
];
const CATALOGUE = {
  groups: [{ name: 'editbugs' }],
  users: [
    { login: REPORTER, api_keys: [{ key: KEY }], groups: ['editbugs'] },
    { login: 'other@example.com', api_keys: [{ key: OTHER }] },
  ],
  field_values: { bug_status: STATUSES },
  products: [aProduct()],
  bugs: [
    aBug(1, { status: 'NEW' }),
    aBug(2, { status: 'ASSIGNED' }),
    aBug(3, { status: 'REOPENED' }),
    aBug(4, { status: 'CLOSED', resolution: 'FIXED' }),
    aBug(5, { status: 'Shipped', resolution: 'FIXED' }),
    aBug(6, { status: 'NEEDINFO' }),
    aBug(7, { status: undefined }),
  ],
};

const start = () => useStarted(() => startBuglessWithPermissions(parseCompleteCatalogue(CATALOGUE)));

describe('a search', () => {
  const bugless = start();
  it.each([
    ['status=__open__', [1, 2, 3, 6, 7]],
    ['status=__closed__', [4, 5]],
    ['status=shipped', [5]],
    ['status=NEW&status=ASSIGNED', [1, 2, 7]],
    ['quicksearch=OPEN', [1, 2, 3, 6, 7]],
    ['quicksearch=ALL', [1, 2, 3, 4, 5, 6, 7]],
    ['quicksearch=RE', [3]],
    ['f1=bug_status&o1=equals&v1=Shipped', [5]],
    ['f1=bug_status&o1=notequals&v1=CLOSED', [1, 2, 3, 5, 6, 7]],
    ['status=__all__&order=bug_status', [1, 7, 2, 3, 6, 4, 5]],
  ])('%s follows the statuses of the deployment', async (query, ids) => {
    const { body } = await bugless.call('GET', `/rest/bug?${query}&include_fields=id`);
    expect(body.bugs.map(({ id }: { id: number }) => id)).toEqual(ids);
  });

  it('leaves out an unknown status, and names it', async () => {
    const { body, headers } = await bugless.call(
      'GET',
      '/rest/bug?status=RESOLVED&status=NEW&include_fields=id',
    );
    expect(body.bugs).toHaveLength(2);
    expect(headers.get('x-bugless-ignored')).toBe('status RESOLVED');
  });
});

describe('the statuses', () => {
  const bugless = start();
  it('are shown with their transitions, inactive ones not among those that may follow', async () => {
    const { body } = await bugless.call('GET', '/rest/field/bug/bug_status');
    const [{ values }] = body.fields;
    const shown = values.map((one: { name: string; is_open: boolean; can_change_to: { name: string }[] }) => [
      one.name,
      one.is_open,
      one.can_change_to.map(({ name }) => name),
    ]);
    expect(shown).toContainEqual(['NEW', true, ['ASSIGNED', 'CLOSED', 'Shipped']]);
    expect(shown[0]).toEqual([null, true, ['NEW', 'ASSIGNED', 'UNCONFIRMED']]);
    expect(values[3].can_change_to[0]).toEqual({ name: 'CLOSED', comment_required: true });
    const names = await bugless.call('GET', '/rest/field/bug/status/values');
    expect(names.body.values).toEqual(STATUSES.slice(1).map(({ name }) => name));
  });

  it('decide whether bugs are open', async () => {
    const { body } = await bugless.call('GET', '/rest/bug?id=3,4,5,6&include_fields=is_open');
    expect(body.bugs.map((bug: { is_open: boolean }) => bug.is_open)).toEqual([true, false, false, true]);
  });
});

describe('a new bug', () => {
  const bugless = start();
  const file = (body: object, key = KEY) =>
    bugless.call('POST', '/rest/bug', {
      key,
      body: { product: 'Alpha', component: 'Core', version: '1', summary: 'Blurry', ...body },
    });
  it.each([
    ['that who may choose does not give', {}, KEY, 'NEW'],
    ['of who may not choose', {}, OTHER, 'UNCONFIRMED'],
    ['in any case', { status: 'assigned' }, KEY, 'ASSIGNED'],
  ])('has the status %s', async (_, body, key, status) => {
    const { body: created } = await file(body, key);
    const { body: shown } = await bugless.call('GET', `/rest/bug/${created.id}`);
    expect(shown.bugs[0].status).toBe(status);
  });

  it.each([
    ['that new bugs may not have', 'CLOSED', 123],
    ['that does not exist', 'CONFIRMED', 51],
    ['that is inactive', 'NEEDINFO', 123],
  ])('is refused with a status %s', async (_, status, code) => {
    expect((await file({ status })).body).toMatchObject({ code });
  });
});

describe('a change', () => {
  const bugless = start();
  const put = (ids: number[], body: object) =>
    bugless.call('PUT', `/rest/bug/${ids[0]}`, { key: KEY, body: { ids, ...body } });
  const statusOf = async (id: number) =>
    (await bugless.call('GET', `/rest/bug/${id}?include_fields=status,resolution,is_open`)).body.bugs[0];

  it('follows the transitions, of one bug and of several', async () => {
    expect((await put([3], { status: 'Shipped', resolution: 'FIXED' })).body).toMatchObject({ code: 123 });
    expect((await put([1], { status: 'NEEDINFO' })).body).toMatchObject({ code: 123 });
    expect((await put([1, 3], { status: 'CLOSED', resolution: 'FIXED' })).status).toBe(200);
    expect(await statusOf(1)).toEqual({ status: 'CLOSED', resolution: 'FIXED', is_open: false });
    expect((await put([4, 3], { status: 'shipped' })).status).toBe(200);
    expect((await put([5], { status: 'REOPENED' })).status).toBe(200);
    expect(await statusOf(5)).toEqual({ status: 'REOPENED', resolution: '', is_open: true });
    const { body } = await bugless.call('GET', '/rest/bug/4/history');
    expect(body.bugs[0].history.at(-1).changes).toContainEqual(
      expect.objectContaining({ field_name: 'status', removed: 'CLOSED', added: 'Shipped' }),
    );
  });

  it('needs the comment that its transition requires', async () => {
    const closing = { status: 'CLOSED', resolution: 'FIXED' };
    const refused = await put([2], closing);
    expect([refused.status, refused.body.code]).toEqual([400, 32000]);
    expect((await put([2], { ...closing, comment: { body: 'Done' } })).status).toBe(200);
  });

  it('to a duplicate closes the bug with the first closed status', async () => {
    expect((await put([7], { dupe_of: 6 })).status).toBe(200);
    expect(await statusOf(7)).toEqual({ status: 'CLOSED', resolution: 'DUPLICATE', is_open: false });
  });

  it('keeps an inactive status', async () => {
    expect((await put([6], { status: 'NEEDINFO', priority: 'High' })).status).toBe(200);
    expect((await statusOf(6)).status).toBe('NEEDINFO');
  });
});

describe('a duplicate', () => {
  const bugless = useStarted(() =>
    startBuglessWithPermissions(parseCompleteCatalogue(CATALOGUE), {
      DUPLICATE_OR_MOVE_BUG_STATUS: 'Shipped',
    }),
  );
  it('gets the status of the setting', async () => {
    await bugless.call('PUT', '/rest/bug/1', { key: KEY, body: { dupe_of: 3 } });
    const { body } = await bugless.call('GET', '/rest/bug/1');
    expect(body.bugs[0]).toMatchObject({ status: 'Shipped', resolution: 'DUPLICATE' });
    const { body: shown } = await bugless.call('GET', '/rest/parameters', { key: KEY });
    expect(shown.parameters.duplicate_or_move_bug_status).toBe('Shipped');
  });
});

describe('a catalogue', () => {
  const bugless = start();
  const problemsOf = async (statuses: object[]) => {
    const catalogue = parseCompleteCatalogue({ field_values: { bug_status: statuses } });
    return (await planCatalogue(bugless.table, catalogue)).problems.map(({ path, message }) => [
      path.slice(2).join('.'),
      message,
    ]);
  };

  it('refuses the table to versions that know the default statuses only', async () => {
    bugless.table.format.forget();
    expect(await bugless.table.format.current()).toMatchObject({
      readable_from: '1.2.0',
      writable_from: '1.2.0',
    });
  });

  it('cannot leave out a status that bugs have', async () => {
    const problems = await problemsOf(STATUSES.filter(({ name }) => name !== 'REOPENED'));
    expect(problems[0]).toEqual(['5.can_change_to.0.name', "there is no status 'REOPENED'"]);
    expect(problems.at(-1)?.[1]).toBe("bugs have the status 'REOPENED', which is missing");
  });

  it.each<[string, object[], string]>([
    [
      'without closed ones',
      [
        { name: '', can_change_to: to('NEW') },
        { name: 'NEW', can_change_to: [] },
        { name: 'ASSIGNED', can_change_to: [] },
      ],
      'one status has to be closed',
    ],
    [
      'whose new bugs are closed',
      [
        { name: '', can_change_to: to('CLOSED') },
        { name: 'NEW', can_change_to: [] },
        { name: 'CLOSED', is_open: false, can_change_to: [] },
      ],
      "new bugs are open: not 'CLOSED'",
    ],
    [
      'that bugs lack',
      [
        { name: '', can_change_to: to('NEW') },
        { name: 'NEW', can_change_to: [] },
        { name: 'CLOSED', is_open: false, can_change_to: [] },
      ],
      "bugs have the status 'ASSIGNED', which is missing",
    ],
  ])('refuses statuses %s', async (_, statuses, message) => {
    expect((await problemsOf(statuses)).map(([, text]) => text)).toContain(message);
  });
});

const statusesOf = async ({ call }: Pick<Awaited<ReturnType<typeof serve>>, 'call'>) =>
  (await call('GET', '/rest/field/bug/bug_status')).body.fields[0].values;

it('the statuses of a deployment are exported and applied', async () => {
  const source = await newTable(parseCompleteCatalogue(CATALOGUE));
  const lines = await exported(source);
  const contents = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [settings] = contents.filter((line) => 'field_values' in line);
  const target = await newTable(
    parseNumbered({ products: [aProduct()], bugs: [aBug(1, { status: 'NEW' })] }),
  );
  const again = parseCatalogue({ field_values: settings.field_values });
  await applyCatalogue(target, again);
  expect(await statusesOf(await serve(target))).toEqual(await statusesOf(await serve(source)));
});

describe('statuses that change between the writing of bugs and a search', () => {
  const NAMES = ['NEW', 'RESOLVED', 'CLOSED', 'Shipped', 'VERIFIED', 'closed early'];
  const bugs = Array.from({ length: 60 }, (_, at) => {
    const status = NAMES[at % NAMES.length];
    return aBug(at + 1, { status, ...(status === 'NEW' ? {} : { resolution: 'FIXED' }) });
  });
  /** Each status is open or closed by a bit of the seed; NEW is open, CLOSED closed. */
  const statusesBy = (seed: number) => [
    { name: '', can_change_to: to('NEW') },
    ...NAMES.map((name, at) => ({
      ...{ name, can_change_to: to(...NAMES) },
      is_open: name === 'NEW' || (name !== 'CLOSED' && ((seed >> at) & 1) === 1),
    })),
  ];
  const bugless = useStarted(() =>
    startBuglessWithPermissions(
      parseCompleteCatalogue({
        ...CATALOGUE,
        ...{ field_values: { bug_status: statusesBy(0) }, bugs },
      }),
    ),
  );

  it('give what each bug by itself says, in segments and in the log', async () => {
    for (const seed of [0b101010, 0b010100, 0b111111, 0b000000]) {
      // A catalogue does not make statuses open or closed that bugs have; versions before 1.2.0 did.
      const { field_values } = parseNumbered({ field_values: { bug_status: statusesBy(seed) } });
      const settings = bugSettingsRepository(bugless.table);
      await settings.put(await settings.read(), { bug_status: field_values.bug_status });
      const { call } = await bugless.startAnother();
      const moved = { status: NAMES[(seed % 5) + 1], resolution: 'FIXED' };
      expect(
        (await call('PUT', `/rest/bug/${(seed % bugs.length) + 1}`, { key: KEY, body: moved })).status,
      ).toBe(200);
      const found = async (query: string) =>
        (await call('GET', `/rest/bug?${query}&include_fields=id,status,is_open`)).body.bugs;
      const all: { id: number; status: string; is_open: boolean }[] = await found('status=__all__');
      expect(all).toHaveLength(bugs.length);
      const open = new Set(
        statusesBy(seed).flatMap(({ name, ...one }) => (!('is_open' in one) || one.is_open ? name : [])),
      );
      for (const bug of all) expect(bug.is_open).toBe(open.has(bug.status));
      expect(await found('status=__open__')).toEqual(all.filter((bug) => bug.is_open));
      expect(await found('status=__closed__')).toEqual(all.filter((bug) => !bug.is_open));
      for (const name of NAMES) {
        const chart = `f1=bug_status&v1=${encodeURIComponent(name)}`;
        expect(await found(`${chart}&o1=equals`)).toEqual(all.filter(({ status }) => status === name));
        expect(await found(`${chart}&o1=notequals`)).toEqual(all.filter(({ status }) => status !== name));
      }
    }
  });
});
