import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from './client.ts';
import { type CounterName, counterKey } from './keys.ts';

const counterSchema = z.object({ last: z.int() });

/**
 * Takes the next `count` ids, never given before or after. Apart from the write that uses them, so that
 * writers do not wait for each other: a write that fails leaves a gap.
 *
 * @returns the first of them
 */
export async function allocateIds(table: Table, what: CounterName, count = 1): Promise<number> {
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...counterKey(what) },
      UpdateExpression: 'ADD #last :count',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':count': count },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return counterSchema.parse(Attributes).last - count + 1;
}

/** Makes sure that no id up to `id` will be given: for ids that came from elsewhere. */
export async function advanceCounter(table: Table, what: CounterName, id: number): Promise<void> {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: { ...counterKey(what) },
        UpdateExpression: 'SET #last = :id',
        ConditionExpression: 'attribute_not_exists(#last) OR #last < :id',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':id': id },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
