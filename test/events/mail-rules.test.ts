import { describe, expect, it } from 'vitest';
import { bugKey, userKey } from '../../lib/table/keys.ts';
import { batchWrite, setItem } from '../../lib/table/write.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { FILE, NEW_BUG } from '../support/client.ts';
import { mailClient, names, type ReadMail, to } from '../support/new-mails.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBugless({ ...catalogue(), bugs: [] }, { ...RECORDED_SETTINGS, EVENTS: 'true' }),
);
const { mailsOf, newBug, put, done, quietly, newMails, newChanges, mailsOfChange } = mailClient(
  bugless,
  keys,
  'user',
);
const textTo = (mails: ReadMail[], login: string) => to(mails, login)[0]?.text ?? '';

describe('a private comment', () => {
  it('goes to insiders only, also where the others are told of other changes', async () => {
    const id = await newBug();
    const comment = { body: 'For insiders.', is_private: true };
    const alone = await put(id, { comment }, 'secret');
    expect(names(alone)).toEqual(['insider']);
    const both = await put(id, { comment, status: 'IN_PROGRESS' }, 'secret');
    expect(names(both)).toEqual(['insider', 'noedit', 'user']);
    expect(
      both.filter(({ text }) => text.includes('For insiders.')).map(({ recipient }) => recipient.login),
    ).toEqual(['insider@example.com']);
  });

  /** Adds a comment to each of two bugs. @returns the ids of the bugs and of the comments */
  async function withComments(is_private: boolean) {
    const ids = [await newBug(), await newBug()];
    const comments: number[] = [];
    for (const id of ids) {
      const body = { comment: 'Text', is_private };
      comments.push((await quietly('POST', `/rest/bug/${id}/comment`, body, 'secret')).id);
    }
    return { ids, comments };
  }
  const ROW = (removed: number, added: number) =>
    `    Comment #1 is|${removed}                           |${added}\n            private|`;

  it('that becomes private is a row for insiders', async () => {
    const { ids, comments } = await withComments(false);
    const body = { comment_is_private: { [comments[0] ?? 0]: true } };
    const mails = await put(ids[0] ?? 0, body, 'secret');
    expect(names(mails)).toEqual(['insider']);
    expect(textTo(mails, 'insider')).toContain(ROW(0, 1));
  });

  it('that becomes public again is a row for all', async () => {
    const { ids, comments } = await withComments(true);
    const body = { comment_is_private: { [comments[0] ?? 0]: false } };
    const mails = await put(ids[0] ?? 0, body, 'secret');
    expect(names(mails)).toEqual(['insider', 'noedit', 'user']);
    expect(textTo(mails, 'noedit')).toContain(ROW(1, 0));
    expect(to(mails, 'noedit')[0]?.headers['X-Bugzilla-Changed-Fields']).toBe('longdescs.isprivate');
  });

  it('is told by its privacy now, whichever it had when the change was made', async () => {
    const { ids, comments } = await withComments(true);
    const [id] = ids;
    const set = (isPrivate: boolean) =>
      done('PUT', `/rest/bug/${id}`, { comment_is_private: { [comments[0] ?? 0]: isPrivate } }, 'secret');
    await set(false);
    const [published] = await newChanges();
    await set(true);
    const [hidden] = await newChanges();
    expect(names(await mailsOfChange(published))).toEqual(['insider']);
    await set(false);
    await newChanges();
    expect(names(await mailsOfChange(hidden))).toEqual(['insider', 'noedit', 'user']);
  });

  it('that becomes public beside another row shows that row alone to others, where another comment hides', async () => {
    const { ids, comments } = await withComments(true);
    const [id] = ids;
    const added = await quietly('POST', `/rest/bug/${id}/comment`, { comment: 'Public' }, 'secret');
    const comment_is_private = { [comments[0] ?? 0]: false, [added.id]: true };
    const mails = await put(id ?? 0, { comment_is_private }, 'secret');
    expect(textTo(mails, 'insider')).toContain('Comment #2 is|0');
    expect(textTo(mails, 'noedit')).toContain('Comment #1 is|1');
    expect(textTo(mails, 'noedit')).not.toContain('Comment #2');
  });
});

