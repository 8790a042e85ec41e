import * as z from 'zod/mini';

/** The option `signIn`: who signs in by mail. infra/README.md */
export const signInSchema = z.strictObject(
  {
    /** whether who was imported, and has no key, does */
    imported: z._default(z.boolean('must be true or false'), true),
  },
  'must be an object',
);
