import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../lib/table/read.ts';
import { type Bugless, serve } from '../support/bugless.ts';
import { type Call, cancelled, type Fate, faults } from '../support/fault-proxy.ts';
import { type FaultyBugless, startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { isLong } from '../support/sample.ts';
import { itemsButCounters } from '../support/table-items.ts';

const RETRY_TIMEOUT = { DATABASE_RETRY_TIMEOUT_MS: '400' };

let bugless: FaultyBugless;
/** Like the faulty instance, but its calls time out soon. */
let withTimeouts: Bugless;
/** Before any request. */
let before: Item[];
beforeAll(async () => {
  bugless = await startFaultyBugless(RETRY_TIMEOUT);
  before = await itemsButCounters(bugless.healthy.table);
  withTimeouts = await serve(bugless.healthy.table, {
    DYNAMODB_ENDPOINT: bugless.proxy.endpoint,
    DATABASE_REQUEST_TIMEOUT_MS: '200',
    ...RETRY_TIMEOUT,
  });
});

let logged: string[];
beforeEach(() => {
  logged = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      logged.push(...String(text).trimEnd().split('\n'));
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const SECRET_TEXT = 'A confidential text';
const SECRET_TAG = 'a-secret-tag';

const operations = [
  ['listing products', 'GET', '/rest/product_accessible'],
  ['getting products', 'GET', '/rest/product/Alpha'],
  [
    'creating a product',
    'POST',
    '/rest/product',
    { name: SECRET_TEXT, description: SECRET_TEXT, version: '1' },
  ],
  ['updating a product', 'PUT', '/rest/product/2', { description: SECRET_TEXT }],
  ['getting comments of a bug', 'GET', '/rest/bug/1/comment'],
  ['getting a comment', 'GET', '/rest/bug/comment/10'],
  ['creating a comment', 'POST', '/rest/bug/1/comment', { comment: SECRET_TEXT }],
  ['searching tags', 'GET', `/rest/bug/comment/tags/${SECRET_TAG}`],
  ['updating tags', 'PUT', '/rest/bug/comment/10/tags', { add: [SECRET_TAG] }],
  ['whoami', 'GET', '/rest/whoami'],
].map(([name, method, path, body]) => ({ name, method, path, body }) as Operation);
interface Operation {
  name: string;
  method: string;
  path: string;
  body?: object;
}

/** Sends the key in a header, a bearer token and the query, none of which may be logged. */
const send = ({ method, path, body }: Operation, on = bugless.faulty) =>
  on.call(method, `${path}?Bugzilla_api_key=${keys.admin}`, {
    key: keys.admin,
    body,
    headers: { authorization: `Bearer ${keys.admin}` },
  });

/** For outages with slow retries of the SDK, and in `npm test` for all but one. */
const someOperations = operations.filter(({ name }) =>
  /getting a comment|creating a comment|updating tags/.test(name),
);

const outages: { what: string; fate: Fate; cause: RegExp; tested: typeof operations }[] = [
  { what: 'cannot be reached', fate: 'close before', cause: /ECONNRESET|socket hang up/, tested: operations },
  {
    what: 'fails beyond the retry budget',
    fate: faults['an internal error'],
    cause: /InternalServerError/,
    tested: isLong ? operations : someOperations,
  },
  { what: 'does not respond', fate: 'hang before', cause: /TimeoutError/, tested: someOperations },
  {
    what: 'throttles beyond the retry budget',
    fate: faults.throttling,
    cause: /ThrottlingException/,
    tested: someOperations,
  },
];

describe.each(outages)('when DynamoDB $what', ({ fate, cause, tested }) => {
  it.for(tested)('$name gets 503, with one log entry', async (operation) => {
    bugless.from(() => fate);
    const on = fate === 'hang before' ? withTimeouts : bugless.faulty;
    const { status, headers, body } = await send(operation, on);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(body).toEqual({
      error: true,
      code: 32000,
      message: expect.any(String),
      documentation: expect.any(String),
    });
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      level: 'ERROR',
      error: { name: expect.any(String) },
    });
    expect(logged[0]).toMatch(cause);
    expectNoSecretIn(logged.join('\n'));
    expect(await itemsButCounters(bugless.healthy.table)).toEqual(before);
  });
});

function expectNoSecretIn(text: string): void {
  for (const secret of [keys.admin, SECRET_TEXT, SECRET_TAG]) expect(text).not.toContain(secret);
}

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);
const isWrite = ({ operation }: Call): boolean => WRITES.has(operation);
const denied: Fate = {
  status: 400,
  error: 'AccessDeniedException',
  message: 'The function is not authorized to perform: dynamodb:ConditionCheckItem on PRODUCTINDEX',
};

