import { describe, expect, it } from 'vitest';
import { sourceNetwork } from '../../functions/account/ask-for-sign-in.ts';
import { exportCatalogue } from '../../lib/catalogue/export.ts';
import { hashOf } from '../../lib/people/repository.ts';
import { IMPORTED, IMPORTED_UNMAILED, userItem } from '../../lib/people/schema.ts';
import { apiKeyKey, signInKey, userApiKeyKey } from '../../lib/table/keys.ts';
import { deleteItem, transactWriteRetrying, updateItem, upsertAction } from '../../lib/table/write.ts';
import { useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { challengeOf, startBuglessWithSignIn } from '../support/sign-in.ts';
import { allItems } from '../support/table-items.ts';

const people = [
  { login: 'ann@example.org', real_name: 'Ann', groups: ['editusers'], api_keys: [{ key: keys.admin }] },
  { login: 'quiet@example.org', email_enabled: false },
  { login: 'gone@example.org', disabled: 'Works elsewhere.' },
  { login: 'imported@example.org', disabled: IMPORTED },
  { login: 'unmailed@example.org', disabled: IMPORTED_UNMAILED },
  { login: 'no-address' },
];
/** With people whose numbers begin at 0. */
const catalogueOf = (persons: number) =>
  parseCompleteCatalogue({
    groups: [{ name: 'editusers', description: 'x' }],
    users: [
      ...people,
      ...Array.from({ length: persons }, (_, index) => ({ login: `person-${index}@example.org` })),
    ],
  });
const start = (settings: Record<string, string> = {}, persons = 10) =>
  startBuglessWithSignIn(catalogueOf(persons), settings);

const session = '/rest/bugless/session';
const apiKeys = '/rest/bugless/api_keys';

describe('signing in by mail', () => {
  const bugless = useStarted(() => start());
  const exchange = (code: string | undefined, verifier: string) =>
    bugless.call('POST', session, { body: { code, verifier } });

  it('gives a session for 30 days, by which the user is known', async () => {
    const verifier = await bugless.ask('ANN@example.org');
    const [mail] = await bugless.deliver();
    expect(mail).toMatchObject({ to: 'ann@example.org', subject: 'Sign in to Bugless' });
    expect(mail?.text).toContain(
      `${bugless.url}/#sign-in=${mail?.code}.${challengeOf(verifier).slice(0, 12)}`,
    );
    const { status, body, headers } = await exchange(` ${mail?.code.toLowerCase()} `, verifier);
    expect([status, body.login]).toEqual([201, 'ann@example.org']);
    expect(headers.get('cache-control')).toBe('no-store');
    const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const { body: who } = await bugless.call('GET', '/rest/whoami', { key: body.key });
    expect(who.name).toBe('ann@example.org');
    const { body: login } = await bugless.call(
      'GET',
      `/rest/login?login=ann@example.org&password=${body.key}`,
    );
    expect(login.code).toBe(300);
    await expectNoViolations(bugless.table);
  });

  it('asks nothing of the table, and responds the same for every login', async () => {
    const before = await allItems(bugless.table);
    const replies = [];
    for (const login of ['ann@example.org', 'nobody@example.org', 'gone@example.org', 'no-address', 'é']) {
      const body = { login, challenge: challengeOf(login) };
      const { status, body: reply } = await bugless.call('POST', '/rest/bugless/sign_in', { body });
      replies.push(JSON.stringify([status, reply]));
    }
    expect(new Set(replies).size).toBe(1);
    expect(bugless.waiting).toHaveLength(5);
    expect(await allItems(bugless.table)).toEqual(before);
    const unknown = bugless.waiting.splice(0).slice(1);
    expect(await bugless.deliver(unknown)).toEqual([]);
    expect(await allItems(bugless.table)).toEqual(before);
  });

  it.each([
    ['quiet@example.org', true],
    ['imported@example.org', true],
    ['unmailed@example.org', false],
    ['gone@example.org', false],
    ['no-address', false],
  ])('mails %s: %s', async (login, isMailed) => {
    const verifier = await bugless.ask(login);
    const mails = await bugless.deliver();
    expect(mails).toHaveLength(isMailed ? 1 : 0);
    if (!isMailed) return;
    const { body } = await exchange(mails[0]?.code, verifier);
    expect((await bugless.call('GET', '/rest/whoami', { key: body.key })).body.name).toBe(login);
  });

  it('takes a code once, also of several requests at once', async () => {
    const verifier = await bugless.ask('person-1@example.org');
    const [mail] = await bugless.deliver();
    const replies = await Promise.all(Array.from({ length: 5 }, () => exchange(mail?.code, verifier)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401, 401]);
  });

  it('takes a code only with the verifier of the request, within 15 minutes, and not after five wrong ones', async () => {
    const verifiers = [];
    for (const person of [2, 3, 4]) verifiers.push(await bugless.ask(`person-${person}@example.org`));
    const mails = await bugless.deliver();
    const [first = '', second = '', third = ''] = verifiers;
    const [one, two, three] = mails.map(({ code }) => code);
    expect((await exchange(one, second)).status).toBe(401);
    expect((await exchange(one, 'a verifier that nobody asked with')).status).toBe(401);
    expect((await exchange(one, first)).status).toBe(201);

    await Promise.all(Array.from({ length: 5 }, () => exchange('AAAAAAAA', second)));
    expect((await exchange(two, second)).status).toBe(401);

    await updateItem(bugless.table, {
      update: signInKey(challengeOf(third)),
      set: 'SET expires_at = :end',
      values: { ':end': Math.floor(Date.now() / 1_000) - 1 },
    });
    expect((await exchange(three, third)).status).toBe(401);
  });

  it('drops requests that are older than ten minutes', async () => {
    await bugless.ask('person-5@example.org');
    const old = bugless.waiting.splice(0).map((message) => ({
      ...message,
      time: new Date(Date.now() - 11 * 60_000).toISOString(),
    }));
    expect(await bugless.deliver(old)).toEqual([]);
    expect(bugless.left).toEqual([]);
  });

  it('cannot be asked to replace the code of another request', async () => {
    const verifier = await bugless.ask('person-6@example.org');
    const [mail] = await bugless.deliver();
    for (const login of ['person-7@example.org', 'person-6@example.org']) {
      const body = { login, challenge: challengeOf(verifier) };
      await bugless.call('POST', '/rest/bugless/sign_in', { body });
    }
    expect(await bugless.deliver()).toEqual([]);
    expect((await exchange(mail?.code, verifier)).body.login).toBe('person-6@example.org');
  });

  it.each([
    ['without a time', { time: undefined }],
    ['of no time', { time: 'yesterday' }],
    ['of the future', { time: '2036-01-01T00:00:00Z' }],
    ['of an unknown kind', { detail: { kind: 'other', login: 'ann@example.org' } }],
    [
      'with text for the mail',
      { detail: { kind: 'key', login: 'ann@example.org', description: 'x\nhttps://evil/' } },
    ],
  ])('drops a message %s', async (_, difference) => {
    await bugless.ask('person-9@example.org');
    const [message] = bugless.waiting.splice(0);
    const messages = JSON.parse(JSON.stringify([{ ...message, ...difference }]));
    expect(await bugless.deliver(messages)).toEqual([]);
    expect(bugless.left).toEqual([]);
  });

  it('makes links of its own address, whatever the request says', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    await bugless.ask('person-8@example.org', headers);
    const [mail] = await bugless.deliver();
    expect(mail?.text).toContain(`${bugless.url}/#sign-in=`);
    expect(mail?.text).not.toContain('evil');
  });

  it.each([
    ['no login', { challenge: challengeOf('x') }],
    ['no challenge', { login: 'ann@example.org' }],
    ['a challenge that is no hash', { login: 'ann@example.org', challenge: 'x' }],
    ['a long login', { login: 'a'.repeat(256), challenge: challengeOf('x') }],
    ['a list', { login: ['a', 'b'], challenge: { x: 1 } }],
  ])('refuses %s', async (_, body) => {
    const { status } = await bugless.call('POST', '/rest/bugless/sign_in', { body });
    expect(status).toBe(400);
    expect(bugless.waiting).toEqual([]);
  });
});

