import { kindOf, type Shape } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../lib/bugs/fields/registry.ts';
import { jsonPath } from '../../lib/catalogue/errors.ts';
import type { Catalogue, Problem } from '../../lib/catalogue/schema.ts';
import { validateCatalogue } from '../../lib/catalogue/validation.ts';

interface Removed {
  what: string;
  why: string;
}

export interface Sanitized {
  /** undefined when it is invalid even without the removed parts */
  catalogue: Catalogue | undefined;
  removed: Removed[];
}

/** Values that a bug can do without: people and what they may see decide who sees it, and lists lose single elements. */
const OPTIONAL_SHAPES: ReadonlySet<Shape> = new Set<Shape>(['text', 'name', 'hours', 'date', 'bug']);

/** Fields with a default, of products and of bugs. */
const OPTIONAL: ReadonlySet<string | undefined> = new Set([
  'default_milestone',
  'description_template',
  'classification',
  ...BUILT_IN_FIELDS.filter(
    (field) => field.catalogue === 'optional' && OPTIONAL_SHAPES.has(kindOf(field).shape),
  ).map(catalogueName),
]);
/** Fields that restrict access, and so are never removed. */
const RESTRICTING = new Set(['groups', 'group_controls']);

/**
 * Validates one product or bug, and removes the parts that a catalogue cannot have, such as a component with too long a
 * name.
 *
 * @param list the list of the catalogue that it belongs to
 */
export function sanitizeCatalogue(list: 'products' | 'bugs', given: object): Sanitized {
  const removed: Removed[] = [];
  let value: unknown = given;
  for (;;) {
    const checked = validateCatalogue({ [list]: [value] });
    if ('catalogue' in checked) return { catalogue: checked.catalogue, removed };
    // All problems at once: a bug may have thousands.
    const targets = new Map<string, PropertyKey[]>();
    for (const problem of checked.problems) {
      const target = removablePath(problem);
      const why = `${problem.path.slice(2).join('.')} ${problem.message}`;
      if (target === undefined) return { catalogue: undefined, removed: [...removed, { what: '', why }] };
      const key = jsonPath(target);
      if (targets.has(key)) continue;
      targets.set(key, target);
      removed.push({ what: describe(value, target), why });
    }
    value = without(value, new Set(targets.keys()));
  }
}

/** The path of the innermost list element that contains the problem, or of an optional field. */
function removablePath({ path }: Problem): PropertyKey[] | undefined {
  const inner = path.slice(2);
  const [field = ''] = inner;
  if (RESTRICTING.has(String(field))) return undefined;
  const element = inner.findLastIndex((step) => typeof step === 'number');
  if (element !== -1) return inner.slice(0, element + 1);
  return OPTIONAL.has(String(field)) ? [field] : undefined;
}

/** A value without what has one of these paths. */
function without(value: unknown, removed: ReadonlySet<string>, path: PropertyKey[] = []): unknown {
  const kept = (entries: Iterable<[PropertyKey, unknown]>) =>
    [...entries]
      .filter(([step]) => !removed.has(jsonPath([...path, step])))
      .map(([step, content]): [PropertyKey, unknown] => [step, without(content, removed, [...path, step])]);
  if (Array.isArray(value)) return kept(value.entries()).map(([, element]) => element);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(kept(Object.entries(value)));
}

const MAX_SHOWN_LENGTH = 80;

function describe(product: unknown, target: PropertyKey[]): string {
  const value = target.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    product,
  );
  const fields = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}));
  const shown = String(fields.get('name') ?? fields.get('id') ?? value);
  const field = target.filter((step) => typeof step === 'string').at(-1);
  return `${String(field)} '${shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…` : shown}'`;
}

/** Problems as text. @param depth of the product or bug in their paths */
export const reasonOf = (problems: readonly Problem[], depth = 2): string =>
  problems
    .map(({ path, message }) => {
      const relative = jsonPath(path.slice(depth)).slice(1);
      return relative === '' ? message : `${relative}: ${message}`;
    })
    .join('; ');
