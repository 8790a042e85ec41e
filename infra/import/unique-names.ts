import { normalizeName } from '../../lib/base/text.ts';
import type { Row } from './row.ts';

/** A name that is another one here. */
export interface ChangedName {
  id: number;
  before: string;
  name: string;
  why: string;
}

/**
 * Names by ids, which follow the rules here, and are different without regard to case. What has no such name is called by its id, so that nothing
 * is taken for something else.
 */
export function uniqueNames(
  rows: readonly Row[],
  columns: { id: string; name: string; prefix: string },
  problemOf: (name: string) => string | undefined,
): { names: Map<number, string>; changed: ChangedName[] } {
  const names = new Map<number, string>();
  const taken = new Set<string>();
  const changed: ChangedName[] = [];
  for (const row of rows) {
    const [id, before] = [row.number(columns.id), row.text(columns.name)];
    const isFree = (one: string) => problemOf(one) === undefined && !taken.has(normalizeName(one));
    const name = [before, before.trim()].find(isFree) ?? `${columns.prefix}-${id}`;
    taken.add(normalizeName(name));
    names.set(id, name);
    if (name !== before)
      changed.push({ id, before, name, why: problemOf(before) ?? 'is that of another one, too' });
  }
  return { names, changed };
}
