import { distance as levenshtein } from 'fastest-levenshtein';
import * as z from 'zod/mini';
import { webhookSchema } from '../../lib/changes/events/webhooks.ts';
import { mailSchema } from '../../lib/changes/mail/options.ts';
import { alarmThresholdsSchema } from './alarm-thresholds.ts';
import {
  endpointGroupSwitches,
  eventOptionsSchema,
  optionalEndpointGroups,
  optionNames,
  settingNames,
  settingsCheck,
  settingTexts,
  signInSchema,
  signInSettings,
  stackOptions,
  stageName,
  structuredOptions,
} from './configuration-schema.ts';
import { type EventOptions, eventOptions } from './events/options.ts';
import { type RecordedOptions, recordedOptions } from './recorded-options.ts';
import { ConfigurationError, type StageReader, stageFile, stageFiles, type Values } from './stage-file.ts';

/** The configuration of a deployment. */
export interface Configuration
  extends Omit<z.output<typeof stackOptions>, 'domain' | 'certificate' | 'readOnly' | 'table' | 'signIn'> {
  stage: string;
  /** whether the stage is `dev` or `dev-…`: its data is deleted with the stack, and it has no alarms */
  isDevelopment: boolean;
  /** names of the endpoint groups that are not deployed */
  leftOutGroups: readonly string[];
  /** environment variables of the functions */
  settings: Readonly<Record<string, string>>;
  /** a custom domain with the ARN of its certificate */
  customDomain: { domain: string; certificate: string } | undefined;
  /** name of an existing table to use instead of creating one; '' for none */
  existingTable: string;
  /** undefined: changes become no events */
  events: EventOptions | undefined;
  /** what the stage's file and `-c` have */
  options: RecordedOptions;
  /** names of options that the deployment may take from the stack: `-c allow` */
  allowed: readonly string[];
  /** what the operator should know about where the values come from: `cdk` prints it at synthesis */
  warnings: readonly { id: string; text: string }[];
}

/** What only a deployment has, not the stage's file. */
const deploymentSchema = z.object({
  stage: stageName,
  allow: z.pipe(
    z._default(z.string('must be names of options, separated by commas'), ''),
    z.transform((text) => text.split(',').map((name) => name.trim())),
  ),
});

/** Options that are objects, or lists of them, with the names that these may have. */
const OBJECTS = {
  ...{ webhooks: webhookSchema, mail: mailSchema },
  ...{ signIn: signInSchema, alarmThresholds: alarmThresholdsSchema },
};
const anyObject = z.record(z.string(), z.unknown());

/**
 * Reads the configuration of a deployment: the stage from the CDK context, the options from the stage's file, with
 * overrides from the context.
 *
 * @param context the whole CDK context; CDK's own names are ignored
 * @throws ConfigurationError naming each unknown name and each invalid value
 */
export function readConfiguration(context: Values, readStage: StageReader): Configuration {
  const own = Object.fromEntries(Object.entries(context).filter(([name]) => !isCdkName(name)));
  rejectUnknownNames(own, [...optionNames, 'stage', 'allow'], 'The CDK context');
  const { stage, allow, ...overrides } = own;
  for (const option of structuredOptions.filter((one) => one in overrides)) {
    throw new ConfigurationError(
      `${option} is a list or an object: only the stage's file can have it, not -c`,
    );
  }
  const { stage: name, allow: allowed } = parse(deploymentSchema, { stage, allow }, 'The CDK context');
  const file = readStage(name);
  // A misspelled name would make a stack that is public.
  if (file === undefined && !isDevelopmentStage(name)) {
    const there = stageFiles().join(', ');
    throw new ConfigurationError(`There is no ${stageFile(name)}. Create it, or choose one of ${there}`);
  }
  rejectUnknownNames(file ?? {}, optionNames, stageFile(name));
  for (const [option, { shape }] of Object.entries(OBJECTS)) {
    const given = file?.[option];
    for (const [index, one] of [given].flat().entries()) {
      const path = Array.isArray(given) ? `${option}[${index}]` : option;
      const { data = {} } = anyObject.safeParse(one);
      rejectUnknownNames(data, Object.keys(shape), `${stageFile(name)}: ${path}`);
    }
  }
  const source = Object.keys(overrides).length === 0 ? stageFile(name) : `${stageFile(name)} with -c`;
  return {
    ...readOptions({ ...file, ...overrides }, name, source),
    options: recordedOptions({ ...file, ...overrides }),
    allowed,
    warnings: warningsOfOverrides(overrides, file ?? {}, name),
  };
}

