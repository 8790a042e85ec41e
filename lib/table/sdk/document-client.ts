import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import type { TableClock } from '../clock.ts';
import { httpCalls, type Response } from './http-call.ts';
import { LeanProtocol } from './protocol.ts';
import { signer } from './signature.ts';

/** Middlewares that DynamoDB does not need, or that the request handler replaces: README.md says what they do. */
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
  clock: Pick<TableClock, 'note'>;
}

/**
 * The SDK's document client with a request handler, a signer and a protocol that do only what DynamoDB's calls need: about
 * half of the CPU of a short call. See README.md.
 */
export function documentClient({
  endpoint,
  maxAttempts,
  requestTimeoutMs,
  clock,
}: DocumentClientOptions): DynamoDBDocumentClient {
  const calls = httpCalls(requestTimeoutMs);
  const sign = signer();
  /** milliseconds that DynamoDB's clock is ahead */
  let clockOffset = 0;

  /** Signs and sends a request; once more where it was refused for the clock. */
  async function handle(request: SdkRequest): Promise<{ response: Response }> {
    const [credentials, region] = await Promise.all([client.config.credentials(), client.config.region()]);
    const { protocol, hostname, port, path, body } = request;
    const headers = {
      ...request.headers,
      host: port === undefined ? hostname : `${hostname}:${port}`,
    };
    const attempt = async () => {
      const sentAt = Date.now();
      const at = new Date(sentAt + clockOffset);
      const signed = sign({ path, headers, body }, credentials, region, at);
      signed['content-length'] = String(Buffer.byteLength(body));
      const response = await calls.send({ protocol, hostname, port, path, headers: signed, body });
      clock.note(response.headers['date'], { sentAt, readAt: Date.now() });
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
