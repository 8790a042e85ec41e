import * as z from 'zod';
import type { TablePermission } from '../../../lib/http/routes.ts';

/** What a call does to one partition: what IAM decides about. */
export interface IamAction {
  /** as IAM names it: `dynamodb:GetItem` */
  action: string;
  /** undefined: the whole table */
  partition: string | undefined;
}

/** What an action of a transaction is asked for as. */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

const item = z.object({ pk: z.object({ S: z.string() }) });
const part = z.object({ Item: item.optional(), Key: item.optional() });
const transaction = z.object({ TransactItems: z.array(z.record(z.string(), part)) });
const batch = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(item) })) });
/** Our queries name their partition so. */
const query = z.object({ ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }) }) });

const partitionOf = ({ Item, Key }: z.infer<typeof part>) => (Item ?? Key)?.pk.S;

/** What a call to DynamoDB touches; a batch and a transaction touch each of their parts. */
export function iamActionsOf(operation: string, body: Buffer): IamAction[] {
  const asked: unknown = JSON.parse(body.toString());
  const action = `dynamodb:${operation}`;
  switch (operation) {
    case 'BatchGetItem': {
      const keys = Object.values(batch.parse(asked).RequestItems).flatMap(({ Keys }) => Keys);
      return keys.map(({ pk }) => ({ action, partition: pk.S }));
    }
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return transaction.parse(asked).TransactItems.flatMap((one) =>
        Object.entries(one).map(([kind, what]) => ({
          action: `dynamodb:${TRANSACTION_ACTIONS[kind] ?? kind}`,
          partition: partitionOf(what),
        })),
      );
    case 'Query':
      return [{ action, partition: query.parse(asked).ExpressionAttributeValues[':pk'].S }];
    default:
      return [{ action, partition: partitionOf(part.parse(asked)) }];
  }
}

/** Whether a policy of these accesses allows it. */
export function isPermitted(
  { action, partition }: IamAction,
  permitted: readonly TablePermission[],
): boolean {
  return permitted.some(
    ({ actions, partitions }) =>
      actions.includes(action) && partitions.some((pattern) => isLike(partition, pattern)),
  );
}

function isLike(partition: string | undefined, pattern: string): boolean {
  if (pattern === '*') return true;
  if (partition === undefined) return false;
  return pattern.endsWith('*') ? partition.startsWith(pattern.slice(0, -1)) : partition === pattern;
}
