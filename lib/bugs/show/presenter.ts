import type { FieldSelection } from '../../base/field-selection.ts';
import { compareNames, normalizeName } from '../../base/text.ts';
import type { ShownUser } from '../../people/schema.ts';
import { type KnownProduct, placeOf } from '../../products/place.ts';
import { availableTypes } from '../../products/schema.ts';
import type { IndexedBug } from '../change-log/indexed-bug.ts';
import type { BugField } from '../fields/field.ts';
import { kindOf } from '../fields/kinds.ts';
import { type BugFields, storedValue } from '../fields/registry.ts';
import { presentFlags } from '../flags/set-flags.ts';
import type { BugItem } from '../schema.ts';
import { versionOf } from '../store/find-bugs.ts';
import type { Workflow } from '../workflow.ts';

/** What a bug in the interface follows from beside what is stored with it. */
export interface BugSurroundings {
  /** undefined: nothing that is shown follows from it, or it does not exist */
  product: KnownProduct | undefined;
  /** by normalized login */
  users: ReadonlyMap<string, ShownUser>;
  /** whether the caller sees time fields */
  isTimeTracker: boolean;
  fields: BugFields;
  workflow: Workflow;
}

/** The name of the field with the version of a bug, for `If-Match`. */
export const VERSION_FIELD = 'bugless_version';

/** The name of the field with the number of comments of a bug, private ones included, as in Mozilla's Bugzilla. */
export const COMMENT_COUNT = 'comment_count';

type View = Record<string, unknown>;

/** A bug, or what the search index has of it where that is all that a response shows. */
export type ShownBug = BugItem | IndexedBug;

/** A bug in the interface, with the selected fields. */
export function presentBug(
  bug: ShownBug,
  { product, users, isTimeTracker, fields, workflow }: BugSurroundings,
  selection: FieldSelection,
): View {
  const view: View = {};
  const place = placeOf(bug, product);
  for (const field of fields.all) {
    const { rest } = field;
    const isForCaller = isTimeTracker || field.visibleTo === 'everyone';
    if (rest === undefined || !isForCaller || !selection.has(rest)) continue;
    const kind = kindOf(field);
    view[rest] = field.derived === 'place' ? place[rest] : kind.show(storedValue(bug, field));
    if (!hasPeople(field)) continue;
    const detail = (login: string) => selection.within(rest).pick(userDetail(login, users));
    const logins = peopleOf(bug, field);
    if (kind.shape === 'logins') view[`${rest}_detail`] = logins.map(detail);
    else for (const login of logins) view[`${rest}_detail`] = detail(login);
  }
  if (selection.has('is_open')) view['is_open'] = workflow.isOpen(bug.status);
  if ('flags' in bug && selection.has('flags')) {
    view['flags'] = presentFlags(
      bug.flags,
      availableTypes(product?.flagTypes ?? [], 'bug', bug.component_id),
    );
  }
  if (selection.hasExtra('tags')) view['tags'] = [];
  if (selection.names(COMMENT_COUNT) && 'comment_count' in bug) view[COMMENT_COUNT] = bug.comment_count;
  if (selection.names(VERSION_FIELD) && 'revision' in bug) view[VERSION_FIELD] = versionOf(bug);
  return view;
}

function hasPeople(field: BugField): boolean {
  const { shape } = kindOf(field);
  return shape === 'login' || shape === 'logins';
}

/** The logins in a field that has people, in order. */
function peopleOf(bug: ShownBug, field: BugField): string[] {
  const logins = [storedValue(bug, field)].flat().filter((login) => typeof login === 'string');
  return logins.filter((login) => login !== '').sort(compareNames);
}

/** The logins whose users a view of these bugs shows in detail. */
export function shownLogins(
  bugs: readonly ShownBug[],
  selection: FieldSelection,
  { all }: BugFields,
): string[] {
  const people = all.filter(
    (field) => field.rest !== undefined && hasPeople(field) && selection.has(field.rest),
  );
  return bugs.flatMap((bug) => people.flatMap((field) => peopleOf(bug, field)));
}

/** A user as bugs show people; of an unknown one its login. */
export function userDetail(login: string, users: ReadonlyMap<string, ShownUser>): View {
  const user = users.get(normalizeName(login));
  return { id: user?.id ?? 0, name: user?.login ?? login, real_name: user?.real_name ?? '', email: login };
}
