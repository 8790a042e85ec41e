import { afterEach, describe, expect, it } from 'vitest';
import { MAX_MAILS_A_CHANGE } from '../../lib/changes/mail/deliver.ts';
import { userIdKey, userKey, watchersKey } from '../../lib/table/keys.ts';
import { batchWrite, setItem } from '../../lib/table/write.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { mailClient, names, type ReadMail, to } from '../support/new-mails.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { isLong } from '../support/sample.ts';
import { times } from '../support/times.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBugless({ ...catalogue(), bugs: [] }, { ...RECORDED_SETTINGS, EVENTS: 'true' }),
);
const { mailsOf, newBug, put, done } = mailClient(bugless, keys, 'admin');

const NOTHING = { watched_users: [], watched_components: [], mail_off: { roles: [], changes: [] } };
const address = (name: string) => `${name}@example.com`;
const changed = new Set<string>();

async function prefer(as: string, preferences: object): Promise<void> {
  changed.add(as);
  await done('PUT', '/rest/bugless/preferences', preferences, as);
}
const watch = (as: string, ...users: string[]) => prefer(as, { watched_users: users.map(address) });
const watchComponent = (as: string, ...watched_components: object[]) => prefer(as, { watched_components });

afterEach(async () => {
  for (const as of changed) await prefer(as, { ...NOTHING, email_enabled: true });
  changed.clear();
});

const reasonsOf = (mail: ReadMail | undefined) => [
  mail?.headers['X-Bugzilla-Reason'],
  mail?.headers['X-Bugzilla-Watch-Reason'],
  mail?.text.split('because:\n')[1],
];
const COMMENT = { comment: { body: 'Text' } };

describe('who watches a user', () => {
  it.each<[watched: string, role: string, preference: string, sentence: string]>([
    ['noedit', 'Reporter', 'reporter', 'You are watching the reporter of the bug.'],
    ['user', 'AssignedTo', 'assigned_to', 'You are watching the assignee of the bug.'],
    ['insider', 'QAcontact', 'qa_contact', 'You are watching the QA Contact of the bug.'],
    ['editor', 'CC', 'cc', 'You are watching someone on the CC list of the bug.'],
  ])(
    'hears of the bugs in which %s is %s, as the own preferences have it',
    async (watched, role, own, sentence) => {
      await watch('confirm', watched);
      const id = await newBug({ cc: [address('editor')] });
      const mails = to(await put(id, COMMENT), 'confirm');
      expect(mails.map(reasonsOf)).toEqual([['None', `${role} ${address(watched)}`, `${sentence}\n`]]);
      for (const roles of [['watched'], [own]]) {
        await prefer('confirm', { mail_off: { roles } });
        expect(to(await put(id, COMMENT), 'confirm')).toEqual([]);
      }
      await prefer('confirm', { mail_off: { roles: [], changes: ['comments'] } });
      expect(names(await put(id, COMMENT))).not.toContain('confirm');
      expect(names(await put(id, { whiteboard: 'x' }))).toContain('confirm');
      await prefer('confirm', { email_enabled: false });
      expect(names(await put(id, { whiteboard: 'y' }))).not.toContain('confirm');
    },
  );

  it('gets one mail with all reasons, the own ones first', async () => {
    await watch('editor', 'noedit', 'user');
    await watchComponent('editor', { product: 'Alpha', component: 'UI' }, { product: 'Alpha' });
    const id = await newBug({ cc: [address('editor')] });
    const mails = await put(id, COMMENT);
    expect(names(mails)).toEqual(['editor', 'insider', 'noedit', 'user']);
    expect(reasonsOf(to(mails, 'editor')[0])).toEqual([
      'CC',
      `Reporter AssignedTo Component-Watcher ${address('noedit')} ${address('user')}`,
      [
        'You are on the CC list for the bug.\nYou are watching the reporter of the bug.\n',
        'You are watching the assignee of the bug.\nYou are watching the component for the bug.\n',
      ].join(''),
    ]);
  });

  it('hears whether the watched one gets mails, is disabled, or has lost the role by the change', async () => {
    await watch('confirm', 'user', 'disabled');
    await prefer('user', { email_enabled: false });
    const id = await newBug();
    expect(names(await put(id, COMMENT))).toEqual(['confirm', 'insider', 'noedit']);
    const moved = await put(id, { assigned_to: address('tracker'), cc: { add: [address('disabled')] } });
    expect(reasonsOf(to(moved, 'confirm')[0])[1]).toBe(
      `AssignedTo CC ${address('disabled')} ${address('user')}`,
    );
    expect(names(await put(id, { cc: { remove: [address('disabled')] }, ...COMMENT }))).toContain('confirm');
    expect(names(await put(id, COMMENT))).not.toContain('confirm');
  });

  it('hears of no own change, and of a mere change of the CC list where the reporter is watched', async () => {
    await watch('tracker', 'user');
    await watch('confirm', 'noedit');
    const id = await newBug();
    expect(names(await put(id, COMMENT, 'tracker'))).not.toContain('tracker');
    expect(names(await put(id, COMMENT, 'user'))).toContain('tracker');
    expect(names(await put(id, { cc: { add: [address('plain')] } }))).toEqual(['confirm', 'noedit', 'plain']);
  });

  it('hears of nothing of private comments, and of no bug out of view', async () => {
    await watch('confirm', 'user', 'insider');
    const id = await newBug();
    const comment = { body: 'For insiders.', is_private: true };
    expect(names(await put(id, { comment }))).toEqual(['insider']);
    const both = await put(id, { comment, whiteboard: 'public' });
    expect(to(both, 'confirm')[0]?.text).not.toContain('For insiders.');
    expect(to(both, 'insider')[0]?.text).toContain('For insiders.');
    const place = { product: 'Guarded', component: 'Other', groups: ['secret-team'] };
    const restricted = await newBug({ ...place, cc: [address('insider')] }, 'admin');
    expect(names(await put(restricted, COMMENT, 'secret'))).not.toContain('confirm');
    expect(names(await put(restricted, { groups: { remove: ['secret-team'] } }))).toContain('confirm');
  });

  it('hears of dependent bugs that are unblocked, if both are visible', async () => {
    await watch('confirm', 'noedit');
    const [blocking, dependent] = [await newBug({}, 'admin'), await newBug()];
    await put(dependent, { depends_on: { add: [blocking] } });
    const closed = await put(blocking, { status: 'RESOLVED', resolution: 'FIXED' });
    expect(to(closed, 'confirm').map(({ type, ...mail }) => [type, reasonsOf(mail as ReadMail)[1]])).toEqual([
      ['dep_changed', `Reporter ${address('noedit')}`],
    ]);
    const place = { product: 'Guarded', component: 'Other', groups: ['secret-team'] };
    const hidden = await newBug(place, 'admin');
    await put(dependent, { depends_on: { add: [hidden] } });
    const unblocked = await put(hidden, { status: 'RESOLVED', resolution: 'FIXED' });
    expect(names(unblocked)).not.toContain('confirm');
  });

  it('hears of nothing while disabled', async () => {
    await watch('plain', 'noedit');
    const set = (login_denied_text: string) =>
      done('PUT', `/rest/user/${address('plain')}`, { login_denied_text });
    const id = await newBug();
    await set('Left.');
    expect(names(await put(id, COMMENT))).not.toContain('plain');
    await set('');
    expect(names(await put(id, COMMENT))).toContain('plain');
  });

  it('hears of no requests', async () => {
    await watch('confirm', 'tracker');
    const id = await newBug();
    const flags = [{ name: 'needinfo', status: '?', requestee: address('tracker') }];
    const mails = await put(id, { flags });
    // A change has a limit of mails: those of who watches are the last ones.
    expect(mails.at(-1)?.recipient.login).toBe(address('confirm'));
    expect(names(mails.filter(({ type }) => type === 'request'))).toEqual(['tracker']);
  });
});

