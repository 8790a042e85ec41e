import { limitedText } from '../base/limited-text.ts';
import { checkName, MAX_NAME_LENGTH } from '../base/names.ts';
import { normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { UserRepository } from '../people/repository.ts';
import type { ComponentItem } from './schema.ts';
import { checkSortKey } from './validation.ts';

/** Fields of a component as a request gives them; absent ones stay. */
export interface GivenComponent {
  name?: string | undefined;
  description?: string | undefined;
  default_assignee?: string | undefined;
  default_qa_contact?: string | undefined;
  default_cc?: readonly string[] | undefined;
  sort_key?: string | undefined;
  is_open?: boolean | undefined;
}

const MAX_DESCRIPTION_LENGTH = 20_000;
const MAX_CC = 100;

/** Checks fields of a component in Bugzilla's order; logins get their stored spelling. */
export async function checkComponentFields(
  users: Pick<UserRepository, 'byLogins'>,
  given: GivenComponent,
): Promise<Partial<Omit<ComponentItem, 'id'>>> {
  const fields: Partial<Omit<ComponentItem, 'id'>> = {};
  if (given.description !== undefined) fields.description = checkDescription(given.description);
  const assignee = given.default_assignee === undefined ? undefined : trim(given.default_assignee);
  if (assignee === '') throw errors.componentAssigneeMissing();
  const qaContact = given.default_qa_contact === undefined ? undefined : trim(given.default_qa_contact);
  const cc = given.default_cc?.map(trim).filter((login) => login !== '');
  if (cc !== undefined && cc.length > MAX_CC) {
    throw errors.requestTooLarge(`at most ${MAX_CC} users on the default CC`);
  }
  const known = await users.byLogins([assignee ?? '', qaContact ?? '', ...(cc ?? [])]);
  const spelled = (login: string, unknown = errors.userUnknown): string => {
    const user = known.get(normalizeName(login));
    if (user === undefined) throw unknown(login);
    return user.login;
  };
  if (cc !== undefined) {
    fields.default_cc = [...new Set(cc.map((login) => spelled(login, errors.ccUnknown)))];
  }
  if (assignee !== undefined) fields.default_assigned_to = spelled(assignee);
  if (qaContact !== undefined) fields.default_qa_contact = qaContact === '' ? '' : spelled(qaContact);
  if (given.name !== undefined) {
    fields.name = checkName('name', given.name, MAX_NAME_LENGTH, {
      blank: errors.componentNameMissing,
      tooLong: () => errors.componentNameTooLong(MAX_NAME_LENGTH),
    });
  }
  if (given.sort_key !== undefined) fields.sort_key = checkSortKey(given.sort_key);
  if (given.is_open !== undefined) fields.is_active = given.is_open;
  return fields;
}

function checkDescription(given: string): string {
  if (trim(given) === '') throw errors.componentDescriptionMissing();
  return limitedText('description', given, MAX_DESCRIPTION_LENGTH);
}
