import { kindOf, type Shape } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../lib/bugs/fields/registry.ts';
import { jsonPath } from '../../lib/catalogue/plan.ts';
import type { Catalogue, CatalogueBug, Problem } from '../../lib/catalogue/schema.ts';
import { validateCatalogue } from '../../lib/catalogue/validation.ts';
import { HIDDEN_GROUP, readBugs, type SourceBug } from './read-bugs.ts';
import { readPeople } from './read-people.ts';
import { readProducts } from './read-products.ts';
import { LEFT_OUT, readSettings } from './read-settings.ts';
import { ADDED_ID, type Source } from './read-source.ts';

/** Values that a bug can do without: people and what they may see decide who sees it, and lists lose single elements. */
const OPTIONAL_SHAPES: ReadonlySet<Shape> = new Set<Shape>(['text', 'name', 'hours', 'date', 'bug']);

/** Fields with a default. */
const OPTIONAL: ReadonlySet<string | undefined> = new Set([
  'real_name',
  'default_milestone',
  'classification',
  ...BUILT_IN_FIELDS.filter(
    (field) => field.catalogue === 'optional' && OPTIONAL_SHAPES.has(kindOf(field).shape),
  ).map(catalogueName),
]);
/** Lists that restrict access, of which no element is removed: the entry that has it is. */
const RESTRICTING: ReadonlySet<PropertyKey> = new Set(['group_controls']);

/**
 * Validates a catalogue, and removes the parts that it cannot have, such as a component with too long a name.
 *
 * @returns what is left, and what was removed
 */
function sanitizeCatalogue(given: object) {
  const removed: { list: PropertyKey | undefined; what: string; why: string }[] = [];
  let value: unknown = given;
  for (;;) {
    const checked = validateCatalogue(value);
    if ('catalogue' in checked) return { catalogue: checked.catalogue, removed };
    // All problems at once: a bug may have thousands.
    const targets = new Map<string, PropertyKey[]>();
    for (const problem of checked.problems) {
      const target = removablePath(problem);
      if (targets.has(jsonPath(target))) continue;
      targets.set(jsonPath(target), target);
      const why = `${problem.path.slice(2).join('.')} ${problem.message}`;
      removed.push({ list: target[0], what: describe(value, target), why });
    }
    value = without(value, new Set(targets.keys()));
  }
}

/** The path of the innermost list element that contains the problem, of an optional field, or of a whole list. */
function removablePath({ path }: Problem): PropertyKey[] {
  const [list, entry, field = ''] = path;
  const elements = path.flatMap((step, index) => (typeof step === 'number' ? [index] : []));
  const inner = elements.at(-1);
  if (inner === undefined) return path.slice(0, 2);
  // A bug without one of its groups would be seen by others.
  const restricts = RESTRICTING.has(field) || (list === 'bugs' && field === 'groups');
  if (restricts) return path.slice(0, 2);
  if (elements.length === 1 && OPTIONAL.has(String(field))) return [list ?? '', entry ?? '', field];
  return path.slice(0, inner + 1);
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

/** What is removed: each entry on the way, by its name or id. */
function describe(given: unknown, target: readonly PropertyKey[]): string {
  let at = given;
  const names: string[] = [];
  for (const [index, step] of target.entries()) {
    at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
    if (typeof step !== 'number' && index < target.length - 1) continue;
    const fields = new Map(Object.entries(typeof at === 'object' && at !== null ? at : {}));
    const shown = String(
      fields.get('name') ?? fields.get('login') ?? fields.get('id') ?? (typeof step === 'number' ? at : step),
    );
    const cut = shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…` : shown;
    names.push(typeof step === 'number' ? `${String(target[index - 1]).replace(/s$/, '')} '${cut}'` : cut);
  }
  return names.join(', ');
}

/** What a database of Bugzilla has, as a catalogue: rows become entries, and what no catalogue can have is left out and listed. */
export async function readSourceCatalogue(source: Source) {
  const { problems } = source;
  const people = await readPeople(source);
  const fields = await readSettings(source);
  const { products, found } = await readProducts(source, people.names, fields.classificationNames);
  const referred = { ...fields, names: people.names, products: found };
  /** whether bugs of a status are closed that no table has */
  const otherStatuses = new Map<string, boolean>();
  let isHidden = false;
  const told = new Set<string>();

  /** A bug that a catalogue can have; undefined: there is none. */
  function valid({ attachments, ...given }: SourceBug): CatalogueBug | undefined {
    const data = new Map(attachments.map((one) => [one.id, one.data]));
    // The data is read when it is written.
    const bug = { ...given, attachments: attachments.map((one) => ({ ...one, data: '' })) };
    const { catalogue, removed } = sanitizeCatalogue({ bugs: [bug] });
    const [result] = catalogue.bugs;
    for (const { what, why } of removed) {
      problems.add(result === undefined ? 'bugs left out' : 'other parts of bugs left out', what, why);
    }
    for (const one of result?.attachments ?? []) one.data = data.get(one.id) ?? one.data;
    return result;
  }

  return {
    /** The bugs in the order of their ids, each time they are iterated anew. */
    async *bugs(): AsyncGenerator<CatalogueBug> {
      for await (const given of readBugs(source, referred)) {
        const bug = valid(given);
        if (bug === undefined) continue;
        isHidden ||= bug.groups?.includes(HIDDEN_GROUP) === true;
        const { status = '', resolution } = bug;
        if (status !== '' && !fields.statuses.has(status)) {
          otherStatuses.set(status, otherStatuses.get(status) === true || resolution !== '');
        }
        yield bug;
      }
    },

    /** Everything but the bugs; complete after these were read, as they name what Bugzilla does not have any more. */
    settings(): Catalogue {
      const standIns = people.standIns();
      const groups = [...people.groups, ...standIns.groups];
      const description = 'Bugs that Bugzilla showed to nobody';
      const hidden = { id: ADDED_ID, name: HIDDEN_GROUP, description, is_active: false };
      const { field_values, ...others } = fields.settings;
      const bug_status = [
        ...field_values.bug_status,
        ...[...otherStatuses].map(([name, isClosed]) => {
          return { name, is_open: !isClosed, is_active: false, can_change_to: [] };
        }),
      ];
      const { catalogue, removed } = sanitizeCatalogue({
        ...others,
        field_values: { ...field_values, bug_status },
        groups: withAdministrators([...groups, ...(isHidden ? [hidden] : [])], [...standIns.groups, hidden]),
        users: [...people.users, ...standIns.users],
        products: products.map((product) => ({
          ...product,
          components: [...product.components, ...(found.get(product.id)?.standIns ?? [])],
        })),
      });
      for (const { list, what, why } of removed) {
        if (told.has(`${what} ${why}`)) continue;
        told.add(`${what} ${why}`);
        const kind =
          list === 'users' || list === 'products' ? (`parts of ${list} left out` as const) : LEFT_OUT;
        problems.add(kind, what, why);
      }
      return catalogue;
    },
  };
}

/** Administrators are in every group of Bugzilla, and so in those that stand in for others. */
const withAdministrators = <T extends { name: string; member_of?: string[] }>(
  groups: readonly T[],
  standIns: readonly { name: string }[],
) => {
  const names = new Set(standIns.map(({ name }) => name));
  const added = groups.flatMap(({ name }) => (names.has(name) ? [name] : []));
  return groups.map((group) =>
    group.name === ADMINISTRATORS
      ? { ...group, member_of: [...new Set([...(group.member_of ?? []), ...added])] }
      : group,
  );
};

const ADMINISTRATORS = 'admin';
