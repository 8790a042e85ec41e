import * as z from 'zod/mini';
import { webhooksSchema } from '../lib/changes/events/webhooks.ts';
import { mailSchema } from '../lib/changes/mail/options.ts';

/** Options of events that are lists or objects, so that only the stage's file can have them. */
export const structuredEventOptions = {
  webhooks: z._default(webhooksSchema, []),
  mail: z.optional(mailSchema),
};
