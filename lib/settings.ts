import * as z from 'zod/mini';
import { MAX_NAME_LENGTH, nameFault } from './base/names.ts';
import { DEFAULT_REQUEST_TIMEOUT_MS, DEFAULT_RETRY_TIMEOUT_MS } from './table/retry.ts';

/** The default milestone of products that are created without one. */
export const PLACEHOLDER_MILESTONE = '—';

/** The name of the group that a feature requires; '' disables the feature. */
const groupName = (fallback: string) => z._default(z.string().check(z.trim()), fallback);

const booleanOr = (fallback: 'true' | 'false') =>
  z.pipe(
    z._default(z.enum(['true', 'false', '1', '0', ''], 'must be true or false'), fallback),
    z.transform((given) => given === 'true' || given === '1'),
  );

/** A number in digits. */
const integer = (minimum: number, maximum: number, fallback: number) =>
  z._default(
    z.pipe(
      z.pipe(
        z.string().check(z.regex(/^\d+$/, { error: ({ input }) => `must be an integer, not '${input}'` })),
        z.transform(Number),
      ),
      z.number().check(z.minimum(minimum), z.maximum(maximum)),
    ),
    fallback,
  );

const optionalUrl = z.union([z.url(), z.literal('')], 'must be a URL');

/** Settings: environment variables of the functions, of `npm start` and of `npm run admin`. */
export const settingsSchema = z.object({
  TABLE_NAME: z.string('must name the table').check(z.minLength(3, 'must have 3 characters or more')),
  /** URL of DynamoDB; AWS by default */
  DYNAMODB_ENDPOINT: z.pipe(
    z.optional(optionalUrl),
    z.transform((given) => given || undefined),
  ),
  /** retry budget of a request in milliseconds, before the client gets 503 */
  DATABASE_RETRY_TIMEOUT_MS: integer(100, 600_000, DEFAULT_RETRY_TIMEOUT_MS),
  /** timeout of one call of DynamoDB in milliseconds, before it is retried */
  DATABASE_REQUEST_TIMEOUT_MS: integer(100, 600_000, DEFAULT_REQUEST_TIMEOUT_MS),
  /** service name in logs and metrics: the stack's name */
  SERVICE_NAME: z._default(z.string(), 'bugless'),
  /** request log: JSON for CloudWatch, readable for terminals, or off */
  REQUEST_LOG: z._default(
    z.enum(['json', 'readable', 'off', 'silent'], 'must be json, readable, off or silent'),
    'json',
  ),
  /** names of the groups that are not deployed, separated by commas */
  LEFT_OUT_GROUPS: z.pipe(
    z._default(z.string(), ''),
    z.transform((given) => given.split(',').filter((group) => group !== '')),
  ),
  /** of the data of an attachment; API Gateway and Lambda transfer no more than 4 MB */
  MAX_ATTACHMENT_BYTES: integer(1, 4_000_000, 1_024_000),
  /** the table's limit a second, of which uploads and words of comments take half; '': no limit */
  MAX_WRITE_REQUEST_UNITS: z.pipe(
    z._default(z.string().check(z.regex(/^([1-9]\d{0,8})?$/, 'must be a positive integer')), ''),
    z.transform((given) => (given === '' ? Number.POSITIVE_INFINITY : Number(given))),
  ),
  INSIDER_GROUP: groupName('insiders'),
  TIMETRACKING_GROUP: groupName('timetrackers'),
  COMMENT_TAGGERS_GROUP: groupName('taggers'),
  WEBHOOKS_GROUP: groupName(''),
  /** the address of who runs the deployment, which everyone sees */
  MAINTAINER: z._default(z.string().check(z.trim()), ''),
  /** the status of bugs that become duplicates, where the workflow has it, and it is closed */
  DUPLICATE_OR_MOVE_BUG_STATUS: z._default(z.string().check(z.trim()), 'RESOLVED'),
  REQUIRE_LOGIN: booleanOr('false'),
  /** whether writes get 503 */
  READ_ONLY: booleanOr('false'),
  /** whether searches find the words of comments by an index, which every comment writes */
  INDEX_COMMENTS: booleanOr('true'),
  /** whether writes log what they changed, for the function that reads the stream of the table */
  EVENTS: booleanOr('false'),
  /** whether the function `mail` mails codes for signing in */
  SIGN_IN_BY_MAIL: booleanOr('false'),
  /** whether who was imported, and has no key, signs in by mail, too */
  SIGN_IN_IMPORTED: booleanOr('true'),
  DEFAULT_MILESTONE: z.pipe(
    z._default(
      z.string().check(
        z.trim(),
        z.refine(
          (given) => given === '' || nameFault(given, MAX_NAME_LENGTH) === undefined,
          `must have at most ${MAX_NAME_LENGTH} characters, none of them invisible`,
        ),
      ),
      '',
    ),
    z.transform((given) => given || PLACEHOLDER_MILESTONE),
  ),
  DOCUMENTATION_URL: z._default(optionalUrl, 'https://bugzilla.readthedocs.io/en/5.2/api/'),
});

export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/**
 * Reads the settings from an environment.
 *
 * @param environment variables by name, such as `process.env`
 * @throws Error naming each variable that is missing or invalid
 */
export const readSettings = (environment: Environment): Settings =>
  readEnvironment(settingsSchema, environment);

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that may be left out; '' leaves it out, too. */
export const optionalSetting = z.pipe(
  z.optional(z.string()),
  z.transform((given) => given || undefined),
);

/**
 * Reads settings from an environment.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export function readEnvironment<S extends z.ZodMiniType>(schema: S, environment: Environment): z.output<S> {
  const read = schema.safeParse(environment);
  if (!read.success) throw new Error(`Invalid settings:\n${z.prettifyError(read.error)}`);
  return read.data;
}
