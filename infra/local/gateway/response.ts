import * as z from 'zod';

/** What goes back to the client. */
export interface GatewayReply {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** Lambda takes 6 MB of result, and 100 bytes more. */
const MAX_RESULT_BYTES = 6_291_556;

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** A function's result in payload format 2.0, with a status. */
const lambdaResult = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), headerValue).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
});

/** The gateway's own words, where no function answered. */
export function gatewayResponse(status: number, message: string): GatewayReply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

/**
 * Makes a reply of a function's result: an object with `statusCode`, or anything else as JSON with status 200.
 *
 * @throws Error when it is larger than Lambda takes, or not of that format
 */
export function responseOf(result: unknown): GatewayReply {
  const json = JSON.stringify(result) ?? 'null';
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_RESULT_BYTES) {
    throw new Error(`The result of ${bytes} bytes is larger than Lambda's ${MAX_RESULT_BYTES}`);
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
