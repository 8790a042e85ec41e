import * as z from 'zod/mini';
import { boolean, optional, param, text } from '../../base/parameters.ts';

/** Flags to set on a bug or an attachment; null and '' are none, unknown keys are ignored. functions/bugs/README.md 7. */
export const givenFlags = param(
  z.pipe(
    z.transform((given: unknown): unknown => (given === '' ? [] : (given ?? []))),
    z
      .array(
        z.object({
          id: optional(text),
          type_id: optional(text),
          name: optional(text),
          status: optional(text),
          requestee: optional(text),
          new: optional(boolean),
        }),
      )
      .check(z.maxLength(100, 'it has more than 100 elements')),
  ),
  'Flags to set: each by `id`, `type_id` or `name`, with a `status` (`?`, `+`, `-`, or `X` to clear it) and perhaps a `requestee`. `new`: whether a further one is set.',
  {
    type: () =>
      z.array(
        z.partial(
          z.object({
            id: z.int(),
            type_id: z.int(),
            name: z.string(),
            status: z.enum(['?', '+', '-', 'X']),
            requestee: z.string(),
            new: z.boolean(),
          }),
        ),
      ),
  },
);
export type GivenFlag = z.infer<typeof givenFlags.schema>[number];
