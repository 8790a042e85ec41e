import { mapConcurrent } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { type Account, accountRepository, type StoredAccount } from '../people/account-repository.ts';
import { NOTHING_OFF, storedMailOff } from '../people/mail-preferences.ts';
import { type UserApiKeyItem, type UserItem, userApiKeyItem, userItem } from '../people/schema.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { outcomeOf, type PlanContext, type PlanOfKind } from './plan.ts';
import type { GroupNamed } from './plan-groups.ts';
import type { CatalogueUser, Problem } from './schema.ts';
import { keyHash } from './validation.ts';

/** Adds and changes users with their API keys; fields and keys that are not in the catalogue stay. */
export async function planUsers(context: PlanContext, groupNamed: GroupNamed): Promise<PlanOfKind> {
  const { table, catalogue, counter, isWhole } = context;
  const accounts = accountRepository(table);
  const users = await mapConcurrent([...catalogue.users.entries()], async ([u, given]) => {
    const { id, login, api_keys } = given;
    const [existing, holder, keyOwners] = await Promise.all([
      accounts.read(login),
      id === undefined ? undefined : accounts.loginOf(id),
      accounts.ownersOf(api_keys.map(keyHash)),
    ]);
    const path = ['users', u];
    const problems = [
      ...identityProblems(path, given, existing?.user, holder),
      ...api_keys.flatMap((key, k): Problem[] => {
        const owner = keyOwners.get(keyHash(key)) ?? login;
        if (normalizeName(owner) === normalizeName(login)) return [];
        return [{ path: [...path, 'api_keys', k], message: `the API key belongs to '${owner}'` }];
      }),
    ];
    return { given, existing, problems };
  });
  return {
    problems: users.flatMap(({ problems }) => problems),
    async execute() {
      for (const { given, existing } of users) {
        const id = given.id ?? existing?.user.id ?? (await accounts.allocateUserId());
        const desired = desiredAccount(id, given, existing, { groupNamed, isWhole });
        const isChanged = await accounts.write(existing, desired);
        counter.count('users', outcomeOf(existing, isChanged));
      }
    },
  };
}

/** A user with another id or spelling in the table, and an id that belongs to another user. */
function identityProblems(
  path: PropertyKey[],
  { id, login }: CatalogueUser,
  existing: UserItem | undefined,
  holder: string | undefined,
): Problem[] {
  const problems: Problem[] = [];
  if (existing !== undefined && existing.login !== login) {
    problems.push({ path: [...path, 'login'], message: `the user exists as '${existing.login}'` });
  }
  if (existing !== undefined && id !== undefined && existing.id !== id) {
    const message = `the user '${existing.login}' has the id ${existing.id}, not ${id}`;
    problems.push({ path: [...path, 'id'], message });
  } else if (holder !== undefined && normalizeName(holder) !== normalizeName(login)) {
    problems.push({ path: [...path, 'id'], message: `the user ${id} is '${holder}', not '${login}'` });
  }
  return problems;
}

function desiredAccount(
  id: number,
  given: CatalogueUser,
  existing: StoredAccount | undefined,
  { groupNamed, isWhole }: { groupNamed: GroupNamed; isWhole: boolean },
): Account {
  const { login, real_name, email_enabled, bless_groups } = given;
  const spelled = (names: readonly string[]) => names.map((name) => groupNamed(name).name);
  const groups = given.groups && spelled(given.groups);
  const blessed = bless_groups && spelled(bless_groups);
  const { disabled: current, ...known }: Partial<UserItem> = existing?.user ?? {};
  const disabled = given.disabled === undefined ? current : (given.disabled ?? undefined);
  const user = userItem.parse({
    ...mergeFields(DEFAULTS.user, known, { login, real_name, email_enabled, groups, bless_groups: blessed }),
    id,
    ...(disabled === undefined ? {} : { disabled }),
  });
  const kept = existing?.keys.filter((key) => !isWhole || isMadeHere(key));
  const keys = new Map(kept?.map((key) => [key.hash, key]));
  for (const key of given.api_keys) {
    const { description, revoked, created_at } = key;
    const hash = keyHash(key);
    const fields = mergeFields(DEFAULTS.apiKey, keys.get(hash), { hash, description, revoked, created_at });
    keys.set(hash, userApiKeyItem.parse(fields));
  }
  const mailOff = given.mail_off && (storedMailOff(given.mail_off) ?? NOTHING_OFF);
  return { user, keys: [...keys.values()], mailOff };
}

/** Whether a key or session was made in this table, rather than brought by a catalogue. */
const isMadeHere = ({ created_at, expires_at }: UserApiKeyItem): boolean =>
  created_at !== undefined || expires_at !== undefined;
