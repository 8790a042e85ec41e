import { checkName, MAX_NAME_LENGTH } from '../base/names.ts';
import { limitedText, normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { UserRepository } from '../people/repository.ts';
import { checkSortKey } from './validation.ts';

/** A component as a request gives it; what is absent stays. */
export interface GivenComponent {
  name?: string | undefined;
  description?: string | undefined;
  /** logins */
  default_assignee?: string | undefined;
  /** empty: none */
  default_qa_contact?: string | undefined;
  default_cc?: readonly string[] | undefined;
  sort_key?: string | undefined;
  is_open?: boolean | undefined;
}

/** Where the users are whom components name. */
export interface ComponentSources {
  users: Pick<UserRepository, 'byLogins'>;
}

const MAX_COMPONENT_DESCRIPTION_LENGTH = 20_000;
const MAX_LOGINS = 100;

/**
 * Checks a component as Bugzilla does, users before its name; logins get their stored spelling.
 *
 * @returns attributes of the stored component, undefined where nothing is given
 */
export async function checkComponent(users: ComponentSources['users'], given: GivenComponent) {
  const description =
    given.description && limitedText('description', given.description, MAX_COMPONENT_DESCRIPTION_LENGTH);
  if (description !== undefined && trim(description) === '') throw errors.componentDescriptionMissing();
  const [assignee, qaContact] = [given.default_assignee, given.default_qa_contact].map(
    (one) => one && trim(one),
  );
  if (assignee === '') throw errors.componentAssigneeMissing();
  const cc = given.default_cc?.map(trim).filter((login) => login !== '');
  if (cc !== undefined && cc.length > MAX_LOGINS) {
    throw errors.requestTooLarge(`at most ${MAX_LOGINS} users on the default CC`);
  }
  const known = await users.byLogins(
    [...(cc ?? []), assignee ?? '', qaContact ?? ''].filter((one) => one !== ''),
  );
  const spelled = (login: string, unknown: (login: string) => Error): string => {
    const user = known.get(normalizeName(login));
    if (user === undefined) throw unknown(login);
    return user.login;
  };
  return {
    description,
    // An unknown user of the list is named first.
    default_cc: cc && [...new Set(cc.map((login) => spelled(login, errors.ccUnknown)))],
    default_assigned_to: assignee && spelled(assignee, errors.userUnknown),
    default_qa_contact: qaContact && spelled(qaContact, errors.userUnknown),
    name:
      given.name === undefined
        ? undefined
        : checkName('name', given.name, MAX_NAME_LENGTH, {
            blank: errors.componentNameMissing,
            tooLong: () => errors.componentNameTooLong(MAX_NAME_LENGTH),
          }),
    sort_key: given.sort_key === undefined ? undefined : checkSortKey(given.sort_key),
    is_active: given.is_open,
  };
}
