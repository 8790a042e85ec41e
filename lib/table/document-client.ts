import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import { SignatureV4 } from '@smithy/signature-v4';

/** When a call was sent and its response was read, by this machine's clock, in milliseconds since 1970. */
export interface CallTimes {
  sentAt: number;
  readAt: number;
}

/** Middlewares that DynamoDB does not need, or that the request handler replaces: DECISIONS.md says what they do. */
const REMOVED = [
  'loggerMiddleware',
  'getUserAgentMiddleware',
  'recursionDetectionMiddleware',
  'hostHeaderMiddleware',
  'contentLengthMiddleware',
  'httpAuthSchemeMiddleware',
  'httpSigningMiddleware',
];

interface DocumentClientOptions {
  /** URL of DynamoDB; absent: AWS */
  endpoint?: string | undefined;
  maxAttempts: number;
  /** milliseconds of one attempt of a call, also of its connection */
  requestTimeoutMs: number;
  /** is told of each response */
  onResponse: (date: string | undefined, call: CallTimes) => void;
}

/**
 * The SDK's document client with a request handler and a protocol that do only what DynamoDB's calls need: about half of the
 * CPU of a short call. See DECISIONS.md.
 */
export function documentClient({
  endpoint,
  maxAttempts,
  requestTimeoutMs,
  onResponse,
}: DocumentClientOptions): DynamoDBDocumentClient {
  const calls = httpCalls(requestTimeoutMs);
  /** milliseconds that DynamoDB's clock is ahead */
  let clockOffset = 0;

  /** Signs and sends a request; once more where it was refused for the clock. */
  async function handle(request: SdkRequest): Promise<{ response: Response }> {
    const { protocol, hostname, port, path, body } = request;
    const headers = {
      ...request.headers,
      host: port === undefined ? hostname : `${hostname}:${port}`,
    };
    const unsigned = new HttpRequest({ method: 'POST', path, headers, body });
    const attempt = async () => {
      const sentAt = Date.now();
      const { headers: signed } = await signer.sign(unsigned, {
        signingDate: new Date(sentAt + clockOffset),
      });
      signed['content-length'] = String(Buffer.byteLength(body));
      const response = await calls.send({ protocol, hostname, port, path, headers: signed, body });
      onResponse(response.headers['date'], { sentAt, readAt: Date.now() });
      return response;
    };
    const offsetBefore = clockOffset;
    const response = await attempt();
    const offset = refusedFor(response);
    if (offset === undefined || Math.abs(offset - offsetBefore) < MIN_CLOCK_CORRECTION_MS)
      return { response };
    clockOffset = offset;
    return { response: await attempt() };
  }

  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts,
    protocol: LeanProtocol,
    requestHandler: {
      handle,
      destroy: calls.destroy,
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
    },
  });
  for (const name of REMOVED) client.middlewareStack.remove(name);
  const { credentials, region } = client.config;
  const signer = new SignatureV4({
    ...{ service: 'dynamodb', credentials, region },
    ...{ sha256: Sha256, applyChecksum: false },
  });
  // Attributes that are undefined are left out.
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  // Each call copies the configuration three times. V8 copies an object that was written at once in a hundredth of the time.
  const config = { ...documents.config };
  documents.middlewareStack.use(getSchemaSerdePlugin(config));
  return Object.assign(documents, { config });
}

/** What the protocol makes. */
interface SdkRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** DynamoDB accepts signatures that are up to five minutes old or early. */
const MIN_CLOCK_CORRECTION_MS = 60_000;
const CLOCK_ERRORS = /InvalidSignatureException|RequestExpired|RequestTimeTooSkewed|RequestInTheFuture/;

/** The milliseconds that DynamoDB's clock is ahead, where it refused a signature. */
function refusedFor({ statusCode, headers, body }: Response): number | undefined {
  if (statusCode < 400 || !CLOCK_ERRORS.test(body.toString())) return undefined;
  const time = Date.parse(headers['date'] ?? '');
  return Number.isNaN(time) ? undefined : time - Date.now();
}

/** A POST request. */
interface Call {
  /** `http:` or `https:` */
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** A response that was read to its end. */
interface Response {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** As the SDK's own handler has. */
const MAX_SOCKETS = 50;

/** Codes of Node's network errors that the SDK names TimeoutError. */
const TIMEOUT_CODES = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Sends requests over connections that are kept open.
 *
 * @param timeoutMs of a call, from its begin to the end of its response
 */
function httpCalls(timeoutMs: number) {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  let agents: { http?: Agent; https?: HttpsAgent } = {};

  function start({ protocol, hostname, port, path, headers }: Call): ClientRequest {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const common = { method: 'POST', host, path, headers, ...(port === undefined ? {} : { port }) };
    if (protocol === 'http:') {
      agents.http ??= new Agent(options);
      return request({ ...common, agent: agents.http });
    }
    agents.https ??= new HttpsAgent(options);
    return httpsRequest({ ...common, agent: agents.https });
  }

  return {
    /** @throws Error of Node's network stack, or a TimeoutError */
    send(call: Call): Promise<Response> {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const outgoing = start(call);
      const fail = (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(TIMEOUT_CODES.has(error.code ?? '') ? Object.assign(error, { name: 'TimeoutError' }) : error);
      };
      const timer = setTimeout(() => {
        const error = new Error(`DynamoDB did not respond within ${timeoutMs} ms`);
        fail(Object.assign(error, { code: 'ETIMEDOUT' }));
        outgoing.destroy();
      }, timeoutMs);
      outgoing.on('error', fail);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('end', () => {
          clearTimeout(timer);
          resolve({ ...statusAndHeaders(incoming), body: Buffer.concat(chunks) });
        });
      });
      outgoing.end(call.body);
      return promise;
    },
    /** Closes the connections. */
    destroy() {
      agents.http?.destroy();
      agents.https?.destroy();
      agents = {};
    },
  };
}

