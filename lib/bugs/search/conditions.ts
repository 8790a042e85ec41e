import { errors } from '../../errors.ts';
import { parseTime } from '../../time.ts';
import type { BugField } from '../fields/field.ts';
import type { BugFields } from '../fields/registry.ts';
import type { LegalValues } from '../values.ts';
import { canonical, decimalNumber, foldCase } from './compare.ts';
import { CHANGE_OPERATORS, EMPTINESS_OPERATORS, isOperator, isOrdered, valuesTest } from './operators.ts';
import { type SearchField, searchField } from './search-fields.ts';
import type { SearchWork } from './search-work.ts';
import type { SearchedBug } from './searched-bug.ts';
import { parseRelativeTime } from './times.ts';

/** A condition on one field. */
export interface FieldCondition {
  field: string;
  operator: string;
  /** what to compare with; several: one of them, each as it is */
  given: string | readonly string[];
  isCostly: boolean;
  test(searched: SearchedBug): boolean | Promise<boolean>;
  /** the same test of values that are known without a bug; absent: it looks at more than values */
  testValues?(values: readonly string[]): boolean;
  /** the values that it tests */
  values?: SearchField['read'];
}

/** What a bug has to meet. */
export type Condition =
  | FieldCondition
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: Condition };

/** What conditions are read with. */
export interface SearchContext {
  fields: BugFields;
  now: Date;
  /** the caller's login; '' for anonymous callers */
  login: string;
  legal: LegalValues;
  isTimeTracker: boolean;
  isInsider: boolean;
  /** counts what the conditions of the search compute */
  work: SearchWork;
}

/** The condition that every bug meets. */
export const ANYTHING: Condition = { all: [] };

/**
 * A condition on a field.
 *
 * @param field its internal name
 * @param given what to compare with; a list: one of them, each as it is
 * @returns undefined when there is nothing to compare with: then there is no condition
 * @throws errors.fieldUnknown (400, 108), errors.operatorUnknown, errors.searchUnsupported, errors.pronounUnknown
 * errors.patternInvalid, errors.patternTooComplex, errors.searchTooLong (400, 32000), errors.timeNotRecognized (400, 56), errors.numberNotNumeric (400, 52)
 */
export function fieldCondition(
  name: string,
  operator: string,
  given: string | readonly string[],
  context: SearchContext,
): Condition | undefined {
  const field = context.fields.named(name);
  if (field?.id === undefined || (field.visibleTo === 'timetrackers' && !context.isTimeTracker)) {
    throw errors.fieldUnknown(name);
  }
  if (!isOperator(operator)) throw errors.operatorUnknown(operator);
  if (field.visibleTo === 'insiders' && !context.isInsider) throw errors.searchUnsupported(name);
  if (CHANGE_OPERATORS.has(operator)) return changeCondition(field, operator, textOf(given), context);
  const reader = searchField(field);
  if (reader === undefined) throw errors.searchUnsupported(name);
  if (!isFit(field, reader, operator)) throw errors.searchUnsupported(operator);
  const about = { field: name, operator, given, isCostly: reader.isCostly };
  // A pronoun is compared in its own way, whatever the operator.
  const hasPronouns = reader.kind === 'person' && name !== 'attachments.submitter';
  const pronoun = hasPronouns ? pronounIn(given) : undefined;
  if (pronoun === '%user%') {
    if (context.login === '') throw errors.loginRequired();
    return fieldCondition(name, operator.startsWith('no') ? 'notequals' : 'equals', context.login, context);
  }
  if (pronoun !== undefined) return { ...about, test: pronounTest(reader, operator, pronoun, context) };

  const compared = EMPTINESS_OPERATORS.has(operator)
    ? given
    : readGiven(field, reader, operator, given, context);
  const testValues = valuesTest(operator, compared, reader.kind, reader.isByValue, context.work);
  if (testValues === undefined) return undefined;
  const values =
    field.kind === 'integer' && EMPTINESS_OPERATORS.has(operator) ? withoutZero(reader) : reader.read;
  return {
    ...about,
    given: compared,
    testValues,
    values,
    test: (searched) => {
      const found = values(searched);
      return found instanceof Promise ? found.then(testValues) : testValues(found);
    },
  };
}

/** Whether an operator can be used with a field: phrases are sought in texts, and flags of attachments are never empty. */
function isFit({ derived, kind }: BugField, reader: SearchField, operator: string): boolean {
  if (operator === 'matches' || operator === 'notmatches') return reader.kind === 'text';
  return !EMPTINESS_OPERATORS.has(operator) || kind !== 'flag' || !derived?.startsWith('attachments.');
}

/** Integers that are 0 are empty. */
const withoutZero =
  ({ read }: SearchField): SearchField['read'] =>
  (searched) => {
    const values = read(searched);
    return values instanceof Promise ? values : values.filter((value) => value !== '0');
  };

const textOf = (given: string | readonly string[]): string =>
  typeof given === 'string' ? given : given.join(',');

