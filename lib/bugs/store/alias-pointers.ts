import { normalizeName } from '../../base/text.ts';
import { aliasKey } from '../../table/keys.ts';
import type { Action } from '../../table/write.ts';
import type { BugItem } from '../schema.ts';

/** The aliases of a bug that it did not have before. */
export function newAliases({ aliases }: Pick<BugItem, 'aliases'>, before: string[]): string[] {
  const known = new Set(before.map(normalizeName));
  return aliases.filter((alias) => !known.has(normalizeName(alias)));
}

/**
 * The transaction actions that make the aliases of a bug point to it, the first ones in the order of the aliases;
 * their conditions fail when another bug has the alias.
 *
 * @param before the aliases that the bug had; those that it no longer has are removed
 */
export function aliasActions(bug: BugItem, before: string[]): Action[] {
  const { id, aliases } = bug;
  const next = new Set(aliases.map(normalizeName));
  const removed = before.filter((alias) => !next.has(normalizeName(alias)));
  return [
    ...newAliases(bug, before).map(
      (alias): Action => ({
        put: { ...aliasKey(alias), bug_id: id },
        condition: 'attribute_not_exists(pk) OR bug_id = :id',
        values: { ':id': id },
      }),
    ),
    ...removed.map((alias): Action => ({ remove: aliasKey(alias) })),
  ];
}
