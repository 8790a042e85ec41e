import * as z from 'zod/mini';
import { type Webhook, webhookSchema, webhooksSchema } from '../../../lib/events/webhooks.ts';
import { alarmThresholdsSchema } from '../alarm-thresholds.ts';
import type { Values } from '../stage-file.ts';

const ADDRESS = /^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/;
const address = z
  .string('must be an email address')
  .check(z.regex(ADDRESS, 'must be an email address'), z.maxLength(320));

/** The option `mail`. */
const mailSchema = z.strictObject(
  {
    from: address,
    replyTo: z.optional(address),
    /** of Amazon SES: an ARN, a domain or an address; by default the domain of `from` */
    identity: z.optional(
      z
        .string('must be an identity of SES')
        .check(
          z.regex(
            /^(arn:[^:]+:ses:[^:]+:\d{12}:identity\/\S+|[^\s@:/]+@[^\s@:/]+|[a-z0-9-]+(\.[a-z0-9-]+)+)$/,
            'must be the ARN, the domain or the address of an identity of SES',
          ),
        ),
    ),
    /** that SES uses for the identity by default, so that the function may send with it */
    configurationSet: z.optional(
      z
        .string('must be the name of a configuration set')
        .check(z.regex(/^[\w-]{1,64}$/, 'must be the name of a configuration set of SES')),
    ),
  },
  'must be an object',
);

/** Options of events that are lists or objects, so that only the stage's file can have them. */
export const structuredEventOptions = {
  webhooks: z._default(webhooksSchema, []),
  mail: z.optional(mailSchema),
};

/** How changes are told to others. */
export interface EventOptions {
  webhooks: readonly Webhook[];
  /** undefined: nothing is mailed */
  mail: MailOptions | undefined;
  /** ARN of the stream of an existing table; '': the stack creates the table */
  tableStream: string;
}

export interface MailOptions extends Readonly<z.output<typeof mailSchema>> {
  /** mails that are sent in an hour at most */
  perHour: number;
}

interface GivenOptions {
  /** undefined: as webhooks and mail imply */
  events?: boolean | undefined;
  webhooks: readonly Webhook[];
  mail?: z.output<typeof mailSchema> | undefined;
  mailPerHour?: number | undefined;
  table: string;
  tableStream: string;
}

const MAILS_PER_HOUR = 1_000;

/**
 * Options of events that agree with each other.
 *
 * @param fail throws an error with a message
 * @returns undefined where events are off
 */
export function eventOptions(
  { events, webhooks, mail, mailPerHour, table, tableStream }: GivenOptions,
  fail: (message: string) => never,
): EventOptions | undefined {
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

const anyObject = z.record(z.string(), z.unknown());

/** The objects in these options, each with its path and the names that it may have. */
export function objectsIn({
  webhooks,
  mail,
  alarmThresholds,
}: Values): { path: string; value: Values; known: string[] }[] {
  const list = Array.isArray(webhooks) ? webhooks : [];
  const places = [
    ...list.map((webhook, index) => ({
      path: `webhooks[${index}]`,
      given: webhook,
      known: Object.keys(webhookSchema.shape),
    })),
    { path: 'mail', given: mail, known: Object.keys(mailSchema.shape) },
    {
      path: 'alarmThresholds',
      given: alarmThresholds,
      known: Object.keys(alarmThresholdsSchema.shape),
    },
  ];
  return places.flatMap(({ given, ...place }) => {
    const { success, data } = anyObject.safeParse(given);
    return success ? [{ ...place, value: data }] : [];
  });
}
