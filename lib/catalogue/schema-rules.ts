import * as z from 'zod';
import { MAX_NAME_LENGTH, nameProblem } from '../base/names.ts';
import { MAX_HOURS, parseTime } from '../base/time.ts';
import { checkTag } from '../bugs/comment-tags/validation.ts';
import { textProblem as bugTextProblem, summaryProblem } from '../bugs/validation.ts';
import { groupNameProblem, loginProblem, textProblem } from '../people/validation.ts';
import { flagTypeNameProblem } from '../products/flag-types/validation.ts';
import { templateProblem } from '../products/validation.ts';

/** Bugzilla's ids have 32 bits. */
const MAX_ID = 2_147_483_647;

// The rules of values that several kinds of entries of a catalogue have.

export const givenId = z.int().min(1).max(MAX_ID);
export const id = givenId.optional();
/** The problem of a bug, or of what belongs to it, that has no id. */
export const NO_ID = 'is missing';
/** The id of one of these. */
export const ownId = z
  .int({ error: ({ input }) => (input === undefined ? NO_ID : undefined) })
  .min(1)
  .max(MAX_ID);

/** A string that a rule accepts. */
const ruled = (problemOf: (given: string) => string | undefined) =>
  z.string().superRefine((given, context) => {
    const message = problemOf(given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export const name = (max = MAX_NAME_LENGTH) => ruled((given) => nameProblem(given, max));
export const groupName = ruled(groupNameProblem);
export const flagTypeName = ruled(flagTypeNameProblem);
export const login = ruled(loginProblem);
export const loginOrEmpty = ruled((given) => (given === '' ? undefined : loginProblem(given)));
export const text = ruled(textProblem);
const unicodeProblem = (given: string) => (given.isWellFormed() ? undefined : 'must be valid Unicode');
export const anyText = ruled(unicodeProblem);
export const descriptionTemplate = ruled((given) => unicodeProblem(given) ?? templateProblem(given));
export const bugSummary = ruled((given) => unicodeProblem(given) ?? summaryProblem(given));
export const bugText = ruled((given) => unicodeProblem(given) ?? bugTextProblem(given));

export const time = z.string().transform((given, context) => {
  const parsed = parseTime(given);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a time, such as 2024-01-31T12:00:00Z' });
  return z.NEVER;
});

export const tag = ruled((given) => {
  try {
    checkTag(given);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'is not a tag';
  }
});

export const sortKey = z.int().optional();
export const boolean = z.boolean().optional();

/** Hours within the limits of the interface. DynamoDB stores no fractions of any size. */
export const hours = (min: number) =>
  z
    .number()
    .min(min)
    .max(MAX_HOURS)
    .transform((given) => Number(given.toFixed(6)) + 0);

const DATE = 'must be a date, as 2024-01-31 is';
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, DATE)
  .refine((given) => parseTime(given) !== undefined, DATE);
