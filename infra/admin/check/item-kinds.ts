import * as z from 'zod';
import { jsonOf } from '../../../lib/base/json.ts';
import {
  attachmentItem,
  attachmentPartItem,
  attachmentPointerItem,
} from '../../../lib/bugs/attachments/schema.ts';
import { changeLogItem } from '../../../lib/bugs/change-log/change-log.ts';
import { tagItem } from '../../../lib/bugs/comment-tags/repository.ts';
import { commentItem, commentPointerItem, queuedComment } from '../../../lib/bugs/comments/schema.ts';
import { postingItem } from '../../../lib/bugs/comments/word-index.ts';
import { bugItem, bugPointerItem, historyItem, keywordItem } from '../../../lib/bugs/schema.ts';
import { bugApplyingItem } from '../../../lib/bugs/store/bulk-repository.ts';
import { lastVisitItem } from '../../../lib/bugs/store/last-visits.ts';
import { bugSettings } from '../../../lib/bugs/store/settings-repository.ts';
import { mailItem } from '../../../lib/changes/mail/repository.ts';
import { mailHourItem } from '../../../lib/changes/mail/shares.ts';
import { watchersItem, watchesItem } from '../../../lib/changes/watches/schema.ts';
import { auditItem } from '../../../lib/people/audit/repository.ts';
import { groupGraphItem } from '../../../lib/people/group-graph.ts';
import { savedSearchesItem, sharersItem } from '../../../lib/people/saved-searches/validation.ts';
import {
  apiKeyItem,
  groupIdItem,
  groupItem,
  knownBrowserItem,
  signInHourItem,
  signInItem,
  storedUserItem,
  tokenItem,
  userApiKeyItem,
  userIdItem,
  userIndexItem,
} from '../../../lib/people/schema.ts';
import { unsubscribeItem } from '../../../lib/people/unsubscribe.ts';
import {
  classificationItem,
  productIndexItem,
  productItem,
  productNameItem,
  productParts,
} from '../../../lib/products/schema.ts';
import { manifestItem, segmentItem } from '../../../lib/search/index/repository.ts';
import type { Table } from '../../../lib/table/client.ts';
import { counterItem, rangeVersion } from '../../../lib/table/counters.ts';
import { formatItem } from '../../../lib/table/format.ts';
import { idempotencyRecord } from '../../../lib/table/idempotency.ts';
import type { Key } from '../../../lib/table/keys.ts';
import * as keys from '../../../lib/table/keys.ts';
import { anyItem, type Item, readItems } from '../../../lib/table/read.ts';
import { ABSENT, asRead, type Guard, PRESENT } from '../../../lib/table/write.ts';
import { type Finding, kindOfKey } from './finding.ts';

/** Items of one kind. */
export interface ItemKind<T> {
  /** the kinds of partition key and sort key; one: of both; `*`: any sort key */
  names: readonly string[];
  /** the content, or how the item violates its schema, or its key its content */
  read(item: Item): { content: T; violation?: never } | { content?: never; violation: string };
  /** the condition that an item has what a repair compares; undefined: that there is none */
  unchanged(content: T | undefined): Guard;
}

/**
 * @param impliedKey the key, or a part of it, that follows from the content
 * @param compared the attributes by which a repair sees that an item is as it was read; none: it exists
 */
function kind<T extends object>(
  names: string | string[],
  schema: z.core.$ZodType<T>,
  impliedKey: (content: T) => Partial<Key> = anyKey,
  compared: readonly (keyof T & string)[] = [],
): ItemKind<T> {
  /** Several checks read an item: it is parsed once. */
  const known = new WeakMap<Item, ReturnType<ItemKind<T>['read']>>();
  const parse: ItemKind<T>['read'] = (item) => {
    const { data, error } = z.safeParse(schema, item);
    if (error !== undefined) return { violation: z.prettifyError(error).replaceAll(/\s+/g, ' ') };
    const key = keys.keyText({ ...item, ...impliedKey(data) });
    if (key === keys.keyText(item)) return { content: data };
    return { violation: `key does not match its content, expected ${key}` };
  };
  return {
    names: [names].flat().map((name) => (name.includes(' ') ? name : `${name} ${name}`)),
    read(item) {
      const result = known.get(item) ?? parse(item);
      known.set(item, result);
      return result;
    },
    unchanged(content) {
      if (content === undefined) return { condition: ABSENT };
      if (compared.length === 0) return { condition: PRESENT };
      return asRead(Object.fromEntries(compared.map((name) => [name, content[name]])));
    },
  };
}

