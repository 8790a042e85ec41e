import { beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { adminOf, runAdmin } from '../support/admin.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

/** Takes the records of changes away, as where 1.2 made them without events. */
async function withoutRecords(table: Table, id: number): Promise<void> {
  const history = (await allItems(table)).filter(
    ({ pk, sk }) => pk === `BUG#${id}` && sk.startsWith('HISTORY#'),
  );
  await batchWrite(
    table,
    history.map(({ record: _, flag_changes: __, ...entry }) => entry),
  );
}

const START = '2026-01-01T00:00:00Z';
/** Who makes the mistakes. */
const MISTAKEN = 'insider@example.com';

const start = (settings: Record<string, string> = {}) => {
  const bugless = useStarted(() => startBugless(undefined, settings));
  const call = async (method: string, path: string, body?: object, key: string = keys.admin) => {
    const reply = await bugless.call(method, path, { key, body });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  };
  const file = async (name: string, more: object = {}): Promise<number> => {
    const bug = {
      ...{ product: 'Alpha', component: 'Core', version: '1.0', op_sys: 'All', platform: 'All' },
      ...{ summary: name, description: 'A bug', ...more },
    };
    return (await call('POST', '/rest/bug', bug)).id;
  };
  const shown = async (id: number) => {
    const [{ last_change_time: _, ...bug }] = (await call('GET', `/rest/bug/${id}`)).bugs;
    return bug;
  };
  const put = (id: number, body: object, key: string = keys.insider) =>
    call('PUT', `/rest/bug/${id}`, body, key);
  const undo = (...options: string[]) =>
    runAdmin(['undo', '--by', MISTAKEN, '--since', START, ...options], {
      ...{ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() },
      ...(settings['EVENTS'] === undefined ? {} : { EVENT_BUS_NAME: 'bugless' }),
    });
  return { bugless, call, file, shown, put, undo };
};

describe('undo', () => {
  const { bugless, call, file, shown, put, undo } = start();
  let [fields, state, dependent, other] = [0, 0, 0, 0];
  const before = new Map<number, unknown>();
  beforeAll(async () => {
    fields = await file('fields', { cc: ['plain@example.com'], keywords: [], priority: 'Normal' });
    state = await file('state');
    dependent = await file('dependent');
    other = await file('other');
    for (const id of [fields, state, dependent, other]) before.set(id, await shown(id));
    await put(fields, {
      ...{ priority: 'Low', summary: 'Wrong', whiteboard: '[x]', assigned_to: 'user@example.com' },
      ...{ cc: { add: ['user@example.com'], remove: ['plain@example.com'] } },
    });
    await put(fields, { priority: 'Highest' });
    await put(state, { status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: other });
    await put(dependent, { depends_on: { add: [other] }, comment: { body: 'A comment' } });
  });

  it('shows what it would take back, and changes nothing', async () => {
    const { code, stdout, stderr } = await undo();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`bug ${fields}: priority "Highest" → "Normal"`);
    expect(stdout).toContain(`bug ${state}: status "RESOLVED" → "CONFIRMED"`);
    expect(stdout).toContain(`bug ${other}: `);
    expect(stdout).toContain('Would change 4 bugs: --apply does it');
    expect((await shown(fields)).priority).toBe('Highest');
    expect((await adminOf(bugless.table)('user', 'list')).stdout).not.toContain('operator');
  });

  it('takes back values, lists, states and dependencies at both ends, under the name of the operator', async () => {
    const { code, stdout, stderr } = await undo('--apply');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Took back changes of [34] bugs/);
    for (const [id, bug] of before) expect(await shown(id)).toEqual(bug);
    const { history } = (await call('GET', `/rest/bug/${fields}/history`)).bugs[0];
    expect(history.at(-1)).toMatchObject({
      who: 'operator',
      changes: expect.arrayContaining([{ field_name: 'priority', removed: 'Highest', added: 'Normal' }]),
    });
    expect((await adminOf(bugless.table)('audit', '--of', 'undo')).stdout).toMatch(/bugs changed .*bugs /);
    await expectNoViolations(bugless.table);
  });

  it('does nothing the second time', async () => {
    const histories = (await call('GET', `/rest/bug/${fields}/history`)).bugs;
    expect((await undo('--apply')).stdout).toBe('Took back changes of 0 bugs\n');
    expect((await call('GET', `/rest/bug/${fields}/history`)).bugs).toEqual(histories);
  });
});