function statusAndHeaders({ statusCode = 0, headers }: IncomingMessage) {
  const single: Record<string, string> = {};
  for (const name in headers) single[name] = String(headers[name]);
  return { statusCode, headers: single };
}

/** Operations on items, whose inputs and outputs are DynamoDB's JSON but for bytes. Others have times, too. */
const ITEM_OPERATIONS = new Set([
  ...['GetItem', 'BatchGetItem', 'Query', 'Scan'],
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
]);

/**
 * In a response that has bytes, whatever space is around the colon. A text within a text has its quotes escaped. A search for
 * its end alone, which few texts have, takes a hundredth of the time.
 */
const BYTES_NAME = Buffer.from('"B"');
const END_OF_BYTES_NAME = BYTES_NAME.subarray(1);

/**
 * DynamoDB's JSON without a walk through the schema of the operation: the document client makes inputs that JSON.stringify
 * writes as they are, but for bytes. Errors, and operations on tables, take the way of the SDK.
 */
class LeanProtocol extends AwsJson1_0Protocol {
  override async serializeRequest(
    ...[schema, input, context]: Parameters<AwsJson1_0Protocol['serializeRequest']>
  ) {
    if (!ITEM_OPERATIONS.has(schema.name)) return super.serializeRequest(schema, input, context);
    const { protocol, hostname, port, path } = await context.endpoint();
    encodeBytes(input);
    return {
      method: 'POST',
      ...{ protocol, hostname, path },
      ...(port === undefined ? {} : { port }),
      headers: {
        'content-type': this.getDefaultContentType(),
        'x-amz-target': `${this.serviceTarget}.${schema.name}`,
      },
      body: JSON.stringify(input),
    };
  }

  override async deserializeResponse(
    ...[schema, context, response]: Parameters<AwsJson1_0Protocol['deserializeResponse']>
  ) {
    const isError = response.statusCode >= 300;
    if (isError || !ITEM_OPERATIONS.has(schema.name)) {
      return super.deserializeResponse(schema, context, response);
    }
    const bytes: Buffer = response.body;
    const output = JSON.parse(bytes.toString());
    if (bytes.includes(END_OF_BYTES_NAME) && bytes.includes(BYTES_NAME)) decodeBytes(output);
    output.$metadata = this.deserializeMetadata(response);
    return output;
  }
}

/** Replaces bytes by base64 in what the document client has made of an input: with a replacer JSON.stringify takes twice as long. */
function encodeBytes(value: object): void {
  for (const [name, one] of Object.entries(value)) {
    if (name === 'B' && one instanceof Uint8Array) {
      Object.assign(value, { B: Buffer.from(one.buffer, one.byteOffset, one.byteLength).toString('base64') });
    } else if (typeof one === 'object' && one !== null) {
      encodeBytes(one);
    }
  }
}

/** Replaces base64 by bytes: text under this name, where attributes are objects. */
function decodeBytes(value: object): void {
  for (const [name, one] of Object.entries(value)) {
    if (name === 'B' && typeof one === 'string') Object.assign(value, { B: Buffer.from(one, 'base64') });
    else if (typeof one === 'object' && one !== null) decodeBytes(one);
  }
}

type Secret = string | ArrayBuffer | ArrayBufferView;

/** By the secrets of HMACs: that of the credentials, and the key of the day. */
const keys = new Map<Secret, KeyObject>();
const MAX_REMEMBERED_KEYS = 8;

function keyOf(secret: Secret): KeyObject {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = typeof secret === 'string' ? createSecretKey(secret, 'utf8') : createSecretKey(bytesOf(secret));
  if (keys.size === MAX_REMEMBERED_KEYS) keys.clear();
  keys.set(secret, key);
  return key;
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);

/**
 * SHA-256, or its HMAC with a secret, in the form that the SDK's signer takes: Node's, with keys that are made once. The SDK's own
 * makes one for each call, which is half of the time of a signature.
 */
class Sha256 {
  #data: Uint8Array = Buffer.alloc(0);
  readonly #secret: Secret | undefined;

  constructor(secret?: Secret) {
    this.#secret = secret;
  }

  update(data: Uint8Array): void {
    this.#data = this.#data.length === 0 ? data : Buffer.concat([this.#data, data]);
  }

  async digest(): Promise<Uint8Array> {
    if (this.#secret === undefined) return hash('sha256', this.#data, 'buffer');
    return createHmac('sha256', keyOf(this.#secret)).update(this.#data).digest();
  }

  reset(): void {
    this.#data = Buffer.alloc(0);
  }
}
