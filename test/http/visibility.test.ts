import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, serve, startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { type Case, readResponseTable } from '../support/response-table.ts';

/**
 * What settings change of who may do what. The recorded exchanges tell who sees which product, bug and comment without them.
 *
 * Plain is in no group with rights; tagger, insider and secret may tag; insider and secret see private comments; secret is in
 * the group that restricts products and bugs. Bug 1 is public, 4 restricted; comment 11 is private.
 */
const usual = useStarted(() => startBugless());

const key = (caller: string) => (caller === 'anonymous' ? undefined : keys[caller as keyof typeof keys]);

/** PUT requests change nothing. */
function bodyOf(method: string, rest: string): object | undefined {
  if (method === 'GET') return undefined;
  return method === 'PUT'
    ? {}
    : { comment: 'made', ...(rest.endsWith('privately') ? { is_private: true } : {}) };
}

/** `GET /path`, `GET /path: 5` where the response has the comment 5 or not, `POST /path privately`. */
async function send(bugless: Bugless, { request, caller }: Case): Promise<string> {
  const [, method = '', path = '', rest = ''] = /^(\w+) (\S+?)(:? \S+)?$/.exec(request) ?? [];
  const reply = await bugless.call(method, path, { key: key(caller), body: bodyOf(method, rest) });
  if (reply.status >= 400) return `${reply.status} ${reply.body.code}`;
  if (!rest.startsWith(':')) return String(reply.status);
  const ids = reply.body.bugs[1].comments.map((comment: { id: number }) => comment.id);
  return ids.includes(Number(rest.slice(1))) ? 'yes' : 'no';
}

function check(name: string, bugless: () => Bugless, text: string): void {
  describe(name, () => {
    it.for(readResponseTable(text))('$request, as $caller: $expected', async (one) => {
      expect(await send(bugless(), one)).toBe(one.expected);
    });
  });
}

const INFORMATION = `
GET /rest/version                          | 200       | "       | "       | "        | "       | "
GET /rest/timezone                         | 200       | "       | "       | 401 301  | 400 306 | "
GET /rest/parameters                       | 200       | "       | "       | 401 301  | 400 306 | "
GET /rest/whoami                           | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/webhooks/list                    | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/nothing                          | 404 32614 | "       | "       | "        | "       | "`;
const CALLERS = '| anonymous | plain   | secret  | disabled | revoked | unknown';

check(
  'service information',
  () => usual,
  `
                                           ${CALLERS}${INFORMATION}
GET /rest/extensions                       | 200       | "       | "       | 401 301  | 400 306 | "
GET /rest/time                             | 200       | "       | "       | 401 301  | 400 306 | "
GET /rest/valid_login?login=a              | 200       | "       | "       | 401 301  | 400 306 | "
GET /rest/user/plain@example.com           | 200       | "       | "       | 401 301  | 400 306 | "
GET /rest/user?ids=1                       | 401 505   | 200     | "       | 401 301  | 400 306 | "
`,
);

it.each(['assigned_to', 'qa_contact', 'cc'])('a restricted bug is visible to its %s', async (role) => {
  const place = { product: 'DropBox', component: 'Main', version: 'unspecified', summary: 's' };
  const body = { ...place, [role]: role === 'cc' ? ['plain@example.com'] : 'plain@example.com' };
  const { id } = (await usual.call('POST', '/rest/bug', { key: keys.admin, body })).body;
  const statusFor = async (as: string) =>
    (await usual.call('GET', `/rest/bug/${id}`, { key: key(as) })).status;
  expect([await statusFor('plain'), await statusFor('tagger')]).toEqual([200, 401]);
});

it.each([
  ['POST', '/rest/bug/6/comment', { comment: 'c' }, 201],
  ['PUT', '/rest/bug/6', { comment: { body: 'c' } }, 200],
])('comments on bugs of a product that only a group may edit are for that group: %s', async (...given) => {
  const [method, path, body, done] = given;
  const statusFor = async (as: string) => (await usual.call(method, path, { key: key(as), body })).status;
  expect([await statusFor('plain'), await statusFor('secret')]).toEqual([401, done]);
});

describe('with REQUIRE_LOGIN', () => {
  const closed = useStarted(() => serve(usual.table, { REQUIRE_LOGIN: 'true' }));

  check(
    'anonymous access',
    () => closed,
    `
                                           ${CALLERS}${INFORMATION}
GET /rest/extensions                       | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/time                             | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/valid_login?login=a              | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/user/plain@example.com           | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/product                          | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/product/2                        | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/product?type=nosuch              | 401 410   | 400 32000 | "     | 401 301  | 400 306 | "
GET /rest/product_accessible               | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/product_selectable               | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/product_enterable                | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/bug/1/comment                    | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/bug/4/comment                    | 401 410   | 401 102 | 200     | 401 301  | 400 306 | "
GET /rest/bug/999/comment                  | 401 410   | 404 101 | "       | 401 301  | 400 306 | "
GET /rest/bug/1/comment?new_since=never    | 401 410   | 400 56  | "       | 401 301  | 400 306 | "
GET /rest/bug/comment/10                   | 401 410   | 200     | "       | 401 301  | 400 306 | "
GET /rest/bug/comment/9999                 | 401 410   | 400 111 | "       | 401 301  | 400 306 | "
GET /rest/bug/comment/tags/spam            | 401 410   | 401 304 | 200     | 401 301  | 400 306 | "
POST /rest/bug/1/comment                   | 401 410   | 201     | "       | 401 301  | 400 306 | "
`,
  );
});

describe('with empty group settings', () => {
  let groupless: Bugless;
  beforeAll(async () => {
    const none = { INSIDER_GROUP: '', COMMENT_TAGGERS_GROUP: '', TIMETRACKING_GROUP: '' };
    groupless = await serve(usual.table, none);
  });

  check(
    'there are no insiders, and tags are disabled',
    () => groupless,
    `
                                           | anonymous | plain   | tagger  | insider | tracker | secret  | admin
GET /rest/bug/1/comment: 11                | no        | "       | "       | "       | "       | "       | "
GET /rest/bug/comment/11                   | 401 110   | "       | "       | "       | "       | "       | "
POST /rest/bug/1/comment                   | 401 410   | 201     | "       | "       | "       | "       | "
POST /rest/bug/1/comment privately         | 401 410   | 401 113 | "       | "       | "       | "       | "
GET /rest/bug/comment/tags/spam            | 401 410   | 400 125 | "       | "       | "       | "       | "
PUT /rest/bug/comment/10/tags              | 401 410   | 400 125 | "       | "       | "       | "       | "
`,
  );

  it('comments have no tags', async () => {
    const reply = await groupless.call('GET', '/rest/bug/1/comment', { key: keys.admin });
    expect(reply.body.bugs[1].comments[0]).not.toHaveProperty('tags');
    const elsewhere = await usual.call('GET', '/rest/bug/1/comment', { key: keys.plain });
    expect(elsewhere.body.bugs[1].comments[0].tags).toEqual(['obsolete', 'spam']);
  });

  it('work time is ignored for all users and values', async () => {
    const body = { comment: 'no time', work_time: 'no number' };
    for (const key of [keys.tracker, keys.admin]) {
      expect((await groupless.call('POST', '/rest/bug/9/comment', { key, body })).status).toBe(201);
    }
    const tracked = await usual.call('POST', '/rest/bug/9/comment', { key: keys.tracker, body });
    expect([tracked.status, tracked.body.code]).toEqual([400, 52]);
    const ordinary = await usual.call('POST', '/rest/bug/9/comment', { key: keys.plain, body });
    expect(ordinary.status).toBe(201);
  });
});
