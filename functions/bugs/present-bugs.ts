import { mapConcurrent } from '../../lib/base/collections.ts';
import { type FieldSelection, readFieldSelection } from '../../lib/base/field-selection.ts';
import { isAttachmentShown, presentAttachment, withSummary } from '../../lib/bugs/attachments/presenter.ts';
import { indexedAttribute } from '../../lib/bugs/change-log/indexed-bug.ts';
import { presentComment } from '../../lib/bugs/comments/presenter.ts';
import type { BugField } from '../../lib/bugs/fields/field.ts';
import { type BugFields, builtInRegistry } from '../../lib/bugs/fields/registry.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import {
  type BugSurroundings,
  COMMENT_COUNT,
  presentBug,
  type ShownBug,
  shownLogins,
  VERSION_FIELD,
} from '../../lib/bugs/show/presenter.ts';
import { visibleHistory, WHOLE_HISTORY } from '../../lib/bugs/show/visible-history.ts';
import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { type Caller, isInGroup } from '../../lib/people/caller.ts';
import { type KnownProducts, knownProduct } from '../../lib/products/place.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { attachmentFlagTypes } from '../../lib/products/schema.ts';
import { BOUNDED_CONCURRENCY } from '../../lib/table/consumption.ts';
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
interface Presentation extends Pick<BugSurroundings, 'fields' | 'workflow'> {
  request: BugzillaRequest;
  caller: Caller;
  /** the products of the bugs, where they were read */
  known?: KnownProducts | undefined;
}

/** Bugs as the caller sees them, with the fields that the request selects; reads only what these show. */
export async function presentBugs(
  bugs: readonly ShownBug[],
  { request, caller, fields, workflow, known }: Presentation,
  services: BugServices,
): Promise<Record<string, unknown>[]> {
  const selection = selectionOf(request, fields);
  const hasPlaces = PLACE_FIELDS.some((field) => selection.has(field));
  const hasFlags = (bug: ShownBug) => 'flags' in bug && bug.flags.length > 0 && selection.has('flags');
  const whole = namedParts(selection).length === 0 ? [] : bugs.filter(isWhole);
  const placed = bugs.filter((bug) => hasPlaces || hasFlags(bug) || whole.length > 0);
  const [products, users] = await Promise.all([
    known ?? readKnown(placed, services.products),
    services.users.shownByLogins(shownLogins(bugs, selection, fields)),
  ]);
  const duplicates = selection.names(DUPLICATES) ? await duplicatesOf(bugs, request, services) : undefined;
  const parts = await presentParts(whole, { caller, selection, products }, services);
  const isTimeTracker = isInGroup(caller, services.settings.TIMETRACKING_GROUP);
  const surroundings = { users, isTimeTracker, fields, workflow };
  return bugs.map((bug) => ({
    ...presentBug(bug, { ...surroundings, product: products.get(bug.product_id) }, selection),
    ...(duplicates && { [DUPLICATES]: duplicates.of(bug.id) }),
    ...parts.get(bug.id),
  }));
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

/** What belongs to a bug, and is shown with it only where `include_fields` names it, as in Mozilla's Bugzilla. */
const PARTS = ['comments', 'history', 'attachments'] as const;

/** Each takes a query or several. */
const MAX_BUGS_WITH_PARTS = 100;
/** Characters of what is shown: what is read is bounded with the request, and a bug may be repeated. */
const MAX_CHARACTERS_A_RESPONSE = 20_000_000;

/** The parts of bugs that a request names. */
const namedParts = (selection: FieldSelection): readonly string[] =>
  PARTS.filter((part) => selection.names(part));

/**
 * The named parts of bugs as the caller sees them, by the bugs' ids: comments, changes, attachments without their data.
 *
 * @throws BugzillaError requestTooLarge for more than 100 bugs, and for more than a response may have
 */
async function presentParts(
  bugs: readonly BugItem[],
  { caller, selection, products }: { caller: Caller; selection: FieldSelection; products: KnownProducts },
  services: Pick<BugServices, 'attachments' | 'bugs' | 'comments' | 'settings'>,
): Promise<Map<number, Record<string, unknown>>> {
  const parts = new Set(namedParts(selection));
  const distinct = [...new Map(bugs.map((bug) => [bug.id, bug])).values()];
  if (distinct.length > MAX_BUGS_WITH_PARTS)
    throw errors.requestTooLarge(`at most ${MAX_BUGS_WITH_PARTS} bugs with ${[...parts].join(', ')}`);
  const { settings } = services;
  const isInsider = isInGroup(caller, settings.INSIDER_GROUP);
  const viewer = { isInsider, isTimeTracker: isInGroup(caller, settings.TIMETRACKING_GROUP) };
  const withTags = settings.COMMENT_TAGGERS_GROUP !== '';
  let characters = 0;
  const repeated = Map.groupBy(bugs, ({ id }) => id);
  const counterOf =
    (bug: BugItem) =>
    <T extends object>(shown: T): T => {
      characters += JSON.stringify(shown).length * (repeated.get(bug.id)?.length ?? 1);
      if (characters > MAX_CHARACTERS_A_RESPONSE) throw errors.responseTooLarge();
      return shown;
    };

  const presentOne = async (bug: BugItem) => {
    const counted = counterOf(bug);
    const all = bug.attachment_count === 0 ? [] : await services.attachments.ofBug(bug.id);
    const readable = all.filter((one) => isAttachmentShown(one, caller, isInsider));
    const summaries = new Map(readable.map(({ id, summary }) => [id, summary]));
    const view: Record<string, unknown> = {};
    if (parts.has('comments')) {
      const shown: object[] = [];
      for await (const page of services.comments.ofBug(bug.id)) {
        for (const comment of page) {
          if (comment.is_private && !isInsider) continue;
          const present = withSummary(comment, summaries);
          shown.push(counted(presentComment(present, selection.within('comments'), withTags)));
        }
      }
      view['comments'] = shown;
    }
    if (parts.has('history')) {
      const fields = selection.within('history');
      const shown: object[] = [];
      for await (const page of services.bugs.historyPages(bug.id, WHOLE_HISTORY)) {
        const visible = await visibleHistory(page, viewer, builtInRegistry, async () => all);
        for (const { when, who, changes } of visible)
          shown.push(counted(fields.pick({ when, who, changes })));
      }
      view['history'] = shown;
    }
    if (parts.has('attachments')) {
      const types = attachmentFlagTypes(bug, { products });
      const fields = selection.within('attachments');
      view['attachments'] = readable.map((one) => counted(presentAttachment(one, undefined, types, fields)));
    }
    return [bug.id, view] as const;
  };
  return new Map(await mapConcurrent(distinct, presentOne, BOUNDED_CONCURRENCY));
}
