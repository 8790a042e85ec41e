import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import {
  type Bugless,
  type GatewayReply,
  referenceCatalogue,
  serve,
  startBugless,
  useStarted,
} from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { keys } from '../support/keys.ts';
import { type Case, readResponseTable } from '../support/response-table.ts';

/**
 * AuthPolicy: plain is in no group with rights; tagger, insider and secret may tag; insider and secret see private
 * comments; secret is in the group that restricts products and bugs.
 *
 * Bugs: 1 is public, 4 restricted; 31 to 34 are restricted, and plain reported, is assigned to, checks and
 * follows them; 6 is in a product that only the secret group may edit, 5 in one that is closed.
 * Comments: 10 of bug 1 is public, 11 private; so are 402 and 403 of bug 4, 311 and 312 of bug 31.
 */
function catalogue(): Catalogue {
  const reference = referenceCatalogue();
  const comment = (id: number, is_private: boolean) => ({
    id,
    is_private,
    text: `comment ${id}`,
    creator: 'admin@example.com',
    creation_time: '2024-02-01T00:00:00Z',
  });
  const roles: Record<number, object> = {
    31: { reporter: 'plain@example.com' },
    32: { assigned_to: 'plain@example.com' },
    33: { qa_contact: 'plain@example.com' },
    34: { cc: ['plain@example.com'] },
  };
  const { bugs } = parseCompleteCatalogue({
    bugs: Object.entries(roles).map(([id, users]) => ({
      id: Number(id),
      product: 'Alpha',
      component: 'Core',
      summary: 'restricted, but visible to its users',
      reporter: 'admin@example.com',
      groups: ['secret-team'],
      comments: [
        comment(Number(id) * 10, false),
        comment(Number(id) * 10 + 1, false),
        comment(Number(id) * 10 + 2, true),
      ],
      ...users,
    })),
  });
  const restricted = reference.bugs.find(({ id }) => id === 4);
  const complete = { attachment_id: null, work_time: 0, tags: [] };
  restricted?.comments.push({ ...comment(402, false), ...complete }, { ...comment(403, true), ...complete });
  return { ...reference, bugs: [...reference.bugs, ...bugs] };
}

const usual = useStarted(() => startBugless(catalogue()));

const key = (caller: string) => (caller === 'anonymous' ? undefined : keys[caller as keyof typeof keys]);

let made = 0;
/** The bodies of POST requests; PUT requests change nothing. */
function bodyOf(method: string, rest: string): object | undefined {
  if (method === 'PUT') return {};
  if (method !== 'POST') return undefined;
  made += 1;
  const comment = { comment: `comment made ${made}` };
  if (rest.endsWith('privately')) return { ...comment, is_private: true };
  return { ...comment, name: `Product made ${made}`, description: 'd', version: '1' };
}

/** `GET /path`, `GET /path: 5` where the response has 5 or not, `POST /path privately`. */
async function send(bugless: Bugless, { request, caller }: Case): Promise<string> {
  const [, method = '', path = '', rest = ''] = /^(\w+) (\S+?)(:? \S+)?$/.exec(request) ?? [];
  const reply = await bugless.call(method, path, { key: key(caller), body: bodyOf(method, rest) });
  if (reply.status >= 400) return `${reply.status} ${reply.body.code}`;
  return rest.startsWith(':') ? has(reply, Number(rest.slice(1))) : String(reply.status);
}

function has({ body }: GatewayReply, id: number): string {
  const lists = [
    body.ids,
    body.products,
    ...Object.values<{ comments: { id: number }[] }>(body.bugs ?? {}).map(({ comments }) => comments),
  ];
  const ids = lists.flat().map((one) => (typeof one === 'object' ? one.id : one));
  return ids.includes(id) ? 'yes' : 'no';
}

function check(name: string, bugless: () => Bugless, text: string): void {
  describe(name, () => {
    it.for(readResponseTable(text))('$request, as $caller: $expected', async (one) => {
      expect(await send(bugless(), one)).toBe(one.expected);
    });
  });
}

check(
  'products',
  () => usual,
  `
                                           | anonymous | plain   | tagger | insider | tracker | editor  | secret  | disabled | revoked | unknown
GET /rest/product_selectable: 2            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_selectable: 3            | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product_selectable: 4            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_selectable: 6            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_selectable: 7            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_selectable: 8            | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product_enterable: 2             | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_enterable: 3             | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product_enterable: 4             | no        | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_enterable: 6             | no        | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_enterable: 7             | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product_enterable: 8             | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_accessible: 2            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_accessible: 3            | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product_accessible: 4            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_accessible: 6            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_accessible: 7            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product_accessible: 8            | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product: 3                       | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product: 8                       | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product?type=selectable: 8       | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product?type=enterable: 4        | no        | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product/2: 2                     | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product/3: 3                     | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product/secret: 3                | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product?ids=3&names=Secret: 3    | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product/3?include_fields=id: 3   | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
GET /rest/product/4: 4                     | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product/8: 8                     | yes       | "       | "      | "       | "       | "       | "       | 401 301  | 400 306 | "
GET /rest/product/8?type=selectable: 8     | no        | "       | "      | "       | "       | "       | yes     | 401 301  | 400 306 | "
POST /rest/product                         | 401 410   | 401 304 | "      | "       | "       | 201     | 401 304 | 401 301  | 400 306 | "
PUT /rest/product/2                        | 401 410   | 401 304 | "      | "       | "       | 200     | 401 304 | 401 301  | 400 306 | "
PUT /rest/product/3                        | 401 410   | 401 304 | "      | "       | "       | 401 106 | 401 304 | 401 301  | 400 306 | "
PUT /rest/product/Secret                   | 401 410   | 401 304 | "      | "       | "       | 401 106 | 401 304 | 401 301  | 400 306 | "
PUT /rest/product/4                        | 401 410   | 401 304 | "      | "       | "       | 200     | 401 304 | 401 301  | 400 306 | "
PUT /rest/product/8                        | 401 410   | 401 304 | "      | "       | "       | 200     | 401 304 | 401 301  | 400 306 | "
PUT /rest/product/999                      | 401 410   | 401 304 | "      | "       | "       | 401 106 | 401 304 | 401 301  | 400 306 | "
`,
);

