import * as z from 'zod/mini';
import { DEFAULT_SIGN_IN_LIMITS } from '../../people/schema.ts';
import { type Environment, optionalSetting, readEnvironment } from '../../settings.ts';
import { ADDRESS } from './options.ts';

const count = (fallback: number) =>
  z._default(z.coerce.number().check(z.int('must be an integer'), z.minimum(1)), fallback);

/** Settings of the function `mail`, beside those that all functions have. */
const schema = z.object({
  /** address that mails are from */
  MAIL_FROM: z.string('must be an address').check(z.regex(ADDRESS, 'must be an address')),
  MAIL_REPLY_TO: optionalSetting,
  /** mails that are sent in an hour at most */
  MAIL_PER_HOUR: count(1_000),
  /** mails for signing in: in an hour at most, and of these for one source address */
  SIGN_IN_PER_HOUR: count(DEFAULT_SIGN_IN_LIMITS.perHour),
  SIGN_IN_PER_SOURCE: count(DEFAULT_SIGN_IN_LIMITS.perSource),
  /** address of this deployment, as `https://bugs.example.org/` */
  BASE_URL: z.url('must be a URL'),
  /** URL of the SQS queue; absent: messages come back when the queue says so */
  MAIL_QUEUE_URL: optionalSetting,
  /** URL of the SQS queue of what is mailed about accounts */
  ACCOUNT_QUEUE_URL: optionalSetting,
  /** folder that gets mails as files instead of Amazon SES */
  MAIL_FOLDER: optionalSetting,
});

export type MailSettings = Readonly<z.infer<typeof schema>>;

/**
 * Reads the settings of the function `mail` from an environment.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export const readMailSettings = (environment: Environment): MailSettings =>
  readEnvironment(schema, environment);
