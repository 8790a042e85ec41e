import { describe, expect, it } from 'vitest';
import { adminOf } from '../support/admin.ts';
import { audited } from '../support/audited.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording } from '../support/recordings.ts';
import { allItems } from '../support/table-items.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions({ ...catalogue(), bugs: [] }));

const call = (method: string, path: string, body: unknown, as = 'admin') =>
  bugless.call(method, path, { key: keys.get(as), body });
const COMPONENT = { product: 'Audited', description: 'Parts', default_assignee: 'user@example.com' };

/** Entries before a request that has none. */
const entries = async () => (await allItems(bugless.table)).filter(({ pk }) => pk === 'AUDIT').length;

describe('the audit log of products over REST', () => {
  it('has who created a product, with its version and milestone', async () => {
    const product = { name: 'Audited', description: 'Old', version: '1.0', default_milestone: 'M1' };
    expect((await call('POST', '/rest/product', product)).status).toBe(201);
    expect(await audited(bugless.table, 'Audited')).toEqual([
      [
        'admin@example.com rest add product',
        'product Audited: classification "Unclassified", default_milestone "M1", description "Old", ' +
          'has_unconfirmed "1", is_open "1", name "Audited"',
        'version Audited / 1.0: is_active "1", name "1.0", sort_key "0"',
        'milestone Audited / M1: is_active "1", name "M1", sort_key "0"',
      ],
    ]);
  });

  it('has who changed products, with the values before and after, in one entry for a request', async () => {
    await call('PUT', '/rest/product/Audited', { names: ['beta'], has_unconfirmed: false, is_open: true });
    await call('PUT', '/rest/product/Audited', { description: 'New', is_open: false });
    expect((await audited(bugless.table, 'Audited')).slice(1)).toEqual([
      [
        'admin@example.com rest change product',
        'product Audited: description "Old" → "New", is_open "1" → "0"',
      ],
      [
        'admin@example.com rest change product',
        'product Audited: has_unconfirmed "1" → "0"',
        'product beta: has_unconfirmed "1" → "0"',
      ],
    ]);
  });

  it('has who created a component', async () => {
    const component = { ...COMPONENT, name: 'Engine', default_cc: ['plain@example.com'] };
    expect((await call('POST', '/rest/component', component, 'editor')).status).toBe(201);
    expect(await audited(bugless.table, 'Audited / Engine')).toEqual([
      [
        'editor@example.com rest add component',
        'component Audited / Engine: default_assignee "user@example.com", default_cc "plain@example.com", ' +
          'description "Parts", is_open "1", name "Engine", sort_key "0"',
      ],
    ]);
  });

  it('has who created and changed a flag type, and where it is available', async () => {
    const inclusions = [{ Audited: ['Engine'] }];
    const flagType = { name: 'surveyed', description: 'Surveyed', grant_group: 'insiders', inclusions };
    const { status, body } = await call('POST', '/rest/flag_type', flagType);
    expect(status).toBe(201);
    await call('PUT', `/rest/flag_type/${body.id}`, { sortkey: 7, inclusions: ['Audited', 'beta'] });
    const surveyed = (inclusion: string, sortkey: string) =>
      'description "Surveyed", grant_group "insiders", ' +
      `inclusions "${inclusion}", is_active "1", is_multiplicable "1", is_requestable "1", ` +
      `is_specifically_requestable "1", name "surveyed", sortkey "${sortkey}", target_type "bug"`;
    const [created, changed] = await audited(bugless.table, 'Audited / surveyed');
    expect(created).toEqual([
      'admin@example.com rest add flag type',
      `flag type Audited / surveyed: ${surveyed('Engine', '1')}`,
    ]);
    expect(changed?.toSorted()).toEqual([
      'admin@example.com rest change flag type',
      'flag type Audited / surveyed: inclusions "Engine" → "*", sortkey "1" → "7"',
      `flag type beta / surveyed: ${surveyed('*', '7')}`,
    ]);
  });

  it('has no entry of a request that is refused, or changes nothing', async () => {
    const before = await entries();
    const statuses = [
      await call('PUT', '/rest/product/Audited', { description: 'New' }),
      await call('PUT', '/rest/product/Audited', { description: 'Other' }, 'user'),
      await call('POST', '/rest/product', { name: 'audited', description: 'Again', version: '1' }),
      await call('POST', '/rest/component', { ...COMPONENT, name: 'engine' }),
      await call('PUT', '/rest/flag_type/surveyed', { sortkey: 7 }),
      await call('PUT', '/rest/flag_type/surveyed', { sortkey: 99_999 }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 401, 400, 400, 200, 400]);
    expect(await entries()).toBe(before);
  });
});

describe('the audit log of administration over REST', () => {
  it('has who created and changed a group, with the values before and after', async () => {
    await call('POST', '/rest/group', { name: 'night', description: 'Night shift' });
    await call('PUT', '/rest/group/night', { description: 'Late shift', is_active: true });
    expect(await audited(bugless.table, 'night')).toEqual([
      ['admin@example.com rest add group', 'group night: description "Night shift", is_active "0"'],
      [
        'admin@example.com rest change group',
        'group night: description "Night shift" → "Late shift", is_active "0" → "1"',
      ],
    ]);
  });

  it('has who created and changed users, without their passwords', async () => {
    const password = 'a-secret-of-Eve-42';
    const [eve, other] = ['eve@example.com', 'noedit@example.com'];
    await call('POST', '/rest/user', { email: eve, full_name: 'Eve', password });
    await call('PUT', `/rest/user/${eve}`, { login_denied_text: 'Gone', password });
    await call('PUT', `/rest/user/${eve}`, { names: [other], login_denied_text: 'Left' });
    expect(await audited(bugless.table, eve)).toEqual([
      ['admin@example.com rest add user', `user ${eve}: full_name "Eve"`],
      ['admin@example.com rest change user', `user ${eve}: is_enabled "1" → "0", login_denied_text "Gone"`],
      [
        'admin@example.com rest change user',
        `user ${eve}: login_denied_text "Gone" → "Left"`,
        `user ${other}: is_enabled "1" → "0", login_denied_text "Left"`,
      ],
    ]);
    const log = (await allItems(bugless.table)).filter(({ pk }) => pk === 'AUDIT');
    expect(JSON.stringify(log)).not.toContain(password);
  });

  it('has no entry of a request that is refused, or changes nothing', async () => {
    const before = await entries();
    const statuses = [
      await call('PUT', '/rest/group/night', { description: 'Late shift' }),
      await call('PUT', '/rest/group/night', { description: 'Other' }, 'user'),
      await call('POST', '/rest/group', { name: 'night', description: 'Again' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 401, 400]);
    expect(await entries()).toBe(before);
    await expectNoViolations(bugless.table);
  });

  it('is listed by who made a change, and by what was changed', async () => {
    const admin = adminOf(bugless.table);
    const { stdout } = await admin('audit', '--by', 'admin@example.com', '--of', 'NIGHT');
    expect(stdout).toContain('admin@example.com  rest add group');
    expect(stdout).toContain('night: description "" → "Night shift", is_active "" → "0"');
    expect((await admin('audit', '--by', 'nosuch', '--of', 'night')).stdout).toBe('No commands\n');
  });
});
