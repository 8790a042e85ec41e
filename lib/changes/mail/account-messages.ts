import * as z from 'zod/mini';
import type { BusEntry } from '../events/bus.ts';
import { INTERNAL_SOURCE, INTERNAL_TYPES } from '../events/event.ts';

/** What a user is mailed about the own account. */
export const accountMessage = z.discriminatedUnion('kind', [
  z.object({
    /** somebody asks for a code to sign in */
    kind: z.literal('sign-in'),
    login: z.string(),
    /** hexadecimal SHA-256 of the verifier that the page keeps */
    challenge: z.string(),
    /** what tells source addresses apart */
    source: z.string(),
    /** hexadecimal SHA-256 of what a sign-in has given to the browser that asks; absent: nothing */
    browser: z.optional(z.string()),
  }),
  /** an API key is being made */
  z.object({
    kind: z.literal('key'),
    login: z.string(),
    description: z.string().check(z.maxLength(255), z.regex(/^[^\p{Cc}\u2028\u2029]*$/u)),
  }),
  /** an administrator invites who has no API key */
  z.object({ kind: z.literal('invitation'), login: z.string() }),
]);
export type AccountMessage = z.infer<typeof accountMessage>;

/** A message for the bus, which only the function `mail` gets. */
export const accountEntry = (message: AccountMessage): BusEntry => ({
  source: INTERNAL_SOURCE,
  type: INTERNAL_TYPES.account,
  detail: JSON.stringify(message),
});
