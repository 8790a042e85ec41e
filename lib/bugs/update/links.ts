import { errors } from '../../errors.ts';
import { type BugDrafts, type DependencyField, distinctNames, namedBug } from '../drafts.ts';
import { bugUrl, readSeeAlso } from '../see-also.ts';
import type { ListUpdate, UpdateSources } from './bug-update.ts';

export function relate(
  drafts: BugDrafts,
  id: number,
  field: DependencyField,
  update: ListUpdate | undefined,
  { bugIds }: UpdateSources,
): void {
  const current = drafts.get(id)?.[field] ?? [];
  if (update === undefined) return;
  const idsOf = (names: string[]) => distinctNames(names).flatMap((name) => namedBug(bugIds, name) ?? []);
  const { add, remove, set } = update;
  const removed = new Set(idsOf(remove));
  const next =
    set === undefined ? [...current.filter((one) => !removed.has(one)), ...idsOf(add)] : idsOf(set);
  if (next.includes(id)) throw errors.dependencyLoop(id);
  drafts.relate(id, field, current, next);
}

/** A bug of this deployment gets the address of the other one, too. */
export function seeAlso(
  drafts: BugDrafts,
  id: number,
  update: ListUpdate | undefined,
  { base, bugIds }: UpdateSources,
): void {
  if (update === undefined) return;
  const read = (given: string) => {
    const named = readSeeAlso(given, base);
    if ('url' in named) return { other: undefined, url: named.url };
    const other = namedBug(bugIds, named.bug);
    if (other === undefined) throw errors.bugUnknown(named.bug);
    return { other, url: bugUrl(base, other) };
  };
  const added = distinctNames(update.add).map(read);
  const current = drafts.get(id)?.see_also ?? [];
  const removed = new Set(distinctNames(update.remove));
  const gone = current.filter((url) => removed.has(url));
  const urls = [...current.filter((url) => !removed.has(url)), ...added.map(({ url }) => url)];
  drafts.change(id, { see_also: [...new Set(urls)] });
  for (const { other } of added) link(drafts, other, [...(seeAlsoOf(drafts, other) ?? []), bugUrl(base, id)]);
  for (const url of gone.filter((one) => one.startsWith(base))) {
    const other = Number(/id=(\d+)$/.exec(url)?.[1]);
    link(
      drafts,
      other,
      seeAlsoOf(drafts, other)?.filter((one) => one !== bugUrl(base, id)),
    );
  }
}

const seeAlsoOf = (drafts: BugDrafts, id: number | undefined): string[] | undefined =>
  id === undefined ? undefined : drafts.get(id)?.see_also;

function link(drafts: BugDrafts, id: number | undefined, urls: string[] | undefined): void {
  if (id !== undefined && urls !== undefined) drafts.change(id, { see_also: [...new Set(urls)] });
}
