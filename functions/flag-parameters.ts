import * as z from 'zod/mini';
import { flag, optional, text } from '../lib/http/parameters.ts';

/** Flags to set; null is none, unknown keys are ignored. */
export const givenFlags = z.pipe(
  z.transform((given: unknown): unknown => given ?? []),
  z
    .array(
      z.object({
        id: optional(text),
        type_id: optional(text),
        name: optional(text),
        status: optional(text),
        requestee: optional(text),
        new: optional(flag),
      }),
    )
    .check(z.maxLength(100, 'it has more than 100 elements')),
);
