import { compareNames, normalizeName } from '../text.ts';
import { isTimeField } from './fields.ts';
import { hoursText, shortHours, workTimeChange } from './history.ts';
import type { BugItem, FieldChange } from './schema.ts';
import type { BugPlace } from './search/subject.ts';

/** A comment that a change adds. */
export interface AddedComment {
  id: number;
  text: string;
  isPrivate: boolean;
  /** hours */
  workTime: number;
}

/** What a request does to a bug. */
export interface BugChange {
  before: BugItem;
  /** without what follows from the time of writing and from comments */
  after: BugItem;
  /** where the bug was, and where it is then */
  places: { before: BugPlace; after: BugPlace };
  comments: AddedComment[];
  /** comments whose privacy changes */
  privacy: { id: number; isPrivate: boolean; key: { pk: string; sk: string } }[];
}

type Read = (bug: BugItem, place: BugPlace) => string | readonly (string | number)[];

const flag = (value: boolean): string => (value ? '1' : '0');

/** The fields of which changes are reported, by their names in the interface. */
const FIELDS: Readonly<Record<string, Read>> = {
  alias: ({ aliases }) => aliases,
  assigned_to: ({ assigned_to }) => assigned_to,
  blocks: ({ blocks }) => blocks,
  cc: ({ cc }) => cc,
  component: (_, { component }) => component,
  deadline: ({ deadline }) => deadline ?? '',
  depends_on: ({ depends_on }) => depends_on,
  dupe_of: ({ dupe_of }) => (dupe_of === null ? '' : String(dupe_of)),
  estimated_time: ({ estimated_time }) => hoursText(estimated_time),
  groups: ({ groups }) => groups,
  is_cc_accessible: ({ is_cc_accessible }) => flag(is_cc_accessible),
  is_confirmed: ({ is_confirmed }) => flag(is_confirmed),
  is_creator_accessible: ({ is_creator_accessible }) => flag(is_creator_accessible),
  keywords: ({ keywords }) => keywords,
  op_sys: ({ op_sys }) => op_sys,
  platform: ({ platform }) => platform,
  priority: ({ priority }) => priority,
  product: (_, { product }) => product,
  qa_contact: ({ qa_contact }) => qa_contact,
  remaining_time: ({ remaining_time }) => hoursText(remaining_time),
  resolution: ({ resolution }) => resolution,
  see_also: ({ see_also }) => see_also,
  severity: ({ severity }) => severity,
  status: ({ status }) => status,
  summary: ({ summary }) => summary,
  target_milestone: ({ target_milestone }) => target_milestone,
  url: ({ url }) => url,
  version: ({ version }) => version,
  whiteboard: ({ whiteboard }) => whiteboard,
};

/** What differs between a bug before and after a change, field by field; of lists the elements that differ. */
export function fieldChanges({
  before,
  after,
  places,
}: Pick<BugChange, 'before' | 'after' | 'places'>): FieldChange[] {
  return Object.entries(FIELDS).flatMap(([field_name, read]): FieldChange[] => {
    const [old, now] = [read(before, places.before), read(after, places.after)];
    const removed = typeof old === 'string' ? old : missing(old, now);
    const added = typeof now === 'string' ? now : missing(now, old);
    return removed === added ? [] : [{ field_name, removed, added }];
  });
}

/** The elements of a list that another one lacks, in order, as one text. */
function missing(list: readonly (string | number)[], other: string | readonly (string | number)[]): string {
  const known = new Set([other].flat().map((element) => normalizeName(String(element))));
  const left = list.filter((element) => !known.has(normalizeName(String(element))));
  return left.sort(compareElements).join(', ');
}

function compareElements(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareNames(String(a), String(b));
}

/** Changes as the response of an update has them: hours as they were stored before, and as they were given. */
export function responseChanges(
  changes: readonly FieldChange[],
  isTimeTracker: boolean,
): Record<string, { removed: string; added: string }> {
  const shown = changes.filter(({ field_name }) => isTimeTracker || !isTimeField(field_name));
  return Object.fromEntries(
    shown.map(({ field_name, removed, added }) => [
      field_name,
      { removed, added: isTimeField(field_name) ? String(Number(added)) : added },
    ]),
  );
}

/** What the history of a bug records of a change: without `dupe_of`, with hours worked. */
export function historyChanges(
  changes: readonly FieldChange[],
  { comments, privacy }: BugChange,
): FieldChange[] {
  return [
    ...changes
      .filter(({ field_name }) => field_name !== 'dupe_of')
      .map((change) => (isTimeField(change.field_name) ? shortHours(change) : change)),
    ...comments.filter(({ workTime }) => workTime !== 0).map(({ workTime }) => workTimeChange(workTime)),
    ...privacy.map(({ isPrivate }) => ({
      field_name: 'longdescs.isprivate',
      removed: flag(!isPrivate),
      added: flag(isPrivate),
    })),
  ];
}
