import { trim } from '../../lib/base/text.ts';
import type { StoredAccount } from '../../lib/people/account-repository.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import {
  isSameName,
  queryProblem,
  searchesProblem,
  searchNameProblem,
  storedQuery,
} from '../../lib/people/saved-searches/validation.ts';
import type { Table } from '../../lib/table/client.ts';
import type { ProblemList } from './problems.ts';
import type { SourceAccount, SourceUser } from './source-schema.ts';

interface CopiedSearch {
  name: string;
  query: string;
}

/**
 * The saved searches of a user as a catalogue has them. Bugzilla shows the owner of the API key the own ones. Who has saved a search
 * here keeps what is here: searches that were changed or removed here do not come again.
 *
 * @param existing undefined: a new user
 */
export async function copySearches(
  table: Table,
  user: SourceUser | SourceAccount,
  existing: StoredAccount | undefined,
  problems: ProblemList,
): Promise<{ saved_searches?: CopiedSearch[] }> {
  const given = 'saved_searches' in user ? (user.saved_searches ?? []) : [];
  const hasOwn =
    existing !== undefined && (await savedSearchRepository(table).of(existing.user.id)).revision > 0;
  if (hasOwn || given.length === 0) return {};
  const copied: CopiedSearch[] = [];
  for (const one of given) {
    const search = { name: trim(one.name), query: storedQuery(one.query) };
    const why =
      searchNameProblem(search.name) ??
      queryProblem(search.query) ??
      (copied.some((other) => isSameName(other, search)) ? 'has a name that another one has' : undefined) ??
      searchesProblem([...copied, search]);
    if (why === undefined) copied.push(search);
    else {
      const where = `user '${user.name}', saved search '${search.name.slice(0, 80)}'`;
      problems.add({ kind: 'parts of products and bugs not copied', where, why });
    }
  }
  return { saved_searches: copied };
}