describe('when a write', () => {
  const writes = operations.filter(({ body }) => body !== undefined);

  it.for(writes)('conflicts with others beyond the retry budget, $name gets 503', async (write) => {
    bugless.from((call) =>
      call.operation === 'TransactWriteItems' ? cancelled('TransactionConflict', call) : 'pass',
    );
    const before = await itemsButCounters(bugless.healthy.table);
    const { status, headers, body } = await send(write);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 32000, '2']);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/RetriesExhausted.*TransactionCanceledException/s);
    expectNoSecretIn(logged.join('\n'));
    expect(await itemsButCounters(bugless.healthy.table)).toEqual(before);
  });

  it.for(writes)('is denied by IAM, $name gets 503 in words, and the log has the error', async (write) => {
    bugless.from((call) => (isWrite(call) ? denied : 'pass'));
    const before = await itemsButCounters(bugless.healthy.table);
    const { status, headers, body } = await send(write);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 32000, '2']);
    expect(body.message).toContain('lacks a permission');
    expect(body.message).not.toContain('PRODUCTINDEX');
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ level: 'ERROR' });
    expect(logged[0]).toMatch(/AccessDeniedException.*dynamodb:ConditionCheckItem on PRODUCTINDEX/);
    expectNoSecretIn(logged.join('\n'));
    expect(await itemsButCounters(bugless.healthy.table)).toEqual(before);
  });

  it.for(writes)('fails unexpectedly, $name gets 500 without details', async (write) => {
    bugless.from((call) =>
      call.operation === 'TransactWriteItems'
        ? { status: 400, error: 'ValidationException', message: 'Expression is wrong' }
        : 'pass',
    );
    const { status, body } = await send(write);
    expect([status, body.error, body.code]).toEqual([500, true, 32000]);
    expect(body.message).not.toContain('Expression');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/ValidationException/);
    expectNoSecretIn(logged.join('\n'));
  });
});

describe('when DynamoDB cannot be reached', () => {
  it('GET /rest/version succeeds', async () => {
    bugless.from(() => 'close before');
    const { status, body } = await bugless.faulty.call('GET', '/rest/version', { key: keys.admin });
    expect([status, body.version]).toEqual([200, '5.2']);
    expect(logged).toEqual([]);
  });

  it('a refused connection gives 503', async () => {
    const port9 = { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9', ...RETRY_TIMEOUT };
    const { call } = await serve(bugless.healthy.table, port9);
    const { status, headers, body } = await call('GET', '/rest/product/2', { key: keys.admin });
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 32000, '2']);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/ECONNREFUSED/);
  });

  it('a request whose attempts may have read what it may gets the words of an outage', async () => {
    bugless.from(() => 'close before');
    const { call } = await serve(bugless.healthy.table, {
      DYNAMODB_ENDPOINT: bugless.proxy.endpoint,
      DATABASE_RETRY_TIMEOUT_MS: '20000',
    });
    const { status, body } = await call('GET', '/rest/bug/1/comment');
    expect([status, body.message]).toEqual([503, 'The database is not available. Retry later.']);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/ECONNRESET|socket hang up/);
  });

  it('an unknown route gives 404', async () => {
    bugless.from(() => 'close before');
    const { status, body } = await bugless.faulty.call('GET', '/rest/nothing/here');
    expect([status, body.code]).toEqual([404, 32614]);
    expect(logged).toEqual([]);
  });

  it('requests succeed as soon as it is back', async () => {
    bugless.from(() => 'close before');
    expect((await bugless.faulty.call('GET', '/rest/product/2')).status).toBe(503);
    bugless.from(() => 'pass');
    expect((await bugless.faulty.call('GET', '/rest/product/2')).status).toBe(200);
  });
});
