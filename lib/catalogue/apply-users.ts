import type { Table } from '../dynamodb/client.ts';
import { type Account, accountRepository, type StoredAccount } from '../users/account-repository.ts';
import { hashOf } from '../users/repository.ts';
import { userApiKeyItem, userItem } from '../users/schema.ts';
import type { Groups } from './apply-groups.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { CatalogueError } from './errors.ts';
import type { Catalogue, CatalogueUser } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** Adds and changes users with their API keys; fields and keys that are not in the catalogue stay. */
export async function applyUsers(
  table: Table,
  catalogue: Catalogue,
  groups: Groups,
  counter: SummaryCounter,
): Promise<void> {
  const accounts = accountRepository(table);
  for (const [index, given] of catalogue.users.entries()) {
    const path = `$.users[${index}]`;
    const existing = await accounts.read(given.login);
    const id = given.id ?? existing?.user.id ?? (await accounts.allocateUserId());
    const owner = await accounts.loginOf(id);
    if (owner !== undefined && owner !== given.login) {
      throw new CatalogueError(`${path}.id: the user ${id} is '${owner}', not '${given.login}'`);
    }
    const isChanged = await accounts.write(existing, wantedAccount(id, given, existing, groups, path));
    counter.count('users', isChanged ? (existing === undefined ? 'added' : 'changed') : 'unchanged');
  }
}

function wantedAccount(
  id: number,
  given: CatalogueUser,
  existing: StoredAccount | undefined,
  groups: Groups,
  path: string,
): Account {
  const { login, real_name } = given;
  const groupNames = given.groups?.map((name, index) => groups.named(name, `${path}.groups[${index}]`).name);
  const { disabled: current, ...known } = existing?.user ?? {};
  const disabled = given.disabled === undefined ? current : (given.disabled ?? undefined);
  const user = userItem.parse({
    ...mergeFields(DEFAULTS.user, known, { login, real_name, groups: groupNames }),
    id,
    ...(disabled === undefined ? {} : { disabled }),
  });
  const keys = new Map(existing?.keys.map((key) => [key.hash, key]));
  for (const { key, key_sha256, description, revoked } of given.api_keys) {
    const hash = key_sha256 ?? hashOf(key ?? '');
    const fields = mergeFields(DEFAULTS.apiKey, keys.get(hash), { hash, description, revoked });
    keys.set(hash, userApiKeyItem.parse(fields));
  }
  return { user, keys: [...keys.values()] };
}
