import { normalizeName } from '../../lib/base/text.ts';
import { addGroups } from '../../lib/bugs/store/follow-product.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { CatalogueControl as GroupControl } from '../../lib/catalogue/schema-products.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { bugsOf } from '../../lib/search/index/view.ts';
import type { Table } from '../../lib/table/client.ts';
import { lastId } from '../../lib/table/counters.ts';
import { type ImportContext, isRestricted } from './copy-product.ts';
import type { LastRun } from './last-run.ts';
import { type Access, type ProductControls, RESTRICTED, RESTRICTED_GROUP } from './product-access.ts';
import { emptySettings, settle } from './settings.ts';

/**
 * The products that an earlier run has copied, and Bugzilla does not show to the owner of the API key any more: here, only members
 * of RESTRICTED see them from now on.
 */
export async function hiddenProducts(
  { table, problems }: Pick<ImportContext, 'table' | 'problems'>,
  { products }: Access,
  before: LastRun,
): Promise<ProductControls[]> {
  const gone = before.products.filter(({ id }) => !products.includes(id));
  const stored = await productRepository(table).products(gone.map(({ id }) => id));
  return stored.flatMap(({ id, name, group_controls }): ProductControls[] => {
    if (gone.find((one) => one.id === id)?.name !== name) return [];
    if (group_controls.some(({ membercontrol }) => membercontrol === 'MANDATORY')) return [];
    const why = `Bugzilla does not show it any more; here it requires the group ${RESTRICTED}`;
    problems.add({ kind: 'products with inferred access', where: `product '${name}'`, why });
    const hidden = { group: RESTRICTED, entry: true, membercontrol: 'MANDATORY', canedit: false } as const;
    const others = group_controls.filter(({ group }) => normalizeName(group) !== RESTRICTED);
    return [{ id, name, group_controls: [...others, hidden] }];
  });
}

/**
 * Writes what has become more restricted in Bugzilla since the last run, before anything else: the group controls of products, with
 * the groups that their bugs get by these, and the groups that bugs lack. So nothing is missing for the length of a run, or where it
 * stops.
 *
 * @param seen the groups of bugs in Bugzilla, by id; undefined: it cannot be asked for them alone
 * @param isOwn whether an import has written a bug
 */
export async function restrict(
  context: Pick<ImportContext, 'table' | 'problems' | 'groups' | 'settings'>,
  products: readonly ProductControls[],
  seen: ReadonlyMap<number, readonly string[]> | undefined,
  isOwn: (bug: number) => boolean,
): Promise<void> {
  const { table, problems, groups } = context;
  const missing =
    seen === undefined ? new Map<number, string[]>() : await missingGroups(context, seen, isOwn);
  for (const name of new Set([...missing.values()].flat())) await groups.ensureName(name);
  if (products.length + missing.size === 0) return;
  const settings = {
    ...emptySettings(),
    groups: [...context.settings.groups],
    products: products.map((one) => ({
      ...one,
      components: [],
      versions: [],
      milestones: [],
      flag_types: [],
    })),
  };
  const isKnown = settings.groups.some(({ name }) => normalizeName(name) === RESTRICTED);
  if (products.some(isRestricted) && !isKnown) settings.groups.push(RESTRICTED_GROUP);
  await applyCatalogue(table, await settle({ table, settings, problems }), { renameParts: true });
  await addGroups(table, bugRepository(table, table.now), missing);
}

/** The groups that bugs of the table lack, by the ids of the bugs. */
async function missingGroups(
  { table }: Pick<ImportContext, 'table'>,
  seen: ReadonlyMap<number, readonly string[]>,
  isOwn: (bug: number) => boolean,
): Promise<Map<number, string[]>> {
  const missing = new Map<number, string[]>();
  // Without a bug there is no search index.
  if ((await lastId(table, 'bug')) === 0) return missing;
  const index = openBugIndex(table, bugRepository(table, table.now), table.now, false);
  for (const { id, value } of bugsOf(await index.read(() => true))) {
    const there = seen.get(id) ?? [];
    if (there.length === 0 || !isOwn(id)) continue;
    const here = new Set([value('groups') ?? []].flat().map((name) => normalizeName(String(name))));
    const lacking = there.filter((name) => !here.has(normalizeName(name)));
    if (lacking.length > 0) missing.set(id, lacking);
  }
  return missing;
}

/** Writes what is less restricted in Bugzilla than here, after everything else: the control of RESTRICTED that products have then. */
export async function release(table: Table, products: readonly ProductControls[]): Promise<void> {
  const stored = await productRepository(table).products(products.map(({ id }) => id));
  const released = stored.map(({ id, name, group_controls }) => {
    const later = products.find((one) => one.id === id)?.group_controls ?? [];
    const isOwn = ({ group }: GroupControl) => normalizeName(group) === RESTRICTED;
    return {
      ...{ id, name, components: [], versions: [], milestones: [], flag_types: [] },
      group_controls: [...group_controls.filter((one) => !isOwn(one)), ...later.filter(isOwn)],
    };
  });
  if (released.length > 0) await applyCatalogue(table, parseCatalogue({ products: released }));
}
