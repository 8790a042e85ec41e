import { applyCatalogue, type CataloguePlan, planCatalogue } from '../../../lib/catalogue/apply.ts';
import { jsonPath } from '../../../lib/catalogue/errors.ts';
import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import type { Catalogue } from '../../../lib/catalogue/schema.ts';
import { kinds, type Summary } from '../../../lib/catalogue/summary.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { productRepository } from '../../../lib/products/repository.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { catalogueProduct, groupIdsOf } from './catalogue-products.ts';
import type { ProblemList } from './problems.ts';
import { type Access, inferredControls, RESTRICTED } from './product-access.ts';
import { type Removed, reasonOf, sanitizeCatalogue } from './sanitize.ts';
import type { SourceGroups } from './source-groups.ts';
import { productsResponse } from './source-schema.ts';

/** The services of one import. */
export interface ImportContext {
  table: Table;
  bugzilla: Bugzilla;
  groups: SourceGroups;
  problems: ProblemList;
  /** what was written so far */
  summary: Summary;
  /** the types of the copied custom fields, by name */
  customTypes: ReadonlyMap<string, number>;
}

/** Executes a plan, and counts what it has written. */
export async function execute({ summary }: ImportContext, plan: CataloguePlan): Promise<void> {
  const written = await plan.execute();
  for (const kind of kinds) {
    summary[kind].added += written[kind].added;
    summary[kind].changed += written[kind].changed;
    summary[kind].unchanged += written[kind].unchanged;
  }
}

/**
 * Copies one product with its parts. REST does not expose its group controls: those of an existing product are kept,
 * those of a new one inferred, rather too strict than too permissive. What contradicts the table becomes a problem.
 *
 * @returns its name; empty when it could not be copied
 * @throws what Bugzilla.get throws, and ConditionFailed
 */
export async function copyProduct(context: ImportContext, access: Access, id: number): Promise<string[]> {
  const { table, bugzilla, groups, problems } = context;
  const { products } = await bugzilla.get('product', productsResponse, { query: { ids: id } });
  const [source] = products;
  const refused = (why: string) => {
    const where = source === undefined ? `product ${id}` : `product '${source.name}'`;
    problems.add({ kind: 'products not copied', where, why: `${why}; nor are its bugs` });
    return [];
  };
  if (source === undefined) return refused('Bugzilla lists it, but does not return it');

  const where = `product '${source.name}'`;
  const nameOfGroup = await groups.ensureIds(groupIdsOf(source));
  const existing = await productRepository(table).byId(id);
  const inferred = existing === undefined ? inferredControls(access, id) : [];
  const controls = existing?.group_controls ?? inferred;
  const given = catalogueProduct(source, nameOfGroup, controls);
  const { catalogue, removed } = sanitizeCatalogue('products', given);
  if (catalogue === undefined) return refused(removed.map(({ why }) => why).join('; '));
  for (const { what, why } of removed) {
    problems.add({ kind: 'parts of products and bugs not copied', where: `${where}, ${what}`, why });
  }
  await addMissing(table, catalogue, inferred.length > 0);
  const { plan, renumbered } = await planProduct(table, catalogue);
  if (plan.problems.length > 0) return refused(reasonOf(plan.problems));
  await execute(context, plan);
  for (const { what, why } of renumbered) {
    problems.add({ kind: 'parts of products with another id', where: `${where}, ${what}`, why });
  }
  const isInferred = controls.some(({ group }) => group === RESTRICTED);
  if (isInferred) {
    const why = `it is not public in Bugzilla; here it requires the group ${RESTRICTED}`;
    problems.add({ kind: 'products with inferred access', where, why });
  }
  return [source.name];
}

const PARTS = ['components', 'versions', 'milestones'] as const;

/**
 * Plans a product. Parts whose ids belong to other ones here, as those of products that were created here, get the id
 * that they have here, or the next free one.
 */
async function planProduct(
  table: Table,
  catalogue: Catalogue,
): Promise<{ plan: CataloguePlan; renumbered: Removed[] }> {
  // Bugzilla's parts keep their ids when they are renamed.
  const planned = (given: Catalogue) => planCatalogue(table, given, { renameParts: true });
  const plan = await planned(catalogue);
  const reasons = new Map(plan.problems.map(({ path, message }) => [jsonPath(path), message]));
  const renumbered: Removed[] = [];
  const products = catalogue.products.map((product, p) => {
    const parts = PARTS.map((kind) => {
      const withoutIds = product[kind].map((part, index) => {
        const why = reasons.get(jsonPath(['products', p, kind, index, 'id']));
        if (why === undefined) return part;
        renumbered.push({ what: `${kind} '${part.name}'`, why });
        return { ...part, id: undefined };
      });
      return [kind, withoutIds];
    });
    return { ...product, ...Object.fromEntries(parts) };
  });
  if (renumbered.length === 0 || renumbered.length < reasons.size) return { plan, renumbered: [] };
  return { plan: await planned({ ...catalogue, products }), renumbered };
}

/** Adds the classification, and the group of inferred access, unless they exist. */
async function addMissing(table: Table, { products }: Catalogue, isRestricted: boolean): Promise<void> {
  const [name = ''] = products.map(({ classification }) => classification);
  const exists = (await productRepository(table).classification(name)) !== undefined;
  const description = 'Members see the products that are not public in Bugzilla';
  await applyCatalogue(
    table,
    parseCatalogue({
      classifications: exists ? [] : [{ name }],
      groups: isRestricted ? [{ name: RESTRICTED, description }] : [],
    }),
  );
}