describe('hours', () => {
  it('are a row for time trackers only, with two decimals', async () => {
    const id = await newBug({ cc: ['tracker@example.com', 'plain@example.com'] });
    const mails = await put(id, { estimated_time: 8, deadline: '2027-01-31' }, 'admin');
    expect(textTo(mails, 'tracker')).toMatch(/Orig\. Est\.\|0\.00 +\|8\.00\n/);
    expect(textTo(mails, 'plain')).toMatch(/Deadline\| +\|2027-01-31\n/);
    expect(textTo(mails, 'plain')).not.toMatch(/Orig|8\.00/);
    const body = { comment: 'Two.', work_time: 2 };
    const worked = await mailsOf('POST', `/rest/bug/${id}/comment`, body, 'admin');
    expect(textTo(worked, 'tracker')).toMatch(/Hours Worked\| +\|2\.00\n/);
    expect(textTo(worked, 'plain')).not.toMatch(/Hours|changed:/);
    const none = await put(id, { estimated_time: 9 }, 'admin');
    expect(names(none)).toEqual(['tracker']);
  });

  it.each([
    { door: 'PUT of one', body: {} },
    { door: 'PUT of several', body: { ids: true } },
    { door: 'PUT with an empty comment', body: { comment: { body: ' ' } } },
  ])('without a comment go to time trackers alone: $door', async ({ body }) => {
    const cc = ['tracker@example.com', 'plain@example.com'];
    const ids = [await newBug({ cc }), await newBug({ cc })];
    const given = { work_time: 0.5, ...body, ...('ids' in body ? { ids } : {}) };
    const mails = await put(ids[0] ?? 0, given, 'admin');
    expect(names(mails)).toEqual('ids' in body ? ['tracker', 'tracker'] : ['tracker']);
    expect(textTo(mails, 'tracker')).toMatch(/Hours Worked\| +\|0\.50\n\n-- \n/);
  });

  it('without a comment beside another change go to all without the hours', async () => {
    const id = await newBug({ cc: ['tracker@example.com', 'plain@example.com'] });
    const mails = await put(id, { work_time: 1, whiteboard: '[w]' }, 'admin');
    expect(textTo(mails, 'plain')).toMatch(/Whiteboard\| +\|\[w\]\n\n-- \n/);
    expect(textTo(mails, 'plain')).not.toMatch(/Hours|Comment/);
  });
});

describe('a private attachment', () => {
  it('goes to insiders only, with its flags; the CC that a flag adds goes to all', async () => {
    const id = await newBug();
    const flags = [{ name: 'review', status: '?', requestee: 'admin@example.com' }];
    const file = { ...FILE, is_private: true, flags };
    const mails = await mailsOf('POST', `/rest/bug/${id}/attachment`, file, 'secret');
    expect(names(mails)).toEqual(['admin', 'admin', 'insider', 'noedit', 'user']);
    expect(textTo(mails, 'noedit')).toMatch(/CC\| +\|admin@example.com/);
    expect(textTo(mails, 'noedit')).not.toMatch(/review|A file|attachment/i);
    expect(to(mails, 'noedit')[0]?.headers['X-Bugzilla-Changed-Fields']).toBe('cc');
  });

  it('that was public keeps the summary that it had then', async () => {
    const id = await newBug();
    const body = { ...FILE, comment: 'See it.' };
    const { ids } = await done('POST', `/rest/bug/${id}/attachment`, body, 'secret');
    const [created] = await newChanges();
    const hidden = { is_private: true, summary: 'Hidden summary' };
    await quietly('PUT', `/rest/bug/attachment/${ids[0]}`, hidden, 'secret');
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
    const file = { ...FILE, is_private: true };
    const { ids } = await quietly('POST', `/rest/bug/${id}/attachment`, file, 'secret');
    const set = (is_private: boolean) =>
      mailsOf('PUT', `/rest/bug/attachment/${ids[0]}`, { is_private }, 'secret');
    expect(names(await set(false))).toEqual(['insider', 'noedit', 'user']);
    expect(names(await set(true))).toEqual(['insider']);
  });
});

