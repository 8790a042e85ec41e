import { mapConcurrent } from '../../lib/base/collections.ts';
import type { FieldSelection } from '../../lib/base/field-selection.ts';
import { isAttachmentShown } from '../../lib/bugs/attachments/permissions.ts';
import { presentAttachment, withSummary } from '../../lib/bugs/attachments/presenter.ts';
import { presentComment } from '../../lib/bugs/comments/presenter.ts';
import { builtInRegistry } from '../../lib/bugs/fields/registry.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { visibleHistory } from '../../lib/bugs/show/visible-history.ts';
import { errors } from '../../lib/errors.ts';
import { type Caller, isInGroup } from '../../lib/people/caller.ts';
import { attachmentFlagTypes } from '../../lib/products/flag-types.ts';
import type { FlagTypeItem } from '../../lib/products/schema.ts';
import { BOUNDED_CONCURRENCY } from '../../lib/table/consumption.ts';
import type { BugServices } from './services.ts';

/** What belongs to a bug, and is shown with it only where `include_fields` names it, as in Mozilla's Bugzilla. */
const PARTS = ['comments', 'history', 'attachments'] as const;

/** Each takes a query or several. */
const MAX_BUGS_WITH_PARTS = 100;
/** Characters of what is shown: what is read is bounded with the request, and a bug may be repeated. */
const MAX_CHARACTERS_A_RESPONSE = 20_000_000;

/** The parts of bugs that a request names. */
export const namedParts = (selection: FieldSelection): readonly string[] =>
  PARTS.filter((part) => selection.names(part));

/** Who reads parts of bugs, and which. */
interface PartsContext {
  caller: Caller;
  selection: FieldSelection;
  /** by id */
  products: ReadonlyMap<number, { flagTypes: readonly FlagTypeItem[] }>;
}

/**
 * The named parts of bugs as the caller sees them, by the bugs' ids: comments, changes, attachments without their data.
 *
 * @throws BugzillaError requestTooLarge for more than 100 bugs, and for more than a response may have
 */
export async function presentParts(
  bugs: readonly BugItem[],
  { caller, selection, products }: PartsContext,
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
      const range = { since: undefined, before: undefined, limit: undefined, isNewest: false };
      const shown: object[] = [];
      for await (const page of services.bugs.historyPages(bug.id, range)) {
        const visible = await visibleHistory(page, viewer, builtInRegistry, async () => all);
        for (const { when, who, changes } of visible)
          shown.push(counted(selection.within('history').pick({ when, who, changes })));
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
