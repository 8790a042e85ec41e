import type { BugField } from '../../bugs/fields/field.ts';
import { FIELD_TYPES } from '../../bugs/fields/kinds.ts';
import { errors } from '../../errors.ts';
import { canonical } from './compare.ts';
import type { Condition, FieldCondition } from './conditions.ts';
import { readFullText } from './full-text.ts';
import { ANY_FIELD, changeCondition, idleCondition, visitCondition } from './history-conditions.ts';
import {
  CHANGE_OPERATORS,
  countComparisons,
  countText,
  EMPTINESS_OPERATORS,
  isNegative,
  isOperator,
  isOrdered,
  operandsOf,
  valuesTest,
} from './operators.ts';
import type { SearchContext } from './search-context.ts';
import { isByValue, type SearchField, searchField } from './search-fields.ts';
import { andThen, byValue, type SearchedBug } from './searched-bug.ts';
import { parseSearchTime, readTime } from './times.ts';
import { indexTermsOf } from './word-candidates.ts';

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
  if (name === ANY_FIELD && CHANGE_OPERATORS.has(operator)) {
    return changeCondition({ name, rest: undefined }, operator, oneText(given), context);
  }
  const field = context.fields.named(name);
  if (
    field === undefined ||
    (field.id ?? field.searched) === undefined ||
    (field.visibleTo === 'timetrackers' && !context.isTimeTracker)
  ) {
    throw errors.fieldUnknown(name);
  }
  if (name === 'content' && !isFullText(operator)) throw errors.searchUnsupported(operator);
  if (!isOperator(operator)) throw errors.operatorUnknown(operator);
  if (field.visibleTo === 'insiders' && !context.isInsider) throw errors.searchDenied(name);
  if (name === 'last_visit_ts') {
    context.visits.require();
    if (CHANGE_OPERATORS.has(operator)) throw errors.searchUnsupported(operator);
    if (oneText(given).trim() === '%last_changed%') return visitCondition(operator, context);
  }
  if (CHANGE_OPERATORS.has(operator)) return changeCondition(field, operator, oneText(given), context);
  if (name === 'owner_idle_time') return idleCondition(operator, oneText(given), context);
  const reader = name === 'dupe_count' ? duplicateCount(context) : searchField(field);
  if (reader === undefined) throw errors.searchUnsupported(name);
  if (!isFit(field, reader, operator)) throw errors.searchUnsupported(operator);
  if (isOfSeveral(field, operator) && oneText(given).trim() === '---' && !EMPTINESS_OPERATORS.has(operator)) {
    return fieldCondition(name, isNegative(operator) ? 'isnotempty' : 'isempty', '', context);
  }
  const cost = reader.isCostly ? 2 : reader.comparison === 'text' ? 1 : 0;
  const about = { field: name, operator, given, cost };
  // A pronoun is compared in its own way, whatever the operator.
  const hasPronouns = reader.comparison === 'person' && name !== 'attachments.submitter';
  const pronoun = hasPronouns ? pronounIn(given) : undefined;
  if (pronoun === '%user%') {
    if (context.login === '') throw errors.loginRequired();
    return fieldCondition(name, operator.startsWith('no') ? 'notequals' : 'equals', context.login, context);
  }
  if (pronoun !== undefined) return { ...about, test: pronounTest(reader, operator, pronoun, context) };

  if (name === 'content') return fullTextCondition(about, reader, context);
  const compared = EMPTINESS_OPERATORS.has(operator)
    ? given
    : readGiven(field, reader, operator, given, context);
  const { comparison, ofComments } = reader;
  const testValues = valuesTest(operator, compared, comparison, isByValue(name, operator), context.budget);
  if (testValues === undefined) return undefined;
  const values = valuesFor(operator, reader);
  if (ofComments !== undefined) {
    const isContrary = isNegative(operator);
    const isIndexed = !(isContrary && isByValue(name, operator));
    return commentsCondition({ ...about, given: compared }, reader, {
      ...{ testValues, values, isContrary, isMonotone: true, isDecidedBySummary: false },
      indexTerms: isIndexed ? indexTermsOf(name, operator, operandsOf(operator, compared)) : undefined,
    });
  }
  const test = testOf(values, testValues);
  return {
    ...{ ...about, given: compared, testValues, values },
    test: reader.attribute === undefined ? test : byValue(reader.attribute, test, testValues.ofFolded),
  };
}

function duplicateCount({ duplicates }: SearchContext): SearchField {
  duplicates.require();
  return { comparison: 'number', isCostly: false, read: ({ id }) => [String(duplicates.of(id).length)] };
}

/** The test of values; undefined where they are not known. */
const testOf =
  (values: SearchField['read'], testValues: (values: readonly string[]) => boolean): FieldCondition['test'] =>
  (searched) =>
    andThen(values(searched), (found) => (found === undefined ? undefined : testValues(found)));

/** How a condition on comments tests texts: those of the summary, and of some or all comments that the caller sees. */
interface CommentTest extends Pick<FieldCondition, 'indexTerms'> {
  testValues(values: readonly string[]): boolean;
  values: SearchField['read'];
  isContrary: boolean;
  /** whether further comments change nothing where some meet the condition */
  isMonotone: boolean;
  /** whether the summary decides, alone, where it meets the condition */
  isDecidedBySummary: boolean;
}

/**
 * A condition on comments: the word index says which bugs may meet it, and the comments that it names decide for most of
 * them.
 */