describe('undo leaves', () => {
  const { bugless, call, file, shown, put, undo } = start();

  it('fields, and elements of lists, that others changed again', async () => {
    const id = await file('changed again', { cc: ['plain@example.com'] });
    await put(id, {
      ...{ priority: 'Low', whiteboard: 'x' },
      cc: { add: ['user@example.com', 'secret@example.com'], remove: ['plain@example.com'] },
    });
    await put(id, { priority: 'High', cc: { remove: ['user@example.com'] } }, keys.admin);
    await put(id, { cc: { add: ['user@example.com'] } }, keys.admin);
    const { stdout } = await undo('--apply');
    expect(stdout).toContain(`bug ${id}: left priority: changed again since`);
    expect(stdout).toContain(`bug ${id}: left cc: 'user@example.com' was changed again since`);
    expect(await shown(id)).toMatchObject({
      priority: 'High',
      whiteboard: '',
      cc: ['plain@example.com', 'user@example.com'],
    });
  });

  it('a status that others changed again, with its resolution', async () => {
    const id = await file('verified');
    await put(id, { status: 'RESOLVED', resolution: 'FIXED', priority: 'Low' });
    await put(id, { status: 'VERIFIED' }, keys.admin);
    const { stdout } = await undo('--apply');
    expect(stdout).toContain(`bug ${id}: left status: changed again since`);
    expect(stdout).toContain(`bug ${id}: left resolution: it belongs to what was changed again since`);
    expect(await shown(id)).toMatchObject({ status: 'VERIFIED', resolution: 'FIXED' });
  });

  it('what refers to something that is not there any more', async () => {
    const id = await file('moved');
    const [{ component, version }] = (await call('GET', `/rest/bug/${id}`)).bugs;
    await put(id, { product: 'beta', component: 'Main', version: 'unspecified', target_milestone: '---' });
    expect((await undo('--apply')).stdout).toContain(`bug ${id}: product "beta" → "Alpha"`);
    expect(await shown(id)).toMatchObject({ product: 'Alpha', component, version });
    await expectNoViolations(bugless.table);
  });

  it('changes without a record, as 1.2 made without events', async () => {
    const id = await file('without a record', { cc: ['plain@example.com'] });
    await put(id, { priority: 'Low', cc: { remove: ['plain@example.com'] } });
    await withoutRecords(bugless.table, id);
    await put(id, { whiteboard: 'x' });
    const { stdout } = await undo('--apply');
    for (const field of ['priority', 'cc']) {
      expect(stdout).toMatch(new RegExp(`bug ${id}: left ${field}: its change of .* has no record`));
    }
    expect(await shown(id)).toMatchObject({ priority: 'Low', cc: [], whiteboard: '' });
  });

  it('an alias that another bug has by now, and takes back the rest', async () => {
    const id = await file('with an alias', { alias: ['wanted', 'kept'] });
    await put(id, { alias: { remove: ['wanted', 'kept'] }, priority: 'Low' });
    const thief = await file('thief', { alias: 'wanted' });
    const { stdout } = await undo('--apply');
    expect(stdout).toContain(`bug ${id}: left alias: 'wanted' is an alias of another bug now`);
    expect(await shown(id)).toMatchObject({ alias: ['kept'], priority: '---' });
    expect(await shown(thief)).toMatchObject({ alias: ['wanted'] });
    await expectNoViolations(bugless.table);
  });

  it('a dependency that would be a circle by now, and takes back the rest', async () => {
    const [id, other, third] = [await file('one'), await file('other'), await file('third')];
    await put(id, { depends_on: { set: [other, third] } }, keys.admin);
    await put(id, { depends_on: { remove: [other, third] }, priority: 'Low' });
    await put(other, { depends_on: { add: [id] } }, keys.admin);
    const { stdout } = await undo('--apply');
    expect(stdout).toContain(`bug ${id}: left depends_on: the bug would depend on itself by bug ${other}`);
    expect(await shown(id)).toMatchObject({ depends_on: [third], blocks: [other], priority: '---' });
    await expectNoViolations(bugless.table);
  });

  it('the groups of a bug that stays in the product into which it was moved', async () => {
    const id = await file('restricted by a move');
    const place = { product: 'NoEntry', component: 'Main', version: 'unspecified', target_milestone: '---' };
    await put(id, { ...place, groups: { add: ['secret-team'] } }, keys.secret);
    await call('POST', '/rest/bugless/version', { product: 'NoEntry', name: 'another' });
    await put(id, { version: 'another' }, keys.admin);
    const { stdout } = await undo('--apply', '--by', 'secret@example.com');
    expect(stdout).toContain(`bug ${id}: left groups: the bug stays in its product`);
    expect(await shown(id)).toMatchObject({ product: 'NoEntry', groups: ['secret-team'] });
  });

  it('bugs as they were filed', async () => {
    const bug = {
      ...{ product: 'Alpha', component: 'Core', version: '1.0', op_sys: 'All', platform: 'All' },
      ...{ summary: 'Filed', description: 'A bug', flags: [{ name: 'needinfo', status: '?' }] },
    };
    const { id } = await call('POST', '/rest/bug', bug, keys.insider);
    expect((await undo()).stdout).not.toContain(`bug ${id}:`);
  });

  it('changes of others, and what was changed before', async () => {
    const id = await file('of others');
    await put(id, { priority: 'Low' }, keys.admin);
    expect((await undo()).stdout).not.toContain(`bug ${id}:`);
    const later = await adminOf(bugless.table)('undo', '--by', MISTAKEN, '--since', '2100-01-01T00:00:00Z');
    expect(later.stdout).toBe('Would change 0 bugs: --apply does it\n');
  });
});

