import * as z from 'zod';
import type { TablePermission } from '../../../lib/http/routes.ts';

/** An action on one partition, which IAM allows or denies. */
export interface IamAction {
  /** IAM action: `dynamodb:GetItem` */
  action: string;
  /** partition key; undefined: the whole table */
  partition: string | undefined;
}

/** The IAM action of each action of a transaction. */
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
const writeRequest = z.object({ PutRequest: part.optional(), DeleteRequest: part.optional() });
const batchWrite = z.object({ RequestItems: z.record(z.string(), z.array(writeRequest)) });
/** lib/dynamodb/read.ts passes the partition of a query as `:pk`. */
const query = z.object({ ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }) }) });

const partitionOf = ({ Item, Key }: z.infer<typeof part>) => (Item ?? Key)?.pk.S;

/** The IAM actions of a call to DynamoDB: one for each item of a batch or a transaction. */
export function iamActionsOf(operation: string, body: Buffer): IamAction[] {
  const call: unknown = JSON.parse(body.toString());
  const action = `dynamodb:${operation}`;
  switch (operation) {
    case 'BatchGetItem': {
      const keys = Object.values(batch.parse(call).RequestItems).flatMap(({ Keys }) => Keys);
      return keys.map(({ pk }) => ({ action, partition: pk.S }));
    }
    case 'BatchWriteItem': {
      const requests = Object.values(batchWrite.parse(call).RequestItems).flat();
      return requests.map(({ PutRequest, DeleteRequest }) => ({
        action,
        partition: partitionOf(PutRequest ?? DeleteRequest ?? {}),
      }));
    }
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return transaction.parse(call).TransactItems.flatMap((action) =>
        Object.entries(action).map(([kind, content]) => ({
          action: `dynamodb:${TRANSACTION_ACTIONS[kind] ?? kind}`,
          partition: partitionOf(content),
        })),
      );
    case 'Query':
      return [{ action, partition: query.parse(call).ExpressionAttributeValues[':pk'].S }];
    default:
      return [{ action, partition: partitionOf(part.parse(call)) }];
  }
}

/**
 * Whether a policy with these permissions allows the actions of a call. All keys of an action must be those of one
 * statement: IAM's `ForAllValues` compares a statement with all leading keys of the call.
 *
 * @returns the first action that it denies
 */
export function deniedAction(
  actions: readonly IamAction[],
  permitted: readonly TablePermission[],
): IamAction | undefined {
  const isPermitted = ({ action }: IamAction) => {
    const keys = actions.filter((other) => other.action === action).map(({ partition }) => partition);
    return permitted.some(
      (statement) =>
        statement.actions.includes(action) &&
        keys.every((key) => statement.partitions.some((pattern) => isLike(key, pattern))),
    );
  };
  return actions.find((action) => !isPermitted(action));
}

function isLike(partition: string | undefined, pattern: string): boolean {
  if (pattern === '*') return true;
  if (partition === undefined) return false;
  return pattern.endsWith('*') ? partition.startsWith(pattern.slice(0, -1)) : partition === pattern;
}
