import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { portions } from '../portions.ts';
import { productRepository } from '../products/repository.ts';
import type { ProductWithParts } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import type { Catalogue, CatalogueProduct, Problem } from './schema.ts';

/** What a catalogue may change. */
export interface Permissions {
  /** a part of a product whose id is in the catalogue with another name gets that name; otherwise it is refused */
  renameParts: boolean;
}

/** Parts whose ids are unique in the whole table; a flag type may belong to several products. */
const PARTS = ['components', 'versions', 'milestones'] as const;
type PartKind = (typeof PARTS)[number];
const SINGULAR = { components: 'component', versions: 'version', milestones: 'milestone' } as const;

/** Products and parts whose id or name belongs to another one. */
export async function productProblems(
  table: Table,
  { products }: Catalogue,
  permissions: Permissions,
): Promise<Problem[]> {
  const repository = productRepository(table);
  const idByName = await repository.idsByName(products.map(({ name }) => name));
  const idOf = ({ id, name }: CatalogueProduct) => id ?? idByName.get(normalizeName(name));
  const stored = await repository.allWithParts(products.flatMap((product) => idOf(product) ?? []));
  const byId = new Map(stored.map((product) => [product.product.id, product]));

  const problems: Problem[] = [];
  const identified: PartOfProduct[] = [];
  for (const [p, given] of products.entries()) {
    const existing = byId.get(idOf(given) ?? 0);
    const problem = identityProblem(p, given, idByName.get(normalizeName(given.name)), existing);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    problems.push(...flagTypeProblems(p, given, existing, permissions));
    for (const kind of PARTS) {
      problems.push(...partProblems(p, kind, given[kind], existing?.[kind] ?? [], permissions));
      identified.push(...newIds(p, kind, given[kind], existing));
    }
  }
  return [...problems, ...(await takenIds(table, identified))];
}

function identityProblem(
  p: number,
  { id, name }: CatalogueProduct,
  idOfName: number | undefined,
  existing: ProductWithParts | undefined,
): Problem | undefined {
  if (id === undefined || idOfName === id) return undefined;
  if (idOfName !== undefined) {
    return {
      path: ['products', p, 'name'],
      message: `the product '${name}' has the id ${idOfName}, not ${id}`,
    };
  }
  if (existing === undefined) return undefined;
  return {
    path: ['products', p, 'id'],
    message: `the product ${id} is '${existing.product.name}', not '${name}'`,
  };
}

interface GivenPart {
  id?: number | undefined;
  name: string;
}
interface StoredPart {
  id: number;
  name: string;
}

/** Parts of one kind that the product has under another id, name or spelling. */
function partProblems(
  p: number,
  kind: PartKind,
  given: readonly GivenPart[],
  existing: readonly StoredPart[],
  { renameParts }: Permissions,
): Problem[] {
  const byName = new Map(existing.map((part) => [normalizeName(part.name), part]));
  const byId = new Map(existing.map((part) => [part.id, part]));
  const givenIds = new Set(given.map(({ id }) => id));
  return given.flatMap(({ id, name }, index): Problem[] => {
    const path = ['products', p, kind, index];
    const namesake = byName.get(normalizeName(name));
    const current = id === undefined ? undefined : byId.get(id);
    // A part that the catalogue has by its id may get another name itself.
    const isRenamed = renameParts && namesake !== undefined && givenIds.has(namesake.id);
    if (id !== undefined && namesake !== undefined && namesake.id !== id && !isRenamed) {
      return [{ path: [...path, 'id'], message: `'${namesake.name}' has the id ${namesake.id}, not ${id}` }];
    }
    if (renameParts && (current !== undefined || isRenamed)) return [];
    if (namesake !== undefined && namesake.name !== name) {
      return [{ path: [...path, 'name'], message: `the product has it as '${namesake.name}'` }];
    }
    if (current !== undefined && namesake === undefined) {
      const message = `the ${SINGULAR[kind]} ${id} is '${current.name}', not '${name}'`;
      return [{ path: [...path, 'id'], message }];
    }
    return [];
  });
}

