import type * as z from 'zod/mini';
import type { Webhook } from '../../../lib/changes/events/webhooks.ts';
import { MAILS_PER_HOUR, type MailOptions } from '../../../lib/changes/mail/options.ts';
import type { eventOptionsSchema } from '../configuration-schema.ts';

/** How changes are told to others. */
export interface EventOptions {
  webhooks: readonly Webhook[];
  /** undefined: nothing is mailed */
  mail: MailOptions | undefined;
  /** ARN of the stream of an existing table; '': the stack creates the table */
  tableStream: string;
}

/**
 * Options of events that agree with each other.
 *
 * @param given without `events`: as webhooks and mail imply
 * @param fail throws an error with a message
 * @returns undefined where events are off
 */
export function eventOptions(
  given: z.output<typeof eventOptionsSchema> & { table: string },
  fail: (message: string) => never,
): EventOptions | undefined {
  const { events, webhooks, mail, mailPerHour, table, tableStream } = given;
  const implied = webhooks.length > 0 || mail !== undefined;
  if (events === false && implied) fail('events is false, but webhooks and mail need them: remove these');
  if (mailPerHour !== undefined && mail === undefined) fail('mailPerHour needs mail');
  const isOn = events ?? implied;
  if (tableStream !== '' && !(isOn && table !== '')) {
    fail('tableStream is for an existing table (table) with events only');
  }
  if (isOn && table !== '') {
    if (tableStream === '') {
      fail(`tableStream must be the ARN of the stream of the table ${table}, because events are on`);
    }
    if (!tableStream.includes(`:table/${table}/stream/`)) {
      fail(`tableStream is not a stream of the table ${table}`);
    }
  }
  if (!isOn) return undefined;
  const withLimit = mail === undefined ? undefined : { ...mail, perHour: mailPerHour ?? MAILS_PER_HOUR };
  return { webhooks, mail: withLimit, tableStream };
}
