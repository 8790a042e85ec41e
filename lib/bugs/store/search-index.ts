import * as z from 'zod/mini';
import { changedKey, type Key, productBugKey } from '../../dynamodb/keys.ts';
import type { Action } from '../../dynamodb/write.ts';
import { timestamp } from '../../time.ts';
import type { BugItem } from '../schema.ts';
import { isOpenStatus } from '../workflow.ts';
import { indexEntryItem, indexEntryOf } from './index-entry.ts';

/** How long superseded entries stay: longer than any search runs. */
const SUPERSEDED_SECONDS = 24 * 60 * 60;

/** An entry of a bug, under its product or under the time of a change. */
export const searchIndexItem = z.extend(indexEntryItem, {
  /** of the bug after the change */
  product_id: z.optional(z.int()),
  is_open: z.optional(z.boolean()),
  /** seconds since 1970 */
  expires_at: z.optional(z.int()),
});
type SearchIndexItem = z.infer<typeof searchIndexItem>;

/** An item of the search index: its key, and what it has beside. */
interface IndexItem {
  key: Key;
  content: SearchIndexItem;
}

const productEntry = (bug: BugItem): IndexItem => ({
  key: productBugKey(bug.product_id, isOpenStatus(bug.status), bug.id),
  content: indexEntryOf(bug),
});

/** The change of a bug at a time: by its revision a function instance knows whether it has seen the change. */
function changeEntry({ id, revision, product_id, status }: BugItem, time: string): IndexItem {
  const content = { revision, product_id, is_open: isOpenStatus(status) };
  return { key: changedKey(id, time), content };
}

/** The items by which searches find a bug: under its product, and the time of its last change. */
export const searchIndexItems = (bug: BugItem): IndexItem[] => [
  productEntry(bug),
  changeEntry(bug, bug.last_change_time),
];

/**
 * The transaction actions by which the search index follows a change of a bug. What the change supersedes is not
 * removed: a query that runs meanwhile may not see the new entry yet. It expires, and until then readers look at the bug.
 *
 * @param before undefined: the bug is new
 * @param now `YYYY-MM-DDThh:mm:ssZ`: where the bug's last change is earlier, as in a catalogue, it is listed under this
 * time, too
 */
export function searchIndexActions(before: BugItem | undefined, after: BugItem, now: string): Action[] {
  const expires_at = expiryOf(now);
  const next = [
    ...searchIndexItems(after),
    ...(after.last_change_time < now ? [expiring(changeEntry(after, now), expires_at)] : []),
  ];
  const old = before === undefined ? [] : searchIndexItems(before);
  const isOf = (a: IndexItem) => (b: IndexItem) => a.key.pk === b.key.pk && a.key.sk === b.key.sk;
  const superseded = old.filter((item) => !next.some(isOf(item)));
  return [
    ...next.map(putAction),
    // A reader that does not see the new entries yet learns of the change, and of those before it, by the revision.
    ...superseded.map(({ key }) => putAction(expiring({ ...changeEntry(after, now), key }, expires_at))),
  ];
}

const expiryOf = (now: string): number => Math.floor(Date.parse(now) / 1_000) + SUPERSEDED_SECONDS;

const expiring = ({ key, content }: IndexItem, expires_at: number): IndexItem => ({
  key,
  content: { ...content, expires_at },
});

/** The most actions of a comment's change in the search index. */
export const CHANGED_ACTIONS = 2;

/**
 * The transaction actions that enter a comment's change into the search index. The entry of the change before expires;
 * readers skip entries whose time is not that of the bug's last change.
 *
 * @param bug as it was read
 * @param time of the change, `YYYY-MM-DDThh:mm:ssZ`, not before its last one
 * @param now the time of writing
 */
export function changedActions(bug: BugItem, time: string, now: Date): Action[] {
  const next = putAction(changeEntry(bug, time));
  const former = changeEntry(bug, bug.last_change_time);
  return time === bug.last_change_time
    ? [next]
    : [next, putAction(expiring(former, expiryOf(timestamp(now))))];
}

const putAction = ({ key, content }: IndexItem): Action => ({ put: { ...key, ...content } });
