import { productIndexPartition } from '../lib/dynamodb/keys.ts';
import type { TablePermission } from '../lib/http/routes.ts';

/** IAM authorizes each action of a write transaction by itself. */
const ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
  put: ['dynamodb:PutItem'],
  update: ['dynamodb:UpdateItem'],
  delete: ['dynamodb:DeleteItem'],
  /** many items at once, without conditions */
  batchWrite: ['dynamodb:BatchWriteItem'],
} as const;

/** The partitions that authentication reads. */
const CREDENTIALS = ['APIKEY#*', 'TOKEN#*'];

/** The partitions of products, their names and the product index. */
export const PRODUCTS: readonly string[] = ['PRODUCT#*', 'PRODUCTNAME#*', productIndexPartition];

/** The partitions of stored responses to requests with an `Idempotency-Key`. */
export const IDEMPOTENCY = 'IDEMPOTENCY#*';

/** The partitions of comment tags and their suffixes. */
export const TAGS: readonly string[] = ['TAG#*', 'TAGSUFFIX#*'];

/** The partitions of the change log of bugs. */
export const CHANGED = 'CHANGED#*';

/** The partitions of the words of comments. */
export const WORDS = 'WORD#*';

/**
 * Permissions to read, put, update and delete items of partitions, and to read those of authentication. An action is
 * permitted once, with all its partitions, because a statement must cover all keys of a transaction.
 */
export const tablePermissions = ({
  read,
  ...writes
}: Readonly<Partial<Record<keyof typeof ACTIONS, readonly string[]>>> & {
  read: readonly string[];
}): TablePermission[] => [
  { actions: ACTIONS.read, partitions: [...CREDENTIALS, ...read] },
  ...(['put', 'update', 'delete', 'batchWrite'] as const).flatMap((action) => {
    const partitions = writes[action];
    return partitions === undefined ? [] : [{ actions: ACTIONS[action], partitions }];
  }),
];
