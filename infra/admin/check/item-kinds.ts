import * as z from 'zod';
import { bugItem, bugPointerItem } from '../../../lib/bugs/schema.ts';
import { commentItem, commentPointerItem, waitingComment } from '../../../lib/comments/schema.ts';
import { tagChangeItem, tagItem } from '../../../lib/comments/tag-schema.ts';
import type { Table } from '../../../lib/db/client.ts';
import {
  bugKey,
  catalogueKey,
  classificationKey,
  commentKey,
  groupKey,
  type Key,
  productKey,
  productNameKey,
  tagChangeKey,
  tagKey,
  userKey,
  waitingCommentKey,
} from '../../../lib/db/keys.ts';
import { type Item, readItems } from '../../../lib/db/reading.ts';
import { idempotencyItem } from '../../../lib/http/only-once-schema.ts';
import {
  catalogueItem,
  classificationItem,
  componentItem,
  flagTypeItem,
  productItem,
  productNameItem,
  releaseItem,
} from '../../../lib/products/schema.ts';
import {
  apiKeyItem,
  groupItem,
  tokenItem,
  userApiKeyItem,
  userIdItem,
  userItem,
} from '../../../lib/users/schema.ts';
import { markItem } from '../import/marks.ts';
import { type Finding, keyText, kindOf } from './finding.ts';

export const counterItem = z.object({ last: z.int() });

/** What is wrong with the content of an item; undefined: nothing. */
type Judge = (item: Item) => string | undefined;

/**
 * A kind of items.
 *
 * @param keyOf the key that an item must have by what it says; absent where that does not follow from it
 */
function kind<T>(schema: z.core.$ZodType<T>, keyOf?: (item: T) => Key): Judge {
  return (item) => {
    const parsed = z.safeParse(schema, item);
    if (!parsed.success) return z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ');
    if (keyOf === undefined) return undefined;
    const key = keyText(keyOf(parsed.data));
    return key === keyText(item) ? undefined : `by its content it belongs at ${key}`;
  };
}

/** By the kinds of partition key and sort key. */
const kinds: ReadonlyMap<string, Judge> = new Map([
  ['PRODUCT PRODUCT', kind(productItem, ({ id }) => productKey(id))],
  ['PRODUCT COMPONENT', kind(componentItem)],
  ['PRODUCT FLAGTYPE', kind(flagTypeItem)],
  ['PRODUCT MILESTONE', kind(releaseItem)],
  ['PRODUCT VERSION', kind(releaseItem)],
  ['PRODUCTNAME PRODUCTNAME', kind(productNameItem, ({ name }) => productNameKey(name))],
  ['CATALOGUE PRODUCT', kind(catalogueItem, ({ id }) => catalogueKey(id))],
  ['CLASSIFICATION CLASSIFICATION', kind(classificationItem, ({ name }) => classificationKey(name))],
  ['BUG BUG', kind(bugItem, ({ id }) => bugKey(id))],
  [
    'BUG COMMENT',
    kind(commentItem, ({ bug_id, creation_time, count }) => commentKey(bug_id, creation_time, count)),
  ],
  ['BUG WAITING', kind(waitingComment, ({ bug_id, id }) => waitingCommentKey(bug_id, id))],
  ['BUG IMPORTED', kind(markItem)],
  ['COMMENT COMMENT', kind(commentPointerItem)],
  ['ALIAS ALIAS', kind(bugPointerItem)],
  ['BUGSOURCE BUGSOURCE', kind(bugPointerItem)],
  ['TAG TAG', kind(tagItem, ({ tag }) => tagKey(tag))],
  ['TAGCHANGE COMMENT', kind(tagChangeItem, ({ comment_id }) => tagChangeKey(comment_id))],
  ['USER USER', kind(userItem, ({ login }) => userKey(login))],
  ['USER APIKEY', kind(userApiKeyItem)],
  ['USERID USERID', kind(userIdItem)],
  ['APIKEY APIKEY', kind(apiKeyItem)],
  ['TOKEN TOKEN', kind(tokenItem)],
  ['IDEMPOTENCY KEY', kind(idempotencyItem)],
  ['GROUP GROUP', kind(groupItem, ({ name }) => groupKey(name))],
  ['COUNTER COUNTER', kind(counterItem)],
]);

/** Every item is of a kind that Bugless knows, in shape, and stands where its content says. */
export function judgeItem(item: Item): Finding | undefined {
  // The sort key of a suffix begins with the suffix.
  const name = kindOf(item['pk']) === 'TAGSUFFIX' ? undefined : `${kindOf(item['pk'])} ${kindOf(item['sk'])}`;
  if (name === undefined) return undefined;
  const judge = kinds.get(name);
  const wrong = judge === undefined ? 'nothing in Bugless has such a key' : judge(item);
  return wrong === undefined ? undefined : { item: keyText(item), wrong };
}

/** Reads items by their keys; those that are not in shape count as absent, and are found as what they are. */
export async function readSound(table: Table, keys: Key[]): Promise<Item[]> {
  return (await readItems(table, keys)).filter((item) => judgeItem(item) === undefined);
}
