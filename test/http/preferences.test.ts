import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { unsubscribeCode, unsubscribeRepository } from '../../lib/people/unsubscribe.ts';
import {
  newTable,
  serveWithPermissions,
  startBuglessWithPermissions,
  useStarted,
} from '../support/bugless.ts';
import { exported, exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';

const PATH = '/rest/bugless/preferences';
const bugless = useStarted(startBuglessWithPermissions);

const read = async (key: string) => (await bugless.call('GET', PATH, { key })).body;
const change = (key: string, body: object) => bugless.call('PUT', PATH, { key, body });

describe('the preferences of a user', () => {
  it('are all on at first, and are changed one by one', async () => {
    const watched = { watched_users: [], watched_components: [] };
    const all = {
      ...{ real_name: 'Paul Plain', email_enabled: true, mail_off: { roles: [], changes: [] } },
      ...watched,
    };
    expect(await read(keys.plain)).toEqual(all);
    const { body } = await change(keys.plain, { mail_off: { roles: ['cc', 'reporter', 'cc'] } });
    expect(body).toEqual({ ...all, mail_off: { roles: ['reporter', 'cc'], changes: [] } });
    await change(keys.plain, { mail_off: { changes: ['status'] }, email_enabled: false });
    await change(keys.plain, { real_name: ' Paula ' });
    const changed = {
      ...{ real_name: 'Paula', email_enabled: false },
      ...{ mail_off: { roles: ['reporter', 'cc'], changes: ['status'] }, ...watched },
    };
    expect(await read(keys.plain)).toEqual(changed);
    const who = await bugless.call('GET', '/rest/whoami', { key: keys.plain });
    expect(who.body).toMatchObject({ real_name: 'Paula', email_enabled: false });
    await expectNoViolations(bugless.table);

    const admin = { key: keys.admin, body: { full_name: 'Paul', groups: { add: ['taggers'] } } };
    await bugless.call('PUT', '/rest/user/plain@example.com', admin);
    expect(await read(keys.plain)).toEqual({ ...changed, real_name: 'Paul' });
    await change(keys.plain, { email_enabled: true, mail_off: { roles: [], changes: [] } });
    expect(await read(keys.plain)).toEqual({ ...all, real_name: 'Paul' });
    await expectNoViolations(bugless.table);
  });

  it.each<[string, object]>([
    ['an unknown role', { mail_off: { roles: ['watcher'] } }],
    ['an unknown change', { mail_off: { changes: ['votes'] } }],
    ['no object', { mail_off: 'cc' }],
    ['a long name', { real_name: 'n'.repeat(256) }],
    ['a control character in the name', { real_name: 'a\u0007' }],
    ['another parameter', { groups: { add: ['editusers'] } }],
  ])('are refused with %s', async (_, body) => {
    const before = await read(keys.editor);
    const reply = await change(keys.editor, body);
    expect([reply.status, reply.body.code]).toEqual([400, 53]);
    expect(await read(keys.editor)).toEqual(before);
  });

  it('are of who is signed in', async () => {
    for (const method of ['GET', 'PUT']) {
      const { body } = await bugless.call(method, PATH, method === 'PUT' ? { body: {} } : {});
      expect(body.code).toBe(410);
    }
  });

  it('are exported, and applied', async () => {
    const mail_off = { roles: ['qa_contact'], changes: ['new', 'other'] };
    await change(keys.tracker, { mail_off });
    const { users } = await exportedCatalogue(bugless.table);
    const login = 'tracker@example.com';
    const tracker = users.find((user: { login: string }) => user.login === login);
    expect(tracker.mail_off).toEqual(mail_off);
    const copy = await newTable();
    const { groups } = await exportedCatalogue(bugless.table);
    await applyCatalogue(copy, parseCatalogue({ groups, users: [tracker] }));
    expect(JSON.parse((await exported(copy)).trim()).users[0].mail_off).toEqual(mail_off);
    const apply = (given: object) =>
      applyCatalogue(copy, parseCatalogue({ users: [{ login, ...given }] })).then(
        ({ users: counts }) => counts,
      );
    expect(await apply({ mail_off })).toMatchObject({ unchanged: 1 });
    expect(await apply({ real_name: 'Other' })).toMatchObject({ changed: 1 });
    expect(JSON.parse(await exported(copy)).users[0].mail_off).toEqual(mail_off);
    expect(await apply({ mail_off: {} })).toMatchObject({ changed: 1 });
    expect(JSON.parse(await exported(copy)).users[0].mail_off).toBeUndefined();
    expect(() => parseCatalogue({ users: [{ login, mail_off: { roles: ['x'] } }] })).toThrow('mail_off');
    await expectNoViolations(copy);
  });
});

describe('the link of a mail', () => {
  const path = (user: number | string, code: string) => `/rest/bugless/unsubscribe?user=${user}&code=${code}`;
  const secretOf = async () => (await unsubscribeRepository(bugless.table).ensure()) ?? '';
  const isMailed = async (key: string) => (await read(key)).email_enabled;
  const ONE_CLICK = 'List-Unsubscribe=One-Click';
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  it('turns mails off without a login, however often it is used, whatever type of form mail programs send', async () => {
    const code = unsubscribeCode(await secretOf(), 2);
    expect(await secretOf()).toBe(await secretOf());
    for (const headers of [FORM, { 'content-type': 'multipart/form-data; boundary=x' }]) {
      await change(keys.tagger, { email_enabled: true });
      for (const _ of [1, 2]) {
        const { status } = await bugless.call('POST', path(2, code), { headers, body: ONE_CLICK });
        expect([status, await isMailed(keys.tagger)]).toEqual([200, false]);
      }
    }
    await expectNoViolations(bugless.table);
  });

  it('of another user, or a wrong one, turns nothing off', async () => {
    const code = unsubscribeCode(await secretOf(), 2);
    for (const link of [path(3, code), path(3, ''), path('', ''), path(3, 'x'.repeat(43)), path(999, code)]) {
      const { status, body } = await bugless.call('POST', link, { headers: FORM, body: ONE_CLICK });
      expect([status, body.code]).toEqual([401, 300]);
    }
    expect(await isMailed(keys.insider)).toBe(true);
    const { status } = await (await serveWithPermissions(await newTable(), {})).call('POST', path(2, code));
    expect(status).toBe(401);
  });

  it('leads a browser to a page, and turns nothing off by that', async () => {
    const code = unsubscribeCode(await secretOf(), 3);
    const reply = await bugless.fetch(`${path(3, code)}`, { redirect: 'manual' });
    const location = `../../userprefs.cgi?tab=mail#unsubscribe=3.${code}`;
    expect([reply.status, reply.headers.get('location')]).toEqual([307, location]);
    expect(await isMailed(keys.insider)).toBe(true);
  });
});
