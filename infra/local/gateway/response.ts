import { STATUS_CODES } from 'node:http';
import * as z from 'zod';

/** The HTTP response to the client. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** Lambda's limit: 6 MB and 100 bytes. */
const MAX_RESULT_BYTES = 6_291_556;

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The result of a function in payload format 2.0, with a status. */
const lambdaResult = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), headerValue).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
});

/** A response of the gateway itself. */
export function gatewayResponse(status: number, message = STATUS_CODES[status]): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

/**
 * Converts the result of a function. A result without `statusCode` is sent as JSON with status 200.
 *
 * @throws Error when the result exceeds Lambda's limit or has another format
 */
export function responseOf(result: unknown): HttpResponse {
  const json = JSON.stringify(result) ?? 'null';
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_RESULT_BYTES) {
    throw new Error(`The result of ${bytes} bytes exceeds Lambda's limit of ${MAX_RESULT_BYTES} bytes`);
  }
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(json) };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = lambdaResult.parse(result);
  return {
    status: statusCode,
    headers: { ...headers, ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}
