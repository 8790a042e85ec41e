import { isZoneAlone } from '../../base/loose-time.ts';
import type { BugField } from '../../bugs/fields/field.ts';
import { errors } from '../../errors.ts';
import { canonical, foldCase } from './compare.ts';
import type { FieldCondition, FieldEvent } from './conditions.ts';
import { compares, countComparisons, isOrdered } from './operators.ts';
import type { SearchContext } from './search-context.ts';
import { andThen, type Eventual, type ReadBug, type SearchedBug } from './searched-bug.ts';
import { readTime, unquotedTime } from './times.ts';

/** Before any change. */
const EVER = '1970-01-01';

/** The field that stands for all of them in conditions on histories, as in Mozilla's Bugzilla. */
export const ANY_FIELD = 'anything';

/** A condition on the history of a field: that it changed so, by someone, before or after a time. */
export function changeCondition(
  field: Pick<BugField, 'name' | 'rest'>,
  operator: string,
  given: string,
  context: SearchContext,
): FieldCondition {
  if (operator === 'everchanged') return changeCondition(field, 'changedafter', EVER, context);
  const { name, rest } = field;
  const { now, login, budget, people } = context;
  countComparisons(budget, 1);
  if (operator === 'changedby') people.require(personOf(given, login));
  const about = { field: name, operator, given, cost: 2 };
  const isTimed = operator === 'changedafter' || operator === 'changedbefore';
  const time = isTimed ? readChangeTime(name, given, now) : '';
  const isThen = (when: string) => (operator === 'changedafter' ? when >= time : when <= time);
  if (isTimed && name === 'creation_ts') {
    const test = (searched: SearchedBug) => isThen(String(searched.value('creation_time')));
    return { ...about, cost: 0, test };
  }
  const isOfComments = name === 'longdesc' || name === 'longdescs.count';
  const isOfValue = operator === 'changedfrom' || operator === 'changedto';
  if (name === 'owner_idle_time' || (name === 'longdescs.count' && isOfValue)) {
    throw errors.searchUnsupported(operator);
  }
  // Histories have nothing of the texts of comments.
  if (isOfComments && isOfValue) {
    return { ...about, cost: 0, events: { read: () => [], isMet: () => false }, test: () => false };
  }
  const read = isOfComments ? writtenComments : changesOfField(name === ANY_FIELD ? undefined : [name, rest]);
  const isMet = (change: FieldEvent) => {
    if (isTimed) return isThen(change.when);
    if (operator === 'changedby') return foldCase(change.who) === foldCase(personOf(given, login));
    return foldCase(change[operator === 'changedfrom' ? 'removed' : 'added']) === foldCase(given);
  };
  return {
    ...about,
    events: { read, isMet },
    test(searched) {
      // The last change of the bug is not before any of its changes.
      const isBefore = operator === 'changedafter' && String(searched.value('last_change_time')) < time;
      return isBefore ? false : andThen(read(searched), (all) => all?.some(isMet));
    },
  };
}

/** A comment counts as a change of the field `longdesc` that adds its text. */
const writtenComments = ({ read }: SearchedBug): Eventual<FieldEvent[] | undefined> =>
  read?.comments().then((all) =>
    all.map(({ creator, creation_time, text }) => ({
      who: creator,
      when: creation_time,
      removed: '',
      added: text,
    })),
  );

/** @param names of the field; undefined: any */
const changesOfField =
  (names: readonly (string | undefined)[] | undefined) =>
  ({ read }: SearchedBug): Eventual<FieldEvent[] | undefined> =>
    read
      ?.history()
      .then((all) =>
        all.flatMap(({ when, who, changes }) =>
          changes
            .filter(({ field_name }) => names?.includes(field_name) ?? true)
            .map(({ removed, added }) => ({ when, who, removed, added })),
        ),
      );

/** Whether the caller last visited a bug before its last change, or after it. */
export function visitCondition(operator: string, { budget }: SearchContext): FieldCondition {
  if (!isOrdered(operator)) throw errors.searchUnsupported(operator);
  countComparisons(budget, 1);
  return {
    ...{ field: 'last_visit_ts', operator, given: '%last_changed%', cost: 0 },
    test: (searched) => {
      const { lastVisit } = searched;
      const changed = String(searched.value('last_change_time'));
      return lastVisit !== undefined && compares(operator, 'time', lastVisit, changed, budget);
    },
  };
}

/** The time of a change. A digit is none: in Bugzilla it is an hour of today, in the zone of that number. */
function readChangeTime(field: string, given: string, now: Date): string {
  if (isZoneAlone(unquotedTime(given))) throw errors.timeNotRecognized(field, given);
  return readTime(field, given, now);
}

/** Whether the assignee neither commented on a bug nor changed it since a time, or did. */
export function idleCondition(
  operator: string,
  given: string,
  { now, budget }: SearchContext,
): FieldCondition {
  const isIdle = ['greaterthan', 'greaterthaneq'].includes(operator);
  if (!isIdle && !['lessthan', 'lessthaneq'].includes(operator)) throw errors.searchUnsupported(operator);
  countComparisons(budget, 1);
  const field = 'owner_idle_time';
  const since = readChangeTime(field, given, now);
  return {
    ...{ field, operator, given, cost: 2 },
    test(searched) {
      if (String(searched.value('last_change_time')) < since) return isIdle;
      return searched.read && isIdleByComments(searched.read);
    },
  };

  async function isIdleByComments({ bug, comments, history }: ReadBug): Promise<boolean> {
    const isOwner = (login: string) => canonical('person', login) === canonical('person', bug.assigned_to);
    const [written, changed] = await Promise.all([comments(), history()]);
    const isActive =
      written.some(({ creator, creation_time }) => creation_time >= since && isOwner(creator)) ||
      changed.some(({ who, when }) => when >= since && isOwner(who));
    return isActive !== isIdle;
  }
}

const personOf = (given: string, login: string): string => (given === '%user%' ? login : given.trim());
