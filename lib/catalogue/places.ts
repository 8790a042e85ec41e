/** A value of a catalogue, with its path there. */
export interface Place<T = unknown> {
  path: PropertyKey[];
  value: T;
}

/**
 * The values at places such as `products.*.versions.*.name`, where `*` is each element of a list; absent ones and null are
 * left out.
 *
 * @param path of `from`
 */
export const valuesAt = (from: unknown, places: readonly string[], path: PropertyKey[] = []): Place[] =>
  places.flatMap((place) => below({ path, value: from }, place.split('.')));

function below({ path, value }: Place, [step, ...further]: string[]): Place[] {
  if (value === undefined || value === null) return [];
  if (step === undefined) return [{ path, value }];
  const entries: [PropertyKey, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value).filter(([name]) => name === step);
  return entries.flatMap(([name, one]) => below({ path: [...path, name], value: one }, further));
}

/** The names at places. */
export const namesAt = (from: unknown, places: readonly string[], path?: PropertyKey[]): Place<string>[] =>
  valuesAt(from, places, path).map((one) => ({ ...one, value: String(one.value) }));
