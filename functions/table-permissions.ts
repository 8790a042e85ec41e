import { formatKey, productIndexPartition } from '../lib/table/keys.ts';
import type { TablePermission } from '../lib/table/table.ts';

const READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** Many items at once, without conditions. */
const BATCH_WRITE = ['dynamodb:BatchWriteItem'];
const WRITE = {
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  delete: 'dynamodb:DeleteItem',
  check: 'dynamodb:ConditionCheckItem',
} as const;

/** The partitions that every endpoint group reads: for authentication, and the format of the table. */
const COMMON = ['APIKEY#*', 'TOKEN#*', formatKey.pk];

/** The partitions of products, their names and the product index. */
export const PRODUCTS: readonly string[] = ['PRODUCT#*', 'PRODUCTNAME#*', productIndexPartition];

/** The partitions of stored responses to requests with an `Idempotency-Key`. */
export const IDEMPOTENCY = 'IDEMPOTENCY#*';

/** The partitions of comment tags and their suffixes. */
export const TAGS: readonly string[] = ['TAG#*', 'TAGSUFFIX#*'];

/** The partitions of the change log of bugs. */
export const CHANGED = 'CHANGED#*';

/** The partitions of the index of bugs. */
export const SEARCH_INDEX: readonly string[] = ['SEARCHINDEX', 'SEGMENT#*', CHANGED];

/** The partitions of the words of comments. */
export const WORDS = 'WORD#*';

/** What a function may do with which partitions of the table. */
interface TableUse {
  read: readonly string[];
  /** the actions of its writes, each of which may be on all of `write`: see tablePermissions */
  writes: readonly (keyof typeof WRITE)[];
  write: readonly string[];
  batchWrite?: readonly string[];
}

/**
 * Permissions to read, write and delete items of partitions, and to read those of authentication. IAM's documentation does
 * not say whether it compares a statement with the keys of its own action in a transaction, or with all keys of the
 * transaction, so the actions of writes are permitted together, on all partitions that the function writes.
 */
export const tablePermissions = ({ read, writes, write, batchWrite }: TableUse): TablePermission[] => [
  { actions: READ, partitions: [...COMMON, ...read] },
  { actions: writes.map((action) => WRITE[action]), partitions: [...new Set(write)] },
  ...(batchWrite === undefined ? [] : [{ actions: BATCH_WRITE, partitions: batchWrite }]),
];

/** What a consumer may do: read partitions, and write its own, where it has some. */
export const consumerPermissions = (
  read: readonly string[],
  write: readonly string[] = [],
): TablePermission[] => [
  { actions: READ, partitions: [formatKey.pk, ...read, ...write] },
  ...(write.length === 0 ? [] : [{ actions: [WRITE.put, WRITE.update], partitions: write }]),
];