describe.each([
  ['with events', { EVENTS: 'true' }],
  ['without events', {}],
])('undo in a deployment %s', (_, settings) => {
  const { bugless, call, file, shown, put, undo } = start(settings);

  it('gives lists back whose elements have commas', async () => {
    const groups = ['Red, Blue', 'Red', 'Blue'];
    for (const name of groups) await call('POST', '/rest/group', { name, description: 'd', is_active: true });
    await call('PUT', '/rest/user/insider@example.com', { groups: { add: groups } });
    await applyCatalogue(
      bugless.table,
      parseCatalogue({
        products: [
          {
            ...{ name: 'Colours', description: 'd' },
            group_controls: groups.map((group) => ({ group, membercontrol: 'SHOWN' })),
            components: [{ name: 'Main', description: 'd', default_assigned_to: 'admin@example.com' }],
            versions: [{ name: '1' }],
          },
        ],
      }),
    );
    const bug = {
      ...{ product: 'Colours', component: 'Main', version: '1', op_sys: 'All', platform: 'All' },
      ...{ summary: 'Restricted', description: 'A bug' },
    };
    const { id } = await call('POST', '/rest/bug', bug, keys.insider);
    await put(id, { groups: { add: ['Red, Blue'] } }, keys.admin);
    await put(id, { groups: { remove: ['Red, Blue'] } });
    await undo('--apply');
    const [back] = (await call('GET', `/rest/bug/${id}`, undefined, keys.insider)).bugs;
    expect(back.groups).toEqual(['Red, Blue']);
  });

  it('reads lists as they were recorded', async () => {
    const id = await file('lists', { see_also: ['https://github.com/example/tool/issues/7'] });
    await put(id, {
      see_also: { remove: ['https://github.com/example/tool/issues/7'] },
      cc: { add: ['secret@example.com'] },
    });
    expect((await undo('--apply')).stdout).toContain('Took back changes of 1 bug\n');
    expect(await shown(id)).toMatchObject({ see_also: ['https://github.com/example/tool/issues/7'], cc: [] });
  });

  it('finds products and components by their recorded ids, whatever their names are now', async () => {
    await call('POST', '/rest/component', {
      ...{ product: 'Alpha', name: 'Renamed', description: 'd', default_assignee: 'admin@example.com' },
    });
    const id = await file('of a renamed component', { component: 'Renamed' });
    await put(id, { product: 'beta', component: 'Main', version: 'unspecified', target_milestone: '---' });
    await call('PUT', '/rest/component/Alpha/Renamed', { name: 'Another' });
    await call('POST', '/rest/component', {
      ...{ product: 'Alpha', name: 'Renamed', description: 'd', default_assignee: 'admin@example.com' },
    });
    await call('PUT', '/rest/product/Alpha', { name: 'Alpha of old' });
    await undo('--apply');
    expect(await shown(id)).toMatchObject({ product: 'Alpha of old', component: 'Another' });
    await call('PUT', '/rest/product/Alpha of old', { name: 'Alpha' });
    await expectNoViolations(bugless.table);
  });
});

describe('undo', () => {
  const { bugless, file, shown, put, undo } = start({ EVENTS: 'true' });

  it.each([
    ['tells those who follow the bug, on request', ['--mail'], true],
    ['tells no others', [], false],
  ])('%s', async (_, options, isTold) => {
    const id = await file('told');
    await put(id, { priority: 'Low' });
    await undo('--apply', ...options);
    expect((await shown(id)).priority).not.toBe('Low');
    const { revision } = (await allItems(bugless.table)).find(
      ({ pk, sk }) => pk === `BUG#${id}` && sk === 'BUG',
    ) ?? { revision: 0 };
    const entry = (await allItems(bugless.table)).find(
      ({ pk, sk, expires_at }) =>
        pk.startsWith('CHANGED#') &&
        expires_at === undefined &&
        sk.endsWith(`#${String(id).padStart(10, '0')}`),
    );
    expect(entry).toBeDefined();
    expect(entry?.['events'] !== undefined).toBe(isTold);
    if (isTold) expect(JSON.parse(String(entry?.['events']))).toMatchObject({ kind: 'changed', revision });
  });
});