check(
  'reading comments',
  () => usual,
  `
                                           | anonymous | plain   | tagger  | insider | tracker | editor  | secret | disabled | revoked | unknown
GET /rest/bug/1/comment                    | 200       | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/alpha-bug/comment            | 200       | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/1/comment: 10                | yes       | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/1/comment: 11                | no        | "       | "       | yes     | no      | "       | yes    | 401 301  | 400 306 | "
GET /rest/bug/5/comment                    | 200       | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/6/comment                    | 200       | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/4/comment                    | 401 102   | "       | "       | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/secret-bug/comment           | 401 102   | "       | "       | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/1/comment?ids=4              | 401 102   | "       | "       | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/31/comment                   | 401 102   | 200     | 401 102 | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/32/comment                   | 401 102   | 200     | 401 102 | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/33/comment                   | 401 102   | 200     | 401 102 | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/34/comment                   | 401 102   | 200     | 401 102 | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/31/comment: 312              | 401 102   | no      | 401 102 | "       | "       | "       | yes    | 401 301  | 400 306 | "
GET /rest/bug/999/comment                  | 404 101   | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/nosuch/comment               | 400 100   | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/comment/10                   | 200       | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
GET /rest/bug/comment/11                   | 401 110   | "       | "       | 200     | 401 110 | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/1/comment?comment_ids=11     | 401 110   | "       | "       | 200     | 401 110 | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/comment/10?comment_ids=11    | 401 110   | "       | "       | 200     | 401 110 | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/comment/402                  | 401 102   | "       | "       | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/comment/403                  | 401 102   | "       | "       | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/comment/311                  | 401 102   | 200     | 401 102 | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/comment/312                  | 401 102   | 401 110 | 401 102 | "       | "       | "       | 200    | 401 301  | 400 306 | "
GET /rest/bug/comment/9999                 | 400 111   | "       | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
`,
);

check(
  'writing comments',
  () => usual,
  `
                                           | anonymous | plain   | tagger  | insider | tracker | editor  | secret | disabled | revoked | unknown
POST /rest/bug/1/comment                   | 401 410   | 201     | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
POST /rest/bug/1/comment privately         | 401 410   | 401 113 | "       | 201     | 401 113 | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/5/comment                   | 401 410   | 201     | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
POST /rest/bug/6/comment                   | 401 410   | 401 109 | "       | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/6/comment privately         | 401 410   | 401 109 | "       | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/4/comment                   | 401 410   | 401 102 | "       | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/4/comment privately         | 401 410   | 401 102 | "       | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/31/comment                  | 401 410   | 201     | 401 102 | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/32/comment                  | 401 410   | 201     | 401 102 | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/33/comment                  | 401 410   | 201     | 401 102 | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/34/comment                  | 401 410   | 201     | 401 102 | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/31/comment privately        | 401 410   | 401 113 | 401 102 | "       | "       | "       | 201    | 401 301  | 400 306 | "
POST /rest/bug/999/comment                 | 401 410   | 404 101 | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
POST /rest/bug/nosuch/comment              | 401 410   | 400 100 | "       | "       | "       | "       | "      | 401 301  | 400 306 | "
`,
);

check(
  'comment tags',
  () => usual,
  `
                                           | anonymous | plain   | tagger  | insider | tracker | editor  | secret | disabled | revoked | unknown
GET /rest/bug/comment/tags/spam            | 401 410   | 401 304 | 200     | "       | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/10/tags              | 401 410   | 401 304 | 200     | "       | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/11/tags              | 401 410   | 401 304 | 401 110 | 200     | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/402/tags             | 401 410   | 401 304 | 401 102 | "       | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/403/tags             | 401 410   | 401 304 | 401 102 | "       | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/311/tags             | 401 410   | 401 304 | 401 102 | "       | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/9999/tags            | 401 410   | 401 304 | 200     | "       | 401 304 | "       | 200    | 401 301  | 400 306 | "
PUT /rest/bug/comment/x/tags               | 401 410   | 401 304 | 400 57  | "       | 401 304 | "       | 400 57 | 401 301  | 400 306 | "
`,
);

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
GET /rest/bug/comment/403                  | 401 102   | "       | "       | "       | "       | 401 110 | "
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