/** Times are compared in the form that bugs show; numbers have to be some. */
function readGiven(
  { name: field, custom }: BugField,
  { kind }: SearchField,
  operator: string,
  given: string | readonly string[],
  { now }: SearchContext,
): string | readonly string[] {
  if (field === 'resolution' && operator === 'anyexact') return [given].flat().map(withoutDashes);
  if (!isOrdered(operator)) return given;
  const text = textOf(given);
  if (kind === 'number' && decimalNumber(text) === undefined) {
    throw errors.numberNotNumeric(field, text);
  }
  if (kind !== 'time' && kind !== 'date') return text;
  // Bugzilla does not check the dates of custom fields.
  if (custom !== undefined && parseTime(text) === undefined) return text;
  return readTime(field, text, now).slice(0, kind === 'date' ? 'YYYY-MM-DD'.length : undefined);
}

/** An open bug's resolution as Bugzilla shows it. */
const withoutDashes = (resolution: string): string => (resolution === '---' ? '' : resolution);

function readTime(field: string, text: string, now: Date): string {
  const time = parseRelativeTime(text, now) ?? parseTime(text);
  if (time === undefined) throw errors.timeNotRecognized(field, text);
  return time;
}

/** People who are only known with the bug. */
const PRONOUNS: ReadonlyMap<string, (searched: SearchedBug) => string> = new Map([
  ['%reporter%', ({ bug }) => bug.reporter],
  ['%assignee%', ({ bug }) => bug.assigned_to],
  ['%qacontact%', ({ bug }) => bug.qa_contact],
]);

function pronounIn(given: string | readonly string[]): string | undefined {
  const text = textOf(given).trim();
  return /^%[\w.]+%$/.test(text) ? text : undefined;
}

function pronounTest(
  field: SearchField,
  operator: string,
  pronoun: string,
  { work }: SearchContext,
): FieldCondition['test'] {
  work.countComparisons(1);
  const person = PRONOUNS.get(pronoun);
  if (person === undefined) throw errors.pronounUnknown(pronoun);
  const isNegative = operator.startsWith('no');
  return async (searched) => {
    const values = await field.read(searched);
    const expected = canonical('person', person(searched));
    return values.some((value) => canonical('person', value) === expected) !== isNegative;
  };
}

/** A condition on the history of a field: that it changed so, by someone, before or after a time. */
function changeCondition(
  { name, rest }: BugField,
  operator: string,
  given: string,
  { now, login, work }: SearchContext,
): FieldCondition {
  work.countComparisons(1);
  const about = { field: name, operator, given, isCostly: true };
  const isTimed = operator === 'changedafter' || operator === 'changedbefore';
  const time = isTimed ? readTime(name, given, now) : '';
  const isThen = (when: string) => (operator === 'changedafter' ? when >= time : when <= time);
  if (isTimed && name === 'creation_ts') {
    return { ...about, isCostly: false, test: ({ bug }) => isThen(bug.creation_time) };
  }
  if (name === 'longdesc') {
    if (operator === 'changedfrom' || operator === 'changedto') throw errors.searchUnsupported(operator);
    const isBy = (creator: string) => foldCase(creator) === foldCase(personOf(given, login));
    return {
      ...about,
      test: async (searched) =>
        (await searched.comments()).some((one) => (isTimed ? isThen(one.creation_time) : isBy(one.creator))),
    };
  }
  return {
    ...about,
    test: async (searched) =>
      (await searched.history()).some(({ when, who, changes }) => {
        const change = changes.find(({ field_name }) => field_name === rest || field_name === name);
        if (change === undefined) return false;
        if (isTimed) return isThen(when);
        if (operator === 'changedby') return foldCase(who) === foldCase(personOf(given, login));
        return foldCase(operator === 'changedfrom' ? change.removed : change.added) === foldCase(given);
      }),
  };
}

const personOf = (given: string, login: string): string => (given === '%user%' ? login : given.trim());

const isCostly = (condition: Condition): boolean => {
  if ('all' in condition) return condition.all.some(isCostly);
  if ('any' in condition) return condition.any.some(isCostly);
  return 'not' in condition ? isCostly(condition.not) : condition.isCostly;
};

/** What the bug itself decides is looked at before what takes further reads. */
const cheapFirst = (conditions: readonly Condition[]): Condition[] => [
  ...conditions.filter((one) => !isCostly(one)),
  ...conditions.filter(isCostly),
];

/** Whether a bug meets a condition. */
export async function meets(condition: Condition, searched: SearchedBug): Promise<boolean> {
  if ('not' in condition) return !(await meets(condition.not, searched));
  if ('all' in condition) {
    for (const one of cheapFirst(condition.all)) if (!(await meets(one, searched))) return false;
    return true;
  }
  if ('any' in condition) {
    for (const one of cheapFirst(condition.any)) if (await meets(one, searched)) return true;
    return false;
  }
  return condition.test(searched);
}
