import * as z from 'zod/mini';
import { schemaRef } from './documentation.ts';
import type { JsonObject, Schemas } from './json-schema.ts';

/** Error response of API Gateway itself. */
export const gatewayBody = schemaRef(
  'GatewayError',
  'Error response of API Gateway, when no function responds.',
  z.object({ message: z.string() }),
);

/** By status: the name in `components`, the description, and the message of the response. */
const RESPONSES: Readonly<Record<number, readonly [string, string, string]>> = {
  413: ['BodyTooLarge', 'The body exceeds 10 MB.', 'Request Entity Too Large'],
  429: ['TooManyRequests', 'The request exceeds the rate limit.', 'Too Many Requests'],
  431: ['HeadTooLarge', 'Request line and headers exceed 10,240 bytes.', 'Request Header Fields Too Large'],
};

/** API Gateway's own error responses, for `components`. */
export function gatewayResponses(schemas: Schemas): JsonObject {
  const schema = schemas.convert(gatewayBody);
  return Object.fromEntries(
    Object.values(RESPONSES).map(([name, description, message]) => [
      name,
      { description, content: { 'application/json': { schema, example: { message } } } },
    ]),
  );
}

/** References to API Gateway's error responses, by status. */
export const gatewayReferences = (hasBody: boolean): JsonObject =>
  Object.fromEntries(
    Object.entries(RESPONSES)
      .filter(([status]) => hasBody || status !== '413')
      .map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