/** Nothing of the key follows from the content. */
const anyKey = () => ({});

/** JSON text of parts of a product. */
const partsText = z
  .string()
  .refine((text) => productParts.safeParse(jsonOf(text)).success, 'must be JSON of parts of a product');

export const kinds = {
  product: kind(
    'PRODUCT',
    z.object({ ...productItem.shape, parts: partsText }),
    ({ id }) => keys.productKey(id),
    ['revision'],
  ),
  productParts: kind('PRODUCT PARTS', z.object({ parts: partsText })),
  productName: kind('PRODUCTNAME', productNameItem, ({ name }) => keys.productNameKey(name), ['product_id']),
  productIndexVersion: kind('PRODUCTINDEX VERSION', rangeVersion),
  productIndex: kind('PRODUCTINDEX PRODUCT', productIndexItem, ({ id }) => keys.productIndexKey(id)),
  classification: kind('CLASSIFICATION', classificationItem, ({ name }) => keys.classificationKey(name)),
  bugApplying: kind('BUG APPLYING', bugApplyingItem, ({ bug_id }) => keys.bugApplyingKey(bug_id)),
  bug: kind('BUG', bugItem, ({ id }) => keys.bugKey(id), ['comment_count', 'revision']),
  comment: kind('BUG COMMENT', commentItem, keys.commentKey, ['id']),
  attachment: kind('BUG ATTACHMENT', attachmentItem, ({ bug_id, id }) => keys.attachmentKey(bug_id, id)),
  attachmentPointer: kind('ATTACHMENT', attachmentPointerItem),
  attachmentPart: kind('ATTACHMENTDATA PART', attachmentPartItem),
  queuedComment: kind('BUG QUEUED', queuedComment, ({ bug_id, id }) => keys.queuedCommentKey(bug_id, id)),
  history: kind('BUG HISTORY', historyItem, ({ bug_id }) => ({ pk: keys.bugPartition(bug_id) })),
  commentPointer: kind('COMMENT', commentPointerItem, anyKey, ['bug_id', 'creation_time']),
  alias: kind('ALIAS', bugPointerItem, anyKey, ['bug_id']),
  change: kind('CHANGED *', changeLogItem),
  searchManifest: kind('SEARCHINDEX MANIFEST', manifestItem),
  segment: kind('SEGMENT', segmentItem),
  posting: kind('WORD *', postingItem),
  bugSettings: kind('FIELDVALUES', bugSettings),
  keyword: kind('KEYWORDS KEYWORD', keywordItem, ({ name }) => keys.keywordKey(name)),
  tag: kind('TAG', tagItem, ({ tag }) => keys.tagKey(tag), ['uses']),
  tagSuffix: kind('TAGSUFFIX *', z.object({})),
  user: kind('USER', storedUserItem, ({ login }) => keys.userKey(login), ['revision']),
  listedApiKey: kind('USER APIKEY', userApiKeyItem, ({ hash }) => ({ sk: `APIKEY#${hash}` })),
  userIndex: kind('USERINDEX ENTRY', userIndexItem, ({ id }) => keys.userIndexKey(id)),
  userIndexVersion: kind('USERINDEX VERSION', rangeVersion),
  userId: kind('USERID', userIdItem),
  apiKey: kind('APIKEY', apiKeyItem, anyKey, ['user', 'revoked']),
  token: kind('TOKEN', tokenItem),
  signIn: kind('SIGNIN', signInItem),
  knownBrowser: kind('SIGNIN BROWSER', knownBrowserItem),
  signInHour: kind('SIGNINHOUR', signInHourItem),
  idempotency: kind('IDEMPOTENCY KEY', idempotencyRecord, ({ user_id, key_hash }) =>
    keys.idempotencyKey(user_id, key_hash),
  ),
  lastVisit: kind('LASTVISIT BUG', lastVisitItem, ({ user_id, bug_id }) =>
    keys.lastVisitKey(user_id, bug_id),
  ),
  savedSearches: kind('SAVEDSEARCHES', savedSearchesItem, ({ user_id }) => keys.savedSearchesKey(user_id), [
    'revision',
  ]),
  sharers: kind('SHARERS', sharersItem, ({ group_id }) => keys.sharersKey(group_id), ['revision']),
  watches: kind('WATCHES', watchesItem, ({ user_id }) => keys.watchesKey(user_id), ['revision']),
  watchers: kind('WATCHERS', watchersItem, keys.watchersKey, ['revision']),
  unsubscribe: kind('UNSUBSCRIBE', unsubscribeItem),
  mail: kind('MAIL *', mailItem),
  mailHour: kind('MAILHOUR', mailHourItem),
  group: kind('GROUP', groupItem, ({ name }) => keys.groupKey(name), ['id']),
  groupId: kind('GROUPID', groupIdItem),
  groupGraph: kind('FORMAT GROUPS', groupGraphItem, anyKey, ['version']),
  counter: kind('COUNTER', counterItem),
  format: kind('FORMAT', formatItem),
  audit: kind('AUDIT *', auditItem),
};

