import * as z from 'zod/mini';
import { type Parameters, texts } from './parameters.ts';

const fieldNames = z.catch(texts, []);

const EVERYTHING = ['_all', '_default'];

/** Which fields of an object a request wants. REFERENCE.md 2 (include_fields, exclude_fields). */
export class FieldSelection {
  /** undefined: everything */
  readonly #included: ReadonlySet<string> | undefined;
  readonly #excluded: ReadonlySet<string>;

  constructor(included: Iterable<string> | undefined, excluded: Iterable<string>) {
    this.#included = included === undefined ? undefined : new Set(included);
    this.#excluded = new Set(excluded);
  }

  /** Whether `field` is wanted, whole or in part. */
  has(field: string): boolean {
    if (names(this.#excluded, field)) return false;
    if (this.#includesWhole(field)) return true;
    return this.#included?.values().some((one) => one.startsWith(`${field}.`)) ?? true;
  }

  /** The selection inside the objects of a field that is wanted; deeper than that nothing can be selected. */
  within(field: string): FieldSelection {
    const inside = (all: ReadonlySet<string> = new Set()) =>
      [...all]
        .filter((one) => one.startsWith(`${field}.`))
        .map((one) => one.slice(field.length + 1))
        .filter((one) => !one.includes('.'));
    const included = this.#includesWhole(field) ? undefined : inside(this.#included);
    return new FieldSelection(included, inside(this.#excluded));
  }

  /** A copy of `object` with only the fields that are wanted. */
  pick(object: Record<string, unknown>): Record<string, unknown> {
    if (this.#included === undefined && this.#excluded.size === 0) return object;
    return Object.fromEntries(Object.entries(object).filter(([field]) => this.has(field)));
  }

  #includesWhole(field: string): boolean {
    return this.#included === undefined || names(this.#included, field);
  }
}

function names(all: ReadonlySet<string>, field: string): boolean {
  return all.has(field) || EVERYTHING.some((group) => all.has(group));
}

/** Reads `include_fields` and `exclude_fields`: separated by commas or spaces, and repeated. */
export function readFieldSelection(parameters: Parameters): FieldSelection {
  const listed = (parameter: string) =>
    fieldNames
      .parse(parameters.get(parameter))
      .flatMap((given) => given.split(/[\s,]+/))
      .filter((name) => name !== '');
  const included = listed('include_fields');
  return new FieldSelection(included.length === 0 ? undefined : included, listed('exclude_fields'));
}