describe('a bug in a group', () => {
  it('is mailed to who may see it after the change', async () => {
    const id = await newBug({ product: 'NoEntry', component: 'Main', cc: ['plain@example.com'] }, 'secret');
    const body = { groups: { add: ['secret-team'] }, is_cc_accessible: false };
    const mails = await put(id, body, 'admin');
    expect(names(mails)).not.toContain('plain');
    expect(names(mails)).toContain('secret');
  });

  it('is not named to who may not see it, though its number stands in the table', async () => {
    const secret = await newBug({ product: 'Secret', component: 'Vault', summary: 'Hidden' }, 'secret');
    const id = await newBug();
    const mails = await put(id, { depends_on: { add: [secret] } }, 'secret');
    expect(textTo(mails, 'noedit')).toContain(`|${secret}\n`);
    expect(textTo(mails, 'noedit')).not.toMatch(/Hidden|Referenced/);
  });

  it('that closes is not mailed to people of dependent bugs who may not see it', async () => {
    const secret = await newBug({ product: 'Secret', component: 'Vault', summary: 'Hidden' }, 'secret');
    const id = await newBug();
    await put(id, { depends_on: { add: [secret] } }, 'secret');
    const closed = await put(secret, { status: 'RESOLVED', resolution: 'FIXED' }, 'secret');
    expect(closed.filter(({ type }) => type === 'dep_changed')).toEqual([]);
  });
});

describe('a flag', () => {
  it('that somebody asks himself for is mailed to him', async () => {
    const id = await newBug();
    const flags = [{ name: 'needinfo', status: '?', requestee: 'plain@example.com' }];
    const mails = await put(id, { flags }, 'plain');
    expect(to(mails, 'plain').map(({ type }) => type)).toEqual(['request']);
  });

  const ask = (login: string) => ({
    flags: [{ name: 'needinfo', status: '?', requestee: `${login}@example.com` }],
  });

  it('that is asked of somebody else goes to him only', async () => {
    const id = await newBug();
    await put(id, ask('plain'));
    const mails = await put(id, ask('tracker'), 'admin');
    const requests = mails.filter(({ type }) => type === 'request');
    expect(names(requests)).toEqual(['tracker']);
    expect(requests[0]?.subject).toBe(`needinfo requested: [Bug ${id}] A bug`);
    expect(requests[0]?.text.replaceAll(/\s+/g, ' ')).toContain(
      "Ada Admin <admin@example.com> has reassigned Ursula User <user@example.com>'s request for needinfo to Tim Tracker <tracker@example.com>:",
    );
  });

  it('that its setter asks of somebody else is asked again', async () => {
    const id = await newBug();
    await put(id, ask('plain'));
    const mails = await put(id, ask('tracker'));
    const [request] = mails.filter(({ type }) => type === 'request');
    expect(request?.text).toContain('has asked Tim Tracker <tracker@example.com>');
  });

  it.each([
    { what: 'cancels', status: 'X', subject: 'canceled' },
    { what: 'grants', status: '+', subject: 'granted' },
    { what: 'denies', status: '-', subject: 'denied' },
  ])('is mailed to who $what his own request, of a bug, of several and of an attachment', async (given) => {
    const { status, subject } = given;
    const ids = [await newBug(), await newBug()];
    const ask = { flags: [{ name: 'approval', status: '?' }] };
    const answer = { ids, flags: [{ name: 'approval', status }] };
    await put(ids[0] ?? 0, { ids, ...ask }, 'admin');
    const file = { ...FILE, flags: [{ name: 'superreview', status: '?' }] };
    const { ids: files } = await quietly('POST', `/rest/bug/${ids[0]}/attachment`, file, 'admin');
    const reviewed = { flags: [{ name: 'superreview', status }] };
    const mails = [
      ...(await put(ids[0] ?? 0, answer, 'admin')),
      ...(await mailsOf('PUT', `/rest/bug/attachment/${files[0]}`, reviewed, 'admin')),
    ].filter(({ type }) => type === 'request');
    expect(mails.map((mail) => [mail.recipient.login, mail.subject.replace(/:.*/, '')])).toEqual([
      ['admin@example.com', `approval ${subject}`],
      ['admin@example.com', `approval ${subject}`],
      ['admin@example.com', `superreview ${subject}`],
    ]);
  });

  it('is mailed with lines of 80 characters at most', async () => {
    const summary = `${'word '.repeat(45)}${'w'.repeat(25)}`;
    const id = await newBug({ summary });
    const flags = [{ name: 'needinfo', status: '?', requestee: 'plain@example.com' }];
    const [asked] = to(await put(id, { flags }, 'admin'), 'plain').filter(({ type }) => type === 'request');
    const file = { ...FILE, summary: `${'file '.repeat(40)}end`, flags: [{ ...flags[0], name: 'review' }] };
    const attached = await mailsOf('POST', `/rest/bug/${id}/attachment`, file, 'admin');
    const [review] = to(attached, 'plain').filter(({ type }) => type === 'request');
    for (const text of [asked?.text ?? '', review?.text ?? '']) {
      expect(text.split('\n').filter((line) => line.length > 79 && !line.includes('://'))).toEqual([]);
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`Bug ${id}: ${summary}`);
    }
    expect(review?.text).toMatch(/^Attachment \d+: file file .*file$/m);
  });

  it('that is granted and then cleared is no request', async () => {
    const id = await newBug();
    await put(id, { flags: [{ name: 'approval', status: '+' }] }, 'admin');
    const mails = await put(id, { flags: [{ name: 'approval', status: 'X' }] }, 'admin');
    expect(mails.filter(({ type }) => type === 'request')).toEqual([]);
  });
});

