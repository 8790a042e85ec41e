import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { normalizeName } from '../text.ts';
import { accountRepository } from '../users/account-repository.ts';
import { hashOf, userRepository } from '../users/repository.ts';
import type { Catalogue, Problem } from './schema.ts';

/** Users with another id or spelling in the table, and ids and API keys that belong to another user. */
export async function userProblems(table: Table, { users }: Catalogue): Promise<Problem[]> {
  const accounts = accountRepository(table);
  const stored = await userRepository(table, () => new Date()).byLogins(users.map(({ login }) => login));
  const problems = await mapConcurrent([...users.entries()], async ([u, { id, login, api_keys }]) => {
    const path = ['users', u];
    const existing = stored.get(normalizeName(login));
    const owner = id === undefined ? undefined : await accounts.loginOf(id);
    const hashes = api_keys.map(({ key, key_sha256 }) => key_sha256 ?? hashOf(key ?? ''));
    const owners = await accounts.ownersOf(hashes);
    const found: Problem[] = [];
    if (existing !== undefined && existing.login !== login) {
      found.push({ path: [...path, 'login'], message: `the user exists as '${existing.login}'` });
    }
    if (existing !== undefined && id !== undefined && existing.id !== id) {
      const message = `the user '${existing.login}' has the id ${existing.id}, not ${id}`;
      found.push({ path: [...path, 'id'], message });
    } else if (owner !== undefined && normalizeName(owner) !== normalizeName(login)) {
      found.push({ path: [...path, 'id'], message: `the user ${id} is '${owner}', not '${login}'` });
    }
    for (const [k, hash] of hashes.entries()) {
      const holder = owners.get(hash) ?? login;
      if (normalizeName(holder) === normalizeName(login)) continue;
      found.push({ path: [...path, 'api_keys', k], message: `the API key belongs to '${holder}'` });
    }
    return found;
  });
  return problems.flat();
}
