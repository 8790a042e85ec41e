import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTable } from '../../lib/table/client.ts';
import { currentCapacity, withConsumption } from '../../lib/table/consumption.ts';
import { CURRENT_FORMAT } from '../../lib/table/format.ts';
import { formatKey } from '../../lib/table/keys.ts';
import { anyItem, readItem } from '../../lib/table/read.ts';
import { putItem } from '../../lib/table/write.ts';
import { newTable } from '../support/bugless.ts';
import { TLS } from '../support/tls-certificate.ts';

const MINUTE = 60_000;
const TOKEN = 'a-session-token';
const CREDENTIALS = { accessKeyId: 'AKID', secretAccessKey: 'the-secret', sessionToken: TOKEN };

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', CREDENTIALS.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', CREDENTIALS.secretAccessKey);
  vi.stubEnv('AWS_SESSION_TOKEN', TOKEN);
});

const stops: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) stop();
});

const key = { pk: 'a', sk: 'b' };
const ITEM = JSON.stringify({ Item: { pk: { S: 'a' }, sk: { S: 'b' } } });

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server in the place of DynamoDB. `respond` gets the number of the request, from 1. */
async function startServer(
  respond: (number: number, received: Received, response: Parameters<RequestListener>[1]) => void,
  { isTls = false, format = CURRENT_FORMAT } = {},
) {
  const received: Received[] = [];
  let connections = 0;
  const listener: RequestListener = async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    // Its format, which each process reads first.
    if (body.includes(formatKey.pk)) {
      response.end(
        JSON.stringify({
          Item: {
            format: { N: String(format.format) },
            readable_from: { S: format.readable_from },
            writable_from: { S: format.writable_from },
          },
        }),
      );
      return;
    }
    received.push({ headers: request.headers, body });
    respond(received.length, { headers: request.headers, body }, response);
  };
  const server = isTls ? createHttpsServer(TLS, listener) : createServer(listener);
  server.on(isTls ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  const endpoint = `${isTls ? 'https' : 'http'}://localhost:${port}`;
  return { endpoint, received, connections: () => connections };
}

const read = (endpoint: string, requestTimeoutMs = 20_000, retryTimeoutMs?: number) => {
  const table = openTable('table', endpoint, {
    requestTimeoutMs,
    ...(retryTimeoutMs === undefined ? {} : { retryTimeoutMs }),
  });
  return () => readItem(table, key, anyItem);
};

/** DynamoDB's response to a signature that is older or newer than five minutes, by a clock that is ahead. */
const withClock = (aheadMs: number): Parameters<typeof startServer>[0] => {
  return (_, { headers }, response) => {
    const [now, given] = [Date.now() + aheadMs, String(headers['x-amz-date'])];
    const at = Date.parse(given.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));
    response.setHeader('date', new Date(now).toUTCString());
    if (Math.abs(now - at) < 5 * MINUTE) {
      response.end(ITEM);
      return;
    }
    const reason = at < now ? 'Signature expired' : 'Signature not yet current';
    response.statusCode = 400;
    response.end(
      JSON.stringify({
        __type: 'com.amazon.coral.service#InvalidSignatureException',
        message: `${reason}: ${given}`,
      }),
    );
  };
};

describe('the clock', () => {
  it.each([10, -10])('may differ from that of DynamoDB by %i minutes', async (minutes) => {
    const { endpoint, received } = await startServer(withClock(minutes * MINUTE));
    const get = read(endpoint);
    expect(await get()).toEqual(key);
    expect(await get()).toEqual(key);
    // One signature was refused, by whose response the others are corrected.
    expect(received).toHaveLength(3);
  });

  it('is corrected for all calls that were refused', async () => {
    const { endpoint } = await startServer(withClock(10 * MINUTE));
    const { client } = openTable('table', endpoint);
    const get = () => client.send(new GetCommand({ TableName: 'table', Key: key }));
    for (const { Item } of await Promise.all([get(), get(), get()])) expect(Item).toEqual(key);
  });

  it('is not the reason where a signature is wrong', async () => {
    const { endpoint, received } = await startServer((_, __, response) => {
      response.statusCode = 400;
      response.end('{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"wrong"}');
    });
    await expect(read(endpoint)()).rejects.toThrow('wrong');
    expect(received).toHaveLength(1);
  });
});

