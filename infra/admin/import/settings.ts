import { planCatalogue } from '../../../lib/catalogue/apply.ts';
import { catalogueError } from '../../../lib/catalogue/errors.ts';
import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import { type Catalogue, type Problem, validateCatalogue } from '../../../lib/catalogue/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import type { ProblemList } from './problems.ts';
import { reasonOf } from './sanitize.ts';

/** Parts of products whose ids may belong to other ones here. */
const PARTS = ['components', 'versions', 'milestones'] as const;

/** What an import copies beside bugs, as a catalogue has it. */
export const emptySettings = (): Catalogue => parseCatalogue({});

/** An import, or the part of it, that has settings. */
export interface WithSettings {
  table: Table;
  settings: Catalogue;
  problems: ProblemList;
}

/**
 * Leaves out of the settings what appears twice, and what contradicts the table: it becomes a problem. Groups, and parts
 * of products, whose ids belong to other ones here, as those that were created here, get the id that they have here, or
 * the next free one.
 *
 * @throws CatalogueError for what cannot be left out
 */
export async function settle(context: WithSettings): Promise<void> {
  const { table, settings } = context;
  for (;;) {
    const checked = validateCatalogue(settings);
    const found =
      'problems' in checked
        ? checked.problems
        : (await planCatalogue(table, checked.catalogue, { renameParts: true })).problems;
    if (found.length === 0) return;
    const places = Map.groupBy(found, ({ path: [list, at] }) => `${String(list)} ${String(at)}`);
    // From the last to the first, because elements are removed.
    const indexOf = ([first]: Problem[]) => Number(first?.path[1]) || 0;
    const byPlace = [...places.values()].sort((a, b) => indexOf(b) - indexOf(a));
    for (const ofOne of byPlace) leaveOut(context, ofOne);
  }
}

/** @param found the problems of one element of a list */
function leaveOut({ settings, problems }: WithSettings, found: Problem[]): void {
  const [list, at] = found[0]?.path ?? [];
  const why = found.map(({ message }) => message).join('; ');
  const refused = (where: string) =>
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
  if (list === 'field_values') {
    Reflect.deleteProperty(settings.field_values, String(at));
    refused(`values of ${String(at)}`);
    return;
  }
  const index = Number(at);
  if (list === 'keywords' || list === 'bug_fields') {
    const [removed] = settings[list].splice(index, 1);
    refused(list === 'keywords' ? `keyword '${removed?.name}'` : `field ${removed?.name}`);
  } else if (list === 'groups') {
    const [{ id, name } = { id: undefined, name: '' }] = settings.groups.splice(index, 1);
    if (id === undefined) return;
    settings.groups.push({ name });
    problems.add({ kind: 'groups with another name or id', where: `group '${name}'`, why: OTHER_ID });
  } else if (list === 'products') {
    if (!withoutIds({ settings, problems }, index, found)) {
      const [{ name } = { name: '' }] = settings.products.splice(index, 1);
      const reason = `${reasonOf(found)}; nor are its bugs`;
      problems.add({ kind: 'products not copied', where: `product '${name}'`, why: reason });
    }
  } else throw catalogueError(found);
}

export const OTHER_ID =
  'its id is hidden from the API key, or belongs to another group here: it got the next free id';

/** Removes the ids of parts of a product. @returns false when it has other problems, too */
function withoutIds(
  { settings, problems }: Pick<WithSettings, 'settings' | 'problems'>,
  index: number,
  found: Problem[],
): boolean {
  const product = settings.products[index];
  const parts = found.flatMap(({ path: [, , list, at, field], message }) => {
    const kind = PARTS.find((one) => one === list);
    const part = kind === undefined || field !== 'id' ? undefined : product?.[kind][Number(at)];
    return kind === undefined || part === undefined ? [] : [{ kind, part, message }];
  });
  if (parts.length < found.length) return false;
  // An id may have several problems.
  for (const { kind, part, message } of new Map(parts.map((one) => [one.part, one])).values()) {
    delete part.id;
    const where = `product '${product?.name}', ${kind} '${part.name}'`;
    problems.add({ kind: 'parts of products with another id', where, why: message });
  }
  return true;
}
