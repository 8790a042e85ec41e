import * as z from 'zod/mini';
import { isUnavailable } from '../../table/errors.ts';
import { RetriesExhausted } from '../../table/retry.ts';

/** Names and codes of throttling, failures of a service, time-outs, missing rights and expired credentials. */
const TEMPORARY =
  /throttl|TooManyRequests|ThroughputExceeded|LimitExceeded|SlowDown|Internal(Server)?(Error|Exception|Failure)|Unavailable|Time(d)?-?out|AccessDenied|Unauthorized|NotAuthorized|Expired|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|Credentials/i;
/** Codes of connections that were not made, or were lost. */
const NOT_CONNECTED = /^(ECONN|EHOST|ENET|EPIPE|EPROTO|EAI_|ENOTFOUND|ERR_TLS|ERR_SSL|CERT_)/;
/** Statuses of the same, where the body of a response cannot be read: as by a proxy. */
const isTemporaryStatus = (status: number): boolean => status >= 500 || [401, 403, 408, 429].includes(status);

const answered = z.object({
  code: z.optional(z.string()),
  $metadata: z.optional(z.object({ httpStatusCode: z.optional(z.number()) })),
  $response: z.optional(z.object({ statusCode: z.optional(z.number()) })),
});

/**
 * Whether the same work may succeed later, when a service is back or a deployment has its rights: throttling, errors 5xx,
 * time-outs, no connection, access denied, expired credentials; also as the cause of an error. functions/events/README.md 1
 */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RetriesExhausted || isUnavailable(error)) return true;
  const { code = '', $metadata, $response } = answered.safeParse(error).data ?? {};
  const statuses = [$metadata?.httpStatusCode, $response?.statusCode];
  return (
    TEMPORARY.test(error.name) ||
    TEMPORARY.test(code) ||
    NOT_CONNECTED.test(code) ||
    statuses.some((status) => status !== undefined && isTemporaryStatus(status)) ||
    isTemporary(error.cause)
  );
}
