import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import { optional, param, requireInteger, text } from './parameters.ts';

/** The most elements of a part of a long list. */
export const MAX_PART = 500;

/** Parameters of lists that may be long: a part of them, from either end. */
export const listPartParameters = {
  limit: param(optional(text), `At most so many of each bug, up to ${MAX_PART}; without it, all.`, {
    type: () => z.int(),
    example: 100,
  }),
  order: param(
    optional(text),
    '`newest`: the newest first, also those that `limit` leaves. By default the oldest.',
    {
      example: 'newest',
    },
  ),
};

/** A part of a list that is ordered by time. */
export interface ListPart {
  /** undefined: all */
  limit: number | undefined;
  isNewest: boolean;
}

/**
 * Reads which part of a list a request wants.
 *
 * @throws BugzillaError for a limit that is not a number from 1 to 500, and an unknown order
 */
export function readListPart(given: {
  limit?: string | null | undefined;
  order?: string | null | undefined;
}): ListPart {
  const limit =
    given.limit === undefined || given.limit === null ? undefined : requireInteger('limit', given.limit);
  if (limit !== undefined && (limit < 1 || limit > MAX_PART)) {
    throw errors.parameterInvalid('limit', `it must be a number from 1 to ${MAX_PART}`);
  }
  const order = given.order ?? 'oldest';
  if (order !== 'newest' && order !== 'oldest') {
    throw errors.parameterInvalid('order', 'it must be newest or oldest');
  }
  return { limit, isNewest: order === 'newest' };
}
