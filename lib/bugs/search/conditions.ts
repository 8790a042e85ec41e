import { soughtWords } from '../../comments/words.ts';
import { errors } from '../../errors.ts';
import { parseTime } from '../../time.ts';
import type { BugField } from '../fields/field.ts';
import type { BugFields } from '../fields/registry.ts';
import type { IndexedBug } from '../index-entry.ts';
import type { BugItem } from '../schema.ts';
import type { LegalValues } from '../values.ts';
import { canonical, decimalNumber, foldCase } from './compare.ts';
import type { NamedPeople } from './named-people.ts';
import {
  CHANGE_OPERATORS,
  compares,
  EMPTINESS_OPERATORS,
  isNegative,
  isOperator,
  isOrdered,
  operandsOf,
  valuesTest,
} from './operators.ts';
import type { OwnVisits } from './own-visits.ts';
import { type SearchField, searchField } from './search-fields.ts';
import type { SearchWork } from './search-work.ts';
import type { CoveredBug, SearchedBug } from './searched-bug.ts';
import { parseRelativeTime } from './times.ts';
import { type Needles, needlesOf } from './word-claims.ts';

/** A condition on one field. */
export interface FieldCondition {
  field: string;
  operator: string;
  /** what to compare with; several: one of them, each as it is */
  given: string | readonly string[];
  isCostly: boolean;
  test(searched: SearchedBug): boolean | Promise<boolean>;
  /** the same from the search index; undefined, or absent: it does not tell */
  testEntry?: (covered: CoveredBug) => boolean | undefined;
  /** the words that the comments of a bug must have to meet it */
  needles?: Needles | undefined;
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
  /** who is named by conditions */
  people: NamedPeople;
  /** which bugs the caller visited */
  visits: OwnVisits;
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
 * @throws errors.fieldUnknown (400, 108), errors.operatorUnknown, errors.searchUnsupported, errors.pronounUnknown,
 * errors.searchDenied (401, 304), errors.patternInvalid, errors.patternTooComplex, errors.searchTooLong (400, 32000), errors.timeNotRecognized (400, 56), errors.numberNotNumeric (400, 52)
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
  if (field.visibleTo === 'insiders' && !context.isInsider) throw errors.searchDenied(name);
  if (field.derived === 'last_visit') {
    context.visits.require();
    if (CHANGE_OPERATORS.has(operator)) throw errors.searchUnsupported(operator);
    if (textOf(given).trim() === '%last_changed%') return visitCondition(operator, context);
  }
  if (CHANGE_OPERATORS.has(operator)) return changeCondition(field, operator, textOf(given), context);
  if (name === 'owner_idle_time') return idleCondition(operator, textOf(given), context);
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
  if (pronoun !== undefined) return { ...about, ...pronounTests(reader, operator, pronoun, context) };

  const compared = EMPTINESS_OPERATORS.has(operator)
    ? given
    : readGiven(field, reader, operator, given, context);
  const testValues = valuesTest(operator, compared, reader.kind, reader.isByValue, context.work);
  if (testValues === undefined) return undefined;
  const isEmpty = (value: string) => (field.kind === 'integer' || field.kind === 'bugid') && value === '0';
  const { values, ofEntry } = EMPTINESS_OPERATORS.has(operator)
    ? withoutEmpty(reader, isEmpty)
    : plain(reader);
  if (reader.ofComments !== undefined) {
    return commentsCondition({ ...about, given: compared, testValues, values }, reader);
  }
  return {
    ...about,
    given: compared,
    testValues,
    values,
    testEntry: (covered) => {
      const found = ofEntry(covered);
      return found === undefined ? undefined : testValues(found);
    },
    test: (searched) => {
      const found = values(searched);
      return found instanceof Promise ? found.then(testValues) : testValues(found);
    },
  };
}

type Comments = Omit<FieldCondition, 'test'> & Required<Pick<FieldCondition, 'testValues' | 'values'>>;

