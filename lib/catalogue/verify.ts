import { bugRepository } from '../bugs/repository.ts';
import { bugSettingsRepository } from '../bugs/settings-repository.ts';
import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { productRepository } from '../products/repository.ts';
import { normalizeName } from '../text.ts';
import { accountRepository } from '../users/account-repository.ts';
import { hashOf } from '../users/repository.ts';
import { catalogueError } from './errors.ts';
import type { Catalogue, Problem } from './schema.ts';

/**
 * Checks a catalogue against the table before anything is written: unknown groups, products and components, ids and
 * API keys that belong to something else.
 *
 * @throws CatalogueError naming each wrong place by its JSON path
 */
export async function verifyCatalogue(table: Table, catalogue: Catalogue): Promise<void> {
  const problems = await Promise.all([
    groupProblems(table, catalogue),
    userProblems(table, catalogue),
    productProblems(table, catalogue),
    placeProblems(table, catalogue),
    bugProblems(table, catalogue),
    keywordProblems(table, catalogue),
  ]);
  const all = problems.flat();
  if (all.length > 0) throw catalogueError(all);
}

/** A value of the catalogue with its place. */
interface Reference {
  name: string;
  path: PropertyKey[];
}

async function groupProblems(table: Table, catalogue: Catalogue): Promise<Problem[]> {
  const accounts = accountRepository(table);
  const references = groupReferences(catalogue);
  const given = new Set(catalogue.groups.map(({ name }) => normalizeName(name)));
  const stored = await accounts.groups([...references, ...catalogue.groups].map(({ name }) => name));
  const known = new Set([...given, ...stored.map(({ name }) => normalizeName(name))]);
  const unknown = references
    .filter(({ name }) => !known.has(normalizeName(name)))
    .map(({ name, path }) => ({ path, message: `there is no group '${name}'` }));
  const taken = await mapConcurrent([...catalogue.groups.entries()], async ([index, { id, name }]) => {
    const holder = id === undefined ? undefined : await accounts.groupNameOf(id);
    if (holder === undefined || normalizeName(holder) === normalizeName(name)) return [];
    return [{ path: ['groups', index, 'id'], message: `the group ${id} is '${holder}', not '${name}'` }];
  });
  return [...unknown, ...taken.flat()];
}

/** Every place where users, products and bugs name a group. */
export function groupReferences({ users, products, bugs }: Catalogue): Reference[] {
  const named = (names: readonly string[], ...path: PropertyKey[]) =>
    names.map((name, index): Reference => ({ name, path: [...path, index] }));
  return [
    ...users.flatMap(({ groups = [] }, u) => named(groups, 'users', u, 'groups')),
    ...products.flatMap(({ group_controls = [], flag_types }, p) => [
      ...group_controls.map(({ group }, c): Reference => {
        return { name: group, path: ['products', p, 'group_controls', c, 'group'] };
      }),
      ...flag_types.flatMap((type, f) =>
        (['grant_group', 'request_group'] as const).flatMap((field): Reference[] => {
          const name = type[field];
          return name === null || name === undefined
            ? []
            : [{ name, path: ['products', p, 'flag_types', f, field] }];
        }),
      ),
    ]),
    ...bugs.flatMap(({ groups = [] }, b) => named(groups, 'bugs', b, 'groups')),
  ];
}

async function userProblems(table: Table, { users }: Catalogue): Promise<Problem[]> {
  const accounts = accountRepository(table);
  const problems = await mapConcurrent([...users.entries()], async ([u, { id, login, api_keys }]) => {
    const path = ['users', u];
    const owner = id === undefined ? undefined : await accounts.loginOf(id);
    const isOther = owner !== undefined && owner !== login;
    const hashes = api_keys.map(({ key, key_sha256 }) => key_sha256 ?? hashOf(key ?? ''));
    const owners = await accounts.ownersOf(hashes);
    return [
      ...(isOther
        ? [{ path: [...path, 'id'], message: `the user ${id} is '${owner}', not '${login}'` }]
        : []),
      ...hashes.flatMap((hash, k) => {
        const holder = owners.get(hash) ?? login;
        if (normalizeName(holder) === normalizeName(login)) return [];
        return [{ path: [...path, 'api_keys', k], message: `the API key belongs to '${holder}'` }];
      }),
    ];
  });
  return problems.flat();
}

async function productProblems(table: Table, { products }: Catalogue): Promise<Problem[]> {
  const repository = productRepository(table);
  const idByName = await repository.idsByName(products.map(({ name }) => name));
  const stored = await repository.products(products.flatMap(({ id }) => id ?? []));
  const nameById = new Map(stored.map(({ id, name }) => [id, name]));
  return products.flatMap(({ id, name }, p): Problem[] => {
    if (id === undefined) return [];
    const idOfName = idByName.get(normalizeName(name));
    if (idOfName !== undefined && idOfName !== id) {
      return [
        { path: ['products', p, 'name'], message: `the product '${name}' has the id ${idOfName}, not ${id}` },
      ];
    }
    const nameOfId = nameById.get(id);
    if (nameOfId === undefined || idOfName === id) return [];
    return [{ path: ['products', p, 'id'], message: `the product ${id} is '${nameOfId}', not '${name}'` }];
  });
}

/** Bugs whose product or component neither the catalogue nor the table has. */
async function placeProblems(table: Table, { products, bugs }: Catalogue): Promise<Problem[]> {
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

/** Bugs whose id or alias belongs to another bug. */
async function bugProblems(table: Table, { bugs }: Catalogue): Promise<Problem[]> {
  const repository = bugRepository(table, () => new Date());
  const stored = await repository.byIds(bugs.flatMap(({ id }) => id ?? []));
  const problems = await mapConcurrent([...bugs.entries()], async ([b, { id, aliases, reporter }]) => {
    const existing = id === undefined ? undefined : stored.get(id);
    const isOther = existing !== undefined && existing.reporter !== reporter;
    const taken = await mapConcurrent(
      [...(aliases ?? []).entries()],
      async ([a, alias]): Promise<Problem[]> => {
        const holder = id === undefined ? undefined : await repository.idOf(alias);
        if (holder === undefined || holder === id) return [];
        return [{ path: ['bugs', b, 'aliases', a], message: `bug ${holder} has this alias` }];
      },
    );
    const message = `bug ${id} is another one, reported by '${existing?.reporter}'`;
    return [...(isOther ? [{ path: ['bugs', b], message }] : []), ...taken.flat()];
  });
  return problems.flat();
}

/** Bugs with a keyword that neither the catalogue nor the table has. */
async function keywordProblems(table: Table, { keywords, bugs }: Catalogue): Promise<Problem[]> {
  const references = bugs.flatMap((bug, b) =>
    (bug.keywords ?? []).map((name, k): Reference => ({ name, path: ['bugs', b, 'keywords', k] })),
  );
  const stored = await bugSettingsRepository(table).keywordsByName(references.map(({ name }) => name));
  const known = new Set([...stored.keys(), ...keywords.map(({ name }) => normalizeName(name))]);
  return references
    .filter(({ name }) => !known.has(normalizeName(name)))
    .map(({ name, path }) => ({ path, message: `there is no keyword '${name}'` }));
}
