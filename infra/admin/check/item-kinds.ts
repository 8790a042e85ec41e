import * as z from 'zod';
import { bugItem, bugPointerItem, historyItem, keywordItem } from '../../../lib/bugs/schema.ts';
import { legalValues } from '../../../lib/bugs/values.ts';
import { tagItem } from '../../../lib/comment-tags/schema.ts';
import { commentItem, commentPointerItem, queuedComment } from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { counterItem } from '../../../lib/dynamodb/counters.ts';
import {
  bugKey,
  bugPartition,
  classificationKey,
  commentKey,
  groupKey,
  idempotencyKey,
  importCheckpointKey,
  type Key,
  keywordKey,
  productIndexKey,
  productKey,
  productNameKey,
  queuedCommentKey,
  tagKey,
  userIndexKey,
  userKey,
} from '../../../lib/dynamodb/keys.ts';
import { type Item, readItems } from '../../../lib/dynamodb/read.ts';
import { idempotencyRecord } from '../../../lib/idempotency/repository.ts';
import { productIndexVersion } from '../../../lib/products/product-index.ts';
import {
  classificationItem,
  productIndexItem,
  productItem,
  productNameItem,
  productParts,
} from '../../../lib/products/schema.ts';
import {
  apiKeyItem,
  groupIdItem,
  groupItem,
  storedUserItem,
  tokenItem,
  userApiKeyItem,
  userIdItem,
  userIndexItem,
} from '../../../lib/users/schema.ts';
import { checkpointItem } from '../import/checkpoint-repository.ts';
import { type Finding, keyText, kindOf } from './finding.ts';

/** What is wrong with the content of an item; undefined: nothing. */
type Judge = (item: Item) => string | undefined;

/**
 * A kind of items.
 *
 * @param keyOf the key that an item must have by what it says, and by the key that it has, as far as nothing else
 * says it; absent where nothing does
 */
function kind<T>(schema: z.core.$ZodType<T>, keyOf?: (said: T, item: Item) => Partial<Key>): Judge {
  return (item) => {
    const parsed = z.safeParse(schema, item);
    if (!parsed.success) return z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ');
    if (keyOf === undefined) return undefined;
    const key = keyText({ ...item, ...keyOf(parsed.data, item) });
    return key === keyText(item) ? undefined : `by its content it belongs at ${key}`;
  };
}

/** JSON text of parts of a product. */
const partsText = z.string().refine((text) => {
  try {
    return productParts.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}, 'must be JSON of parts of a product');

/** By the kinds of partition key and sort key, or of the partition key alone. */
const kinds: ReadonlyMap<string, Judge> = new Map([
  ['PRODUCT PRODUCT', kind(z.object({ ...productItem.shape, parts: partsText }), ({ id }) => productKey(id))],
  ['PRODUCT PARTS', kind(z.object({ parts: partsText }))],
  ['PRODUCTNAME PRODUCTNAME', kind(productNameItem, ({ name }) => productNameKey(name))],
  ['PRODUCTINDEX VERSION', kind(productIndexVersion)],
  ['PRODUCTINDEX PRODUCT', kind(productIndexItem, ({ id }) => productIndexKey(id))],
  ['CLASSIFICATION CLASSIFICATION', kind(classificationItem, ({ name }) => classificationKey(name))],
  ['BUG BUG', kind(bugItem, ({ id }) => bugKey(id))],
  [
    'BUG COMMENT',
    kind(commentItem, ({ bug_id, creation_time, count }) => commentKey(bug_id, creation_time, count)),
  ],
  ['BUG QUEUED', kind(queuedComment, ({ bug_id, id }) => queuedCommentKey(bug_id, id))],
  ['BUG IMPORTED', kind(checkpointItem, ({ bug_id }) => importCheckpointKey(bug_id))],
  ['COMMENT COMMENT', kind(commentPointerItem)],
  ['ALIAS ALIAS', kind(bugPointerItem)],
  ['BUGSOURCE BUGSOURCE', kind(bugPointerItem)],
  ['BUG HISTORY', kind(historyItem, ({ bug_id }) => ({ pk: bugPartition(bug_id) }))],
  ['PRODUCTBUGS BUG', kind(bugPointerItem)],
  ...['ASSIGNEE', 'CC', 'QA', 'REPORTER'].map((role) => [`USERBUGS ${role}`, kind(bugPointerItem)] as const),
  ['CHANGED', kind(bugPointerItem)],
  ['FIELDVALUES FIELDVALUES', kind(legalValues)],
  ['KEYWORDS KEYWORD', kind(keywordItem, ({ name }) => keywordKey(name))],
  ['USERINDEX USER', kind(userIndexItem, ({ login }) => userIndexKey(login))],
  ['TAG TAG', kind(tagItem, ({ tag }) => tagKey(tag))],
  ['USER USER', kind(storedUserItem, ({ login }) => userKey(login))],
  ['USER APIKEY', kind(userApiKeyItem, ({ hash }) => ({ sk: `APIKEY#${hash}` }))],
  ['USERINDEX USER', kind(userIndexItem, ({ login }) => userIndexKey(login))],
  ['USERID USERID', kind(userIdItem)],
  ['APIKEY APIKEY', kind(apiKeyItem)],
  ['TOKEN TOKEN', kind(tokenItem)],
  ['IDEMPOTENCY KEY', kind(idempotencyRecord, ({ user_id, key_hash }) => idempotencyKey(user_id, key_hash))],
  ['GROUP GROUP', kind(groupItem, ({ name }) => groupKey(name))],
  ['GROUPID GROUPID', kind(groupIdItem)],
  ['COUNTER COUNTER', kind(counterItem)],
]);

/** Every item is of a kind that Bugless knows, in shape, and stands where its content says. */
export function judgeItem(item: Item): Finding | undefined {
  // The sort key of a suffix begins with the suffix, that of a change with the time.
  const partition = kindOf(item['pk']);
  if (partition === 'TAGSUFFIX') return undefined;
  const judge = kinds.get(`${partition} ${kindOf(item['sk'])}`) ?? kinds.get(partition);
  if (judge === undefined) return { item: keyText(item), wrong: 'nothing in Bugless has such a key' };
  const wrong = judge(item);
  return wrong === undefined ? undefined : { item: keyText(item), wrong, isFundamental: true };
}

/**
 * Reads items by their keys, as what a schema makes of them, by their keys as texts; absent ones, and those that are
 * not in shape, are left out.
 */
export async function readBy<T>(
  table: Table,
  keys: Key[],
  schema: z.core.$ZodType<T>,
): Promise<Map<string, T>> {
  const items = await readSound(table, keys);
  return new Map(items.map((item) => [keyText(item), z.parse(schema, item)]));
}

/** Reads items by their keys; those that are not in shape count as absent, and are found as what they are. */
export async function readSound(table: Table, keys: Key[]): Promise<Item[]> {
  return (await readItems(table, keys)).filter((item) => judgeItem(item) === undefined);
}
