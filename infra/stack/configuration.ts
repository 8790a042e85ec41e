import * as z from 'zod/mini';
import { groups } from '../../functions/groups.ts';
import { settingsSchema } from '../../lib/settings.ts';

/** What a deployment is told, in the context of CDK: `npx cdk deploy -c stage=dev -c INSIDER_GROUP=staff`. */
export interface Configuration {
  stage: string;
  /** of a stage for trying things out, nothing is kept once it is destroyed */
  isDevelopment: boolean;
  /** names of the groups that this deployment leaves out */
  leftOutGroups: string[];
  /** a name of one's own, with the ARN of its certificate; absent: API Gateway's name alone */
  customDomain: { domain: string; certificate: string } | undefined;
  /** ARN of the SNS topic that is told of alarms; empty: none */
  alarmTopic: string;
  /** the settings that were given, for the environment of the functions */
  settings: Record<string, string>;
}

/** The context does not say what it should. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

const DEFAULT_STAGE = 'prod';

const stageSchema = z._default(
  z.string().check(z.regex(/^[a-z][a-z0-9-]{0,30}$/, 'small letters, digits and dashes are wanted')),
  DEFAULT_STAGE,
);

/** What the stack itself fills in is no matter of configuration. */
const givenSettings = z.omit(settingsSchema, {
  TABLE_NAME: true,
  DYNAMODB_ENDPOINT: true,
  SERVICE_NAME: true,
  LEFT_OUT_GROUPS: true,
});
/** Names of the settings that context can give. */
export const settingNames = Object.keys(givenSettings.shape);

/** `-c` gives texts; cdk.json may give truth values too. */
const contextValue = z.pipe(z.union([z.string(), z.boolean()]), z.transform(String));

const switchSchema = z.pipe(
  z._default(z.pipe(contextValue, z.enum(['true', 'false'], 'must be true or false')), 'true'),
  z.transform((given) => given === 'true'),
);

const optionalGroups = groups.filter(({ isOptional }) => isOptional).map(({ name }) => name);

/** An optional group is deployed unless the context says `<name>=false`. */
const groupSwitches = z.object(Object.fromEntries(optionalGroups.map((name) => [name, switchSchema])));

const contextSchema = z.object({
  stage: stageSchema,
  domain: z._default(z.string(), ''),
  certificate: z._default(
    z.string().check(z.regex(/^(arn:[^:]+:acm:.+)?$/, 'must be the ARN of a certificate')),
    '',
  ),
  alarmTopic: z._default(
    z.string().check(z.regex(/^(arn:[^:]+:sns:.+)?$/, 'must be the ARN of an SNS topic')),
    '',
  ),
});

/**
 * Reads the configuration of a deployment from the context of CDK: `stage`, `explorer`, `bugs`, `domain`,
 * `certificate`, `alarmTopic`, and settings by their own names. DESIGN.md 4.
 *
 * @param context by name; names in capitals are settings, the rest but those named above is CDK's
 * @throws ConfigurationError naming each one that is wrong, or not a setting
 */
export function readConfiguration(context: Readonly<Record<string, unknown>>): Configuration {
  const named = Object.entries(context).filter(([name]) => /^[A-Z][A-Z_]+$/.test(name));
  const unknown = named.map(([name]) => name).filter((name) => !settingNames.includes(name));
  if (unknown.length > 0) {
    throw new ConfigurationError(
      `No such setting: ${unknown.join(', ')}. There are ${settingNames.join(', ')}`,
    );
  }
  const settings = checked(z.record(z.string(), contextValue), Object.fromEntries(named));
  checked(givenSettings, settings);
  const switches = checked(groupSwitches, context);
  const leftOutGroups = optionalGroups.filter((name) => !switches[name]);
  const { stage, alarmTopic, domain, certificate } = checked(contextSchema, context);
  const isDevelopment = stage === 'dev' || stage.startsWith('dev-');
  if ((domain === '') !== (certificate === '')) {
    throw new ConfigurationError('Wrong context: domain and certificate go together');
  }
  return {
    stage,
    isDevelopment,
    leftOutGroups,
    customDomain: domain === '' ? undefined : { domain, certificate },
    alarmTopic,
    settings:
      leftOutGroups.length === 0 ? settings : { ...settings, LEFT_OUT_GROUPS: leftOutGroups.join(',') },
  };
}

function checked<T extends z.ZodMiniType>(schema: T, given: unknown): z.output<T> {
  const read = schema.safeParse(given);
  if (!read.success) throw new ConfigurationError(`Wrong context:\n${z.prettifyError(read.error)}`);
  return read.data;
}
