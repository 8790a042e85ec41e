import { checkName, MAX_NAME_LENGTH } from '../base/names.ts';
import { limitedText, normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { UserRepository } from '../people/repository.ts';
import {
  COMPONENT_FIELDS,
  type ComponentField,
  type ComponentParameter,
  type ComponentValue,
} from './component-fields.ts';
import { checkSortKey } from './validation.ts';

/** A component as a request gives it, the fields of the registry by their parameters; what is absent stays. */
export interface GivenComponent {
  name?: string | undefined;
  sort_key?: string | undefined;
  is_open?: boolean | undefined;
  fields: Readonly<Partial<Record<ComponentParameter, ComponentValue | undefined>>>;
}

const MAX_COMPONENT_DESCRIPTION_LENGTH = 20_000;
const MAX_LOGINS = 100;

/**
 * Checks a component as Bugzilla does, users before its name; logins get their stored spelling.
 *
 * @returns attributes of the stored component
 */
export async function checkComponent(
  users: Pick<UserRepository, 'byLogins'>,
  given: GivenComponent,
): Promise<Record<string, unknown>> {
  const values = COMPONENT_FIELDS.flatMap((field) => {
    const value = given.fields[field.parameter];
    return value === undefined ? [] : [{ field, value: checkValue(field, value) }];
  });
  // An unknown user of a list is named first.
  const people = values.filter(({ field }) => field.kind !== 'text').sort(listsFirst);
  const known = await users.byLogins(people.flatMap(({ value }) => value));
  const spelled = (login: string, unknown: (login: string) => Error): string => {
    const user = known.get(normalizeName(login));
    if (user === undefined) throw unknown(login);
    return user.login;
  };
  const checked: Record<string, unknown> = Object.fromEntries(
    values.map(({ field, value }) => [field.name, value]),
  );
  for (const { field, value } of people) {
    if (typeof value !== 'string') {
      checked[field.name] = [...new Set(value.map((login) => spelled(login, errors.ccUnknown)))];
    } else if (value !== '') checked[field.name] = spelled(value, errors.userUnknown);
  }
  if (given.name !== undefined) {
    checked['name'] = checkName('name', given.name, MAX_NAME_LENGTH, {
      blank: errors.componentNameMissing,
      tooLong: () => errors.componentNameTooLong(MAX_NAME_LENGTH),
    });
  }
  if (given.sort_key !== undefined) checked['sort_key'] = checkSortKey(given.sort_key);
  if (given.is_open !== undefined) checked['is_active'] = given.is_open;
  return checked;
}

/** What can be said of a value without looking a user up. */
function checkValue({ kind, name }: ComponentField, value: ComponentValue): ComponentValue {
  if (typeof value !== 'string') {
    const logins = value.map(trim).filter((login) => login !== '');
    if (logins.length > MAX_LOGINS) {
      throw errors.requestTooLarge(`at most ${MAX_LOGINS} users on the default CC`);
    }
    return logins;
  }
  const trimmed = trim(value);
  if (kind === 'text') {
    if (trimmed === '') throw errors.componentDescriptionMissing();
    return limitedText(name, value, MAX_COMPONENT_DESCRIPTION_LENGTH);
  }
  if (kind === 'login' && trimmed === '') throw errors.componentAssigneeMissing();
  return trimmed;
}

const listsFirst = (one: { value: ComponentValue }, other: { value: ComponentValue }): number =>
  Number(typeof one.value === 'string') - Number(typeof other.value === 'string');
