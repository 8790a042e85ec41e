import { normalizeName, textOfBytes } from '../../lib/base/text.ts';

/** A row of a table. Databases return the same value in different types. A column that the table lacks is NULL. */
export class Row {
  readonly #table: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(table: string, values: Readonly<Record<string, unknown>>) {
    this.#table = table;
    this.#values = values;
  }

  has(column: string): boolean {
    return (this.#values[column] ?? null) !== null;
  }

  /** NULL is ''. Bytes are UTF-8, or Windows-1252. */
  text(column: string): string {
    const value = this.#values[column] ?? '';
    return (value instanceof Uint8Array ? textOfBytes(Buffer.from(value)) : String(value)).toWellFormed();
  }

  /** NULL is 0. @throws Error where the column has another type */
  number(column: string): number {
    const value = Number(this.text(column));
    if (Number.isFinite(value)) return value;
    throw new Error(
      `The column ${column} of ${this.#table} has the value '${this.text(column)}', which is no number`,
    );
  }

  boolean(column: string): boolean {
    return this.number(column) !== 0;
  }

  bytes(column: string): Buffer {
    const value = this.#values[column] ?? '';
    return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
  }
}

/** The names of rows by their ids. */
export const namesOf = (rows: readonly Row[], name = 'name'): Map<number, string> =>
  new Map(rows.map((row) => [row.number('id'), row.text(name)]));

/**
 * Names by ids, which follow the rules here, and are different without regard to case. What has no such name is called by its id, so that nothing
 * is taken for something else.
 *
 * @param tell is told of each name that is another one here
 * @param columns of the ids and the names
 */
export function uniqueNames(
  rows: readonly Row[],
  prefix: string,
  problemOf: (name: string) => string | undefined,
  tell: (id: number, change: string) => void = () => undefined,
  columns = { id: 'id', name: 'name' },
): Map<number, string> {
  const names = new Map<number, string>();
  const taken = new Set<string>();
  for (const row of rows) {
    const [id, before] = [row.number(columns.id), row.text(columns.name)];
    const isFree = (one: string) => problemOf(one) === undefined && !taken.has(normalizeName(one));
    const name = [before, before.trim()].find(isFree) ?? `${prefix}-${id}`;
    taken.add(normalizeName(name));
    names.set(id, name);
    if (name === before) continue;
    tell(id, `'${before}' ${problemOf(before) ?? 'is that of another one, too'}: '${name}'`);
  }
  return names;
}
