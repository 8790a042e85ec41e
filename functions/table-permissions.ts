import { productIndexPartition } from '../lib/dynamodb/keys.ts';
import type { TablePermission } from '../lib/http/routes.ts';

const READ_ACTIONS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];

/** IAM authorizes each action of a write transaction by itself. */
const WRITE_ACTIONS = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];

/** The partitions that authentication reads. */
const CREDENTIALS = ['APIKEY#*', 'TOKEN#*'];

/** The partitions of products, their names and the product index. */
export const PRODUCTS: readonly string[] = ['PRODUCT#*', 'PRODUCTNAME#*', productIndexPartition];

/** The partitions of stored responses to requests with an `Idempotency-Key`. */
export const IDEMPOTENCY = 'IDEMPOTENCY#*';

/** The partitions of comment tags and their suffixes. */
export const TAGS: readonly string[] = ['TAG#*', 'TAGSUFFIX#*'];

/** The partitions of the search index by which bugs are found by the time of their last change. */
export const CHANGED = 'CHANGED#*';

/** Permission to read these partitions, and those that authentication reads. */
export const readPermission = (...partitions: string[]): TablePermission => ({
  actions: READ_ACTIONS,
  partitions: [...CREDENTIALS, ...partitions],
});

/** Permission to write these partitions. */
export const writePermission = (...partitions: string[]): TablePermission => ({
  actions: WRITE_ACTIONS,
  partitions,
});

/** Permission to update items of these partitions, but not to replace or delete them. */
export const updatePermission = (...partitions: string[]): TablePermission => ({
  actions: ['dynamodb:UpdateItem'],
  partitions,
});

/** The partitions of the words of comments. */
export const WORDS = 'WORD#*';

/** Permission to write many items of these partitions at once, without conditions. */
export const batchWritePermission = (...partitions: string[]): TablePermission => ({
  actions: ['dynamodb:BatchWriteItem'],
  partitions,
});
