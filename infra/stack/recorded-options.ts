import * as z from 'zod/mini';
import type { DeployedTemplate } from '../deployed-template.ts';
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

/** The options in a deployed template. */
export const optionsOfTemplate = ({ Metadata }: DeployedTemplate): RecordedOptions =>
  z._default(z.record(z.string(), z.string()), {}).parse(Metadata[OPTIONS_METADATA]);

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
