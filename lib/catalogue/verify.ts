import { bugSettingsRepository } from '../bugs/settings-repository.ts';
import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { normalizeName } from '../text.ts';
import { accountRepository } from '../users/account-repository.ts';
import { catalogueError } from './errors.ts';
import type { Catalogue, Problem } from './schema.ts';
import { bugProblems } from './verify-bugs.ts';
import { type Permissions, placeProblems, productProblems } from './verify-products.ts';
import { userProblems } from './verify-users.ts';

/**
 * Checks a catalogue against the table before anything is written: unknown groups, products, components and keywords;
 * ids, names and API keys that belong to something else.
 *
 * @throws CatalogueError naming each wrong place by its JSON path
 */
export async function verifyCatalogue(
  table: Table,
  catalogue: Catalogue,
  permissions: Permissions,
): Promise<void> {
  const problems = await Promise.all([
    groupProblems(table, catalogue),
    userProblems(table, catalogue),
    productProblems(table, catalogue, permissions),
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
