/** A value of a catalogue, with its path there. */
export interface Place<T = unknown> {
  path: PropertyKey[];
  value: T;
}

/**
 * The values at a place such as `products.*.versions.*.name`, where `*` is each element of a list; absent ones and null are
 * left out.
 *
 * @param path of `from`
 */
export function valuesAt(from: unknown, place: string, path: PropertyKey[] = []): Place[] {
  const isGiven = ({ value }: Place) => value !== undefined && value !== null;
  return place.split('.').reduce<Place[]>(
    (found, step) =>
      found
        .flatMap(({ path, value }): Place[] => {
          const entries: [PropertyKey, unknown][] = Array.isArray(value)
            ? [...value.entries()]
            : Object.entries(value ?? {}).filter(([name]) => name === step);
          return entries.map(([name, one]) => ({ path: [...path, name], value: one }));
        })
        .filter(isGiven),
    [{ path, value: from }],
  );
}

/** The names at places. */
export const namesAt = (from: unknown, places: readonly string[], path?: PropertyKey[]): Place<string>[] =>
  places.flatMap((place) => valuesAt(from, place, path).map((one) => ({ ...one, value: String(one.value) })));
