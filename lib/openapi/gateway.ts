import * as z from 'zod/mini';
import type { JsonObject, Schemas } from './json-schema.ts';
import { schemaRef } from './metadata.ts';

/** Error response of API Gateway itself. */
export const gatewayBody = schemaRef(
  'GatewayError',
  'Error response of API Gateway, when no function responds.',
  z.object({ message: z.string() }),
);

const RESPONSES = [
  {
    status: '413',
    name: 'BodyTooLarge',
    description: 'The body exceeds 10 MB.',
    message: 'Request Entity Too Large',
  },
  {
    status: '429',
    name: 'TooManyRequests',
    description: 'The request exceeds the rate limit.',
    message: 'Too Many Requests',
  },
  {
    status: '431',
    name: 'HeadTooLarge',
    description: 'Request line and headers exceed 10,240 bytes.',
    message: 'Request Header Fields Too Large',
  },
];

/** API Gateway's own error responses, for `components`. */
export function gatewayResponses(schemas: Schemas): JsonObject {
  const schema = schemas.convert(gatewayBody);
  return Object.fromEntries(
    RESPONSES.map(({ name, description, message }) => [
      name,
      { description, content: { 'application/json': { schema, example: { message } } } },
    ]),
  );
}

/** References to API Gateway's error responses, by status. */
export function gatewayReferences(hasBody: boolean): JsonObject {
  const possible = RESPONSES.filter(({ name }) => hasBody || name !== 'BodyTooLarge');
  return Object.fromEntries(
    possible.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}