const byName = new Map(Object.values(kinds).flatMap((kind) => kind.names.map((name) => [name, kind])));

/** The sort key of a tag suffix starts with the suffix, that of CHANGED with the time. */
const kindAt = ({ pk, sk }: Key) =>
  byName.get(`${kindOfKey(pk)} ${kindOfKey(sk)}`) ?? byName.get(`${kindOfKey(pk)} *`);

/** Earlier versions found bugs by users, and by entries of catalogues, so, and noted the ids that they gave. */
const FORMER = /^(PRODUCTBUGS|USERBUGS|BUGSOURCE|LEASE|ASSIGNEDIDS)\b|^BUG#\S+ IMPORTED|^USERINDEX USER#/;

/** Every item is of a known kind, matches its schema, and has the key that its content implies. */
export function validateItem(item: Item): Finding | undefined {
  const kind = kindAt(item);
  const text = keys.keyText(item);
  if (kind === undefined && FORMER.test(text)) {
    const repair = [{ remove: keys.keyOf(item) }];
    return { item: text, violation: 'is of an earlier version and not used', repair };
  }
  if (kind === undefined) return { item: text, violation: 'is of no known kind' };
  const { violation } = kind.read(item);
  return violation === undefined ? undefined : { item: text, violation, blocksRepair: true };
}

/** The content of an item with its key. */
export interface Found<T> {
  key: Key;
  content: T;
}

const grouped = new WeakMap<Item[], Map<readonly string[] | undefined, Item[]>>();

/** The valid items of one kind, parsed. */
export function ofKind<T>(items: Item[], kind: ItemKind<T>): Found<T>[] {
  const groups = grouped.get(items) ?? Map.groupBy(items, (item) => kindAt(item)?.names);
  grouped.set(items, groups);
  return (groups.get(kind.names) ?? []).flatMap((item) => {
    const { content } = kind.read(item);
    return content === undefined ? [] : [{ key: keys.keyOf(item), content }];
  });
}

/**
 * Reads items of one kind.
 *
 * @returns the content at a key; undefined without an item, or when it is invalid, for which it has a finding of its own
 */
export async function readKind<T>(
  table: Table,
  wanted: Key[],
  kind: ItemKind<T>,
): Promise<(key: Key) => T | undefined> {
  const items = await readItems(table, wanted, anyItem);
  const contents = new Map(items.map((item) => [keys.keyText(item), kind.read(item).content]));
  return (key) => contents.get(keys.keyText(key));
}
