import { type CustomKind, KINDS } from '../bugs/fields/kinds.ts';
import type { BugItem } from '../bugs/schema.ts';
import { SHAPE_RULES } from './schema-bugs.ts';

/**
 * Validates the value of a custom field.
 *
 * @param given absent, null, '' and an empty list: none
 * @returns the value as it is stored, undefined where the bug has none; or what is wrong
 */
export function parseCustomValue(
  kind: CustomKind,
  given: unknown,
): { value: BugItem['custom'][string] | undefined } | { problem: string } {
  const isBlank = (given ?? '') === '' || (Array.isArray(given) && given.length === 0);
  const { empty, shape } = KINDS[kind];
  if (isBlank || given === empty) return { value: undefined };
  const { data, error } = SHAPE_RULES[shape].safeParse(given);
  if (error !== undefined) return { problem: error.issues[0]?.message ?? 'is invalid' };
  return { value: data ?? undefined };
}
