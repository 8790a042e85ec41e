import type { FieldSelection } from '../../lib/base/field-selection.ts';
import { indexedAttribute } from '../../lib/bugs/change-log/indexed-bug.ts';
import type { BugField } from '../../lib/bugs/fields/field.ts';
import type { BugFields } from '../../lib/bugs/fields/registry.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import {
  COMMENT_COUNT,
  presentBug,
  type ShownBug,
  type ShownSettings,
  shownLogins,
  VERSION_FIELD,
} from '../../lib/bugs/show/presenter.ts';
import { readFieldSelection } from '../../lib/http/read-field-selection.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { type Caller, isInGroup } from '../../lib/people/caller.ts';
import { type KnownProducts, knownProduct, placeOf } from '../../lib/products/place.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { namedParts, presentParts } from './present-parts.ts';
import { searchOf } from './search-of.ts';
import type { BugServices } from './services.ts';

/** Whether a bug was read, not taken from the search index. */
const isWhole = (bug: ShownBug): bug is BugItem => 'comment_count' in bug;

const PLACE_FIELDS = ['product', 'component', 'classification'];

const selectionOf = (request: BugzillaRequest, fields: BugFields): FieldSelection =>
  readFieldSelection(request.parameters, { _custom: customNames(fields) });

/**
 * The attributes of bugs that a response shows, as the search index names them; undefined: it shows what the index does not
 * have.
 */
export function shownAttributes(
  request: BugzillaRequest,
  fields: BugFields,
): ReadonlySet<string> | undefined {
  const selection = selectionOf(request, fields);
  const shown = fields.all.filter(({ rest }) => rest !== undefined && selection.has(rest));
  if (namedParts(selection).length > 0) return undefined;
  if (selection.names(VERSION_FIELD) || selection.names(COMMENT_COUNT)) return undefined;
  if (selection.has('flags') || !shown.every(isCovered)) return undefined;
  return new Set(shown.flatMap((field) => indexedAttribute(field) ?? []));
}

const isCovered = (field: BugField): boolean =>
  field.derived === 'place' || indexedAttribute(field) !== undefined;

/** For whom bugs are presented, and how. */
interface Presentation {
  request: BugzillaRequest;
  caller: Caller;
  shown: ShownSettings;
  /** the products of the bugs, where they were read */
  known?: KnownProducts | undefined;
}

/** Bugs as the caller sees them, with the fields that the request selects; reads only what these show. */
export async function presentBugs(
  bugs: readonly ShownBug[],
  { request, caller, shown, known }: Presentation,
  services: BugServices,
): Promise<Record<string, unknown>[]> {
  const { fields } = shown;
  const { products, users, settings } = services;
  const selection = selectionOf(request, fields);
  const hasPlaces = PLACE_FIELDS.some((field) => selection.has(field));
  const hasFlags = (bug: ShownBug) => 'flags' in bug && bug.flags.length > 0 && selection.has('flags');
  const whole = namedParts(selection).length === 0 ? [] : bugs.filter(isWhole);
  const placed = bugs.filter((bug) => hasPlaces || hasFlags(bug) || whole.length > 0);
  const [read, shownUsers] = await Promise.all([
    known ?? readKnown(placed, products),
    users.shownByLogins(shownLogins(bugs, selection, fields)),
  ]);
  const duplicates = selection.names(DUPLICATES) ? await duplicatesOf(bugs, request, services) : undefined;
  const parts = await presentParts(whole, { caller, selection, products: read }, services);
  const isTimeTracker = isInGroup(caller, settings.TIMETRACKING_GROUP);
  return bugs.map((bug) => {
    const product = read.get(bug.product_id);
    const place = placeOf(bug, product);
    const { flagTypes = [] } = product ?? {};
    const view = presentBug(bug, { place, flagTypes, users: shownUsers, isTimeTracker }, selection, shown);
    return {
      ...view,
      ...(duplicates && { [DUPLICATES]: duplicates.of(bug.id) }),
      ...parts.get(bug.id),
    };
  });
}

/** The field with the duplicates of a bug, which is shown only by its name; Mozilla's Bugzilla has it. */
const DUPLICATES = 'duplicates';

async function duplicatesOf(bugs: readonly ShownBug[], request: BugzillaRequest, services: BugServices) {
  const { context } = await searchOf(request, services);
  context.duplicates.require(new Set(bugs.map(({ id }) => id)));
  await context.duplicates.lookUp((query) => services.search.find(query, context));
  return context.duplicates;
}

/** The products of bugs. */
export const readKnown = async (
  bugs: readonly ShownBug[],
  products: ProductRepository,
): Promise<KnownProducts> =>
  new Map([...(await products.ofBugs(bugs))].map(([id, one]) => [id, knownProduct(one)]));

const customNames = ({ all }: BugFields): string[] =>
  all.flatMap(({ custom, rest }) => (custom === undefined || rest === undefined ? [] : [rest]));
