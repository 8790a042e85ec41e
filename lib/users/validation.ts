import { canBeKey, MAX_KEY_PART_BYTES } from '../dynamodb/keys.ts';
import { characters, hasInvisibleCharacter } from '../text.ts';
import type { UserItem } from './schema.ts';

const MAX_LOGIN_LENGTH = 255;
export const MAX_GROUP_NAME_LENGTH = 255;

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

/** @throws InvalidAccount */
function checkLogin(login: string): void {
  refuse('login', loginProblem(login));
}

/**
 * Checks the fields of a user, but for the groups.
 *
 * @throws InvalidAccount
 */
export function checkUser({ login, real_name, disabled }: Omit<UserItem, 'id' | 'groups'>): void {
  checkLogin(login);
  checkText('real_name', real_name);
  checkDisabled(disabled);
}

/** @throws InvalidAccount */
export function checkGroupName(name: string): void {
  refuse('name', nameProblem(name, MAX_GROUP_NAME_LENGTH));
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

/**
 * Checks why a user is disabled; undefined: the user is not.
 *
 * @throws InvalidAccount
 */
function checkDisabled(reason: string | undefined): void {
  if (reason === '') throw new InvalidAccount('disabled must give a reason');
  checkText('disabled', reason ?? '');
}

function refuse(field: string, problem: string | undefined): void {
  if (problem !== undefined) throw new InvalidAccount(`${field} ${problem}`);
}
