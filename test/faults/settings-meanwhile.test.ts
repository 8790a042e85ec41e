import { describe, expect, it } from 'vitest';
import { checkTable, isViolation } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { applyCatalogue, planCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { bugSettingsKey } from '../../lib/table/keys.ts';
import { setItem } from '../../lib/table/write.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import type { Call } from '../support/fault-proxy.ts';
import { type FaultyBugless, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations, violationsOf } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';

/** Settings of bugs that change between the reads and the writes of a request, or of another catalogue. */

const KEY = 'EditorKey0000000000000000000000000000000';

interface Row {
  name: string;
  is_open?: boolean;
  can_change_to: { name: string }[];
}

const NAMES = ['NEW', 'WAITING', 'DONE', 'REJECTED'];
const all = NAMES.map((name) => ({ name }));
const initial: Row = { name: '', can_change_to: [{ name: 'NEW' }, { name: 'WAITING' }] };
/** The statuses, each of which may follow each other one. */
const statuses = ({
  names = NAMES,
  closed = ['DONE', 'REJECTED'],
  first = ['WAITING', 'NEW'],
}: {
  names?: string[];
  closed?: string[];
  first?: string[];
} = {}): Row[] => [
  { ...initial, can_change_to: first.map((name) => ({ name })) },
  ...names.map((name) => ({
    name,
    is_open: !closed.includes(name),
    can_change_to: all.filter((one) => one.name !== name && names.includes(one.name)),
  })),
];
const withStatuses = (bug_status: Row[]) => parseCatalogue({ field_values: { bug_status } });
const LEVEL = {
  name: 'cf_level',
  display_name: 'Level',
  type: 2,
  is_on_bug_entry: true,
  is_obsolete: false,
  is_mandatory: false,
};
const levels = (...names: string[]) => ({ ...LEVEL, values: names.map((name) => ({ name })) });

const tracker = () =>
  parseNumbered({
    groups: [{ name: 'editbugs' }],
    users: [{ login: REPORTER, groups: ['editbugs'], api_keys: [{ key: KEY }] }],
    field_values: {
      bug_status: statuses(),
      resolution: ['FIXED', 'LATER', 'DUPLICATE'],
      priority: ['High', 'Low', '---'],
      severity: ['major', 'minor'],
    },
    bug_fields: [levels('a', 'b')],
    products: [aProduct()],
    bugs: [1, 2, 3].map((id) => aBug(id, { status: 'NEW' })),
  });

const file = (body: object) => (faulty: FaultyBugless['faulty']) =>
  faulty.call('POST', '/rest/bug', {
    key: KEY,
    body: { product: 'Alpha', component: 'Core', version: '1', summary: 'New', ...body },
  });
const put = (body: object) => (faulty: FaultyBugless['faulty']) =>
  faulty.call('PUT', '/rest/bug/1', { key: KEY, body });

type Change = (faulty: FaultyBugless['faulty']) => ReturnType<FaultyBugless['faulty']['call']>;

/** Does something while the first write of a bug waits. */
async function meanwhile(change: Change, work: (table: Table) => Promise<unknown>) {
  const bugless = await startFaultyBugless({}, tracker());
  let isOver = false;
  bugless.from(({ operation, body }) => {
    const isOfBug = operation === 'TransactWriteItems' && JSON.stringify(body).includes('"BUG#');
    if (isOver || !isOfBug) return 'pass';
    isOver = true;
    return { after: work(bugless.healthy.table) };
  });
  const response = await change(bugless.faulty);
  expect(isOver).toBe(true);
  return { table: bugless.healthy.table, response };
}

const withoutWaiting = withStatuses(statuses({ names: ['NEW', 'DONE', 'REJECTED'], first: ['NEW'] }));
const withoutRejected = withStatuses(statuses({ names: ['NEW', 'WAITING', 'DONE'] }));
const waitingIsClosed = withStatuses(statuses({ closed: ['WAITING', 'DONE', 'REJECTED'], first: ['NEW'] }));
const rejectedIsOpen = withStatuses(statuses({ closed: ['DONE'] }));
const lists = (field_values: object) => parseCatalogue({ field_values });

it.each<[string, Change, ReturnType<typeof lists>, number]>([
  ['a new bug gets, by name', file({ status: 'WAITING' }), withoutWaiting, 51],
  ['a new bug gets by default', file({}), withoutWaiting, 0],
  ['a bug gets', put({ status: 'WAITING' }), withoutWaiting, 51],
  ['several bugs get', put({ ids: [2, 3], status: 'WAITING' }), withoutWaiting, 51],
  ['a bug gets that becomes closed', put({ status: 'WAITING' }), waitingIsClosed, 121],
  ['a new bug gets that becomes closed', file({ status: 'WAITING' }), waitingIsClosed, 123],
  ['a bug gets that becomes open', put({ status: 'REJECTED', resolution: 'FIXED' }), rejectedIsOpen, 0],
  ['a bug is closed with', put({ status: 'REJECTED', resolution: 'FIXED' }), withoutRejected, 51],
])('a status that %s while a catalogue takes it away is not written', async (_, change, catalogue, code) => {
  const { table, response } = await meanwhile(change, (one) => applyCatalogue(one, catalogue));
  expect(response.body.code ?? 0).toBe(code);
  await expectNoViolations(table);
});

it.each<[string, Change, object]>([
  ['a resolution', put({ status: 'DONE', resolution: 'LATER' }), { resolution: ['FIXED', 'DUPLICATE'] }],
  ['a priority', put({ priority: 'Low' }), { priority: ['High', '---'] }],
  ['a severity of a new bug', file({ severity: 'minor' }), { severity: ['major'] }],
])('%s that a catalogue takes away meanwhile is not written', async (_, change, field_values) => {
  const { response } = await meanwhile(change, (table) => applyCatalogue(table, lists(field_values)));
  expect(response).toMatchObject({ status: 404, body: { code: 51 } });
});

it.each<[string, Change]>([
  ['of a new bug', file({ cf_level: 'b' })],
  ['of a bug', put({ cf_level: 'b' })],
])('a value %s that a custom field loses meanwhile is not written', async (_, change) => {
  const catalogue = parseCatalogue({ bug_fields: [levels('a')] });
  const { response } = await meanwhile(change, (table) => applyCatalogue(table, catalogue));
  expect(response).toMatchObject({ status: 404, body: { code: 51 } });
});

it('a value of a built-in field that is taken away meanwhile is not written', async () => {
  const { response } = await meanwhile(put({ priority: 'Low' }), (table) =>
    setItem(table, bugSettingsKey, { priority: ['High', '---'] }),
  );
  expect(response).toMatchObject({ status: 404, body: { code: 51 } });
});

it('what takes no value of a list is written while the lists change, and what an item has beside them is kept', async () => {
  const { table, response } = await meanwhile(put({ summary: 'Other', status: 'NEW' }), (one) =>
    setItem(one, bugSettingsKey, { of_the_next_version: { a: 1 } }),
  );
  expect(response.status).toBe(200);
  await applyCatalogue(table, lists({ priority: ['High'] }));
  const { stored } = await bugSettingsRepository(table).read();
  expect(stored['of_the_next_version']).toEqual({ a: 1 });
});

describe('a catalogue that takes a status away', () => {
  const isSettingsWrite = ({ operation, body }: Call) =>
    operation === 'UpdateItem' && body.Key?.pk?.S === bugSettingsKey.pk;

  it('bars it before it looks for bugs that have it', async () => {
    const { faulty, healthy, proxy, from } = await startFaultyBugless({}, tracker());
    const responses: object[] = [];
    let writes = 0;
    from((call) => {
      if (!isSettingsWrite(call)) return 'pass';
      writes += 1;
      return writes === 2 ? { after: set() } : 'pass';
    });
    const set = async () => {
      responses.push(await put({ status: 'WAITING' })(healthy));
    };
    expect(faulty).toBeDefined();
    await applyCatalogue(openTable(healthy.table.name, proxy.endpoint), withoutWaiting);
    expect(responses).toMatchObject([{ status: 400, body: { code: 123 } }]);
    await expectNoViolations(healthy.table);
  });

  it('is refused where a bug got it after the plan, and leaves the statuses as they were', async () => {
    const { healthy } = await startFaultyBugless({}, tracker());
    const before = (await exportedCatalogue(healthy.table)).field_values;
    const plan = await planCatalogue(healthy.table, withoutWaiting);
    expect((await put({ status: 'WAITING' })(healthy)).status).toBe(200);
    await expect(plan.execute()).rejects.toThrow("bugs have the status 'WAITING', which is missing");
    expect((await exportedCatalogue(healthy.table)).field_values).toEqual(before);
    await expectNoViolations(healthy.table);
  });

  it.each([
    ['closed', waitingIsClosed, { status: 'WAITING' }, 'without a resolution: it cannot be closed'],
    [
      'open',
      rejectedIsOpen,
      { status: 'REJECTED', resolution: 'FIXED' },
      'with a resolution: it cannot be open',
    ],
  ])('does not make one that bugs have %s', async (_, catalogue, body, message) => {
    const { healthy } = await startFaultyBugless({}, tracker());
    expect((await put(body)(healthy)).status).toBe(200);
    const { problems } = await planCatalogue(healthy.table, catalogue);
    expect(problems.map((one) => one.message).join()).toContain(message);
  });
});

it('check finds bugs whose status is in no list, and notes those whose resolution contradicts it', async () => {
  const table = await newTable(tracker());
  const { put: write, read } = bugSettingsRepository(table);
  const rows = statuses({ closed: ['NEW', 'DONE', 'REJECTED'] }).map((row) => ({
    is_open: true,
    is_active: true,
    ...row,
    can_change_to: row.can_change_to.map((to) => ({ ...to, comment_required: false })),
  }));
  await write(await read(), { bug_status: rows });
  // Bugzilla's databases have such bugs: a note.
  const notes = (await checkTable(table)).found.filter((finding) => !isViolation(finding)).map(lineOf);
  expect(notes.join('\n')).toContain('without a resolution');
  expect(await violationsOf(table)).toEqual([]);
  await write(await read(), { bug_status: rows.filter(({ name }) => name !== 'NEW') });
  expect((await violationsOf(table)).join('\n')).toContain("has the status 'NEW', which does not exist");
});

const some = {
  'a list': parseCatalogue({ field_values: { priority: ['P1', 'P2'] } }),
  'another list': parseCatalogue({ field_values: { severity: ['S1'] } }),
  statuses: withStatuses(
    statuses({ names: [...NAMES, 'VERIFIED'], closed: ['DONE', 'REJECTED', 'VERIFIED'] }),
  ),
  'a field': parseCatalogue({ bug_fields: [{ ...levels('x'), name: 'cf_x' }] }),
  'another field': parseCatalogue({ bug_fields: [{ ...levels('y'), name: 'cf_y' }] }),
  'values of a field': parseCatalogue({ bug_fields: [levels('a', 'b', 'c')] }),
  'a keyword': parseCatalogue({ keywords: [{ name: 'late', description: 'Too late' }] }),
  'that keyword alone': parseCatalogue({ keywords: [{ name: 'late' }] }),
  'a classification': parseCatalogue({ classifications: [{ name: 'Tools', description: 'Of ours' }] }),
  'that classification alone': parseCatalogue({ classifications: [{ name: 'Tools' }] }),
};
type Kind = keyof typeof some;
const KINDS = /FIELDVALUES|KEYWORDS|CLASSIFICATION#/;
const isWrite = ({ operation, body }: Call) =>
  /^(Update|Put)/.test(operation) && KINDS.test(JSON.stringify(body));

it.each<[Kind, Kind]>([
  ['a list', 'another list'],
  ['a list', 'statuses'],
  ['statuses', 'a list'],
  ['a list', 'a field'],
  ['a field', 'another field'],
  ['values of a field', 'a field'],
  ['that keyword alone', 'a keyword'],
  ['that classification alone', 'a classification'],
])(
  'two catalogues at the same time keep the settings of both %s, while the other one writes %s',
  async (first, second) => {
    const { healthy, proxy, from } = await startFaultyBugless({}, tracker());
    const { table } = healthy;
    let isOver = false;
    from((call) => {
      if (isOver || !isWrite(call)) return 'pass';
      isOver = true;
      return { after: applyCatalogue(table, some[second]) };
    });
    await applyCatalogue(openTable(table.name, proxy.endpoint), some[first]);
    expect(isOver).toBe(true);
    const both = await exportedCatalogue(table);
    // Nothing of the two is missing where applying them again changes nothing.
    for (const name of [second, first]) await applyCatalogue(table, some[name]);
    expect(await exportedCatalogue(table)).toEqual(both);
  },
);

it('a new group keeps what another catalogue has given the same group meanwhile', async () => {
  const { healthy } = await startFaultyBugless({}, tracker());
  const plan = await planCatalogue(healthy.table, parseCatalogue({ groups: [{ id: 40, name: 'late' }] }));
  const given = { id: 40, name: 'late', description: 'Too late', user_regexp: 'x' };
  await applyCatalogue(healthy.table, parseCatalogue({ groups: [given] }));
  await expect(plan.execute()).rejects.toThrow(ConditionFailed);
  expect((await exportedCatalogue(healthy.table)).groups).toContainEqual(expect.objectContaining(given));
});

it.each(['__open__', '__CLOSED__', '__all__', 'ALL', 'OPEN', '---', 'NEW,OLD'])(
  'a status or resolution %s, which searches take for something else, is refused',
  (name) => {
    const wrong = 'searches take this name for something else';
    expect(() => withStatuses(statuses({ names: [...NAMES, name] }))).toThrow(wrong);
    expect(() => lists({ resolution: ['FIXED', name] })).toThrow(wrong);
  },
);