/**
 * A condition on comments: the word index says which bugs may meet it, and the comments that it names decide for most of
 * them. What has no indexed word is sought in the comments by fields, but not as content, as in Bugzilla's full text.
 */
function commentsCondition(
  about: Comments,
  { ofComments = () => [], isByValue }: SearchField,
): FieldCondition {
  const { field, operator, given, testValues, values } = about;
  const operands = operandsOf(operator, given);
  const isContrary = isNegative(operator);
  const needles = isContrary && isByValue ? undefined : needlesOf(field, operator, operands);
  const isSought = field !== 'content' || soughtWords(operands.join(' ')).length > 0;
  const isMetWithout = (summary: string) => testValues(ofComments([], summary));
  const condition: FieldCondition = {
    ...about,
    needles,
    test: async (searched) => {
      if (!isSought) return isMetWithout(searched.bug.summary);
      return testValues(await values(searched));
    },
    testEntry({ bug, omitted, claims, claimed }) {
      if (omitted.has('summary')) return undefined;
      const met = isMetWithout(bug.summary);
      if (!isSought || (field === 'content' && met !== isContrary)) return met;
      const mayMeet = claims.get(condition);
      if (mayMeet !== undefined && !mayMeet.has(bug.id)) return met;
      const isDecided = mayMeet !== undefined && testValues(ofComments(claimed, bug.summary)) !== isContrary;
      return isDecided ? !isContrary : undefined;
    },
  };
  return condition;
}

/** Whether an operator can be used with a field: phrases are sought in texts, and flags of comments and attachments are never empty. */
function isFit({ derived, kind }: BugField, reader: SearchField, operator: string): boolean {
  if (operator === 'matches' || operator === 'notmatches') return reader.kind === 'text';
  return !EMPTINESS_OPERATORS.has(operator) || kind !== 'flag' || derived === undefined;
}

type Values = { values: SearchField['read']; ofEntry: NonNullable<SearchField['ofEntry']> };

const plain = ({ read, ofEntry = () => undefined }: SearchField): Values => ({ values: read, ofEntry });

/** Integers and bugs that are 0 are empty. */
function withoutEmpty(reader: SearchField, isEmpty: (value: string) => boolean): Values {
  const { values, ofEntry } = plain(reader);
  const rest = (all: readonly string[]) => all.filter((value) => !isEmpty(value));
  return {
    values(searched) {
      const all = values(searched);
      return all instanceof Promise ? all.then(rest) : rest(all);
    },
    ofEntry(covered) {
      const all = ofEntry(covered);
      return all === undefined ? undefined : rest(all);
    },
  };
}

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
const PRONOUNS: ReadonlyMap<string, 'reporter' | 'assigned_to' | 'qa_contact'> = new Map([
  ['%reporter%', 'reporter'],
  ['%assignee%', 'assigned_to'],
  ['%qacontact%', 'qa_contact'],
]);

function pronounIn(given: string | readonly string[]): string | undefined {
  const text = textOf(given).trim();
  return /^%(group\.[^%]+|\w+)%$/.test(text) ? text : undefined;
}

function pronounTests(
  field: SearchField,
  operator: string,
  pronoun: string,
  { work, people }: SearchContext,
): Pick<FieldCondition, 'test' | 'testEntry'> {
  work.countComparisons(1);
  const [, group] = /^%group\.(.+)%$/.exec(pronoun) ?? [];
  const members = group === undefined ? undefined : people.membersOf(group);
  const person = PRONOUNS.get(pronoun);
  const expected = (bug: IndexedBug | BugItem) =>
    members ?? new Set([canonical('person', bug[person ?? 'reporter'])]);
  if (person === undefined && members === undefined) throw errors.pronounUnknown(pronoun);
  const isMet = (values: readonly string[], bug: IndexedBug | BugItem) =>
    values.some((value) => expected(bug).has(canonical('person', value))) !== operator.startsWith('no');
  return {
    test: async (searched) => isMet(await field.read(searched), searched.bug),
    testEntry(covered) {
      const values = field.ofEntry?.(covered);
      const isKnown = values !== undefined && (person === undefined || !covered.omitted.has(person));
      return isKnown ? isMet(values, covered.bug) : undefined;
    },
  };
}