describe('a session', () => {
  const bugless = useStarted(() => start());
  const nameOf = async (key: string) => (await bugless.call('GET', '/rest/whoami', { key })).body;

  it('is revoked by signing out, and nothing else is', async () => {
    const [first, second] = [
      await bugless.signIn('ann@example.org'),
      await bugless.signIn('ann@example.org'),
    ];
    expect((await bugless.call('DELETE', session, { key: first })).status).toBe(200);
    expect((await nameOf(first)).code).toBe(306);
    expect((await nameOf(second)).name).toBe('ann@example.org');
    expect((await bugless.call('DELETE', session, { key: keys.admin })).body.code).toBe(50);
    expect((await nameOf(keys.admin)).name).toBe('ann@example.org');
    expect((await bugless.call('DELETE', session)).body.code).toBe(410);
  });

  it('is refused after its end, also when a change of the user writes it anew', async () => {
    const key = await bugless.signIn('person-1@example.org');
    const hash = hashOf(key);
    const ended = { ':end': Math.floor(Date.now() / 1_000) - 1 };
    for (const item of [apiKeyKey(hash), userApiKeyKey('person-1@example.org', hash)]) {
      await updateItem(bugless.table, { update: item, set: 'SET expires_at = :end', values: ended });
    }
    expect((await nameOf(key)).code).toBe(306);
    // DynamoDB removes one of the two items first.
    await deleteItem(bugless.table, apiKeyKey(hash));
    const change = { full_name: 'Another' };
    const path = '/rest/user/person-1@example.org';
    expect((await bugless.call('PUT', path, { key: keys.admin, body: change })).status).toBe(200);
    expect((await nameOf(key)).code).toBe(306);
    await expectNoViolations(bugless.table);
  });

  it('is refused without its end, as an earlier version would write it', async () => {
    const key = await bugless.signIn('person-2@example.org');
    await updateItem(bugless.table, {
      update: apiKeyKey(hashOf(key)),
      set: 'SET revoked = :no REMOVE expires_at',
      values: { ':no': false },
    });
    expect((await nameOf(key)).code).toBe(306);
  });

  it('follows what becomes of its user', async () => {
    const key = await bugless.signIn('person-3@example.org');
    const path = '/rest/user/person-3@example.org';
    await bugless.call('PUT', path, { key: keys.admin, body: { login_denied_text: 'Bye.' } });
    expect((await nameOf(key)).code).toBe(301);
  });

  it('is one of at most 20 of a user: the oldest goes', async () => {
    const login = 'person-4@example.org';
    const account = (await allItems(bugless.table)).find(
      ({ pk, sk }) => sk === 'USER' && pk === `USER#${login}`,
    );
    const user = userItem.parse(account);
    const end = Math.floor(Date.now() / 1_000) + 60;
    const secrets = Array.from({ length: 20 }, (_one, index) => `session-${index}`);
    for (const [index, secret] of secrets.entries()) {
      const item = { hash: hashOf(secret), description: 'x', revoked: false, expires_at: end + index };
      await transactWriteRetrying(bugless.table, [
        upsertAction(apiKeyKey(item.hash), { user, revoked: false, expires_at: end + index }),
        upsertAction(userApiKeyKey(login, item.hash), item),
      ]);
    }
    const key = await bugless.signIn(login);
    expect((await nameOf('session-0')).code).toBe(306);
    expect((await nameOf('session-1')).name).toBe(login);
    const { body } = await bugless.call('GET', apiKeys, { key });
    expect(body.api_keys).toHaveLength(20);
  });

  it('is not exported', async () => {
    await bugless.signIn('ann@example.org');
    const lines = [];
    for await (const line of exportCatalogue(bugless.table)) lines.push(line);
    expect(lines.join('')).not.toContain('sign-in by mail');
    expect(lines.join('')).toContain(hashOf(keys.admin));
  });
});

