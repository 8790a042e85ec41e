import { portions } from '../base/collections.ts';
import type { Table } from '../table/client.ts';
import { raiseVersion } from '../table/counters.ts';
import {
  apiKeyKey,
  groupIdKey,
  groupKey,
  userApiKeyKey,
  userIdKey,
  userIndexKey,
  userIndexVersionKey,
  userKey,
} from '../table/keys.ts';
import { MAX_TRANSACTION_ACTIONS, transactWriteRetrying } from '../table/write.ts';
import { accountRepository } from './account-repository.ts';
import { groupGraphActions } from './group-graph.ts';
import { groupRepository } from './group-repository.ts';

// For an import into a table that takes no writes: no request removes users or groups, as bugs and products name them.

/** Removes a user with all API keys and sessions; what has the id of the user stays. The same call completes an interrupted one. */
export async function removeAccount(table: Table, login: string): Promise<void> {
  const account = await accountRepository(table).read(login);
  if (account === undefined) return;
  const { user, keys } = account;
  // The keys first: with the user, they would not be found any more.
  const actions = [
    ...keys.flatMap(({ hash }) => [{ remove: apiKeyKey(hash) }, { remove: userApiKeyKey(login, hash) }]),
    { remove: userIndexKey(user.id) },
    raiseVersion(userIndexVersionKey(user.id), table.now()),
    { remove: userIdKey(user.id) },
    { remove: userKey(login) },
  ];
  for (const some of portions(actions, { max: MAX_TRANSACTION_ACTIONS }))
    await transactWriteRetrying(table, some);
}

/** Removes a group. */
export async function removeGroup(table: Table, name: string): Promise<void> {
  const [group] = await groupRepository(table).byNames([name]);
  if (group === undefined) return;
  await transactWriteRetrying(table, [
    { remove: groupKey(name) },
    { remove: groupIdKey(group.id) },
    ...(await groupGraphActions(table, [], group.name)),
  ]);
}
