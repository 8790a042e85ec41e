import * as z from 'zod';
import { bugItem, bugPointerItem, historyItem, keywordItem } from '../../../lib/bugs/schema.ts';
import { bugSettings } from '../../../lib/bugs/settings-repository.ts';
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
import { anyItem, type Item, readItems } from '../../../lib/dynamodb/read.ts';
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

/** @returns how an item violates its schema or its key its content; undefined when it is valid */
type Validate = (item: Item) => string | undefined;

/**
 * The validation of one kind of items.
 *
 * @param keyOf the key, or a part of it, that follows from the content; absent when nothing does
 */
function kind<T>(schema: z.core.$ZodType<T>, keyOf?: (content: T) => Partial<Key>): Validate {
  return (item) => {
    const parsed = z.safeParse(schema, item);
    if (!parsed.success) return z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ');
    if (keyOf === undefined) return undefined;
    const key = keyText({ ...item, ...keyOf(parsed.data) });
    return key === keyText(item) ? undefined : `key does not match its content, expected ${key}`;
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

/** By the kinds of partition key and sort key, or by that of the partition key alone. */
const kinds: ReadonlyMap<string, Validate> = new Map([
  ['PRODUCT PRODUCT', kind(z.object({ ...productItem.shape, parts: partsText }), ({ id }) => productKey(id))],
  ['PRODUCT PARTS', kind(z.object({ parts: partsText }))],
  ['PRODUCTNAME PRODUCTNAME', kind(productNameItem, ({ name }) => productNameKey(name))],
  ['PRODUCTINDEX VERSION', kind(productIndexVersion)],
  ['PRODUCTINDEX PRODUCT', kind(productIndexItem, ({ id }) => productIndexKey(id))],
  ['CLASSIFICATION CLASSIFICATION', kind(classificationItem, ({ name }) => classificationKey(name))],
  ['BUG BUG', kind(bugItem, ({ id }) => bugKey(id))],
  ['BUG COMMENT', kind(commentItem, commentKey)],
  ['BUG QUEUED', kind(queuedComment, ({ bug_id, id }) => queuedCommentKey(bug_id, id))],
  ['BUG IMPORTED', kind(checkpointItem, ({ bug_id }) => importCheckpointKey(bug_id))],
  ['COMMENT COMMENT', kind(commentPointerItem)],
  ['ALIAS ALIAS', kind(bugPointerItem)],
  ['BUGSOURCE BUGSOURCE', kind(bugPointerItem)],
  ['BUG HISTORY', kind(historyItem, ({ bug_id }) => ({ pk: bugPartition(bug_id) }))],
  ['PRODUCTBUGS BUG', kind(bugPointerItem)],
  ...['ASSIGNEE', 'CC', 'QA', 'REPORTER'].map((role) => [`USERBUGS ${role}`, kind(bugPointerItem)] as const),
  ['CHANGED', kind(bugPointerItem)],
  ['FIELDVALUES FIELDVALUES', kind(bugSettings)],
  ['KEYWORDS KEYWORD', kind(keywordItem, ({ name }) => keywordKey(name))],
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

/** Every item is of a known kind, matches its schema, and has the key that its content implies. */
export function validateItem(item: Item): Finding | undefined {
  // The sort key of a tag suffix starts with the suffix, that of CHANGED with the time.
  const partition = kindOf(item.pk);
  if (partition === 'TAGSUFFIX') return undefined;
  const validate = kinds.get(`${partition} ${kindOf(item.sk)}`) ?? kinds.get(partition);
  if (validate === undefined) return { item: keyText(item), violation: 'is of no known kind' };
  const violation = validate(item);
  return violation === undefined ? undefined : { item: keyText(item), violation, blocksRepair: true };
}

/**
 * Reads and parses items.
 *
 * @returns by `keyText`, without those that are absent or do not match their schema
 */
export async function readBy<T>(
  table: Table,
  keys: Key[],
  schema: z.core.$ZodType<T>,
): Promise<Map<string, T>> {
  const items = await readValid(table, keys);
  return new Map(items.map((item) => [keyText(item), z.parse(schema, item)]));
}

/** Reads items, without those that do not match their schema: these have a finding of their own. */
export async function readValid(table: Table, keys: Key[]): Promise<Item[]> {
  return (await readItems(table, keys, anyItem)).filter((item) => validateItem(item) === undefined);
}
