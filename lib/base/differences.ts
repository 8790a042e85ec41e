/** The values of a field before and after a change. */
export interface Difference<T = string> {
  removed: T;
  added: T;
}

/** What differs between the fields of something before and after a change, by field. */
export const differences = <T extends string | null>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): Record<string, Difference<T>> =>
  Object.fromEntries(
    Object.entries(before).flatMap(([field, removed]) => {
      const added = after[field];
      return added === undefined || added === removed ? [] : [[field, { added, removed }]];
    }),
  );

/** What an update did to an item, as responses have it: the fields that differ. */
export interface UpdateResult {
  id: number;
  changes: Record<string, Difference>;
}

/** A boolean as histories and changes have it. */
export const bit = (value: boolean): string => (value ? '1' : '0');
