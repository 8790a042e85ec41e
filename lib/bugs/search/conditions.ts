import { errors } from '../../errors.ts';
import { parseTime } from '../../time.ts';
import { type FieldName, fieldNamed, isTimeField } from '../fields.ts';
import type { LegalValues } from '../values.ts';
import { canonical, decimalNumber, foldCase } from './compare.ts';
import { CHANGE_OPERATORS, EMPTINESS_OPERATORS, isOperator, isOrdered, valuesTest } from './operators.ts';
import { type SearchField, searchField } from './search-fields.ts';
import type { SearchWork } from './search-work.ts';
import type { Subject } from './subject.ts';
import { parseRelativeTime } from './times.ts';

/** A condition on one field. */
export interface FieldCondition {
  field: FieldName;
  operator: string;
  /** what to compare with; several: one of them, each as it is */
  given: string | readonly string[];
  isCostly: boolean;
  test(subject: Subject): boolean | Promise<boolean>;
  /** the same test of values that are known without a bug; absent: it looks at more than values */
  testValues?(values: readonly string[]): boolean;
}

/** What a bug has to meet. */
export type Condition =
  | FieldCondition
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: Condition };

/** What conditions are read with. */
export interface SearchContext {
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
  const field = fieldNamed(name)?.name;
  if (field === undefined || (isTimeField(name) && !context.isTimeTracker)) throw errors.fieldUnknown(name);
  // A pronoun is compared in its own way, whatever the operator.
  if (!isOperator(operator)) throw errors.operatorUnknown(operator);
  if (field === 'longdescs.isprivate' && !context.isInsider) throw errors.searchUnsupported(name);
  if (CHANGE_OPERATORS.has(operator)) return changeCondition(field, operator, textOf(given), context);
  const searched = searchField(field);
  if (searched === undefined) throw errors.searchUnsupported(name);
  const about = { field, operator, given, isCostly: searched.isCostly };
  const pronoun = searched.kind === 'person' ? pronounIn(given) : undefined;
  if (pronoun === '%user%') {
    if (context.login === '') throw errors.loginRequired();
    return fieldCondition(name, operator.startsWith('no') ? 'notequals' : 'equals', context.login, context);
  }
  if (pronoun !== undefined) return { ...about, test: pronounTest(searched, operator, pronoun, context) };

  const compared = EMPTINESS_OPERATORS.has(operator)
    ? given
    : readGiven(field, searched, operator, given, context);
  const testValues = valuesTest(operator, compared, searched.kind, searched.isByValue, context.work);
  if (testValues === undefined) return undefined;
  return {
    ...about,
    given: compared,
    testValues,
    test: (subject) => {
      const values = searched.read(subject);
      return values instanceof Promise ? values.then(testValues) : testValues(values);
    },
  };
}

const textOf = (given: string | readonly string[]): string =>
  typeof given === 'string' ? given : given.join(',');

/** Times are compared in the form that bugs show; numbers have to be some. */
function readGiven(
  field: FieldName,
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
  return readTime(field, text, now).slice(0, kind === 'date' ? 'YYYY-MM-DD'.length : undefined);
}

/** An open bug's resolution as Bugzilla shows it. */
const withoutDashes = (resolution: string): string => (resolution === '---' ? '' : resolution);

function readTime(field: FieldName, text: string, now: Date): string {
  const time = parseRelativeTime(text, now) ?? parseTime(text);
  if (time === undefined) throw errors.timeNotRecognized(field, text);
  return time;
}

/** People who are only known with the bug. */
const PRONOUNS: ReadonlyMap<string, (subject: Subject) => string> = new Map([
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
  return async (subject) => {
    const values = await field.read(subject);
    const expected = canonical('person', person(subject));
    return values.some((value) => canonical('person', value) === expected) !== isNegative;
  };
}

/** A condition on the history of a field: that it changed so, by someone, before or after a time. */
function changeCondition(
  field: FieldName,
  operator: string,
  given: string,
  { now, login, work }: SearchContext,
): FieldCondition {
  work.countComparisons(1);
  const about = { field, operator, given, isCostly: true };
  const isTimed = operator === 'changedafter' || operator === 'changedbefore';
  const time = isTimed ? readTime(field, given, now) : '';
  const isThen = (when: string) => (operator === 'changedafter' ? when >= time : when <= time);
  if (isTimed && field === 'creation_ts') {
    return { ...about, isCostly: false, test: ({ bug }) => isThen(bug.creation_time) };
  }
  if (field === 'longdesc') {
    if (operator === 'changedfrom' || operator === 'changedto') throw errors.searchUnsupported(operator);
    const isBy = (creator: string) => foldCase(creator) === foldCase(personOf(given, login));
    return {
      ...about,
      test: async (subject) =>
        (await subject.comments()).some((one) => (isTimed ? isThen(one.creation_time) : isBy(one.creator))),
    };
  }
  const rest = fieldNamed(field)?.rest;
  return {
    ...about,
    test: async (subject) =>
      (await subject.history()).some(({ when, who, changes }) => {
        const change = changes.find(({ field_name }) => field_name === rest);
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
export async function meets(condition: Condition, subject: Subject): Promise<boolean> {
  if ('not' in condition) return !(await meets(condition.not, subject));
  if ('all' in condition) {
    for (const one of cheapFirst(condition.all)) if (!(await meets(one, subject))) return false;
    return true;
  }
  if ('any' in condition) {
    for (const one of cheapFirst(condition.any)) if (await meets(one, subject)) return true;
    return false;
  }
  return condition.test(subject);
}
