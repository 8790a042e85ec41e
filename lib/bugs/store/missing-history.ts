import type { FieldChange, HistoryItem } from '../schema.ts';

/**
 * What a history lacks of another one. The order of the changes in one second does not count, nor does that of the elements of
 * a list, and how they are divided into entries: Bugzilla returns them in another order from one request to the next.
 *
 * @param known the entries that there are
 * @param desired those that there should be
 * @returns the entries to add, with the changes that are lacking
 */
export function missingHistory(
  known: readonly HistoryItem[],
  desired: readonly HistoryItem[],
): HistoryItem[] {
  const knownAt = Map.groupBy(known, ({ when }) => when);
  const desiredAt = Map.groupBy(desired, ({ when }) => when);
  const missing: HistoryItem[] = [];
  for (const entry of desired) {
    const { when, who } = entry;
    const own = (knownAt.get(when) ?? []).filter((one) => one.who === who);
    const had = own.flatMap(({ changes }) => changes);
    const wanted = (desiredAt.get(when) ?? []).flatMap((one) => (one.who === who ? one.changes : []));
    const changes = entry.changes.filter(
      (change) =>
        !had.some((one) => isSameChange(one, change)) &&
        !isSameChange(together(had, change), together(wanted, change)),
    );
    if (own.length === 0 || changes.length > 0) missing.push({ ...entry, changes });
  }
  return missing;
}

const isSamePlace = (a: FieldChange, b: FieldChange): boolean =>
  a.field_name === b.field_name && a.attachment_id === b.attachment_id;

const isSameChange = (a: FieldChange, b: FieldChange): boolean =>
  isSamePlace(a, b) && elements(a.removed) === elements(b.removed) && elements(a.added) === elements(b.added);

const elements = (text: string): string => text.split(', ').sort().join(', ');

/** The changes of one field as one, as Bugzilla joins those that follow each other. */
function together(changes: readonly FieldChange[], place: FieldChange): FieldChange {
  const same = changes.filter((one) => isSamePlace(one, place));
  const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join(', ');
  const { removed: _, added: __, ...about } = place;
  return {
    ...about,
    removed: joined(same.map(({ removed }) => removed)),
    added: joined(same.map(({ added }) => added)),
  };
}
