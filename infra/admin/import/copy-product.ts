import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { CatalogueError } from '../../../lib/catalogue/errors.ts';
import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import type { Catalogue } from '../../../lib/catalogue/schema.ts';
import type { Summary } from '../../../lib/catalogue/summary.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { productRepository } from '../../../lib/products/repository.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { catalogueProduct, groupIdsOf } from './catalogue-products.ts';
import type { Findings } from './problems.ts';
import { type Access, guessedControls, RESTRICTED } from './product-access.ts';
import { reasonOf, sanitizeCatalogue } from './sanitize.ts';
import type { SourceGroups } from './source-groups.ts';
import { productsAnswer } from './source-schema.ts';

/** What copying works with. */
export interface Copying {
  table: Table;
  bugzilla: Bugzilla;
  groups: SourceGroups;
  findings: Findings;
}

/**
 * Copies one product with its parts. What REST does not tell of it stays as it is in the table, or is guessed on
 * the safe side.
 *
 * @returns its name, and what was done; nothing when it could not be copied
 * @throws what Bugzilla.get and applyCatalogue throw, but for CatalogueError, which is a finding
 */
export async function copyProduct(
  { table, bugzilla, groups, findings }: Copying,
  access: Access,
  id: number,
): Promise<{ name: string; summary: Summary } | undefined> {
  const { products } = await bugzilla.get('product', productsAnswer, { query: { ids: id } });
  const [source] = products;
  const refused = (why: string) => {
    const where = source === undefined ? `product ${id}` : `product '${source.name}'`;
    findings.add({ kind: 'products not copied', where, why: `${why}; nor are its bugs` });
    return undefined;
  };
  if (source === undefined) return refused('Bugzilla lists it and does not show it');

  const where = `product '${source.name}'`;
  const nameOfGroup = await groups.withIds(groupIdsOf(source));
  const existing = await productRepository(table).byId(id);
  const guessed = existing === undefined ? guessedControls(access, id) : [];
  const controls = existing?.group_controls ?? guessed;
  const given = catalogueProduct(source, nameOfGroup, controls);
  const { catalogue, leftOut } = sanitizeCatalogue('products', given);
  if (catalogue === undefined) return refused(leftOut.map(({ why }) => why).join('; '));
  for (const { what, why } of leftOut) {
    findings.add({ kind: 'parts of products and bugs not copied', where: `${where}, ${what}`, why });
  }
  try {
    await addUnknown(table, catalogue, guessed.length > 0);
    const summary = await applyCatalogue(table, catalogue);
    const isGuessed = controls.some(({ group }) => group === RESTRICTED);
    if (isGuessed) {
      const why = `not everybody can reach it in Bugzilla; here it takes the group ${RESTRICTED}`;
      findings.add({ kind: 'products whose access is guessed', where, why });
    }
    return { name: source.name, summary };
  } catch (error) {
    if (error instanceof CatalogueError) return refused(reasonOf(error));
    throw error;
  }
}

/** Adds the classification, and the group that guessed access takes, unless they are there. */
async function addUnknown(table: Table, { products }: Catalogue, isRestricted: boolean): Promise<void> {
  const [name = ''] = products.map(({ classification }) => classification);
  const isKnown = (await productRepository(table).classification(name)) !== undefined;
  const description = 'Sees the products that Bugzilla does not show to everybody';
  await applyCatalogue(
    table,
    parseCatalogue({
      classifications: isKnown ? [] : [{ name }],
      groups: isRestricted ? [{ name: RESTRICTED, description }] : [],
    }),
  );
}
