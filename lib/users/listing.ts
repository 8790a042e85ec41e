import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../dynamodb/client.ts';
import { groupKey } from '../dynamodb/keys.ts';
import { type Item, readItems } from '../dynamodb/read.ts';
import { type GroupItem, groupItem, type UserItem, userItem } from './schema.ts';

/** Reads the whole table, page by page: for the operator only, the functions may not. */
export async function* scanPages(table: Table, sortKey?: string): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        ExclusiveStartKey: start,
        ...(sortKey === undefined
          ? {}
          : { FilterExpression: 'sk = :sk', ExpressionAttributeValues: { ':sk': sortKey } }),
      }),
    );
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

async function scanAll<T>(table: Table, sortKey: string, parse: (item: Item) => T): Promise<T[]> {
  const all: T[] = [];
  for await (const page of scanPages(table, sortKey)) all.push(...page.map(parse));
  return all;
}

/** Groups by name, or all of them, ordered by id. */
export async function groupsOf(table: Table, names?: string[]): Promise<GroupItem[]> {
  const parse = (item: Item) => groupItem.parse(item);
  const groups =
    names === undefined
      ? await scanAll(table, 'GROUP', parse)
      : (await readItems(table, names.map(groupKey))).map(parse);
  return groups.sort((a, b) => a.id - b.id);
}

/** All users, ordered by id. */
export async function allUsers(table: Table): Promise<UserItem[]> {
  const users = await scanAll(table, 'USER', (item) => userItem.parse(item));
  return users.sort((a, b) => a.id - b.id);
}
