import * as z from 'zod/mini';
import { optional, param, parameters, requireInteger, text, withDefault } from '../../base/parameters.ts';
import { parseTime } from '../../base/time.ts';
import { errors } from '../../errors.ts';

const MAX_AUDIT_ENTRIES = 500;
const DEFAULT_ENTRIES = 50;

/** functions/administration/README.md 7. */
export const auditQuery = parameters({
  by: param(
    withDefault(text, ''),
    'Only of those whose login, identity or machine has this text, in any case.',
    {
      example: 'ann@bugless.example',
    },
  ),
  of: param(
    withDefault(text, ''),
    'Only those whose command, or whose present or former name of what was changed, has this text.',
    { example: 'Telescope' },
  ),
  since: param(optional(text), 'Only those of this time or later.', { example: '2026-03-02T09:15:00Z' }),
  limit: param(
    optional(text),
    `At most so many, from 1 to ${MAX_AUDIT_ENTRIES}. Default: ${DEFAULT_ENTRIES}.`,
    { type: () => z.int(), example: 100 },
  ),
  before: param(optional(text), '`next` of the response before: older entries.'),
});

/** A key of the log: its time, and what tells those of one second apart. */
const SORT_KEY = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ#[\w-]{1,100}$/;

/** Makes the key of an entry what clients pass on as it is. */
export const auditToken = (sortKey: string): string => Buffer.from(sortKey).toString('base64url');

/** Which part of the audit log a request wants. */
export function readAuditQuery({ by, of, since, limit, before }: z.infer<typeof auditQuery>) {
  const max = limit === undefined ? DEFAULT_ENTRIES : requireInteger('limit', limit);
  if (max < 1 || max > MAX_AUDIT_ENTRIES) {
    throw errors.parameterInvalid('limit', `it must be a number from 1 to ${MAX_AUDIT_ENTRIES}`);
  }
  const from = since === undefined ? '' : parseTime(since);
  if (from === undefined) throw errors.parameterInvalid('since', 'it is not a time');
  const last = before === undefined ? '' : Buffer.from(before, 'base64url').toString();
  if (last !== '' && !SORT_KEY.test(last)) {
    throw errors.parameterInvalid('before', 'it is not `next` of a response');
  }
  return { by, of, since: from, max, before: last };
}
