import { describe, expect, it } from 'vitest';
import { bugKey, userKey } from '../../lib/dynamodb/keys.ts';
import { batchWrite, setItem } from '../../lib/dynamodb/write.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { changeObserver, type ReadMail } from '../support/new-mails.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBugless(catalogue(), { ...RECORDED_SETTINGS, EVENTS: 'true' }));
const { newMails, newChanges, mailsOfChange } = changeObserver(() => bugless);

const NEW_BUG = {
  ...{ product: 'Alpha', component: 'UI', version: 'unspecified', summary: 'A bug' },
  ...{ op_sys: 'All', platform: 'All', severity: 'normal', priority: 'High', description: 'It crashes.' },
};

/** Sends a request, and returns its mails. */
async function mailsOf(method: string, path: string, body: object, as = 'user'): Promise<ReadMail[]> {
  const response = await bugless.call(method, path, { key: keys.get(as), body });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return newMails();
}

/** Creates a bug: assignee user, QA contact insider. @returns its id */
async function newBug(given: object = {}, as = 'noedit'): Promise<number> {
  const { body } = await bugless.call('POST', '/rest/bug', {
    key: keys.get(as),
    body: { ...NEW_BUG, ...given },
  });
  await newMails();
  return Number(body.id);
}

const names = (mails: ReadMail[]) => mails.map(({ recipient: { login } }) => login.replace(/@.*/, '')).sort();
const to = (mails: ReadMail[], login: string) =>
  mails.filter(({ recipient }) => recipient.login === `${login}@example.com`);
const textTo = (mails: ReadMail[], login: string) => to(mails, login)[0]?.text ?? '';

describe('a private comment', () => {
  it('goes to insiders only, also where the others are told of other changes', async () => {
    const id = await newBug();
    const comment = { body: 'For insiders.', is_private: true };
    const alone = await mailsOf('PUT', `/rest/bug/${id}`, { comment }, 'secret');
    expect(names(alone)).toEqual(['insider']);
    const both = await mailsOf('PUT', `/rest/bug/${id}`, { comment, status: 'IN_PROGRESS' }, 'secret');
    expect(names(both)).toEqual(['insider', 'noedit', 'user']);
    expect(
      both.filter(({ text }) => text.includes('For insiders.')).map(({ recipient }) => recipient.login),
    ).toEqual(['insider@example.com']);
  });

  it('whose privacy changes is a row for insiders', async () => {
    const id = await newBug();
    const { body } = await bugless.call('POST', `/rest/bug/${id}/comment`, {
      key: keys.get('secret'),
      body: { comment: 'Text' },
    });
    await newMails();
    const mails = await mailsOf(
      'PUT',
      `/rest/bug/${id}`,
      { comment_is_private: { [body.id]: true } },
      'secret',
    );
    expect(names(mails)).toEqual(['insider']);
    expect(textTo(mails, 'insider')).toContain(
      '    Comment #1 is|0                           |1\n            private|',
    );
  });
});

describe('hours', () => {
  it('are a row for time trackers only, with two decimals', async () => {
    const id = await newBug({ cc: ['tracker@example.com', 'plain@example.com'] });
    const mails = await mailsOf(
      'PUT',
      `/rest/bug/${id}`,
      { estimated_time: 8, deadline: '2027-01-31' },
      'admin',
    );
    expect(textTo(mails, 'tracker')).toMatch(/Orig\. Est\.\|0\.00 +\|8\.00\n/);
    expect(textTo(mails, 'plain')).toMatch(/Deadline\| +\|2027-01-31\n/);
    expect(textTo(mails, 'plain')).not.toMatch(/Orig|8\.00/);
    const worked = await mailsOf(
      'POST',
      `/rest/bug/${id}/comment`,
      { comment: 'Two.', work_time: 2 },
      'admin',
    );
    expect(textTo(worked, 'tracker')).toMatch(/Hours Worked\| +\|2\.00\n/);
    expect(textTo(worked, 'plain')).not.toMatch(/Hours|changed:/);
    const none = await mailsOf('PUT', `/rest/bug/${id}`, { estimated_time: 9 }, 'admin');
    expect(names(none)).toEqual(['tracker']);
  });
});

