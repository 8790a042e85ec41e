import type { CatalogueError } from '../../../lib/catalogue/errors.ts';
import { type Catalogue, type Problem, validateCatalogue } from '../../../lib/catalogue/schema.ts';

/** Something that was left out, and why. */
export interface LeftOut {
  what: string;
  why: string;
}

/** A product or bug as far as it can be taken: without the catalogue, not at all. */
export interface Taken {
  catalogue: Catalogue | undefined;
  leftOut: LeftOut[];
}

/** What has a default: without it the rest can be taken. */
const OPTIONAL = new Set(['default_milestone', 'classification', 'version', 'status']);
/** Without one of them, what it protects would be open to more people. */
const PROTECTING = new Set(['groups', 'group_controls']);

/**
 * Checks one product or bug and leaves out of it what a catalogue cannot have: a component with too long a name,
 * say. Nothing that protects it is left out: rather it is not taken at all.
 *
 * @param list of the catalogue that it belongs into
 */
export function sanitizeCatalogue(list: 'products' | 'bugs', given: object): Taken {
  const leftOut: LeftOut[] = [];
  let one: unknown = given;
  for (;;) {
    const checked = validateCatalogue({ [list]: [one] });
    if ('catalogue' in checked) return { catalogue: checked.catalogue, leftOut };
    const [wrong] = checked.problems;
    const target = wrong === undefined ? undefined : toLeaveOut(wrong);
    const why = `${wrong?.path.slice(2).join('.')} ${wrong?.message}`;
    if (target === undefined) return { catalogue: undefined, leftOut: [...leftOut, { what: '', why }] };
    leftOut.push({ what: described(one, target), why });
    one = without(one, target);
  }
}

/** The innermost element of a list around the wrong place, or a field that may be absent. */
function toLeaveOut({ path }: Problem): PropertyKey[] | undefined {
  const inner = path.slice(2);
  const [field = ''] = inner;
  if (PROTECTING.has(String(field))) return undefined;
  const element = inner.findLastIndex((step) => typeof step === 'number');
  if (element !== -1) return inner.slice(0, element + 1);
  return OPTIONAL.has(String(field)) ? [field] : undefined;
}

function without(value: unknown, [step, ...rest]: PropertyKey[]): unknown {
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_, place) => place !== step);
    return value.map((element, place) => (place === step ? without(element, rest) : element));
  }
  const fields = Object.entries(value ?? {}).flatMap(([name, field]) => {
    if (name !== step) return [[name, field]];
    return rest.length === 0 ? [] : [[name, without(field, rest)]];
  });
  return Object.fromEntries(fields);
}

const LONGEST_SHOWN = 80;

function described(one: unknown, target: PropertyKey[]): string {
  const value = target.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    one,
  );
  const fields = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}));
  const shown = String(fields.get('name') ?? fields.get('id') ?? value);
  const place = target.filter((step) => typeof step === 'string').at(-1);
  return `${String(place)} '${shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown}'`;
}

/** Why the one product or bug of a catalogue is refused: without its place in the catalogue. */
export function reasonOf(error: CatalogueError): string {
  return error.message.replace(/^\$\.(products|bugs)\[0\][.:]? ?/, '');
}
