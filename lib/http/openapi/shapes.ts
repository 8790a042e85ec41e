import * as z from 'zod/mini';
import type { DocumentedResponse } from './documentation.ts';
import { describe, schemaRef } from './metadata.ts';

// What several groups of routes respond.

/** A time in responses. functions/README.md 5. */
export const time = (description: string) => describe(description, z.iso.datetime({ precision: 0 }));

/** What an update has changed of a field. */
export const change = schemaRef(
  'Change',
  "The value of a field before and after the change. Booleans are `'1'` and `'0'`.",
  z.object({
    added: describe('The new value; of a list, what it gained.', z.string()),
    removed: describe('The previous value; of a list, what it lost.', z.string()),
  }),
);

/** Documents a response with the id of what was created. */
export function createsOne(what: string, id: number): DocumentedResponse {
  const name = what.replaceAll(/(?:^| )([a-z])/g, (_, first: string) => first.toUpperCase());
  const schema = schemaRef(
    `Created${name}`,
    `The created ${what}.`,
    z.object({ id: describe(`The id of the new ${what}.`, z.int()) }),
  );
  return { status: 201, text: `The ${what} was created.`, schema, example: { id } };
}
