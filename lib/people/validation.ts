import { nameProblem } from '../base/names.ts';
import { bytes, characters, isAllDigits } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { UserItem } from './schema.ts';

export const MAX_LOGIN_LENGTH = 255;
/** In characters. */
export const MAX_REAL_NAME_LENGTH = 255;
const MAX_GROUP_NAME_LENGTH = 255;

/** So that a user, of which each API key has a copy, takes at most two thirds of an item. */
const MAX_GROUPS_BYTES = 100_000;
export const MAX_GROUPS_A_USER = 500;
const MAX_EMAIL_LENGTH = 127;
const MIN_PASSWORD_LENGTH = 6;

/** Bugzilla's pattern, without dots at the ends of a part or beside each other. */
const EMAIL = /^[\w+\-=']+(\.[\w+\-=']+)*@[\w-]+(\.[\w-]+)+$/;

/** Checks the login of a user that a client creates; the operator may use others. */
export function checkEmail(email: string): void {
  if (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email)) throw errors.emailInvalid(email);
}

/** Checks a password, which is not stored: users have API keys. */
export function checkPassword(password: string): void {
  const given = password.trim();
  if (given !== '' && characters(given) < MIN_PASSWORD_LENGTH) {
    throw errors.passwordTooShort(MIN_PASSWORD_LENGTH);
  }
}

/** A user or group that breaks a rule. */
export class InvalidAccount extends Error {
  override name = 'InvalidAccount';
  /** that breaks it */
  readonly field: string;
  /** continues a sentence about the field */
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.field = field;
    this.problem = problem;
  }
}

/** The rule that a login breaks; undefined when it is valid. */
export function loginProblem(login: string): string | undefined {
  return nameProblem(login, MAX_LOGIN_LENGTH) ?? (/\s/.test(login) ? 'must not have white space' : undefined);
}

/**
 * Checks the fields of a user.
 *
 * @throws InvalidAccount
 */
export function checkUser(user: Omit<UserItem, 'id'>): void {
  const { login, real_name, disabled, groups, bless_groups = [] } = user;
  refuse('login', loginProblem(login));
  checkText('real_name', real_name);
  if (disabled === '') throw new InvalidAccount('disabled', 'must give a reason');
  checkText('disabled', disabled ?? '');
  refuse('groups', groupsProblem(groups));
  refuse('bless_groups', groupsProblem(bless_groups));
}

/** The rule that the groups of a user break together; undefined when they are valid. */
export function groupsProblem(groups: readonly string[]): string | undefined {
  const size = groups.reduce((sum, name) => sum + bytes(name), 0);
  return size > MAX_GROUPS_BYTES
    ? `must have names of at most ${MAX_GROUPS_BYTES} bytes together`
    : undefined;
}

/** The rule that the name of a group breaks; undefined when it is valid. A number would be taken for an id. */
export const groupNameProblem = (name: string): string | undefined =>
  nameProblem(name, MAX_GROUP_NAME_LENGTH) ?? (isAllDigits(name) ? 'must not be a number' : undefined);

/** @throws InvalidAccount */
export function checkGroupName(name: string): void {
  refuse('name', groupNameProblem(name));
}

/** The rule that a text other than a name breaks; undefined when it is valid. */
export function textProblem(text: string): string | undefined {
  const isValid = text.isWellFormed() && !/[^\P{Cc}\n\t]/u.test(text);
  return isValid ? undefined : 'must be valid Unicode without control characters';
}

/** @throws InvalidAccount */
export function checkText(field: string, text: string): void {
  refuse(field, textProblem(text));
}

function refuse(field: string, problem: string | undefined): void {
  if (problem !== undefined) throw new InvalidAccount(field, problem);
}
