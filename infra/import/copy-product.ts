import { isDeepStrictEqual } from 'node:util';
import { normalizeName } from '../../lib/base/text.ts';
import type { CatalogueControl as GroupControl } from '../../lib/catalogue/schema-products.ts';
import { productRepository } from '../../lib/products/repository.ts';
import type { ProductItem } from '../../lib/products/schema.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { catalogueProduct, groupIdsOf } from './catalogue-products.ts';
import type { RenamedGroups } from './follow-renames.ts';
import type { Hidden } from './hidden.ts';
import type { LastRun } from './last-run.ts';
import {
  type Access,
  followedControls,
  inferredControls,
  isMandatory,
  type ProductControls,
  RESTRICTED,
  RESTRICTED_GROUP,
} from './product-access.ts';
import { sanitizeCatalogue } from './sanitize.ts';
import type { WithSettings } from './settings.ts';
import type { SourceGroups } from './source-groups.ts';
import { productsResponse, type SourceProduct } from './source-schema.ts';

/** The services of one import. */
export interface ImportContext extends WithSettings {
  bugzilla: Bugzilla;
  groups: SourceGroups;
  hidden: Hidden;
  /** what the last run saw */
  before: LastRun;
  /** groups that Bugzilla has under another name than in the last run, by that one, normalized */
  renamedGroups: RenamedGroups;
  /** of products that the table has: what is written before everything else, and what after it */
  controls: { restrictions: ProductControls[]; releases: ProductControls[] };
  /** whether it copies beside what the table has from elsewhere */
  into: boolean;
  /** ids of products that the table had before, of which no run is known that copied them from this Bugzilla */
  foreign: Set<number>;
}

/**
 * Adds one product with its parts to the settings. REST does not expose its group controls: those of an existing product
 * are kept, those of a new one inferred, rather too strict than too permissive. What is invalid becomes a problem.
 *
 * @throws what Bugzilla.get throws
 */
export async function copyProduct(context: ImportContext, access: Access, id: number): Promise<void> {
  const { table, bugzilla, groups, problems, settings } = context;
  const { products } = await bugzilla.get('product', productsResponse, { query: { ids: id } });
  const [source] = products;
  const refused = (why: string) => {
    const where = source === undefined ? `product ${id}` : `product '${source.name}'`;
    problems.add({ kind: 'products not copied', where, why: `${why}; nor are its bugs` });
  };
  if (source === undefined) return refused('Bugzilla lists it, but does not return it');

  const existing = await productRepository(table).byId(id);
  if (existing !== undefined && !isSameProduct(source, existing, context.before)) {
    return refused(`id: the product ${id} is '${existing.name}', not '${source.name}'`);
  }
  const isCopied = context.before.products.some((one) => one.id === id);
  if (context.into && existing !== undefined && !isCopied) context.foreign.add(id);
  const nameOfGroup = await groups.ensureIds(groupIdsOf(source));
  const inferred = inferredControls(access, id);
  const renamed = (control: GroupControl): GroupControl => ({
    ...control,
    group: context.renamedGroups.get(normalizeName(control.group)) ?? control.group,
  });
  const own = existing?.group_controls.map(renamed);
  const { now: controls, later } =
    own === undefined
      ? { now: inferred, later: inferred }
      : followedControls(own, inferred, access.anonymous !== undefined);
  const given = catalogueProduct(source, nameOfGroup, controls);
  const { catalogue, removed } = sanitizeCatalogue('products', given);
  if (catalogue === undefined) return refused(removed.map(({ why }) => why).join('; '));
  for (const { what, why } of removed) {
    const where = `product '${source.name}', ${what}`;
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
  }
  settings.products.push(...catalogue.products);
  // Another Bugzilla may restrict a product with the same id and name.
  const released = context.foreign.has(id) ? controls : later;
  if (existing !== undefined) noteControls(context, existing, controls, released, inferred);
  else if (isRestricted({ group_controls: controls })) addOnce(settings.groups, RESTRICTED_GROUP);
  const [name = ''] = catalogue.products.map(({ classification }) => classification);
  if ((await productRepository(table).classification(name)) === undefined) {
    addOnce(settings.classifications, { name });
  }
}

/** Whether a product here is that of Bugzilla: of that name, or of the one that it had there at the last run. */
const isSameProduct = ({ id, name }: SourceProduct, existing: ProductItem, { products }: LastRun): boolean =>
  normalizeName(existing.name) === normalizeName(name) ||
  products.some((one) => one.id === id && one.name === existing.name);

/** Notes what of the controls of a product has to be written before its bugs, and what after them. */
function noteControls(
  { controls, settings, problems }: ImportContext,
  { id, name, group_controls }: ProductItem,
  now: GroupControl[],
  later: GroupControl[],
  inferred: readonly GroupControl[],
): void {
  if (!isDeepStrictEqual(now, group_controls)) {
    if (isRestricted({ group_controls: now })) addOnce(settings.groups, RESTRICTED_GROUP);
    controls.restrictions.push({ id, name, group_controls: now });
  }
  if (!isDeepStrictEqual(later, now)) controls.releases.push({ id, name, group_controls: later });
  if (!inferred.some(isMandatory) && later.some(isMandatory)) {
    const why = 'everybody sees it in Bugzilla; here its group controls restrict it, and stay';
    problems.add({ kind: 'products with inferred access', where: `product '${name}'`, why });
  }
}

/** Whether a product has the controls that were inferred. */
export const isRestricted = ({ group_controls = [] }: { group_controls?: { group: string }[] | undefined }) =>
  group_controls.some(({ group }) => group === RESTRICTED);

function addOnce<T extends { name: string }>(list: T[], added: T): void {
  if (list.every(({ name }) => normalizeName(name) !== normalizeName(added.name))) list.push(added);
}
