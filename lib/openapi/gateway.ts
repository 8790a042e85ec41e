import * as z from 'zod/mini';
import type { JsonObject, Schemas } from './json-schema.ts';
import { named } from './metadata.ts';

/** What API Gateway says when no function answers. */
export const gatewayBody = named(
  'GatewayError',
  'What API Gateway itself answers when no function of Bugless does.',
  z.object({ message: z.string() }),
);

const ANSWERS = [
  {
    status: '413',
    name: 'BodyTooLarge',
    description: 'The body is larger than 10 MB.',
    message: 'Request Entity Too Large',
  },
  {
    status: '429',
    name: 'TooManyRequests',
    description: 'These are more requests than API Gateway passes on.',
    message: 'Too Many Requests',
  },
  {
    status: '431',
    name: 'HeadTooLarge',
    description: 'Request line and headers have more than 10,240 bytes together.',
    message: 'Request Header Fields Too Large',
  },
];

/** What API Gateway refuses by itself, for `components`. */
export function gatewayResponses(schemas: Schemas): JsonObject {
  const schema = schemas.convert(gatewayBody);
  return Object.fromEntries(
    ANSWERS.map(({ name, description, message }) => [
      name,
      { description, content: { 'application/json': { schema, example: { message } } } },
    ]),
  );
}

/** References to them, by status, for an operation with or without a body. */
export function gatewayReferences(hasBody: boolean): JsonObject {
  const possible = ANSWERS.filter(({ name }) => hasBody || name !== 'BodyTooLarge');
  return Object.fromEntries(
    possible.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}