/** Flag types that the product has under another name or spelling, or several times. */
function flagTypeProblems(
  p: number,
  { flag_types }: CatalogueProduct,
  existing: ProductWithParts | undefined,
  { renameParts }: Permissions,
): Problem[] {
  const known = existing?.flagTypes ?? [];
  return flag_types.flatMap(({ id, name, target }, f): Problem[] => {
    const path = ['products', p, 'flag_types', f];
    if (id !== undefined) {
      const current = known.find((type) => type.id === id);
      if (current === undefined) return [];
      if (current.target === target && (current.name === name || renameParts)) return [];
      const message = `the flag type ${id} is '${current.name}' for ${current.target}s`;
      return [{ path: [...path, 'id'], message }];
    }
    const namesakes = known.filter(
      (type) => type.target === target && normalizeName(type.name) === normalizeName(name),
    );
    const [namesake] = namesakes;
    if (namesakes.length > 1) {
      return [{ path, message: 'the product has several of this name: an id is required' }];
    }
    if (namesake === undefined || namesake.name === name) return [];
    return [{ path: [...path, 'name'], message: `the product has it as '${namesake.name}'` }];
  });
}

/** A part of the catalogue whose id its product does not have yet. */
interface PartOfProduct {
  kind: PartKind;
  id: number;
  path: PropertyKey[];
}

function newIds(
  p: number,
  kind: PartKind,
  given: readonly GivenPart[],
  existing: ProductWithParts | undefined,
): PartOfProduct[] {
  const known = new Set(existing?.[kind].map(({ id }) => id));
  return given.flatMap(({ id }, index) =>
    id === undefined || known.has(id) ? [] : [{ kind, id, path: ['products', p, kind, index, 'id'] }],
  );
}

/** Bounds the memory that products of 400 KB and more take. */
const PRODUCTS_PER_READ = 25;

/** New ids that another product has. They are not indexed, so all products are read where a catalogue has any. */
async function takenIds(table: Table, parts: PartOfProduct[]): Promise<Problem[]> {
  if (parts.length === 0) return [];
  const byId = new Map(parts.map((part) => [`${part.kind} ${part.id}`, part]));
  const repository = productRepository(table);
  const problems: Problem[] = [];
  for await (const page of repository.index()) {
    for (const entries of portions(page, { max: PRODUCTS_PER_READ })) {
      for (const stored of await repository.allWithParts(entries.map(({ id }) => id))) {
        for (const kind of PARTS) {
          for (const { id } of stored[kind]) {
            const path = byId.get(`${kind} ${id}`)?.path;
            const message = `the product '${stored.product.name}' has the ${SINGULAR[kind]} ${id}`;
            if (path !== undefined) problems.push({ path, message });
          }
        }
      }
    }
  }
  return problems;
}

/** Bugs whose product or component neither the catalogue nor the table has. */
export async function placeProblems(table: Table, { products, bugs }: Catalogue): Promise<Problem[]> {
  const components = new Map(
    products.map((product) => [
      normalizeName(product.name),
      new Set(product.components.map(({ name }) => name)),
    ]),
  );
  const repository = productRepository(table);
  const stored = await repository.idsByName([...new Set(bugs.map(({ product }) => product))]);
  await mapConcurrent([...stored], async ([name, id]) => {
    const product = await repository.withParts(id);
    const known = components.get(name) ?? new Set<string>();
    for (const component of product?.components ?? []) known.add(component.name);
    components.set(name, known);
  });
  return bugs.flatMap(({ product, component }, b): Problem[] => {
    const known = components.get(normalizeName(product));
    if (known === undefined)
      return [{ path: ['bugs', b, 'product'], message: `there is no product '${product}'` }];
    if (known.has(component)) return [];
    return [{ path: ['bugs', b, 'component'], message: `'${product}' has no component '${component}'` }];
  });
}
