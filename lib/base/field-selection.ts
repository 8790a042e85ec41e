import * as z from 'zod/mini';
import { type Parameters, texts } from './parameters.ts';

const WILDCARDS = ['_all', '_default'];

/** The fields of an object that a request selects by `include_fields` and `exclude_fields`. */
export class FieldSelection {
  /** undefined: all */
  readonly #included: ReadonlySet<string> | undefined;
  readonly #excluded: ReadonlySet<string>;
  /** fields of which parts are included */
  readonly #partial: ReadonlySet<string>;
  /** by fields: a response has many objects */
  readonly #within = new Map<string, FieldSelection>();
  readonly #selected = new Map<string, boolean>();

  constructor(included: Iterable<string> | undefined, excluded: Iterable<string>) {
    this.#included = included === undefined ? undefined : new Set(included);
    this.#excluded = new Set(excluded);
    const partial = [...(this.#included ?? [])].filter((name) => name.includes('.'));
    this.#partial = new Set(partial.map((name) => name.slice(0, name.indexOf('.'))));
  }

  /** Whether `field` is selected, completely or in part. */
  has(field: string): boolean {
    const known = this.#selected.get(field);
    if (known !== undefined) return known;
    const isSelected = this.#wants(field, '_default');
    this.#selected.set(field, isSelected);
    return isSelected;
  }

  /** Whether a field is selected that is left out by default: by name, `_extra` or `_all`. */
  hasExtra(field: string): boolean {
    return this.#wants(field, '_extra');
  }

  /** As in Bugzilla: a name and `_all` count before the kind of the field, and that before a part of it. */
  #wants(field: string, kind: '_default' | '_extra'): boolean {
    if (this.#excluded.has(field) || this.#excluded.has('_all')) return false;
    if (this.#included?.has(field) || this.#included?.has('_all')) return true;
    if (this.#excluded.has(kind)) return false;
    return (this.#included?.has(kind) ?? kind === '_default') || this.#partial.has(field);
  }

  /** Whether a field is selected by its name, or a part of it: those that are shown only where they are asked for. */
  names(field: string): boolean {
    const isNamed = this.#included?.has(field) === true || this.#partial.has(field);
    return isNamed && !this.#excluded.has(field) && !this.#excluded.has('_all');
  }

  /** The selection inside the objects of a selected field. Deeper levels cannot be selected. */
  within(field: string): FieldSelection {
    const known = this.#within.get(field);
    if (known !== undefined) return known;
    const inside = (all: ReadonlySet<string>) =>
      [...all].flatMap((name) => {
        if (WILDCARDS.includes(name)) return [name];
        const own = name.startsWith(`${field}.`) ? name.slice(field.length + 1) : '';
        return own === '' || own.includes('.') || WILDCARDS.includes(own) ? [] : [own];
      });
    const whole = this.#included?.has(field) ? ['_default'] : [];
    const included = this.#included === undefined ? undefined : [...inside(this.#included), ...whole];
    const selection = new FieldSelection(included, inside(this.#excluded));
    this.#within.set(field, selection);
    return selection;
  }

  /** A copy of `object` with the selected fields only. */
  pick(object: Record<string, unknown>): Record<string, unknown> {
    if (this.#included === undefined && this.#excluded.size === 0) return object;
    return Object.fromEntries(Object.entries(object).filter(([field]) => this.has(field)));
  }
}

const fieldNames = z.catch(texts, []);

/**
 * Reads `include_fields` and `exclude_fields`: separated by commas or spaces, and repeatable.
 *
 * @param groups names that stand for several fields
 */
export function readFieldSelection(
  parameters: Parameters,
  groups: Readonly<Record<string, readonly string[]>> = {},
): FieldSelection {
  const listed = (parameter: string) =>
    fieldNames
      .parse(parameters.get(parameter))
      .flatMap((given) => given.split(/[\s,]+/))
      .filter((name) => name !== '');
  const withGroups = (names: readonly string[]) =>
    names.flatMap((name) => (Object.hasOwn(groups, name) ? [name, ...(groups[name] ?? [])] : [name]));
  const [included, excluded] = [listed('include_fields'), listed('exclude_fields')];
  // A field that is included by its name stays, though it belongs to a group that is excluded.
  const isKept = (name: string) => included.includes(name) && !excluded.includes(name);
  return new FieldSelection(
    included.length === 0 ? undefined : withGroups(included),
    withGroups(excluded).filter((name) => !isKept(name)),
  );
}
