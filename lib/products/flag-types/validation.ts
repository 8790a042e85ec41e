import { checkName, nameProblem } from '../../base/names.ts';
import { characters, limitedText, trim } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { UserRepository } from '../../people/repository.ts';
import { checkEmail } from '../../people/validation.ts';
import { type FlagTypeItem, MAX_FLAG_TYPE_NAME_LENGTH } from '../schema.ts';
import type { FlagTypeUpdate } from './requests.ts';

export type CheckedFields = Partial<
  Omit<FlagTypeItem, 'id' | 'target' | 'components' | 'excluded_components'>
>;

/** The fields of a new flag type that are not given. */
export const FLAG_TYPE_DEFAULTS = {
  description: '',
  sort_key: 1,
  is_active: true,
  is_requestable: true,
  is_requesteeble: true,
  is_multiplicable: true,
  cc_list: [],
  grant_group: null,
  request_group: null,
  components: null,
} satisfies Partial<FlagTypeItem>;

/** What separates flags in texts. */
const SEPARATOR = /[\s,]/;
const MAX_FLAG_TYPE_DESCRIPTION_LENGTH = 10_000;
const MAX_CC_LENGTH = 200;
const MAX_FLAG_TYPE_SORT_KEY = 32_767;

/** The fields of a flag type that a request gives, as they are stored. */
export async function checkFields(
  given: FlagTypeUpdate,
  users: Pick<UserRepository, 'groups'>,
): Promise<CheckedFields> {
  const fields: CheckedFields = {};
  if (given.name !== undefined) fields.name = checkFlagTypeName(given.name);
  if (given.description !== undefined) {
    fields.description = limitedText('description', given.description, MAX_FLAG_TYPE_DESCRIPTION_LENGTH);
  }
  if (given.cc_list !== undefined) fields.cc_list = checkCc(given.cc_list);
  if (given.sortkey !== undefined) fields.sort_key = checkSortKey(given.sortkey);
  if (given.is_active !== undefined) fields.is_active = given.is_active;
  if (given.is_requestable !== undefined) fields.is_requestable = given.is_requestable;
  if (given.is_multiplicable !== undefined) fields.is_multiplicable = given.is_multiplicable;
  if (given.is_specifically_requestable !== undefined) {
    fields.is_requesteeble = given.is_specifically_requestable;
  }
  if (given.grant_group !== undefined) fields.grant_group = await groupNamed(given.grant_group, users);
  if (given.request_group !== undefined) fields.request_group = await groupNamed(given.request_group, users);
  return fields;
}

function checkFlagTypeName(given: string): string {
  const invalid = (name: string) => errors.flagTypeNameInvalid(name, MAX_FLAG_TYPE_NAME_LENGTH);
  const name = checkName('name', given, MAX_FLAG_TYPE_NAME_LENGTH, {
    blank: invalid,
    tooLong: invalid,
    invisible: invalid,
  });
  if (SEPARATOR.test(name)) throw invalid(name);
  return name;
}

/** The rule that the name of a flag type in a catalogue breaks; undefined when it is valid. */
export const flagTypeNameProblem = (name: string): string | undefined =>
  nameProblem(name, MAX_FLAG_TYPE_NAME_LENGTH) ??
  (SEPARATOR.test(name) ? 'must not have white space or commas' : undefined);

function checkCc(given: string): string[] {
  if (characters(given) > MAX_CC_LENGTH) throw errors.flagTypeCcTooLong(MAX_CC_LENGTH);
  const addresses = given.split(/[,\s]+/).filter((address) => address !== '');
  for (const address of addresses) checkEmail(address);
  return addresses;
}

function checkSortKey(given: string): number {
  const sortKey = /^\d{1,5}$/.test(given.trim()) ? Number(given) : -1;
  if (sortKey < 0 || sortKey > MAX_FLAG_TYPE_SORT_KEY) throw errors.sortKeyInvalid(given);
  return sortKey;
}

async function groupNamed(
  given: string,
  users: Pick<UserRepository, 'groups'>,
): Promise<FlagTypeItem['grant_group']> {
  const name = trim(given);
  if (name === '') return null;
  const [group] = await users.groups([name]);
  if (group === undefined) throw errors.groupUnknown(given);
  return { id: group.id, name: group.name };
}
