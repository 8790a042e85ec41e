import { describe, expect, it } from 'vitest';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions({ ...catalogue(), bugs: [] }));

const call = (method: string, path: string, body: unknown, as = 'admin') =>
  bugless.call(method, path, { key: keys.get(as), body });
const entries = () => auditRepository(bugless.table).list('', 100);
/** Who did what, and what changed, of the entries that name something. */
const entriesOf = async (command: string, name: string) =>
  (await entries())
    .filter((entry) => entry.command === command && entry.changes?.some((change) => change.name === name))
    .map(({ who, state, changes }) => ({ who, state, changes }));
const added = (value: string) => ({ removed: '', added: value });
const COMPONENT = { product: 'Audited', description: 'Parts', default_assignee: 'user@example.com' };

describe('the audit log of products over REST', () => {
  it('has who created a product, with its version and milestone', async () => {
    const product = { name: 'Audited', description: 'Old', version: '1.0', default_milestone: 'M1' };
    expect((await call('POST', '/rest/product', product)).status).toBe(201);
    const release = (name: string) => ({
      name: added(name),
      sort_key: added('0'),
      is_active: added('1'),
    });
    expect(await entriesOf('rest add product', 'Audited')).toEqual([
      {
        who: 'admin@example.com',
        state: 'done',
        changes: [
          {
            kind: 'product',
            name: 'Audited',
            fields: {
              name: added('Audited'),
              description: added('Old'),
              classification: added('Unclassified'),
              default_milestone: added('M1'),
              has_unconfirmed: added('1'),
              is_open: added('1'),
            },
          },
          { kind: 'version', name: 'Audited / 1.0', fields: release('1.0') },
          { kind: 'milestone', name: 'Audited / M1', fields: release('M1') },
        ],
      },
    ]);
  });

  it('has who changed products, with the values before and after, in one entry for a request', async () => {
    await call('PUT', '/rest/product/Audited', { names: ['beta'], has_unconfirmed: false, is_open: true });
    await call('PUT', '/rest/product/Audited', { description: 'New', is_open: false });
    const unconfirmed = { has_unconfirmed: { removed: '1', added: '0' } };
    const found = await entriesOf('rest change product', 'Audited');
    expect(found.map(({ changes }) => changes)).toEqual(
      expect.arrayContaining([
        [
          { kind: 'product', name: 'Audited', fields: unconfirmed },
          { kind: 'product', name: 'beta', fields: unconfirmed },
        ],
        [
          {
            kind: 'product',
            name: 'Audited',
            fields: {
              description: { removed: 'Old', added: 'New' },
              is_open: { removed: '1', added: '0' },
            },
          },
        ],
      ]),
    );
  });

  it('has who created a component', async () => {
    const component = { ...COMPONENT, name: 'Engine', default_cc: ['plain@example.com'] };
    expect((await call('POST', '/rest/component', component, 'editor')).status).toBe(201);
    expect(await entriesOf('rest add component', 'Audited / Engine')).toEqual([
      {
        who: 'editor@example.com',
        state: 'done',
        changes: [
          {
            kind: 'component',
            name: 'Audited / Engine',
            fields: {
              name: added('Engine'),
              description: added('Parts'),
              default_assignee: added('user@example.com'),
              default_cc: added('plain@example.com'),
              sort_key: added('0'),
              is_open: added('1'),
            },
          },
        ],
      },
    ]);
  });

  it('has who created and changed a flag type, and where it is available', async () => {
    const flagType = {
      name: 'surveyed',
      description: 'Surveyed',
      grant_group: 'insiders',
      inclusions: [{ Audited: ['Engine'] }],
    };
    const { status, body } = await call('POST', '/rest/flag_type', flagType);
    expect(status).toBe(201);
    await call('PUT', `/rest/flag_type/${body.id}`, { sortkey: 7, inclusions: ['Audited', 'beta'] });
    const [created] = await entriesOf('rest add flag type', 'Audited / surveyed');
    expect(created?.who).toBe('admin@example.com');
    expect(created?.changes).toEqual([
      {
        kind: 'flag type',
        name: 'Audited / surveyed',
        fields: expect.objectContaining({
          name: added('surveyed'),
          target_type: added('bug'),
          grant_group: added('insiders'),
          inclusions: added('Engine'),
        }),
      },
    ]);
    const [changed] = await entriesOf('rest change flag type', 'Audited / surveyed');
    expect(changed?.changes).toEqual(
      expect.arrayContaining([
        {
          kind: 'flag type',
          name: 'Audited / surveyed',
          fields: {
            sortkey: { removed: '1', added: '7' },
            inclusions: { removed: 'Engine', added: '*' },
          },
        },
        {
          kind: 'flag type',
          name: 'beta / surveyed',
          fields: expect.objectContaining({ name: added('surveyed'), sortkey: added('7') }),
        },
      ]),
    );
  });

  it('has no entry of a request that is refused, or changes nothing', async () => {
    const before = (await entries()).length;
    const statuses = [
      await call('PUT', '/rest/product/Audited', { description: 'New' }),
      await call('PUT', '/rest/product/Audited', { description: 'Other' }, 'user'),
      await call('POST', '/rest/product', { name: 'audited', description: 'Again', version: '1' }),
      await call('POST', '/rest/component', { ...COMPONENT, name: 'engine' }),
      await call('PUT', '/rest/flag_type/surveyed', { sortkey: 7 }),
      await call('PUT', '/rest/flag_type/surveyed', { sortkey: 99_999 }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 401, 400, 400, 200, 400]);
    expect((await entries()).length).toBe(before);
    await expectNoViolations(bugless.table);
  });
});