describe('undo of flags', () => {
  const { bugless, file, shown, put, undo } = start();
  const flagsOf = async (id: number) =>
    (await shown(id)).flags.map(({ name, status, setter, requestee = '' }: Record<string, string>) =>
      [name, status, setter, requestee].join(' '),
    );

  it('sets, changes and clears them as they were', async () => {
    const id = await file('flags');
    await put(id, { flags: [{ name: 'blocker', status: '+' }] }, keys.admin);
    const [{ id: flag }] = (await shown(id)).flags;
    await put(id, {
      flags: [
        { id: flag, status: '-' },
        { name: 'needinfo', status: '?', requestee: 'plain@example.com' },
      ],
    });
    await put(id, { flags: [{ id: flag, status: 'X' }] });
    const { stdout } = await undo('--apply');
    expect(stdout).toContain(`bug ${id}: flagtypes.name "needinfo?(plain@example.com)" → "blocker+"`);
    expect(await flagsOf(id)).toEqual(['blocker + admin@example.com ']);
    expect((await undo('--apply')).stdout).toBe('Took back changes of 0 bugs\n');
    await expectNoViolations(bugless.table);
  });

  it('gives as many back as there were', async () => {
    const id = await file('equal flags');
    const asked = { name: 'needinfo', status: '?', new: true };
    await put(id, { flags: [asked, asked] }, keys.admin);
    const before = await flagsOf(id);
    expect(before).toHaveLength(2);
    const cleared = (await shown(id)).flags.map((flag: { id: number }) => ({ id: flag.id, status: 'X' }));
    await put(id, { flags: cleared });
    await undo('--apply');
    expect(await flagsOf(id)).toEqual(before);
  });

  it('takes back what came after the last change of others', async () => {
    const id = await file('flags in turns');
    await put(id, { flags: [{ name: 'blocker', status: '?' }] }, keys.admin);
    const [{ id: flag }] = (await shown(id)).flags;
    await put(id, { flags: [{ id: flag, status: '-' }] });
    await put(id, { flags: [{ id: flag, status: '+' }] }, keys.admin);
    await put(id, { flags: [{ id: flag, status: '-' }] });
    await undo('--apply');
    expect(await flagsOf(id)).toEqual(['blocker + admin@example.com ']);
  });

  it('leaves those of a type that others changed again', async () => {
    const id = await file('flags of others');
    await put(id, { flags: [{ name: 'blocker', status: '+' }] }, keys.admin);
    const [{ id: flag }] = (await shown(id)).flags;
    await put(id, { flags: [{ id: flag, status: '-' }] });
    await put(id, { flags: [{ id: flag, status: '?' }] }, keys.admin);
    const { stdout } = await undo('--apply');
    expect(stdout).toContain(`bug ${id}: left flagtypes.name: blocker was changed again since`);
    expect(await flagsOf(id)).toEqual(['blocker ? admin@example.com ']);
  });
});

describe('undo of many bugs', () => {
  const { bugless, file, shown, put, undo } = start();

  it('goes on where it was interrupted', async () => {
    const bugs: number[] = [];
    for (const name of times(7, (n) => `many ${n}`)) bugs.push(await file(name));
    for (const id of bugs) await put(id, { priority: 'Lowest' });
    const first = await undo('--apply', '--limit', '3');
    expect(first.stdout).toContain('Took back changes of 3 bugs\nThere are more: run the command again');
    const isLeft = async (id: number) => (await shown(id)).priority === 'Lowest';
    expect((await Promise.all(bugs.map(isLeft))).filter(Boolean)).toHaveLength(4);
    expect((await undo('--apply')).stdout).toContain('Took back changes of 4 bugs');
    expect((await Promise.all(bugs.map(isLeft))).filter(Boolean)).toEqual([]);
    await expectNoViolations(bugless.table);
  });

  it.each([
    ['an unknown user', ['--by', 'nobody@example.com'], 'no user'],
    ['a time that is none', ['--since', 'yesterday-ish'], 'is no time'],
    ['the same user as operator', ['--as', MISTAKEN], 'another user'],
    ['an unknown operator', ['--as', 'nobody@example.com'], 'no user'],
    ['mails where the table has no events', ['--mail'], 'no event bus'],
    ['a wrong limit', ['--limit', '0'], 'from 1 to'],
  ])('refuses %s', async (_, options, message) => {
    const { code, stderr } = await undo(...options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
