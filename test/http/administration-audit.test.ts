import { describe, expect, it } from 'vitest';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { adminOf } from '../support/admin.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions({ ...catalogue(), bugs: [] }));

const call = (method: string, path: string, body: unknown, as = 'admin') =>
  bugless.call(method, path, { key: keys.get(as), body });
const entries = () => auditRepository(bugless.table).list('', 100);
const entriesOf = async (name: string) =>
  (await entries()).filter(({ changes = [] }) => changes.some((change) => change.name === name));

describe('the audit log of administration over REST', () => {
  it('has who created and changed a group, with the values before and after', async () => {
    await call('POST', '/rest/group', { name: 'night', description: 'Night shift' });
    await call('PUT', '/rest/group/night', { description: 'Late shift', is_active: true });
    const found = (await entriesOf('night')).map(({ command, state, changes }) => [command, state, changes]);
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        [
          'rest add group',
          'done',
          [
            {
              kind: 'group',
              name: 'night',
              fields: {
                description: { removed: '', added: 'Night shift' },
                is_active: { removed: '', added: '0' },
              },
            },
          ],
        ],
        [
          'rest change group',
          'done',
          [
            {
              kind: 'group',
              name: 'night',
              fields: {
                description: { removed: 'Night shift', added: 'Late shift' },
                is_active: { removed: '0', added: '1' },
              },
            },
          ],
        ],
      ]),
    );
    await expectNoViolations(bugless.table);
  });

  it('has who created and changed users, without their passwords', async () => {
    const password = 'a-secret-of-Eve-42';
    await call('POST', '/rest/user', { email: 'eve@example.com', full_name: 'Eve', password });
    await call('PUT', '/rest/user/eve@example.com', { login_denied_text: 'Gone', password });
    await call('PUT', '/rest/user/eve@example.com', {
      names: ['noedit@example.com'],
      login_denied_text: 'Left',
    });
    const found = await entriesOf('eve@example.com');
    const disabled = (removed: string, added: string) => ({ login_denied_text: { removed, added } });
    const enabled = { is_enabled: { removed: '1', added: '0' } };
    expect(found).toHaveLength(3);
    expect(found.map(({ command, changes }) => [command, changes])).toEqual(
      expect.arrayContaining([
        [
          'rest add user',
          [{ kind: 'user', name: 'eve@example.com', fields: { full_name: { removed: '', added: 'Eve' } } }],
        ],
        [
          'rest change user',
          [{ kind: 'user', name: 'eve@example.com', fields: { ...disabled('', 'Gone'), ...enabled } }],
        ],
        [
          'rest change user',
          [
            { kind: 'user', name: 'eve@example.com', fields: disabled('Gone', 'Left') },
            { kind: 'user', name: 'noedit@example.com', fields: { ...disabled('', 'Left'), ...enabled } },
          ],
        ],
      ]),
    );
    expect(JSON.stringify(await entries())).not.toContain(password);
    await expectNoViolations(bugless.table);
  });

  it('has no entry of a request that is refused, or changes nothing', async () => {
    await call('POST', '/rest/group', { name: 'still', description: 'Still' });
    const before = (await entries()).length;
    expect((await call('PUT', '/rest/group/still', { description: 'Still' })).status).toBe(200);
    expect((await call('PUT', '/rest/group/still', { description: 'Other' }, 'user')).status).toBe(401);
    expect((await call('POST', '/rest/group', { name: 'still', description: 'Again' })).status).toBe(400);
    expect((await entries()).length).toBe(before);
  });

  it('is listed by who made a change, and by what was changed', async () => {
    await call('POST', '/rest/group', { name: 'listed', description: 'One' });
    const admin = adminOf(bugless.table);
    const [{ who = '' } = {}] = await entriesOf('listed');
    const { stdout } = await admin('audit', '--by', who, '--of', 'LISTED');
    expect(stdout).toContain(`${who}  rest add group`);
    expect(stdout).toContain('listed: description "" → "One", is_active "" → "0"');
    expect((await admin('audit', '--by', 'nosuch', '--of', 'listed')).stdout).toBe('No commands\n');
  });
});
