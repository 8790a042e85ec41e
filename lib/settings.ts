import * as z from 'zod/mini';
import { DEFAULT_RETRY_TIMEOUT_MS } from './dynamodb/retry.ts';

/** The milestone of a product that names none. SPEC.md 4.3. */
export const PLACEHOLDER_MILESTONE = '—';

/** Name of a group that a feature needs; empty: the feature is off. */
const groupName = (fallback: string) => z._default(z.string().check(z.trim()), fallback);

const truth = z.pipe(
  z._default(z.enum(['true', 'false', '1', '0', ''], 'must be true or false'), 'false'),
  z.transform((given) => given === 'true' || given === '1'),
);

const urlOrNone = z.union([z.url(), z.literal('')], 'must be a URL');

/** Settings of a deployment: the environment of the functions, of `npm start` and of the admin tool. DESIGN.md 4. */
export const settingsSchema = z.object({
  TABLE_NAME: z.string('must name the table').check(z.minLength(3, 'must have 3 characters or more')),
  /** URL of DynamoDB; absent or empty: AWS */
  DYNAMODB_ENDPOINT: z.pipe(
    z.optional(urlOrNone),
    z.transform((given) => given || undefined),
  ),
  /** for how long what fails at DynamoDB is tried again before the answer is 503 */
  DATABASE_RETRY_TIMEOUT_MS: z._default(
    z.coerce.number().check(z.int('must be a whole number'), z.minimum(100), z.maximum(25_000)),
    DEFAULT_RETRY_TIMEOUT_MS,
  ),
  /** whose log lines and metrics these are: the stack's name */
  SERVICE_NAME: z._default(z.string(), 'bugless'),
  /** how requests are logged: for CloudWatch, for a person at a terminal, not at all */
  REQUEST_LOG: z._default(z.enum(['json', 'readable', 'off'], 'must be json, readable or off'), 'json'),
  /** groups of functions/groups.ts that are not served, separated by commas */
  LEFT_OUT_GROUPS: z.pipe(
    z._default(z.string(), ''),
    z.transform((given) => given.split(',').filter((group) => group !== '')),
  ),
  INSIDER_GROUP: groupName('insiders'),
  TIMETRACKING_GROUP: groupName('timetrackers'),
  COMMENT_TAGGERS_GROUP: groupName('taggers'),
  REQUIRE_LOGIN: truth,
  DEFAULT_MILESTONE: z.pipe(
    z._default(z.string().check(z.trim(), z.maxLength(64, 'must have at most 64 characters')), ''),
    z.transform((given) => given || PLACEHOLDER_MILESTONE),
  ),
  DOCUMENTATION_URL: z._default(urlOrNone, 'https://bugzilla.readthedocs.io/en/5.2/api/'),
});

export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/**
 * Reads the settings from an environment.
 *
 * @param environment variables by name, as `process.env`
 * @throws Error naming each variable that is missing or wrong
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const read = settingsSchema.safeParse(environment);
  if (!read.success) throw new Error(`Wrong settings:\n${z.prettifyError(read.error)}`);
  return read.data;
}
