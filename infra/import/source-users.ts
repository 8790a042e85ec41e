import { mapConcurrent } from '../../lib/base/collections.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { timestamp } from '../../lib/base/time.ts';
import { mergeWatches } from '../../lib/changes/watches/change-watches.ts';
import { watchRepository } from '../../lib/changes/watches/repository.ts';
import {
  type AccountRepository,
  accountRepository,
  type StoredAccount,
} from '../../lib/people/account-repository.ts';
import { awaitsKey, DISABLED_THERE, isImported } from '../../lib/people/imported.ts';
import { formerOf, renameAccount } from '../../lib/people/renames.ts';
import { mergeSearches } from '../../lib/people/saved-searches/change-saved-searches.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import { IMPORTED_UNMAILED, type ImportedState } from '../../lib/people/schema.ts';
import { givenValues, USER_FIELDS } from '../../lib/people/user-fields.ts';
import { UsageError } from '../admin/context.ts';
import { accountList } from './account-list.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { copySearches } from './copy-searches.ts';
import type { Hidden } from './hidden.ts';
import { OTHER_PERSON, OTHER_STATE, type Problem } from './problems.ts';
import type { RightsList } from './rights-list.ts';
import type { WithSettings } from './settings.ts';
import type { SourceGroups } from './source-groups.ts';
import { type SourceAccount, type SourceBug, type SourceUser, validLoginResponse } from './source-schema.ts';

export type SourceUsers = ReturnType<typeof sourceUsers>;

interface Context extends WithSettings {
  bugzilla: Bugzilla;
  groups: SourceGroups;
  hidden: Hidden;
  rights: RightsList;
}

/**
 * The users of a Bugzilla. They are listed by their ids, because it ends a list of those that match a text at its limit. The
 * table gets all of them, and those that bugs name: they are disabled until they get an API key.
 */
