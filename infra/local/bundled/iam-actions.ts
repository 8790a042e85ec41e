import * as z from 'zod';
import type { TablePermission } from '../../../lib/table/permission.ts';

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

const transaction = z.object({ TransactItems: z.array(z.record(z.string(), z.unknown())) });
const partition = z.object({ S: z.string() });

/** The partitions of the items and keys in a call. lib/table/read.ts passes that of a query as `:pk`. */
function partitionsIn(call: unknown): string[] {
  if (typeof call !== 'object' || call === null) return [];
  return Object.entries(call).flatMap(([name, content]) =>
    name === 'pk' || name === ':pk' ? [partition.parse(content).S] : partitionsIn(content),
  );
}

/** The IAM actions of a call to DynamoDB: one for each item of a batch or a transaction. */
export function iamActionsOf(operation: string, body: Buffer): IamAction[] {
  const call: unknown = JSON.parse(body.toString());
  const actionsOn = (action: string, part: unknown): IamAction[] => {
    const partitions = partitionsIn(part);
    return (partitions.length === 0 ? [undefined] : partitions).map((one) => ({
      action: `dynamodb:${action}`,
      partition: one,
    }));
  };
  if (!operation.startsWith('Transact')) return actionsOn(operation, call);
  return transaction
    .parse(call)
    .TransactItems.flatMap((item) =>
      Object.entries(item).flatMap(([kind, part]) => actionsOn(TRANSACTION_ACTIONS[kind] ?? kind, part)),
    );
}

/**
 * Whether a policy with these permissions allows the actions of a call. IAM's `ForAllValues` compares a statement with
 * all leading keys: those of the action, or those of the whole transaction; its documentation does not say which, so the
 * statement must have both.
 *
 * @returns the first action that it denies
 */
export function deniedAction(
  actions: readonly IamAction[],
  permitted: readonly TablePermission[],
): IamAction | undefined {
  const isPermitted = ({ action }: IamAction) => {
    const keys = actions.map(({ partition }) => partition);
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
