import * as z from 'zod/mini';
import { DEFAULT_SIGN_IN_LIMITS } from '../../lib/people/schema.ts';

/** The item that counts them has to stay small. */
const MAX_SIGN_IN_MAILS_AN_HOUR = 1_000;
const mails = (min: number, fallback: number) =>
  z._default(
    z
      .number('must be a number')
      .check(z.int('must be an integer'), z.minimum(min), z.maximum(MAX_SIGN_IN_MAILS_AN_HOUR)),
    fallback,
  );

/** The option `signIn`: who signs in by mail. infra/README.md */
export const signInSchema = z.strictObject(
  {
    /** whether who was imported, and has no key, does */
    imported: z._default(z.boolean('must be true or false'), true),
    /** mails for signing in of an hour */
    perHour: mails(10, DEFAULT_SIGN_IN_LIMITS.perHour),
    /** of these, that one source address may ask for */
    perSource: mails(1, DEFAULT_SIGN_IN_LIMITS.perSource),
  },
  'must be an object',
);

/** The settings of the functions for people who sign in by mail. @param given undefined: the defaults */
export function signInSettings(given: z.output<typeof signInSchema> | undefined): Record<string, string> {
  const { imported, perHour, perSource } = given ?? signInSchema.parse({});
  return {
    SIGN_IN_BY_MAIL: 'true',
    SIGN_IN_IMPORTED: String(imported),
    SIGN_IN_PER_HOUR: String(perHour),
    SIGN_IN_PER_SOURCE: String(perSource),
  };
}
