import type { BugFields } from '../../lib/bugs/fields/registry.ts';
import { presentBug, shownLogins } from '../../lib/bugs/presenter.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { placeOf } from '../../lib/products/place.ts';
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
  const hasPlaces = PLACE_FIELDS.some((field) => selection.has(field));
  const hasOrder = ({ flags }: BugItem) => flags.length > 1 && selection.has('flags');
  const placed = bugs.filter((bug) => hasPlaces || hasOrder(bug));
  const [read, shownUsers] = await Promise.all([
    products.allWithParts([...new Set(placed.map(({ product_id }) => product_id))]),
    users.byLogins(shownLogins(bugs, selection, fields)),
  ]);
  const byId = new Map(read.map((one) => [one.product.id, one]));
  const isTimeTracker = isInGroup(caller, settings.TIMETRACKING_GROUP);
  return bugs.map((bug) => {
    const product = byId.get(bug.product_id);
    const place = placeOf(bug, product);
    const { flagTypes = [] } = product ?? {};
    return presentBug(bug, { place, flagTypes, users: shownUsers, isTimeTracker }, selection, fields);
  });
}

const customNames = ({ all }: BugFields): string[] =>
  all.flatMap(({ custom, rest }) => (custom === undefined || rest === undefined ? [] : [rest]));
