import type { StatusRow } from '../../lib/bugs/workflow.ts';
import { planCatalogue } from '../../lib/catalogue/apply.ts';
import { catalogueError } from '../../lib/catalogue/errors.ts';
import type { Catalogue, CatalogueProduct, Problem } from '../../lib/catalogue/schema.ts';
import { validateCatalogue } from '../../lib/catalogue/validation.ts';
import type { ImportedState } from '../../lib/people/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import type { ProblemList } from './problems.ts';
import { reasonOf } from './sanitize.ts';

/** What an import copies beside bugs, as a catalogue has it, not yet validated but for products. */
export interface ImportSettings {
  groups: { id?: number; name: string; description?: string }[];
  users: {
    id?: number;
    login: string;
    real_name?: string;
    imported: ImportedState;
    saved_searches?: { name: string; query: string }[];
  }[];
  classifications: { name: string }[];
  keywords: { name: string; description: string }[];
  field_values: Record<string, string[] | StatusRow[]>;
  bug_fields: { name: string; type: number; [field: string]: unknown }[];
  products: CatalogueProduct[];
}

export const emptySettings = (): ImportSettings => ({
  ...{
    groups: [],
    users: [],
    classifications: [],
    keywords: [],
    field_values: {},
    bug_fields: [],
    products: [],
  },
});

/** An import, or the part of it, that has settings. */
export interface WithSettings {
  table: Table;
  settings: ImportSettings;
  problems: ProblemList;
}

/**
 * Leaves out of the settings what is invalid, what appears twice, and what contradicts the table: it becomes a problem.
 * Groups, and parts of products, whose ids belong to other ones here, as those that were created here, get the id that
 * they have here, or the next free one.
 *
 * @throws CatalogueError for what cannot be left out
 */
export async function settle(context: WithSettings): Promise<Catalogue> {
  for (;;) {
    const checked = validateCatalogue(context.settings);
    const problems =
      'problems' in checked
        ? checked.problems
        : (await planCatalogue(context.table, checked.catalogue, { renameParts: true })).problems;
    if ('catalogue' in checked && problems.length === 0) return checked.catalogue;
    const ofElements = Map.groupBy(problems, ({ path: [list, at] }) => `${String(list)} ${String(at)}`);
    // From the last to the first, because elements are removed.
    const indexOf = ([first]: Problem[]) => Number(first?.path[1]) || 0;
    const sorted = [...ofElements.values()].sort((a, b) => indexOf(b) - indexOf(a));
    for (const ofOne of sorted) leaveOut(context, ofOne);
  }
}

/** @param found the problems of one element of a list, or of a list that is too long */
function leaveOut({ settings, problems }: WithSettings, found: Problem[]): void {
  const [list, at] = found[0]?.path ?? [];
  const index = at === undefined ? -1 : Number(at);
  const refused = (where: string) => {
    const why = found.map(({ message }) => message).join('; ');
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
  };
  if (list === 'field_values') {
    Reflect.deleteProperty(settings.field_values, String(at));
    refused(`values of ${String(at)}`);
  } else if (list === 'keywords') {
    refused(`keyword '${settings.keywords.splice(index, 1)[0]?.name}'`);
  } else if (list === 'bug_fields') {
    refused(`field ${settings.bug_fields.splice(index, 1)[0]?.name}`);
  } else if (list === 'classifications') {
    settings.classifications.splice(index, 1);
  } else if (list === 'groups') {
    const [{ id, name } = { name: '' }] = settings.groups.splice(index, 1);
    if (id === undefined) return;
    settings.groups.push({ name });
    problems.add({ kind: 'groups with another name or id', where: `group '${name}'`, why: OTHER_ID });
  } else if (list === 'users') {
    leaveOutUser(settings.users, index, found, refused);
  } else if (list === 'products') {
    if (withoutIds(settings.products[index], found, problems)) return;
    const where = `product '${settings.products.splice(index, 1)[0]?.name}'`;
    problems.add({ kind: 'products not copied', where, why: `${reasonOf(found)}; nor are its bugs` });
  } else throw catalogueError(found);
}

/**
 * A user whose id belongs to another one here, as those that were created here, gets the next free id; groups that cannot be
 * copied are left out.
 */
function leaveOutUser(
  users: ImportSettings['users'],
  index: number,
  found: Problem[],
  refused: (where: string) => void,
): void {
  const user = users[index];
  const groups = new Set(found.map(({ path }) => (path[3] === 'groups' ? path[4] : undefined)));
  if (user?.id !== undefined && found.every(({ path }) => path[2] === 'id')) delete user.id;
  else if (user !== undefined && !groups.has(undefined)) {
    const kept = user.imported.groups?.filter((_, at) => !groups.has(at)) ?? [];
    user.imported = { ...user.imported, groups: kept };
  } else refused(`user '${users.splice(index, 1)[0]?.login}'`);
}

export const OTHER_ID =
  'its id is hidden from the API key, or belongs to another group here: it got the next free id';

/** Parts of products whose ids may belong to other ones here. */
const PARTS = ['components', 'versions', 'milestones'] as const;

/** Removes the ids of parts of a product. @returns false when it has other problems, too */
function withoutIds(product: CatalogueProduct | undefined, found: Problem[], problems: ProblemList): boolean {
  const parts = found.flatMap(({ path: [, , list, at, field], message }) => {
    const kind = PARTS.find((one) => one === list && field === 'id');
    const part = kind === undefined ? undefined : product?.[kind][Number(at)];
    return part === undefined ? [] : [{ kind, part, message }];
  });
  if (parts.length < found.length) return false;
  // An id may have several problems.
  for (const { kind, part, message: why } of new Map(parts.map((one) => [one.part, one])).values()) {
    delete part.id;
    const where = `product '${product?.name}', ${kind} '${part.name}'`;
    problems.add({ kind: 'parts of products with another id', where, why });
  }
  return true;
}
