/** What a group of endpoints may do with some of the table. */
export interface TableAccess {
  /** as IAM names them */
  actions: readonly string[];
  /** patterns of the partition keys that it may do it with: see lib/dynamodb/keys.ts */
  partitions: readonly string[];
}

const READING = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];

/** Of a transaction that writes, each action is asked for by itself. */
const WRITING = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
];

/** What tells who asks. */
const CREDENTIALS = ['APIKEY#*', 'TOKEN#*'];
const PRODUCTS = ['PRODUCT#*', 'PRODUCTNAME#*', 'PRODUCTINDEX'];
const TAGS = ['TAG#*', 'TAGSUFFIX#*'];
const REMEMBERED = 'IDEMPOTENCY#*';

const reading = (...partitions: string[]): TableAccess => ({
  actions: READING,
  partitions: [...CREDENTIALS, ...partitions],
});
const writing = (...partitions: string[]): TableAccess => ({ actions: WRITING, partitions });

/** For each group what it does, no more: nobody but the operator writes users or keys, nothing scans. */
const accessOf: ReadonlyMap<string, readonly TableAccess[]> = new Map([
  [
    'products',
    [
      reading(...PRODUCTS, 'CLASSIFICATION#*', REMEMBERED),
      writing(...PRODUCTS, 'COUNTER#product', 'COUNTER#version', 'COUNTER#milestone', REMEMBERED),
    ],
  ],
  [
    'bugs',
    [
      reading('BUG#*', 'ALIAS#*', 'COMMENT#*', 'USER#*', ...PRODUCTS, REMEMBERED),
      writing('BUG#*', 'ALIAS#*', 'COMMENT#*', 'COUNTER#bug', 'COUNTER#comment', REMEMBERED),
    ],
  ],
  [
    'comments',
    [
      reading('BUG#*', 'ALIAS#*', 'COMMENT#*', 'PRODUCT#*', REMEMBERED),
      writing('BUG#*', 'COMMENT#*', 'COUNTER#comment', REMEMBERED),
    ],
  ],
  ['comment-tags', [reading('BUG#*', 'COMMENT#*', ...TAGS), writing('BUG#*', ...TAGS)]],
  [
    'service-info',
    [
      reading('USER#*', 'USERID#*'),
      { actions: ['dynamodb:PutItem', 'dynamodb:DeleteItem'], partitions: ['TOKEN#*'] },
    ],
  ],
  // files and a document, whoever asks
  ['explorer', []],
]);

/**
 * What a group of endpoints may do with the table.
 *
 * @param group as in functions/groups.ts
 * @throws Error when nobody has declared it
 */
export function tableAccessOf(group: string): readonly TableAccess[] {
  const access = accessOf.get(group);
  if (access === undefined) {
    throw new Error(`What does the group ${group} do with the table? Say so in infra/stack/permissions.ts`);
  }
  return access;
}
