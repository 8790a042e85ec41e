import { normalizeName } from '../base/text.ts';
import { watchRepository } from '../changes/watches/repository.ts';
import { MAX_WATCHERS, type Watched, type WatchesItem } from '../changes/watches/schema.ts';
import { userRepository } from '../people/repository.ts';
import { productRepository } from '../products/repository.ts';
import type { Table } from '../table/client.ts';
import type { PlanContext, PlanOfKind } from './plan.ts';
import type { CatalogueSource, CatalogueUser, Problem } from './schema.ts';

/** A user of whom a catalogue says what the user watches, with the place in the list of users. */
interface Watcher {
  user: CatalogueUser;
  u: number;
}

/** A product that is watched. */
interface WatchedProduct {
  id: number;
  /** ids by normalized name */
  components: ReadonlyMap<string, number>;
}

/** What watchers name, by normalized names, as far as the table has it. */
interface Known {
  /** ids */
  users: ReadonlyMap<string, number>;
  products: ReadonlyMap<string, WatchedProduct>;
}

/** Sets what users watch; of a user for whom the catalogue does not say it, it stays. */
export async function planWatches({ table, catalogue }: PlanContext): Promise<PlanOfKind> {
  const watches = watchRepository(table);
  const watchers = catalogue.users.flatMap((user, u): Watcher[] =>
    user.watched_users === undefined && user.watched_components === undefined ? [] : [{ user, u }],
  );
  if (watchers.length === 0) return { problems: [], execute: async () => undefined };
  return {
    problems: [
      ...unknownNames(watchers, catalogue, await readKnown(table, watchers)),
      ...tooManyWatchers(watchers),
    ],
    async execute() {
      // Users and products of the catalogue are written now.
      const known = await readKnown(table, watchers);
      for (const { user } of watchers) {
        const existing = await watches.of(known.users.get(normalizeName(user.login)) ?? 0);
        await watches.write(existing, desiredWatches(existing, user, known));
      }
    },
  };
}

async function readKnown(table: Table, watchers: readonly Watcher[]): Promise<Known> {
  const logins = watchers.flatMap(({ user }) => [user.login, ...(user.watched_users ?? [])]);
  const names = watchers.flatMap(({ user }) => (user.watched_components ?? []).map(({ product }) => product));
  const repository = productRepository(table);
  const [users, ids] = await Promise.all([
    userRepository(table, table.now).byLogins(logins),
    repository.idsByName([...new Set(names)]),
  ]);
  const products = await repository.allWithParts([...new Set(ids.values())]);
  return {
    users: new Map([...users].map(([login, { id }]) => [login, id])),
    products: new Map(
      products.map(({ product: { id, name }, components }) => [
        normalizeName(name),
        { id, components: new Map(components.map((one) => [normalizeName(one.name), one.id])) },
      ]),
    ),
  };
}

/** What a user is to watch: of each list that the catalogue does not have, what the user watches. */
function desiredWatches(
  { user_id, watched }: WatchesItem,
  { watched_users, watched_components }: CatalogueUser,
  { users, products }: Known,
): Watched[] {
  const isUser = ({ kind }: Watched) => kind === 'user';
  const people = watched_users?.map(
    (login): Watched => ({ kind: 'user', id: users.get(normalizeName(login)) ?? 0 }),
  );
  const places = watched_components?.map(({ product, component }): Watched => {
    const { id = 0, components } = products.get(normalizeName(product)) ?? {};
    const part = normalizeName(component ?? '');
    if (part === '') return { kind: 'product', id };
    return { kind: 'component', id: components?.get(part) ?? 0, product_id: id };
  });
  return [
    ...(people?.filter(({ id }) => id !== user_id) ?? watched.filter(isUser)),
    ...(places ?? watched.filter((one) => !isUser(one))),
  ];
}

/** Names of what neither the table nor the catalogue has. */
function unknownNames(watchers: readonly Watcher[], catalogue: CatalogueSource, known: Known): Problem[] {
  const logins = new Set([
    ...known.users.keys(),
    ...catalogue.users.map(({ login }) => normalizeName(login)),
  ]);
  const added = new Map(
    catalogue.products.map(({ name, components }) => [
      normalizeName(name),
      new Set(components.map((one) => normalizeName(one.name))),
    ]),
  );
  const isKnown = ({
    product,
    component,
  }: NonNullable<CatalogueUser['watched_components']>[number]): boolean => {
    const [name, part] = [product, component ?? ''].map(normalizeName);
    const has = [known.products.get(name ?? '')?.components, added.get(name ?? '')];
    return has.some((parts) => parts !== undefined && (part === '' || parts.has(part ?? '')));
  };
  return watchers.flatMap(({ user: { watched_users = [], watched_components = [] }, u }) => [
    ...watched_users.flatMap((login, w): Problem[] => {
      if (logins.has(normalizeName(login))) return [];
      return [{ path: ['users', u, 'watched_users', w], message: `there is no user '${login}'` }];
    }),
    ...watched_components.flatMap((one, w): Problem[] => {
      if (isKnown(one)) return [];
      const name = [one.product, one.component ?? []].flat().join(': ');
      return [{ path: ['users', u, 'watched_components', w], message: `there is no component '${name}'` }];
    }),
  ]);
}

/** Users of a catalogue who watch something that as many others watch as may watch it. */
function tooManyWatchers(watchers: readonly Watcher[]): Problem[] {
  const counts = new Map<string, number>();
  return watchers.flatMap(({ user: { watched_users = [], watched_components = [] }, u }): Problem[] => {
    const names = new Set([
      ...watched_users.map((login) => JSON.stringify([normalizeName(login)])),
      ...watched_components.map(({ product, component }) =>
        JSON.stringify([product, component ?? ''].map(normalizeName)),
      ),
    ]);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (![...names].some((name) => (counts.get(name) ?? 0) > MAX_WATCHERS)) return [];
    const message = `watches what ${MAX_WATCHERS} others in the file watch, who are the most`;
    return [{ path: ['users', u], message }];
  });
}