describe('the text of a mail', () => {
  it('of a new bug without a description has its fields alone, and its first comment stands as any', async () => {
    const created = await mailsOf('POST', '/rest/bug', { ...NEW_BUG, description: '' }, 'noedit');
    expect(textTo(created, 'user')).toMatch(/Target Milestone: ---\n\n-- \n/);
    const id = Number(created[0]?.headers['X-Bugzilla-ID']);
    const first = await mailsOf('POST', `/rest/bug/${id}/comment`, { comment: 'First.' }, 'noedit');
    expect(textTo(first, 'user')).toMatch(
      /show_bug\.cgi\?id=\d+\n\n--- Comment #1 from .* ---\nFirst\.\n\n-- \n/,
    );
  });

  it('of a duplicate has two empty lines before what says so, also without a text', async () => {
    const [original, bare, commented] = [await newBug(), await newBug(), await newBug()];
    const dupe_of = original;
    const alone = await put(bare, { dupe_of }, 'admin');
    const own = (mails: ReadMail[], id: number) =>
      mails.find((mail) => mail.headers['X-Bugzilla-ID'] === String(id))?.text ?? '';
    const note = `*** This bug has been marked as a duplicate of bug ${original} ***\n\n-- \n`;
    expect(own(alone, bare)).toContain(` ---\n\n\n${note}`);
    expect(own(alone, original)).toContain(` ---\n*** Bug ${bare} has been marked`);
    const body = { dupe_of, comment: { body: 'Same.' } };
    const both = await put(commented, body, 'admin');
    expect(own(both, commented)).toContain(` ---\nSame.\n\n${note}`);
  });

  it.each([
    ['a new bug', async (id: number) => mailsOf('POST', '/rest/bug', { ...NEW_BUG, depends_on: [id] })],
    [
      'a change',
      async (id: number) => mailsOf('PUT', `/rest/bug/${await newBug()}`, { blocks: { add: [id] } }),
    ],
  ])('wraps the summaries of the bugs that %s names', async (_, change) => {
    const summary = `${'word '.repeat(40)}end`;
    const id = await newBug({ summary });
    const text = (await change(id)).find((mail) => mail.text.includes(`[Bug ${id}]`))?.text ?? '';
    const [, named = ''] = /Referenced Bugs:\n\n(.*?)-- \n/s.exec(text) ?? [];
    const [address, ...lines] = named.trimEnd().split('\n');
    expect(address).toBe(`https://bugs.example.org/show_bug.cgi?id=${id}`);
    expect(lines.length).toBe(3);
    for (const line of lines) expect(line.length).toBeLessThan(80);
    expect(lines.join(' ')).toBe(`[Bug ${id}] ${summary}`);
  });

  it('has the flags of a row in the order of their types', async () => {
    const id = await newBug();
    const names = ['needinfo', 'approval', 'blocker'];
    const ask = names.map((name) => ({ name, status: '?' }));
    const asked = await put(id, { flags: ask }, 'admin');
    expect(textTo(asked, 'user').replaceAll(/[|\s]+/g, ' ')).toContain(
      'Flags blocker?, needinfo?, approval?',
    );
    const clear = names.map((name) => ({ name, status: 'X' }));
    const cleared = await put(id, { flags: clear }, 'admin');
    expect(textTo(cleared, 'user').replaceAll(/[|\s]+/g, ' ')).toContain(
      'Flags blocker?, needinfo?, approval?',
    );
  });
});