function readOptions(
  values: Values,
  stage: string,
  source: string,
): Omit<Configuration, 'options' | 'allowed' | 'warnings'> {
  const switches = parse(endpointGroupSwitches, values, source);
  const leftOutGroups = optionalEndpointGroups.filter((name) => !switches[name]);
  const { domain, certificate, table, readOnly, signIn, ...options } = parse(stackOptions, values, source);
  const { maxWriteRequestUnits } = options;
  const given = Object.entries(values).filter(([name]) => settingNames.includes(name));
  const settings = parse(settingTexts, Object.fromEntries(given), source);
  parse(settingsCheck, settings, source);
  if ((domain === '') !== (certificate === '')) {
    throw new ConfigurationError(`${source}: domain and certificate must be given together`);
  }
  if (options.monthlyBudget !== undefined && options.alarmEmail === '') {
    throw new ConfigurationError(`${source}: monthlyBudget needs alarmEmail`);
  }
  const isDevelopment = isDevelopmentStage(stage);
  if (isDevelopment && table !== '') {
    throw new ConfigurationError(
      `${source}: the stage ${stage} cannot use the existing table ${table}, because development stages are for data that may be lost`,
    );
  }
  const events = eventOptions({ ...parse(eventOptionsSchema, values, source), table }, (message) => {
    throw new ConfigurationError(`${source}: ${message}`);
  });
  if (signIn !== undefined && events?.mail === undefined) {
    throw new ConfigurationError(`${source}: signIn needs mail`);
  }
  const hasSignIn = events?.mail !== undefined && !leftOutGroups.includes('account');
  return {
    stage,
    isDevelopment,
    leftOutGroups,
    settings: {
      ...settings,
      ...(readOnly ? { READ_ONLY: 'true' } : {}),
      ...(events === undefined ? {} : { EVENTS: 'true' }),
      ...(hasSignIn ? signInSettings(signIn) : {}),
      ...(leftOutGroups.length === 0 ? {} : { LEFT_OUT_GROUPS: leftOutGroups.join(',') }),
      ...(maxWriteRequestUnits === undefined
        ? {}
        : { MAX_WRITE_REQUEST_UNITS: String(maxWriteRequestUnits) }),
    },
    customDomain: domain === '' ? undefined : { domain, certificate },
    existingTable: table,
    events,
    ...options,
  };
}

/** CDK's feature flags, cached look-ups and CLI settings. */
const isCdkName = (name: string): boolean =>
  name.startsWith('@') || name.includes(':') || CLI_NAMES.has(name);
const CLI_NAMES: ReadonlySet<string> = new Set(['acknowledged-issue-numbers', 'cli-telemetry']);

function rejectUnknownNames(values: Values, known: readonly string[], source: string): void {
  const unknown = Object.keys(values).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const lines = unknown.map((name) => {
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? `Known names: ${known.join(', ')}` : `Did you mean '${nearest}'?`;
    return `${source} has the unknown name '${name}'. ${hint}`;
  });
  throw new ConfigurationError(lines.join('\n'));
}

/** Values of `-c` that differ from the stage's file are lost with the next deployment. */
function warningsOfOverrides(overrides: Values, file: Values, stage: string) {
  return Object.entries(overrides)
    .filter(([name, value]) => String(value) !== String(file[name] ?? ''))
    .map(([name, value]) => {
      const inFile = file[name] === undefined ? `does not have ${name}` : `has ${name}=${file[name]}`;
      const effect = name === 'table' ? ' A deployment without it uses another table.' : '';
      const text = `-c ${name}=${value} is for this deployment only: ${stageFile(stage)} ${inFile}.${effect}`;
      return { id: `bugless:override-${name}`, text };
    });
}

const isDevelopmentStage = (stage: string): boolean => /^dev(-|$)/.test(stage);

function parse<T extends z.ZodMiniType>(schema: T, values: unknown, source: string): z.output<T> {
  const result = schema.safeParse(values);
  if (!result.success) {
    throw new ConfigurationError(`${source} is invalid:\n${z.prettifyError(result.error)}`);
  }
  return result.data;
}

/**
 * The known name that a misspelt name most likely stands for. Case, `-` and `_` do not count.
 *
 * @returns undefined when no known name is similar
 */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const requested = withoutSeparators(name);
  const maxDistance = 1 + Math.floor(requested.length / 4);
  return known
    .map((candidate) => ({ candidate, distance: levenshtein(requested, withoutSeparators(candidate)) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance)
    .at(0)?.candidate;
}

const withoutSeparators = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
