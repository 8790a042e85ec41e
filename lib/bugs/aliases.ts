import { aliasKey } from '../dynamodb/keys.ts';
import type { Action } from '../dynamodb/write.ts';
import { normalizeName } from '../text.ts';
import type { BugItem } from './schema.ts';

/**
 * The transaction actions that make the aliases of a bug point to it, the first ones in the order of the aliases;
 * their conditions fail when another bug has the alias.
 *
 * @param before the aliases that the bug had; those that it no longer has are removed
 */
export function aliasActions({ id, aliases }: BugItem, before: string[]): Action[] {
  const known = new Set(before.map(normalizeName));
  const wanted = new Set(aliases.map(normalizeName));
  const removed = before.filter((alias) => !wanted.has(normalizeName(alias)));
  return [
    ...aliases
      .filter((alias) => !known.has(normalizeName(alias)))
      .map(
        (alias): Action => ({
          put: { ...aliasKey(alias), bug_id: id },
          condition: 'attribute_not_exists(pk) OR bug_id = :id',
          values: { ':id': id },
        }),
      ),
    ...removed.map((alias): Action => ({ remove: aliasKey(alias) })),
  ];
}