describe('who watches a component or a product', () => {
  it.each<[what: string, watched: object]>([
    ['a component', { product: 'alpha', component: 'ui' }],
    ['a product', { product: 'Alpha' }],
  ])('hears of new bugs and of changes, but of the CC list: %s', async (_, watched) => {
    await watchComponent('confirm', watched);
    const filed = await mailsOf('POST', '/rest/bug', NEW_BUG, 'noedit');
    const reasons = ['None', 'Component-Watcher', 'You are watching the component for the bug.\n'];
    expect(to(filed, 'confirm').map(reasonsOf)).toEqual([reasons]);
    const id = filed[0]?.headers['X-Bugzilla-ID'] ?? '';
    expect(to(await put(Number(id), COMMENT), 'confirm').map(reasonsOf)).toEqual([reasons]);
    expect(names(await put(Number(id), { cc: { add: [address('plain')] } }))).not.toContain('confirm');
    await prefer('confirm', { mail_off: { roles: ['watched'], changes: [] } });
    expect(names(await put(Number(id), COMMENT))).not.toContain('confirm');
  });

  it('hears of a bug that leaves, and of one that comes, and of no other component', async () => {
    await watchComponent('confirm', { product: 'Alpha', component: 'Core' });
    const id = await newBug();
    expect(names(await put(id, COMMENT))).not.toContain('confirm');
    expect(names(await put(id, { component: 'Core' }))).toContain('confirm');
    expect(names(await put(id, { component: 'UI' }))).toContain('confirm');
    expect(names(await put(id, COMMENT))).not.toContain('confirm');
    await put(id, { component: 'Core' });
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' };
    expect(names(await put(id, place))).toContain('confirm');
    expect(names(await put(id, COMMENT))).not.toContain('confirm');
  });

  it('hears of no bug that is not visible, as where the right was lost', async () => {
    await watchComponent('secret', { product: 'Secret', component: 'Vault' });
    const id = await newBug({ product: 'Secret', component: 'Vault' }, 'admin');
    expect(names(await put(id, COMMENT))).toEqual(['secret']);
    const member = (change: string) =>
      done('PUT', `/rest/user/${address('secret')}`, { groups: { [change]: ['secret-team'] } });
    await member('remove');
    expect(await put(id, COMMENT)).toEqual([]);
    await member('add');
  });
});

it('of watchers there are no more read than a change has mails', async () => {
  const id = await newBug();
  const user_ids = times(MAX_MAILS_A_CHANGE + 1, (index) => 100_000 + index);
  // In `npm test` only the last ones exist.
  const users = user_ids.slice(isLong ? 0 : -21).map((one) => ({
    ...{ id: one, login: address(`w${one}`), real_name: '', groups: [], revision: 0 },
  }));
  await batchWrite(bugless.table, [
    ...users.map((user) => ({ ...userKey(user.login), ...user })),
    ...users.map((user) => ({ ...userIdKey(user.id), login: user.login })),
  ]);
  const target = { kind: 'component', id: 2 };
  await setItem(bugless.table, watchersKey(target), { ...target, user_ids, revision: 1 });
  const mails = await put(id, COMMENT);
  const mailed = names(mails).filter((name) => /^w\d/.test(name));
  expect(mailed).toEqual(users.slice(0, -1).map((user) => `w${user.id}`));
});
