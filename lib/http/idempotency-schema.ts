import * as z from 'zod/mini';

/** A request with an Idempotency-Key that created something. */
export const idempotencyItem = z.object({
  /** of the request */
  fingerprint: z.string(),
  /** of what it created */
  id: z.int(),
  expires_at: z.int(),
});