/** The signature that a request should have, as AWS computes it of what it receives. */
function expectedSignature({ headers, body }: Received, secret: string, region: string): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (secretKey: string | Buffer, text: string) =>
    createHmac('sha256', secretKey).update(text).digest();
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const time = String(headers['x-amz-date']);
  const scope = [time.slice(0, 8), region, 'dynamodb', 'aws4_request'];
  const signed = names.split(';').map((name) => `${name}:${headers[name]}`);
  const canonical = ['POST', '/', '', ...signed, '', names, hash(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash(canonical)].join('\n');
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secret}`), toSign).toString('hex');
}

describe('signatures', () => {
  it.each([
    ['with a session token', CREDENTIALS],
    ['without one', { accessKeyId: 'AKID', secretAccessKey: 'other', sessionToken: '' }],
  ])('are those that AWS computes, %s', async (_, { secretAccessKey, sessionToken }) => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
    vi.stubEnv('AWS_SESSION_TOKEN', sessionToken === '' ? undefined : sessionToken);
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    const { endpoint, received } = await startServer((__, ___, response) => response.end('{}'));
    const table = openTable('table', endpoint);
    await putItem(table, { ...key, text: 'ä' });
    const [put = { headers: {}, body: '' }] = received;
    expect(put.headers.authorization).toMatch(
      new RegExp(`Signature=${expectedSignature(put, secretAccessKey, 'eu-west-1')}$`),
    );
    const names = [
      'content-type',
      'host',
      'x-amz-date',
      ...(sessionToken === '' ? [] : ['x-amz-security-token']),
      'x-amz-target',
    ];
    expect(put.headers.authorization).toContain(`SignedHeaders=${names.join(';')},`);
  });

  it('follow the credentials, the region and the day, also where they come back', async () => {
    const { endpoint, received } = await startServer((_, __, response) => response.end('{}'));
    vi.useFakeTimers({ toFake: ['Date'] });
    const secrets = Array.from({ length: 10 }, (_, n) => `secret ${n}`);
    try {
      for (const secret of [...secrets, ...secrets]) {
        for (const [region, day] of [
          ['eu-west-1', 1],
          ['us-east-1', 1],
          ['us-east-1', 2],
        ] as const) {
          vi.setSystemTime(Date.UTC(2026, 0, day, 12));
          vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
          vi.stubEnv('AWS_REGION', region);
          await read(endpoint)();
          const get = received.at(-1) ?? { headers: {}, body: '' };
          const signature = expectedSignature(get, secret, region);
          expect(get.headers.authorization).toMatch(new RegExp(`Signature=${signature}$`));
        }
      }
    } finally {
      vi.useRealTimers();
    }
    expect(received).toHaveLength(60);
  });

  it('have the session token of the environment', async () => {
    const { endpoint, received } = await startServer((_, __, response) => response.end(ITEM));
    await read(endpoint)();
    expect(received[0]?.headers).toMatchObject({
      'x-amz-security-token': TOKEN,
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      authorization: expect.stringContaining(`Credential=${CREDENTIALS.accessKeyId}/`),
    });
  });
});

describe('connections', () => {
  it.each([false, true])('are kept open (TLS: %s)', async (isTls) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { endpoint, connections, received } = await startServer((_, __, response) => response.end(ITEM), {
      isTls,
    });
    const get = read(endpoint);
    for (let n = 0; n < 5; n += 1) expect(await get()).toEqual(key);
    expect([received.length, connections()]).toEqual([5, 1]);
  });

  it('that end while they are not used are replaced', async () => {
    const { endpoint, connections } = await startServer((_, __, response) => {
      response.end(ITEM, () => response.socket?.destroy());
    });
    const get = read(endpoint);
    for (let n = 0; n < 3; n += 1) expect(await get()).toEqual(key);
    expect(connections()).toBe(3);
  });
});

describe('a call is repeated', () => {
  const halfOf = (text: string) => text.slice(0, text.length / 2);

  it('whose response stops in the middle', async () => {
    const { endpoint, received } = await startServer((number, _, response) => {
      response.setHeader('content-length', ITEM.length);
      if (number > 1) response.end(ITEM);
      else response.write(halfOf(ITEM), () => response.destroy());
    });
    expect(await read(endpoint)()).toEqual(key);
    expect(received).toHaveLength(2);
  });

  it('whose response does not end in time', async () => {
    const { endpoint, received } = await startServer((number, _, response) => {
      response.setHeader('content-length', ITEM.length);
      if (number > 1) response.end(ITEM);
      else response.write(halfOf(ITEM));
    });
    expect(await read(endpoint, 300)()).toEqual(key);
    expect(received).toHaveLength(2);
  });

  it('until the deadline, with the error of the last attempt as the cause', async () => {
    const { endpoint } = await startServer((_, __, response) => {
      response.statusCode = 500;
      response.end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"failed"}');
    });
    await expect(read(endpoint, 300, 300)()).rejects.toMatchObject({
      name: 'RetriesExhausted',
      cause: { name: 'InternalServerError' },
    });
  });
});

describe('values', () => {
  it('of items are read as they were written', async () => {
    vi.unstubAllEnvs();
    const table = await newTable();
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.maxSafeInteger(),
        fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((number) => Math.round(number * 100) / 100 + 0),
        fc.boolean(),
        fc.constant(null),
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('B', 'S', 'M', 'name', 'ü'), tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(value, async (content) => {
        await putItem(table, { ...key, content });
        expect(await readItem(table, key, anyItem)).toEqual({ ...key, content });
      }),
      { numRuns: 100 },
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, new Date(0)])('%s is refused', async (content) => {
    const { endpoint, received } = await startServer((_, __, response) => response.end('{}'));
    await expect(putItem(openTable('table', endpoint), { ...key, content })).rejects.toThrow(
      /not allowed|greater than|Unsupported/,
    );
    expect(received).toEqual([]);
  });

  it('that are undefined are left out', async () => {
    const { endpoint, received } = await startServer((_, __, response) => response.end('{}'));
    const content = { list: [1, undefined], object: { absent: undefined } };
    await putItem(openTable('table', endpoint), { ...key, absent: undefined, content });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      Item: { content: { M: { list: { L: [{ N: '1' }] }, object: { M: {} } } } },
    });
    expect(received[0]?.body).not.toContain('absent');
  });

  it.each([
    ['Uint8Array', Uint8Array.of(1, 2, 255)],
    ['Buffer', Buffer.from([1, 2, 255])],
    ['a part of a larger one', Buffer.from([0, 1, 2, 255, 7]).subarray(1, 4)],
  ])('that are bytes are sent as base64: %s', async (_, content) => {
    const { endpoint, received } = await startServer((__, ___, response) => response.end('{}'));
    await putItem(openTable('table', endpoint), { ...key, content });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ Item: { content: { B: 'AQL/' } } });
  });

  it.each(['"B":"AQL/"', '"B": "AQL/"', '"B"\n:\t"AQL/"'])(
    'that are bytes are read from %s',
    async (json) => {
      const item = `{"Item": {"pk": {"S": "a"}, "sk": {"S": "\\"B\\":"}, "content": {${json}}, "B": {"S": "B"}}}`;
      const { endpoint } = await startServer((_, __, response) => response.end(item));
      expect(await read(endpoint)()).toEqual({
        ...{ pk: 'a', sk: '"B":', B: 'B' },
        content: Buffer.from([1, 2, 255]),
      });
    },
  );
});

it('operations on tables have the types of the SDK', async () => {
  const { endpoint } = await startServer((_, __, response) => response.end('{"TableNames":["t"]}'));
  const { client } = openTable('table', endpoint);
  expect(await client.send(new ListTablesCommand({}))).toMatchObject({
    TableNames: ['t'],
    $metadata: { httpStatusCode: 200, attempts: 1 },
  });
});

const TableName = 'table';
const item = { TableName, Key: key };
type Send = (client: DynamoDBDocumentClient) => Promise<unknown>;

describe.each<[operation: string, use: 'read' | 'write', send: Send]>([
  ['GetItem', 'read', (by) => by.send(new GetCommand(item))],
  [
    'BatchGetItem',
    'read',
    (by) => by.send(new BatchGetCommand({ RequestItems: { table: { Keys: [key] } } })),
  ],
  ['Query', 'read', (by) => by.send(new QueryCommand({ TableName, KeyConditionExpression: 'pk = a' }))],
  ['Scan', 'read', (by) => by.send(new ScanCommand({ TableName }))],
  ['PutItem', 'write', (by) => by.send(new PutCommand({ TableName, Item: key }))],
  ['UpdateItem', 'write', (by) => by.send(new UpdateCommand(item))],
  ['DeleteItem', 'write', (by) => by.send(new DeleteCommand(item))],
  [
    'BatchWriteItem',
    'write',
    (by) => by.send(new BatchWriteCommand({ RequestItems: { table: [{ PutRequest: { Item: key } }] } })),
  ],
  [
    'TransactWriteItems',
    'write',
    (by) => by.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: key } }] })),
  ],
])('%s', (operation, use, send) => {
  /** Some operations report one capacity, others a list. */
  const consumed = { TableName: 'table', CapacityUnits: 3 };
  const isList = operation.startsWith('Batch') || operation.startsWith('Transact');
  const capacity = JSON.stringify({ ConsumedCapacity: isList ? [consumed, consumed] : consumed });
  const units = isList ? 6 : 3;

  it('counts the capacity that it consumes', async () => {
    const { endpoint, received } = await startServer((_, __, response) => response.end(capacity));
    const { client } = openTable('table', endpoint);
    const usage = await withConsumption(async () => {
      await send(client);
      return currentCapacity();
    });
    expect(usage).toMatchObject({
      calls: 1,
      readUnits: use === 'read' ? units : 0,
      writeUnits: use === 'write' ? units : 0,
    });
    expect(received[0]?.headers['x-amz-target']).toBe(`DynamoDB_20120810.${operation}`);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ ReturnConsumedCapacity: 'TOTAL' });
  });

  it('is refused where the table has a format that is too new', async () => {
    const format = {
      ...CURRENT_FORMAT,
      format: 9,
      [use === 'read' ? 'readable_from' : 'writable_from']: '9.0.0',
    };
    const { endpoint, received } = await startServer((_, __, response) => response.end(capacity), { format });
    const { client } = openTable('table', endpoint);
    await expect(send(client)).rejects.toMatchObject({ status: 503 });
    expect(received).toEqual([]);
  });
});
