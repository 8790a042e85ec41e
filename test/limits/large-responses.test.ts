import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpointGroup } from '../../functions/comments/endpoints.ts';
import { timestamp } from '../../lib/base/time.ts';
import { BugzillaRequest } from '../../lib/http/request.ts';
import { toGatewayResponse } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';

/** Of 10 KB: more than a response takes uncompressed. */
const COMMENTS = 720;
const START = Date.parse('2024-01-01T00:00:00Z');
const WORDS = 'the lens of it was neither clean nor broken but turned west when asked for east again'.split(
  ' ',
);

/** Deterministic text with the compression ratio of prose. */
function prose(seed: number, words: number): string {
  let state = seed + 1;
  return Array.from({ length: words }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return WORDS[state % WORDS.length];
  }).join(' ');
}

const comments = times(COMMENTS, (count) =>
  aComment(prose(count, 1_800), { creation_time: timestamp(new Date(START + count * 1_000)) }),
);

let bugless: Bugless;
beforeAll(async () => {
  bugless = await startBugless(
    parseNumbered({
      products: [aProduct()],
      bugs: [aBug(1, { comments }), aBug(2, { comments: structuredClone(comments.slice(0, 5)) })],
    }),
  );
});

/** The body as received, before decompression. */
const raw = (target: string, acceptEncoding?: string) =>
  bugless.send({
    ...{ method: 'GET', target, body: undefined },
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  });

let whole: ReturnType<typeof raw> | undefined;
/** The response to a client that accepts gzip, which is asked for once. */
function gzipped() {
  whole ??= raw('/rest/bug/1/comment', 'gzip');
  return whole;
}

describe('a bug with 720 long comments', () => {
  it.each([
    ['gzip', gzipped, gunzipSync],
    ['br', () => raw('/rest/bug/1/comment', 'br'), brotliDecompressSync],
  ])('is served whole to a client that accepts %s', async (encoding, respond, decompress) => {
    const { status, headers, body } = await respond();
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([
      200,
      encoding,
      expect.stringContaining('accept-encoding'),
    ]);
    const answer = JSON.parse(decompress(body).toString());
    expect(answer.bugs['1'].comments).toHaveLength(COMMENTS);
    expect(answer.bugs['1'].comments.map(({ text }: { text: string }) => text)).toEqual(
      comments.map(({ text }) => text),
    );
    expect(answer.comments).toEqual({});
  });

  it('is refused with an error that names the alternatives if it does not fit', async () => {
    const { status, body } = await raw('/rest/bug/1/comment');
    expect(status).toBe(400);
    expect(JSON.parse(body.toString())).toMatchObject({ error: true, code: 32000 });
    expect(body.toString()).toMatch(/limit.*new_since.*comment_ids/);
  });

  it('is served in parts to any client', async () => {
    const since = timestamp(new Date(START + (COMMENTS - 11) * 1_000));
    const { status, body } = await raw(`/rest/bug/1/comment?new_since=${since}`);
    expect(status).toBe(200);
    expect(JSON.parse(body.toString()).bugs['1'].comments).toHaveLength(10);
    const counts = await raw('/rest/bug/1/comment?include_fields=count');
    expect(JSON.parse(counts.body.toString()).bugs['1'].comments).toHaveLength(COMMENTS);
  });

  it('is not sent again to a client with its ETag', async () => {
    const first = await gzipped();
    const again = await bugless.call('GET', '/rest/bug/1/comment', {
      headers: { 'if-none-match': String(first.headers['etag']), 'accept-encoding': 'gzip' },
    });
    expect([again.status, again.body]).toEqual([304, '']);
  });
});

const endless = (text: () => string) => {
  const produced = { count: 0 };
  const comments = (async function* () {
    for (; produced.count < 1_000_000; produced.count += 1) yield [{ text: text() }];
  })();
  return { produced, answer: ok({ bugs: { 1: { comments } }, comments: {} }) };
};
const asking = (acceptEncoding: string) =>
  new BugzillaRequest(
    {
      routeKey: 'GET /rest/bug/{id_or_alias}/comment',
      rawPath: '/rest/bug/1/comment',
      rawQueryString: '',
      headers: { 'accept-encoding': acceptEncoding },
      isBase64Encoded: false,
      requestContext: { requestId: 'id', http: { method: 'GET', sourceIp: '' } },
    },
    endpointGroup.routes[0],
  );

it.each([
  ['plain', '', () => 'x'.repeat(1_000), 7_000],
  ['compressed', 'gzip', () => randomBytes(1_000).toString('base64'), 7_000],
])(
  'a response that does not fit is given up as soon as that is clear, not held whole: %s',
  async (_, encoding, text, most) => {
    const { produced, answer } = endless(text);
    await expect(toGatewayResponse(asking(encoding), answer)).rejects.toThrow('larger than 6 MB');
    expect(produced.count).toBeLessThan(most);
  },
);

describe('a small response', () => {
  it('has the same content and weakly equal ETags with and without compression', async () => {
    const plain = await raw('/rest/bug/2/comment?include_fields=id,text');
    const packed = await raw('/rest/bug/2/comment?include_fields=id,text', 'gzip;q=0.5, br;q=0');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.headers['etag']).toBe(`W/${plain.headers['etag']}`);
  });

  it('is not compressed if that does not make it smaller', async () => {
    const { headers } = await raw('/rest/version', 'gzip, br');
    expect(headers['content-encoding']).toBeUndefined();
  });
});