it.each([
  ['PUT of a bug', async (id: number) => ['PUT', `/rest/bug/${id}`, { whiteboard: '[minor]' }] as const],
  ['a comment', async (id: number) => ['POST', `/rest/bug/${id}/comment`, { comment: 'Minor' }] as const],
  ['an attachment', async (id: number) => ['POST', `/rest/bug/${id}/attachment`, FILE] as const],
])('minor_update suppresses no mail of %s', async (_, request) => {
  const [method, path, body] = await request(await newBug());
  expect(names(await mailsOf(method, path, { ...body, minor_update: true }, 'admin'))).toEqual([
    ...['insider', 'noedit', 'user'],
  ]);
});

/** The mails of a change that others have followed. */
async function lateMails(path: string, body: object, then: object): Promise<ReadMail[]> {
  await done('PUT', path, body);
  const [first] = await newChanges();
  await quietly('PUT', path, then);
  return mailsOfChange(first);
}

it('mails are about the state after the change, whoever gets or loses a role by the next one', async () => {
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

it('a request whose flag a move clears is canceled', async () => {
  const id = await newBug();
  await put(id, { flags: [{ name: 'approval', status: '?' }] });
  const body = { product: 'beta', component: 'Main', version: 'unspecified', target_milestone: '---' };
  const mails = await put(id, body, 'admin');
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
    expect(await put(id, { summary: 'A bug' })).toEqual([]);
  });
});

