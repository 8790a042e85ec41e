import * as z from 'zod/mini';
import { type DeployedTemplate, settingsOfTemplate } from '../deployed-template.ts';
import { settingNames } from './configuration-schema.ts';
import type { Values } from './stage-file.ts';

/**
 * The options that a stack is deployed with, as its template keeps them: values as texts by names, those in a list or an object by
 * names such as `mail.from` and `webhooks.jira`.
 */
export type RecordedOptions = Readonly<Record<string, string>>;

/** The key in the metadata of the template. */
export const OPTIONS_METADATA = 'BuglessOptions';

const namedList = z.array(z.object({ name: z.string() }));
const anyObject = z.record(z.string(), z.unknown());

/** @returns of webhooks the names only: their URLs may have secrets */
export const recordedOptions = (values: Values): RecordedOptions =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => entriesOf(name, value)));

function entriesOf(name: string, value: unknown): [string, string][] {
  const list = namedList.safeParse(value);
  if (list.success) return list.data.map((one) => [`${name}.${one.name}`, '']);
  const object = anyObject.safeParse(value);
  if (!object.success) return [[name, String(value)]];
  return Object.entries(object.data).map(([key, inner]) => [`${name}.${key}`, String(inner)]);
}

/** The options in a deployed template; for one of a version that kept none, those that its resources show. */
export function optionsOfTemplate(template: DeployedTemplate): RecordedOptions {
  const kept = z.record(z.string(), z.string()).safeParse(template.Metadata[OPTIONS_METADATA]);
  return kept.success ? kept.data : optionsOfResources(template);
}

const BUS = 'AWS::Events::EventBus';
/** Types of resources that there are with these options only. */
const OPTIONS_OF_TYPES: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::DomainName': ['domain', 'certificate'],
  'AWS::SNS::Subscription': ['alarmEmail'],
  'AWS::Budgets::Budget': ['monthlyBudget'],
  'AWS::Events::ApiDestination': ['webhooks'],
};
const typed = z.object({ Type: z.string() });

function optionsOfResources(template: DeployedTemplate): RecordedOptions {
  const {
    TABLE_NAME,
    LEFT_OUT_GROUPS = '',
    READ_ONLY,
    MAIL_FROM,
    ...settings
  } = settingsOfTemplate(template);
  const types = Object.values(template.Resources).map((resource) => typed.parse(resource).Type);
  const names = types.flatMap((type) => OPTIONS_OF_TYPES[type] ?? []);
  const isImplied = MAIL_FROM !== undefined || names.includes('webhooks');
  return recordedOptions({
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => settingNames.includes(name))),
    ...Object.fromEntries(names.map((name) => [name, ''])),
    ...Object.fromEntries(LEFT_OUT_GROUPS.split(',').flatMap((name) => (name === '' ? [] : [[name, false]]))),
    ...(TABLE_NAME === undefined ? {} : { table: TABLE_NAME }),
    ...(READ_ONLY === undefined ? {} : { readOnly: READ_ONLY }),
    ...(MAIL_FROM === undefined ? {} : { mail: { from: MAIL_FROM } }),
    ...(types.includes(BUS) && !isImplied ? { events: true } : {}),
  });
}

/**
 * The names of options that a deployment would take from its stack, and `REQUIRE_LOGIN` where it would make public what was not.
 *
 * @param allowed names for which that is meant; `mail` is all in it
 */
export function takenOptions(
  deployed: RecordedOptions,
  given: RecordedOptions,
  allowed: readonly string[],
): string[] {
  const names = Object.keys(given);
  const isGiven = (name: string) => names.some((one) => one === name || one.startsWith(`${name}.`));
  const opens = (name: string) => name === LOGIN && isTrue(deployed[LOGIN]) && !isTrue(given[LOGIN]);
  const isAllowed = (name: string) => allowed.includes(name) || allowed.includes(name.split('.')[0] ?? '');
  return Object.keys(deployed).filter((name) => (!isGiven(name) || opens(name)) && !isAllowed(name));
}

const LOGIN = 'REQUIRE_LOGIN';
const isTrue = (value: string | undefined): boolean => value === 'true' || value === '1';
