import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { userIdKey } from '../dynamodb/keys.ts';
import { readItem } from '../dynamodb/read.ts';
import { hashOf } from '../users/repository.ts';
import { type UserItem, userIdItem } from '../users/schema.ts';
import { readUser, type StoredUser, type UserWithKeys, writeUser } from '../users/write-user.ts';
import type { Groups } from './apply-groups.ts';
import { type Catalogue, CatalogueError, type CatalogueUser } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** Adds and changes users with their API keys; keys that the catalogue does not have stay. */
export async function applyUsers(
  table: Table,
  catalogue: Catalogue,
  groups: Groups,
  counter: SummaryCounter,
): Promise<void> {
  for (const [place, user] of catalogue.users.entries()) {
    const path = `$.users[${place}]`;
    const existing = await readUser(table, user.login);
    const id = user.id ?? existing?.user.id ?? (await allocateIds(table, 'user'));
    await refuseOtherOwner(table, id, user.login, path);
    const changed = await writeUser(table, existing, wantedUser(id, user, existing, groups, path));
    counter.count('users', changed ? (existing === undefined ? 'added' : 'changed') : 'unchanged');
  }
}

async function refuseOtherOwner(table: Table, id: number, login: string, path: string): Promise<void> {
  const item = await readItem(table, userIdKey(id));
  const owner = item === undefined ? undefined : userIdItem.parse(item).login;
  if (owner !== undefined && owner !== login) {
    throw new CatalogueError(`${path}.id: the user ${id} is '${owner}', not '${login}'`);
  }
}

function wantedUser(
  id: number,
  user: CatalogueUser,
  existing: StoredUser | undefined,
  groups: Groups,
  path: string,
): UserWithKeys {
  const wanted: UserItem = {
    id,
    login: user.login,
    real_name: user.real_name,
    groups: user.groups.map((name, place) => groups.named(name, `${path}.groups[${place}]`).name),
    ...(user.disabled === undefined ? {} : { disabled: user.disabled }),
  };
  const keys = new Map(existing?.keys.map((key) => [key.hash, key]));
  for (const { key, key_sha256, description, revoked } of user.api_keys) {
    const hash = key_sha256 ?? hashOf(key ?? '');
    keys.set(hash, { hash, description, revoked });
  }
  return { user: wanted, keys: [...keys.values()] };
}
