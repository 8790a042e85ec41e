import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readTarget } from '../../infra/local/gateway/event.ts';
import { errors } from '../../lib/errors.ts';
import { type Bugless, referenceCatalogue, startBugless } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import type { RawReply, SentRequest } from '../support/send-bytes.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { itemsButCounters } from '../support/table-items.ts';
import { arbitraryRequest } from './arbitrary-requests.ts';

let bugless: Bugless;
beforeAll(async () => {
  const { groups, users } = referenceCatalogue();
  const comment = (id: number, is_private: boolean) =>
    aComment(`comment ${id}`, { id, is_private, tags: ['spam'] });
  const milestones = [{ name: 'M' }];
  const { products, bugs } = parseNumbered({
    products: [aProduct(2, 'Alpha', { milestones }), { id: 4, name: 'Beta', milestones }],
    bugs: [aBug(1, { aliases: ['alpha-bug'], comments: [comment(10, false), comment(11, true)] })],
  });
  bugless = await startBugless({ ...parseNumbered({}), groups, users, products, bugs });
});

/** Every error of the interface, as status and code. */
const documented = new Set(
  Object.entries(errors)
    .filter(([name]) => name !== 'internal' && name !== 'unavailable')
    .map(([, make]) => (make as (...about: string[]) => { status: number; code: number })('a', 'b'))
    .map(({ status, code }) => `${status} ${code}`),
);

const MAX_HEAD_BYTES = 10_240;
/** What is not JSON: pages and their files, documents for programs, words where a page of Bugzilla was, a fault of XML-RPC. */
const OTHER_FORMATS = new RegExp(
  [
    '^GET 200 /((show_bug|show_activity|query|buglist|enter_bug|request|userprefs|page)\\.cgi|admin|api|robots\\.txt|favicon\\.ico|explorer/[^]+)? (text|image)/',
    '^GET 200 /rest/bugless/((list|request)\\.csv text/csv|list\\.html text/html|list\\.atom application/atom\\+xml|bug\\.xml application/xml)',
    '^GET 200 /config\\.cgi application/(x-javascript|rdf\\+xml)',
    '^GET (200|404) /page\\.cgi application/xml-dtd',
    '^GET 404 /\\w+\\.cgi text/html',
    '^POST 200 /xmlrpc\\.cgi text/xml',
  ].join('|'),
);
const JSON_TYPE = 'application/json; charset=UTF-8';

function expectDocumented({ method, target, headers }: SentRequest, reply: RawReply): void {
  const head = target.length + Object.entries(headers).flat().join('').length;
  if (reply.status === 431) {
    expect(head).toBeGreaterThan(MAX_HEAD_BYTES / 2);
    return;
  }
  if (reply.status === 304) {
    expect([method, reply.body.length]).toEqual(['GET', 0]);
    return;
  }
  const { rawPath } = readTarget(target);
  if (reply.status === 307) {
    expect(`${method} ${rawPath}`).toMatch(/^GET \/(\w+\.cgi|rest\/bugless\/unsubscribe)$/);
    expect(reply.headers['location']).toMatch(
      /^(\.\/|\.\.\/\.\.\/userprefs\.cgi\?|rest\/bugless\/|explorer\/|(buglist|show_bug|page)\.cgi\?|query\.cgi$)/,
    );
    return;
  }
  if (rawPath === '/jsonrpc.cgi' && method === 'POST') {
    expect([reply.status, JSON.parse(reply.body.toString()).error.code]).toEqual([200, 32614]);
    return;
  }
  const contentType = reply.headers['content-type'];
  if (contentType !== JSON_TYPE) {
    expect(`${method} ${reply.status} ${rawPath} ${contentType}`).toMatch(OTHER_FORMATS);
    return;
  }
  if (reply.headers['content-encoding'] !== undefined) {
    expect(reply.status).toBe(200);
    return;
  }
  const body = JSON.parse(reply.body.toString());
  if (reply.status < 300) {
    expect(reply.status).toBe(isCreation(method, target) ? 201 : 200);
    expect(body).not.toHaveProperty('error');
    return;
  }
  expect(body).toEqual({
    error: true,
    code: expect.any(Number),
    message: expect.stringMatching(/\S/),
    documentation: expect.stringMatching(/^https?:/),
  });
  expect(documented).toContain(`${reply.status} ${body.code}`);
}

/** A created bug has 200, as in Bugzilla. */
const CREATION =
  /^\/rest\/(product|flag_type|component|user|group|bugless\/saved_searches|bug\/[^/?]+\/(comment|attachment))(\?|$)/;
const isCreation = (method: string, target: string) => method === 'POST' && CREATION.test(target);

const { SEED, RUNS } = process.env;
/** `RUNS` sets the number of runs; without it they end after a minute. A failure prints the seed for `SEED`. */
const budget =
  RUNS === undefined ? { numRuns: 80, interruptAfterTimeLimit: 60_000 } : { numRuns: Number(RUNS) };
const TIMEOUT = RUNS === undefined ? 90_000 : 6 * 60 * 60 * 1_000;

describe('fuzz test: an arbitrary request', () => {
  it(
    'gets a documented response, and changes nothing if it is refused or a GET',
    async () => {
      let before = await itemsButCounters(bugless.table);
      await fc.assert(
        fc.asyncProperty(arbitraryRequest, async (request) => {
          const reply = await bugless.send(request);
          expectDocumented(request, reply);
          const after = await itemsButCounters(bugless.table);
          const mayChange =
            reply.status < 300 && (request.method !== 'GET' || request.target.includes('/log'));
          if (!mayChange) expect(after).toEqual(before);
          before = after;
        }),
        { ...budget, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      );
    },
    TIMEOUT,
  );

  it('leaves a working service', async () => {
    const { status, body } = await bugless.call('GET', '/rest/bug/1/comment', { key: keys.admin });
    expect(status).toBe(200);
    const counts = body.bugs[1].comments.map(({ count }: { count: number }) => count);
    expect(counts).toEqual(counts.map((_: number, place: number) => place));
    expect((await bugless.call('GET', '/rest/product', { key: keys.admin })).status).toBe(200);
    expect((await bugless.call('GET', '/rest/bug/comment/tags/a', { key: keys.admin })).status).toBe(200);
  });
});
