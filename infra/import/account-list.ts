import { mapConcurrent, portions } from '../../lib/base/collections.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import { ACCOUNT_FIELDS, accountsResponse, idsOfUsersResponse, type SourceAccount } from './source-schema.ts';

/** Bugzilla's error code for a user whom the caller may not see. */
const USER_HIDDEN = 304;
const IDS_PER_REQUEST = 100;
/** After so many ids without a user the listing ends. */
const MAX_ID_GAP = 1_000;
/** Where a list has so many users, it may have been cut: maxusermatches. */
const MANY = 100;
const FIRST_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** Higher ids are not listed: an untrusted server may name any. */
const MAX_ID = 1_000_000;

/**
 * The users of a Bugzilla, listed by their ids, because it ends a list of those that match a text at its limit.
 *
 * @param onHidden receives the ids of users whom the owner of the API key may not see
 */
export function accountList(bugzilla: Bugzilla, onHidden: (id: number) => void) {
  /** by normalized login */
  const accounts = new Map<string, SourceAccount>();
  /** the highest id that a user has */
  let highest = 0;
  /** the first id that was not asked for */
  let next = 1;

  /** A request fails as a whole when one of its users is hidden. */
  async function request(ids: number[]): Promise<SourceAccount[]> {
    const query = { ids, include_fields: ACCOUNT_FIELDS.join(',') };
    const response = await unlessRefused(bugzilla.get('user', accountsResponse, { query }), (error) => {
      if (error.code !== USER_HIDDEN) throw error;
      return undefined;
    });
    if (response !== undefined) return response.users;
    const [first = 0] = ids;
    if (ids.length === 1) {
      onHidden(first);
      highest = Math.max(highest, first);
      return [];
    }
    const middle = Math.ceil(ids.length / 2);
    return [...(await request(ids.slice(0, middle))), ...(await request(ids.slice(middle)))];
  }

  /** The ids of users that a list of those that match a text has, which Bugzilla ends at a limit of its own. */
  async function matching(match: string): Promise<number[]> {
    const query = { match, include_disabled: 1, include_fields: 'id' };
    const response = await unlessRefused(
      bugzilla.get('user', idsOfUsersResponse, { query }),
      () => undefined,
    );
    return response?.users.map(({ id }) => id) ?? [];
  }

  /** Ids beyond those that were listed, as far as Bugzilla shows them: no range of ids says how many there are. */
  async function idsBeyond(): Promise<number[]> {
    const all = await matching('*');
    const more =
      all.length < MANY ? [] : await mapConcurrent([...FIRST_CHARACTERS], (first) => matching(`${first}*`));
    return [...new Set([...all, ...more.flat()])].filter((id) => id >= next && id <= MAX_ID);
  }

  function add(found: readonly SourceAccount[]): void {
    for (const account of found) accounts.set(normalizeName(account.name), account);
  }

  let isSearched = false;
  return {
    /** What was listed so far, by normalized login. */
    get accounts(): ReadonlyMap<string, SourceAccount> {
      return accounts;
    },

    /** Notes that there is a user with an id. */
    noteId(id: number): void {
      highest = Math.max(highest, id);
    },

    /** Lists the users up to the highest id, and beyond it. Called again, it goes on where it ended. */
    async list(onFound: (found: SourceAccount[]) => void): Promise<void> {
      while (next <= Math.min(highest + MAX_ID_GAP, MAX_ID)) {
        const length = Math.min(highest + MAX_ID_GAP + 1 - next, MAX_ID_GAP);
        const ids = Array.from({ length }, (_, index) => next + index);
        const isAsked = ({ id }: SourceAccount) => id >= next && id < next + length;
        const found = await mapConcurrent([...portions(ids, { max: IDS_PER_REQUEST })], request);
        const asked = found.flat().filter(isAsked);
        for (const { id } of asked) highest = Math.max(highest, id);
        add(asked);
        next += length;
        onFound(asked);
      }
      if (isSearched) return;
      isSearched = true;
      const beyond = await idsBeyond();
      const isAsked = new Set(beyond);
      const found = await mapConcurrent([...portions(beyond, { max: IDS_PER_REQUEST })], request);
      const asked = found.flat().filter(({ id }) => isAsked.has(id));
      add(asked);
      onFound(asked);
    },
  };
}
