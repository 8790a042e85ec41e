import type { Parameters } from './parameters.ts';
import { texts } from './parameters.ts';

const EVERYTHING = ['_all', '_default'];

/** Which fields of an object a request wants. REFERENCE.md 2 (include_fields, exclude_fields). */
export class FieldSelection {
  /** what is wanted; empty: everything */
  readonly #included: ReadonlySet<string>;
  readonly #excluded: ReadonlySet<string>;

  constructor(included: Iterable<string>, excluded: Iterable<string>) {
    this.#included = new Set(included);
    this.#excluded = new Set(excluded);
  }

  /** Whether `field` is wanted, whole or in part. */
  has(field: string): boolean {
    if (this.#names(this.#excluded, field)) return false;
    if (this.#included.size === 0 || this.#names(this.#included, field)) return true;
    return [...this.#included].some((one) => one.startsWith(`${field}.`));
  }

  /** The selection inside the objects of a field that is wanted. */
  within(field: string): FieldSelection {
    const inside = (all: ReadonlySet<string>) =>
      [...all].flatMap((one) => (one.startsWith(`${field}.`) ? [one.slice(field.length + 1)] : []));
    const whole = this.#included.size === 0 || this.#names(this.#included, field);
    return new FieldSelection(whole ? [] : inside(this.#included), inside(this.#excluded));
  }

  /** A copy of `object` with only the fields that are wanted. */
  pick(object: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(object).filter(([field]) => this.has(field)));
  }

  #names(all: ReadonlySet<string>, field: string): boolean {
    return all.has(field) || EVERYTHING.some((group) => all.has(group));
  }
}

/**
 * Reads `include_fields` and `exclude_fields`: separated by commas or spaces, and repeated.
 */
export function readFieldSelection(parameters: Parameters): FieldSelection {
  const names = (parameter: string) =>
    texts
      .catch([])
      .parse(parameters.get(parameter))
      .flatMap((given) => given.split(/[\s,]+/))
      .filter((name) => name !== '');
  return new FieldSelection(names('include_fields'), names('exclude_fields'));
}