export function sourceUsers({ table, settings, problems, bugzilla, groups, hidden, rights }: Context) {
  const listed = accountList(bugzilla, (id) => hidden.users.add(id));
  const { accounts } = listed;
  /** named by bugs; by normalized login */
  const named = new Map<string, SourceUser>();
  /** users whose account here cannot get the login that they have there */
  let keepingLogin: Rename[] = [];
  return {
    /** Lists the users that were not listed yet. */
    list: (report: (done: number) => void): Promise<void> =>
      listed.list((found) => {
        for (const account of found) groups.know(account.groups);
        report(accounts.size);
      }),

    /**
     * Finds out whose API key it is: only one's own record has saved searches.
     *
     * @param login of the owner, as the operator names it; undefined: it is not named
     * @returns the login
     * @throws UsageError when it is not the owner, or the owner does not show
     */
    async findReader(login: string | undefined): Promise<string> {
      if (login !== undefined) {
        const { result } = await bugzilla.get('valid_login', validLoginResponse, { query: { login } });
        if (!result) throw new UsageError(`The API key is not one of '${login}'`);
      }
      const own = [...accounts.values()].filter(({ saved_searches }) => saved_searches !== undefined);
      const [reader = login] = login === undefined ? own.map(({ name }) => name) : [login];
      if (reader === undefined) {
        throw new UsageError(
          `${bugzilla.url} does not show whose API key it is. Name the login of its owner with --as LOGIN`,
        );
      }
      const others = [...accounts.values()].filter(
        ({ name }) => normalizeName(name) !== normalizeName(reader),
      );
      const deciding = others.length === 0 ? [...accounts.values()] : others;
      hidden.hasStates = deciding.every(({ email_enabled }) => email_enabled === undefined);
      return reader;
    },

    /** Whether a user is in a group there, as far as it is told. */
    isMember: (login: string, group: string): boolean =>
      (accounts.get(normalizeName(login))?.groups ?? []).some(
        ({ name }) => normalizeName(name) === normalizeName(group),
      ),

    /** Bugzilla shows logins without their domain to those who have not logged in. */
    collect(bug: SourceBug): void {
      if (!bugzilla.hasKey) return;
      const { assigned_to_detail, creator_detail, qa_contact_detail, cc_detail = [] } = bug;
      for (const user of [assigned_to_detail, creator_detail, qa_contact_detail, ...cc_detail]) {
        if (user === undefined || user.name === '') continue;
        named.set(normalizeName(user.name), user);
        listed.noteId(user.id);
      }
    },

    /**
     * Finds the accounts here of the users there, who are told by their ids. Where a user has another login there now, the account gets
     * it, too: of logins that other users had, only after their bugs were written.
     */
    async findRenames(): Promise<UserRenames> {
      const repository = accountRepository(table);
      const wanted: Rename[] = [];
      const former: FormerLogin[] = [];
      await mapConcurrent([...accounts.values()], async ({ id, name }) => {
        const account = await accountOf(repository, id, name);
        if (account === undefined) return;
        const since = formerOf(account.imported);
        former.push(...since.map((one) => ({ ...one, now: name })));
        if (account.user.login !== name) wanted.push({ id, account, login: name });
      });
      const leaving = new Set(wanted.map(({ account }) => normalizeName(account.user.login)));
      const [possible, refused] = await divide(repository, wanted);
      keepingLogin = refused;
      problems.add(...refused.map((one) => refusedRename(one, 'which another user has here')));
      const had = new Set([...leaving, ...former.map(({ login }) => normalizeName(login))]);
      const isOther = ({ account, login }: Rename) =>
        normalizeName(account.user.login) !== normalizeName(login) && had.has(normalizeName(login));
      return {
        first: possible.filter((one) => !isOther(one)),
        later: possible.filter(isOther),
        former: [
          ...former,
          ...possible.map(({ account, login }) => ({ login: account.user.login, since: LATEST, now: login })),
        ],
      };
    },

    /** Lists users who keep their login here, because bugs name it that are another user's: these could not be written. */
    refuseRenames: (renames: readonly Rename[]): void =>
      problems.add(
        ...renames.map((one) => refusedRename(one, 'which bugs name here that could not be copied')),
      ),

    /** Gives accounts the logins that their users have there now. */
    async rename(renames: readonly Rename[]): Promise<void> {
      const repository = accountRepository(table);
      let left = [...renames];
      for (let size = -1; left.length !== size; ) {
        size = left.length;
        const waiting: Rename[] = [];
        for (const rename of left) {
          const { id, account, login } = rename;
          const current = await repository.read(account.user.login);
          const holder = await repository.read(login);
          const isOwn = holder === undefined || holder.imported?.id === id;
          if (current === undefined || current.imported?.id !== id) continue;
          if (isOwn) {
            const merged = holder?.user.login === current.user.login ? undefined : holder;
            if (merged !== undefined && merged.user.id !== current.user.id) {
              await mergeSearches(savedSearchRepository(table), merged.user.id, current.user.id);
              await mergeWatches(watchRepository(table), merged.user.id, current.user.id);
            }
            await renameAccount(table, current, login, merged, timestamp(table.now()));
          } else waiting.push(rename);
        }
        left = waiting;
      }
      for (const rename of left) problems.add(refusedRename(rename, 'which another user has here'));
    },

    /**
     * Adds the users to the settings, but for those that the table has from elsewhere.
     *
     * @param later users who get another login after their bugs
     */
    async add(later: readonly Rename[]): Promise<void> {
      const repository = accountRepository(table);
      const loginHere = new Map(
        [...keepingLogin, ...later].map(({ id, account }) => [id, account.user.login]),
      );
      const isTaken = new Set(later.map(({ login }) => normalizeName(login)));

      /** Whether an account here is that of another person: rights must not pass from one to the other. */
      function belongsToOther({ id, name }: SourceUser | SourceAccount, existing: StoredAccount | undefined) {
        const known = existing?.imported?.id;
        if (known === undefined || known === id || isTaken.has(normalizeName(name))) return false;
        const why = `is the user ${id} there, and ${known} when it was imported`;
        problems.add({ kind: OTHER_PERSON, where: `user '${name}'`, why });
        return true;
      }

      const all = new Map<string, SourceUser | SourceAccount>([...named, ...accounts]);
      const entries = await mapConcurrent([...all.values()], async (user) => {
        const existing = await repository.read(loginHere.get(user.id) ?? user.name);
        if (belongsToOther(user, existing)) return [];
        if (existing === undefined || isImported(existing)) return [{ user, existing }];
        const why = strongerThere(user, existing);
        if (why !== undefined) problems.add({ kind: OTHER_STATE, where: `user '${user.name}'`, why });
        return [];
      });
      for (const { user, existing } of entries.flat()) {
        const imported = stateOf(user, existing, rights);
        for (const name of imported.groups ?? []) await groups.ensureName(name);
        const searches = await copySearches(table, user, existing, problems);
        settings.users.push(
          existing === undefined
            ? { id: user.id, login: user.name, real_name: imported.real_name ?? '', imported, ...searches }
            : { login: existing.user.login, imported, ...searches },
        );
      }
    },
  };

  /** The account of a user here: under the login that they have there, or under the one that they had. */
  async function accountOf(repository: AccountRepository, id: number, login: string) {
    const isTheirs = (one: StoredAccount | undefined) => one?.imported?.id === id;
    const current = await repository.read(login);
    if (isTheirs(current) && current?.user.id === id) return current;
    const former = await repository.loginOf(id);
    const account = former === undefined ? undefined : await repository.read(former);
    // Where both are there, the first one has the keys: an earlier version made another one.
    if (isTheirs(account)) return account;
    return isTheirs(current) ? current : undefined;
  }
}