describe('a private attachment', () => {
  const FILE = { file_name: 'a.txt', summary: 'A file', content_type: 'text/plain', data: 'aGVsbG8K' };

  it('goes to insiders only, with its flags; the CC that a flag adds goes to all', async () => {
    const id = await newBug();
    const flags = [{ name: 'review', status: '?', requestee: 'admin@example.com' }];
    const mails = await mailsOf(
      'POST',
      `/rest/bug/${id}/attachment`,
      { ...FILE, is_private: true, flags },
      'secret',
    );
    expect(names(mails)).toEqual(['admin', 'admin', 'insider', 'noedit', 'user']);
    expect(textTo(mails, 'noedit')).toMatch(/CC\| +\|admin@example.com/);
    expect(textTo(mails, 'noedit')).not.toMatch(/review|A file|attachment/i);
    expect(to(mails, 'noedit')[0]?.headers['X-Bugzilla-Changed-Fields']).toBe('cc');
  });

  it('that was public keeps the summary that it had then', async () => {
    const id = await newBug();
    const call = (method: string, path: string, body: object) =>
      bugless.call(method, path, { key: keys.get('secret'), body });
    const { body } = await call('POST', `/rest/bug/${id}/attachment`, { ...FILE, comment: 'See it.' });
    const [created] = await newChanges();
    await call('PUT', `/rest/bug/attachment/${body.ids[0]}`, { is_private: true, summary: 'Hidden summary' });
    await newChanges();
    const mails = await mailsOfChange(created);
    expect(names(mails)).toEqual(['insider', 'noedit', 'user']);
    expect(mails.map(({ text }) => /A file|Hidden summary/.exec(text)?.[0])).toEqual([
      'A file',
      'A file',
      'A file',
    ]);
  });

  it('that becomes public again goes to all', async () => {
    const id = await newBug();
    const { body } = await bugless.call('POST', `/rest/bug/${id}/attachment`, {
      key: keys.get('secret'),
      body: { ...FILE, is_private: true },
    });
    await newMails();
    const shown = await mailsOf(
      'PUT',
      `/rest/bug/attachment/${body.ids[0]}`,
      { is_private: false },
      'secret',
    );
    expect(names(shown)).toEqual(['insider', 'noedit', 'user']);
    const hidden = await mailsOf(
      'PUT',
      `/rest/bug/attachment/${body.ids[0]}`,
      { is_private: true },
      'secret',
    );
    expect(names(hidden)).toEqual(['insider']);
  });
});

describe('a bug in a group', () => {
  it('is mailed to who may see it after the change', async () => {
    const id = await newBug({ product: 'NoEntry', component: 'Main', cc: ['plain@example.com'] }, 'secret');
    const body = { groups: { add: ['secret-team'] }, is_cc_accessible: false };
    const mails = await mailsOf('PUT', `/rest/bug/${id}`, body, 'admin');
    expect(names(mails)).not.toContain('plain');
    expect(names(mails)).toContain('secret');
  });

  it('is not named to who may not see it, though its number stands in the table', async () => {
    const secret = await newBug({ product: 'Secret', component: 'Vault', summary: 'Hidden' }, 'secret');
    const id = await newBug();
    const mails = await mailsOf('PUT', `/rest/bug/${id}`, { depends_on: { add: [secret] } }, 'secret');
    expect(textTo(mails, 'noedit')).toContain(`|${secret}\n`);
    expect(textTo(mails, 'noedit')).not.toMatch(/Hidden|Referenced/);
  });

  it('that closes is not mailed to people of dependent bugs who may not see it', async () => {
    const secret = await newBug({ product: 'Secret', component: 'Vault', summary: 'Hidden' }, 'secret');
    const id = await newBug();
    await bugless.call('PUT', `/rest/bug/${id}`, {
      key: keys.get('secret'),
      body: { depends_on: { add: [secret] } },
    });
    await newMails();
    const closed = await mailsOf(
      'PUT',
      `/rest/bug/${secret}`,
      { status: 'RESOLVED', resolution: 'FIXED' },
      'secret',
    );
    expect(closed.filter(({ type }) => type === 'dep_changed')).toEqual([]);
  });
});

describe('a flag', () => {
  it('that somebody asks himself for is mailed to him', async () => {
    const id = await newBug();
    const flags = [{ name: 'needinfo', status: '?', requestee: 'plain@example.com' }];
    const mails = await mailsOf('PUT', `/rest/bug/${id}`, { flags }, 'plain');
    expect(to(mails, 'plain').map(({ type }) => type)).toEqual(['request']);
  });

  it('that is asked of somebody else goes to him only', async () => {
    const id = await newBug();
    const ask = (login: string) => ({
      flags: [{ name: 'needinfo', status: '?', requestee: `${login}@example.com` }],
    });
    await mailsOf('PUT', `/rest/bug/${id}`, ask('plain'));
    const mails = await mailsOf('PUT', `/rest/bug/${id}`, ask('tracker'), 'admin');
    const requests = mails.filter(({ type }) => type === 'request');
    expect(names(requests)).toEqual(['tracker']);
    expect(requests[0]?.subject).toBe(`needinfo requested: [Bug ${id}] A bug`);
    expect(requests[0]?.text.replaceAll(/\s+/g, ' ')).toContain(
      "Ada Admin <admin@example.com> has reassigned Ursula User <user@example.com>'s request for needinfo to Tim Tracker <tracker@example.com>:",
    );
  });

  it('that its setter asks of somebody else is asked again', async () => {
    const id = await newBug();
    const ask = (login: string) => ({
      flags: [{ name: 'needinfo', status: '?', requestee: `${login}@example.com` }],
    });
    await mailsOf('PUT', `/rest/bug/${id}`, ask('plain'));
    const mails = await mailsOf('PUT', `/rest/bug/${id}`, ask('tracker'));
    const [request] = mails.filter(({ type }) => type === 'request');
    expect(request?.text).toContain('has asked Tim Tracker <tracker@example.com>');
  });

  it('that is answered by the one who set it is not mailed to him', async () => {
    const id = await newBug();
    await mailsOf('PUT', `/rest/bug/${id}`, { flags: [{ name: 'approval', status: '?' }] });
    const mails = await mailsOf('PUT', `/rest/bug/${id}`, { flags: [{ name: 'approval', status: 'X' }] });
    expect(mails.filter(({ type }) => type === 'request')).toEqual([]);
  });

  it('that is granted and then cleared is no request', async () => {
    const id = await newBug();
    await mailsOf('PUT', `/rest/bug/${id}`, { flags: [{ name: 'approval', status: '+' }] }, 'admin');
    const mails = await mailsOf(
      'PUT',
      `/rest/bug/${id}`,
      { flags: [{ name: 'approval', status: 'X' }] },
      'admin',
    );
    expect(mails.filter(({ type }) => type === 'request')).toEqual([]);
  });
});

