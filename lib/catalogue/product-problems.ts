import { normalizeName } from '../base/text.ts';
import { everyProduct, type ProductRepository } from '../products/repository.ts';
import type { ProductWithParts } from '../products/schema.ts';
import type { CatalogueProduct, Problem } from './schema.ts';

/** Parts whose ids are unique in the whole table; a flag type may belong to several products. */
const PARTS = { components: 'component', versions: 'version', milestones: 'milestone' } as const;
const KINDS = Object.keys(PARTS).filter((kind): kind is keyof typeof PARTS => kind in PARTS);

/** A product of the catalogue with its place, and what the table has of it. */
export interface ProductEntry {
  path: PropertyKey[];
  given: CatalogueProduct;
  existing: ProductWithParts | undefined;
  /** the id that the table has for the name */
  idOfName: number | undefined;
}

/** Products whose id or name belongs to another one, or whose parts have another id or name, or an id that is taken. */
export async function productProblems(
  repository: ProductRepository,
  entries: readonly ProductEntry[],
): Promise<Problem[]> {
  const identified = entries.filter((entry) => identityProblem(entry) === undefined);
  const ofParts = identified.flatMap(({ path, given, existing }) => [
    ...flagTypeProblems(path, given, existing),
    ...KINDS.flatMap((kind) =>
      partProblems([...path, kind], PARTS[kind], given[kind], existing?.[kind] ?? []),
    ),
  ]);
  const ofProducts = entries.flatMap((entry) => identityProblem(entry) ?? []);
  return [...ofProducts, ...ofParts, ...(await takenIdProblems(repository, identified))];
}

function identityProblem({ path, given, existing, idOfName }: ProductEntry): Problem | undefined {
  const { id, name } = given;
  if (id === undefined || idOfName === id) return undefined;
  if (idOfName !== undefined) {
    return { path: [...path, 'name'], message: `the product '${name}' has the id ${idOfName}, not ${id}` };
  }
  if (existing === undefined) return undefined;
  return { path: [...path, 'id'], message: `the product ${id} is '${existing.product.name}', not '${name}'` };
}

/** Parts of one kind that the product has under another id, name or spelling. */
function partProblems(
  path: PropertyKey[],
  what: string,
  given: readonly { id?: number | undefined; name: string }[],
  existing: readonly { id: number; name: string }[],
): Problem[] {
  const byName = new Map(existing.map((part) => [normalizeName(part.name), part]));
  const byId = new Map(existing.map((part) => [part.id, part]));
  return given.flatMap(({ id, name }, index): Problem[] => {
    const namesake = byName.get(normalizeName(name));
    const current = id === undefined ? undefined : byId.get(id);
    const problem = (field: string, message: string) => [{ path: [...path, index, field], message }];
    if (id !== undefined && namesake !== undefined && namesake.id !== id) {
      return problem('id', `'${namesake.name}' has the id ${namesake.id}, not ${id}`);
    }
    if (namesake !== undefined && namesake.name !== name) {
      return problem('name', `the product has it as '${namesake.name}'`);
    }
    if (current !== undefined && namesake === undefined) {
      return problem('id', `the ${what} ${id} is '${current.name}', not '${name}'`);
    }
    return [];
  });
}

/** Flag types that the product has under another name or spelling, or several times. */
function flagTypeProblems(
  path: PropertyKey[],
  { flag_types }: CatalogueProduct,
  existing: ProductWithParts | undefined,
): Problem[] {
  const known = existing?.flagTypes ?? [];
  return flag_types.flatMap(({ id, name, target }, f): Problem[] => {
    const problem = (message: string, ...field: string[]) => [
      { path: [...path, 'flag_types', f, ...field], message },
    ];
    if (id !== undefined) {
      const current = known.find((type) => type.id === id);
      if (current === undefined) return [];
      if (current.target === target && current.name === name) return [];
      return problem(`the flag type ${id} is '${current.name}' for ${current.target}s`, 'id');
    }
    const [namesake, another] = known.filter(
      (type) => type.target === target && normalizeName(type.name) === normalizeName(name),
    );
    if (another !== undefined) return problem('the product has several of this name: an id is required');
    if (namesake === undefined || namesake.name === name) return [];
    return problem(`the product has it as '${namesake.name}'`, 'name');
  });
}

/** New ids of parts that another product has. They are not indexed, so all products are read if there are any. */
async function takenIdProblems(
  repository: ProductRepository,
  entries: readonly ProductEntry[],
): Promise<Problem[]> {
  const paths = new Map(entries.flatMap(newPartIds));
  if (paths.size === 0) return [];
  const problems: Problem[] = [];
  for await (const stored of everyProduct(repository)) {
    for (const kind of KINDS) {
      for (const { id } of stored[kind]) {
        const path = paths.get(`${kind} ${id}`);
        const message = `the product '${stored.product.name}' has the ${PARTS[kind]} ${id}`;
        if (path !== undefined) problems.push({ path, message });
      }
    }
  }
  return problems;
}

/** The paths of ids that the product of an entry does not have yet. */
const newPartIds = ({ path, given, existing }: ProductEntry): [string, PropertyKey[]][] =>
  KINDS.flatMap((kind) => {
    const known = new Set(existing?.[kind].map(({ id }) => id));
    return given[kind].flatMap(({ id }, index): [string, PropertyKey[]][] =>
      id === undefined || known.has(id) ? [] : [[`${kind} ${id}`, [...path, kind, index, 'id']]],
    );
  });
