import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { ConditionFailed } from './errors.ts';
import { CURRENT_FORMAT, parseFormat } from './format.ts';
import { formatKey } from './keys.ts';
import { readItem } from './read.ts';
import { retryUnavailable } from './retry.ts';
import { ABSENT, putItem } from './write.ts';

/**
 * The one definition of the table: CDK, the local server and the tests create it from here.
 * Every item has a partition key `pk` and a sort key `sk`; items that end by themselves carry
 * `expires_at` (seconds since 1970).
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLiveAttribute: 'expires_at',
} as const;

/** Actions that a function performs on items of the table. */
export interface TablePermission {
  /** IAM actions, such as `dynamodb:GetItem` */
  actions: readonly string[];
  /** patterns of the partition keys, in IAM's `StringLike` syntax */
  partitions: readonly string[];
}

/** Writes the current format to a table that has no item. A table without a format is one of a version before 1.0.0. */
export async function writeFormatOfNewTable(table: Table): Promise<void> {
  if ((await readItem(table, formatKey, { parse: parseFormat })) !== undefined) return;
  const scan = new ScanCommand({ TableName: table.name, ConsistentRead: true, Limit: 1 });
  const { Items = [] } = await retryUnavailable(table.retryTimeoutMs, () => table.client.send(scan));
  if (Items.length > 0) return;
  await putItem(table, { ...formatKey, ...CURRENT_FORMAT }, { condition: ABSENT }).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error;
  });
  table.format.forget();
}
