import { BugzillaError, errors } from '../../errors.ts';
import type { ServiceLogger } from '../../logger.ts';
import { COMMON_HEADERS } from '../response/headers.ts';
import { HTML, htmlOf } from '../response/html.ts';
import type { GatewayResponse } from './response.ts';

const RETRY_AFTER_SECONDS = '2';

/** How the SDK and Node name what goes wrong between us and DynamoDB, and may be over soon. */
const PASSING = new Set([
  'RetriesExhausted',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
  'InternalServerError',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TimeoutError',
  'AbortError',
  'NetworkingError',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * Turns any error into an answer in Bugzilla's shape, and logs, once and with its cause, what is not the
 * client's doing. REFERENCE.md 2 (error body).
 *
 * @param about the request: its id, under which the log has the error; whether a browser gets a page
 */
export function toErrorResponse(
  error: unknown,
  { requestId, isHtml }: { requestId: string; isHtml: boolean },
  documentation: string,
  log: ServiceLogger,
): GatewayResponse {
  const known = knownError(error, requestId);
  if (known !== error) log.error(known.message, { requestId, cause: error });
  const headers: Record<string, string> = { ...COMMON_HEADERS, ...(isHtml ? HTML : {}) };
  if (known.status === 503) headers['retry-after'] = RETRY_AFTER_SECONDS;
  const body = { error: true, code: known.code, message: known.message, documentation };
  const text = isHtml ? htmlOf(body) : JSON.stringify(body);
  return { statusCode: known.status, headers, body: text, isBase64Encoded: false };
}

function knownError(error: unknown, requestId: string): BugzillaError {
  if (error instanceof BugzillaError) return error;
  return isPassing(error) ? errors.unavailable() : errors.internal(requestId);
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const fault = '$fault' in error && error.$fault === 'server';
  return PASSING.has(error.name) || PASSING.has(code) || fault;
}
