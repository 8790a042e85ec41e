import type { BugFields } from '../../lib/bugs/fields/registry.ts';
import { presentBug, shownLogins } from '../../lib/bugs/presenter.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import type { BugServices } from './services.ts';

const PLACE_FIELDS = ['product', 'component', 'classification'];

/** Bugs as the caller sees them, with the fields that the request selects; reads only what these show. */
export async function presentBugs(
  bugs: readonly BugItem[],
  request: BugzillaRequest,
  caller: Caller,
  fields: BugFields,
  { products, users, settings }: Pick<BugServices, 'products' | 'users' | 'settings'>,
): Promise<Record<string, unknown>[]> {
  const selection = readFieldSelection(request.parameters, { _custom: customNames(fields) });
  const [places, shownUsers] = await Promise.all([
    PLACE_FIELDS.some((field) => selection.has(field)) ? products.placesOf(bugs) : undefined,
    users.byLogins(shownLogins(bugs, selection, fields)),
  ]);
  const isTimeTracker = isInGroup(caller, settings.TIMETRACKING_GROUP);
  return bugs.map((bug) => {
    const place = places?.get(bug.id) ?? { product: '', component: '', classification: '' };
    return presentBug(bug, { place, users: shownUsers, isTimeTracker }, selection, fields);
  });
}

const customNames = ({ all }: BugFields): string[] =>
  all.flatMap(({ custom, rest }) => (custom === undefined || rest === undefined ? [] : [rest]));
