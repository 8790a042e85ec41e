import { soughtWords } from '../../comments/words.ts';
import { errors } from '../../errors.ts';
import { parseTime } from '../../time.ts';
import type { BugField } from '../fields/field.ts';
import { kindOf } from '../fields/kinds.ts';
import type { BugItem } from '../schema.ts';
import type { IndexedBug } from '../store/index-entry.ts';
import { canonical, decimalNumber } from './compare.ts';
import type { Condition, FieldCondition } from './conditions.ts';
import { changeCondition, idleCondition, visitCondition } from './history-conditions.ts';
import {
  CHANGE_OPERATORS,
  EMPTINESS_OPERATORS,
  isNegative,
  isOperator,
  isOrdered,
  operandsOf,
  valuesTest,
} from './operators.ts';
import type { SearchContext } from './search-context.ts';
import { type SearchField, searchField } from './search-fields.ts';
import { parseRelativeTime, readTime } from './times.ts';
import { needlesOf } from './word-claims.ts';

/**
 * A condition on a field.
 *
 * @param field its internal name
 * @param given what to compare with; a list: one of them, each as it is
 * @returns undefined when there is nothing to compare with: then there is no condition
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
  if (name === 'last_visit_ts') {
    context.visits.require();
    if (CHANGE_OPERATORS.has(operator)) throw errors.searchUnsupported(operator);
    if (oneText(given).trim() === '%last_changed%') return visitCondition(operator, context);
  }
  if (CHANGE_OPERATORS.has(operator)) return changeCondition(field, operator, oneText(given), context);
  if (name === 'owner_idle_time') return idleCondition(operator, oneText(given), context);
  const reader = searchField(field);
  if (reader === undefined) throw errors.searchUnsupported(name);
  if (!isFit(field, reader, operator)) throw errors.searchUnsupported(operator);
  const about = { field: name, operator, given, isCostly: reader.isCostly };
  // A pronoun is compared in its own way, whatever the operator.
  const hasPronouns = reader.comparison === 'person' && name !== 'attachments.submitter';
  const pronoun = hasPronouns ? pronounIn(given) : undefined;
  if (pronoun === '%user%') {
    if (context.login === '') throw errors.loginRequired();
    return fieldCondition(name, operator.startsWith('no') ? 'notequals' : 'equals', context.login, context);
  }
  if (pronoun !== undefined) return { ...about, ...pronounTests(reader, operator, pronoun, context) };

  const compared = EMPTINESS_OPERATORS.has(operator)
    ? given
    : readGiven(field, reader, operator, given, context);
  const testValues = valuesTest(operator, compared, reader.comparison, reader.isByValue, context.work);
  if (testValues === undefined) return undefined;
  const isEmpty = (value: string) => kindOf(field).isZeroEmpty && value === '0';
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
function isFit({ derived }: BugField, { comparison }: SearchField, operator: string): boolean {
  if (operator === 'matches' || operator === 'notmatches') return comparison === 'text';
  return !EMPTINESS_OPERATORS.has(operator) || comparison !== 'flag' || derived === undefined;
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

const oneText = (given: string | readonly string[]): string =>
  typeof given === 'string' ? given : given.join(',');

/** Times are compared in the form that bugs show; numbers have to be some. */
function readGiven(
  field: BugField,
  reader: SearchField,
  operator: string,
  given: string | readonly string[],
  context: SearchContext,
): string | readonly string[] {
  if (operator === 'anyexact') {
    if (field.name === 'resolution') return [given].flat().map(withoutDashes);
    // A plain parameter finds the custom dates that the operator equals finds.
    const isCustomTime = field.custom !== undefined && TIMES.has(reader.comparison);
    if (!isCustomTime) return given;
    return [given]
      .flat()
      .flatMap((one) => one.split(',').map((text) => readOrdered(field, reader, text, context)));
  }
  return isOrdered(operator) ? readOrdered(field, reader, given, context) : given;
}

const TIMES: ReadonlySet<string> = new Set(['time', 'date']);

function readOrdered(
  { name: field, custom }: BugField,
  { comparison }: SearchField,
  given: string | readonly string[],
  { now }: SearchContext,
): string {
  const text = oneText(given);
  if (comparison === 'number' && decimalNumber(text) === undefined) {
    throw errors.numberNotNumeric(field, text);
  }
  if (!TIMES.has(comparison)) return text;
  // Bugzilla does not check the dates of custom fields.
  const isRead = custom === undefined || (parseRelativeTime(text, now) ?? parseTime(text)) !== undefined;
  if (!isRead) return text;
  return readTime(field, text, now).slice(0, comparison === 'date' ? 'YYYY-MM-DD'.length : undefined);
}

/** An open bug's resolution as Bugzilla shows it. */
const withoutDashes = (resolution: string): string => (resolution === '---' ? '' : resolution);

/** People who are only known with the bug. */
const PRONOUNS: ReadonlyMap<string, 'reporter' | 'assigned_to' | 'qa_contact'> = new Map([
  ['%reporter%', 'reporter'],
  ['%assignee%', 'assigned_to'],
  ['%qacontact%', 'qa_contact'],
]);

function pronounIn(given: string | readonly string[]): string | undefined {
  const text = oneText(given).trim();
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
