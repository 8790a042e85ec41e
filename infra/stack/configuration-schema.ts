import * as z from 'zod/mini';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { DEFAULT_SIGN_IN_LIMITS } from '../../lib/people/schema.ts';
import { settingsSchema } from '../../lib/settings.ts';
import { structuredEventOptions } from '../stage-options.ts';
import { alarmThresholdsSchema } from './alarm-thresholds.ts';

/** The item that counts them has to stay small. */
const MAX_SIGN_IN_MAILS_AN_HOUR = 1_000;
const mails = (min: number, fallback: number) =>
  z._default(
    z
      .number('must be a number')
      .check(z.int('must be an integer'), z.minimum(min), z.maximum(MAX_SIGN_IN_MAILS_AN_HOUR)),
    fallback,
  );

/** The option `signIn`: who signs in by mail. infra/README.md */
export const signInSchema = z.strictObject(
  {
    /** whether who was imported, and has no key, does */
    imported: z._default(z.boolean('must be true or false'), true),
    /** mails for signing in of an hour */
    perHour: mails(10, DEFAULT_SIGN_IN_LIMITS.perHour),
    /** of these, that one source address may ask for */
    perSource: mails(1, DEFAULT_SIGN_IN_LIMITS.perSource),
  },
  'must be an object',
);

/** The settings of the functions for people who sign in by mail. @param given undefined: the defaults */
export function signInSettings(given: z.output<typeof signInSchema> | undefined): Record<string, string> {
  const { imported, perHour, perSource } = given ?? signInSchema.parse({});
  return {
    SIGN_IN_BY_MAIL: 'true',
    SIGN_IN_IMPORTED: String(imported),
    SIGN_IN_PER_HOUR: String(perHour),
    SIGN_IN_PER_SOURCE: String(perSource),
  };
}

const settings = z.extend(
  // The stack sets these itself.
  z.omit(settingsSchema, {
    TABLE_NAME: true,
    DYNAMODB_ENDPOINT: true,
    SERVICE_NAME: true,
    LEFT_OUT_GROUPS: true,
    MAX_WRITE_REQUEST_UNITS: true,
    READ_ONLY: true,
    EVENTS: true,
    SIGN_IN_BY_MAIL: true,
    SIGN_IN_IMPORTED: true,
    // Retry budget and timeout must fit together into the time that API Gateway waits.
    DATABASE_REQUEST_TIMEOUT_MS: true,
  }),
  {
    DATABASE_RETRY_TIMEOUT_MS: settingsSchema.shape.DATABASE_RETRY_TIMEOUT_MS.check(
      z.maximum(25_000, 'must be at most 25000: API Gateway waits 30 s for a response'),
    ),
  },
);

/** Names of the settings of the functions that a deployment can choose. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** Names of the endpoint groups that a deployment can leave out: `<name>=false`. */
export const optionalEndpointGroups: readonly string[] = endpointGroups
  .filter(({ isOptional }) => isOptional)
  .map(({ name }) => name);

/** `-c` passes strings; JSON files may have booleans and numbers. */
const scalar = z.pipe(
  z.union([z.string(), z.boolean(), z.number()], 'must be a string, a boolean or a number'),
  z.transform(String),
);

const matching = (pattern: RegExp, message: string) =>
  z.pipe(scalar, z.string().check(z.regex(pattern, message)));

/** '' by default. */
const optional = (pattern: RegExp, message: string) => z._default(matching(pattern, message), '');

const positiveInteger = z.pipe(matching(/^[1-9]\d{0,8}$/, 'must be a positive integer'), z.transform(Number));

/** A positive integer; `none`: no limit. */
const limit = (fallback: number | 'none') =>
  z.pipe(
    z._default(matching(/^(none|[1-9]\d{0,8})$/, 'must be a positive integer or none'), String(fallback)),
    z.transform((text) => (text === 'none' ? undefined : Number(text))),
  );

const trueOrFalse = z.pipe(
  z.pipe(scalar, z.enum(['true', 'false'], 'must be true or false')),
  z.transform((value) => value === 'true'),
);

const flag = (fallback: boolean) => z._default(trueOrFalse, fallback);

/** Which optional endpoint groups are deployed. */
export const endpointGroupSwitches = z.object(
  Object.fromEntries(optionalEndpointGroups.map((name) => [name, flag(true)])),
);

/** The options of the stack itself; README.md in infra/ describes them. '' and undefined are none. */
export const stackOptions = z.object({
  domain: optional(/^([a-z0-9-]+(\.[a-z0-9-]+)+)?$/, 'must be a domain name'),
  certificate: optional(/^(arn:[^:]+:acm:.+)?$/, 'must be the ARN of a certificate'),
  keepDefaultEndpoint: flag(false),
  alarmTopic: optional(/^(arn:[^:]+:sns:.+)?$/, 'must be the ARN of an SNS topic'),
  alarmEmail: optional(/^([^\s@]+@[^\s@]+)?$/, 'must be an email address'),
  monthlyBudget: limit('none'),
  monthlyBackups: flag(false),
  expectsTraffic: flag(false),
  reservedConcurrency: limit('none'),
  kmsKey: optional(/^(arn:[^:]+:kms:[^:]+:\d{12}:key\/.+)?$/, 'must be the ARN of a key of AWS KMS'),
  readOnly: flag(false),
  table: optional(/^([A-Za-z0-9_.-]{3,255})?$/, 'must be the name of a table'),
  maxReadRequestUnits: limit(4_000),
  maxWriteRequestUnits: limit(1_000),
  requestsPerSecond: z._default(positiveInteger, 100),
  alarmThresholds: z.prefault(alarmThresholdsSchema, {}),
  signIn: z.optional(signInSchema),
});

/** The options of events, webhooks and mail. */
export const eventOptionsSchema = z.object({
  events: z.optional(trueOrFalse),
  tableStream: optional(
    /^(arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}\/stream\/\S+)?$/,
    'must be the ARN of the stream of a table',
  ),
  mailPerHour: z.optional(positiveInteger),
  ...structuredEventOptions,
});

/** Names of options that are lists or objects, which `-c` cannot pass. */
export const structuredOptions: readonly string[] = [
  ...Object.keys(structuredEventOptions),
  'alarmThresholds',
  'signIn',
];

/** Settings as environment variables. The functions parse them; `settingsCheck` finds errors at synthesis. */
export const settingTexts = z.record(z.string(), scalar);
export const settingsCheck = settings;

/** Names that a stage file can have. */
export const optionNames: readonly string[] = [
  ...settingNames,
  ...optionalEndpointGroups,
  ...Object.keys(stackOptions.shape),
  ...Object.keys(eventOptionsSchema.shape),
];

/** The stage: a name that CloudFormation accepts as part of the stack's name. */
export const stageName = z._default(
  z.string().check(z.regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and dashes')),
  'prod',
);