describe('mails are about the state after the change', () => {
  /** The mails of a change that others have followed. */
  async function lateMails(path: string, body: object, then: object): Promise<ReadMail[]> {
    await bugless.call('PUT', path, { key: keys.get('user'), body });
    const [first] = await newChanges();
    await bugless.call('PUT', path, { key: keys.get('user'), body: then });
    await newChanges();
    return mailsOfChange(first);
  }

  it('so who loses a role by the next change hears of it, and who gets one does not', async () => {
    const id = await newBug({ cc: ['tracker@example.com'] });
    const mails = await lateMails(
      `/rest/bug/${id}`,
      { assigned_to: 'plain@example.com' },
      {
        assigned_to: 'editor@example.com',
        cc: { remove: ['tracker@example.com'], add: ['admin@example.com'] },
      },
    );
    expect(names(mails)).toEqual(['insider', 'noedit', 'plain', 'tracker']);
    expect(to(mails, 'plain')[0]?.headers['X-Bugzilla-Reason']).toBe('AssignedTo');
  });
});

it('a request whose flag a move clears is canceled', async () => {
  const id = await newBug();
  await mailsOf('PUT', `/rest/bug/${id}`, { flags: [{ name: 'approval', status: '?' }] });
  const body = { product: 'beta', component: 'Main', version: 'unspecified', target_milestone: '---' };
  const mails = await mailsOf('PUT', `/rest/bug/${id}`, body, 'admin');
  const requests = mails.filter(({ type }) => type === 'request');
  expect(requests.map(({ recipient, subject }) => [recipient.login, subject])).toEqual([
    ['user@example.com', `approval canceled: [Bug ${id}] A bug`],
  ]);
});

describe('nobody is mailed', () => {
  it.each([
    { what: 'of tags', method: 'PUT', path: '/rest/bug/comment/1/tags', body: { add: ['tag'] } },
    { what: 'of a product', method: 'PUT', path: '/rest/product/Alpha', body: { description: 'Other' } },
  ])('$what', async ({ method, path, body }) => {
    expect(await mailsOf(method, path, body, 'admin')).toEqual([]);
  });

  it('of a change that changes nothing', async () => {
    const id = await newBug();
    expect(await mailsOf('PUT', `/rest/bug/${id}`, { summary: 'A bug' })).toEqual([]);
  });
});

it('comments that were written together reach all but their own authors', async () => {
  const id = await newBug({ cc: ['plain@example.com', 'tracker@example.com'] });
  const authors = ['plain', 'tracker', 'plain', 'admin', 'tracker', 'plain'];
  await Promise.all(
    authors.map((as, index) =>
      bugless.call('POST', `/rest/bug/${id}/comment`, {
        key: keys.get(as),
        body: { comment: `Text ${index}.` },
      }),
    ),
  );
  // Only the last of the changes of one second is left in the log.
  const mails = await newMails();
  const last = mails.flatMap(({ text }) =>
    [...text.matchAll(/Comment #(\d+) from (\S+)/g)].map(([, number]) => number),
  );
  expect(last.length).toBeGreaterThan(0);
  for (const { recipient, text } of mails) expect(text).not.toContain(`<${recipient.login}> ---`);
});

it('a bug with 1,000 users on CC is mailed to each once, with one text for all', async () => {
  const id = await newBug();
  const logins = Array.from(
    { length: 1_000 },
    (_, index) => `cc${String(index).padStart(3, '0')}@example.com`,
  );
  // As an import brings them: a request adds 100 at most.
  const users = logins.map((login, index) => ({
    id: 1_000 + index,
    login,
    real_name: 'CC',
    groups: [],
    revision: 0,
  }));
  await batchWrite(
    bugless.table,
    users.map((user) => ({ ...userKey(user.login), ...user })),
  );
  await setItem(bugless.table, bugKey(id), { cc: logins });
  const mails = await mailsOf('PUT', `/rest/bug/${id}`, { whiteboard: '[many]' }, 'admin');
  const toCc = mails.filter(({ recipient }) => recipient.login.startsWith('cc'));
  expect(new Set(toCc.map(({ recipient }) => recipient.login)).size).toBe(1_000);
  expect(new Set(toCc.map(({ text }) => text)).size).toBe(1);
});
