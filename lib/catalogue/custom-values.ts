import * as z from 'zod';
import { MAX_INTEGER, MAX_TEXT_LENGTH } from '../bugs/change/custom-values.ts';
import { distinctNames } from '../bugs/change/drafts.ts';
import type { CustomKind } from '../bugs/fields/field.ts';
import { EMPTY_VALUES } from '../bugs/fields/registry.ts';
import type { BugItem } from '../bugs/schema.ts';
import { characters } from '../text.ts';
import { anyText, date, givenId, name, time } from './schema-rules.ts';

type CustomValue = BugItem['custom'][string];

/** How the value of a custom field is validated, by its kind. Values that are not legal are kept, as an import has them. */
const RULES: Record<CustomKind, z.ZodType<CustomValue>> = {
  freetext: anyText.refine(
    (given) => characters(given) <= MAX_TEXT_LENGTH,
    `must have at most ${MAX_TEXT_LENGTH} characters`,
  ),
  largetext: anyText,
  dropdown: name(64),
  multiselect: z.array(name(64)).transform(distinctNames),
  datetime: time,
  day: date,
  bugid: givenId,
  integer: z
    .int()
    .min(-MAX_INTEGER)
    .max(MAX_INTEGER - 1),
};

/**
 * Validates the value of a custom field.
 *
 * @param given absent, null, '' and an empty list: none
 * @returns the value as it is stored, undefined where the bug has none; or what is wrong
 */
export function parseCustomValue(
  kind: CustomKind,
  given: unknown,
): { value: CustomValue | undefined } | { problem: string } {
  const isBlank = (given ?? '') === '' || (Array.isArray(given) && given.length === 0);
  if (isBlank || given === EMPTY_VALUES[kind]) return { value: undefined };
  const { data, error } = RULES[kind].safeParse(given);
  return error === undefined ? { value: data } : { problem: error.issues[0]?.message ?? 'is invalid' };
}
