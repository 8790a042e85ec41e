import { canBeKey, MAX_KEY_PART_BYTES } from '../dynamodb/keys.ts';
import { errors } from '../errors.ts';
import { characters, hasInvisibleCharacter } from '../text.ts';
import type { UserItem } from './schema.ts';

const MAX_LOGIN_LENGTH = 255;
export const MAX_GROUP_NAME_LENGTH = 255;

/** So that a user takes at most a third of an item. */
export const MAX_GROUPS = 500;
const MAX_EMAIL_LENGTH = 127;
const MIN_PASSWORD_LENGTH = 6;

/** Bugzilla's pattern, without dots at the ends of a part or beside each other. */
const EMAIL = /^[\w+\-=']+(\.[\w+\-=']+)*@[\w-]+(\.[\w-]+)+$/;

/**
 * Checks the login of a user that a client creates; the operator may use others.
 *
 * @throws errors.emailInvalid (400, 501)
 */
export function checkEmail(email: string): void {
  if (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email)) throw errors.emailInvalid(email);
}

/**
 * Checks a password, which is not stored: users have API keys.
 *
 * @throws errors.passwordTooShort (400, 502)
 */
export function checkPassword(password: string): void {
  const given = password.trim();
  if (given !== '' && characters(given) < MIN_PASSWORD_LENGTH) {
    throw errors.passwordTooShort(MIN_PASSWORD_LENGTH);
  }
}

/** A user or group that breaks a rule. */
export class InvalidAccount extends Error {
  override name = 'InvalidAccount';
}

/**
 * The rule that a name breaks: blank, white space at its ends, too long, control or invisible characters. A name that is
 * too long for a key could be stored in other items, but not be found.
 *
 * @param max length in characters
 * @returns a message; undefined when the name is valid
 */
export function nameProblem(name: string, max: number): string | undefined {
  if (name === '' || name.trim() !== name) return 'must not be blank, nor begin or end with white space';
  if (characters(name) > max) return `must have at most ${max} characters`;
  if (!name.isWellFormed() || hasInvisibleCharacter(name)) {
    return 'must not have control characters or invisible characters';
  }
  return canBeKey(name) ? undefined : `must have at most ${MAX_KEY_PART_BYTES} bytes`;
}

/** The rule that a login breaks; undefined when it is valid. */
export function loginProblem(login: string): string | undefined {
  return nameProblem(login, MAX_LOGIN_LENGTH) ?? (/\s/.test(login) ? 'must not have white space' : undefined);
}

/**
 * Checks the fields of a user, but for the groups.
 *
 * @throws InvalidAccount
 */
export function checkUser({ login, real_name, disabled }: Omit<UserItem, 'id' | 'groups'>): void {
  refuse('login', loginProblem(login));
  checkText('real_name', real_name);
  if (disabled === '') throw new InvalidAccount('disabled must give a reason');
  checkText('disabled', disabled ?? '');
}

/** The rule that the name of a group breaks; undefined when it is valid. */
export const groupNameProblem = (name: string): string | undefined =>
  nameProblem(name, MAX_GROUP_NAME_LENGTH);

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
  if (problem !== undefined) throw new InvalidAccount(`${field} ${problem}`);
}