function commentsCondition(
  about: Omit<FieldCondition, 'test'>,
  { ofComments = () => [] }: SearchField,
  { testValues, values, indexTerms, isContrary, isMonotone, isDecidedBySummary }: CommentTest,
): FieldCondition {
  const condition: FieldCondition = {
    ...{ ...about, testValues, values, indexTerms },
    test(searched) {
      const { id, wordCandidates, namedComments, read } = searched;
      const summary = searched.value('summary');
      if (typeof summary !== 'string') return undefined;
      const met = testValues(ofComments([], summary));
      if (isDecidedBySummary && met !== isContrary) return met;
      const mayMeet = wordCandidates.get(condition);
      if (mayMeet !== undefined && !mayMeet.has(id)) return met;
      const isDecided =
        isMonotone && mayMeet !== undefined && testValues(ofComments(namedComments, summary)) !== isContrary;
      if (isDecided) return !isContrary;
      return read === undefined ? undefined : testOf(values, testValues)(searched);
    },
  };
  return condition;
}

/**
 * A condition on the full text of a bug: its summary, or all its comments that the caller sees as one text, meets the
 * expression. functions/bugs/README.md 3.8
 */
function fullTextCondition(
  about: Omit<FieldCondition, 'test'>,
  reader: SearchField,
  { budget }: SearchContext,
): FieldCondition {
  const text = oneText(about.given);
  const expression = readFullText(text, (count) => countComparisons(budget, Math.max(1, count)));
  if (expression === undefined) throw errors.fullTextInvalid(text);
  const { size, isMonotone, indexTerms, test } = expression;
  const isContrary = isNegative(about.operator);
  const testValues = ([summary = '', ...comments]: readonly string[]): boolean => {
    const texts = [summary, comments.join('\n')];
    return countText(budget, texts, size) && texts.some(test) !== isContrary;
  };
  const { read: values } = reader;
  if (indexTerms?.length === 0) return { ...about, testValues, values, test: () => isContrary };
  return commentsCondition(about, reader, {
    ...{ testValues, values, indexTerms, isContrary, isMonotone, isDecidedBySummary: true },
  });
}

/** Whether an operator can be used with a field: the full text is one, and flags of comments and attachments are never empty. */
function isFit({ name, derived }: BugField, { comparison }: SearchField, operator: string): boolean {
  if (isFullText(operator)) return name === 'content';
  return !EMPTINESS_OPERATORS.has(operator) || comparison !== 'flag' || derived === undefined;
}

/** How an operator reads the values of a field: numbers and flags that are 0 are empty; parts of times are sought as in Bugzilla, too. */
function valuesFor(operator: string, { comparison, read }: SearchField): SearchField['read'] {
  const isNumeric = comparison === 'number' || comparison === 'flag';
  if (EMPTINESS_OPERATORS.has(operator) && isNumeric) {
    return (searched) => andThen(read(searched), (all) => all?.filter((value) => Number(value) !== 0));
  }
  if (comparison !== 'time' || isOrdered(operator) || operator === 'anyexact') return read;
  return (searched) =>
    andThen(read(searched), (all) => all?.flatMap((value) => [value, value.replace(TIME, '$1 $2')]));
}

const TIME = /^(.*)T(.*)Z$/;

/** Fields with any number of values: of them `---` means none, where an operator does not demand a number. */
const isOfSeveral = ({ name, custom }: BugField, operator: string): boolean =>
  OF_SEVERAL.has(name) ||
  (OF_BUGS.has(name) && !isOrdered(operator)) ||
  custom?.type === FIELD_TYPES.MULTI_SELECT;
const OF_SEVERAL: ReadonlySet<string> = new Set([
  ...['keywords', 'bug_group', 'see_also', 'tag', 'comment_tag', 'attach_data.thedata'],
]);
const OF_BUGS: ReadonlySet<string> = new Set(['blocked', 'dependson']);

const isFullText = (operator: string): boolean => operator === 'matches' || operator === 'notmatches';

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
    if (field.name === 'resolution')
      return (typeof given === 'string' ? given.split(',') : given).map(withoutDashes);
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
  if ((comparison === 'number' || comparison === 'flag') && !NUMBER.test(text)) {
    throw errors.numberNotNumeric(field, text);
  }
  if (!TIMES.has(comparison)) return text;
  // Bugzilla does not check the dates of custom fields.
  const isRead = custom === undefined || parseSearchTime(text, now) !== undefined;
  if (!isRead) return text;
  return readTime(field, text, now).slice(0, comparison === 'date' ? 'YYYY-MM-DD'.length : undefined);
}

/** A number without spaces, as Bugzilla's charts take it. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)$/;

/** An open bug's resolution as Bugzilla shows it. */
const withoutDashes = (resolution: string): string => (resolution.trim() === '---' ? '' : resolution);

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

function pronounTest(
  field: SearchField,
  operator: string,
  pronoun: string,
  { budget, people }: SearchContext,
): FieldCondition['test'] {
  countComparisons(budget, 1);
  const [, group] = /^%group\.(.+)%$/.exec(pronoun) ?? [];
  const members = group === undefined ? undefined : people.membersOf(group);
  const person = PRONOUNS.get(pronoun);
  if (person === undefined && members === undefined) throw errors.pronounUnknown(pronoun);
  const expected = (searched: SearchedBug) =>
    members ?? new Set([canonical('person', String(searched.value(person ?? 'reporter')))]);
  const isMet = (values: readonly string[], wanted: ReadonlySet<string>) =>
    values.some((value) => wanted.has(canonical('person', value))) !== operator.startsWith('no');
  return (searched) =>
    andThen(field.read(searched), (values) =>
      values === undefined ? undefined : isMet(values, expected(searched)),
    );
}