/** A condition on the history of a field: that it changed so, by someone, before or after a time. */
function changeCondition(
  { name, rest }: BugField,
  operator: string,
  given: string,
  { now, login, work, people }: SearchContext,
): FieldCondition {
  work.countComparisons(1);
  if (operator === 'changedby') people.require(personOf(given, login));
  const about = { field: name, operator, given, isCostly: true };
  const isTimed = operator === 'changedafter' || operator === 'changedbefore';
  const time = isTimed ? readTime(name, given, now) : '';
  const isThen = (when: string) => (operator === 'changedafter' ? when >= time : when <= time);
  if (isTimed && name === 'creation_ts') {
    const test = ({ bug }: SearchedBug | CoveredBug) => isThen(bug.creation_time);
    const testEntry = (covered: CoveredBug) =>
      covered.omitted.has('creation_time') ? undefined : test(covered);
    return { ...about, isCostly: false, test, testEntry };
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
        const ofField = changes.filter(({ field_name }) => field_name === rest || field_name === name);
        if (ofField.length === 0) return false;
        if (isTimed) return isThen(when);
        if (operator === 'changedby') return foldCase(who) === foldCase(personOf(given, login));
        const side = operator === 'changedfrom' ? 'removed' : 'added';
        return ofField.some((change) => foldCase(change[side]) === foldCase(given));
      }),
  };
}

/** Whether the caller last visited a bug before its last change, or after it. */
function visitCondition(operator: string, { work }: SearchContext): FieldCondition {
  if (!isOrdered(operator)) throw errors.searchUnsupported(operator);
  work.countComparisons(1);
  return {
    ...{ field: 'last_visit_ts', operator, given: '%last_changed%', isCostly: false },
    test: ({ bug, lastVisit }) =>
      lastVisit !== undefined && compares(operator, 'time', lastVisit, bug.last_change_time, work),
    testEntry: ({ lastVisit }) => (lastVisit === undefined ? false : undefined),
  };
}

/** Whether the assignee neither commented on a bug nor changed it since a time, or did. */
function idleCondition(operator: string, given: string, { now, work }: SearchContext): FieldCondition {
  const isIdle = ['greaterthan', 'greaterthaneq'].includes(operator);
  if (!isIdle && !['lessthan', 'lessthaneq'].includes(operator)) throw errors.searchUnsupported(operator);
  work.countComparisons(1);
  const field = 'owner_idle_time';
  const since = readTime(field, given, now);
  return {
    ...{ field, operator, given, isCostly: true },
    async test(searched) {
      const { bug } = searched;
      if (bug.last_change_time < since) return isIdle;
      const isOwner = (login: string) => canonical('person', login) === canonical('person', bug.assigned_to);
      const [comments, history] = await Promise.all([searched.comments(), searched.history()]);
      const isActive =
        comments.some(({ creator, creation_time }) => creation_time >= since && isOwner(creator)) ||
        history.some(({ who, when }) => when >= since && isOwner(who));
      return isActive !== isIdle;
    },
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

/** The same as far as the search index tells; undefined: the bug has to be read. */
export function meetsByEntry(condition: Condition, covered: CoveredBug): boolean | undefined {
  if ('not' in condition) {
    const met = meetsByEntry(condition.not, covered);
    return met === undefined ? undefined : !met;
  }
  if (!('all' in condition) && !('any' in condition)) return condition.testEntry?.(covered);
  const [parts, deciding] = 'all' in condition ? [condition.all, false] : [condition.any, true];
  let isSure = true;
  for (const part of parts) {
    const met = meetsByEntry(part, covered);
    if (met === deciding) return deciding;
    if (met === undefined) isSure = false;
  }
  return isSure ? !deciding : undefined;
}