describe('the API keys of a user', () => {
  const bugless = useStarted(() => start());

  it('are made with a new session, mailed, listed without secrets, and revoked', async () => {
    const key = await bugless.signIn('ann@example.org');
    const made = await bugless.call('POST', apiKeys, { key, body: { description: 'CI' } });
    expect(made.status).toBe(201);
    const [mail] = await bugless.deliver();
    expect(mail).toMatchObject({ to: 'ann@example.org', subject: 'A new API key' });
    expect(mail?.text).toContain('CI');
    expect(mail?.text).not.toContain(made.body.key);
    expect((await bugless.call('GET', '/rest/whoami', { key: made.body.key })).status).toBe(200);
    const { body } = await bugless.call('GET', apiKeys, { key });
    expect(body.api_keys).toContainEqual({
      ...{ id: made.body.id, description: 'CI', revoked: false, is_session: false, expires_at: null },
      created_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(JSON.stringify(body)).not.toContain(made.body.key);
    expect((await bugless.call('DELETE', `${apiKeys}/${made.body.id}`, { key })).status).toBe(200);
    expect((await bugless.call('GET', '/rest/whoami', { key: made.body.key })).body.code).toBe(306);
    expect((await bugless.call('DELETE', `${apiKeys}/000000000000`, { key })).body.code).toBe(51);
    await expectNoViolations(bugless.table);
  });

  it('cannot be made with a key, or with a session older than an hour', async () => {
    const withKey = await bugless.call('POST', apiKeys, { key: keys.admin, body: {} });
    expect([withKey.status, withKey.body.code]).toEqual([401, 410]);
    const key = await bugless.signIn('person-1@example.org');
    await updateItem(bugless.table, {
      update: userApiKeyKey('person-1@example.org', hashOf(key)),
      set: 'SET created_at = :time',
      values: { ':time': new Date(Date.now() - 61 * 60_000).toISOString() },
    });
    expect((await bugless.call('POST', apiKeys, { key, body: {} })).body.code).toBe(410);
    expect(bugless.waiting).toEqual([]);
  });

  it('are mailed about once each, of twelve requests at once', async () => {
    const key = await bugless.signIn('person-3@example.org');
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => bugless.call('POST', apiKeys, { key, body: { description: 'CI' } })),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThanOrEqual(10);
    expect(await bugless.deliver()).toHaveLength(made.length);
  });

  it('stay where the owner cannot be mailed, who is mailed later, once', async () => {
    const login = 'person-4@example.org';
    const key = await bugless.signIn(login);
    bugless.faults.take = () => 'AccessDeniedException';
    const { status, body } = await bugless.call('POST', apiKeys, { key, body: { description: 'CI' } });
    bugless.faults.take = () => undefined;
    expect([status, body.is_mailed]).toEqual([201, false]);
    expect((await bugless.call('GET', '/rest/whoami', { key: body.key })).status).toBe(200);
    await bugless.call('GET', apiKeys, { key });
    expect(await bugless.deliver()).toEqual([]);
    await updateItem(bugless.table, {
      update: userApiKeyKey(login, hashOf(body.key)),
      set: 'SET created_at = :time',
      values: { ':time': new Date(Date.now() - 2 * 60_000).toISOString() },
    });
    for (let times = 0; times < 2; times += 1) await bugless.call('GET', apiKeys, { key });
    expect(await bugless.deliver()).toMatchObject([{ to: login, subject: 'A new API key' }]);
    await expectNoViolations(bugless.table);
  });

  it('of others are neither seen nor revoked', async () => {
    const key = await bugless.signIn('person-2@example.org');
    const { body } = await bugless.call('GET', apiKeys, { key });
    expect(body.api_keys).toHaveLength(1);
    const other = hashOf(keys.admin).slice(0, 12);
    expect((await bugless.call('DELETE', `${apiKeys}/${other}`, { key })).status).toBe(404);
    expect((await bugless.call('GET', '/rest/whoami', { key: keys.admin })).status).toBe(200);
  });
});

describe('the routes of accounts', () => {
  const bugless = useStarted(() => start());
  const routes = [
    ['POST', '/rest/bugless/sign_in'],
    ['POST', session],
    ['DELETE', session],
    ['GET', apiKeys],
    ['POST', apiKeys],
    ['DELETE', `${apiKeys}/1`],
  ] as const;

  it.each(['a:b', 'a b', 'a/b', 'u@a', '[::1', 'a?b', 'a#b'])(
    'refuse the header Host %j with 400',
    async (host) => {
      const headers = { host, origin: bugless.url, 'x-bugzilla-api-key': keys.admin };
      for (const target of [apiKeys, '/rest/bugless/list.atom', '/rest/bugless/bug.xml?id=1']) {
        const { status, body } = await bugless.send({
          method: 'GET',
          target,
          headers,
          body: undefined,
        });
        expect([target, status, JSON.parse(body.toString())]).toEqual([
          target,
          400,
          expect.objectContaining({ code: 32000, message: expect.stringContaining('is not a host') }),
        ]);
      }
    },
  );

  it.each(routes)('%s %s refuses other origins, and is readable by none', async (method, path) => {
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://evil.example:${new URL(bugless.url).port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: bugless.url },
    ];
    for (const headers of foreign) {
      const body = method === 'POST' ? { body: {} } : {};
      const reply = await bugless.call(method, path, { key: keys.admin, headers, ...body });
      expect([reply.status, reply.body.code]).toEqual([403, 32000]);
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
    const preflight = await bugless.call('OPTIONS', path, { headers: { origin: 'https://evil.example' } });
    expect([preflight.status, preflight.headers.get('allow')]).toEqual([
      200,
      expect.stringContaining(method),
    ]);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    const own = { origin: bugless.url, 'sec-fetch-site': 'same-origin' };
    const body = method === 'POST' ? { body: {} } : {};
    const reply = await bugless.call(method, path, { key: keys.admin, headers: own, ...body });
    expect(reply.status).not.toBe(403);
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'refuse a body of the type %j',
    async (type) => {
      const headers = { 'content-type': type };
      const body = JSON.stringify({ login: 'ann@example.org', challenge: challengeOf('x') });
      const { status } = await bugless.call('POST', '/rest/bugless/sign_in', { headers, body });
      expect(status).toBe(415);
      expect(bugless.waiting).toEqual([]);
    },
  );
});

describe('limits of an hour', () => {
  it('stop a flood of requests without a failure, and leave earlier codes valid', async () => {
    const bugless = await start({ SIGN_IN_PER_HOUR: '60', SIGN_IN_PER_SOURCE: '7' }, 40);
    const verifier = await bugless.ask('ann@example.org');
    const [first] = await bugless.deliver();
    const message = (login: string, source: string, index: number) => ({
      ...{ id: `flood-${index}`, source: 'bugless.internal', 'detail-type': 'account' },
      time: new Date().toISOString(),
      detail: { kind: 'sign-in', login, challenge: challengeOf(`flood-${index}-${source}`), source },
    });
    const flood = (count: number, make: (index: number) => { login: string; source: string }) =>
      Array.from({ length: count }, (_, index) => {
        const { login, source } = make(index);
        return message(login, source, index);
      });
    // Each within an hour, also where the test runs over its end: then the limits apply to the new one.
    // A message that came back is no exception.
    const ofPair = await bugless.deliver(
      flood(12, () => ({ login: 'ann@example.org', source: '192.0.2.1' })),
      2,
    );
    expect(ofPair).toHaveLength(5);
    const ofAccount = await bugless.deliver(
      flood(30, (index) => ({ login: 'ann@example.org', source: `a${index}` })),
    );
    expect(ofAccount).toHaveLength(14);
    const ofSource = await bugless.deliver(
      flood(20, (index) => ({ login: `person-${index}@example.org`, source: '192.0.2.2' })),
    );
    expect(ofSource).toHaveLength(7);
    const all = await bugless.deliver(
      flood(40, (index) => ({ login: `person-${index}@example.org`, source: `b${index}` })),
    );
    // Of 60, a third is for known browsers, and of the others half for accounts that had none.
    expect(all).toHaveLength(13);
    expect(bugless.left).toEqual([]);
    const { status } = await bugless.call('POST', session, { body: { code: first?.code, verifier } });
    expect(status).toBe(201);
  });

  it('do not count what is asked for in a browser in which the owner has signed in', async () => {
    const bugless = await start({ SIGN_IN_PER_HOUR: '6', SIGN_IN_PER_SOURCE: '2' });
    const browserOf = async (login: string) => {
      const verifier = await bugless.ask(login);
      const [mail] = await bugless.deliver();
      const { body } = await bugless.call('POST', session, { body: { code: mail?.code, verifier } });
      expect(body.browser).toMatch(/^[\w-]{32}$/);
      return body.browser;
    };
    const ann = await browserOf('ann@example.org');
    const other = await browserOf('quiet@example.org');
    const mailsFor = async (login: string, browser?: string) => {
      await bugless.ask(login, {}, browser);
      return (await bugless.deliver()).map(({ to }) => to);
    };
    expect(await mailsFor('ann@example.org')).toEqual([]);
    expect(await mailsFor('ann@example.org', 'made up')).toEqual([]);
    expect(await mailsFor('ann@example.org', other)).toEqual([]);
    expect(await mailsFor('nobody@example.org', ann)).toEqual([]);
    expect(await mailsFor('ANN@example.org', ann)).toEqual(['ann@example.org']);
    expect((await bugless.call('GET', '/rest/whoami', { key: ann })).body.code).toBe(306);
    await expectNoViolations(bugless.table);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('count %j as %j', (address, network) => {
    expect(sourceNetwork(address)).toBe(network);
  });
});

describe('deployments', () => {
  it('that are read-only let users sign in and out, and change no keys', async () => {
    const bugless = await start({ READ_ONLY: 'true', REQUIRE_LOGIN: 'true' });
    const key = await bugless.signIn('ann@example.org');
    expect((await bugless.call('GET', '/rest/whoami', { key })).status).toBe(200);
    expect((await bugless.call('POST', apiKeys, { key, body: {} })).status).toBe(503);
    expect((await bugless.call('DELETE', `${apiKeys}/1`, { key })).status).toBe(503);
    expect((await bugless.call('DELETE', session, { key })).status).toBe(200);
  });

  it('say where mails are that are files', async () => {
    const body = { login: 'ann@example.org', challenge: challengeOf('x') };
    const ask = async (bugless: Awaited<ReturnType<typeof start>>) =>
      (await bugless.call('POST', '/rest/bugless/sign_in', { body })).body;
    const local = await start({ MAIL_FOLDER: '.local/mail' });
    expect(await ask(local)).toEqual({ mail_folder: '.local/mail' });
    expect(await ask(await start())).toEqual({});
  });

  it('without mail say so', async () => {
    const bugless = await start({ SIGN_IN_BY_MAIL: 'false' });
    const body = { login: 'ann@example.org', challenge: challengeOf('x') };
    const reply = await bugless.call('POST', '/rest/bugless/sign_in', { body });
    expect([reply.status, reply.body.code]).toEqual([404, 32614]);
    const { body: read } = await bugless.call('GET', '/rest/parameters');
    expect(read.parameters).not.toHaveProperty('sign_in_by_mail');
  });

  it('may leave out who was imported', async () => {
    const bugless = await start({ SIGN_IN_IMPORTED: 'false' });
    await bugless.ask('imported@example.org');
    expect(await bugless.deliver()).toEqual([]);
  });
});
