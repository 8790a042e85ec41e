import { textOfBytes } from '../../lib/base/text.ts';

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
