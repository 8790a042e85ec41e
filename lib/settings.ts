import * as z from 'zod';

/** The milestone of a product that names none. SPEC.md 4.3. */
export const PLACEHOLDER_MILESTONE = '—';

/** Name of a group that a feature needs; empty: the feature is off. */
const groupName = (fallback: string) => z.string().trim().default(fallback);

const truth = z
  .enum(['true', 'false', '1', '0', ''])
  .default('false')
  .transform((given) => given === 'true' || given === '1');

/** Settings of a deployment: the environment of the functions, of `npm start` and of the admin tool. DESIGN.md 4. */
export const settingsSchema = z.object({
  TABLE_NAME: z.string().min(3),
  /** URL of DynamoDB; absent or empty: AWS */
  DYNAMODB_ENDPOINT: z
    .union([z.url(), z.literal('')])
    .optional()
    .transform((given) => given || undefined),
  INSIDER_GROUP: groupName('insiders'),
  TIMETRACKING_GROUP: groupName('timetrackers'),
  COMMENT_TAGGERS_GROUP: groupName('taggers'),
  REQUIRE_LOGIN: truth,
  DEFAULT_MILESTONE: z
    .string()
    .trim()
    .max(64)
    .default('')
    .transform((given) => given || PLACEHOLDER_MILESTONE),
  DOCUMENTATION_URL: z.union([z.url(), z.literal('')]).default('https://bugzilla.readthedocs.io/en/5.2/api/'),
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