/** An account here whose user has another login there now. */
interface Rename {
  /** of the user there */
  id: number;
  /** as it was found */
  account: StoredAccount;
  login: string;
}

/** A login that a user had. */
interface FormerLogin {
  login: string;
  /** when an import followed the change, `YYYY-MM-DDThh:mm:ssZ` */
  since: string;
  /** the present one */
  now: string;
}

export interface UserRenames {
  /** before bugs are written */
  first: Rename[];
  /** after them: others had the logins */
  later: Rename[];
  former: FormerLogin[];
}

/**
 * The renames that can be made, one after the other, and those that cannot: an exchange of logins, and one that somebody else keeps.
 * Bugs are rewritten by the former alone, so that no user sees what another one reported.
 */
async function divide(
  repository: AccountRepository,
  wanted: readonly Rename[],
): Promise<[Rename[], Rename[]]> {
  const possible: Rename[] = [];
  const free = new Set<string>();
  let waiting = wanted.toSorted((a, b) => a.id - b.id);
  for (const { id, login } of waiting) {
    const holder = await repository.read(login);
    if (holder === undefined || holder.imported?.id === id) free.add(normalizeName(login));
  }
  for (let size = -1; waiting.length !== size; ) {
    size = waiting.length;
    const left: Rename[] = [];
    for (const rename of waiting) {
      const [from, to] = [rename.account.user.login, rename.login].map(normalizeName);
      if (!free.has(to ?? '')) left.push(rename);
      else {
        possible.push(rename);
        // Who changes the case of a login alone does not leave it.
        if (from !== undefined && from !== to) free.add(from);
      }
    }
    waiting = left;
  }
  return [possible, waiting];
}

export const NO_RENAMES: UserRenames = { first: [], later: [], former: [] };

/** Of changes that this run follows: what was read before it names the former login. */
const LATEST = '9999-12-31T23:59:59Z';

const refusedRename = ({ account, login }: Rename, why: string): Problem => ({
  kind: OTHER_PERSON,
  where: `user '${account.user.login}'`,
  why: `has the login '${login}' there now, ${why}`,
});

/** What keeps mails from a user there, but not here; undefined: nothing. */
function strongerThere(
  { can_login, email_enabled }: Partial<SourceAccount>,
  { user }: StoredAccount,
): string | undefined {
  if (can_login === false && user.disabled === undefined) return 'is disabled there';
  return email_enabled === false && user.email_enabled !== false ? 'has mail off there' : undefined;
}

/** Without what texts of users may not have here: carriage returns come from forms. */
const withoutControls = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();

const MAX_REASON_LENGTH = 10_000;

const reasonOf = (text: string): string =>
  [...withoutControls(text)].slice(0, MAX_REASON_LENGTH).join('') || DISABLED_THERE;

/** What the Bugzilla tells of a user; a right that was granted once is not withheld. */
function stateOf(
  user: SourceUser | Partial<SourceAccount>,
  existing: StoredAccount | undefined,
  rights: RightsList,
): ImportedState {
  const told: Partial<SourceAccount> = user;
  const { can_login, login_denied_text = '', email_enabled, groups } = told;
  // A Bugless says so of users whom it has imported itself.
  const isEnabled = can_login === true || awaitsKey(login_denied_text);
  // Those who may not edit users see only groups that they may give.
  const isTold = email_enabled !== undefined;
  const names = (groups ?? []).map(({ name }) => name);
  return {
    ...(user.id === undefined ? {} : { id: user.id }),
    ...(can_login === undefined ? {} : { disabled: isEnabled ? null : reasonOf(login_denied_text) }),
    ...givenValues(USER_FIELDS, ({ name }) => {
      // Where another import did not learn it either, it stays unknown.
      if (name === 'email_enabled' && login_denied_text === IMPORTED_UNMAILED) return undefined;
      const value = told[name];
      return typeof value === 'string' ? withoutControls(value) : value;
    }),
    ...(isTold ? { groups: rights.granted(user.name ?? '', names, existing?.imported?.groups ?? []) } : {}),
  };
}
