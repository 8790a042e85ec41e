import { portions } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { followProduct } from '../bugs/store/follow-product.ts';
import { bugRepository } from '../bugs/store/repository.ts';
import { groupRepository } from '../people/group-repository.ts';
import { type ProductSave, productDocumentRepository } from '../products/document-repository.ts';
import { productRepository } from '../products/repository.ts';
import type { ProductWithParts } from '../products/schema.ts';
import { bugsOfProduct } from '../search/index/view.ts';
import { idAllocator } from '../table/counters.ts';
import { desiredProduct, type ProductBuilder } from './desired-product.ts';
import { namesAt } from './places.ts';
import { outcomeOf, type PlanContext } from './plan.ts';
import type { GroupNamed } from './plan-groups.ts';
import { type ProductEntry, productProblems } from './product-problems.ts';
import type { CatalogueSource } from './schema.ts';

/** The product with a name, in any case, that bugs and users of a catalogue name; to be called when the products are written. */
export type ProductNamed = (name: string) => ProductWithParts;

/** The names of the components that a product has then; undefined: there is no such product. */
export type ComponentsOf = (product: string) => ReadonlySet<string> | undefined;

/** Products that are written together. */
const PORTION = 99;

/** Adds and updates products with their parts. Fields and parts that the catalogue does not have are kept. */
export async function planProducts(
  { table, index, catalogue, digest, counter, isWhole }: PlanContext,
  groupNamed: GroupNamed,
  placeholder: string,
) {
  const { products } = catalogue;
  const repository = productRepository(table);
  const watched = namesAt(catalogue, ['users.*.watched_components.*.product']).map(({ value }) => value);
  const named = [...products.map(({ name }) => name), ...digest.products, ...new Set(watched)];
  const idByName = await repository.idsByName(named);
  const ids = [...products.flatMap(({ id }) => id ?? []), ...idByName.values()];
  const stored = new Map((await repository.allWithParts(ids)).map((one) => [one.product.id, one]));
  const entries = products.map((given, p): ProductEntry => {
    const idOfName = idByName.get(normalizeName(given.name));
    const existing = stored.get(given.id ?? idOfName ?? 0);
    return { path: ['products', p], given, existing, idOfName };
  });
  const byName = new Map<string, ProductWithParts>();
  const addStored = (one: ProductWithParts) => byName.set(normalizeName(one.product.name), one);
  for (const one of stored.values()) addStored(one);
  const bugs = bugRepository(table, table.now);

  /** Bugs follow their products. They stay in a group that has another name now, whose controls are not those of before. */
  async function followAll(saves: readonly ProductSave[]): Promise<void> {
    if (isWhole) return;
    const controls = saves.flatMap(({ existing }) => existing?.product.group_controls ?? []);
    const groups = await groupRepository(table).byNames([...new Set(controls.map(({ group }) => group))]);
    const names = new Set(groups.map(({ name }) => name));
    for (const { existing, desired } of saves) {
      if (existing === undefined) continue;
      const group_controls = existing.product.group_controls.filter(({ group }) => names.has(group));
      const before = { ...existing, product: { ...existing.product, group_controls } };
      await followProduct(table, bugs, (product) => bugsOfProduct(index, product), before, desired);
    }
  }

  return {
    // Of a whole catalogue every name and part is told by its id.
    problems: isWhole ? [] : await productProblems(repository, entries),
    componentsOf: knownComponents(catalogue, stored.values()),
    async execute() {
      const builder: ProductBuilder = { allocate: idAllocator(table), groupNamed, placeholder, isWhole };
      const { save } = productDocumentRepository(table);
      for (const portion of portions(entries, { max: PORTION })) {
        const saves = await Promise.all(
          portion.map(async ({ given, existing }) => ({
            existing,
            desired: await desiredProduct(builder, given, existing),
          })),
        );
        // Before the products, so that a run that repeats an interrupted one sees that it is not done, and after them for
        // the bugs that were created meanwhile.
        await followAll(saves);
        const saved = await save(saves);
        await followAll(saves);
        for (const [index, { existing }] of saves.entries()) {
          counter.count('products', outcomeOf(existing, saved[index] === true));
        }
        const written = await repository.allWithParts(saves.map(({ desired }) => desired.product.id));
        for (const one of written) addStored(one);
      }
    },
    /** Reads the product with a name again, in any case: somebody has changed it since. */
    async readProductAgain(name: string): Promise<void> {
      const [id = 0] = (await repository.idsByName([name])).values();
      const current = await repository.withParts(id);
      if (current !== undefined) addStored(current);
    },
    productNamed(name: string): ProductWithParts {
      const product = byName.get(normalizeName(name));
      if (product === undefined) throw new Error(`The product '${name}' was not planned`);
      return product;
    },
  };
}

/** The components that the products of the catalogue and of the table have together. */
function knownComponents({ products }: CatalogueSource, stored: Iterable<ProductWithParts>): ComponentsOf {
  const known = new Map<string, Set<string>>();
  const add = (product: string, components: { name: string }[]) => {
    const names = known.get(normalizeName(product)) ?? [];
    known.set(normalizeName(product), new Set([...names, ...components.map(({ name }) => name)]));
  };
  for (const { name, components } of products) add(name, components);
  for (const { product, components } of stored) add(product.name, components);
  return (product) => known.get(normalizeName(product));
}