it('comments that were written together reach all but their own authors', async () => {
  const id = await newBug({ cc: ['plain@example.com', 'tracker@example.com'] });
  const authors = ['plain', 'tracker', 'plain', 'admin', 'tracker', 'plain'];
  await Promise.all(
    authors.map((as, index) => done('POST', `/rest/bug/${id}/comment`, { comment: `Text ${index}.` }, as)),
  );
  // Only the last of the changes of one second is left in the log.
  const mails = await newMails();
  const last = mails.flatMap(({ text }) =>
    [...text.matchAll(/Comment #(\d+) from (\S+)/g)].map(([, number]) => number),
  );
  expect(last.length).toBeGreaterThan(0);
  for (const { recipient, text } of mails) expect(text).not.toContain(`<${recipient.login}> ---`);
});

describe('what a user wants no mails of', () => {
  const prefer = (as: string, mail_off: object) =>
    done('PUT', '/rest/bugless/preferences', { mail_off: { roles: [], changes: [], ...mail_off } }, as);
  const changed = (id: number, body: object) => put(id, body, 'admin');
  const COMMENT = { comment: { body: 'Text' } };
  const STATUS = { status: 'IN_PROGRESS' };
  const OTHER = { whiteboard: '[other]' };

  it.each<[role: string, login: string]>([
    ['assigned_to', 'user'],
    ['qa_contact', 'insider'],
    ['reporter', 'noedit'],
    ['cc', 'editor'],
  ])('is obeyed for the role %s', async (role, login) => {
    const id = await newBug({ cc: ['editor@example.com'] });
    await prefer(login, { roles: [role] });
    const mails = await changed(id, COMMENT);
    expect(names(mails)).toEqual(['editor', 'insider', 'noedit', 'user'].filter((one) => one !== login));
    await changed(id, { cc: { add: [`${login}@example.com`] } });
    // For a role that is on, with that one as the reason.
    const others = to(await changed(id, OTHER), login);
    expect(others.map(({ headers }) => headers['X-Bugzilla-Reason'])).toEqual(role === 'cc' ? [] : ['CC']);
    await prefer(login, {});
    expect(names(await changed(id, { ...STATUS }))).toContain(login);
  });

  it('is obeyed by kinds of changes: a mail is sent for what it has of the others', async () => {
    const id = await newBug();
    const heard = async (changes: string[], ...bodies: object[]) => {
      await prefer('user', { changes });
      const counts: number[] = [];
      for (const body of bodies) counts.push(to(await changed(id, body), 'user').length);
      return counts;
    };
    expect(await heard(['comments'], COMMENT, { ...COMMENT, whiteboard: 'a' }, { whiteboard: 'b' })).toEqual([
      0, 1, 1,
    ]);
    const resolved = { status: 'RESOLVED', resolution: 'FIXED' };
    expect(await heard(['status'], STATUS, { ...resolved, ...COMMENT }, OTHER)).toEqual([0, 1, 1]);
    expect(await heard(['cc'], { cc: { add: ['plain@example.com'] } }, { whiteboard: 'c' })).toEqual([0, 1]);
    expect(await heard(['other', 'comments'], { whiteboard: 'd' }, COMMENT)).toEqual([0, 0]);
    await prefer('user', { changes: ['new'] });
    const filed = await mailsOf('POST', '/rest/bug', NEW_BUG, 'noedit');
    expect([to(filed, 'user').length, to(filed, 'insider').length]).toEqual([0, 1]);
    await prefer('user', {});
  });

  it('has a new attachment as one of the others, also with its comment', async () => {
    const id = await newBug();
    const attached = async (changes: string[]) => {
      await prefer('user', { changes });
      const body = { ...FILE, comment: 'With a comment' };
      return to(await mailsOf('POST', `/rest/bug/${id}/attachment`, body, 'admin'), 'user').length;
    };
    expect([await attached(['comments']), await attached(['other'])]).toEqual([1, 0]);
    await prefer('user', {});
  });

  it('is not asked where the change makes the user one of the bug, or no more', async () => {
    const id = await newBug();
    await prefer('insider', { changes: ['other', 'cc', 'comments', 'status'] });
    expect(to(await changed(id, { qa_contact: '' }), 'insider')).toHaveLength(1);
    expect(to(await changed(id, { cc: { add: ['insider@example.com'] } }), 'insider')).toHaveLength(1);
    expect(to(await changed(id, OTHER), 'insider')).toEqual([]);
    await prefer('insider', {});
  });

  it('is obeyed where a bug that another one depends on is closed, and not for requests', async () => {
    const [blocking, dependent] = [await newBug({}, 'admin'), await newBug()];
    await changed(dependent, { depends_on: { add: [blocking] } });
    const closed = () => changed(blocking, { status: 'RESOLVED', resolution: 'FIXED' });
    const reopened = () => changed(blocking, { status: 'CONFIRMED' });
    await prefer('noedit', { changes: ['status'] });
    expect(to(await closed(), 'noedit')).toEqual([]);
    await prefer('noedit', { roles: ['reporter'] });
    expect(to(await reopened(), 'noedit')).toEqual([]);
    await prefer('noedit', {});
    expect(to(await closed(), 'noedit')).toHaveLength(1);
  });
});

it('a bug with 520 users on CC is mailed to each once, with one text for all', async () => {
  const id = await newBug();
  const logins = Array.from({ length: 520 }, (_, index) => `cc${String(index).padStart(3, '0')}@example.com`);
  // As an import brings them: a request adds 100 at most.
  const users = logins.map((login, index) => ({
    ...{ ...userKey(login), id: 1_000 + index, login, real_name: 'CC', groups: [], revision: 0 },
  }));
  await batchWrite(bugless.table, users);
  await setItem(bugless.table, bugKey(id), { cc: logins });
  const mails = await put(id, { whiteboard: '[many]' }, 'admin');
  const toCc = mails.filter(({ recipient }) => recipient.login.startsWith('cc'));
  expect(new Set(toCc.map(({ recipient }) => recipient.login)).size).toBe(520);
  expect(new Set(toCc.map(({ text }) => text)).size).toBe(1);
});
