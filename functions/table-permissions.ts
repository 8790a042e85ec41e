import { fieldValuesKey, keywordsPartition, productIndexPartition } from '../lib/dynamodb/keys.ts';
import type { TablePermission } from '../lib/http/routes.ts';

const READ_ACTIONS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];

/** IAM authorizes each action of a write transaction by itself. */
const WRITE_ACTIONS = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
];

/** The partitions that authentication reads. */
const CREDENTIALS = ['APIKEY#*', 'TOKEN#*'];

/** The partitions of products, their names and the product index. */
export const PRODUCTS: readonly string[] = ['PRODUCT#*', 'PRODUCTNAME#*', productIndexPartition];

/** The partition of the bugs by the time of their last change, which comments change, too. */
export const CHANGED_BUGS = 'CHANGED#*';

/** The partitions by which bugs are searched. */
export const BUG_INDEXES: readonly string[] = [CHANGED_BUGS, 'PRODUCTBUGS#*', 'USERBUGS#*'];

/** The partitions of the values that bug fields can have. */
export const FIELD_VALUES: readonly string[] = [fieldValuesKey.pk, keywordsPartition];

/** The partitions of tags in use and of their suffixes. */
export const TAGS: readonly string[] = ['TAG#*', 'TAGSUFFIX#*'];

/** The partitions of stored responses to requests with an `Idempotency-Key`. */
export const IDEMPOTENCY = 'IDEMPOTENCY#*';

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
